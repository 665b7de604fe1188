"""The page about security names tests and settings that there are."""

import re
from pathlib import Path

from api.settings import PREFIX, Settings

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")


def test_every_row_of_what_was_tried_names_its_tests() -> None:
    tried = PAGE.partition("## What was tried")[2].partition("## OWASP")[0]
    rows = [line for line in tried.splitlines() if line.startswith("| ") and not line.startswith("| tried")]
    assert len(rows) > 30
    for row in rows:
        named = re.findall(r"`([a-z]+/test_\w+\.py)`", row.rpartition(" | ")[2])
        assert named, row
        for name in named:
            assert (ROOT / "tests" / name).is_file(), name


def test_every_setting_on_the_page_is_one() -> None:
    known = {PREFIX + name.upper() for name in Settings.__struct_fields__}
    assert set(re.findall(rf"{PREFIX}\w+", PAGE)) <= known


def test_every_risk_of_the_ten_has_its_row() -> None:
    assert re.findall(r"^\| API(\d+) ", PAGE, re.MULTILINE) == [str(number) for number in range(1, 11)]
