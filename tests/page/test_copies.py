"""Forks and imports: their badges, the original, and the host deletes a copy."""

import json
from typing import Any

import pytest
from httpx import Client
from playwright.sync_api import Browser, Page, expect

from tests.api.people import People, bearer
from tests.page.playing import button, keep, settled
from tests.support.browser import page_without_errors

ABSENT = "Failed to load resource: the server responded with a status of 404 (Not Found)"
COPIES = ["fork", "import"]


def copy_of(client: Client, path: str, kind: str) -> Any:
    """Fork a game or import its record; return the response."""
    if kind == "fork":
        return client.post(f"{path}/fork", json={"at": client.get(path).json()["version"]}).json()
    record = client.get(f"{path}/record").content
    return client.post("/v1/records", content=record, headers={"content-type": "application/json"}).json()


def own(page: Page, created: Any) -> None:
    """Store the token of the host of a copy."""
    keep(page, created["game"]["id"], json.dumps({"host": created["host_token"], "seats": {}}))


@pytest.mark.parametrize("kind", COPIES)
def test_a_copy_has_a_badge_and_a_link_to_the_original(page: Page, url: str, client: Client, kind: str) -> None:
    table = People(client)
    table.play(4)
    created = copy_of(client, table.path, kind)
    own(page, created)
    page.goto(f"{url}/play")
    entry = page.get_by_role("region", name="My games").get_by_role("link")
    expect(entry.locator(".badge").get_by_text(kind.capitalize(), exact=True)).to_be_visible()
    entry.click()
    page.get_by_text("About this copy").click()
    page.get_by_role("link", name="the original game").click()
    expect(page).to_have_url(f"{url}/play/{table.id}")
    settled(page)
    expect(page.get_by_text("About this copy")).to_have_count(0)
    expect(button(page, "Delete this copy")).to_have_count(0)


@pytest.mark.parametrize("kind", COPIES)
def test_an_original_that_is_not_there_is_named_by_its_id(
    browser: Browser, url: str, client: Client, kind: str
) -> None:
    original = copy_of(client, People(client).path, "fork")
    game = original["game"]["id"]
    created = copy_of(client, f"/v1/games/{game}", kind)
    assert client.delete(f"/v1/games/{game}", headers=bearer(original["host_token"])).status_code == 204
    with page_without_errors(browser, [ABSENT]) as page:
        page.goto(f"{url}/play/{created['game']['id']}")
        with page.expect_response(f"**/v1/games/{game}") as response:
            page.get_by_text("About this copy").click()
        assert response.value.status == 404
        line = page.get_by_text(f"{'Forked' if kind == 'fork' else 'Imported'} from {game} at version ")
        expect(line).to_be_visible()
        expect(line.get_by_role("link")).to_have_count(0)


@pytest.mark.parametrize("steps", [4, 10_000], ids=["playing", "finished"])
@pytest.mark.parametrize("kind", COPIES)
def test_the_host_deletes_a_copy(page: Page, url: str, client: Client, kind: str, steps: int) -> None:
    table = People(client, start="introductory")
    table.play(steps)
    created = copy_of(client, table.path, kind)
    path = f"/v1/games/{created['game']['id']}"
    own(page, created)
    page.goto(f"{url}/play/{created['game']['id']}")
    button(page, "Delete this copy").click()
    dialog = page.get_by_role("dialog", name="Delete this copy? You cannot undo this.")
    dialog.get_by_role("button", name="Cancel").click()
    assert client.get(path).status_code == 200
    button(page, "Delete this copy").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(page).to_have_url(f"{url}/play")
    assert client.get(path).status_code == 404
    assert table.get().status_code == 200


@pytest.mark.parametrize("kind", COPIES)
def test_others_cannot_delete_a_copy(page: Page, url: str, client: Client, kind: str) -> None:
    table = People(client)
    created = copy_of(client, table.path, kind)
    page.goto(f"{url}/play/{created['game']['id']}")
    expect(page.get_by_text("About this copy")).to_be_visible()
    expect(button(page, "Delete this copy")).to_have_count(0)
