"""The page at /play: its first screen beside a page without anything, and the steps of a replay of 500 moves."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from playwright.sync_api import Browser

from bench.games import long_script
from bench.load import HOST, percentile
from bench.report import Result, compare
from bench.rounds import ROUNDS, interleave, numbered_rounds
from bench.servers import Server, franchise_server, move_parts
from tests.support.browser import launched
from tests.support.chromium import find_chromium
from tests.support.traffic import FIRST_SCREEN_BYTES, Traffic
from tests.support.web_server import serving_folder

PART = "page"
LONGEST_STEP = 100
"""The milliseconds that a step may take."""

STEPS, BEFORE_THE_END = 60, 100
"""The steps of a round, each to a move that was not shown before, and how far before the end they begin."""

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


def measure() -> Iterator[Result]:
    """Measure the first screen, then the steps."""
    with launched(find_chromium()) as browser, franchise_server("memory:") as server:
        yield from _first_screen(browser, f"http://{HOST}:{server.port}/play")
        yield from _steps(browser, server)


def _first_screen(browser: Browser, url: str) -> Iterator[Result]:
    """Load the lobby into a browser that has nothing of it."""
    seen: list[Traffic] = []
    with tempfile.TemporaryDirectory() as folder, serving_folder(Path(folder)) as empty:
        Path(folder, "index.html").write_text("<!doctype html><title>Nothing</title><h2>Nothing</h2>", "utf-8")
        ours, theirs = interleave(
            "page, first screen", lambda _: _load(browser, url, seen), lambda _: _load(browser, empty, [])
        )
    requests = [float(traffic.requests) for traffic in seen[-ROUNDS:]]
    sizes = [float(traffic.size) for traffic in seen[-ROUNDS:]]
    most = [float(FIRST_SCREEN_BYTES)] * ROUNDS
    yield compare(PART, "first screen", "ms", ours, beside="a page without anything", theirs=theirs)
    yield compare(PART, "first screen", "requests", requests, beside="the same", theirs=[1.0] * ROUNDS)
    yield compare(PART, "first screen", "bytes", sizes, beside="what it may take", theirs=most, at_most=1)


def _load(browser: Browser, url: str, seen: list[Traffic]) -> float:
    """Return the milliseconds until the first heading of a list is shown."""
    with browser.new_context() as context:
        page = context.new_page()
        traffic = Traffic(page)
        began = time.perf_counter()
        page.goto(url, wait_until="commit")
        page.get_by_role("heading", level=2, name="Open tables").or_(page.get_by_text("Nothing")).first.wait_for()
        took = (time.perf_counter() - began) * 1000
        page.wait_for_load_state("load")
        traffic.measure()
        seen.append(traffic)
    return took


def _steps(browser: Browser, server: Server) -> Iterator[Result]:
    """Step through the last moves of a long game, each round in a browser that has nothing of it."""
    address = _long_game(server)
    most = [float(LONGEST_STEP)] * ROUNDS
    for name, rest in (("one step after another", 0), ("steps with a pause", 100)):
        rounds = [_step(browser, address, rest) for number in numbered_rounds(f"page, {name}") if number >= 0]
        for part in (0.5, 0.99):
            figures = [percentile(times, part) for times in rounds]
            figure = f"replay of 500 moves, {name}: p{part * 100:.0f}"
            yield compare(PART, figure, "ms", figures, beside="what it may take", theirs=most, at_most=1)


def _long_game(server: Server) -> str:
    """Play a game of 500 moves, and return the address of one of the last of them."""
    script = long_script(500)
    table = server.open(script)
    for path, body, token in (move_parts(table, taken) for taken in script.actions):
        server.ask("POST", path, body, token)
    history = msgspec.json.decode(server.ask("GET", f"/v1/games/{table.id}/history?limit=500"))
    version = history["items"][-BEFORE_THE_END]["version"]
    return f"http://{HOST}:{server.port}/play/{table.id}#v={version}"


def _step(browser: Browser, address: str, rest: int) -> list[float]:
    """Return the milliseconds that each step took until the board was shown."""
    version = address.rpartition("=")[2]
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        page.locator(f"[data-version='{version}']").and_(page.get_by_role("group", name="Board")).wait_for()
        times: list[float] = page.evaluate(STEP, [STEPS, rest])
    return times
