"""The README keeps its word, and so do the commands of docs/frontend.md, which go on where its tour ends."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import msgspec

from api.settings import PREFIX, Settings
from tests.api.people import serving
from tests.api.server import running
from tests.support.documents import ROOT, blocks, fits, last_answer, programs, read_shown, run_steps

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_commands_work_and_are_answered_as_printed(tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    with running() as server:
        done = run_steps(["README.md", "docs/frontend.md"], tmp_path, API=server.url)
    shown = [(step, printed) for step, printed in done if step.shown]
    assert len(shown) >= 16
    for step, printed in shown:
        assert fits(read_shown(step.shown), last_answer(printed)), f"{step.shown}\n{printed}"
    for picture in ("board.svg", "sample.svg"):
        assert (tmp_path / picture).read_text("utf-8").startswith("<svg")
    written = {path.name: path.read_text("utf-8") for path in (tmp_path / "frontend").iterdir()}
    assert written == programs("docs/live.md") | programs("docs/frontend.md")


def test_the_legal_move_is_one_of_the_game_in_the_picture() -> None:
    (move,) = [json.loads(text) for language, text in blocks("README.md") if language == "json"]
    with serving(bot_workers=0) as client:
        game = client.post("/v1/records", content=(ROOT / "docs/game.json").read_bytes()).json()["game"]
        assert move in client.get(f"/v1/games/{game['id']}/legal-moves").json()["items"]
        for theme, file in (("light", "board.svg"), ("dark", "board-dark.svg")):
            assert f"docs/{file}" in README
            drawn = client.get(f"/v1/games/{game['id']}/board.svg", params={"theme": theme}).text
            assert drawn == (ROOT / "docs" / file).read_text("utf-8")


def test_every_setting_stands_in_the_table() -> None:
    rows = dict(re.findall(r"^\| `(FRANCHISE_\w+)` \| (.*) \|$", README, re.MULTILINE))
    assert rows == {PREFIX + name.upper(): row for name, row in settings_in_words()}


def settings_in_words() -> Iterator[tuple[str, str]]:
    """Each setting with its default and its description, as the table has them."""
    kinds = get_type_hints(Settings, include_extras=True)
    for field in msgspec.structs.fields(Settings):
        default = ",".join(field.default) if isinstance(field.default, tuple) else str(field.default)
        shown = f"`{default}`" if default else ""
        yield field.name, f"{shown} | {kinds[field.name].__metadata__[-1].description}"
