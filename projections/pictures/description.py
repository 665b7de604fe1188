"""Descriptions of boards in words."""

from collections.abc import Iterable, Iterator, Mapping

from domain.timeline import Timeline
from projections.board import BoardView, PlaceView
from projections.pictures.pieces import seat_letter
from projections.scores import PlayerScore
from projections.words import en

Names = Mapping[int, str]


def names_of(players: tuple[PlayerScore, ...]) -> Names:
    """Return the names of the players by seat; a free seat has the name of the seat."""
    return {player.seat: player.name or en.pictures.seat_name(seat_letter(player.seat)) for player in players}


def heading(timeline: Timeline) -> str:
    """Return the state of a game in a few words: the turn, and the player to move or the winners."""
    game, table = timeline.game, timeline.table
    names = {player.seat: player.name for player in table.players}
    if game is None:
        return en.pictures.open_table(len(names), table.seats)
    if game.ending is not None:
        return en.pictures.game_won([names[seat] for seat in game.ending.winners])
    return en.pictures.game_played(game.turn.number, None if game.to_play is None else names[game.to_play])


def describe_board(view: BoardView, players: tuple[PlayerScore, ...]) -> str:
    """Return sentences about the whole board."""
    names = names_of(players)
    found = {
        **_pieces(view, names),
        "scored_cities": [place.name for place in view.places if place.scored],
        "boom": [place.name for place in view.places if place.id == view.boom],
        "closed_regions": [region.name for region in view.regions if region.status == "closed"],
        "scored_regions": [region.name for region in view.regions if region.status == "scored"],
        "region_tiles": [f"{region.name} {region.tile.text}" for region in view.regions if region.tile],
        "tie_breaks": [
            en.pictures.player_in(names[region.tie_break], region.name)
            for region in view.regions
            if region.tie_break is not None
        ],
        "track": [space.tile.text for space in view.track if space.tile],
        "milestones": [
            en.pictures.milestone_by(en.MILESTONES[milestone.id], [names[seat] for seat in milestone.reached])
            for milestone in view.milestones
            if milestone.reached
        ],
    }
    lists = [en.pictures.list_text(head, items) for head, items in found.items() if items]
    return " ".join((*(text for player in players if player.name for text in _player(player, view)), *lists))


def describe_place(view: PlaceView, names: Names) -> str:
    """Return a place and its franchises in words."""
    kind = en.pictures.place_kind(view.kind, view.value, scored=view.scored, closed=view.closed)
    here = [f"{names[seat]} {number}" for seat, number in view.franchises.items()]
    here += [en.pictures.marker_of(names[seat]) for seat in view.markers]
    here += [en.pictures.centre_of(names[seat], number) for seat, number in view.centre.items()]
    return f"{view.name}, {kind}{': ' * bool(here)}{', '.join(here)}"


def _player(player: PlayerScore, view: BoardView) -> Iterator[str]:
    name, letter = player.name or "", seat_letter(player.seat)
    yield en.pictures.player_has(name, letter, player.colour, player.influence, player.money, player.supply)
    if player.resigned:
        yield en.pictures.player_has_left(name)
    here = [f"{place.name} {place.franchises[player.seat]}" for place in view.places if player.seat in place.franchises]
    yield en.pictures.list_text("franchises", here) if here else en.pictures.NO_FRANCHISES


def _pieces(view: BoardView, names: Names) -> dict[str, Iterable[str]]:
    """Return the markers and unopened franchises of the turn."""
    centre = ((place.name, seat, number) for place in view.places for seat, number in place.centre.items())
    return {
        "markers": [en.pictures.player_in(names[seat], place.name) for place in view.places for seat in place.markers],
        "centre": [en.pictures.player_in(f"{names[seat]} {number}", place) for place, seat, number in centre],
    }
