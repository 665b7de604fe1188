"""A plot of each player's influence over the turns."""

from collections.abc import Iterator, Sequence

import msgspec

from domain.game import Game
from domain.timeline import Moment, Timeline, earlier_moments
from projections.pictures.description import heading, names_of
from projections.pictures.pieces import Pieces, franchise, pieces_of, seat_letter
from projections.pictures.svg import Attribute, element, group, label, picture, shortened
from projections.pictures.themes import THEMES, Theme, ThemeName
from projections.scores import PlayerScore, scores
from projections.words import en

VIEW_BOX = (0, 0, 760, 420)
LEFT, RIGHT, TOP, BOTTOM = 48, 560, 52, 370
_DASHES = ("", "12 4", "4 3", "16 4 4 4", "8 3 3 3 3 3")
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_MOST_STEPS = 8
_ROW = 22


class Standing(msgspec.Struct, frozen=True):
    """The influence of all players after a number of turns, and the first version with it."""

    turns: int
    version: int
    influence: tuple[int, ...]


class Scale(msgspec.Struct, frozen=True):
    """The scale of the plot."""

    turns: int
    influence: int

    def x(self, turns: int) -> float:
        return round(LEFT + (RIGHT - LEFT) * turns / self.turns, 1)

    def y(self, influence: int) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * influence / self.influence, 1)


def standings(timeline: Timeline) -> tuple[Standing, ...]:
    """Return the influence after each turn in force, and after the final count."""
    if timeline.now is None:
        return ()
    found: dict[int, Standing] = {}
    for moment in (timeline.now, *earlier_moments(timeline.now)):
        turns = _finished_turns(moment.game)
        found[turns] = Standing(turns, moment.version, _before_final_count(moment.game))
    return (*reversed(found.values()), *_final(timeline.now))


def _finished_turns(game: Game) -> int:
    return game.turn.number if game.ending else max(0, game.turn.number - 1)


def _before_final_count(game: Game) -> tuple[int, ...]:
    earned = [player.earned for player in game.players]
    return tuple(each.cities + each.regions + each.region_track for each in earned)


def _final(now: Moment) -> Iterator[Standing]:
    if now.game.ending:
        influence = tuple(player.influence for player in now.game.players)
        yield Standing(_finished_turns(now.game) + 1, now.version, influence)


def scores_picture(timeline: Timeline, theme: ThemeName = "light") -> str:
    """Plot the influence of each player over the turns; before the start, list the players."""
    look, players, reached = THEMES[theme], scores(timeline).players, standings(timeline)
    most = max((value for each in reached for value in each.influence), default=0)
    scale = Scale(max(1, reached[-1].turns) if reached else 1, _rounded_up(max(5, most)))
    state, pieces = heading(timeline), pieces_of(players)
    over = bool(timeline.game and timeline.game.ending)
    return picture(
        "scores",
        VIEW_BOX,
        en.pictures.plot_title(state),
        f"{state}. {' '.join(_words(players, reached, scale, over=over))}",
        element("rect", class_="paper", width=VIEW_BOX[2], height=VIEW_BOX[3], fill=look.paper),
        label(en.pictures.plot_heading(shortened(state, 40)), LEFT, 26, 15, fill=look.ink, font_weight=700),
        _axes(scale, look, over=over),
        *(_line(seat, reached, scale, look, pieces) for seat in range(len(players))),
        *_ends(players, reached, scale, look, pieces),
        data_left=LEFT,
        data_right=RIGHT,
        data_top=TOP,
        data_bottom=BOTTOM,
    )


def _rounded_up(value: int) -> int:
    step = _step(value)
    return -(-value // step) * step


def _step(most: int) -> int:
    """Return the distance between grid lines for values from 0 to ``most``."""
    return next(step for step in _STEPS if most / step <= _MOST_STEPS)


def _axes(scale: Scale, theme: Theme, *, over: bool) -> str:
    turns = range(0, scale.turns + 1, _step(scale.turns))
    final = label(
        en.pictures.FINAL_COUNT, scale.x(scale.turns), BOTTOM + 34, 11.5, text_anchor="middle", fill=theme.muted
    )
    return group(
        "axes",
        *(_rule(value, scale, theme) for value in range(0, scale.influence + 1, _step(scale.influence))),
        *(
            _number(turn, scale.x(turn), BOTTOM + 18, theme, "middle")
            for turn in turns
            if turn < scale.turns + 1 - over
        ),
        label(en.pictures.TURNS, LEFT, BOTTOM + 34, 11.5, text_anchor="middle", fill=theme.muted),
        *[final] * over,
    )


def _rule(value: int, scale: Scale, theme: Theme) -> str:
    y = scale.y(value)
    line = element("path", d=f"M{LEFT} {y:g}H{RIGHT}", stroke=theme.slot, stroke_opacity=0.5, fill="none")
    return line + _number(value, LEFT - 8, y + 4, theme, "end")


def _number(value: int, x: float, y: float, theme: Theme, anchor: str) -> str:
    return label(str(value), x, y, 11.5, text_anchor=anchor, fill=theme.muted)


def _line(seat: int, reached: Sequence[Standing], scale: Scale, theme: Theme, pieces: Pieces) -> str:
    """Draw the line of a player with a point for each turn. Its dashes differ from other lines."""
    points = [(each, scale.x(each.turns), scale.y(each.influence[seat])) for each in reached]
    path = "M" + "L".join(f"{x:g} {y:g}" for _, x, y in points)
    look: dict[str, Attribute] = {"d": path, "fill": "none", "stroke_linejoin": "round"}
    if _DASHES[seat]:
        look["stroke_dasharray"] = _DASHES[seat]
    lines = [
        element("path", class_="edge", stroke=theme.outline, stroke_width=4, **look),
        element("path", class_="stroke", stroke=pieces[seat].fill, stroke_width=2.8, **look),
    ]
    dots = [
        element(
            "circle",
            class_="point",
            cx=x,
            cy=y,
            r=2,
            fill="transparent",
            data_version=each.version,
            data_x=x,
            data_turn=each.turns,
            data_influence=each.influence[seat],
        )
        for each, x, y in points
    ]
    return group(f"line seat-{seat}", *lines * bool(points), *dots, data_seat=seat)


def _ends(
    players: tuple[PlayerScore, ...], reached: Sequence[Standing], scale: Scale, theme: Theme, pieces: Pieces
) -> Iterator[str]:
    """Draw the name of each player at the end of their line, without overlaps."""
    y = float(TOP - _ROW)
    for player in sorted(players, key=lambda player: -player.influence):
        end = scale.y(player.influence)
        y = max(y + _ROW, min(end, BOTTOM - _ROW * 4))
        words = f"{player.influence} {shortened(player.name or en.pictures.OPEN_SEAT, 18)}"
        yield group(
            f"end seat-{player.seat}",
            *[element("path", d=f"M{RIGHT + 3} {end:g}L{RIGHT + 16} {y:g}", stroke=theme.muted, fill="none")]
            * bool(reached),
            franchise(theme, pieces, player.seat, RIGHT + 26, y, 9),
            label(words, RIGHT + 41, y + 4.5, 13, fill=theme.ink, font_weight=600),
            data_seat=player.seat,
        )


def _words(players: tuple[PlayerScore, ...], reached: Sequence[Standing], scale: Scale, *, over: bool) -> Iterator[str]:
    names = names_of(players)
    for player in players:
        letter = seat_letter(player.seat)
        yield en.pictures.player_influence(names[player.seat], letter, player.colour, player.influence)
    step = _step(scale.turns)
    for each in reached:
        if each.turns % step == 0 and each.turns and each is not reached[-1]:
            yield en.pictures.influence_after(each.turns, each.influence)
    if over:
        yield en.pictures.influence_before_final_count(reached[-2].influence)
