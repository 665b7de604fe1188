"""The OpenAPI document as it is kept in the repository: the description with examples from a running application."""

import asyncio
import json
from itertools import zip_longest
from pathlib import Path

import msgspec

from api.app import create_app
from api.conventions.errors import as_failure
from api.conventions.limits import come_back
from api.description.describe import describe
from api.description.examples import Examples, Guide, add_examples
from api.description.schemas import Schema
from api.description.tour import tour
from api.description.visitor import Visitor
from api.resources.reference import PATH
from api.settings import Settings
from domain.application import StorageAway
from domain.stream import UnreadableEvent


def write(path: Path = PATH) -> None:
    """Make the document anew."""
    path.write_bytes(make())


def check(path: Path = PATH) -> str | None:
    """What has changed since the document was written, None if nothing has."""
    if not path.exists():
        return f"{path} is missing"
    kept, current = path.read_bytes(), make()
    if kept == current:
        return None
    for number, (old, new) in enumerate(zip_longest(kept.splitlines(), current.splitlines(), fillvalue=b""), 1):
        if old != new:
            was, now = old.decode().strip(), new.decode().strip()
            return f"{path.name} is not current from line {number} on: {was!r} is {now!r} now"
    return f"{path.name} is not current in its line ends"


def make() -> bytes:
    """The document of the application as it is now."""
    return (json.dumps(asyncio.run(_make()), indent=1, ensure_ascii=False) + "\n").encode()


async def _make() -> Schema:
    app = create_app(Settings(database_url="memory:", log_level="error", rate_limit=0))
    document, examples = describe(app), Examples()
    async with app.lifespan():
        await tour(Guide(Visitor(app, document), examples))
    for accident in (
        StorageAway(""),
        UnreadableEvent(7, "its digest is cut off"),
        RuntimeError(),
        come_back(1.5),
    ):
        problem = as_failure(accident).problem
        examples.problems[problem.code] = msgspec.to_builtins(problem)
    add_examples(document, examples)
    return document
