"""Link previews (Open Graph) in the page of a public game."""

import struct
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import pytest

from tests.api.people import NOWHERE, People, serving
from tests.api.server import client_of, running
from tests.store.clients import connected

NAMES = ('"><script>alert(1)</script>', "</title><img src=x onerror=alert(1)>", "&amp; {} /files/RELEASE/")
SITE = "https://games.example"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(bot_workers=0) as client:
        yield client


class Head(HTMLParser):
    """The tags of a page, its title, and the texts of its meta elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.meta, self.title = list[str](), dict[str, str](), ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        if tag == "meta" and (name := given.get("property") or given.get("name")):
            assert name not in self.meta
            self.meta[name] = given["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["title"] and not self.title:
            self.title = data

    @property
    def others(self) -> list[str]:
        return [tag for tag in self.tags if tag != "meta"]


def head_of(client: httpx.Client, game: str) -> Head:
    return Head(client.get(f"{SITE}/play/{game}").text)


def open_named(client: httpx.Client, *players: str, seats: int) -> People:
    """Open a table of players with these names."""
    table = People(client)
    body = {"seats": seats, "players": players, "options": {"seed": 1, "first_player": 0, "start": "introductory"}}
    table.id = client.post("/v1/games", json=body).json()["game"]["id"]
    table.path = f"/v1/games/{table.id}"
    return table


def test_a_game_has_a_title_a_description_and_a_picture(client: httpx.Client) -> None:
    table = People(client, 3, start="introductory")
    table.play(12)
    version = table.version
    points = [player["influence"] for player in table.seen("/scores")["players"]]
    names = ("Ann", "Bob", "Cem")
    moment = f"Turn {table.seen()['turn']}: {names[table.to_play]} to play"
    standings = ", ".join(f"{name} {influence} IP" for name, influence in zip(names, points, strict=True))
    head = head_of(client, table.id)
    assert head.title == "Ann, Bob and Cem play Franchise"
    assert {name: head.meta[name] for name in head.meta if name.startswith(("og:", "twitter:", "desc"))} == {
        "description": f"{moment}. {standings}.",
        "twitter:card": "summary_large_image",
        "og:site_name": "Franchise",
        "og:type": "website",
        "og:url": f"{SITE}/play/{table.id}",
        "og:title": "Ann, Bob and Cem play Franchise",
        "og:description": f"{moment}. {standings}.",
        "og:image": f"{SITE}/v1/games/{table.id}/board.png?at={version}&width=1200",
        "og:image:type": "image/png",
        "og:image:width": "1200",
        "og:image:height": "845",
        "og:image:alt": f"Franchise. {moment}",
    }


def test_the_picture_is_that_of_the_version_in_the_words(client: httpx.Client) -> None:
    table = People(client, start="introductory")
    head = head_of(client, table.id)
    table.play(2)
    picture = client.get(head.meta["og:image"])
    assert picture.headers["content-type"] == head.meta["og:image:type"]
    assert "immutable" in picture.headers["cache-control"]
    assert picture.headers["etag"] != table.get().headers["etag"]
    size = struct.unpack(">II", picture.content[16:24])
    assert size == (int(head.meta["og:image:width"]), int(head.meta["og:image:height"]))


def test_an_open_table_and_a_finished_game(client: httpx.Client) -> None:
    waiting, empty = People(client, 3, players=2), People(client, 3, players=0)
    assert head_of(client, waiting.id).title == "Play Franchise with Ann and Bob"
    assert head_of(client, waiting.id).meta["og:description"] == "Open table: 2 of 3 seats taken."
    assert head_of(client, empty.id).title == "Play Franchise"
    over = People(client)
    over.do({"type": "resign"}, 0)
    assert head_of(client, over.id).title == "Ann and Bob played Franchise"
    assert head_of(client, over.id).meta["og:description"].startswith("Game over: Bob won. Ann ")


def test_names_are_plain_text(client: httpx.Client) -> None:
    table = open_named(client, *NAMES, seats=3)
    head = head_of(client, table.id)
    assert head.others == Head(client.get("/play").text).others
    names = [seat["name"] for seat in table.seen()["seats"]]
    for text in (head.meta["og:title"], head.meta["description"]):
        assert all(name.replace("/RELEASE/", "") in text.replace("/RELEASE/", "") for name in names[:2])
    assert head.title.startswith(names[0])


def test_only_the_words_and_the_picture_differ_from_the_page_of_the_lobby(client: httpx.Client) -> None:
    table = People(client)
    page, lobby = client.get(f"/play/{table.id}"), client.get("/play")
    ignored = {"etag", "content-length", "x-request-id"}
    assert {name: value for name, value in page.headers.items() if name not in ignored} == {
        name: value for name, value in lobby.headers.items() if name not in ignored
    }
    lines = [line for line in page.text.splitlines() if "<meta" not in line and "<title" not in line]
    assert lines == [line for line in lobby.text.splitlines() if "<meta" not in line and "<title" not in line]


def test_the_page_changes_with_the_game(client: httpx.Client) -> None:
    table = People(client, start="introductory")
    path = f"/play/{table.id}"
    first = client.get(path)
    assert client.get(path.upper().replace("/PLAY", "/play")).content == first.content
    assert client.get(path, headers={"if-none-match": first.headers["etag"]}).status_code == 304
    checked = client.head(path)
    assert checked.content == b""
    assert {**checked.headers, "x-request-id": ""} == {**first.headers, "x-request-id": ""}
    table.play(1)
    second = client.get(path, headers={"if-none-match": first.headers["etag"]})
    assert second.status_code == 200
    assert second.headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize(("host", "status"), [("[", 200), ("&quot;", 200), ("", 200), ('"><script>', 400), ("é", 400)])
def test_a_strange_host_is_plain_text(client: httpx.Client, host: str, status: int) -> None:
    table = People(client)
    page = client.get(f"/play/{table.id}", headers={b"host": host.encode("latin-1")})
    assert page.status_code == status
    if status == 200:
        assert Head(page.text).meta["og:url"] == f"http://{host}/play/{table.id}"


def test_a_private_game_has_the_page_of_the_lobby(client: httpx.Client) -> None:
    """`test_private_games.py` tries every state of a private game."""
    private = People(client, private=True)
    lobby = client.get("/play")
    found = client.get(f"/play/{private.id}", headers={"authorization": f"Bearer {private.host}"})
    assert found.content == lobby.content
    assert found.headers["etag"] == lobby.headers["etag"]


def test_a_game_that_does_not_exist_has_no_preview(client: httpx.Client) -> None:
    gone = People(client, 3, players=1)
    client.delete(gone.path, headers={"authorization": f"Bearer {gone.host}"})
    for game in (gone.id, NOWHERE, "nothing"):
        found = client.get(f"/play/{game}")
        assert found.status_code == 404
        assert "og:" not in found.text


def test_an_erased_game_has_no_preview(tmp_path_factory: pytest.TempPathFactory) -> None:
    url = f"sqlite:///{tmp_path_factory.mktemp('erased')}/games.db"
    with serving(database_url=url) as client, connected(url) as operator:
        table = People(client)
        assert "Ann" in client.get(f"/play/{table.id}").text
        operator.wait(operator.service.remove(UUID(table.id)))
        assert client.get(f"/play/{table.id}").content == client.get("/play/nothing").content


def test_addresses_have_the_scheme_that_a_trusted_proxy_names() -> None:
    with running(trusted_proxies="127.0.0.1", bot_workers="0") as server, client_of(server.url) as client:
        table = People(client)
        sent = {"x-forwarded-for": "192.0.2.7", "x-forwarded-proto": "https", "host": "games.example"}
        head = Head(client.get(f"/play/{table.id}", headers=sent).text)
    assert urlsplit(head.meta["og:image"])[:3] == ("https", "games.example", f"{table.path}/board.png")
