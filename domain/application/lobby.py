"""The lobby and the archive: a list of all games, kept from the news that tables make.

The list follows the order in which events were stored and remembers how far it has read, in the same transaction as
what it has written; any process may bring it up to date, one does at a time.
"""

from collections.abc import Iterator
from hashlib import sha256
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.application.database import Database, Session, Statement
from domain.application.errors import BrokenCursor
from domain.modules import Options, TableOpened
from domain.stream import UnreadableEvent, at_of, fact_of, told_apart
from domain.table import Status, Table, change_table, is_news, open_table

AT_ONCE = 500
NEWEST = 2**62


class Listed(msgspec.Struct, frozen=True):
    """A game as the list shows it; ``changed`` is when the table last changed, not the last move."""

    id: UUID
    status: Status
    version: int
    seats: int
    players: tuple[str, ...]
    options: Options
    opened: str
    changed: str
    winners: tuple[int, ...] | None
    forked_from: tuple[str, int] | None


class Listing(msgspec.Struct, frozen=True):
    """A page of the list, and the cursor of the next page, None if this is the last."""

    items: tuple[Listed, ...]
    next: str | None


class _Line(msgspec.Struct, frozen=True):
    """What the list remembers of a game; ``number`` is its place among all games."""

    game: str
    number: int
    table: Table
    opened: str
    changed: str


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Line).decode


def games(
    database: Database,
    *,
    status: Status | None = None,
    player: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
    visible: UUID | None = None,
) -> Listing:
    """A page of games, those opened last first. Private games are left out, except the one that is ``visible``."""
    catch_up(database)
    chosen = database.select(_page(status, player, limit + 1, _number(cursor), visible))
    items = tuple(_listed(*row) for row in chosen[:limit])
    return Listing(items, str(chosen[limit - 1][0]) if len(chosen) > limit else None)


def catch_up(database: Database) -> None:
    """Bring the list up to date with what tables have told since."""
    while database.select(_ANY_NEWS):
        with database.session() as session:
            _read_on(session)


def rebuild(database: Database) -> None:
    """Make the list anew from all that is stored."""
    with database.session() as session:
        for table in ("lobby", "lobby_players", "lobby_position"):
            session.run((f"DELETE FROM {table}", ()))  # noqa: S608 - no value from outside
    catch_up(database)


def _page(status: Status | None, player: str | None, limit: int, below: int, visible: UUID | None) -> Statement:
    """The lines of a page, by the index of the player's name if one is asked for."""
    where = "(private = 0 OR lobby.game = ?)"
    values: list[object] = [visible.hex if visible else ""]
    source, number = "lobby", "lobby.number"
    if player is not None:
        source, number = "lobby_players JOIN lobby USING (number)", "lobby_players.number"
        where += " AND name = ?"
        values.append(_name(player))
    if status is not None:
        where += " AND status = ?"
        values.append(status)
    page = (
        f"SELECT {number} AS place, lobby.game, line FROM {source}"  # noqa: S608 - all values are bound
        f" WHERE {where} AND {number} < ? ORDER BY {number} DESC LIMIT ?"
    )
    return (
        f"SELECT place, version, line FROM ({page}) AS page"  # noqa: S608
        " JOIN heads ON heads.game = page.game ORDER BY place DESC",
        (*values, below, limit),
    )


def _number(cursor: str | None) -> int:
    if cursor is None:
        return NEWEST
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < len(str(NEWEST))):
        raise BrokenCursor(f"{cursor[:40]!r} is no cursor of this list")
    return int(cursor)


def _listed(number: int, version: int, line: bytes) -> Listed:
    known = _decode(line)
    table = known.table
    return Listed(
        id=UUID(known.game),
        status=table.status,
        version=version,
        seats=table.seats,
        players=tuple(player.name for player in table.players),
        options=table.options,
        opened=known.opened,
        changed=known.changed,
        winners=table.winners or None,
        forked_from=table.forked_from,
    )


def _read_on(session: Session) -> None:
    """Read the next news and write what they change."""
    found = session.run(("SELECT notification FROM lobby_position", ()))
    news = session.run((_NEWS, (found[0][0] if found else 0, AT_ONCE)))
    changed: dict[str, _Line] = {}
    for number, originator, version, text in news:
        game = UUID(str(originator)).hex
        line = changed.get(game) or _known(session, game)
        for row in told_apart(version, text):
            line = _tell(line, game, number, *row)
        if line is not None:
            changed[game] = line
    for line in changed.values():
        for statement in _written(line):
            session.run(statement)
    if news:
        session.run((_READ, (news[-1][0],)))


def _known(session: Session, game: str) -> _Line | None:
    found = session.run(("SELECT line FROM lobby WHERE game = ?", (game,)))
    return _decode(found[0][0]) if found else None


def _tell(line: _Line | None, game: str, number: int, version: int, event: bytes) -> _Line | None:
    """The line of a game after the news; what somebody has damaged so that it cannot be read tells nothing."""
    try:
        fact, at = fact_of(version, event), at_of(version, event)
    except UnreadableEvent:
        return line
    if isinstance(fact, TableOpened):
        return _Line(game, number, open_table(fact), at, at)
    if line is None or not is_news(fact):
        return line
    return replace(line, table=change_table(line.table, version, fact), changed=at)


def _written(line: _Line) -> Iterator[Statement]:
    yield "DELETE FROM lobby WHERE number = ?", (line.number,)
    yield "DELETE FROM lobby_players WHERE number = ?", (line.number,)
    if line.table.deleted:
        return
    private = int(line.table.options.private)
    yield _LINE, (line.number, line.game, line.table.status, private, _encode(line))
    for name in {_name(player.name) for player in line.table.players}:
        yield "INSERT INTO lobby_players (name, number) VALUES (?, ?)", (name, line.number)


def _name(name: str) -> bytes:
    """A player's name as it is looked for: whatever its letters, in any case."""
    return sha256(name.casefold().encode(errors="surrogatepass")).digest()


_ANY_NEWS: Statement = (
    "SELECT 1 FROM stored_events WHERE topic = 'table'"
    " AND {number} > COALESCE((SELECT notification FROM lobby_position), 0) LIMIT 1",
    (),
)
_NEWS = (
    "SELECT {number}, originator_id, originator_version, state FROM stored_events"
    " WHERE topic = 'table' AND {number} > ? ORDER BY {number} LIMIT ?"
)
_LINE = "INSERT INTO lobby (number, game, status, private, line) VALUES (?, ?, ?, ?, ?)"
_READ = (
    "INSERT INTO lobby_position (one, notification) VALUES (1, ?)"
    " ON CONFLICT (one) DO UPDATE SET notification = excluded.notification"
)
