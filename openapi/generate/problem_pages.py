"""The pages of single problems, and the page with all of them."""

from collections.abc import Iterator
from html import escape
from http import HTTPStatus
from itertools import groupby

from api.http.problems import CATALOGUE
from openapi.generate.layout import page_of
from openapi.generate.markdown import inline
from openapi.generate.reading import table
from projections.words import en

BY_STATUS = sorted(CATALOGUE.items(), key=lambda named: named[1].status)

_REASONS = "".join(
    [
        "<h2 id='reasons'>Reasons why an action is illegal</h2>",
        table(
            ("Reason", "Meaning"),
            ((f"<code>{reason}</code>", inline(title)) for reason, title in en.REASONS.items()),
        ),
    ]
)


def problem_page(code: str) -> str:
    entry = CATALOGUE[code]
    text = (
        f"<h1>{escape(entry.title)}</h1><p><code>{code}</code>, status {entry.status}</p><p>{inline(entry.help)}</p>"
        f"<p><a href='/schema#problem-{code}'>Example in the reference</a></p>"
    )
    here = {code: " aria-current='page'"}
    others = "".join(f"<a href='/problems/{other}'{here.get(other, '')}>{other}</a>" for other, _ in BY_STATUS)
    return page_of("Problems", others, text + (_REASONS if code == "illegal_action" else ""))


def problems_page() -> str:
    entries = "".join(f"<a href='#{code}'>{code}</a>" for code, _ in BY_STATUS)
    contents = f"{entries}<a href='#reasons'><b>Reasons</b></a>"
    introduction = (
        "<h1>Problems</h1><p>Programs should use the codes, which are stable. The "
        "<a href='/schema#problems'>reference</a> has an example of each problem. Clients that prefer JSON get this "
        "list as JSON.</p>"
    )
    return page_of("Problems", contents, introduction + "".join(_statuses()) + _REASONS)


def _statuses() -> Iterator[str]:
    for status, entries in groupby(BY_STATUS, key=lambda named: named[1].status):
        yield f"<h2 id='status-{status}'>{status} {HTTPStatus(status).phrase}</h2>"
        yield table(
            ("Code", "Meaning"),
            (
                (f"<a id='{code}' href='/problems/{code}'><code>{code}</code></a>", described(code))
                for code, _ in entries
            ),
        )


def described(code: str) -> str:
    """Return the title and the help of a problem."""
    entry = CATALOGUE[code]
    return f"<b>{inline(entry.title)}.</b> {inline(entry.help)}"
