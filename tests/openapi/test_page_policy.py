"""The policy of all pages: they load their own files, call their own server, and cannot be framed."""

from html.parser import HTMLParser

import pytest
from httpx import Client, Response

from api.http.problems import CATALOGUE
from api.web.documents import PAGES, page_files

ADDRESSES = ["/schema", "/rules", "/problems", *(f"/problems/{code}" for code in CATALOGUE)]
LOADING = {"style", "img", "iframe", "object", "embed", "form", "base", "audio", "video", "image", "use"}
BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
POLICY = {
    **{name: ["'none'"] for name in ("default-src", "base-uri", "form-action", "frame-ancestors")},
    **{name: ["'self'"] for name in ("script-src", "style-src", "connect-src")},
    "img-src": ["'self'", "blob:"],
}


def directives(response: Response) -> dict[str, list[str]]:
    """The directives of the policy in a response."""
    parts = [part.split() for part in response.headers["content-security-policy"].split(";")]
    return {name: values for name, *values in parts}


class Page(HTMLParser):
    """The parts of a page that a policy can forbid."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.files: list[str] = []
        self.inline = ""
        self._in_script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.files += [value or "" for name, value in attrs if name == "src" or (tag == "link" and name == "href")]
        self._in_script = tag == "script"

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        self.inline += data if self._in_script else ""


def test_every_page_is_tested() -> None:
    made = {"/" + page.relative_to(PAGES).with_suffix("").as_posix() for page in PAGES.rglob("*.html")}
    assert {address.replace("/schema", "/reference") for address in ADDRESSES} == made


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_needs_nothing_forbidden_by_its_policy(client: Client, address: str) -> None:
    response = client.get(address, headers=BROWSER)
    page = Page(response.text)
    assert directives(response) == POLICY
    assert {file.rpartition("/")[0] for file in page.files} == {f"/schema/files/{page_files().release}"}
    assert all(client.get(file).is_success for file in page.files)
    assert not page.inline
    assert not page.tags & LOADING
    assert not [name for name in page.attributes if name == "style" or name.startswith("on")]


@pytest.mark.parametrize("address", ADDRESSES[:4])
def test_an_unchanged_page_keeps_its_policy(client: Client, address: str) -> None:
    first = client.get(address, headers=BROWSER)
    again = client.get(address, headers=BROWSER | {"if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    for response in (first, again, client.head(address, headers=BROWSER)):
        assert response.headers["content-security-policy"] == first.headers["content-security-policy"]
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cache-control"] == "no-cache"
        assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (BROWSER["accept"], "text/html; charset=utf-8"),
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("application/json, text/html;q=0.9", "application/json"),
    ],
)
def test_browsers_get_the_problems_as_html_and_programs_as_json(client: Client, accept: str, kind: str) -> None:
    response = client.get("/problems", headers={"accept": accept})
    assert response.headers["content-type"] == kind
    assert "accept" in response.headers.get_list("vary", split_commas=True)
    assert all(code in response.text for code in CATALOGUE)


def test_the_server_has_an_icon_for_other_responses(client: Client) -> None:
    icon = client.get("/favicon.ico")
    assert icon.headers["content-type"] == "image/svg+xml"
    assert icon.text.startswith("<svg")
