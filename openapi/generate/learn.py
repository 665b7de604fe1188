"""The part of the rules page for people who learn the game: the text of ``learn.md`` with tables and pictures."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from domain.base.game_end import DOLLARS_PER_INFLUENCE, INFLUENCE_PER_BONUS_TILE
from domain.boards import load_board
from openapi.generate.learn_pictures import figures, symbols
from openapi.generate.markdown import ITEM, blocks, inline

TEXT = Path(__file__).parent / "learn.md"

_BOARD = load_board("usa-1960s")


def learn() -> str:
    """Return the text with its tables, pictures and symbols as HTML."""
    parts, signs = tables() | figures(), symbols()
    blocks_of_text = re.split(r"\n\s*\n", TEXT.read_text(encoding="utf-8").strip())
    return "".join(_block(block, parts, signs) for block in blocks_of_text)


def _block(block: str, parts: dict[str, str], signs: dict[str, str]) -> str:
    """Return a block of Markdown. ``{name}`` at its beginning is a table or a picture, in a list a symbol."""
    if block.startswith("{"):
        name, caption = _named(block)
        return f"<figure id='figure-{name}'>{parts[name]}<figcaption>{inline(caption)}</figcaption></figure>"
    if block.startswith("- {"):
        items = map(_named, ITEM.split(block)[1:])
        rows = (f"<li>{signs[name]}<div>{inline(text)}</div>" for name, text in items)
        return f"<ul class='symbols'>{''.join(rows)}</ul>"
    return blocks(block)


def _named(text: str) -> tuple[str, str]:
    name, _, rest = text.removeprefix("{").partition("} ")
    return name, rest


def tables() -> dict[str, str]:
    """Return the tables by name, with their numbers from the board and the rules."""
    counts, track = sorted(_BOARD.starting_money), _BOARD.region_track
    players = "Players", *map(str, counts)
    charts = zip(*(_steps(_BOARD.income[count]) for count in counts), strict=True)
    return {
        "ways": _table(("When", "IP"), _ways()),
        "start": _table(
            players,
            [
                ("Money in turn order", *(", ".join(f"${each}" for each in _BOARD.starting_money[n]) for n in counts)),
                ("Bonus tiles", *(str(_BOARD.bonus_tiles[n]) for n in counts)),
                ("Closed regions", *(str(len(_BOARD.closed_regions[n])) for n in counts)),
            ],
        ),
        "chart": _table(players, ((f"${row[0][1]}", *(spaces for spaces, _ in row)) for row in charts)),
        "spaces": _table(
            ("Space", *(f"{space}" for space in range(1, len(track.influence) + 1))),
            [("IP", *(_space(space, influence) for space, influence in enumerate(track.influence, 1)))],
        ),
    }


def _ways() -> Iterator[tuple[str, str]]:
    """Yield all ways to influence."""
    values, track = _BOARD.city_tiles, _BOARD.region_track.influence
    first, second, third = (
        f"{min(ranked)} to {max(ranked)}" for ranked in zip(*(region.tile for region in _BOARD.regions), strict=True)
    )
    yield "A city scores, and you have more than half of its spaces", f"its value, {values[0]} to {values[-1]}"
    yield "A full city scores without such a majority, and you have the most franchises", "half its value, rounded down"
    yield "A region scores, and you have the most franchises there", f"first number on its tile, {first}"
    yield "A region scores, and you have the second most", f"second number, {second}"
    yield "A region scores, and you have at least one", f"third number, {third}"
    yield "A region scores in your turn", f"number on the region track, {min(track)} to {max(track)}"
    yield "The game ends: each franchise in a town", "1"
    yield f"The game ends: each full ${DOLLARS_PER_INFLUENCE}", "1"
    yield "The game ends: each unused bonus tile", f"{INFLUENCE_PER_BONUS_TILE}"


def _steps(chart: tuple[tuple[int, int], ...]) -> Iterator[tuple[str, int]]:
    """Yield the numbers of free spaces of each row of an income chart, and the dollars."""
    for (low, dollars), (high, _) in pairwise(chart):
        yield f"{low}\N{EN DASH}{high - 1}", dollars
    yield f"{chart[-1][0]} or more", chart[-1][1]


def _space(space: int, influence: int) -> str:
    return f"<b class='red'>{influence}</b>" if space >= _BOARD.region_track.red_from else f"{influence}"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table with a heading for each column and each row."""
    return f"<table><tr>{''.join(f'<th scope=col>{head}' for head in heads)}{''.join(map(_row, rows))}</table>"


def _row(cells: Iterable[str]) -> str:
    head, *others = cells
    return f"<tr><th scope=row>{head}{''.join(f'<td>{each}' for each in others)}"
