"""The catalogue of problems: the status, the title and the help of each code."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from litestar.plugins.problem_details import ProblemDetailsException
from msgspec import UNSET, Meta, UnsetType

from api.settings import Settings
from domain.modules import Had, Needed, Reason
from domain.player_names import MAX_LENGTH

MEDIA_TYPE = "application/problem+json"
RULE_PATTERN = r"^(R[0-9]+(\.[0-9]+)?|table|fork|undo:(turn|agree|free|off))$"

LONGEST_DETAIL = 500
LONGEST_QUOTE = 100


def shortened(text: str, most: int = LONGEST_QUOTE) -> str:
    """Return the beginning of a client's text, short enough to be quoted."""
    return text if len(text) <= most else f"{text[:most]}..."


class CatalogueEntry(msgspec.Struct, frozen=True):
    """The status, the title and the help of a problem code."""

    status: int
    title: str
    help: str


_LIMITS = Settings()
_VALUES = {"body_kib": _LIMITS.body_limit >> 10, "record_mib": _LIMITS.record_limit >> 20, "name_length": MAX_LENGTH}

CATALOGUE: dict[str, CatalogueEntry] = {
    code: CatalogueEntry(entry["status"], entry["title"], entry["help"].format(**_VALUES))
    for code, entry in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}
"""All problems by code, in the order of ``problems.toml``."""

Code = Annotated[str, Meta(description="The kind of problem.", extra_json_schema={"enum": list(CATALOGUE)})]


class FieldError(msgspec.Struct, frozen=True):
    """A part of the request that is invalid, and the reason."""

    where: Annotated[
        str, Meta(description="A path in the body such as `$.players[0]`, or the name of a parameter or header.")
    ]
    what: Annotated[str, Meta(description="The reason.")]


_REASON = Meta(description="The reason why an action is illegal. It is stable, like `code`.")
_RULE = Meta(
    description="The number of the rule that forbids the action; `/rules#R4.1` shows rule R4.1. If no rule of the game "
    "forbids it: `table` (the state of the table, such as its players), `undo:turn`, `undo:agree`, `undo:free` or "
    "`undo:off` (the option `undo`), or `fork` (the versions at which a fork may begin).",
    pattern=RULE_PATTERN,
)


LimitName = Annotated[
    Literal["requests", "seats", "storage", "streams", "work", "connections"],
    Meta(
        description="`requests`: requests per minute, by cost. `seats`: seats per hour. `storage`: bytes per hour. "
        "`streams`: open streams and long polls. `work`: queued audits, exports, imports, forks, hints and images. "
        "`connections`: open connections, limited by a proxy."
    ),
]


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """The reason why a request was refused (RFC 9457). Programs should use `code`, which is stable, not the texts."""

    type: Annotated[str, Meta(description="The path of a page that explains the code.")]
    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    code: Code
    detail: Annotated[str, Meta(description="The reason for this refusal in a sentence. Show it to people.")]
    reason: Annotated[Reason, _REASON] | UnsetType = UNSET
    rule: Annotated[str, _RULE] | UnsetType = UNSET
    needed: Needed | UnsetType = UNSET
    had: Had | UnsetType = UNSET
    index: (
        Annotated[int, Meta(ge=0, description="In a list of actions: the position of the first one refused, from 0.")]
        | UnsetType
    ) = UNSET
    version: Annotated[int, Meta(description="The current version of the game.")] | UnsetType = UNSET
    epoch: Annotated[str, Meta(description="The current epoch of all events.")] | UnsetType = UNSET
    limit: Annotated[LimitName, Meta(description="Of a 429: the limit that was reached.")] | UnsetType = UNSET
    retry_after: (
        Annotated[
            int | None,
            Meta(description="Of a 429: try again after this many seconds. Null: waiting alone does not help."),
        ]
        | UnsetType
    ) = UNSET
    errors: Annotated[tuple[FieldError, ...], Meta(description="The invalid parts of the request.")] | UnsetType = UNSET


class ApiProblem(ProblemDetailsException):
    """A refused request; the response is the problem of this code."""

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


def body_of(problem: ApiProblem) -> dict[str, Any]:
    """Return a problem as litestar's plugin sends it."""
    members: Any = problem.extra
    head = {"status": problem.status_code, "type": problem.type_, "title": problem.title, "detail": problem.detail}
    return {**head, **members}
