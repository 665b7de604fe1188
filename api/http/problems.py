"""The catalogue of problems: every code with its status, its title and what to do about it."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from litestar.plugins.problem_details import ProblemDetailsException
from msgspec import UNSET, Meta, UnsetType

from api.settings import Settings
from domain.player_names import MAX_LENGTH

MEDIA_TYPE = "application/problem+json"
RULE_PATTERN = r"^(R[0-9]+(\.[0-9]+)?|table|fork|undo:(turn|agree|free|off))$"

LONGEST_DETAIL = 500
LONGEST_QUOTE = 100


def shortened(text: str, most: int = LONGEST_QUOTE) -> str:
    """Return the beginning of a text that a client sent, short enough to be repeated."""
    return text if len(text) <= most else f"{text[:most]}..."


class FieldError(msgspec.Struct, frozen=True):
    """A part of the request that does not fit, and why."""

    where: Annotated[str, Meta(description="A path such as `$.players[0]`, or the name of a parameter.")]
    what: str


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """The reason why a request was refused (RFC 9457). `code` is stable: write programs against it, not the texts."""

    type: Annotated[str, Meta(description="Where this code is explained.")]
    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    code: str
    detail: Annotated[str, Meta(description="What went wrong this time.")]
    reason: (
        Annotated[str, Meta(description="Of an illegal action: what makes it illegal, as stable as `code`.")]
        | UnsetType
    ) = UNSET
    rule: (
        Annotated[
            str,
            Meta(
                description="The number of the rule that forbids the action, as at `/rules#R4.1`. Or what forbids it "
                "is no rule of the game but what the table has agreed: `table` (who sits there, whether play has "
                "begun), `undo:turn`, `undo:agree`, `undo:free` or `undo:off` (its option `undo`), `fork` (where a "
                "fork may begin).",
                pattern=RULE_PATTERN,
            ),
        ]
        | UnsetType
    ) = UNSET
    needed: Annotated[dict[str, Any], Meta(description="What the action would have needed.")] | UnsetType = UNSET
    had: Annotated[dict[str, Any], Meta(description="What there was instead.")] | UnsetType = UNSET
    version: Annotated[int, Meta(description="The current version of the game.")] | UnsetType = UNSET
    errors: Annotated[tuple[FieldError, ...], Meta(description="What does not fit.")] | UnsetType = UNSET


class CatalogueEntry(msgspec.Struct, frozen=True):
    """A kind of problem: its status, its title and what to do about it."""

    status: int
    title: str
    help: str


class ApiProblem(ProblemDetailsException):
    """A refused request, answered with the problem of this code."""

    def __init__(self, code: str, detail: str, headers: Mapping[str, str] | None = None, **members: Any) -> None:
        entry = CATALOGUE[code]
        challenge = {"WWW-Authenticate": "Bearer"} if entry.status == 401 else {}
        super().__init__(
            detail=shortened(detail, LONGEST_DETAIL),
            status_code=entry.status,
            type_=f"/problems/{code}",
            title=entry.title,
            headers={**challenge, **(headers or {})},
            extra={"code": code, **members},
        )
        self.code = code


_DEFAULTS = Settings()

CATALOGUE: dict[str, CatalogueEntry] = {
    # the request itself
    "malformed_json": CatalogueEntry(
        400, "The body is not JSON", "Send one JSON value in UTF-8, without lone surrogates."
    ),
    "invalid_body": CatalogueEntry(
        400,
        "The body does not fit",
        "`errors` says which field and why. Unknown fields are refused too, so that a misspelt one is noticed; of a "
        "field that is there twice, the last one counts.",
    ),
    "invalid_name": CatalogueEntry(
        400,
        "The name cannot be used",
        f"A name has 1 to {MAX_LENGTH} visible characters; spaces around it are dropped and it is normalised (NFC).",
    ),
    "invalid_options": CatalogueEntry(
        400,
        "The options contradict each other",
        "`detail` says which. Every option, the expert variant and the expansions are explained at `/schema#Options`.",
    ),
    "invalid_parameter": CatalogueEntry(
        400, "A parameter does not fit", "`errors` names the parameter and says why. Unknown ones are refused too."
    ),
    "invalid_cursor": CatalogueEntry(
        400, "The cursor is not one of ours", "Send `next` of the page before as it was, or none for the first page."
    ),
    "invalid_header": CatalogueEntry(400, "A header does not fit", "`errors` names the header and says why."),
    "bad_request": CatalogueEntry(400, "The request is not understood", "`detail` says why."),
    # who is asking
    "token_missing": CatalogueEntry(
        401, "A token is needed", "Send `Authorization: Bearer <token>` with the token of a seat or of the host."
    ),
    "token_unknown": CatalogueEntry(
        401, "The token is not known", "It was mistyped, or the host has issued a new one for the seat."
    ),
    "foreign_token": CatalogueEntry(
        403, "The token belongs to another game", "Each token opens the one game it was made for."
    ),
    "host_only": CatalogueEntry(
        403, "Only the host may do this", "Send the host's token, which came with the creation."
    ),
    "players_only": CatalogueEntry(
        403,
        "Only a player may do this",
        "Send the token of a seat. The host plays every seat only where `undo` is `free` (hot seat).",
    ),
    # what is not there
    "not_found": CatalogueEntry(
        404, "There is nothing here", "The paths are listed at `/v1` and explained at `/schema`."
    ),
    "game_not_found": CatalogueEntry(404, "There is no such game", "It never existed, or its host has deleted it."),
    "version_not_found": CatalogueEntry(
        404, "The game has no such version", "Versions count from 1; `version` is the newest one."
    ),
    "unknown_seat": CatalogueEntry(404, "There is no such seat", "Nobody sits there, or the table has fewer seats."),
    "board_not_found": CatalogueEntry(404, "There is no such board", "The boards are listed at `/v1/boards`."),
    "problem_not_found": CatalogueEntry(404, "There is no such problem", "The codes are listed at `/problems`."),
    "method_not_allowed": CatalogueEntry(
        405, "The path does not know this method", "The header `Allow` lists those it knows."
    ),
    # the moment
    "not_your_turn": CatalogueEntry(
        409, "It is another player's turn", "`to_play` of the summary says whose turn it is."
    ),
    "illegal_action": CatalogueEntry(
        409,
        "The rules forbid this action",
        "`reason`, `rule`, `needed` and `had` say why; `list_legal_moves` tells what is possible. The rules stand at "
        "`/rules`, each at its number: `/rules#R4.1`.",
    ),
    "resigned": CatalogueEntry(409, "The player has left the game", "Who has resigned decides nothing more."),
    "game_over": CatalogueEntry(409, "The game is over", "A finished game can be read, and forked at any version."),
    "not_started": CatalogueEntry(
        409, "The game has not started", "It starts when the table is full, or when the host says so."
    ),
    "already_started": CatalogueEntry(
        409, "The game has started", "Start, close and delete are for tables that are open."
    ),
    "too_few_players": CatalogueEntry(409, "There are too few players", "At least two must sit at the table."),
    "options_unfit": CatalogueEntry(
        409,
        "The options do not fit so few players",
        "`detail` says which. Wait until the table is full, or open another one with other options.",
    ),
    "table_full": CatalogueEntry(409, "All seats are taken", "Look for another table with `status=open`."),
    "table_closed": CatalogueEntry(409, "Nobody else may sit down", "The host has closed the table."),
    "name_taken": CatalogueEntry(
        409, "Somebody at the table has this name", "Names differ within a game, capitals aside."
    ),
    "undo_off": CatalogueEntry(409, "This game knows no undo", "Its option `undo` is `off`."),
    "undo_past_turn_start": CatalogueEntry(
        409, "That is before your turn", "With `undo: turn` you go back to the start of your own turn at most."
    ),
    "undo_proposed": CatalogueEntry(
        409, "A proposal is open", "It is answered first; the summary shows who has yet to."
    ),
    "no_proposal": CatalogueEntry(409, "No undo is proposed", "There is nothing to answer."),
    "already_answered": CatalogueEntry(409, "You have answered already", "The others have yet to."),
    "own_proposal": CatalogueEntry(409, "You proposed it yourself", "The other players answer."),
    "nothing_to_undo": CatalogueEntry(409, "There is nothing to take back", "No action has been taken yet."),
    "nothing_to_redo": CatalogueEntry(
        409, "There is nothing to put back", "Nothing was taken back since the last action."
    ),
    "not_a_boundary": CatalogueEntry(
        409, "No action begins there", "Name a version right before an action; `needed` has the nearest one."
    ),
    "stale_version": CatalogueEntry(
        412, "The game has moved on", "`version` is the current one: read again what changed, then decide again."
    ),
    # too much
    "body_too_large": CatalogueEntry(
        413,
        "The body is too large",
        f"{_DEFAULTS.body_limit // 1024} KiB is enough for everything, {_DEFAULTS.record_limit // 1024**2} MiB for a "
        "record.",
    ),
    "request_timeout": CatalogueEntry(
        408, "The body did not arrive in time", "Send the whole body within a few seconds, or try again."
    ),
    "unsupported_media_type": CatalogueEntry(
        415, "The body has to be JSON", "Send `Content-Type: application/json`, unpacked."
    ),
    "record_rejected": CatalogueEntry(
        422, "The record does not hold", "`detail` says where it was changed or contradicts the rules."
    ),
    "key_reused": CatalogueEntry(
        422,
        "The key was used for another request",
        "An `Idempotency-Key` stands for one request: a new request needs a new key.",
    ),
    "too_many_requests": CatalogueEntry(429, "Too many requests", "Wait the seconds that `Retry-After` says."),
    # our side
    "internal_error": CatalogueEntry(
        500,
        "This is our fault",
        "It is logged under the `X-Request-Id` of the answer. Repeating is safe with an `Idempotency-Key`.",
    ),
    "game_unreadable": CatalogueEntry(
        503,
        "The stored game is damaged",
        "Its events were changed or lost outside of this program. `audit_game` says where; everything else about the "
        "game has to wait until its events are restored.",
    ),
    "storage_unavailable": CatalogueEntry(
        503,
        "The storage is away",
        "Try again after the seconds that `Retry-After` says, with the same `Idempotency-Key`: what was being "
        "written may or may not be stored by now.",
    ),
}
