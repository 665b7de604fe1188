"""Disruptions for a soak."""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from random import Random
from time import sleep

import psycopg

from tests.api.site import SERVERS, Site
from tests.support.postgres import Server, thaw

LONGEST_OUTAGE = 4.0
"""The longest outage of the database in seconds, longer than the servers wait for it."""

Disruption = Callable[[Random], object]

OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename IS NOT NULL"


def of_servers(site: Site) -> Mapping[str, Disruption]:
    """Return disruptions of the servers."""

    def any_server(disrupt: Callable[[int], object]) -> Disruption:
        return lambda random: disrupt(random.randrange(SERVERS))

    return {
        "server killed": any_server(site.kill),
        "workers killed": any_server(site.kill_workers),
        "server stopped and started": any_server(site.restart),
    }


def of_sqlite(file: str) -> Mapping[str, Disruption]:
    """Return disruptions of an SQLite database."""

    def lock(random: Random) -> None:
        with closing(sqlite3.connect(file, isolation_level=None, timeout=60)) as other:
            other.execute("BEGIN IMMEDIATE")
            sleep(random.random() * LONGEST_OUTAGE)

    return {"database locked": lock}


def of_postgres(database: Server) -> Mapping[str, Disruption]:
    """Return disruptions of a PostgreSQL server."""

    def restart(random: Random) -> None:
        database.stop()
        sleep(random.random() * LONGEST_OUTAGE)
        database.start()

    def freeze(random: Random) -> None:
        frozen = database.freeze()
        try:
            sleep(random.random() * LONGEST_OUTAGE)
        finally:
            thaw(frozen)

    def cut(_: Random) -> None:
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute(OTHERS)

    return {"database stopped and started": restart, "database frozen": freeze, "connections to the database cut": cut}
