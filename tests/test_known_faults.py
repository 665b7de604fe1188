"""The check for known faults of the dependencies: what it asks, and its three outcomes."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.support.web_server import QuietHandler, listening

ROOT = Path(__file__).parent.parent
LOCK = """# written by make lock
anyio==4.16.0 \\
    --hash=sha256:00
    # via httpx==9.9
colorama==0.4.6 ; sys_platform == 'win32' \\
    --hash=sha256:11
"""
Respond = Callable[[Any], tuple[int, bytes]]


class Checked:
    """A run of the check: how it ended, what it said, and what it had asked."""

    def __init__(self, lock: Path, *arguments: str) -> None:
        command = [sys.executable, ".ci/known_faults.py", str(lock), *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        self.status, self.said, self.complained = done.returncode, done.stdout, done.stderr


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "run.lock"
    file.write_text(LOCK, encoding="utf-8")
    return file


@contextmanager
def database(respond: Respond) -> Iterator[str]:
    """A database of faults on this machine, that answers each question with what is returned."""

    class Handler(QuietHandler, BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, body = respond(asked)
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with listening(Handler) as url:
        yield url


def results(*found: Any) -> tuple[int, bytes]:
    return 200, json.dumps({"results": found}).encode()


def test_packages_without_known_faults_pass(lock: Path) -> None:
    questions: list[Any] = []

    def respond(asked: Any) -> tuple[int, bytes]:
        questions.append(asked)
        return results({}, {})

    with database(respond) as url:
        checked = Checked(lock, "--database", url)
    assert (checked.status, checked.complained) == (0, "")
    assert "No faults are known of the 2 packages" in checked.said
    assert [
        (query["package"]["name"], query["package"]["ecosystem"], query["version"]) for query in questions[0]["queries"]
    ] == [("anyio", "PyPI", "4.16.0"), ("colorama", "PyPI", "0.4.6")]


def test_a_known_fault_fails_and_is_named(lock: Path) -> None:
    with database(lambda _: results({}, {"vulns": [{"id": "PYSEC-2"}, {"id": "GHSA-1"}]})) as url:
        checked = Checked(lock, "--database", url)
    assert checked.status == 1
    assert checked.complained == "colorama 0.4.6 has known faults: GHSA-1, PYSEC-2\n"
    assert checked.said == ""


def test_a_fault_on_a_later_page_is_found(lock: Path) -> None:
    def respond(asked: Any) -> tuple[int, bytes]:
        pages = [query.get("page_token") for query in asked["queries"]]
        if pages == [None, None]:
            return results({}, {"next_page_token": "more"})
        assert pages == ["more"]
        return results({"vulns": [{"id": "GHSA-3"}]})

    with database(respond) as url:
        checked = Checked(lock, "--database", url)
    assert (checked.status, checked.complained) == (1, "colorama 0.4.6 has known faults: GHSA-3\n")


@pytest.mark.parametrize(
    "respond",
    [lambda _: (503, b""), lambda _: (200, b"<p>Log in first"), lambda _: (200, b"[]"), lambda _: results({})],
    ids=["out of order", "another page", "no results", "too few results"],
)
def test_an_answer_that_is_none_is_told_and_passes(lock: Path, respond: Respond) -> None:
    with database(respond) as url:
        checked = Checked(lock, "--database", url)
    assert (checked.status, checked.complained) == (0, "")
    assert "were not checked: the database could not be asked" in checked.said
    assert checked.said.count("\n") == 1


def test_a_database_that_cannot_be_reached_is_told_and_passes(lock: Path) -> None:
    with database(lambda _: results()) as url:
        pass
    checked = Checked(lock, "--database", url)
    assert (checked.status, checked.complained) == (0, "")
    assert "were not checked: the database could not be asked" in checked.said
    assert checked.said.count("\n") == 1


def test_nobody_waits_long_for_an_answer(lock: Path) -> None:
    ended = Event()

    def respond(_: Any) -> tuple[int, bytes]:
        ended.wait()
        return results({}, {})

    with database(respond) as url:
        checked = Checked(lock, "--database", url, "--seconds", "0.2")
        ended.set()
    assert (checked.status, checked.complained) == (0, "")
    assert "no answer within 0.2 s" in checked.said


def test_a_file_that_pins_nothing_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "empty.lock").write_text("# nothing\n", encoding="utf-8")
    assert Checked(tmp_path / "empty.lock").status == 2


def test_every_package_that_the_program_needs_is_asked_for() -> None:
    asked: list[Any] = []

    def respond(question: Any) -> tuple[int, bytes]:
        asked.extend(question["queries"])
        return results(*({} for _ in question["queries"]))

    with database(respond) as url:
        assert Checked(ROOT / "requirements/run.lock", "--database", url).status == 0
    text = (ROOT / "requirements/run.lock").read_text(encoding="utf-8")
    assert len(asked) == text.count("==") - text.count(" == ")
    assert {"litestar", "msgspec", "granian"} <= {query["package"]["name"] for query in asked}
