"""Descriptions of boards in words."""

from collections.abc import Iterable, Iterator, Mapping

from domain.timeline import Timeline
from projections.board import BoardView, PlaceView, RegionStatus
from projections.pictures.pieces import seat_letter
from projections.scores import PlayerScore
from projections.wording import count, listed, tile_text

Names = Mapping[int, str]


def names_of(players: tuple[PlayerScore, ...]) -> Names:
    """Return the names of the players by seat, that of the seat where nobody sits."""
    return {player.seat: player.name or f"seat {seat_letter(player.seat)}" for player in players}


def heading(timeline: Timeline) -> str:
    """Return the state of a game in a few words: the turn, and whose it is or who has won."""
    game, table = timeline.game, timeline.table
    names = {player.seat: player.name for player in table.players}
    if game is None:
        return f"Open table: {len(names)} of {count(table.seats, 'seat')} taken"
    if game.ending is not None:
        return f"Game over: {listed(names[seat] for seat in game.ending.winners)} won"
    moment = f"Turn {game.turn.number}" if game.turn.number else "Set-up"
    return moment if game.to_play is None else f"{moment}: {names[game.to_play]} to play"


def describe_board(view: BoardView, players: tuple[PlayerScore, ...]) -> str:
    """Return sentences on everything that lies on a board."""
    names = names_of(players)
    sentences = (
        *(_player(player, view) for player in players if player.name),
        *_turn(view, names),
        *_list("Scored cities", (place.name for place in view.places if place.scored)),
        *_list("Boom marker", (place.name for place in view.places if place.id == view.boom)),
        *_regions(view, names),
        *_list("Region track", (tile_text(space.tile) for space in view.track if space.tile)),
        *_list(
            "Milestones", (f"{m.id} by {listed(names[s] for s in m.reached)}" for m in view.milestones if m.reached)
        ),
    )
    return " ".join(sentences)


def describe_place(view: PlaceView, names: Names) -> str:
    """Return a place with the franchises there, in words."""
    kind = (
        "scored city" if view.scored else f"city of {view.value}" if view.value and view.kind == "city" else view.kind
    )
    here = [f"{names[seat]} {number}" for seat, number in view.franchises.items()]
    here += [f"marker of {names[seat]}" for seat in view.markers]
    here += [f"{number} in the centre for {names[seat]}" for seat, number in view.centre.items()]
    return f"{view.name}, {kind}{', closed' * view.closed}{': ' * bool(here)}{', '.join(here)}"


def _player(player: PlayerScore, view: BoardView) -> str:
    here = [f"{place.name} {place.franchises[player.seat]}" for place in view.places if player.seat in place.franchises]
    has = f"{player.influence} influence, ${player.money}, {count(player.supply, 'franchise')} left"
    left = " and has left the game" * player.resigned
    on_board = f"Franchises: {', '.join(here)}." if here else "No franchises."
    return f"{player.name} ({seat_letter(player.seat)}, {player.colour}) has {has}{left}. {on_board}"


def _turn(view: BoardView, names: Names) -> Iterator[str]:
    yield from _list(
        "Expansion markers", (f"{names[s]} in {place.name}" for place in view.places for s in place.markers)
    )
    centre = ((place.name, seat, number) for place in view.places for seat, number in place.centre.items())
    yield from _list("In the centre", (f"{names[seat]} {number} in {place}" for place, seat, number in centre))


def _regions(view: BoardView, names: Names) -> Iterator[str]:
    statuses: tuple[RegionStatus, ...] = ("closed", "scored")
    for status in statuses:
        regions = (region.name for region in view.regions if region.status == status)
        yield from _list(f"{status.capitalize()} regions", regions)
    yield from _list("Region tiles", (f"{each.name} {tile_text(each.tile)}" for each in view.regions if each.tile))
    markers = (f"{names[each.tie_break]} in {each.name}" for each in view.regions if each.tie_break is not None)
    yield from _list("Tie-break markers", markers)


def _list(head: str, words: Iterable[str]) -> Iterator[str]:
    """Yield a sentence with a list, unless it is empty."""
    if joined := ", ".join(words):
        yield f"{head}: {joined}."
