"""The little of Markdown that our own texts use, as HTML."""

import re
from html import escape

_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")


def inline(text: str) -> str:
    """A line of text."""
    return _BOLD.sub(r"<b>\1</b>", _CODE.sub(r"<code>\1</code>", escape(text, quote=False)))


def blocks(text: str) -> str:
    """Paragraphs and lists."""
    return "".join(_block(block) for block in re.split(r"\n\s*\n", text.strip()) if block)


def _block(block: str) -> str:
    if block.startswith("- "):
        items = re.split(r"\n?- ", block)[1:]
        return f"<ul>{''.join(f'<li>{inline(item)}' for item in items)}</ul>"
    return f"<p>{inline(block)}"
