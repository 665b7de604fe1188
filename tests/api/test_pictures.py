"""Pictures over HTTP: headers, versions, and access."""

import gzip
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from subprocess import CalledProcessError, run
from threading import Event, Semaphore
from typing import Any
from xml.etree import ElementTree as ET

import httpx
import pytest

import api.operations.pictures
from api.drawing.png import draw_png
from api.drawing.resvg import FONT_FILES, draw
from api.http.limits import RateLimit
from tests.api.people import NOWHERE, People, bearer, problem, serving

SVG = "image/svg+xml"
PICTURES = ["/board.svg", "/scores.svg"]


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(bot_workers=0) as client:
        yield client


@pytest.fixture(scope="module")
def table(client: httpx.Client) -> People:
    table = People(client, 3)
    table.play(20)
    return table


def title(response: httpx.Response) -> str:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == SVG
    return ET.fromstring(response.content).findtext("{http://www.w3.org/2000/svg}title") or ""


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_shows_the_newest_version(table: People, picture: str) -> None:
    summary, response = table.seen(), table.get(picture)
    assert f"Turn {summary['turn']}: {summary['seats'][summary['to_play']]['name']} to play" in title(response)
    assert response.headers["etag"] == f'"{summary["version"]}"'
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["content-security-policy"] == "default-src 'none'"


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_of_a_version_never_changes(table: People, picture: str) -> None:
    version = table.version - 5
    then = table.get(f"{picture}?at={version}")
    assert then.headers["etag"] == f'"{version}"'
    assert then.headers["cache-control"] == "max-age=86400, immutable"
    table.play(3, seed=2)
    assert table.get(f"{picture}?at={version}").content == then.content != table.get(picture).content
    assert title(table.get(f"{picture}?at=1")).endswith("Open table: 0 of 3 seats taken")
    problem(table.get(f"{picture}?at=9999"), 404, "version_not_found")


@pytest.mark.parametrize("picture", PICTURES)
def test_an_unchanged_picture_gets_304(table: People, picture: str) -> None:
    for query, kept in [("", "no-cache"), (f"?at={table.version - 1}", "max-age=86400, immutable")]:
        tag = table.get(picture + query).headers["etag"]
        response = table.get(picture + query, headers={"if-none-match": tag})
        assert (response.status_code, response.content, response.headers["etag"]) == (304, b"", tag)
        assert response.headers["cache-control"] == kept
        assert table.get(picture + query, headers={"if-none-match": '"1"'}).status_code == 200


def test_a_named_version_is_cached_even_if_it_is_the_newest(table: People) -> None:
    query = f"/board.svg?at={table.version}"
    assert table.get("/board.svg").headers["cache-control"] == "no-cache"
    assert table.get(query).headers["cache-control"] == "max-age=86400, immutable"
    assert table.get(query).content == table.get("/board.svg").content


@pytest.mark.parametrize("picture", PICTURES)
def test_there_are_two_themes(table: People, picture: str) -> None:
    light, dark = (table.get(f"{picture}?theme={theme}") for theme in ("light", "dark"))
    assert table.get(picture).content == light.content != dark.content
    assert title(light) == title(dark)
    problem(table.get(f"{picture}?theme=pink"), 400, "invalid_parameter")


def test_a_picture_is_compressed(table: People) -> None:
    with table.client.stream("GET", f"{table.path}/board.svg", headers={"accept-encoding": "gzip"}) as response:
        sent = b"".join(response.iter_raw())
    assert response.headers["content-encoding"] == "gzip"
    whole = table.get("/board.svg", headers={"accept-encoding": "identity"}).content
    assert gzip.decompress(sent) == whole
    assert len(sent) < len(whole) / 5


@pytest.mark.parametrize("picture", PICTURES)
def test_pictures_of_a_private_game_need_a_token(client: httpx.Client, picture: str) -> None:
    table = People(client, private=True)
    for query, kept in [("", "private, no-cache"), ("?at=2", "private, max-age=86400, immutable")]:
        problem(table.get(picture + query), 401, "token_missing")
        seen = table.get(picture + query, table.tokens[0])
        assert (seen.status_code, seen.headers["cache-control"]) == (200, kept)


@pytest.mark.parametrize("picture", [*PICTURES, "/board.png"])
def test_an_etag_without_a_token_reveals_nothing_of_a_private_game(client: httpx.Client, picture: str) -> None:
    table, other = People(client, private=True), People(client)
    spectator = table.post("/spectators", table.host).json()["token"]
    version = table.get("", table.host).json()["version"]
    client.delete(f"{table.path}/spectators", headers=bearer(table.host)).raise_for_status()
    tags = ("*", f'"{version}"', f'"{version - 1}"', '"999"')
    for tag, query in product(tags, ("", f"?at={version - 1}", "?at=999")):
        for token, status in (("", 401), (spectator, 401), (other.host, 403)):
            response = table.get(picture + query, token, headers={"if-none-match": tag})
            assert (response.status_code, "etag" in response.headers) == (status, False)
            assert "authorization" in response.headers["vary"]


def test_an_unknown_game_has_no_picture(client: httpx.Client) -> None:
    problem(client.get(f"/v1/games/{NOWHERE}/board.svg"), 404, "game_not_found")


def test_the_map_is_drawn_for_each_number_of_players(client: httpx.Client) -> None:
    seen = {players: client.get(f"/v1/boards/usa-1960s/map.svg?players={players}") for players in range(2, 6)}
    assert [title(response) for response in seen.values()] == [
        f"Franchise. The map for {players} players" for players in range(2, 6)
    ]
    assert client.get("/v1/boards/usa-1960s/map.svg").content == seen[5].content
    assert len({response.headers["etag"] for response in seen.values()}) == 4
    tag = {"if-none-match": seen[5].headers["etag"]}
    assert client.get("/v1/boards/usa-1960s/map.svg", headers=tag).status_code == 304
    problem(client.get("/v1/boards/moon/map.svg"), 404, "board_not_found")
    problem(client.get("/v1/boards/usa-1960s/map.svg?players=6"), 400, "invalid_parameter")


def pixels(response: httpx.Response) -> tuple[int, int]:
    """Return the width and the height of a PNG image."""
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "image/png"
    assert response.content.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    return int.from_bytes(response.content[16:20]), int.from_bytes(response.content[20:24])


def test_the_board_is_drawn_as_png(table: People) -> None:
    usual = table.get("/board.png")
    assert pixels(usual) == (1200, 845)
    assert "content-encoding" not in usual.headers
    assert usual.headers["etag"] == f'"{table.version}"'
    assert pixels(table.get("/board.png?width=200")) == (200, 141)
    assert pixels(table.get("/board.png?width=200&theme=dark")) == (200, 141)
    for wrong in (199, 2001):
        problem(table.get(f"/board.png?width={wrong}"), 400, "invalid_parameter")


def test_png_images_of_the_usual_width_are_drawn_once(table: People, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = table.get("/board.png?at=5").content

    def refuse(*_: object) -> bytes:
        raise AssertionError("it is drawn again")

    monkeypatch.setattr(api.operations.pictures, "draw_png", refuse)
    assert table.get("/board.png?at=5").content == drawn
    again = table.get("/board.png?at=5", headers={"if-none-match": '"5"'})
    assert (again.status_code, again.headers["cache-control"]) == (304, "max-age=86400, immutable")
    assert table.get("/board.png?at=5&width=300").status_code == 500


def test_png_images_of_a_private_game_need_a_token(client: httpx.Client) -> None:
    table = People(client, private=True)
    problem(table.get("/board.png"), 401, "token_missing")
    assert pixels(table.get("/board.png?width=200", table.tokens[0])) == (200, 141)


def test_png_images_show_texts(table: People) -> None:
    svg = table.get("/board.svg").text
    assert draw_png(svg.encode(), 300) == draw(svg, 300, FONT_FILES)
    assert draw(svg, 300, []) != draw(svg, 300, FONT_FILES)
    for font in FONT_FILES:
        assert draw(svg, 1200, [font]) != draw(svg, 1200, FONT_FILES) != draw(svg, 1200, [])
    assert draw(re.sub("<text.*?</text>", "", svg), 300, FONT_FILES) == draw(svg, 300, [])


def test_an_invalid_image_is_an_error() -> None:
    with pytest.raises(CalledProcessError):
        draw_png(b"no image", 300)


def test_an_interrupt_from_the_terminal_does_not_end_the_drawing_process() -> None:
    program = [sys.executable, "-m", "tests.api.interrupted_drawing"]
    done = run(program, check=False, start_new_session=True, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_drawing_blocks_no_other_requests_but_limits_a_client_to_one_image(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, refused = Event(), Event()

    def slowly(svg: bytes, width: int) -> bytes:
        begun.set()
        assert refused.wait(60)
        return draw_png(svg, width)

    monkeypatch.setattr(api.operations.pictures, "draw_png", slowly)
    with serving(bot_workers=0, heavy_requests_per_client=1) as client, ThreadPoolExecutor(1) as others:
        table = People(client)
        image = others.submit(table.get, "/board.png")
        assert begun.wait(60)
        details = problem(table.get("/board.png?width=300"), 429, "too_many_requests")
        assert "images" in details["detail"]
        assert table.get("/board.svg").status_code == 200
        assert not image.done()
        refused.set()
        assert pixels(image.result(60)) == (1200, 845)
        assert pixels(table.get("/board.png?width=300")) == (300, 212)


def test_simultaneous_requests_for_an_image_draw_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_svg, asked, drawn = api.operations.pictures.svg_of, Semaphore(0), []

    def counted(*arguments: Any) -> bytes:
        asked.release()
        return draw_svg(*arguments)

    def slowly(svg: bytes, width: int) -> bytes:
        drawn.append(width)
        for _ in range(5 if len(drawn) == 1 else 0):
            assert asked.acquire(timeout=60)
        return draw_png(svg, width)

    monkeypatch.setattr(api.operations.pictures, "svg_of", counted)
    monkeypatch.setattr(api.operations.pictures, "draw_png", slowly)
    with serving(bot_workers=0) as client, ThreadPoolExecutor(5) as people:
        table = People(client)
        images = [people.submit(table.get, "/board.png") for _ in range(5)]
        assert {pixels(image.result(60)) for image in images} == {(1200, 845)}
    assert drawn == [1200]


@pytest.mark.parametrize(
    ("picture", "cost"), [("/board.svg?at=6", 20), ("/scores.svg?at=7", 20), ("/board.png?at=8", 270)]
)
def test_only_the_first_request_for_a_picture_is_charged_for_drawing(
    table: People, monkeypatch: pytest.MonkeyPatch, picture: str, cost: float
) -> None:
    paid: list[float] = []
    monkeypatch.setattr(RateLimit, "take", lambda *given, **_: paid.append(given[2]))
    assert table.get(f"{picture}&theme=dark").status_code == 200
    first = sum(paid)
    assert table.get(f"{picture}&theme=dark").status_code == 200
    assert first - (sum(paid) - first) == cost
