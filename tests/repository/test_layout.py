"""Limits for readers: the length of files and functions, and the number of functions that a request passes."""

import ast
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.api.people import People, serving
from tests.support.documents import ROOT

PACKAGES = ("domain", "projections", "api")


def files(package: str) -> Iterator[Path]:
    """Yield the files of a package, without the web pages."""
    yield from (path for path in sorted((ROOT / package).rglob("*.py")) if "web" not in path.parts)


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions() -> Iterator[tuple[str, int]]:
    """Yield each function with its length in lines, without decorators."""
    for package in (*PACKAGES, "openapi"):
        for path in files(package):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    assert node.end_lineno is not None
                    yield f"{path.relative_to(ROOT)}:{node.name}", node.end_lineno - node.lineno + 1


def test_no_file_is_long() -> None:
    assert not [path for package in (*PACKAGES, "openapi") for path in files(package) if lines(path) > 450]


def test_functions_are_short() -> None:
    assert not [(name, length) for name, length in functions() if length > 40]


class Calls:
    """The functions of this project called in any thread."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str]] = set()
        self.counting = False

    def profile(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if self.counting and event == "call" and not code.co_name.startswith("<"):
            path = Path(code.co_filename)
            if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PACKAGES:
                self.functions.add(
                    (str(path.relative_to(ROOT)), code.co_qualname if hasattr(code, "co_qualname") else code.co_name)
                )


@pytest.fixture
def calls() -> Iterator[Calls]:
    """Record the calls of every thread started from now on."""
    calls, before = Calls(), sys.getprofile()
    threading.setprofile(calls.profile)
    yield calls
    threading.setprofile(None)
    sys.setprofile(before)


def called(calls: Calls, requests: Iterable[Callable[[], Any]]) -> tuple[list[str], set[str]]:
    """Return the functions and files that a request passes: the fewest of these requests, since others may run too."""
    found: list[set[tuple[str, str]]] = []
    for request in requests:
        calls.functions, calls.counting = set(), True
        assert request().status_code == 200
        calls.counting = False
        found.append(calls.functions)
    fewest = min(found, key=len)
    return [f"{path} {name}" for path, name in sorted(fewest)], {path for path, _ in fewest}


def test_a_move_passes_few_functions(calls: Calls) -> None:
    with serving(bot_workers=0) as client:
        before, *tables = (People(client, start="introductory") for _ in range(4))
        move, seat = next(move for move in before.moves() if move["type"] == "expand"), before.to_play
        before.do(move, seat)  # work done once in a process does not count
        assert all(move in table.moves() for table in tables)  # players also read the moves first
        functions, paths = called(calls, [partial(table.do, move, seat) for table in tables])
    assert len(functions) <= 95, functions
    assert len(paths) <= 31, sorted(paths)


def test_a_view_passes_few_functions(calls: Calls) -> None:
    with serving(bot_workers=0) as client:
        tables = [People(client, start="introductory") for _ in range(3)]
        functions, paths = called(calls, [partial(table.get, "/scores") for table in tables])
    assert len(functions) <= 38, functions
    assert len(paths) <= 17, sorted(paths)
