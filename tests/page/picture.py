"""Make the picture of the page for the README: `python -m tests.page.picture`."""

import random
from pathlib import Path

from playwright.sync_api import expect

from tests.api.people import People
from tests.api.server import client_of, running
from tests.support.browser import launched
from tests.support.chromium import find_chromium

PICTURE = Path(__file__).parent.parent.parent / "docs" / "play.png"
PREFERRED = ("increase", "expand")
TURN = 29


def take_picture(url: str) -> None:
    """Play a game up to a turn with many possible actions, and take the picture as the player to move."""
    with client_of(url) as client:
        table = People(client, 4, hot_seat=True)
        play(table)
        version = str(table.version)
    with launched(find_chromium()) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{url}/play")
        page.get_by_label("Link, game id or token").fill(table.host)
        page.get_by_role("button", name="Go", exact=True).click()
        board = page.get_by_role("group", name="Board", exact=True)
        expect(board).to_have_attribute("data-version", version)
        page.screenshot(path=PICTURE, animations="disabled")


def play(table: People) -> None:
    """Play at random, but prefer to increase and to expand, so that the board fills."""
    luck = random.Random(60)
    while table.seen()["turn"] < TURN:
        moves = table.moves()
        kinds = [kind for kind in PREFERRED if any(move["type"] == kind for move in moves)]
        kind = luck.choice(kinds) if kinds else moves[-1]["type"]
        table.do(luck.choice([move for move in moves if move["type"] == kind]))


if __name__ == "__main__":
    with running(bot_workers="0", log_level="error") as server:
        take_picture(server.url)
