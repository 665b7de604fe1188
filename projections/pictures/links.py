"""Links and their prices."""

from functools import lru_cache

from domain.board import Board, Link
from projections.pictures.svg import SIZE, Attribute, centred, element, group
from projections.pictures.themes import Theme

PRICE_RADIUS = 9


@lru_cache(maxsize=64)
def draw_links(board: Board, players: int, theme: Theme) -> str:
    """Draw all links with their prices. Links of closed places are faint (R2.2)."""
    closed = board.closed(players)
    looks: list[dict[str, Attribute]] = [
        {"data_link": " ".join(link.between), **({"opacity": 0.3} if board.set_of(link.between) & closed else {})}
        for link in board.links
    ]
    drawn = list(zip(board.links, looks, strict=True))
    lines = [element("path", class_="link", d=link.path, **look) for link, look in drawn]
    prices = [_price(link, look, theme) for link, look in drawn]
    return group("links", *lines, fill="none", stroke=theme.line, stroke_width=1.6) + group(
        "prices", *prices, fill=theme.ink, font_weight=600
    )


def _price(link: Link, look: dict[str, Attribute], theme: Theme) -> str:
    x, y = link.label.x, link.label.y
    disc = element("circle", cx=x, cy=y, r=PRICE_RADIUS, fill=theme.paper, stroke=theme.slot)
    return group("price", disc, centred(str(link.cost), x, y, SIZE), **look)
