"""The code in the documentation: programs by name, and commands with the responses shown after them."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from json import JSONDecodeError, JSONDecoder, loads
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent.parent
REST = "..."
"""The sign for any text, and unquoted for further fields and items."""

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"(?://|/\*|<!--) (\S+): ")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\.\.\.|[][{}]|[^][{}"\s.]+|\.')
_END = "\x1e"


class Step(NamedTuple):
    """Commands, and the response shown after them, if any."""

    commands: str
    shown: str


def blocks(page: str) -> list[tuple[str, str]]:
    """Return the code blocks of a page with their languages."""
    return _BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def programs(page: str) -> dict[str, str]:
    """Return the programs of a page by the names in their first lines."""
    return {named[1]: text for _, text in blocks(page) if (named := _NAMED.match(text))}


def steps(page: str) -> list[Step]:
    """Return the commands of a page in order."""
    found = blocks(page)
    following = [*found[1:], ("", "")]
    return [
        Step(text, document if kind == "js" and not _NAMED.match(document) else "")
        for (language, text), (kind, document) in zip(found, following, strict=True)
        if language == "sh"
    ]


def run_steps(pages: Iterable[str], folder: Path, **variables: str) -> list[tuple[Step, str]]:
    """Run all commands of some pages in one shell; return each step with its output."""
    all_steps = [step for page in pages for step in steps(page)]
    script = "".join(f"{step.commands}\nprintf '\\036'\n" for step in all_steps)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    *printed, rest = done.stdout.split(_END)
    assert not rest
    return list(zip(all_steps, printed, strict=True))


def last_document(printed: str) -> Any:
    """Return the last JSON document in an output."""
    for begin in re.finditer(r"^(?=\S)", printed, re.MULTILINE):
        try:
            document, end = JSONDecoder().raw_decode(printed, begin.start())
        except JSONDecodeError:
            continue
        if not printed[end:].strip():
            return document
    raise AssertionError(f"no JSON document at the end of {printed!r}")


def read_shown(text: str) -> Any:
    """Parse a response as shown on a page."""
    inside: list[str] = []
    tokens = []
    for token in _TOKEN.findall(text):
        if token in ("{", "["):
            inside.append(token)
        elif token in ("}", "]"):
            inside.pop()
        tokens.append((f'"{REST}":0' if inside[-1] == "{" else f'"{REST}"') if token == REST else token)
    return loads("".join(tokens))


def fits(shown: Any, real: Any) -> bool:
    """Return true if a response is as shown, except for abridged parts."""
    if isinstance(shown, dict) and isinstance(real, dict):
        named = shown.keys() - {REST}
        complete = named <= real.keys() if REST in shown else named == real.keys()
        return complete and all(fits(shown[key], real[key]) for key in named)
    if isinstance(shown, list) and isinstance(real, list):
        return _items_fit(shown, real)
    return isinstance(real, str) if shown == REST else type(shown) is type(real) and bool(shown == real)


def _items_fit(shown: list[Any], real: list[Any]) -> bool:
    if not shown or not real:
        return all(item == REST for item in shown) and not real
    if shown[0] == REST:
        return _items_fit(shown[1:], real) or _items_fit(shown, real[1:])
    return fits(shown[0], real[0]) and _items_fit(shown[1:], real[1:])
