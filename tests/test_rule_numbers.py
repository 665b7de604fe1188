"""The numbers of the rules: what cites one means a rule that exists, and every rule has a test that names it."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
RULES = set(re.findall(r"^- (R\d+\.\d+) ", (ROOT / "RULES.md").read_text(encoding="utf-8"), re.MULTILINE))


def cited_in(*folders: str) -> Iterator[tuple[str, str]]:
    """Every rule number in the code of these folders, with the file it stands in; ranges count with all they span."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            for number in re.findall(r"\bR\d+\.\d+\b", text):
                yield number, str(path.relative_to(ROOT))
            for chapter, first, last in re.findall(r"\bR(\d+)\.(\d+) to R\1\.(\d+)\b", text):
                for line in range(int(first), int(last)):
                    yield f"R{chapter}.{line}", str(path.relative_to(ROOT))


def test_every_rule_that_is_cited_exists() -> None:
    unknown = [(number, path) for number, path in cited_in("domain", "projections", "api") if number not in RULES]
    assert not unknown


def test_every_rule_has_a_test_that_names_it() -> None:
    named = {number for number, path in cited_in("tests") if path != "tests/test_rule_numbers.py"}
    assert not sorted(RULES - named)
