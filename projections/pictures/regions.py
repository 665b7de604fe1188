"""The areas, names and tiles of regions."""

from collections.abc import Iterator

from domain.board import Board, PrintedRegion, RegionTile
from domain.geometry import Point
from projections.board import RegionStatus, RegionView
from projections.pictures.pieces import Pieces, franchise
from projections.pictures.svg import SIZE, Attribute, centred, element, group, label, rectangle
from projections.pictures.themes import Theme, region_fill
from projections.words import en

TILE_WIDTH = 66
TILE_HEIGHT = 25
_CAPTION_HEIGHT = 14


def draw_areas(board: Board, views: tuple[RegionView, ...], theme: Theme) -> str:
    """Draw the areas of all regions with their names."""
    return "".join(_area(region, view, theme) for region, view in zip(board.regions, views, strict=True))


def draw_region_tiles(board: Board, views: tuple[RegionView, ...], theme: Theme, pieces: Pieces) -> str:
    """Draw the tiles of all regions with their tie-break markers (R6.5)."""
    drawn = (_on_region(region.tile_at, view, theme, pieces) for region, view in zip(board.regions, views, strict=True))
    return group("tiles", *(part for parts in drawn for part in parts))


def draw_tile(tile: RegionTile, at: Point, theme: Theme, **data: str) -> str:
    """Draw a region tile with its values centred on a point (R7.2), and its kind below them (R12)."""
    caption = en.pictures.TILE_CAPTIONS[tile.kind]
    below = _CAPTION_HEIGHT if caption else 0
    look: dict[str, Attribute] = {"rx": 4, "fill": theme.paper, "stroke": theme.outline}
    surface = rectangle(at.x, at.y + below / 2, TILE_WIDTH, TILE_HEIGHT + below, **look)
    words = centred(_values(tile), at.x, at.y, SIZE, fill=theme.ink, font_weight=700)
    kind = [centred(caption, at.x, at.y + _CAPTION_HEIGHT, SIZE, fill=theme.ink)] if caption else []
    return group("tile", surface, words, *kind, data_tile=tile.id, **data)


def _values(tile: RegionTile) -> str:
    if tile.kind == "regions":
        return " ".join(f"{value:+}" for value in tile.values).replace("-", "\N{MINUS SIGN}")
    return "·".join(map(str, tile.values))


def _area(region: PrintedRegion, view: RegionView, theme: Theme) -> str:
    closed, state = view.status == "closed", "" if view.status == "open" else f" {view.status}"
    fill = theme.closed if closed else region_fill(theme, region.colour)
    area = element("path", class_="area", d=region.area, fill=fill, stroke=theme.sea, stroke_width=2)
    name = label(
        region.name.upper(),
        region.label.x,
        region.label.y,
        SIZE,
        class_="region-name",
        text_anchor="middle",
        fill=theme.muted if closed else theme.ink,
        font_weight=600,
        letter_spacing=0.6,
    )
    return group(f"region{state}", area, name, data_region=region.id)


def _on_region(at: Point, view: RegionView, theme: Theme, pieces: Pieces) -> Iterator[str]:
    if view.tile is not None:
        yield draw_tile(view.tile, at, theme, data_region=view.id)
    elif view.status != "open":
        yield group("no-tile", *_empty(at, view.status, theme), data_region=view.id)
    if view.tie_break is not None:
        x = at.x + TILE_WIDTH / 2 + 12
        yield group("tie-break", franchise(theme, pieces, view.tie_break, x, at.y, 9), data_region=view.id)


def _empty(at: Point, status: RegionStatus, theme: Theme) -> tuple[str, str]:
    return (
        rectangle(at.x, at.y, TILE_WIDTH, TILE_HEIGHT, rx=4, fill="none", stroke=theme.muted, stroke_dasharray="3 3"),
        centred(en.pictures.REGION_CAPTIONS[status], at.x, at.y, SIZE, fill=theme.ink),
    )
