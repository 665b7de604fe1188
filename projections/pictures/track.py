"""The region track (R7.4, R8.1)."""

from domain.board import Board, Track
from domain.geometry import Point
from projections.board import TrackSpace
from projections.pictures.regions import TILE_HEIGHT, TILE_WIDTH, draw_tile
from projections.pictures.svg import SIZE, Attribute, centred, group, label, rectangle
from projections.pictures.themes import Theme
from projections.words import en

_WIDTH, _HEIGHT = 66, 64


def draw_track(board: Board, spaces: tuple[TrackSpace, ...], theme: Theme) -> str:
    """Draw the region track with its tiles."""
    drawn = [_space(space, at, theme) for space, at in zip(spaces, board.region_track.spaces, strict=True)]
    return group("track", *_headings(board.region_track, theme), *drawn)


def _headings(track: Track, theme: Theme) -> tuple[str, str]:
    first, red = track.spaces[0], track.spaces[track.red_from - 1]
    y, look = first.y - _HEIGHT / 2 - 6, {"font_weight": 600}
    return (
        label(en.pictures.HEADS["track"], first.x - _WIDTH / 2, y, SIZE, fill=theme.ink, **look),
        label(en.pictures.RED_ZONE, red.x - _WIDTH / 2, y, SIZE, fill=theme.alarm, **look),
    )


def _space(space: TrackSpace, at: Point, theme: Theme) -> str:
    colour = theme.alarm if space.red else theme.line
    edge: dict[str, Attribute] = {"stroke": colour, "stroke_width": 2.5 if space.red else 1}
    below = Point(at.x, at.y + 3)
    tile = [] if space.tile is None else [draw_tile(space.tile, below, theme)]
    return group(
        "space red" if space.red else "space",
        rectangle(at.x, at.y, _WIDTH, _HEIGHT, rx=5, fill=theme.paper, **edge),
        centred(en.pictures.influence_label(space.influence), at.x, at.y - 20, SIZE, fill=theme.ink, font_weight=600),
        *tile or [_free(below, colour)],
        data_space=str(space.space),
    )


def _free(at: Point, colour: str) -> str:
    look: dict[str, Attribute] = {"fill": "none", "stroke": colour, "stroke_dasharray": "3 3"}
    return rectangle(at.x, at.y, TILE_WIDTH - 8, TILE_HEIGHT, rx=4, **look)
