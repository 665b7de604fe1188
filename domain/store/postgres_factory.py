"""The factory of the recorder of games in PostgreSQL, and the settings of its connections."""

from math import ceil
from typing import Any

from eventsourcing.postgres import PostgresFactory
from eventsourcing.utils import Environment, EnvType
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from domain.store.errors import UnknownDatabase
from domain.store.postgres import AWAY_SECONDS, GameRecorder, store_errors

DATABASE_URL = "DATABASE_URL"
"""The name under which the factory finds the URL in its environment."""

TIMEOUT = "DATABASE_TIMEOUT"
"""The name under which the factory finds the seconds after which the server ends a statement or a wait."""

POOLER = "pooler=transaction"
"""The parameter of a URL that leads to a pooler which gives each transaction another connection to the server."""

READ_COMMITTED = r"-c default_transaction_isolation=read\ committed"
"""The isolation by which a writer that has waited for another one sees what that has stored."""

PROBES = {"keepalives_idle": AWAY_SECONDS, "keepalives_interval": AWAY_SECONDS}
"""The seconds after which an idle connection asks whether the server is there; the operating system waits for hours."""


class GameFactory(PostgresFactory):
    """The factory for the server that ``DATABASE_URL`` names."""

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        given, pooled = _parsed(self.env.get(DATABASE_URL, ""))
        milliseconds = round(float(self.env.get(TIMEOUT, "10")) * 1000)
        given = {**PROBES, "tcp_user_timeout": milliseconds, **given}
        self._listening = None if pooled else given
        limits = f"-c statement_timeout={milliseconds} -c lock_timeout={milliseconds} {READ_COMMITTED}"
        self.datastore.pool.kwargs = {
            **given,
            **({"prepare_threshold": None} if pooled else {}),
            "options": f"{limits} {given.get('options', '')}",
            "row_factory": dict_row,
        }
        self.datastore.pool.reconnect_timeout = AWAY_SECONDS

    def application_recorder(self) -> GameRecorder:
        """Return the recorder of games, whose table has the same name on every database."""
        try:
            with store_errors():
                recorder = GameRecorder(self.datastore, self._listening)
                if self.env_create_table():
                    recorder.create_table()
        except BaseException:
            self.close()
            raise
        return recorder


def _parsed(url: str) -> tuple[dict[str, Any], bool]:
    """Return the parameters of a URL, and whether it leads to a pooler of transactions; raise ``UnknownDatabase``.

    The error of the library may show the password.
    """
    address, _, query = url.rpartition("?") if "?" in url else (url, "", "")
    parameters = query.split("&")
    others = "&".join(parameter for parameter in parameters if parameter != POOLER)
    try:
        return conninfo_to_dict(f"{address}?{others}", connect_timeout=AWAY_SECONDS), POOLER in parameters
    except ProgrammingError:
        raise UnknownDatabase(
            "The URL of the database, which is not shown because of its password, cannot be read:"
            " use % and two hexadecimal digits for what is special in a name or a password, such as %40 for @"
        ) from None


def without_password(url: str) -> str:
    """Return the parameters of a connection as programs of PostgreSQL take them, without secrets."""
    left_out = ("password", "sslpassword", "connect_timeout")
    return make_conninfo("", **{name: value for name, value in _parsed(url)[0].items() if name not in left_out})


def environment(url: str, timeout: float) -> dict[str, str]:
    """Return the settings of the library for a server; the URL overrides those of the connection."""
    return {
        DATABASE_URL: url,
        TIMEOUT: str(timeout),
        "PERSISTENCE_MODULE": f"{__name__}:GameFactory",
        "POSTGRES_DBNAME": "",
        "POSTGRES_HOST": "",
        "POSTGRES_USER": "",
        "POSTGRES_PASSWORD": "",
        "POSTGRES_POOL_SIZE": "1",
        "POSTGRES_MAX_OVERFLOW": "9",
        "POSTGRES_CONNECT_TIMEOUT": str(AWAY_SECONDS),
        "POSTGRES_IDLE_IN_TRANSACTION_SESSION_TIMEOUT": str(ceil(timeout)),
    }
