"""The command ``webhook``, and the receivers in docs/webhooks.md against a real server."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from api.cli import main
from tests.api.people import People
from tests.api.server import client_of, running
from tests.api.webhook_receivers import receiving
from tests.store.clients import connected
from tests.support.documents import blocks
from tests.support.ports import free_port
from tests.support.waiting import until

LOCAL = "127.0.0.0/8"


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty database, and the permission to send to this machine."""
    monkeypatch.setenv("FRANCHISE_WEBHOOK_ALLOW", LOCAL)
    url = f"sqlite:///{tmp_path}/games.db"
    with connected(url):
        pass
    return url


class Command:
    """The command ``webhook`` on a database."""

    def __init__(self, url: str, capsys: pytest.CaptureFixture[str]) -> None:
        self._url = url
        self._capsys = capsys

    def __call__(self, *arguments: str) -> str:
        assert main(["webhook", *arguments, "--database", self._url]) == 0, self._capsys.readouterr().err
        return self._capsys.readouterr().out.strip()

    def fails(self, *arguments: str) -> str:
        assert main(["webhook", *arguments, "--database", self._url]) == 1
        return self._capsys.readouterr().err.strip()


@pytest.fixture
def webhook(url: str, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(url, capsys)


def test_an_endpoint_is_added_tested_rotated_replayed_and_removed(webhook: Command) -> None:
    with receiving(lambda _: 204) as (address, accepted):
        endpoint, secret = webhook("add", f"{address}/hook", "--events", "turn,ended").split()
        assert webhook("list") == f"{endpoint}  on  ended,turn  public games  {address}/hook"
        assert webhook("test", endpoint) == f"{address}/hook: status 204"
        rotated = webhook("rotate", endpoint)
        webhook("test", endpoint)
        assert accepted[0].is_signed_with(secret)
        assert not accepted[0].is_signed_with(rotated)
        assert all(accepted[1].is_signed_with(each) for each in (secret, rotated))
        assert accepted[1].type == "test"
        assert webhook("replay", endpoint, "--from", "1") == f"{endpoint} starts again from position 1."
        assert secret not in webhook("list")
        assert webhook("remove", endpoint, "--yes") == f"{endpoint} gets no more notices."
        assert webhook("list") == ""


def test_a_test_that_fails_says_why(webhook: Command) -> None:
    with receiving(lambda _: 500) as (address, _):
        endpoint, _secret = webhook("add", f"{address}/hook").split()
        assert webhook.fails("test", endpoint) == f"{address}/hook: status 500"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["add", "http://games.example/"], "http"),
        (["add", "https://games.example/", "--events", "turn,moves"], "moves: the events are"),
        (["add", "https://games.example/", "--app", "nobody"], "There is no application nobody."),
        (["add"], "Usage"),
        (["list", "x"], "Usage"),
        (["rotate", "x"], "There is no webhook x."),
        (["test", "x"], "There is no webhook x."),
        (["replay", "x"], "Usage"),
        (["replay", "x", "--from", "1"], "There is no webhook x."),
        (["remove", "x", "--yes"], "There is no webhook x."),
        (["remove", "x"], "Nothing was changed"),
    ],
)
def test_what_is_refused(webhook: Command, arguments: list[str], why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRANCHISE_WEBHOOK_ALLOW", "")
    assert why in webhook.fails(*arguments)


@contextmanager
def piped(programs: list[str], **variables: str) -> Iterator[None]:
    """Run two programs, the second of which reads what the first one prints."""
    environment = {**os.environ, **variables}
    first, second = programs
    with (
        subprocess.Popen([sys.executable, "-c", first], env=environment, stdout=subprocess.PIPE, stderr=-3) as printing,
        subprocess.Popen([sys.executable, "-c", second], env=environment, stdin=printing.stdout) as reading,
    ):
        try:
            yield
        finally:
            printing.kill()
            reading.wait()


def test_the_receivers_of_the_page_post_a_turn_to_a_chat(url: str, webhook: Command) -> None:
    programs = [text for language, text in blocks("docs/webhooks.md") if language == "python"]
    port = str(free_port())
    endpoint, secret = webhook("add", f"http://127.0.0.1:{port}/").split()
    with (
        receiving(lambda _: 200) as (address, posted),
        piped(programs, WEBHOOK_SECRET=secret, PORT=port, CHAT=address, SITE="https://games.example"),
        running(url, webhook_allow=LOCAL) as server,
        client_of(server.url) as client,
    ):
        until(lambda: webhook("test", endpoint), AssertionError)
        table = People(client, start="introductory", first_player=1)
        until(lambda: posted)
        link = f"https://games.example/play#{table.id}"
        assert posted[0].content == {"text": f"Seat 1: your turn: {link}"}
        status, logged = server.stop()
    assert status == 0
    assert secret not in logged


def test_a_receiver_of_the_page_refuses_other_signatures(webhook: Command) -> None:
    programs = [text for language, text in blocks("docs/webhooks.md") if language == "python"]
    port = str(free_port())
    url = f"http://127.0.0.1:{port}/"
    endpoint, secret = webhook("add", url).split()
    other, _ = webhook("add", url).split()
    with piped(programs, WEBHOOK_SECRET=secret, PORT=port, CHAT=url, SITE=url):
        until(lambda: webhook("test", endpoint), AssertionError)
        assert webhook.fails("test", other) == f"{url}: status 401"
