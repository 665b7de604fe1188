"""The replay of every recorded game: at the first and the last version the page says what the server's views say."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Browser, Page

from tests.games.facts import FILES, record_document, recorded
from tests.page.texts import expected_texts, shown_texts
from tests.support.browser import faultless_page

LOW = {"width": 1280, "height": 60}
"""Texts are compared, so little is painted."""


@pytest.fixture(scope="module")
def replaying(browser: Browser, url: str) -> Iterator[Page]:
    """One page for all games, whose browser loads the modules once."""
    with faultless_page(browser, base_url=url, viewport=LOW) as page:
        yield page


def compare(page: Page, client: Client, path: str, version: int, replay: dict[str, Any]) -> None:
    """Compare all that the page says of a version, with what the replay tells beside it."""
    state = client.get(f"{path}/state", params={"at": version}).json()
    picture = client.get(f"{path}/board.svg", params={"at": version}).content
    assert shown_texts(page, version) == expected_texts(state, picture) | replay


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_first_and_the_last_version_say_what_the_views_say(replaying: Page, client: Client, file: Path) -> None:
    record = record_document(recorded(file))
    game = client.post("/v1/records", content=record, headers={"content-type": "application/json"}).json()["game"]
    path, last = f"/v1/games/{game['id']}", game["version"]
    history = client.get(f"{path}/history", params={"limit": 500}).json()
    first, number = history["turns"][0]["version"], len(history["items"])
    text = history["items"][-1]["text"]
    replaying.goto(f"/play/{game['id']}#v={last}", wait_until="commit")
    compare(replaying, client, path, last, {"where": f"Move {number} of {number} · {text}", "marked": [text]})
    compare(replaying, client, path, first, {"where": f"Move 0 of {number} · The beginning", "marked": []})
