"""Three questions about finished games, answered with figures and plots.

    python -m api export --finished games.ndjson
    examples/.venv/bin/python examples/analysis.py games.ndjson plots

The program needs only the file: each line is the record of a game, as `openapi/record.schema.json` describes it.
"""

import argparse
import json
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import polars as pl
from matplotlib.figure import Figure

NORMAL_QUANTILE = 1.96
"""The quantile of the normal distribution for 95 % intervals."""

FEWEST_GAMES = 5
"""The number of games below which a figure is left out."""

ROUNDS = (4, 8, 12, 16)
"""The rounds whose influence is printed."""

Event = dict[str, Any]
Row = dict[str, Any]


# --- reading -----------------------------------------------------------------------------------------------------


def records(file: Path) -> Iterator[Row]:
    """Yield the records of a file. Its last line has no game, but the position after which the next export begins."""
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if "next" not in record:
                yield record


def events_in_force(record: Row) -> list[Event]:
    """Return the events of a game without those that an undo took back.

    `undone` and `redone` say that the game is again as it was at the version `to`.
    """
    game_at: dict[int, tuple[int, Event] | None] = {0: None}  # for each version the one before it, and its event
    newest = 0
    for event in record["events"]:
        before, newest = newest, event["version"]
        game_at[newest] = game_at[event["to"]] if event["type"] in ("undone", "redone") else (before, event)
    found: list[Event] = []
    step = game_at[newest]
    while step is not None:
        before, event = step
        found.append(event)
        step = game_at[before]
    return found[::-1]


def gains(event: Event) -> Iterator[tuple[int, int]]:
    """Yield the seats that gain influence by an event, each with its gain."""
    match event["type"]:
        case "city_scored":
            yield event["winner"], event["influence"]
        case "region_scored":
            yield event["seat"], event["track_influence"]
            yield from ((rank["seat"], rank["influence"]) for rank in event["ranks"])
        case "final_counted":
            parts = ("towns", "dollars", "bonus_tiles")
            yield event["seat"], sum(event[f"{part}_influence"] for part in parts)


class Reading:
    """The facts that the analysis needs, folded from the events of a game."""

    def __init__(self, record: Row) -> None:
        self.game: str = record["game"]
        self.kinds: dict[int, str] = {}
        self.towns: dict[int, str] = {}
        self.influence: list[int] = []
        self.growth: list[Row] = []
        self.first = self.turn = 0
        self.winners: list[int] = []
        for event in events_in_force(record):
            self._read_set_up(event)
            self._read_turn(event)

    def _read_set_up(self, event: Event) -> None:
        match event["type"]:
            case "seat_taken":
                self.kinds[event["seat"]] = event.get("bot", "person")
            case "seat_moved":
                self.kinds[event["to"]] = self.kinds.pop(event["seat"])
            case "game_started":
                self.influence = [0] * event["players"]
            case "first_player_chosen":
                self.first = event["seat"]
            case "town_founded" if not event.get("fixed"):
                self.towns[event["seat"]] = event["town"]

    def _read_turn(self, event: Event) -> None:
        for seat, gain in gains(event):
            self.influence[seat] += gain
        match event["type"]:
            case "turn_started":
                self.turn = event["turn"]
            case "turn_ended" if self.turn % len(self.influence) == 0:
                self._note_round()
            case "game_ended":
                self.winners = event["winners"]

    def _note_round(self) -> None:
        players = len(self.influence)
        mean = sum(self.influence) / players
        self.growth.append({"players": players, "round": self.turn // players, "influence": mean})

    def seats(self) -> Iterator[Row]:
        """Yield a row for each player. A shared victory counts in equal parts."""
        players = len(self.influence)
        for seat, influence in enumerate(self.influence):
            yield {
                "game": self.game,
                "players": players,
                "seat": seat,
                "kind": self.kinds[seat],
                "order": (seat - self.first) % players + 1,
                "town": self.towns.get(seat),
                "won": (seat in self.winners) / len(self.winners),
                "influence": influence,
            }


def load(file: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a row for each player of each game, and the players' mean influence after each round of each game.

    Of a game that ended several times, the last record counts.
    """
    games = {record["game"]: Reading(record) for record in records(file)}.values()
    seats = [row for game in games for row in game.seats()]
    growth = [row for game in games for row in game.growth]
    return pl.DataFrame(seats), pl.DataFrame(growth)


# --- figures -----------------------------------------------------------------------------------------------------


def wilson_interval(won: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share of wins."""
    share, square = won / games, NORMAL_QUANTILE**2
    middle = share + square / (2 * games)
    half = NORMAL_QUANTILE * sqrt(share * (1 - share) / games + square / (4 * games**2))
    return max(0.0, (middle - half) / (1 + square / games)), min(1.0, (middle + half) / (1 + square / games))


def means(frame: pl.DataFrame, of: str, by: list[str]) -> pl.DataFrame:
    """Return the mean of a column in each group with its 95 % interval, for groups of enough independent rows."""
    margin = NORMAL_QUANTILE * pl.col(of).std() / pl.len().sqrt()
    grouped = frame.group_by(by).agg(pl.col(of).mean().alias("mean"), margin.alias("margin"), pl.len().alias("games"))
    return grouped.filter(pl.col("games") >= FEWEST_GAMES).sort(by)


def interval(row: Row) -> str:
    low, high = row["mean"] - row["margin"], row["mean"] + row["margin"]
    return f"{row['mean']:z.1f} ({low:z.1f} to {high:z.1f})"


# --- questions ---------------------------------------------------------------------------------------------------


def first_player(seats: pl.DataFrame, plot: Path) -> None:
    """Answer: does the first player win more often than 1/n?"""
    grouped = seats.group_by("players", "order").agg(pl.col("won").sum(), pl.len().alias("games"))
    rows = grouped.sort("players", "order").to_dicts()
    counts = sorted({row["players"] for row in rows})
    figure = Figure(figsize=(9, 3), layout="constrained")
    panels = figure.subplots(1, len(counts), sharey=True, squeeze=False)[0]
    for players, axes in zip(counts, panels, strict=True):
        shown = [row for row in rows if row["players"] == players]
        shares = [100 * row["won"] / row["games"] for row in shown]
        bounds = [[100 * bound for bound in wilson_interval(row["won"], row["games"])] for row in shown]
        errors = [
            [share - low for share, (low, _) in zip(shares, bounds, strict=True)],
            [high - share for share, (_, high) in zip(shares, bounds, strict=True)],
        ]
        axes.errorbar([row["order"] for row in shown], shares, errors, fmt="o", capsize=3)
        axes.axhline(100 / players, linestyle="--", color="grey", linewidth=1)
        axes.set_title(f"{players} players")
        axes.set_xlabel("turn order")
        axes.set_xticks(range(1, players + 1))
        axes.set_ylim(bottom=0)
        print(
            f"{players} players: the first player won {shown[0]['won']:.4g} of {shown[0]['games']} games, "
            f"{shares[0]:.1f} % ({bounds[0][0]:.1f} to {bounds[0][1]:.1f}); an equal share is {100 / players:.1f} %"
        )
    panels[0].set_ylabel("games won, %")
    figure.savefig(plot)
    first = seats.filter(order=1).with_columns(above=100 * (pl.col("won") - 1 / pl.col("players")))
    for row in means(first, "above", []).to_dicts() if len(first) else ():
        print(f"All games: the first player is {interval(row)} percentage points above an equal share")


def starting_towns(seats: pl.DataFrame, plot: Path) -> None:
    """Answer: which starting towns win?

    A player is compared with players of the same kind in games of as many players, since strong bots win from any town.
    """
    usual = pl.col("won").mean().over("players", "kind")
    chosen = seats.with_columns(above=100 * (pl.col("won") - usual)).filter(pl.col("town").is_not_null())
    won = chosen.group_by("town").agg(pl.col("won").sum())
    rows = means(chosen, "above", ["town"]).join(won, on="town").sort("mean", "town").to_dicts()
    figure = Figure(figsize=(7, 1 + 0.25 * len(rows)), layout="constrained")
    axes = figure.subplots()
    axes.errorbar(
        [row["mean"] for row in rows],
        [f"{row['town']} ({row['games']})" for row in rows],
        xerr=[row["margin"] for row in rows],
        fmt="o",
        capsize=3,
    )
    axes.axvline(0, linestyle="--", color="grey", linewidth=1)
    axes.set_xlabel("games won, percentage points above the same kind of player")
    figure.savefig(plot)
    for row in reversed(rows):
        print(
            f"{row['town']}: won {row['won']:.4g} of {row['games']} games, "
            f"{interval(row)} percentage points above the same kind of player"
        )


def growth_of_influence(seats: pl.DataFrame, growth: pl.DataFrame, plot: Path) -> None:
    """Answer: how does influence grow over the turns? A round is one turn of each player."""
    rounds = means(growth, "influence", ["players", "round"])
    at_the_end = means(seats.group_by("game", "players").agg(pl.col("influence").mean()), "influence", ["players"])
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for end in at_the_end.to_dicts():
        shown = rounds.filter(pl.col("players") == end["players"], pl.col("games") >= end["games"] / 2)
        x, mean, margin = (shown[column].to_numpy() for column in ("round", "mean", "margin"))
        axes.plot(x, mean, label=f"{end['players']} players")
        axes.fill_between(x, mean - margin, mean + margin, alpha=0.3)
        known = "; ".join(
            f"after round {row['round']} {interval(row)}" for row in shown.to_dicts() if row["round"] in ROUNDS
        )
        print(f"{end['players']} players: mean influence {known}; after the final count {interval(end)}")
    axes.set_xlabel("round (if at least half of the games reach it)")
    axes.set_ylabel("mean influence of a player")
    if axes.lines:
        axes.legend()
    figure.savefig(plot)


def main() -> None:
    parser = argparse.ArgumentParser(description="Answer three questions about finished games.")
    parser.add_argument("file", nargs="?", type=Path, default=Path("games.ndjson"), help="default: %(default)s")
    parser.add_argument("plots", nargs="?", type=Path, default=Path("plots"), help="folder (default: %(default)s)")
    arguments = parser.parse_args()
    seats, growth = load(arguments.file)
    if seats.is_empty():
        parser.error(f"{arguments.file} has no finished game")
    arguments.plots.mkdir(parents=True, exist_ok=True)
    print(f"{seats['game'].n_unique()} games. Intervals are 95 % intervals.")
    print("\nDoes the first player win more often than 1/n?")
    first_player(seats, arguments.plots / "first-player.png")
    print("\nWhich starting towns win?")
    starting_towns(seats, arguments.plots / "starting-towns.png")
    print("\nHow does influence grow?")
    growth_of_influence(seats, growth, arguments.plots / "influence.png")


if __name__ == "__main__":
    main()
