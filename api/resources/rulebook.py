"""The rules by number, as a page to read: where the `rule` of a refusal leads."""

from functools import cache
from pathlib import Path

from litestar import Controller, get

from api.conventions.answers import HTML, Answer
from api.conventions.operation import Operation
from api.conventions.printed import Printed, printed, printed_answer
from api.conventions.requests import Call
from api.description.frame import framed
from api.description.markdown import blocks

PATH = Path(__file__).parent.parent.parent / "RULES.md"


@cache
def page() -> Printed:
    """The rules as a page, with an anchor for each number."""
    text = PATH.read_text(encoding="utf-8")
    contents = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## R")]
    links = [f"<a href='#{title.partition(' ')[0]}'>{title}</a>" for title in contents]
    return printed(framed("The rules of Franchise", "".join(links), blocks(text)).encode())


class Rulebook(Controller):
    """What the rules say."""

    path = "/rules"
    tags = ("service",)

    @get(
        operation_id="read_rules",
        summary="The rules, to read",
        opt={"operation": Operation(answer="A page.", gives=str, media_type="text/html", versioned=True)},
    )
    async def read_rules(self, request: Call) -> Answer:
        """Every rule by its number, as descriptions and the `rule` of a refusal cite it: `/rules#R4.1` is rule R4.1."""
        return printed_answer(request, page(), HTML)
