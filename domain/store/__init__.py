"""The event store: tables, games and their streams, stored for good and served to many."""

from domain.store import commands
from domain.store.commit import Commit, check_clock, stored_bytes
from domain.store.errors import (
    AnswerUnreadable,
    KeyReused,
    Limits,
    NewerDatabase,
    StaleVersion,
    StorageUnavailable,
    TooManyWatchers,
    TooMuchWork,
    UnknownDatabase,
    UnknownGame,
    UnknownVersion,
    WeakKey,
    WrongClock,
    require_version,
)
from domain.store.idempotency import Answer, IdempotencyKey
from domain.store.live import Batch, ChangedEntries, ChangedEntry, Channel
from domain.store.loaded_games import CacheUse, LoadedGame
from domain.store.observer import Observer
from domain.store.service import GameService, Permit, Render, open_service
from domain.store.streams import EventPage
from domain.store.tokens import TokenHolder

__all__ = [
    "Answer",
    "AnswerUnreadable",
    "Batch",
    "CacheUse",
    "ChangedEntries",
    "ChangedEntry",
    "Channel",
    "Commit",
    "EventPage",
    "GameService",
    "IdempotencyKey",
    "KeyReused",
    "Limits",
    "LoadedGame",
    "NewerDatabase",
    "Observer",
    "Permit",
    "Render",
    "StaleVersion",
    "StorageUnavailable",
    "TokenHolder",
    "TooManyWatchers",
    "TooMuchWork",
    "UnknownDatabase",
    "UnknownGame",
    "UnknownVersion",
    "WeakKey",
    "WrongClock",
    "check_clock",
    "commands",
    "open_service",
    "require_version",
    "stored_bytes",
]
