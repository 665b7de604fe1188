"""The page at /play and the pictures: the waiting times of a player."""

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

import msgspec
from playwright.sync_api import Browser

from bench.games import long_script, scripts
from bench.load import HOST
from bench.report import Comparison, percentile
from bench.rounds import ROUNDS, interleave
from bench.servers import Server, franchise_server
from tests.support.browser import launched
from tests.support.chromium import find_chromium
from tests.support.traffic import FIRST_SCREEN_BYTES, Traffic
from tests.support.web_server import serving_folder

# --- pictures --------------------------------------------------------------------------------------------------

MOVES = 60
"""The number of moves in a round; pictures are requested after the last ones."""

PICTURES_A_ROUND = {"board.svg": 40, "scores.svg": 40, "board.png": 4}


def measure_pictures() -> Iterator[Comparison]:
    """Measure the time of a picture right after a move, compared with the state of the same game."""
    with franchise_server() as server:
        state, *pictures = interleave(
            "pictures",
            _waiting(server, "state", 40),
            *(_waiting(server, name, number) for name, number in PICTURES_A_ROUND.items()),
        )
    for name, times in zip(PICTURES_A_ROUND, pictures, strict=True):
        yield Comparison(f"{name}, just changed", "ms", times, "the state, just changed", state)


def _waiting(server: Server, name: str, number: int) -> Callable[[int], float]:
    """Return a subject: the median time that a client waits for a view after each of the last moves of a game."""

    def milliseconds(round_number: int) -> float:
        script = scripts(ROUNDS + 1, MOVES)[round_number]
        table = server.open(script)
        server.play(table, script.actions[:-number])
        times: list[float] = []
        for taken in script.actions[-number:]:
            server.play(table, [taken])
            began = time.perf_counter()
            server.ask("GET", f"{table.path}/{name}")
            times.append((time.perf_counter() - began) * 1000)
        return median(times)

    return milliseconds


# --- the page in a browser -------------------------------------------------------------------------------------

LONGEST_STEP = 100
"""The time limit of a step in milliseconds."""

STEPS, BEFORE_THE_END = 60, 100
"""The number of steps in a round, and their start before the end of the game; no step is shown twice."""

STEP = """async ([steps, rest]) => {
  const shown = document.querySelector("[data-version]"), next = document.querySelector("[aria-label='Next move']");
  const times = [];
  for (let step = 0; step < steps; step += 1) {
    const began = performance.now();
    const changed = new Promise((done) => {
      new MutationObserver(done).observe(shown, { attributes: true, attributeFilter: ["data-version"] });
    });
    next.click();
    await changed;
    await new Promise(requestAnimationFrame);
    times.push(performance.now() - began);
    await new Promise((done) => setTimeout(done, rest));
  }
  return times;
}"""


def measure_page() -> Iterator[Comparison]:
    """Measure the first screen, then the steps of a replay."""
    with launched(find_chromium()) as browser, franchise_server("memory:") as server:
        yield from _first_screen(browser, f"http://{HOST}:{server.port}/play")
        yield from _steps(browser, server)


def _first_screen(browser: Browser, url: str) -> Iterator[Comparison]:
    """Load the lobby with an empty cache, compared with an empty page."""
    with tempfile.TemporaryDirectory() as folder, serving_folder(Path(folder)) as empty:
        Path(folder, "index.html").write_text("<!doctype html><title>Nothing</title><h2>Nothing</h2>", "utf-8")
        ours, theirs = interleave("page, first screen", lambda _: _load(browser, url), lambda _: _load(browser, empty))
    times, requests, sizes = zip(*ours, strict=True)
    other_times, other_requests, _ = zip(*theirs, strict=True)
    yield Comparison("first screen", "ms", times, "an empty page", other_times)
    yield Comparison("first screen", "requests", requests, "an empty page", other_requests)
    yield Comparison("first screen", "bytes", sizes, "the limit", [float(FIRST_SCREEN_BYTES)] * ROUNDS, at_most=1)


def _load(browser: Browser, url: str) -> tuple[float, float, float]:
    """Return the milliseconds until the lobby is shown, the number of requests, and their bytes."""
    with browser.new_context() as context:
        page = context.new_page()
        traffic = Traffic(page)
        began = time.perf_counter()
        page.goto(url, wait_until="commit")
        page.get_by_role("heading", level=2, name="Open tables").or_(page.get_by_text("Nothing")).first.wait_for()
        took = (time.perf_counter() - began) * 1000
        page.wait_for_load_state("load")
        traffic.measure()
        return took, float(traffic.requests), float(traffic.size)


def _steps(browser: Browser, server: Server) -> Iterator[Comparison]:
    """Step through the last moves of a long game, with an empty cache in each round."""
    address = _long_game(server)
    for name, rest in (("one step after another", 0), ("steps with a pause", 100)):
        (rounds,) = interleave(f"page, {name}", partial(_step, browser, address, rest))
        for part in (0.5, 0.99):
            figures = [percentile(times, part) for times in rounds]
            figure = f"replay of 500 moves, {name}: p{part * 100:.0f}"
            yield Comparison(figure, "ms", figures, "the limit", [float(LONGEST_STEP)] * ROUNDS, at_most=1)


def _long_game(server: Server) -> str:
    """Play a game of 500 moves, and return the address of a position near its end."""
    script = long_script(500)
    table = server.open(script)
    server.play(table, script.actions)
    history = msgspec.json.decode(server.ask("GET", f"{table.path}/history?limit=500"))
    version = history["items"][-BEFORE_THE_END]["version"]
    return f"http://{HOST}:{server.port}/play/{table.id}#v={version}"


def _step(browser: Browser, address: str, rest: int, _: int) -> list[float]:
    """Return the milliseconds that each step took until the board was shown."""
    version = address.rpartition("=")[2]
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        page.locator(f"[data-version='{version}']").and_(page.get_by_role("group", name="Board")).wait_for()
        times: list[float] = page.evaluate(STEP, [STEPS, rest])
    return times
