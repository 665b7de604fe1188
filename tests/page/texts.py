"""The texts of the page for a state: as expected from the views of the server, and as shown."""

from typing import Any
from xml.etree import ElementTree as ET

from playwright.sync_api import Page

from tests.support.browser import NEVER

SHOWN = """async ([version, never]) => {
  const part = (name) => document.querySelector(`[aria-label="${name}"], [aria-labelledby="${name}"]`);
  const texts = (list) => [...list].map((each) => each.textContent);
  const table = (each) => [...each.rows].map((row) => texts(row.cells));
  const card = (each) => ({
    name: each.querySelector(".name").firstChild.textContent,
    figures: texts(each.querySelectorAll("summary .figure")),
    rows: table(each.querySelector("table")),
    facts: [...each.querySelectorAll("dl > div")].map((row) => texts(row.children)),
  });
  const shown = () => {
    const frame = document.querySelector(".past [role=group][aria-label=Board]");
    const words = document.querySelector(".words details");
    if (frame?.dataset.version !== version) return null;
    words.open = true;
    if (!words.querySelector("table")) return null;
    const status = document.querySelector("h1");
    const name = status.querySelector(".name");
    return {
      status: texts(name ? [status.firstChild, name, status.querySelector(".phase")] : [status]),
      where: part("Replay").querySelector("output").textContent,
      marked: [...part("Moves").querySelectorAll("[aria-current]")].map(({ dataset }) => Number(dataset.version)),
      players: [...part("scores-title").querySelectorAll("details")].map(card),
      left: texts(words.querySelectorAll("p")),
      tables: [...words.querySelectorAll("table")].map((each) => [each.caption.textContent, ...table(each)]),
      picture: texts(frame.querySelectorAll("svg > title, svg > desc")),
    };
  };
  location.hash = `#v=${version}`;
  for (const until = performance.now() + never; performance.now() < until;) {
    const found = shown();
    if (found) return found;
    await new Promise((again) => setTimeout(again, 10));
  }
  return null;
}"""

SVG = "{http://www.w3.org/2000/svg}"
GAINED = {
    "cities": "Scored cities",
    "regions": "Ranks in regions",
    "region_track": "Region track",
    "towns": "Towns",
    "dollars": "Money left",
    "bonus_tiles": "Bonus tiles left",
}


def shown_texts(page: Page, version: int) -> Any:
    """Show a version in the replay, and return the texts of the page; None if they never appear."""
    texts = page.evaluate(SHOWN, [str(version), NEVER])
    return texts and {**texts, "players": sorted(texts["players"], key=by_name)}


def expected_texts(state: Any, picture: bytes) -> dict[str, Any]:
    """Return the expected texts for a state and the picture of its board."""
    names = [seat["name"] for seat in state["game"]["seats"]]
    used = [seat["seconds_used"] for seat in state["game"]["seats"]]
    drawn = ET.fromstring(picture)
    return {
        "status": status(state["game"], names),
        "players": sorted((card(each, used[each["seat"]]) for each in state["scores"]["players"]), key=by_name),
        "left": tiles_left(state["board"]),
        "tables": [track(state["board"]), *(region(each, state["board"], names) for each in state["board"]["regions"])],
        "picture": [drawn.findtext(SVG + "title"), drawn.findtext(SVG + "desc")],
    }


def by_name(player: Any) -> str:
    name: str = player["name"]
    return name


def status(game: Any, names: list[str]) -> list[str]:
    """Return turn, player and phase, or the ending."""
    if game["ending"]:
        return [game["ending"]["text"]]
    turn = f"Turn {game['turn']}: " if game["turn"] else ""
    return [turn, names[game["to_play"]], game["phase_text"]]


def card(player: Any, seconds_used: int) -> dict[str, Any]:
    return {
        "name": player["name"],
        "figures": [f"${player['money']}", f"{player['influence']} IP"],
        "rows": rows(player),
        "facts": facts(player, seconds_used),
    }


def rows(player: Any) -> list[list[str]]:
    """Return the sources of the influence so far."""
    gained = player["influence_from"]
    found = [[text, f"{gained[source]} IP"] for source, text in GAINED.items() if gained[source]]
    return [*found, ["Total", f"{player['influence']} IP"]]


def facts(player: Any, seconds_used: int) -> list[list[str]]:
    """Return the other facts about a player."""
    income, tiles = player["next_income"], [name for name in ("Development", "Route") if player[f"{name.lower()}_tile"]]
    spaces = f"{income['free_spaces']} free space{'' if income['free_spaces'] == 1 else 's'}"
    bonus_tiles = f"{player['bonus_tiles']} left, {player['bonus_tiles_used']} used"
    every = [
        ("Next income", f"${income['dollars']} for {spaces}", not player["final"]),
        ("Supply", str(player["supply"]), True),
        ("Towns", str(player["towns"]), True),
        ("Bonus tiles", bonus_tiles, True),
        ("In reserve", str(player["bonus_reserve"]), player["bonus_reserve"]),
        ("Tiles", ", ".join(tiles), tiles),
        ("Time used", duration(seconds_used), True),
        ("Resigned", "yes", player["resigned"]),
    ]
    return [[term, text] for term, text, shown in every if shown]


def duration(seconds: int) -> str:
    """Return a duration of less than an hour in words."""
    minutes = seconds // 60
    return f"{minutes} minute{'' if minutes == 1 else 's'}" if minutes else "less than a minute"


def tiles_left(board: Any) -> list[str]:
    cities = ", ".join(map(str, board["city_tiles_left"]))
    regions = ", ".join(tile["text"] for tile in board["tiles_left"])
    return [f"{kind} tiles left: {left}." for kind, left in (("City", cities), ("Region", regions)) if left]


def track(board: Any) -> list[Any]:
    spaces = [
        [
            f"Space {space['space']}{', red' if space['red'] else ''}",
            f"{space['influence']} IP",
            space["tile"]["text"] if space["tile"] else "free",
        ]
        for space in board["track"]
    ]
    return ["Region track", *spaces]


def region(shown: Any, board: Any, names: list[str]) -> list[Any]:
    """Return the table of a region with a row for each of its places."""
    tile = f" ({shown['tile']['text']})" if shown["tile"] else ""
    tie = "" if shown["tie_break"] is None else f", ties: {names[shown['tie_break']]} first"
    places = [place for place in board["places"] if place["region"] == shown["id"]]
    boom = board["boom"]
    return [
        f"{shown['name']}, {shown['status']}{tile}{tie}",
        *(
            [place["name"] + " (Boom)" * (place["id"] == boom), value_of(place), presence(place, names)]
            for place in places
        ),
    ]


def value_of(place: Any) -> str:
    if place["closed"] or place["scored"]:
        return "closed" if place["closed"] else "scored"
    return "town" if place["kind"] == "town" else f"city of value {place['value']}"


def presence(place: Any, names: list[str]) -> str:
    """Return the players at a place: by space in a city with spaces, by number elsewhere."""
    by_number = [f"{names[int(seat)]} {count}" for seat, count in place["franchises"].items()]
    there = [names[seat] for seat in place["spaces"] if seat is not None] if place["spaces"] else by_number
    there += [f"{names[seat]} (marker)" for seat in place["markers"]]
    return listed(there + [f"{names[int(seat)]} {count} in the centre" for seat, count in place["centre"].items()]) or (
        "free"
    )


def listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
