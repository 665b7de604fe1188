"""The reference page contains the whole document, in groups, with valid links."""

import json
import re
from typing import Any

import pytest
from httpx import Client

from api.http.problems import CATALOGUE
from api.web.documents import DOCUMENT
from openapi.generate.reading import kind, limits, resolved, text
from openapi.generate.reference import render
from openapi.generate.types import grouped

CURRENT: dict[str, Any] = json.loads(DOCUMENT.read_bytes())
OPERATIONS = [
    (method.upper(), path, operation)
    for path, methods in CURRENT["paths"].items()
    for method, operation in methods.items()
]
PAGE = render(CURRENT)
NAVIGATION = PAGE.partition("<nav ")[2].partition("</nav>")[0]


def section(name: str) -> str:
    """The text about an operation or a type."""
    return re.split(r"id='" + name + "'", PAGE, maxsplit=1)[1].partition("</section>")[0]


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=lambda part: str(part)[:30])
def test_the_contents_name_every_operation_with_method_and_path(method: str, path: str, operation: Any) -> None:
    entry = NAVIGATION.partition(f"href='#{operation['operationId']}'>")[2].partition("</a>")[0]
    assert re.sub("<[^>]+>", "", entry) == f"{operation['summary']}{method} {path}".replace("'", "&#x27;")


def test_the_headers_of_every_response_are_explained() -> None:
    for _, _, operation in OPERATIONS:
        shown = section(operation["operationId"])
        for response in operation["responses"].values():
            for name in resolved(CURRENT, response).get("headers", {}):
                assert f"href='#header-{name}'" in shown
                assert f"id='header-{name}'" in PAGE


def test_every_code_links_to_its_explanation(client: Client) -> None:
    linked = set(re.findall(r"href='/problems/(\w+)'", PAGE))
    assert linked == set(CATALOGUE)
    for code in linked:
        assert client.get(f"/problems/{code}").is_success


def test_every_link_is_valid(client: Client) -> None:
    anchors = re.findall(r"\bid='([^']+)'", PAGE)
    assert len(anchors) == len(set(anchors))
    for anchor in re.findall(r"href='#([^']+)'", PAGE):
        assert anchor in anchors
    for path in set(re.findall(r"href='(/[^'#]*)", PAGE)):
        assert client.get(path).is_success, path


def test_every_type_is_in_one_group() -> None:
    groups = grouped(CURRENT)
    names = [name for group in groups.values() for name in group]
    assert sorted(names) == sorted(CURRENT["components"]["schemas"])
    assert {"Action", "Expand", "Resign"} <= set(groups["Actions"])
    assert {"GameEvent", "ExpandedEvent"} <= set(groups["Events"])
    assert {"NewGameOptions", "NewModules", "Draft", "ChosenTiles", "GameOptions", "Modules", "UndoPolicy"} <= set(
        groups["Options"]
    )
    assert {"Problem", "FieldError"} <= set(groups["Problems"])
    assert {"NewGame", "UndoAnswer"} <= set(groups["Bodies"])
    assert {"Fact", "GameFact", "Expanded", "TableOpened"} <= set(groups["Facts"])
    assert {"BoardView", "PlayerScore", "LegalMove"} <= set(groups["Views"])


@pytest.mark.parametrize(
    ("name", "field", "type_"),
    [
        ("NewGame", "options", "NewGameOptions"),
        ("NewGameOptions", "modules", "NewModules"),
        ("GameOptions", "modules", "Modules"),
        ("PlayerScore", "influence_from", "Earned"),
        ("PlayerScore", "next_income", "NextIncome"),
    ],
)
def test_a_field_links_to_its_type(name: str, field: str, type_: str) -> None:
    assert re.search(rf"<code>{field}</code><td><a href='#{type_}'>{type_}</a>", section(name))


def test_no_field_has_the_type_any() -> None:
    assert not re.findall(r"<td><code>(\w+)</code><td>anything", PAGE)


def test_defaults_and_ranges_are_shown() -> None:
    assert "2 to 5" in section("NewGame")
    assert "default <code>50</code>, 1 to 200" in section("list_games")
    assert "up to 5 entries, each 1 to 40 characters" in section("NewGame")
    assert limits({"type": "integer", "minimum": 1}) == "from 1"
    assert limits({"type": "string", "default": "turn", "pattern": "^a$"}) == (
        "default <code>&quot;turn&quot;</code>, matches <code>^a$</code>"
    )
    assert limits({"anyOf": [{"type": "integer", "maximum": 9}, {"type": "null"}], "default": None}) == "up to 9"


def test_short_names_of_types() -> None:
    assert kind({"allOf": [{"$ref": "#/components/schemas/Modules"}]}) == "<a href='#Modules'>Modules</a>"
    assert kind({"type": "string", "const": "expand"}) == "<code>&quot;expand&quot;</code>"
    assert kind({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}) == (
        "list of integer or null"
    )
    assert kind({"type": "object", "additionalProperties": {"type": "string"}}) == "map to string"
    assert kind({}) == "anything"
    assert text({"anyOf": [{"type": "integer", "description": "The `link`."}]}) == "The <code>link</code>."
