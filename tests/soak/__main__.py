"""The command of the soak: `python -m tests.soak --seconds 600`."""

import sys
from argparse import ArgumentParser
from random import randrange

from rich.console import Console
from rich.table import Table

from tests.soak.ledger import Ledger
from tests.soak.soaking import soak

KINDS = ("sqlite", "postgresql")


def main() -> int:
    """Soak each database for half of the time, and print a table of both."""
    parser = ArgumentParser(
        prog="python -m tests.soak",
        description="Run players, bots and disruptions together.",
    )
    parser.add_argument("--seconds", type=float, default=600, metavar="N", help="for both databases together")
    parser.add_argument("--seed", type=int, default=randrange(2**32), help="of all random choices; random by default")
    arguments = parser.parse_args()
    sys.stdout.write(f"Soaking for {arguments.seconds:g} s, with the seed {arguments.seed} ...\n")
    ledgers = {kind: soak(kind, arguments.seconds / len(KINDS), arguments.seed) for kind in KINDS}
    Console().print(table(ledgers))
    for kind, ledger in ledgers.items():
        sys.stdout.writelines(f"{kind}: {error}\n" for error in ledger.errors)
    return 1 if any(ledger.errors for ledger in ledgers.values()) else 0


def table(ledgers: dict[str, Ledger]) -> Table:
    """Return the counts of each database, with lost changes at the end."""
    made = Table("", *ledgers)
    names = dict.fromkeys(name for ledger in ledgers.values() for name in sorted(ledger.counts))
    for column in made.columns[1:]:
        column.justify = "right"
    for name in names:
        if name != "acknowledged and lost":
            made.add_row(name, *(f"{ledger.counts[name]:,}" for ledger in ledgers.values()))
    made.add_row("acknowledged and lost", *(str(ledger.counts["acknowledged and lost"]) for ledger in ledgers.values()))
    made.add_row("other errors", *(str(len(ledger.errors)) for ledger in ledgers.values()))
    return made


if __name__ == "__main__":
    sys.exit(main())
