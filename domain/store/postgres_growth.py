"""The statement by which streams grow in PostgreSQL: rows, ends of streams and the notification in one round trip."""

from functools import cache

TURN = 0x47726F77
"""The number of the advisory lock that is held by one such statement at a time, until its transaction ends."""

_COLUMNS = "topic, state, game, before, based_on, version, digest, progress"
_FIRST = "(%s::text, %s::bytea, %s::text, %s::bigint, %s::bytea, %s::bigint, %s::bytea, %s::bytea)"
_OTHERS = "(%s, %s, %s, %s, %s, %s, %s, %s)"


@cache
def grow_streams(streams: int) -> bytes:
    """Return the statement that adds a row to each of some streams, all of them different, and notes their ends.

    It returns the notification ids, each with the seconds until it was the turn of this statement.
    It fails, since no ``prior`` may be null, unless all of them end as they are known to.

    ``LOCK TABLE``, by which the library keeps notification ids in the order of commits, takes longer than the rest. The
    advisory lock, taken before any id is drawn, does the same among these statements. Whoever locks the table waits for
    them, and they for whoever has locked it, since each of them holds the lock of an insert from its beginning on.
    """
    rows = ", ".join([_FIRST, *[_OTHERS] * (streams - 1)])
    return (
        f"WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock({TURN}), pg_notify('stored_events', ''),"  # noqa: S608 - no value from outside
        " CAST(EXTRACT(EPOCH FROM clock_timestamp() - transaction_timestamp()) AS float8) AS waited),"
        f" given AS MATERIALIZED (SELECT grown.* FROM turn, (VALUES {rows}) AS grown ({_COLUMNS})),"
        " added AS (INSERT INTO stored_events (originator_id, originator_version, topic, state)"
        " SELECT CAST(game AS uuid), before + 1, topic, state FROM given RETURNING notification_id),"
        " noted AS (UPDATE heads SET prior = before, version = given.version, digest = given.digest,"
        " progress = given.progress FROM given"
        " WHERE heads.game = given.game AND heads.version = before AND heads.digest = based_on RETURNING heads.game),"
        " refused AS (INSERT INTO heads (game, prior, version, digest)"
        " SELECT game, NULL, version, digest FROM given WHERE game NOT IN (SELECT game FROM noted))"
        " SELECT notification_id, waited FROM added, turn"
    ).encode()
