"""The layout of all pages: one file, without scripts, without other servers."""

from html import escape
from pathlib import Path

_STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")


def page_of(title: str, contents: str, text: str) -> str:
    """Return a page with its contents beside its text."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><nav><a href='#top'><b>{escape(title)}</b></a>"
        "<a href='/schema'>The reference</a><a href='/rules'>The rules</a>"
        f"{contents}</nav><main id='top'>{text}</main></body></html>"
    )
