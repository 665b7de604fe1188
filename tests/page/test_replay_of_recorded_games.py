"""The replay of every recorded game: the first and the last version show the texts of the views."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Browser, Page

from tests.games.facts import FILES, record_document, recorded
from tests.page.texts import expected_texts, shown_texts
from tests.support.browser import page_without_errors

LOW = {"width": 1280, "height": 60}
"""Little is painted, since only texts are compared."""


@pytest.fixture(scope="module")
def replaying(browser: Browser, url: str) -> Iterator[Page]:
    """One page for all games, so that the modules are loaded once."""
    with page_without_errors(browser, base_url=url, viewport=LOW) as page:
        yield page


def compare(page: Page, client: Client, path: str, version: int, replay: dict[str, Any]) -> None:
    """Compare the texts of the page at a version with those of the views and of the replay."""
    state = client.get(f"{path}/state", params={"at": version}).json()
    picture = client.get(f"{path}/board.svg", params={"at": version}).content
    assert shown_texts(page, version) == expected_texts(state, picture) | replay


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_first_and_the_last_version_show_the_texts_of_views(replaying: Page, client: Client, file: Path) -> None:
    record = record_document(recorded(file))
    game = client.post("/v1/records", content=record, headers={"content-type": "application/json"}).json()["game"]
    path = f"/v1/games/{game['id']}"
    history = client.get(f"{path}/history", params={"limit": 500}).json()
    first, number = history["turns"][0]["version"], len(history["items"])
    text, last = history["items"][-1]["text"], history["items"][-1]["version"]
    replaying.goto(f"/play/{game['id']}#v={last}", wait_until="commit")
    compare(replaying, client, path, last, {"where": f"Move {number} of {number} · {text}", "marked": [last]})
    compare(replaying, client, path, first, {"where": f"Move 0 of {number} · The beginning", "marked": []})
