"""The files of the pages with scripts: imports, caching, size, and the redirect to the page to play."""

import gzip
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
from httpx import Client

from api.http.responses import LEVEL
from api.web import documents
from api.web.documents import PAGES
from api.web.play_page import EMBED, FILES, FRAMED, PAGE, POLICY, play_files
from tests.api.people import NOWHERE, People, bearer, problem

BUDGET = 150_000
"""The largest size of all files of the page in bytes, compressed."""

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

IMPORT = re.compile(r'(?:from|import|loadStyle)\s*\(?"\./([\w.]+)"')


class Site(NamedTuple):
    """Pages and their files by their names."""

    name: str
    pages: list[str]
    files: dict[str, str]

    @property
    def page(self) -> str:
        return "".join(self.pages)

    @property
    def modules(self) -> dict[str, str]:
        return {name: text for name, text in self.files.items() if name.endswith(".js")}


def site(name: str, pages: Iterable[Path], paths: Iterable[Path]) -> Site:
    texts = [path.read_text("utf-8") for path in pages]
    return Site(name, texts, {path.name: path.read_text("utf-8") for path in paths})


SITES = [
    site("play", [PAGE, EMBED], set(FILES.iterdir()) - {PAGE, EMBED}),
    site(
        "documents", [PAGES / "reference.html", PAGES / "rules.html"], [*documents.FILES.iterdir(), *documents.SHARED]
    ),
]


def addresses(client: Client) -> list[str]:
    """Return the addresses of the files in the page."""
    return re.findall(r'(?:href|src)="(/play/files/[^"]+)"', client.get("/play").text)


def test_every_private_game_has_the_same_page(client: Client) -> None:
    for path in ("/play", f"/play/{People(client, private=True).id}"):
        response = client.get(path)
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert response.content == client.get("/play").content
        assert response.headers["cache-control"] == "no-cache"
        assert client.get(path, headers={"if-none-match": response.headers["etag"]}).status_code == 304


@pytest.mark.parametrize("path", ["/nonsense", "/play/nonsense", f"/play/{NOWHERE}", "/play/a/b", "/v1/nonsense"])
def test_people_get_a_page_at_an_unknown_address(client: Client, path: str) -> None:
    response = client.get(path, headers={"accept": BROWSER, "if-none-match": "*"})
    assert response.status_code == 404
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "etag" not in response.headers
    assert "accept" in response.headers["vary"]
    assert {name: response.headers[name] for name in POLICY} == POLICY
    assert "<h1>Nothing is here</h1>" in response.text
    assert '<a class="button" href="/rules">' in response.text
    assert "<script" not in response.text
    assert "JavaScript" not in response.text


@pytest.mark.parametrize("path", ["/nonsense", "/play/a/b", "/v1/nonsense"])
def test_programs_get_the_problem_at_an_unknown_address(client: Client, path: str) -> None:
    for accept in ("*/*", "application/json", "nonsense;q=x"):
        response = client.get(path, headers={"accept": accept})
        assert "/schema" in problem(response, 404, "not_found")["detail"]
        assert "accept" in response.headers["vary"].split(", ")


def test_a_deleted_game_has_no_page(client: Client) -> None:
    table = People(client, players=1)
    assert client.get(f"/play/{table.id}").status_code == 200
    assert client.delete(table.path, headers=bearer(table.host)).status_code == 204
    assert client.get(f"/play/{table.id}").status_code == 404


def test_the_page_and_its_files_allow_nothing_from_elsewhere(client: Client) -> None:
    for path in ["/play", *addresses(client)]:
        headers = client.get(path).headers
        assert {name: headers[name] for name in POLICY} == POLICY
        assert headers["x-content-type-options"] == "nosniff"
    assert POLICY["content-security-policy"].startswith("default-src 'self';")


@pytest.mark.parametrize("path", ["/", "/play", "/play/nothing", "/embed/nothing", "/rules", "/schema"])
def test_parameters_that_other_sites_add_to_links_do_not_matter(client: Client, path: str) -> None:
    sent = {"accept": BROWSER}
    plain, tracked = (client.get(path + query, headers=sent) for query in ("", "?fbclid=a&fbclid=%ff&utm_source=b"))
    assert tracked.status_code == plain.status_code
    assert tracked.content == plain.content
    assert tracked.headers.get("location") == plain.headers.get("location")


@pytest.mark.parametrize("game", ["01a1f239-1851-756e-bf36-f58189ad04d9", "nothing"])
def test_other_pages_may_frame_one_page_only(client: Client, game: str) -> None:
    response = client.get(f"/embed/{game}")
    assert response.status_code == 200
    expected = {**POLICY, **FRAMED, "cache-control": "no-cache"}
    assert {name: response.headers[name] for name in expected} == expected
    assert FRAMED["content-security-policy"].split("; ")[-2] == "frame-ancestors *"
    for path in ("/play", f"/play/{game}", "/rules", "/schema", "/problems/weak_key"):
        assert "frame-ancestors 'none'" in client.get(path).headers["content-security-policy"]
    assert client.get("/embed").status_code == 404
    assert "set-cookie" not in response.headers


def test_files_are_immutable_and_only_those_of_this_release_exist(client: Client) -> None:
    for path in addresses(client):
        response = client.get(path)
        assert response.status_code == 200
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert client.get(path.replace(play_files().release, "before")).status_code == 404
    assert client.get(f"/play/files/{play_files().release}/nothing.js").status_code == 404


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_scripts_and_styles_are_in_files_of_their_own(site: Site) -> None:
    assert "<style" not in site.page
    assert not re.search(r"<[^>]*\s(?:style|on\w+)=", site.page)
    assert not re.search(r"<script(?![^>]*\ssrc=)", site.page)


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_modules_import_files_of_the_page_only(site: Site) -> None:
    for name, text in site.modules.items():
        imports = re.findall(r"^import .*?;|import\(.*?\)", text, re.MULTILINE | re.DOTALL)
        found = [IMPORT.search(each) for each in imports]
        assert all(each and each[1] in site.files for each in found), name


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_every_file_is_used(site: Site) -> None:
    used = set(re.findall(r'/files/RELEASE/([\w.]+)"', site.page))
    for text in site.modules.values():
        used |= set(IMPORT.findall(text))
    assert used == site.files.keys()


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_the_files_are_short(site: Site) -> None:
    assert not [name for name, text in site.files.items() if len(text.splitlines()) > 300]


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_the_whole_page_is_small(site: Site) -> None:
    files = sum(len(gzip.compress(text.encode(), LEVEL)) for text in site.files.values())
    assert files + max(len(gzip.compress(page.encode(), LEVEL)) for page in site.pages) <= BUDGET


@pytest.mark.parametrize(
    ("path", "accept", "status"),
    [
        ("/", BROWSER, 303),
        ("/", "text/html", 303),
        ("/", "*/*", 200),
        ("/", "application/json", 200),
        ("/", "application/json, text/html;q=0.9", 200),
        ("/", "nonsense;q=x", 200),
        ("/v1", "text/html", 200),
    ],
)
def test_browsers_are_redirected_to_the_page_and_programs_get_links(
    client: Client, path: str, accept: str, status: int
) -> None:
    response = client.get(path, headers={"accept": accept})
    assert response.status_code == status
    assert "accept" in response.headers["vary"]
    if status == 303:
        assert response.headers["location"] == "/play"
    else:
        assert response.json()["links"]["play"] == "/play"
