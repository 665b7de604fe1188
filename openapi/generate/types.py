"""The types of the document in groups, as a reader looks for them."""

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
    "Actions": "What a player can decide: the body of `play_move`, the entries of `list_legal_moves`.",
    "Options": "How a game is played: what the host chooses when it is created (`New...`), and what is answered, "
    "with all that the host left out.",
    "Bodies": "What else is sent.",
    "Events": "What has happened, as it stands in the stream for ever.",
    FACTS: "What would happen, in a preview: events that are not stored, and so have no version, time and digest.",
    "Problems": "Why something was not done. The codes are listed above.",
    "Views": "What is answered, and what that is made of.",
}


def grouped(document: Schema) -> Groups:
    """Return the names of all types, each in the first group that claims it."""
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
    """Yield every type that a type is made of."""
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
    """Yield every type under its group."""
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
    return f"<p>As <a href='#{name}Event'>{name}Event</a>, without its version, time and digest."


def _type(schema: Schema) -> str:
    examples = (f"<pre>{escape(json.dumps(value, ensure_ascii=False))}</pre>" for value in schema.get("examples", []))
    return "".join(
        [
            blocks(schema.get("description", "")),
            f"<p>{kind(schema)}" if "enum" in schema else "",
            table(("Field", "Type", "What"), _fields(schema)),
            *examples,
        ]
    )


def _fields(schema: Schema) -> Iterator[tuple[str, ...]]:
    for name, field in schema.get("properties", {}).items():
        note = "" if name in schema.get("required", []) else "may be left out"
        yield f"<code>{escape(name)}</code>", typed(field, note), text(field)
