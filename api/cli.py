"""The command line: its commands and their arguments."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import UUID

from api import audit_command, backup_command, maintenance, server, watch
from api.command_support import CommandFailed
from api.ladder import MODULES, ladder
from api.settings import PREFIX, SettingError
from domain.anchors import AnchorRefused
from domain.bots import BOTS
from domain.refused import Refused
from domain.store import NewerDatabase, StorageUnavailable, UnknownDatabase, UnknownGame, WrongClock, check_clock
from domain.stream import UnreadableEvent

EPILOG = f"""Every setting of the server is an environment variable with the prefix {PREFIX}, such as
{PREFIX}DATABASE_URL; the README lists them all. What is given here goes before the variable."""

AddCommand = Callable[[str, Callable[[Namespace], int], str], ArgumentParser]
"""Adds a command with its name, the function that runs it and its description."""


_TOLD_IN_A_LINE = (
    AnchorRefused,
    CommandFailed,
    NewerDatabase,
    Refused,
    SettingError,
    UnknownDatabase,
    UnknownGame,
    UnreadableEvent,
    WrongClock,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    given = _parser().parse_args(arguments)
    _set_environment(given)
    try:
        check_clock()
        status: int = given.command(given)
    except _TOLD_IN_A_LINE as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    except StorageUnavailable as away:
        sys.stderr.write(f"The database does not answer: {away}\n")
        return 1
    return status


def _set_environment(given: Namespace) -> None:
    """Turn options into settings, for this process and those that it starts."""
    for name in ("database_url", "host", "port", "workers"):
        value = getattr(given, name, None)
        if value is not None:
            os.environ[PREFIX + name.upper()] = str(value)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="python -m api",
        description="The Franchise engine: serve its API, or look after the games that are stored.",
        epilog=EPILOG,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Callable[[Namespace], int], text: str) -> ArgumentParser:
        added: ArgumentParser = commands.add_parser(name, help=text, description=text, epilog=EPILOG)
        added.set_defaults(command=command)
        return added

    def add_with_database(name: str, command: Callable[[Namespace], int], text: str) -> ArgumentParser:
        added = add(name, command, text)
        added.add_argument("--database", dest="database_url", metavar="URL", help="where the games are stored")
        return added

    serve = add_with_database("serve", server.serve, "Serve the API.")
    serve.add_argument("--host", help="the address to listen on")
    serve.add_argument("--port", type=int, help="the port to listen on, 0 for any that is free")
    serve.add_argument("--workers", type=int, help="how many processes serve")

    _add_maintenance(add_with_database)
    _add_ladder(add)
    return parser


def _add_maintenance(add: AddCommand) -> None:
    """Add the commands that look after the games of a database."""
    export = add("export", maintenance.export, "Write the record of a game.")
    export.add_argument("game", type=UUID, metavar="GAME", help="its id")
    export.add_argument("file", nargs="?", metavar="FILE", help="where to; the standard output if left out")

    bring_in = add(
        "import", maintenance.import_records, "Verify records and store their games; prints their ids and tokens."
    )
    bring_in.add_argument("files", nargs="+", metavar="FILE", help="a record, - for the standard input")

    _add_checks(add)
    _add_backups(add)

    simulate = add("simulate", maintenance.simulate, "Play random games to their end and store them.")
    simulate.add_argument("number", type=int, metavar="N", help="how many games")
    simulate.add_argument("--players", type=int, choices=range(2, 6), help="how many players; drawn if left out")
    simulate.add_argument("--seed", type=int, help="makes the same games again")

    follow = add("watch", watch.watch, "Tell a game as it is played, action by action.")
    follow.add_argument("game", type=UUID, metavar="GAME", help="its id")

    remove = add(
        "remove", maintenance.remove, "Erase games for good: it stays known only that they were removed, and when."
    )
    remove.add_argument("games", nargs="+", type=UUID, metavar="GAME", help="the ids of games")
    remove.add_argument("--yes", action="store_true", help="do not ask first")

    add("rebuild-list", maintenance.rebuild_list, "Make the list of games anew from the streams.")


def _add_checks(add: AddCommand) -> None:
    """Add the commands by which tampering shows."""
    audit = add("audit", audit_command.audit, "Verify games: the chain of digests, and every decision anew.")
    which = audit.add_mutually_exclusive_group(required=True)
    which.add_argument("games", nargs="*", type=UUID, default=[], metavar="GAME", help="the ids of games")
    which.add_argument("--all", action="store_true", help="every game of the database")
    audit.add_argument("--anchor", metavar="FILE", help="find also what was changed since these heads were anchored")
    audit.add_argument("--json", action="store_true", help="tell what was found as JSON")

    anchor = add("anchor", audit_command.anchor, "Note the ends of all games, to be kept outside of the database.")
    anchor.add_argument("file", nargs="?", metavar="FILE", help="appended to, with what is new; printed if left out")


def _add_backups(add: AddCommand) -> None:
    """Add the commands that copy databases."""
    backup = add("backup", backup_command.backup, "Copy the database while servers run, and audit the copy.")
    backup.add_argument("target", type=Path, metavar="TARGET", help="the new file")
    backup.add_argument("--overwrite", action="store_true", help="replace the file if it is there")

    restore = add("restore", backup_command.restore, "Put a backup in the place of the database, once it is audited.")
    restore.add_argument("backup", type=Path, metavar="BACKUP", help="a file that backup has made")
    restore.add_argument("--although-damaged", action="store_true", help="also if the audit finds something")


def _add_ladder(add: AddCommand) -> None:
    """Add the command that measures the strength of bots."""
    adds = add("ladder", ladder, "Let kinds of bots play against each other, and tell which wins how often.")
    adds.add_argument("kind", choices=BOTS, metavar="KIND", help=f"one of {', '.join(BOTS)}")
    adds.add_argument("others", nargs="+", choices=BOTS, metavar="KIND", help="others of these to play against")
    adds.add_argument("--games", type=int, default=20, metavar="N", help="how many for each two kinds; 20 by default")
    adds.add_argument("--players", type=int, choices=range(2, 6), default=2, help="2 by default: one against the rest")
    adds.add_argument("--one-way", action="store_true", help="no later kind challenges an earlier one")
    adds.add_argument("--modules", nargs="+", choices=MODULES, default=[], help="none by default")
    adds.add_argument("--start", choices=("standard", "introductory"), default="standard", help="standard by default")
    adds.add_argument("--seed", type=int, default=1, help="of the set-ups and of chance; 1 by default")
    budget = adds.add_mutually_exclusive_group()
    budget.add_argument("--seconds", type=float, default=0.1, metavar="S", help="for each decision; 0.1 by default")
    budget.add_argument("--positions", type=int, metavar="N", help="to look at for each decision: the same games again")
