"""Times: how long a game has waited for a player, and the time that each player has used."""

import pytest
from httpx import Client
from playwright.sync_api import Locator, Page, expect

from api.web.play_page import play_files
from tests.api.people import NAMES, People
from tests.page.playing import actions, keep_seat, open_scores

WORDS = """async ([address, name, seconds]) => {
  const { [name]: words } = await import(address);
  return words(name === "duration" ? seconds : new Date(Date.now() - 1000 * seconds).toISOString());
}"""
MINUTE, HOUR, DAY = 60, 3600, 86400


def time_used(page: Page, name: str) -> Locator:
    card = page.get_by_role("region", name="Players").get_by_role("group").filter(has_text=name)
    return card.locator("dl > div", has_text="Time used").locator("dd")


def test_the_wait_for_a_player_stays_right_while_the_page_is_open(page: Page, url: str, client: Client) -> None:
    table = People(client)
    player = NAMES[table.to_play]
    page.clock.install()
    page.goto(f"{url}/play/{table.id}")
    waiting = actions(page).get_by_role("heading")
    expect(waiting).to_contain_text(f"Waiting for {'ABCDE'[table.to_play]}{player}")
    for passed, words in (("05:00", "for 5 minutes"), ("24:00:00", "since yesterday")):
        page.clock.fast_forward(passed)
        expect(waiting).to_contain_text(f"{player} {words}")


def test_the_time_used_grows_for_the_player_to_move_only(page: Page, url: str, client: Client) -> None:
    table = People(client)
    table.play(6)
    player, other = NAMES[table.to_play], NAMES[1 - table.to_play]
    page.clock.install()
    page.goto(f"{url}/play/{table.id}")
    expect(actions(page)).to_contain_text("Waiting for ")
    open_scores(page)
    expect(time_used(page, player)).to_have_text("less than a minute")
    page.clock.fast_forward("01:05:00")
    expect(time_used(page, player)).to_have_text("1 hour 5 minutes")
    expect(time_used(page, other)).to_have_text("less than a minute")
    page.get_by_role("link", name="Replay", exact=True).click()
    expect(time_used(page, player)).to_have_text("less than a minute")


@pytest.mark.parametrize("mine", [True, False], ids=["my turn", "turn of another player"])
def test_an_entry_of_my_games_says_how_long_it_waits(page: Page, url: str, client: Client, mine: bool) -> None:
    table = People(client)
    keep_seat(page, table, table.to_play if mine else 1 - table.to_play)
    player = NAMES[table.to_play]
    page.clock.install()
    page.goto(f"{url}/play")
    entry = page.get_by_role("region", name="My games").get_by_role("link")
    expect(entry).to_contain_text(f"Set-up · {player} to play · just now" if mine else f"Set-up · waiting for {player}")
    page.clock.fast_forward("24:00:00")
    expect(entry).to_contain_text(f"{player} to play · yesterday" if mine else f"waiting for {player} since yesterday")


@pytest.mark.parametrize(
    ("name", "seconds", "words"),
    [
        ("waited", 59, ""),
        ("waited", MINUTE, "for 1 minute"),
        ("waited", 3 * HOUR, "for 3 hours"),
        ("waited", DAY, "since yesterday"),
        ("waited", 9 * DAY, "for 9 days"),
        ("timeLeft", -119.9, "120 seconds left"),
        ("timeLeft", -HOUR - 1, "1 hour left"),
        ("timeLeft", -2 * DAY - 5 * HOUR - 1, "2 days 5 hours left"),
        ("timeLeft", 0, "time ran out just now"),
        ("timeLeft", 2 * MINUTE, "time ran out 2 minutes ago"),
        ("duration", 59, "less than a minute"),
        ("duration", HOUR - 1, "59 minutes"),
        ("duration", HOUR + MINUTE, "1 hour 1 minute"),
        ("duration", 2 * DAY + 59 * MINUTE, "2 days"),
        ("duration", DAY + 2 * HOUR, "1 day 2 hours"),
    ],
)
def test_waits_and_durations_in_words(page: Page, url: str, name: str, seconds: float, words: str) -> None:
    page.goto(f"{url}/play")
    assert page.evaluate(WORDS, [f"/play/files/{play_files().release}/words.js", name, seconds]) == words
