"""A subset of Markdown as HTML, with links for numbers of rules and paths of pages."""

import re
from html import escape

_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_ITALIC = re.compile(r"(?<![\w*])\*([^*]+)\*(?![\w*])")
_RULE = re.compile(r"(?<![\w#])(R\d{1,2}(?:\.\d{1,2})?)(?![\w.]\d|\w)")
_PAGE = re.compile(r"<code>(/(?:rules|schema|problems)[\w/.#]*)</code>")
ITEM = re.compile(r"(?:^|\n)- ")
_NUMBER = re.compile(r"(R\d+(?:\.\d+)?) (.*)", re.DOTALL)
_NAMED = re.compile(r"(.*) \{#([\w-]+)\}")


def inline(text: str) -> str:
    """Return a line of text as HTML."""
    text = _CODE.sub(r"<code>\1</code>", escape(text, quote=False))
    text = _ITALIC.sub(r"<i>\1</i>", _BOLD.sub(r"<b>\1</b>", text))
    text = _PAGE.sub(r"<a href='\1'><code>\1</code></a>", text)
    return _RULE.sub(r"<a href='/rules#\1'>\1</a>", text)


def blocks(text: str) -> str:
    """Return headings, paragraphs and lists as HTML."""
    return "".join(_block(block) for block in re.split(r"\n\s*\n", text.strip()) if block)


def _block(block: str) -> str:
    if block.startswith("#"):
        heading, _, rest = block.partition("\n")
        marks, _, title = heading.partition(" ")
        return f"<h{len(marks)}{_anchored(title)}</h{len(marks)}>{blocks(rest)}"
    if block.startswith("- "):
        items = ITEM.split(block)[1:]
        return f"<ul>{''.join(f'<li{_anchored(item)}' for item in items)}</ul>"
    return f"<p>{inline(block)}"


def _anchored(text: str) -> str:
    """Return the rest of an opening tag and its text; a rule number before it or ``{#name}`` after it is an anchor."""
    numbered, named = _NUMBER.fullmatch(text), _NAMED.fullmatch(text)
    if numbered is not None:
        number, rest = numbered.groups()
        return f" id='{number}'><a class='number' href='#{number}'>{number}</a> {inline(rest)}"
    if named is not None:
        return f" id='{named[2]}'>{inline(named[1])}"
    return f">{inline(text)}"
