"""The types of the document, grouped for readers."""

import json
from collections.abc import Iterator
from html import escape

from openapi.generate.markdown import blocks
from openapi.generate.reading import kind, table, text, typed
from openapi.generate.schemas import REF, Schema

Groups = dict[str, list[str]]

FACTS = "Facts"

_OPTIONS = ("NewGameOptions", "GameOptions")

_TEXTS = {
    "Actions": "The actions of players: the body of `play_move`, and the items of `list_legal_moves`.",
    "Options": "The options of a game. In requests (`New...`), most fields are optional. Responses have all fields.",
    "Bodies": "The other request bodies.",
    "Events": "The stored events of a game.",
    FACTS: "The events of a preview. They are not stored, so they have no version, no time and no digest.",
    "Problems": "The reasons why a request was refused. The codes are listed above.",
    "Views": "The responses, and the types in them.",
}


def grouped(document: Schema) -> Groups:
    """Return the names of all types, each in the first group that has it."""
    schemas = document["components"]["schemas"]
    claims: Groups = {
        "Actions": ["Action", *_members(schemas["Action"])],
        "Options": [name for options in _OPTIONS for name in (options, *_within(schemas, options))],
        "Bodies": list(_bodies(document)),
        "Events": ["GameEvent", *_members(schemas["GameEvent"])],
        FACTS: ["GameFact", "Fact", *_members(schemas["Fact"])],
        "Problems": ["Problem", *_within(schemas, "Problem"), "ProblemKinds", *_within(schemas, "ProblemKinds")],
        "Views": list(schemas),
    }
    claimed: set[str] = set()
    groups: Groups = {}
    for group, names in claims.items():
        groups[group] = [name for name in dict.fromkeys(names) if name not in claimed]
        claimed.update(names)
    return groups


def _members(union: Schema) -> list[str]:
    return [part["$ref"].removeprefix(REF) for part in union["oneOf"]]


def _bodies(document: Schema) -> Iterator[str]:
    for methods in document["paths"].values():
        for operation in methods.values():
            for media in operation.get("requestBody", {}).get("content", {}).values():
                yield from _referred(media["schema"])


def _within(schemas: Schema, name: str) -> Iterator[str]:
    """Yield all types in a type."""
    for part in _referred(schemas[name]):
        yield part
        yield from _within(schemas, part)


def _referred(schema: object) -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from _referred(part)
    elif isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(REF)
        for key, part in schema.items():
            if key not in ("examples", "discriminator"):
                yield from _referred(part)


def types(document: Schema, groups: Groups) -> Iterator[str]:
    schemas = document["components"]["schemas"]
    for group, names in groups.items():
        yield f"<h2 id='types-{group.lower()}'>{group}</h2>{blocks(_TEXTS[group])}"
        links = "".join(f"<li><a href='#{name}'>{name}</a>" for name in names)
        yield f"<ul class='index'>{links}</ul>"
        for name in names:
            is_fact = group == FACTS and f"{name}Event" in schemas
            yield f"<section class='type' id='{name}'><h3>{name}</h3>"
            yield _fact(name) if is_fact else _type(schemas[name])
            yield "</section>"


def _fact(name: str) -> str:
    return f"<p>The same as <a href='#{name}Event'>{name}Event</a>, without version, time and digest."


def _type(schema: Schema) -> str:
    examples = (f"<pre>{escape(json.dumps(value, ensure_ascii=False))}</pre>" for value in schema.get("examples", []))
    return "".join(
        [
            blocks(schema.get("description", "")),
            f"<p>{kind(schema)}" if "enum" in schema else "",
            table(("Field", "Type", "Description"), _fields(schema)),
            *examples,
        ]
    )


def _fields(schema: Schema) -> Iterator[tuple[str, ...]]:
    for name, field in schema.get("properties", {}).items():
        note = "" if name in schema.get("required", []) else "optional"
        yield f"<code>{escape(name)}</code>", typed(field, note), text(field)
