"""The files of the page: what they load, how they are kept, and who is sent there."""

import gzip
import re

import pytest
from httpx import Client

from api.web.play_page import FILES, POLICY, play_page

BUDGET = 150_000
"""Bytes that the page may have in all, compressed, without the answers of the API."""

IMPORT = re.compile(r'(?:from|import)\s*\(?"\./([\w.]+)"')


def addresses(client: Client) -> list[str]:
    """The addresses of the files that the page names."""
    return re.findall(r'(?:href|src)="(/play/files/[^"]+)"', client.get("/play").text)


@pytest.mark.parametrize("path", ["/play", "/play/01a1f239-1851-756e-bf36-f58189ad04d9"])
def test_every_address_of_the_page_answers_with_the_same_page(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.content == client.get("/play").content
    assert answer.headers["cache-control"] == "no-cache"
    assert client.get(path, headers={"if-none-match": answer.headers["etag"]}).status_code == 304


def test_the_page_and_its_files_allow_nothing_from_elsewhere(client: Client) -> None:
    for path in ["/play", *addresses(client)]:
        headers = client.get(path).headers
        assert {name: headers[name] for name in POLICY} == POLICY
        assert headers["x-content-type-options"] == "nosniff"
    assert POLICY["content-security-policy"].startswith("default-src 'self';")


def test_files_are_kept_for_good_and_others_than_those_of_this_release_are_not_there(client: Client) -> None:
    for path in addresses(client):
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert client.get(path.replace(play_page().release, "before")).status_code == 404
    assert client.get(f"/play/files/{play_page().release}/nothing.js").status_code == 404


def test_scripts_and_styles_stand_in_files_of_their_own() -> None:
    page = (FILES / "index.html").read_text("utf-8")
    assert "<style" not in page
    assert not re.search(r"\s(?:style|on\w+)=", page)
    assert not re.search(r"<script(?![^>]*\ssrc=)", page)


def test_modules_import_files_of_the_page_only() -> None:
    names = {path.name for path in FILES.iterdir()}
    for path in FILES.glob("*.js"):
        text = path.read_text("utf-8")
        imports = re.findall(r"^import .*?;|import\(.*?\)", text, re.MULTILINE | re.DOTALL)
        found = [IMPORT.search(each) for each in imports]
        assert all(each and each[1] in names for each in found), path.name


def test_every_file_is_used() -> None:
    used = {"index.html"}
    for path in FILES.iterdir():
        text = path.read_text("utf-8")
        used |= set(IMPORT.findall(text)) | set(re.findall(r'/play/files/RELEASE/([\w.]+)"', text))
    assert used == {path.name for path in FILES.iterdir()}


def test_the_files_are_short() -> None:
    assert not [path.name for path in FILES.iterdir() if len(path.read_text("utf-8").splitlines()) > 300]


def test_the_whole_page_is_small() -> None:
    assert sum(len(gzip.compress(path.read_bytes(), 4)) for path in FILES.iterdir()) <= BUDGET


@pytest.mark.parametrize(
    ("path", "accept", "status"),
    [
        ("/", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 303),
        ("/", "text/html", 303),
        ("/", "*/*", 200),
        ("/", "application/json", 200),
        ("/", "application/json, text/html;q=0.9", 200),
        ("/", "nonsense;q=x", 200),
        ("/v1", "text/html", 200),
    ],
)
def test_browsers_are_sent_to_the_page_and_programs_get_links(
    client: Client, path: str, accept: str, status: int
) -> None:
    answer = client.get(path, headers={"accept": accept})
    assert answer.status_code == status
    assert "accept" in answer.headers["vary"]
    if status == 303:
        assert answer.headers["location"] == "/play"
    else:
        assert answer.json()["links"]["play"] == "/play"
