"""The page at `/rules`: how to play, a legend, and all rules with an anchor for each number."""

import re
from pathlib import Path

from openapi.generate.layout import page_of
from openapi.generate.learn import learn
from openapi.generate.markdown import blocks

RULES = Path(__file__).parent.parent.parent / "RULES.md"

_HEADING = re.compile(r"<h([23]) id='([\w-]+)'>(.*?)</h\1>")
_TAG = re.compile(r"<[^>]+>")


def rules_page() -> str:
    """Return the page. The headings of the rules are one level lower than in their document."""
    _, _, rules = RULES.read_text(encoding="utf-8").partition("\n")
    text = learn() + blocks("## All rules {#rules}\n\n" + re.sub(r"^#", "##", rules, flags=re.MULTILINE))
    headings = [(level, f"<a href='#{name}'>", _TAG.sub("", title)) for level, name, title in _HEADING.findall(text)]
    contents = (
        f"{link}<b>{title}</b></a>" if level == "2" else f"{link}{title}</a>" for level, link, title in headings
    )
    parts = " ".join(f"{link}{title}</a>" for level, link, title in headings if level == "2")
    text = text.replace("<h2", f"<p class='parts'>{parts}</p><h2", 1)
    return page_of("How to play Franchise", "".join(contents), text, "marks", "learn")
