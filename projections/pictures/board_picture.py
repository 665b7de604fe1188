"""Pictures of the board of a game and of the printed map."""

from domain.board import Board
from domain.boards import load_board
from domain.modules import GameOptions
from domain.table import Table
from domain.timeline import Timeline
from projections.board import BoardView, board
from projections.pictures.description import Names, describe_board, describe_place, heading, names_of
from projections.pictures.links import draw_links
from projections.pictures.panel import draw_legend, draw_players
from projections.pictures.pieces import Pieces, pieces_of
from projections.pictures.places import draw_place
from projections.pictures.regions import draw_areas, draw_region_tiles
from projections.pictures.svg import element, picture
from projections.pictures.themes import THEMES, Theme, ThemeName
from projections.pictures.track import draw_track
from projections.scores import scores
from projections.words import en


def board_picture(timeline: Timeline, theme: ThemeName = "light") -> str:
    """Return the board of a game with the list of players; before the start, the printed board."""
    view, players = board(timeline), scores(timeline).players
    printed, look, pieces = load_board(timeline.table.options.board), THEMES[theme], pieces_of(players)
    state = heading(timeline)
    to_play = timeline.game.to_play if timeline.game else None
    return picture(
        "board",
        printed.view_box,
        en.pictures.board_title(state),
        f"{state}. {describe_board(view, players)}",
        _layers(printed, view, names_of(players), look, pieces),
        draw_players(printed.panel, state, players, to_play, look, pieces),
    )


def _layers(printed: Board, view: BoardView, names: Names, theme: Theme, pieces: Pieces) -> str:
    """Return the layers of a board, from the bottom up."""
    x, y, width, height = printed.view_box
    places = (
        draw_place(place, shown, describe_place(shown, names), theme, pieces, boom=shown.id == view.boom)
        for place, shown in zip(printed.places, view.places, strict=True)
    )
    return "".join(
        (
            element("rect", class_="sea", x=x, y=y, width=width, height=height, fill=theme.sea),
            draw_areas(printed, view.regions, theme),
            draw_links(printed, len(names), theme),
            *places,
            draw_region_tiles(printed, view.regions, theme, pieces),
            draw_track(printed, view.track, theme),
        )
    )


def map_picture(name: str, players: int, theme: ThemeName = "light") -> str:
    """Return the printed map of a board for a number of players."""
    printed, look = load_board(name), THEMES[theme]
    view, title = board(Timeline(0, Table(players, GameOptions(board=name)))), en.pictures.map_title(players)
    return picture(
        "board map",
        printed.view_box,
        en.pictures.board_title(title),
        f"{title}. {describe_board(view, ())}",
        _layers(printed, view, dict.fromkeys(range(players), ""), look, ()),
        draw_legend(printed.panel, look),
    )
