"""SVG as text. The style is in attributes only, so that a page with inline pictures can override it."""

from functools import cache, lru_cache
from html import escape
from unicodedata import east_asian_width

SIZE = 15
"""The size of the smallest texts on a board."""
FONTS = "Open Sans, Segoe UI, Roboto, Helvetica, Arial, sans-serif"

_NOT_IN_XML = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)), "\ufffd")

Attribute = str | float


def element(tag: str, *children: str, **attributes: Attribute) -> str:
    """Return an element. The name of an attribute may be written ``stroke_width`` for ``stroke-width``."""
    written = "".join(f' {_name(name)}="{_written(value)}"' for name, value in attributes.items())
    return f"<{tag}{written}>{''.join(children)}</{tag}>" if children else f"<{tag}{written}/>"


def group(class_: str, *children: str, **attributes: Attribute) -> str:
    return element("g", *children, class_=class_, **attributes)


def label(words: str, x: float, y: float, size: float, **attributes: Attribute) -> str:
    """Return a text whose baseline begins at a point, unless ``text_anchor`` says otherwise."""
    return element("text", escaped(words), x=x, y=y, font_size=size, **attributes)


def centred(words: str, x: float, y: float, size: float, **attributes: Attribute) -> str:
    """Return a text of capitals or digits centred on a point."""
    return label(words, x, y + 0.36 * size, size, text_anchor="middle", **attributes)


def rectangle(x: float, y: float, width: float, height: float, **attributes: Attribute) -> str:
    """Return a rectangle centred on a point."""
    return element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, **attributes)


def picture(
    class_: str,
    view_box: tuple[int, int, int, int],
    title: str,
    description: str,
    *children: str,
    **attributes: Attribute,
) -> str:
    """Return a whole picture with a title and a description in words."""
    return element(
        "svg",
        element("title", escaped(title)),
        element("desc", escaped(description)),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        class_=class_,
        viewBox=" ".join(map(str, view_box)),
        role="img",
        font_family=FONTS,
        text_rendering="geometricPrecision",
        **attributes,
    )


def escaped(words: str) -> str:
    """Escape a text for XML, and replace characters that XML cannot contain."""
    return escape(words.translate(_NOT_IN_XML))


def shortened(words: str, most: int) -> str:
    """Shorten a text to a width in letters, with an ellipsis."""
    widths = [2 if east_asian_width(letter) in "WF" else 1 for letter in words]
    if sum(widths) <= most:
        return words
    kept = next(count for count in range(len(words), -1, -1) if sum(widths[:count]) < most)
    return f"{words[:kept].rstrip()}…"


@cache
def _name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


@lru_cache(maxsize=10_000)
def _written(value: Attribute) -> str:
    return escaped(value) if isinstance(value, str) else f"{round(value, 1):g}"
