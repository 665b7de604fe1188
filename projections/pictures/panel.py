"""The corner of a picture next to the map: the list of players, or the legend."""

from collections.abc import Iterator

from domain.geometry import Point
from projections.pictures.pieces import Pieces, franchise
from projections.pictures.svg import SIZE, Attribute, centred, element, group, label, rectangle, shortened
from projections.pictures.themes import Theme
from projections.scores import PlayerScore
from projections.words import en

_ROW = 25
_NAME_LETTERS = 24


def draw_players(
    at: Point, heading: str, players: tuple[PlayerScore, ...], to_play: int | None, theme: Theme, pieces: Pieces
) -> str:
    """Draw the list of players, with a mark at the player to move."""
    rows = (_row(player, number, to_play, theme, pieces) for number, player in enumerate(players))
    return group(
        "players",
        label(shortened(heading, 52), 0, 17, 16, fill=theme.ink, font_weight=700, class_="heading"),
        *rows,
        transform=f"translate({at.x} {at.y})",
    )


def _row(player: PlayerScore, number: int, to_play: int | None, theme: Theme, pieces: Pieces) -> str:
    y, name = 41 + _ROW * number, player.name or en.pictures.OPEN_SEAT
    turn = element("path", class_="to-play", d=f"M0 {y - 6}l10 6l-10 6z", fill=theme.ink)
    return group(
        f"player seat-{player.seat}",
        *[turn] * (player.seat == to_play),
        franchise(theme, pieces, player.seat, 25, y, 9),
        *_words(player, shortened(name, _NAME_LETTERS), y + 5, theme),
        data_seat=player.seat,
    )


def _words(player: PlayerScore, name: str, y: float, theme: Theme) -> Iterator[str]:
    fill = theme.ink if player.name and not player.resigned else theme.muted
    yield label(name, 42, y, 14, fill=fill, font_weight=600)
    if player.name:
        yield label(
            en.pictures.influence_label(player.influence), 302, y, 14, fill=fill, font_weight=700, text_anchor="end"
        )
        yield label(en.pictures.HAS_LEFT if player.resigned else f"${player.money}", 318, y, 13, fill=fill)
        yield label(en.pictures.supply_label(player.supply), 446, y, 12, fill=theme.muted, text_anchor="end")


def draw_legend(at: Point, theme: Theme) -> str:
    """Draw the symbols of the map with their meanings."""
    rows = (
        element("g", sign, label(words, 42, 5, SIZE, fill=theme.ink), transform=f"translate(34 {20 + 36 * number})")
        for number, (sign, words) in enumerate(_signs(theme))
    )
    return group("legend", *rows, transform=f"translate({at.x} {at.y})")


def _signs(theme: Theme) -> tuple[tuple[str, str], ...]:
    look: dict[str, Attribute] = {"fill": theme.paper, "stroke": theme.outline}
    bold: dict[str, Attribute] = {"fill": theme.ink, "font_weight": 700}
    city = element("circle", r=15, **look) + centred("4", 0, 0, SIZE, **bold)
    price = element("circle", r=9, **{**look, "stroke": theme.slot}) + centred("3", 0, 0, SIZE, **bold)
    tile = rectangle(0, 0, 66, 25, rx=4, **look) + centred("6·4·2", 0, 0, SIZE, **bold)
    signs = {"city": city, "town": element("circle", r=10, **look), "price": price, "tile": tile}
    return tuple((sign, en.pictures.LEGEND[name]) for name, sign in signs.items())
