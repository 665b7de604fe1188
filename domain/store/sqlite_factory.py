"""The factory of the recorder of games in SQLite."""

from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteFactory
from eventsourcing.utils import Environment, EnvType

from domain.store.sqlite import GameDatastore, GameRecorder

TIMEOUT = "DATABASE_TIMEOUT"
"""The name under which the factory finds the seconds to wait for other processes to finish writing."""


class GameFactory(SQLiteFactory):
    """The factory for the file that ``SQLITE_DBNAME`` names."""

    application_recorder_class: type[SQLiteApplicationRecorder] = GameRecorder

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        self.datastore = GameDatastore(self.datastore.pool.db_name, float(self.env.get(TIMEOUT, "10")))


def environment(path: str, timeout: float) -> dict[str, str]:
    """Return the settings of the library for a file, or for a database in memory."""
    return {"PERSISTENCE_MODULE": f"{__name__}:GameFactory", "SQLITE_DBNAME": path, TIMEOUT: str(timeout)}
