"""The rules as a page, with an anchor for each number."""

from pathlib import Path

from openapi.generate.layout import page_of
from openapi.generate.markdown import blocks

RULES = Path(__file__).parent.parent.parent / "RULES.md"


def rules_page() -> str:
    text = RULES.read_text(encoding="utf-8")
    contents = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## R")]
    links = [f"<a href='#{title.partition(' ')[0]}'>{title}</a>" for title in contents]
    return page_of("The rules of Franchise", "".join(links), blocks(text))
