"""The types of requests and responses as JSON Schema.

msgspec describes its Structs: discriminators of tagged unions, docstrings, forbidden unknown fields. This module names
unions and closed sets, puts events into their envelope, and requires the fields that responses always have.
"""

from collections.abc import Callable, Iterable, Iterator
from inspect import cleandoc
from typing import Any, get_args

import msgspec
from msgspec import UNSET, inspect

from domain.modules import Action, Fact, GameFact
from domain.table_facts import GameRemoved
from openapi.generate.closed_sets import closed_sets, name_of

Schema = dict[str, Any]

REF = "#/components/schemas/"

_UNIONS = {
    "Action": (Action, "An action of a player. `type` names its kind."),
    "GameFact": (GameFact, "An event of play, without its version, time and digest. `type` names its kind."),
    "Fact": (Fact, "An event of the table or of play, without its version, time and digest. `type` names its kind."),
}

_EVENT = "A stored event, with its version, its time and its digest. `type` names its kind."


class Types:
    """The schemas of all types in requests and responses."""

    def __init__(self, sent: Iterable[Any], returned: Iterable[Any]) -> None:
        self._sent, self._returned = list(sent), list(returned)
        unions = [kind for kind, _ in _UNIONS.values()]
        schemas, components = msgspec.json.schema_components(
            [*unions, *self._sent, *self._returned, GameRemoved], ref_template=REF + "{name}"
        )
        self._unions = dict(zip(_UNIONS, schemas, strict=False))
        self._schemas = schemas[len(unions) :]
        self._names_as_sent: dict[str, str] = {}
        self.components: Schema = {name: self._finished(schema) for name, schema in components.items()}
        self.components |= {name: self._union(name) for name in _UNIONS}
        self._add_constraints_between_fields()
        self._require_response_fields()
        self._add_recorded_types()
        self.components |= self._events()
        self.components |= closed_sets()
        self.components["GameRecord"]["properties"]["events"]["items"] = {"$ref": REF + "GameEvent"}

    def of(self, kind: Any) -> Schema:
        """Return the schema of a type in a request or a response."""
        index = [*self._sent, *self._returned].index(kind)
        schema: Schema = self._finished(self._schemas[index])
        return self._as_sent(schema) if index < len(self._sent) else schema

    def text_of(self, kind: Any) -> str:
        """Return the first paragraph of the description of a type."""
        schema = self.of(kind)
        if "$ref" in schema:
            schema = self.components[schema["$ref"].removeprefix(REF)]
        text: str = schema.get("description") or "An action, or a list of actions in order."
        return text.partition("\n\n")[0]

    def parameter(self, kind: Any, more: Schema) -> Schema:
        """Return the schema of a parameter, which is never null."""
        schema: Schema = msgspec.json.schema(kind)
        alternatives = [part for part in schema.get("anyOf", []) if part.get("type") != "null"]
        return self._finished((alternatives[0] if len(alternatives) == 1 else schema) | more)

    def _finished(self, schema: Schema) -> Schema:
        finished: Schema = _mapped(_mapped(schema, _tidied), self._with_names)
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
        """Return each fact as an event in its envelope, and the union of all events."""
        envelope = self.components.pop("Envelope")
        tags = {fact.__struct_config__.tag: fact.__name__ for fact in (*get_args(Fact), GameRemoved)}
        events = {f"{name}Event": _wrapped(self.components[name], envelope) for name in tags.values()}
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

    def _with_names(self, schema: Schema) -> Schema:
        """Replace unions that have a name by references."""
        if schema.get("$ref") == REF + "Envelope":
            return {"$ref": REF + "GameEvent"}
        for name, union in self._unions.items():
            if schema.get("anyOf") == union["anyOf"]:
                return {"$ref": REF + name}
        return schema

    def _add_constraints_between_fields(self) -> None:
        """Add the constraints between fields that request types declare as ``more_schema``."""
        for struct in set(_structs(self._sent)):
            self.components[struct.__name__] |= getattr(struct, "more_schema", {})

    def _require_response_fields(self) -> None:
        """Require the fields that responses always have.

        Requests may omit some of them. So a type of both becomes two types; ``New...`` is the one for requests.
        """
        sent, returned = set(_structs(self._sent)), set(_structs([*self._returned, Fact, GameRemoved]))
        twofold = {struct for struct in sent & returned if any(map(self._may_omit, _structs([struct])))}
        self._names_as_sent = {REF + struct.__name__: f"{REF}New{struct.__name__}" for struct in twofold}
        for name in sorted(struct.__name__ for struct in twofold):
            self.components[f"New{name}"] = self._as_sent(self.components[name] | {"title": f"New{name}"})
        for name in (struct.__name__ for struct in sent - returned):
            self.components[name] = self._as_sent(self.components[name])
        for struct in returned:
            self.components[struct.__name__]["required"] = _required_in_responses(struct)

    def _may_omit(self, struct: type[msgspec.Struct]) -> bool:
        """Return whether requests may omit fields that responses always have."""
        return set(self.components[struct.__name__]["required"]) != set(_required_in_responses(struct))

    def _as_sent(self, schema: Schema) -> Schema:
        """Refer to the ``New...`` types."""
        return _renamed(schema, self._names_as_sent)

    def _add_recorded_types(self) -> None:
        """Let facts refer to ``Recorded...`` types, in which the fields of later releases are optional."""
        later = {struct.__name__: fields for struct in _structs([Fact]) if (fields := _fields_since(struct))}
        for name, fields in later.items():
            recorded = self.components[name] | {"title": f"Recorded{name}"}
            recorded["required"] = [field for field in recorded["required"] if field not in fields]
            self.components[f"Recorded{name}"] = recorded
        names = {REF + name: f"{REF}Recorded{name}" for name in later}
        for fact in get_args(Fact):
            self.components[fact.__name__] = _renamed(self.components[fact.__name__], names)


def _fields_since(struct: type[msgspec.Struct]) -> set[str]:
    """Return the fields of later releases than the type: their ``Meta`` has ``since``."""
    return {
        field.encode_name
        for field in msgspec.structs.fields(struct)
        for meta in getattr(field.type, "__metadata__", ())
        if isinstance(meta, msgspec.Meta) and "since" in (meta.extra or {})
    }


def _renamed(schema: Schema, names: dict[str, str]) -> Schema:
    """Replace references to types."""

    def referring(part: Schema) -> Schema:
        return part | {"$ref": names.get(part["$ref"], part["$ref"])} if "$ref" in part else part

    renamed: Schema = _mapped(schema, referring)
    return renamed


def _required_in_responses(struct: type[msgspec.Struct]) -> list[str]:
    """Return the fields of a type, including its tag, that every response has."""
    config = struct.__struct_config__
    fields = [field for field in msgspec.structs.fields(struct) if not _may_be_absent(struct, field)]
    return [*filter(None, [config.tag_field]), *(field.encode_name for field in fields)]


def _may_be_absent(struct: type[msgspec.Struct], field: msgspec.structs.FieldInfo) -> bool:
    omitted = struct.__struct_config__.omit_defaults and field.default is not msgspec.NODEFAULT
    return field.default is UNSET or omitted


def _wrapped(fact: Schema, envelope: Schema) -> Schema:
    around = envelope["properties"]
    properties = {"version": around["version"], "at": around["at"], **fact["properties"], "digest": around["digest"]}
    optional = fact["properties"].keys() - set(fact["required"])
    required = [name for name in properties if name not in optional]
    return {**fact, "title": f"{fact['title']}Event", "properties": properties, "required": required}


def _mapped(schema: Any, change: Callable[[Schema], Schema]) -> Any:
    """Change all parts of a schema, the innermost first."""
    if isinstance(schema, list):
        return [_mapped(part, change) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return change({key: _mapped(part, change) for key, part in schema.items()})


def _tidied(schema: Schema) -> Schema:
    """Unindent descriptions, and use only constructs that client generators support."""
    if isinstance(schema.get("description"), str):
        schema["description"] = cleandoc(schema["description"]).replace("``", "`")
    if "prefixItems" in schema:
        # client generators do not support prefixItems
        schema["items"], *_ = schema.pop("prefixItems")
    if schema.get("type") == "object" and not schema.keys() & {"properties", "additionalProperties"}:
        schema["additionalProperties"] = True
    if isinstance(schema.get("enum"), list):
        _name_values(schema)
    if "anyOf" in schema:
        schema["anyOf"] = [_as_alternative(part) for part in schema["anyOf"]]
    if "$ref" in schema and len(schema) > 1:
        schema["allOf"] = [{"$ref": schema.pop("$ref")}]
        if isinstance(schema.get("default"), dict):
            del schema["default"]
    return schema


def _name_values(schema: Schema) -> None:
    """Replace a closed set by a reference to its name, and a set of one value by a constant."""
    values = schema.pop("enum")
    if len(values) == 1:
        schema["const"] = values[0]
        schema["type"] = "string" if isinstance(values[0], str) else "integer"
        return
    name = name_of(values)
    schema.pop("type", None)
    if schema.get("description") == closed_sets()[name].get("description"):
        schema.pop("description", None)
    schema["$ref"] = REF + name


def _as_alternative(schema: Schema) -> Schema:
    """Return a constant as an enum: openapi-python-client tries no other type after a constant that does not fit."""
    if "const" not in schema:
        return schema
    return {key: value for key, value in schema.items() if key != "const"} | {"enum": [schema["const"]]}


def _structs(kinds: Iterable[Any]) -> Iterator[type[msgspec.Struct]]:
    """Yield all Structs in these types."""
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
    """Return the types in a container or a union."""
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
