"""The policy of all pages: they bring their styles along, load nothing, and no other page frames them."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from httpx import Client, Response

from api.http.problems import CATALOGUE
from api.web.documents import PAGES

ADDRESSES = ["/schema", "/rules", *(f"/problems/{code}" for code in CATALOGUE)]
LOADING = {"script", "link", "img", "iframe", "object", "embed", "form", "base", "audio", "video", "svg"}


def directives(answer: Response) -> dict[str, list[str]]:
    """The directives of the policy that an answer comes with."""
    parts = [part.split() for part in answer.headers["content-security-policy"].split(";")]
    return {name: values for name, *values in parts}


class Page(HTMLParser):
    """What a page has that a policy decides on."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.styles: list[str] = []
        self._in_style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._in_style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.styles.append(data)


def test_every_page_is_looked_at() -> None:
    made = {"/" + page.relative_to(PAGES).with_suffix("").as_posix() for page in PAGES.rglob("*.html")}
    assert {address.replace("/schema", "/reference") for address in ADDRESSES} == made


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_needs_nothing_that_its_policy_forbids(client: Client, address: str) -> None:
    answer = client.get(address)
    page, policy = Page(answer.text), directives(answer)
    hashes = [f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" for style in page.styles]
    none = {name: ["'none'"] for name in ("default-src", "base-uri", "form-action", "frame-ancestors")}
    assert policy == none | {"style-src": hashes}
    assert hashes
    assert not page.tags & LOADING
    assert not [name for name in page.attributes if name == "style" or name.startswith("on")]
    assert not re.search(r"@import|url\(", "".join(page.styles))


@pytest.mark.parametrize("address", ADDRESSES[:3])
def test_a_page_that_the_client_has_keeps_its_policy(client: Client, address: str) -> None:
    first = client.get(address)
    again = client.get(address, headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    for answer in (first, again, client.head(address)):
        assert answer.headers["content-security-policy"] == first.headers["content-security-policy"]
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
