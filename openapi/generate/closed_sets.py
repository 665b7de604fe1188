"""Closed sets of texts, each a type of the document under its name in the code."""

import sys
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

import msgspec

_PACKAGES = ("domain", "projections", "api")


@cache
def closed_sets() -> dict[str, dict[str, Any]]:
    """Return the schemas of all closed sets by name."""
    found: dict[str, dict[str, Any]] = {}
    for name, schema in _declared():
        if found.setdefault(name, schema) != schema:
            raise ValueError(f"Two closed sets are called {name}: {found[name]['enum']} and {schema['enum']}.")
    return dict(sorted(found.items()))


def name_of(values: list[str]) -> str:
    """Return the name of the closed set with these values."""
    names = [name for name, schema in closed_sets().items() if set(schema["enum"]) == set(values)]
    if len(names) != 1:
        problem = f"{len(names)} names {names}" if names else "no name: declare it as Name = Annotated[Literal, Meta]"
        raise ValueError(f"The closed set of {', '.join(values)} has {problem}.")
    return names[0]


def _declared() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the closed sets that modules declare or import, with their names.

    A closed set is `Annotated` with one `Meta` for its description: a `Literal`, or a text with a computed `enum`.
    """
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] in _PACKAGES]
    for name, value in ((name, value) for module in modules for name, value in vars(module).items()):
        match getattr(value, "__metadata__", ()):
            case (msgspec.Meta(),) if "enum" in (schema := msgspec.json.schema(value)):
                values = get_args(value.__origin__) or schema["enum"]
                yield name, {"title": name, **schema, "type": "string", "enum": list(values)}
            case _:
                pass
