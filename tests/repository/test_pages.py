"""The documentation names existing rules, settings, tests and risks."""

import re
from collections.abc import Iterator
from typing import get_type_hints

import msgspec

from api.settings import PREFIX, Settings
from tests.support.documents import ROOT

SETTINGS = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs/security.md").read_text(encoding="utf-8")
RULES = re.findall(r"^(?:- |## )(R\d+(?:\.\d+)?) ", (ROOT / "RULES.md").read_text(encoding="utf-8"), re.MULTILINE)


def cited_in(*folders: str, files: str = "*.py") -> Iterator[tuple[str, str]]:
    """Every rule number in the code of these folders with its file; a range counts as all its numbers."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob(files)):
            text = path.read_text(encoding="utf-8")
            for number in re.findall(r"\bR\d+(?:\.\d+)?\b", text):
                yield number, str(path.relative_to(ROOT))
            for chapter, first, last in re.findall(r"\bR(\d+)\.(\d+) to R\1\.(\d+)\b", text):
                for line in range(int(first), int(last)):
                    yield f"R{chapter}.{line}", str(path.relative_to(ROOT))


def test_every_cited_rule_exists() -> None:
    unknown = [(number, path) for number, path in cited_in("domain", "projections", "api") if number not in RULES]
    assert not unknown


def test_every_rule_has_a_test_that_names_it() -> None:
    named = {number for number, _ in cited_in("tests", files="test_*.py")}
    assert not [rule for rule in RULES if "." in rule and rule not in named]


def test_every_setting_is_in_the_table() -> None:
    rows = dict(re.findall(r"^\| `(FRANCHISE_\w+)` \| (.*) \|$", SETTINGS, re.MULTILINE))
    assert rows == {PREFIX + name.upper(): row for name, row in setting_rows()}


def setting_rows() -> Iterator[tuple[str, str]]:
    """Each setting with its default and its description, as in the table."""
    kinds = get_type_hints(Settings, include_extras=True)
    for field in msgspec.structs.fields(Settings):
        default = ",".join(field.default) if isinstance(field.default, tuple) else str(field.default)
        shown = f"`{default}`" if default else ""
        yield field.name, f"{shown} | {kinds[field.name].__metadata__[-1].description}"


def test_every_row_about_security_names_its_tests() -> None:
    tried = SECURITY.partition("## Attacks tried")[2].partition("## OWASP")[0]
    rows = [line for line in tried.splitlines() if line.startswith("| ") and not line.startswith("| attack")]
    assert len(rows) > 30
    for row in rows:
        named = re.findall(r"`([a-z]+/test_\w+\.py)`", row.rpartition(" | ")[2])
        assert named, row
        for name in named:
            assert (ROOT / "tests" / name).is_file(), name


def test_every_setting_in_the_guide_to_security_exists() -> None:
    known = {PREFIX + name.upper() for name in Settings.__struct_fields__}
    assert set(re.findall(rf"{PREFIX}\w+", SECURITY)) <= known


def test_each_of_the_ten_risks_has_a_row() -> None:
    assert re.findall(r"^\| API(\d+) ", SECURITY, re.MULTILINE) == [str(number) for number in range(1, 11)]
