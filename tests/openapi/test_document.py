"""The OpenAPI document is complete and has examples for everything; `make check` tests if it is current and valid."""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, get_args

import pytest
from httpx import Client
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it brings no types

from api.http.problems import CATALOGUE, MEDIA_TYPE
from api.web.documents import DOCUMENT
from domain.modules import DECIDING_PHASES, REASONS, Action, Fact
from domain.modules.milestones import CONDITIONS
from domain.table import COLOURS
from openapi.generate.closed_sets import name_of
from projections.phases import PHASES
from tests.support.documents import ROOT

CURRENT: dict[str, Any] = json.loads(DOCUMENT.read_bytes())
SCHEMAS: dict[str, Any] = CURRENT["components"]["schemas"]
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, methods in CURRENT["paths"].items()
    for method, operation in methods.items()
}
UNREADABLE = {"table_deleted"}
"""The events of a deleted table cannot be read."""

OBVIOUS = {
    *("type", "seat", "id", "name", "kind", "code", "title", "status", "help", "reason", "condition", "colour"),
    *("milestone", "milestones", "players", "seats", "regions", "expanded", "accept", "mode", "token", "host_token"),
    *("events", "version", "game", "format", "format_version", "opened", "winners"),
    *("what", "games", "boards", "bots", "records", "reference", "rules", "openapi", "problems", "live", "ready"),
}
"""Field names that need no description."""

KEYLESS = {"preview_moves", "look_up_seats", "ask_for_rematch", "stream_my_entries"}
"""POSTs that change nothing: keys are ignored there."""

RARE = {"bad_request", "table_full", "hint_unavailable"}
"""Problems that ordinary clients cannot cause."""


def test_the_server_serves_the_published_document(client: Client) -> None:
    served = client.get("/schema/openapi.json")
    assert served.content == DOCUMENT.read_bytes()
    assert client.get("/schema/openapi.json", headers={"if-none-match": served.headers["etag"]}).status_code == 304


def test_every_reference_exists() -> None:
    for reference in re.findall(r'"#/([^"]+)"', DOCUMENT.read_text(encoding="utf-8")):
        part: Any = CURRENT
        for name in reference.split("/"):
            part = part[name]


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_documented_completely(name: str) -> None:
    method, path, operation = OPERATIONS[name]
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name)
    assert operation["summary"]
    assert operation["description"]
    assert operation["tags"]
    assert "security" in operation
    responses = {status: _resolved(response) for status, response in operation["responses"].items()}
    assert {"500", "503"} <= responses.keys()
    assert ("429" in responses) == (not path.startswith("/health/"))
    takes_key = any("Idempotency" in str(parameter) for parameter in operation.get("parameters", []))
    assert ("422" in responses) == takes_key
    assert takes_key == (method == "post" and name not in KEYLESS)
    of_a_game = "{game_id}" in path or name == "stream_entries"
    assert of_a_game == ("404" in responses and "game_not_found" in responses["404"]["x-codes"])
    for status, response in responses.items():
        assert response["description"]
        assert "X-Request-Id" in response["headers"]
        if status >= "400":
            assert list(response["content"]) == [MEDIA_TYPE]
            assert {CATALOGUE[code].status for code in response["x-codes"]} == {int(status)}


def test_a_deleted_game_has_no_version() -> None:
    _, _, delete = OPERATIONS["delete_game"]
    assert set(delete["responses"]["204"]["headers"]) == {"X-Request-Id"}
    assert {"$ref": "#/components/parameters/IfMatch"} in delete["parameters"]


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_body_and_response_has_an_example(name: str) -> None:
    _, _, operation = OPERATIONS[name]
    bodies = [operation["requestBody"]] if "requestBody" in operation else []
    for part in (*bodies, *map(_resolved, operation["responses"].values())):
        for kind, media in part.get("content", {}).items():
            assert media.get("examples") or kind in ("text/html", "image/png") or name == "read_openapi", (name, kind)


def test_every_action_event_and_problem_has_an_example() -> None:
    schemas = CURRENT["components"]["schemas"]
    for kind in get_args(Action):
        assert schemas[kind.__name__]["examples"][0]["type"] == kind.__struct_config__.tag
        assert schemas[kind.__name__]["description"]
        assert schemas[kind.__name__]["additionalProperties"] is False
    for kind in get_args(Fact):
        tag = kind.__struct_config__.tag
        if tag not in UNREADABLE:
            assert schemas[f"{kind.__name__}Event"]["examples"][0]["type"] == tag
            assert schemas[f"{kind.__name__}Event"]["description"]
    assert CATALOGUE.keys() - CURRENT["components"]["examples"].keys() <= RARE | {"not_found", "method_not_allowed"}


def test_fields_have_descriptions_unless_their_names_are_obvious() -> None:
    for name, schema in CURRENT["components"]["schemas"].items():
        for field, said in schema.get("properties", {}).items():
            described = "description" in said or any("description" in part for part in said.get("anyOf", []))
            assert described or "$ref" in json.dumps(said) or field in OBVIOUS, (name, field)


@pytest.mark.parametrize(
    ("name", "field", "closed_set", "values"),
    [
        ("Summary", "phase", "Phase", PHASES),
        ("LegalMoves", "phase", "Phase", PHASES),
        ("PhaseBeganEvent", "phase", "DecidingPhase", DECIDING_PHASES),
        ("SeatTakenEvent", "colour", "Colour", COLOURS),
        ("PlayerScore", "colour", "Colour", COLOURS),
        ("MilestoneReachedEvent", "milestone", "MilestoneId", CONDITIONS),
        ("GameEntry", "status", "Status", ["open", "playing", "finished"]),
        ("Ending", "reason", "EndReason", ["red_zone", "no_expansion", "resigned"]),
        ("Ending", "decided_by", "DecidedBy", ["influence", "towns", "shared", "last_player"]),
        ("NewGameOptions", "undo", "UndoPolicy", ["turn", "agree", "free", "off"]),
        ("Problem", "code", "Code", CATALOGUE),
        ("Problem", "reason", "Reason", REASONS),
        ("PreviewRefusal", "code", "Code", CATALOGUE),
        ("Difference", "what", "Discrepancy", ["form", "version", "digest", "fact", "end", "head", "anchor"]),
    ],
)
def test_a_field_with_a_closed_set_has_a_type(name: str, field: str, closed_set: str, values: Iterable[str]) -> None:
    said = SCHEMAS[name]["properties"][field]
    assert said.get("allOf", [said])[0] == {"$ref": f"#/components/schemas/{closed_set}"}
    assert SCHEMAS[closed_set]["enum"] == list(values)


def test_every_closed_set_is_a_type() -> None:
    for path, schema in parts({"paths": CURRENT["paths"], "components": CURRENT["components"]}):
        if isinstance(schema.get("enum"), list):
            one_of_several_types = len(schema["enum"]) == 1 and path[-2] == "anyOf"
            assert one_of_several_types or path[:-1] == ("components", "schemas"), path


def test_every_object_has_properties() -> None:
    for path, schema in parts({"paths": CURRENT["paths"], "components": CURRENT["components"]}):
        if schema.get("type") == "object":
            assert schema.keys() & {"properties", "additionalProperties"}, path


def test_a_closed_set_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="red, amber, green has no name: declare it"):
        name_of(["red", "amber", "green"])


def test_only_these_fields_of_responses_are_optional() -> None:
    responses = [response for _, _, operation in OPERATIONS.values() for response in operation["responses"].values()]
    optional = {
        name: set(schema["properties"]) - set(schema["required"])
        for name in reachable([responses, CURRENT["components"]["responses"]])
        if "properties" in (schema := SCHEMAS[name])
    }
    acts = ("ActionTaken", "UndoProposed", "UndoAnswered", "Undone", "Redone")
    assert {name: fields for name, fields in optional.items() if fields and name not in ("Needed", "Had")} == {
        **{name + suffix: {"by"} for name in acts for suffix in ("", "Event")},
        "Created": {"invite"},
        "Expand": {"free_link"},
        "ExpandAgain": {"free_link"},
        "Joined": {"token"},
        "Moved": {"state"},
        "RecordedGameOptions": {"hot_seat", "invite", "hints", "turn_limit", "absent"},
        "Problem": {"reason", "rule", "needed", "had", "index", "version", "limit", "retry_after", "errors", "epoch"},
        "SeatTaken": {"bot", "reserved"},
        "SeatTakenEvent": {"bot", "reserved"},
        "TableOpened": {"rematch_of"},
        "TableOpenedEvent": {"rematch_of"},
        "RematchSeat": {"token", "host_token", "invite"},
    }


def test_games_of_the_first_release_have_all_required_fields() -> None:
    mapping = SCHEMAS["GameEvent"]["discriminator"]["mapping"]
    records = [json.loads(path.read_bytes()) for path in (ROOT / "tests/store/first_release").glob("*.record.json")]
    events = {(event["type"], *event): event for record in records for event in record["events"]}
    assert "hot_seat" not in next(event for event in events.values() if event["type"] == "game_started")["options"]
    for event in events.values():
        schema = {"$ref": mapping[event["type"]], "components": CURRENT["components"]}
        Draft202012Validator(schema).validate(event)


def test_every_option_is_optional() -> None:
    assert reachable(SCHEMAS["NewGame"]).isdisjoint(("GameOptions", "Modules"))
    for chosen, returned in (("NewGameOptions", "GameOptions"), ("NewModules", "Modules")):
        assert SCHEMAS[chosen]["required"] == []
        assert SCHEMAS[returned]["required"] == list(SCHEMAS[returned]["properties"])
        assert SCHEMAS[chosen]["properties"].keys() == SCHEMAS[returned]["properties"].keys()


def test_streams_name_the_types_of_their_events() -> None:
    for name, types in (
        ("stream_events", ["GameEvent", "Heartbeat", "Lapsed"]),
        ("stream_entries", ["GameEntry", "GameGone", "Lapsed", "ListHeartbeat"]),
        ("stream_my_entries", ["GameEntry", "GameGone", "Lapsed", "TokenRevoked", "ListHeartbeat"]),
        ("stream_all_events", ["FeedItem", "FeedHeartbeat"]),
    ):
        content = OPERATIONS[name][2]["responses"]["200"]["content"]
        assert list(content) == ["text/event-stream"]
        assert content["text/event-stream"]["schema"] == {
            "anyOf": [{"$ref": f"#/components/schemas/{type_}"} for type_ in types]
        }


def test_tagged_unions_have_discriminators() -> None:
    for name in ("Action", "GameFact", "Fact", "GameEvent"):
        union = CURRENT["components"]["schemas"][name]
        assert union["discriminator"]["propertyName"] == "type"
        assert set(union["discriminator"]["mapping"].values()) == {part["$ref"] for part in union["oneOf"]}


def test_every_refusal_of_the_domain_is_in_the_catalogue() -> None:
    for path in (ROOT / "domain").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("Refused", "_refused"):
                for argument in call.args[:2]:
                    if isinstance(argument, ast.Constant) and re.fullmatch(r"[a-z_]{4,}", str(argument.value)):
                        assert argument.value in (*CATALOGUE, *REASONS, "table", "fork"), path


def test_the_tags_are_described_and_used() -> None:
    used = {tag for _, _, operation in OPERATIONS.values() for tag in operation["tags"]}
    used |= {tag for webhook in CURRENT["webhooks"].values() for tag in webhook["post"]["tags"]}
    assert used == {tag["name"] for tag in CURRENT["tags"]}
    assert all(tag["description"] for tag in CURRENT["tags"])


def test_the_reference_is_one_self_contained_page(client: Client) -> None:
    page = client.get("/schema")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    for name, (_, path, operation) in OPERATIONS.items():
        assert f"id='{name}'" in page.text
        assert path in page.text
        assert operation["operationId"] in page.text
    for anchor in re.findall(r"href='#([^']+)'", page.text):
        assert f"id='{anchor}'" in page.text, anchor
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page.text)
    assert "@import" not in page.text
    assert "url(" not in page.text


def parts(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Every object in a part of the document except examples, with its path."""
    if isinstance(part, dict):
        yield path, part
    for key, inner in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        if key not in ("example", "examples"):
            yield from parts(inner, (*path, str(key)))


def reachable(part: Any) -> set[str]:
    """The types that a part of the document references, directly or indirectly."""
    found: set[str] = set()
    waiting = [part]
    while waiting:
        references = (schema["$ref"] for _, schema in parts(waiting.pop()) if isinstance(schema.get("$ref"), str))
        names = {ref.rpartition("/")[2] for ref in references if ref.startswith("#/components/schemas/")} - found
        found |= names
        waiting += [SCHEMAS[name] for name in names]
    return found


def _resolved(part: Any) -> Any:
    if "$ref" not in part:
        return part
    _, _, kind, name = part["$ref"].split("/")
    return CURRENT["components"][kind][name]
