"""The types of the wire as JSON Schema, for the OpenAPI document.

msgspec describes its own Structs: discriminators of tagged unions, docstrings, refused unknown fields. What is added
here: unions that clients meet by name have a name, events have their envelope, and answers tell what is always there.
"""

from collections.abc import Iterable, Iterator
from inspect import cleandoc
from typing import Any, get_args

import msgspec
from msgspec import UNSET, inspect

from domain.modules import Action, Fact, GameFact

Schema = dict[str, Any]

REF = "#/components/schemas/"

_UNIONS = {
    "Action": (Action, "What a player can decide, told apart by `type`."),
    "Fact": (GameFact, "What can happen in a game, told apart by `type`: an event that is not stored."),
}


_EVENT = "Something that happened at a table, told apart by `type`: the fact, its position and its time."


class Types:
    """The schemas of everything that clients send and get."""

    def __init__(self, sent: Iterable[Any], answered: Iterable[Any]) -> None:
        self._sent, self._answered = list(sent), list(answered)
        unions = [kind for kind, _ in _UNIONS.values()]
        everything = [*unions, *self._sent, *self._answered, Fact]
        schemas, components = msgspec.json.schema_components(everything, ref_template=REF + "{name}")
        self._unions = dict(zip(_UNIONS, schemas, strict=False))
        self._schemas = schemas[len(unions) :]
        self.components: Schema = {name: self._finished(name, schema) for name, schema in components.items()}
        self.components |= {name: self._union(name) for name in _UNIONS}
        self._say_what_is_always_there()
        self._say_what_depends_on_what()
        self.components |= self._events()
        self.components["GameRecord"]["properties"]["events"]["items"] = {"$ref": REF + "GameEvent"}

    def of(self, kind: Any) -> Schema:
        """Return the schema of a type that clients send or get."""
        index = [*self._sent, *self._answered].index(kind)
        schema: Schema = self._with_names(_tidied(self._schemas[index]))
        return schema

    def text_of(self, kind: Any) -> str:
        """Return the first line of the description of a type."""
        schema = self.of(kind)
        if "$ref" in schema:
            schema = self.components[schema["$ref"].removeprefix(REF)]
        text: str = schema.get("description") or "One or several of them."
        return text.partition("\n\n")[0]

    def parameter(self, kind: Any) -> Schema:
        """Return the schema of a parameter, which is never null but may be left out."""
        schema: Schema = _tidied(msgspec.json.schema(kind))
        alternatives = [part for part in schema.get("anyOf", []) if part.get("type") != "null"]
        return alternatives[0] if len(alternatives) == 1 else schema

    def _finished(self, name: str, schema: Schema) -> Schema:
        finished: Schema = self._with_names(_tidied(schema))
        return finished

    def _union(self, name: str) -> Schema:
        union = self._unions[name]
        return {
            "title": name,
            "description": _UNIONS[name][1],
            "oneOf": union["anyOf"],
            "discriminator": union["discriminator"],
        }

    def _events(self) -> Schema:
        """Return each fact as an event in the envelope that all events have, and the union of them."""
        envelope = self.components.pop("Envelope")
        facts = [fact.__name__ for fact in get_args(Fact)]
        events = {f"{name}Event": _wrapped(self.components[name], envelope) for name in facts}
        tags = {fact.__struct_config__.tag: fact.__name__ for fact in get_args(Fact)}
        return events | {
            "GameEvent": {
                "title": "GameEvent",
                "description": _EVENT,
                "oneOf": [{"$ref": REF + name} for name in events],
                "discriminator": {
                    "propertyName": "type",
                    "mapping": {tag: f"{REF}{name}Event" for tag, name in tags.items()},
                },
            }
        }

    def _with_names(self, schema: Any) -> Any:
        """Refer to the unions that have a name by that name."""
        if isinstance(schema, list):
            return [self._with_names(part) for part in schema]
        if not isinstance(schema, dict):
            return schema
        if schema.get("$ref") == REF + "Envelope":
            return {"$ref": REF + "GameEvent"}
        for name, union in self._unions.items():
            if schema.get("anyOf") == union["anyOf"]:
                return {"$ref": REF + name}
        return {key: self._with_names(part) for key, part in schema.items()}

    def _say_what_depends_on_what(self) -> None:
        """Add what a type that clients send says of its fields together, as ``more_schema``."""
        for struct in set(_structs(self._sent)):
            self.components[struct.__name__] |= getattr(struct, "more_schema", {})

    def _say_what_is_always_there(self) -> None:
        """Require the fields of answers that are never left out; what clients send may leave out more."""
        sent = set(_structs([*self._sent, Action]))
        for struct in set(_structs([*self._answered, Fact])) - sent:
            component = self.components[struct.__name__]
            absent = {field.encode_name for field in msgspec.structs.fields(struct) if _may_be_absent(struct, field)}
            component["required"] = [name for name in component["properties"] if name not in absent]


def _may_be_absent(struct: type[msgspec.Struct], field: msgspec.structs.FieldInfo) -> bool:
    omitted = struct.__struct_config__.omit_defaults and field.default is not msgspec.NODEFAULT
    return field.default is UNSET or omitted


def _wrapped(fact: Schema, envelope: Schema) -> Schema:
    """Return a fact in its envelope."""
    around = envelope["properties"]
    properties = {"version": around["version"], "at": around["at"], **fact["properties"], "digest": around["digest"]}
    optional = fact["properties"].keys() - set(fact["required"])
    required = [name for name in properties if name not in optional]
    return {**fact, "title": f"{fact['title']}Event", "properties": properties, "required": required}


def _tidied(schema: Any) -> Any:
    """Return a schema with texts unindented and enumerations that have a type."""
    if isinstance(schema, list):
        return [_tidied(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    tidied = {key: _tidied(part) for key, part in schema.items()}
    if isinstance(tidied.get("description"), str):
        tidied["description"] = cleandoc(tidied["description"]).replace("``", "`")
    if "prefixItems" in tidied:
        # Tuples of one kind are said in the older way, which every generator of clients understands.
        tidied["items"], *_ = tidied.pop("prefixItems")
    if "$ref" in tidied and len(tidied) > 1:
        # No generator of clients knows what to do with the default of an object.
        tidied["allOf"] = [{"$ref": tidied.pop("$ref")}]
        tidied.pop("default", None)
    if all(isinstance(value, str) for value in tidied.get("enum", [0])):
        tidied["type"] = "string"
    return tidied


def _structs(kinds: Iterable[Any]) -> Iterator[type[msgspec.Struct]]:
    """Yield every Struct that these types are made of."""
    waiting = list(inspect.multi_type_info(kinds))
    seen = set()
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, inspect.StructType):
            if kind.cls in seen:
                continue
            seen.add(kind.cls)
            yield kind.cls
            waiting += [field.type for field in kind.fields]
        else:
            waiting += _parts(kind)


def _parts(kind: inspect.Type) -> list[inspect.Type]:
    """Return the types that a container or a union holds."""
    match kind:
        case inspect.Metadata():
            return [kind.type]
        case inspect.UnionType():
            return list(kind.types)
        case inspect.TupleType():
            return list(kind.item_types)
        case inspect.CollectionType():
            return [kind.item_type]
        case inspect.DictType():
            return [kind.key_type, kind.value_type]
        case _:
            return []
