"""Ask the OSV database for known faults of the packages in a lock file.

It fails if one is known. If the database cannot be asked, it says so and succeeds: a check needs no network.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

DATABASE = "https://api.osv.dev/v1/querybatch"
SECONDS = 15.0

_PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE | re.IGNORECASE)

Pin = tuple[str, str]


def find_faults(pins: list[Pin], database: str) -> dict[Pin, list[str]]:
    """Return the ids of the faults that a database knows of each package, in as many pages as it has."""
    faults: dict[Pin, list[str]] = {pin: [] for pin in pins}
    pages = dict.fromkeys(pins, "")
    while pages:
        results = _ask(database, pages)
        pages = {}
        for pin, result in results.items():
            faults[pin] += [fault["id"] for fault in result.get("vulns", ())]
            if result.get("next_page_token"):
                pages[pin] = result["next_page_token"]
    return faults


def _ask(database: str, pages: dict[Pin, str]) -> dict[Pin, Any]:
    queries = [
        {"package": {"name": name, "ecosystem": "PyPI"}, "version": version} | ({"page_token": page} if page else {})
        for (name, version), page in pages.items()
    ]
    request = Request(  # noqa: S310 - the address is that above, or given by whoever runs this
        database, json.dumps({"queries": queries}).encode(), {"Content-Type": "application/json"}
    )
    with urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
        return dict(zip(pages, json.load(answer)["results"], strict=True))


def main(arguments: list[str]) -> int:
    """Print what is known, or that nothing could be learnt; return 1 if a fault is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lock", type=Path)
    parser.add_argument("--database", default=DATABASE)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    given = parser.parse_args(arguments)
    pins: list[Pin] = _PIN.findall(given.lock.read_text(encoding="utf-8"))
    if not pins:
        parser.error(f"{given.lock} pins no package")
    learnt: list[dict[Pin, list[str]] | Exception] = [TimeoutError(f"no answer within {given.seconds:g} s")]

    def learn() -> None:
        try:
            learnt.append(find_faults(pins, given.database))
        except Exception as error:
            learnt.append(error)

    # A thread, since nothing else ends the search for the address of a host in time.
    thread = Thread(target=learn, daemon=True)
    thread.start()
    thread.join(given.seconds)
    return _tell(given.lock, learnt[-1])


def _tell(lock: Path, learnt: dict[Pin, list[str]] | Exception) -> int:
    if isinstance(learnt, Exception):
        print(f"Known faults of {lock} were not checked: the database could not be asked ({learnt}).")
        return 0
    faulty = {pin: ids for pin, ids in learnt.items() if ids}
    for (name, version), ids in faulty.items():
        print(f"{name} {version} has known faults: {', '.join(sorted(ids))}", file=sys.stderr)
    if not faulty:
        print(f"No faults are known of the {len(learnt)} packages in {lock}.")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
