"""About the server: where to begin, is it well, what does a problem mean."""

from html import escape

import msgspec
from litestar import Controller, get

from api.conventions.answers import HTML, Answer, encode
from api.conventions.desk import club_of
from api.conventions.operation import Operation
from api.conventions.problems import CATALOGUE, REASONS, Entry, Failure
from api.conventions.requests import Call
from api.description.frame import framed
from api.description.markdown import inline


class Links(msgspec.Struct, frozen=True):
    """Where to go from here; in braces what to fill in."""

    games: str = "/v1/games"
    game: str = "/v1/games/{game_id}"
    boards: str = "/v1/boards"
    records: str = "/v1/records"
    reference: str = "/schema"
    rules: str = "/rules"
    openapi: str = "/schema/openapi.json"
    problems: str = "/problems"
    live: str = "/health/live"
    ready: str = "/health/ready"


class Welcome(msgspec.Struct, frozen=True):
    """What this is, and where everything is."""

    name: str
    links: Links


class Health(msgspec.Struct, frozen=True):
    """The server is well."""

    status: str


class ProblemKind(msgspec.Struct, frozen=True):
    """A kind of problem: its code, its status, and what to do about it."""

    code: str
    status: int
    title: str
    help: str


class Reason(msgspec.Struct, frozen=True):
    """Why an action is illegal."""

    reason: str
    title: str


class ProblemKinds(msgspec.Struct, frozen=True):
    """Everything that can go wrong."""

    problems: tuple[ProblemKind, ...]
    reasons: tuple[Reason, ...]


class Service(Controller):
    """The server itself."""

    tags = ("service",)

    @get(
        ["/", "/v1"],
        operation_id="welcome",
        summary="Where everything is",
        opt={"operation": Operation(answer="Links.", gives=Welcome)},
    )
    async def welcome(self, request: Call) -> Answer:
        """The way in for programs that follow links, and for whoever typed in the address."""
        return Answer(encode(Welcome("Franchise engine", Links())))

    @get(
        "/health/live",
        operation_id="check_live",
        summary="Is the server running?",
        opt={"operation": Operation(answer="It is.", gives=Health)},
    )
    async def check_live(self, request: Call) -> Answer:
        """Whether the process answers at all; it says nothing about the storage. If this fails, start it again."""
        return Answer(encode(Health("live")))

    @get(
        "/health/ready",
        operation_id="check_ready",
        summary="Can the server do its work?",
        opt={"operation": Operation(answer="It can.", gives=Health)},
    )
    async def check_ready(self, request: Call) -> Answer:
        """Whether the storage answers right now. If this fails, send requests to another process, and wait."""
        await club_of(request).ready()
        return Answer(encode(Health("ready")))

    @get(
        "/problems",
        operation_id="list_problems",
        summary="Everything that can go wrong",
        opt={"operation": Operation(answer="Every code.", gives=ProblemKinds)},
    )
    async def list_problems(self, request: Call) -> Answer:
        """All codes of problems with what they mean, and all reasons for which an action can be illegal."""
        kinds = tuple(ProblemKind(code, entry.status, entry.title, entry.help) for code, entry in CATALOGUE.items())
        reasons = tuple(Reason(reason, title) for reason, title in REASONS.items())
        return Answer(encode(ProblemKinds(kinds, reasons)))

    @get(
        "/problems/{code:str}",
        operation_id="explain_problem",
        summary="What a problem means",
        opt={
            "operation": Operation(
                answer="A page about it.", gives=str, media_type="text/html", problems=("problem_not_found",)
            )
        },
    )
    async def explain_problem(self, request: Call) -> Answer:
        """The page that the `type` of a problem leads to."""
        code: str = request.path_params["code"]
        entry = CATALOGUE.get(code)
        if entry is None:
            raise Failure("problem_not_found", "There is no such problem.")
        return Answer(_page(code, entry).encode(), media_type=HTML)


def _page(code: str, entry: Entry) -> str:
    more = "".join(f"<dt><code>{reason}</code><dd>{inline(title)}" for reason, title in REASONS.items())
    reasons = f"<h2>Reasons</h2><dl>{more}</dl>" if code == "illegal_action" else ""
    told = f"<h1>{escape(entry.title)}</h1><p><code>{code}</code>, status {entry.status}</p><p>{inline(entry.help)}</p>"
    others = "".join(f"<a href='/problems/{other}'>{other}</a>" for other in CATALOGUE)
    return framed("Problems", others, told + reasons)
