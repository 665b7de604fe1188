"""Prepared games: the same from every run, and as long as they say."""

from bench.games import SEATED, long_script, positions_of_bots, scripts, write_script
from bench.servers import Table as Opened
from bench.servers import get, move
from domain.decide import legal_actions
from domain.evolve import replay
from domain.modules import GameOptions, GameStarted


def test_a_seed_always_gives_the_same_game() -> None:
    assert write_script(3, 40) == write_script(3, 40)
    assert write_script(3, 40) != write_script(4, 40)


def test_scripts_have_as_many_actions_as_were_asked_for() -> None:
    assert [len(script.actions) for script in scripts(3, 50)] == [50, 50, 50]


def test_a_long_game_goes_on_for_500_moves() -> None:
    assert len(long_script(500).actions) == 500


def test_a_script_knows_how_long_its_stream_is() -> None:
    script = write_script(0, 60)
    facts = script.facts(100)
    taken = len(script.up_to(100))
    assert isinstance(facts[0], GameStarted)
    assert script.lengths[taken] == SEATED + len(facts)
    assert script.lengths[taken - 1] < 100 <= script.lengths[taken]
    assert replay(facts).to_play == script.actions[taken][0]


def test_bots_have_a_choice_in_every_position_from_the_set_up_to_the_end_of_a_game() -> None:
    positions, others = (positions_of_bots(seed, 60, GameOptions(start="introductory")) for seed in (1, 2))
    assert len(positions) == len(others) == 60
    assert positions != others
    assert all(len(legal_actions(game)) > 1 for game in positions)
    assert max(len(game.track) for game in positions) > 3


def test_requests_are_written_as_http_wants_them() -> None:
    assert get("/v1/games", if_none_match='"3"') == (
        b'GET /v1/games HTTP/1.1\r\nhost: 127.0.0.1\r\nif-none-match: "3"\r\n\r\n'
    )
    script = write_script(0, 1)
    head, _, body = move(Opened("some-game", ("a", "b", "c", "d"), "h"), script.actions[0]).partition(b"\r\n\r\n")
    seat = script.actions[0][0]
    assert head.startswith(b"POST /v1/games/some-game/moves HTTP/1.1\r\n")
    assert f"authorization: Bearer {'abcd'[seat]}".encode() in head
    assert f"content-length: {len(body)}".encode() in head
    assert body.startswith(b'{"type":"choose_town"')
