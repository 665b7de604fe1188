"""The generated files with their contents."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from litestar.testing import AsyncTestClient

from api.http.exception_handlers import answer_unreadable, storage_unavailable, unexpected, unreadable_event
from api.http.limits import allowance_used_up
from api.http.problems import CATALOGUE, ApiProblem, body_of
from api.web.documents import DOCUMENT, OPENAPI, PAGES
from domain.records import record_schema
from domain.store import AnswerUnreadable, StorageUnavailable
from domain.stream import UnreadableEvent
from openapi.generate.board_pictures import board_pictures
from openapi.generate.client import ApiClient
from openapi.generate.examples import Examples, Guide, add_examples
from openapi.generate.operations import describe, quiet_app
from openapi.generate.problem_pages import problem_page, problems_page
from openapi.generate.reference import render
from openapi.generate.rules_page import rules_page
from openapi.generate.schemas import Schema
from openapi.generate.tour import tour

RECORD_SCHEMA = OPENAPI / "record.schema.json"


def write() -> None:
    for path, contents in current_files():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)


def current_files() -> Iterator[tuple[Path, bytes]]:
    """Yield each file with its current contents."""
    document = asyncio.run(make_document())
    yield DOCUMENT, _json(document)
    yield RECORD_SCHEMA, _json(record_schema())
    yield PAGES / "reference.html", render(document).encode()
    yield PAGES / "rules.html", rules_page().encode()
    yield PAGES / "problems.html", problems_page().encode()
    for code in CATALOGUE:
        yield PAGES / "problems" / f"{code}.html", problem_page(code).encode()
    yield from board_pictures()


async def make_document() -> Schema:
    """Return the OpenAPI document, with examples from a tour of a running application."""
    app = quiet_app()
    document, examples = describe(app), Examples()
    async with AsyncTestClient(app, raise_server_exceptions=False) as http:
        await tour(Guide(ApiClient(http, document), examples))
    for problem in (
        storage_unavailable(StorageUnavailable("")),
        unreadable_event(UnreadableEvent(7, "its digest is cut off")),
        answer_unreadable(AnswerUnreadable()),
        unexpected(RuntimeError()),
        allowance_used_up("requests", 1.5),
        ApiProblem("request_timeout", "The body was not complete after 30 s."),
    ):
        examples.problems[problem.code] = msgspec.to_builtins(body_of(problem))
    add_examples(document, examples)
    return document


def _json(document: Any) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
