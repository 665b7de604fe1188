"""The pictures of every recorded game at three versions are self-contained and agree with the views."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from domain.actions import EndTurn
from domain.timeline import Timeline, follow
from projections.board import board
from projections.pictures.board_picture import board_picture
from projections.pictures.scores_picture import scores_picture, standings
from projections.pictures.themes import ThemeName
from projections.scores import scores
from tests.games.facts import FILES, decisions, opening, recorded
from tests.games.record import GAMES, Recorded, Step
from tests.projections.svg_parts import SVG, classes, description, of_class, parsed, seats, texts

NAMES = ('Ann <b>&amp;"', "Bob's & Söhne", "רות בת־שבע", "W" * 40, "Eve ]]> -->")
BY_HAND = sorted(GAMES.glob("by-hand-*.json"))
ELEMENTS = {"svg", "title", "desc", "g", "path", "circle", "rect", "text"}
LETTERS = "ABCDE"


def moments(game: Recorded) -> Iterator[tuple[Step, Timeline]]:
    """Yield each action of a game and the timeline after it."""
    timeline = follow(None, opening(game, NAMES))
    for taken, facts in decisions(game):
        timeline = follow(timeline, facts)
        yield taken, timeline


def check_self_contained(picture: ET.Element) -> None:
    assert {element.tag.removeprefix(SVG) for element in picture.iter()} <= ELEMENTS
    for element in picture.iter():
        for name, value in element.attrib.items():
            assert not name.startswith(("on", "{", "style", "href")), name
            assert "url(" not in value, value
            assert "//" not in value, value


def check_board(picture: ET.Element, timeline: Timeline) -> None:
    """Compare a picture's shapes and words with the views."""
    view, said = board(timeline), description(picture)
    places_drawn = of_class(picture, "place")
    assert [drawn.get("data-place") for drawn in places_drawn] == [shown.id for shown in view.places]
    for shown, drawn in zip(view.places, places_drawn, strict=True):
        for class_, expected in (
            ("franchise", shown.franchises),
            ("centre", shown.centre),
            ("marker", dict.fromkeys(shown.markers, 1)),
        ):
            assert Counter(seats(of_class(drawn, class_))) == expected, (shown.id, class_)
        assert ("scored" in classes(drawn), "closed" in classes(drawn)) == (shown.scored, shown.closed)
        free = shown.spaces.count(None) if shown.kind == "city" else 0
        assert len(of_class(drawn, "space")) == free, shown.id
        assert (str(shown.value) in texts(drawn)) == (shown.kind == "city" and shown.value > 0)
    for region, drawn in zip(view.regions, of_class(picture, "region"), strict=True):
        assert classes(drawn) == ["region", *([region.status] if region.status != "open" else [])]
    (track,) = of_class(picture, "track")
    assert [each.get("data-tile") for each in of_class(track, "tile")] == [s.tile.id for s in view.track if s.tile]
    for player in scores(timeline).players:
        here = [f"{p.name} {p.franchises[player.seat]}" for p in view.places if player.seat in p.franchises]
        left = "1 franchise" if player.supply == 1 else f"{player.supply} franchises"
        has = f"{player.influence} influence, ${player.money}, {left} left"
        gone = f"{player.name} has left the game. " if player.resigned else ""
        places = f"{'Franchises: ' * bool(here)}{', '.join(here) or 'No franchises'}"
        assert f"{player.name} ({LETTERS[player.seat]}, {player.colour}) has {has}. {gone}{places}." in said
    for status in ("closed", "scored"):
        names = [region.name for region in view.regions if region.status == status]
        assert (f"{status.capitalize()} regions: {', '.join(names)}." in said) == bool(names)


def check_scores(picture: ET.Element, timeline: Timeline) -> None:
    said, reached = description(picture), standings(timeline)
    players = scores(timeline).players
    assert reached[-1].influence == tuple(player.influence for player in players)
    for player, line in zip(players, of_class(picture, "line"), strict=True):
        assert f"{player.name} ({LETTERS[player.seat]}, {player.colour}) has {player.influence} influence." in said
        assert classes(line) == ["line", f"seat-{player.seat}"]
        points = [(int(p.get("data-version", "")), float(p.get("data-x", ""))) for p in of_class(line, "point")]
        assert points == sorted(points)
        assert [version for version, _ in points] == [each.version for each in reached]
        assert points[-1][0] <= timeline.version
        left, right = float(picture.get("data-left", "")), float(picture.get("data-right", ""))
        assert all(left <= x <= right for _, x in points)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_pictures_of_a_recorded_game_agree_with_the_views(path: Path) -> None:
    game = recorded(path)
    last = len(game.actions)
    for number, (_, timeline) in enumerate(moments(game), start=1):
        if number in (last // 3, last * 2 // 3, last):
            theme: ThemeName = "dark" if number == last else "light"
            shown, plotted = parsed(board_picture(timeline, theme)), parsed(scores_picture(timeline, theme))
            check_self_contained(shown)
            check_self_contained(plotted)
            check_board(shown, timeline)
            check_scores(plotted, timeline)


@pytest.mark.parametrize("path", BY_HAND, ids=lambda path: path.stem)
def test_the_plot_has_the_influence_worked_out_by_hand(path: Path) -> None:
    """R6 to R8: after each turn; the last one before the final count."""
    *played, (ending, timeline) = moments(recorded(path))
    expected = [taken.influence for taken, _ in played if isinstance(taken.action, EndTurn)]
    reached = [each.influence for each in standings(timeline)]
    assert reached[1 : len(expected) + 1] == expected
    assert reached[-1] == ending.influence
