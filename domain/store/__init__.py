"""The event store: it keeps tables and games as streams of events, for many callers at once."""

from domain.store import commands, webhooks
from domain.store.application import open_application, sqlite_file
from domain.store.apps import Owner, Ref, is_app_name
from domain.store.archive import EventPage, FinishedGames, UnknownEnding, audit_game
from domain.store.commands import Command
from domain.store.commit import Commit, CommitTimes, Observer, check_clock, now, stored_bytes
from domain.store.database import ReadDatabase, Statement
from domain.store.errors import (
    AnswerUnreadable,
    AppExists,
    KeyReused,
    Limits,
    NewerDatabase,
    Revoked,
    StaleVersion,
    StorageUnavailable,
    TooManyWatchers,
    TooMuchWork,
    UnknownApp,
    UnknownDatabase,
    UnknownEndpoint,
    UnknownGame,
    UnknownVersion,
    WeakKey,
    WrongClock,
    require_version,
)
from domain.store.games import CHECKPOINT_EVENTS, BoundedCache, CacheUse, LoadedGame
from domain.store.keys import SECRET_LENGTH, IdempotencyKey, require_secret
from domain.store.live import Batch, ChangedEntries, ChangedEntry, Channel
from domain.store.lobby import GameSearch
from domain.store.notices import Found, Mark, NoticePage
from domain.store.public_events import EpochChanged, PublicEvents, PublicPage, require_epoch
from domain.store.rematches import Rematch
from domain.store.rematches import ask as ask_for_rematch
from domain.store.service import GameService, open_service
from domain.store.streams import all_ids
from domain.store.tokens import FORMER, HOST, INVITE, SPECTATOR, Permission, TokenHolder
from domain.store.webhooks import Endpoint, Lease, Noted
from domain.store.work import APP, APP_FACTOR, ClientLimit, app_shares

__all__ = [
    "APP",
    "APP_FACTOR",
    "CHECKPOINT_EVENTS",
    "FORMER",
    "HOST",
    "INVITE",
    "SECRET_LENGTH",
    "SPECTATOR",
    "AnswerUnreadable",
    "AppExists",
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
    "Endpoint",
    "EpochChanged",
    "EventPage",
    "FinishedGames",
    "Found",
    "GameSearch",
    "GameService",
    "IdempotencyKey",
    "KeyReused",
    "Lease",
    "Limits",
    "LoadedGame",
    "Mark",
    "NewerDatabase",
    "Noted",
    "NoticePage",
    "Observer",
    "Owner",
    "Permission",
    "PublicEvents",
    "PublicPage",
    "ReadDatabase",
    "Ref",
    "Rematch",
    "Revoked",
    "StaleVersion",
    "Statement",
    "StorageUnavailable",
    "TokenHolder",
    "TooManyWatchers",
    "TooMuchWork",
    "UnknownApp",
    "UnknownDatabase",
    "UnknownEnding",
    "UnknownEndpoint",
    "UnknownGame",
    "UnknownVersion",
    "WeakKey",
    "WrongClock",
    "all_ids",
    "app_shares",
    "ask_for_rematch",
    "audit_game",
    "check_clock",
    "commands",
    "is_app_name",
    "now",
    "open_application",
    "open_service",
    "require_epoch",
    "require_secret",
    "require_version",
    "sqlite_file",
    "stored_bytes",
    "webhooks",
]
