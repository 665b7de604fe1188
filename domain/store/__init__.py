"""The event store: it keeps tables and games as streams of events, for many callers at once."""

from domain.store import commands
from domain.store.application import open_application, sqlite_file
from domain.store.archive import EventPage, FinishedGames, UnknownEnding, audit_game
from domain.store.commands import Command
from domain.store.commit import Commit, CommitTimes, Observer, check_clock, now, stored_bytes
from domain.store.database import ReadDatabase
from domain.store.errors import (
    AnswerUnreadable,
    KeyReused,
    Limits,
    NewerDatabase,
    Revoked,
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
from domain.store.games import CHECKPOINT_EVENTS, BoundedCache, CacheUse, LoadedGame
from domain.store.keys import SECRET_LENGTH, IdempotencyKey, require_secret
from domain.store.live import Batch, ChangedEntries, ChangedEntry, Channel
from domain.store.public_events import EpochChanged, PublicEvents, PublicPage, require_epoch
from domain.store.rematches import Rematch
from domain.store.rematches import ask as ask_for_rematch
from domain.store.service import GameService, open_service
from domain.store.streams import all_ids
from domain.store.tokens import FORMER, HOST, INVITE, SPECTATOR, Permission, TokenHolder
from domain.store.work import ClientLimit

__all__ = [
    "CHECKPOINT_EVENTS",
    "FORMER",
    "HOST",
    "INVITE",
    "SECRET_LENGTH",
    "SPECTATOR",
    "AnswerUnreadable",
    "Batch",
    "BoundedCache",
    "CacheUse",
    "ChangedEntries",
    "ChangedEntry",
    "Channel",
    "ClientLimit",
    "Command",
    "Commit",
    "CommitTimes",
    "EpochChanged",
    "EventPage",
    "FinishedGames",
    "GameService",
    "IdempotencyKey",
    "KeyReused",
    "Limits",
    "LoadedGame",
    "NewerDatabase",
    "Observer",
    "Permission",
    "PublicEvents",
    "PublicPage",
    "ReadDatabase",
    "Rematch",
    "Revoked",
    "StaleVersion",
    "StorageUnavailable",
    "TokenHolder",
    "TooManyWatchers",
    "TooMuchWork",
    "UnknownDatabase",
    "UnknownEnding",
    "UnknownGame",
    "UnknownVersion",
    "WeakKey",
    "WrongClock",
    "all_ids",
    "ask_for_rematch",
    "audit_game",
    "check_clock",
    "commands",
    "now",
    "open_application",
    "open_service",
    "require_epoch",
    "require_secret",
    "require_version",
    "sqlite_file",
    "stored_bytes",
]
