"""The layout of all pages: contents next to the text, and the files that pages load."""

from html import escape

_FILES = "/schema/files/RELEASE"
"""The path of the files; the server fills in the digest of the release."""

_SHEETS = "common", "page", "contents", "tools"


def page_of(title: str, contents: str, text: str, *sheets: str) -> str:
    """Return a page with a table of contents next to its text, with further style sheets of its own."""
    styles = "".join(f'<link rel="stylesheet" href="{_FILES}/{name}.css">' for name in (*_SHEETS, *sheets))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="{_FILES}/icon.svg" type="image/svg+xml">'
        f'{styles}<script type="module" src="{_FILES}/main.js"></script></head>'
        "<body><a class='skip' href='#top'>Skip to the content</a>"
        "<nav aria-label='Contents'><details class='contents' open>"
        f"<summary>Contents<span class='where'></span></summary><div class='links'>"
        f"<a href='#top'><b>{escape(title)}</b></a><p class='pages'>"
        "<a href='/schema'>Reference</a> <a href='/rules'>Rules</a> "
        "<a href='/problems'>Problems</a> <a href='/play'>Play</a></p>"
        f"<div class='entries'>{contents}</div></div></details></nav>"
        f"<main id='top' tabindex='-1'>{text}</main></body></html>"
    )
