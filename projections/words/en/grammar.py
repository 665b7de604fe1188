"""Numbers, lists and tiles in English."""

from collections.abc import Iterable, Mapping

from domain.board import RegionTile, TileKind

TILE_KINDS: Mapping[TileKind, str] = {
    "influence": "",
    "dollars": "in dollars",
    "bonus_tile": "with a bonus tile",
    "regions": "by the number of regions",
    "development": "with the Development tile",
    "route": "with the Route tile",
}
"""The words for each kind of region tile (R12)."""

_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def listed(words: Iterable[str], last_by: str = "and") -> str:
    """Join words by commas, and the last two by "and" or another word."""
    *most, last = words
    return f"{', '.join(most)} {last_by} {last}" if most else last


def count(number: int, word: str) -> str:
    """Return a number with its noun, in the plural except for 1."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def ordinal(number: int) -> str:
    return f"{number}{_ENDINGS.get(number, 'th')}"


def tile_text(tile: RegionTile) -> str:
    """Return a region tile in words, such as ``12/8/4 in dollars``."""
    values = "/".join(f"{value:+}" if tile.kind == "regions" else str(value) for value in tile.values)
    return f"{values} {TILE_KINDS[tile.kind]}".rstrip()
