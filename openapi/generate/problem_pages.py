"""The pages that the `type` of a problem leads to."""

from html import escape

from api.http.problems import CATALOGUE
from domain.modules import REASONS
from openapi.generate.layout import page_of
from openapi.generate.markdown import inline


def problem_page(code: str) -> str:
    """Return the page about a problem: its status, what it means and what to do about it."""
    entry = CATALOGUE[code]
    rows = "".join(f"<dt><code>{reason}</code><dd>{inline(title)}" for reason, title in REASONS.items())
    reasons = f"<h2>Reasons</h2><dl>{rows}</dl>" if code == "illegal_action" else ""
    text = f"<h1>{escape(entry.title)}</h1><p><code>{code}</code>, status {entry.status}</p><p>{inline(entry.help)}</p>"
    others = "".join(f"<a href='/problems/{other}'>{other}</a>" for other in CATALOGUE)
    return page_of("Problems", others, text + reasons)
