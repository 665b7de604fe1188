"""The commands that back up and restore a database; the PostgreSQL driver is loaded only if it is needed."""

import shlex
import sys
from argparse import Namespace
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from api.audit_command import Audited, audit_database
from api.command_support import CommandFailed, require_file
from api.settings import read_settings
from domain.store import StorageUnavailable
from domain.store.application import open_application, open_without_upgrade, sqlite_file
from domain.store.database import ReadDatabase
from domain.store.schema import EPOCH, renew_epoch, stored_schema
from domain.store.sqlite_copies import SQLiteCopy, files_of, rename_durably, temporary_copy, write_into

DUMP_BEGINS = b"PGDMP"
"""The first bytes of a dump in the custom format of pg_dump."""


def backup(arguments: Namespace) -> int:
    """Copy the database and audit the copy.

    Servers may keep running: the copy is a snapshot.
    For PostgreSQL: audits the database and prints the command that dumps it.

    Example:
      python -m api backup /backups/games-monday.db
    """
    url = read_settings().database_url
    database = _file_of(url)
    if database is None:
        return _print_dump_command(url, arguments.target)
    return _back_up_file(database, arguments.target, overwrite=arguments.overwrite)


def restore(arguments: Namespace) -> int:
    """Audit a backup and replace the database with it.

    Servers may keep running. The previous database is kept in a file next to it.
    For PostgreSQL: prints the commands that restore a dump.

    Example:
      python -m api restore /backups/games-monday.db
    """
    url = read_settings().database_url
    require_file(arguments.backup)
    database = _file_of(url)
    if database is None:
        return _print_restore_commands(url, arguments.backup)
    return _restore_file(arguments.backup, database, although_damaged=arguments.although_damaged)


def _file_of(url: str) -> Path | None:
    """Return the file of an SQLite database, None for PostgreSQL; raise ``CommandFailed`` for memory."""
    if url == "memory:":
        raise CommandFailed("memory: a database in memory cannot be backed up or restored")
    return sqlite_file(url)


def _back_up_file(database: Path, target: Path, *, overwrite: bool) -> int:
    """Copy a database; a damaged copy gets another name and replaces no good one."""
    require_file(database)
    if target.resolve() in files_of(database) or (target.exists() and target.samefile(database)):
        raise CommandFailed(f"{target}: this is the database itself. Choose another file.")
    if target.is_dir() or (target.exists() and not overwrite):
        raise CommandFailed(f"{target}: this already exists. Use --overwrite to replace a file.")
    with _failing_as(target), temporary_copy(database, target) as part:
        audited = _audit_file(part)
        copied = target.with_name(f"{target.name}.damaged") if audited.bad else target
        rename_durably(part, copied)
    audited.report()
    sys.stdout.write(f"{database} was copied to {copied}\n")
    return 1 if audited.bad else 0


def _restore_file(backup: Path, database: Path, *, although_damaged: bool) -> int:
    """Write a backup into a database that servers may use; the previous content is kept in a file next to it."""
    if backup.resolve() in files_of(database) or (database.exists() and backup.samefile(database)):
        raise CommandFailed(f"{backup}: this is the database itself. Choose a backup.")
    with _failing_as(backup), temporary_copy(backup, database) as part:
        audited = _audit_file(part)
        audited.report()
        if audited.bad and not although_damaged:
            raise CommandFailed("Nothing was restored. Use --although-damaged to restore damaged games, too.")
        with closing(open_application(f"sqlite:///{quote(str(part))}")) as upgraded:
            upgraded.recorder.append((), [renew_epoch()])
        aside = None
        if database.exists():
            aside = database.with_name(f"{database.name}.replaced-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
        _write_into(part, database, aside)
    sys.stdout.write(f"{backup} was restored into {database}\n")
    if aside:
        sys.stdout.write(f"The previous database is in {aside}\n")
    return 0


def _write_into(copy: Path, database: Path, aside: Path | None) -> None:
    with _failing_as(database):
        open_application(f"sqlite:///{quote(str(database))}").close()  # fails for a newer schema
        write_into(copy, database, aside)


def _audit_file(copy: Path) -> Audited:
    with closing(SQLiteCopy(copy)) as database:
        database.require_sound()
        _require_games(database.schema())
        return audit_database(database)


def _require_games(schema: int) -> None:
    if not schema:
        raise CommandFailed("This database has no games.")


@contextmanager
def _failing_as(file: Path) -> Generator[None]:
    """Turn errors into a line that names the file."""
    try:
        yield
    except (OSError, StorageUnavailable) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CommandFailed(f"{file}: {reason}") from error


def _print_dump_command(url: str, target: Path) -> int:
    """Audit a PostgreSQL database, and print the command that dumps it."""
    from domain.store.postgres import HAS_COLUMN, without_password

    with closing(open_without_upgrade(url)) as application:
        _require_games(stored_schema(application.recorder.select, HAS_COLUMN))
        audited = audit_database(application.recorder)
        version = _server_version(application.recorder)
    audited.report()
    command = ["pg_dump", "--format=custom", f"--file={target}", f"--dbname={without_password(url)}"]
    sys.stdout.write(
        f"PostgreSQL {version}. Dump the database with pg_dump of this version or later; servers may keep running:\n"
        f"{shlex.join(command)}\n"
    )
    return 1 if audited.bad else 0


def _print_restore_commands(url: str, dump: Path) -> int:
    """Print the commands that restore a dump and audit it."""
    from domain.store.postgres import HAS_COLUMN, LOCK_ALL

    with _failing_as(dump), dump.open("rb") as file:
        if file.read(len(DUMP_BEGINS)) != DUMP_BEGINS:
            raise CommandFailed(f"{dump}: not a dump of pg_dump --format=custom")
    with closing(open_without_upgrade(url)) as application:
        schema = stored_schema(application.recorder.select, HAS_COLUMN)
        version = _server_version(application.recorder)
    commands = "\n".join(restore_commands(url, dump, LOCK_ALL if schema else ()))
    sys.stdout.write(
        f"PostgreSQL {version}. Restore the dump with programs of this version or later, then audit the database:\n"
        f"{commands}\npython -m api audit --all\n"
    )
    return 0


def restore_commands(url: str, dump: Path, before: Sequence[str]) -> Iterator[str]:
    """Return the commands that restore a dump in one transaction, which begins with the statements in ``before``.

    At its end a new epoch begins.
    The dump is converted to SQL first, so that a truncated dump fails before anything is stored.
    """
    from domain.store.postgres import RENEW_EPOCH, without_password

    script = f"{dump}.sql"
    yield shlex.join(["pg_restore", "--clean", "--if-exists", "--no-owner", f"--file={script}", str(dump)])
    options = ["--single-transaction", "--set=ON_ERROR_STOP=1", "--quiet", "--output=/dev/null"]
    statements = [f"--command={statement}" for statement in before]
    after = [f"--command={statement}" for statement in ("RESET search_path", EPOCH, RENEW_EPOCH)]
    yield shlex.join(["psql", *options, f"--dbname={without_password(url)}", *statements, f"--file={script}", *after])


def _server_version(database: ReadDatabase) -> str:
    ((version,),) = database.select(("SELECT current_setting('server_version')", ()))
    return str(version)
