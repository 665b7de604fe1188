"""The command line: commands and their arguments."""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, HelpFormatter, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from inspect import getdoc
from pathlib import Path
from shutil import get_terminal_size
from signal import SIGPIPE
from uuid import UUID

from api import (
    app_command,
    audit_command,
    backup_command,
    export_command,
    maintenance,
    server,
    watch,
    webhook_command,
)
from api.command_support import CommandFailed
from api.ladder import MODULES, ladder
from api.random_games import POSITIONS
from api.settings import PREFIX, SettingError, Settings, read_settings
from domain.anchors import AnchorRefused
from domain.bots import BOTS
from domain.refused import Refused
from domain.store import (
    AppExists,
    NewerDatabase,
    StorageUnavailable,
    UnknownApp,
    UnknownDatabase,
    UnknownEndpoint,
    UnknownGame,
    WrongClock,
    check_clock,
    webhooks,
)
from domain.stream import UnreadableEvent
from projections.words.en import refusal_text

PROGRAM = "python -m api"

AddCommand = Callable[[str, Callable[[Namespace], int]], ArgumentParser]
"""Adds a command; the docstring of its function is the help."""

_ERRORS_WITHOUT_TRACEBACK = (
    AnchorRefused,
    AppExists,
    CommandFailed,
    NewerDatabase,
    SettingError,
    UnknownApp,
    UnknownDatabase,
    UnknownEndpoint,
    UnknownGame,
    UnreadableEvent,
    WrongClock,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; errors are printed in one line."""
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        return 128 + SIGPIPE
    except _ERRORS_WITHOUT_TRACEBACK as error:
        message = str(error)
    except Refused as refused:
        message = refusal_text({}, refused)
    except StorageUnavailable as error:
        url = read_settings().database_url
        message = f"{url if url.startswith('sqlite:') else 'PostgreSQL'}: {error}"
    except OSError as error:
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    sys.stderr.write(f"{message}\n")
    return 1


def _run(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.command is None:
        parser.print_help(sys.stderr)
        return 2
    for name in ("database_url", "host", "port", "workers"):  # worker processes read them, too
        value = getattr(given, name, None)
        if value is not None:
            os.environ[PREFIX + name.upper()] = str(value)
    check_clock()
    status: int = given.command(given)
    return status


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog=PROGRAM,
        usage="%(prog)s COMMAND [OPTION ...]",
        description="Serve the board game Franchise, and maintain the stored games.",
        epilog=f"'{PROGRAM} COMMAND --help' explains a command.\n"
        f"Settings are environment variables such as {PREFIX}DATABASE_URL;\n"
        "docs/settings.md lists them. An option overrides its variable.",
        formatter_class=_formatter,
    )
    parser.set_defaults(command=None)
    commands = parser.add_subparsers(title="commands", prog=PROGRAM, metavar="COMMAND [OPTION ...]")

    def add(name: str, command: Callable[[Namespace], int]) -> ArgumentParser:
        summary, _, more = str(getdoc(command)).partition("\n\n")
        added: ArgumentParser = commands.add_parser(
            name, help=summary, description=summary, epilog=more, formatter_class=_formatter
        )
        added.set_defaults(command=command)
        return added

    def add_with_database(name: str, command: Callable[[Namespace], int]) -> ArgumentParser:
        added = add(name, command)
        database = f"sqlite:///FILE or postgresql://HOST/NAME ({_default('database_url')})"
        added.add_argument("--database", dest="database_url", metavar="URL", help=database)
        return added

    _add_serve(add_with_database)
    _add_games(add_with_database)
    _add_applications(add_with_database)
    _add_checks(add_with_database)
    _add_backups(add_with_database)
    _add_ladder(add)
    return parser


def _formatter(prog: str) -> HelpFormatter:
    return RawDescriptionHelpFormatter(prog, width=min(get_terminal_size().columns - 2, 100))


def _default(setting: str) -> str:
    return f"default: {PREFIX}{setting.upper()} or {getattr(Settings(), setting)}"


def count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ArgumentTypeError(f"{number} is less than 1")
    return number


def seed(text: str) -> int:
    """Parse a seed that leaves room for the seeds of further games."""
    number = int(text)
    if abs(number) > 2**52:
        raise ArgumentTypeError(f"{number} is not between -2^52 and 2^52")
    return number


def _add_serve(add: AddCommand) -> None:
    serve = add("serve", server.serve)
    serve.add_argument("--host", metavar="ADDRESS", help=f"address to listen on ({_default('host')})")
    serve.add_argument(
        "--port", type=int, metavar="NUMBER", help=f"port to listen on (0: any free one; {_default('port')})"
    )
    serve.add_argument("--workers", type=int, metavar="N", help=f"number of processes ({_default('workers')})")


def _add_games(add: AddCommand) -> None:
    """Add the commands for games and the lobby."""
    follow = add("watch", watch.watch)
    follow.add_argument("game", type=UUID, metavar="GAME", help="id of the game")

    export = add("export", export_command.export)
    which = export.add_mutually_exclusive_group(required=True)
    which.add_argument("game", nargs="?", type=UUID, metavar="GAME", help="id of a game")
    which.add_argument("--finished", metavar="FILE", help="export all finished games to a file")
    export.add_argument("file", nargs="?", metavar="FILE", help="file to write (default: standard output)")

    bring_in = add("import", maintenance.import_records)
    bring_in.add_argument("files", nargs="+", metavar="FILE", help="record to read (-: standard input)")

    list_all = add("list", maintenance.list_games)
    list_all.add_argument("--status", choices=("open", "playing", "finished"), help="only games with this status")

    renew = add("renew-token", maintenance.renew_token)
    renew.add_argument("game", type=UUID, metavar="GAME", help="id of the game")
    renew.add_argument("seat", nargs="?", type=int, metavar="SEAT", help="number of the seat (default: the host)")
    renew.add_argument("--yes", action="store_true", help="do not ask for confirmation")

    remove = add("remove", maintenance.remove)
    remove.add_argument("games", nargs="+", type=UUID, metavar="GAME", help="id of a game")
    remove.add_argument("--yes", action="store_true", help="do not ask for confirmation")

    simulate = add("simulate", maintenance.simulate)
    simulate.add_argument("number", type=count, metavar="N", help="number of games")
    simulate.add_argument("--players", type=int, choices=range(2, 6), help="number of players (default: random)")
    simulate.add_argument("--seed", type=seed, metavar="NUMBER", help="seed of the first game (default: random)")
    bots = f"kinds of bots that play, from {', '.join(BOTS)} (default: random moves of people)"
    simulate.add_argument("--bots", nargs="+", choices=BOTS, default=[], metavar="KIND", help=bots)
    budget = "positions for each decision of a bot (default: %(default)s)"
    simulate.add_argument("--positions", type=count, default=POSITIONS, metavar="N", help=budget)

    add("rebuild-list", maintenance.rebuild_lobby)


def _add_applications(add: AddCommand) -> None:
    manage = add("app", app_command.app)
    manage.add_argument("action", choices=app_command.ACTIONS, metavar="ACTION", help=", ".join(app_command.ACTIONS))
    manage.add_argument("name", nargs="?", metavar="NAME", help="name of the application")
    manage.add_argument("ref", nargs="?", metavar="REF", help="the application's own name of a person")
    manage.add_argument("--yes", action="store_true", help="do not ask for confirmation")

    hook = add("webhook", webhook_command.webhook)
    hook.add_argument(
        "action", choices=webhook_command.ACTIONS, metavar="ACTION", help=", ".join(webhook_command.ACTIONS)
    )
    hook.add_argument("target", nargs="?", metavar="URL|ID", help="URL of a new endpoint, or id of an endpoint")
    events = ",".join(webhooks.EVENTS)
    hook.add_argument("--events", default=events, metavar="LIST", help=f"kinds of notices (default: {events})")
    hook.add_argument("--app", metavar="NAME", help="only the games of an application")
    hook.add_argument("--from", dest="position", type=count, metavar="POSITION", help="first position to replay")
    hook.add_argument("--yes", action="store_true", help="do not ask for confirmation")


def _add_checks(add: AddCommand) -> None:
    """Add the commands that detect tampering."""
    audit = add("audit", audit_command.audit)
    which = audit.add_mutually_exclusive_group(required=True)
    which.add_argument("games", nargs="*", type=UUID, default=[], metavar="GAME", help="id of a game")
    which.add_argument("--all", action="store_true", help="audit every game")
    audit.add_argument("--anchor", metavar="FILE", help="file written by 'anchor' to compare with")
    audit.add_argument("--json", action="store_true", help="print the result as JSON")

    anchor = add("anchor", audit_command.anchor)
    anchor.add_argument("file", nargs="?", metavar="FILE", help="file to append to (default: print the line)")


def _add_backups(add: AddCommand) -> None:
    backup = add("backup", backup_command.backup)
    backup.add_argument("target", type=Path, metavar="TARGET", help="file to write")
    backup.add_argument("--overwrite", action="store_true", help="replace an existing file")

    restore = add("restore", backup_command.restore)
    restore.add_argument("backup", type=Path, metavar="BACKUP", help="file to read")
    restore.add_argument("--although-damaged", action="store_true", help="restore damaged games, too")


def _add_ladder(add: AddCommand) -> None:
    adds = add("ladder", ladder)
    adds.add_argument("kind", choices=BOTS, metavar="KIND", help=f"kind of bot: {', '.join(BOTS)}")
    adds.add_argument("others", nargs="+", choices=BOTS, metavar="KIND", help="kinds of opponents")
    adds.add_argument("--games", type=count, default=20, metavar="N", help="games of each pair (default: %(default)s)")
    adds.add_argument(
        "--players", type=int, choices=range(2, 6), default=2, help="players of each game (default: %(default)s)"
    )
    adds.add_argument("--one-way", action="store_true", help="only the kind that is named first is the challenger")
    modules = f"any of {', '.join(MODULES)} (default: none)"
    adds.add_argument("--modules", nargs="+", choices=MODULES, default=[], metavar="MODULE", help=modules)
    adds.add_argument(
        "--start",
        choices=("standard", "introductory"),
        default="standard",
        help="set-up of the board (default: %(default)s)",
    )
    adds.add_argument("--seed", type=int, default=1, metavar="NUMBER", help="seed of all draws (default: %(default)s)")
    budget = adds.add_mutually_exclusive_group()
    budget.add_argument(
        "--seconds", type=float, default=0.1, metavar="S", help="time for each decision (default: %(default)s)"
    )
    positions = "positions for each decision instead of a time, which makes the games repeatable"
    budget.add_argument("--positions", type=count, metavar="N", help=positions)
