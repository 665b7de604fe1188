"""R13.2: whatever is combined, the rules hold: random games with every combination of modules, starts and layouts."""

import random
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Literal

import msgspec
import pytest
from msgspec.structs import replace

from domain.actions import Expand, ExpandAgain, Resign
from domain.decide import decide, legal_actions
from domain.evolve import evolve, replay
from domain.game import Game
from domain.modules import Action, ActionTaken, GameFact, GameOptions, Modules
from domain.modules.region_tiles import RegionTiles
from domain.refused import Refused
from domain.start import start
from tests.domain.modules.plain_game import CITIES, NEAR, PLACES, PlainGame
from tests.domain.modules.plain_rules import EVERYTHING, may
from tests.domain.modules.players import choose
from tests.domain.modules.record_games import LAYOUTS, MODULES, STARTS, options
from tests.domain.positions import NEW_TILES
from tests.support.soak import soak_factor

COMBINATIONS = list(product(LAYOUTS, range(2, 6), STARTS))

_decode = msgspec.json.Decoder(GameFact).decode


def _played(chosen: GameOptions, players: int, seed: int) -> tuple[list[GameFact], Game, list[Game]]:
    """Play a whole game, half of it at random, and keep some of its positions."""
    luck = random.Random(f"{chosen} {players} {seed}")
    decision = start(chosen, players, seed, NEW_TILES)
    all_facts, game = list(decision.facts), decision.game
    seen = [game]
    while game.to_play is not None:
        action, seat = _next(game, luck)
        decision = decide(game, action, seat)
        all_facts += decision.facts
        game = decision.game
        if luck.random() < 0.02:
            seen.append(game)
    return all_facts, game, seen


def _next(game: Game, luck: random.Random) -> tuple[Action, int | None]:
    if luck.random() < 0.001:
        return Resign(), luck.choice(game.playing())
    if luck.random() < 0.2:
        return luck.choice(legal_actions(game)).action, None
    return choose(game, luck), None


def _stored(facts: list[GameFact]) -> list[GameFact]:
    """Return the facts as they come back from the store."""
    return [_decode(msgspec.json.encode(fact)) for fact in facts]


def _no_luck(*_: object) -> None:
    raise AssertionError("a replay draws nothing")


@pytest.mark.parametrize(("layout", "players", "opening"), COMBINATIONS)
def test_every_combination_plays_to_an_end_and_its_books_are_in_order(
    layout: str, players: int, opening: Literal["standard", "introductory"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R1.6, R13.2: franchises, money, influence, tiles after every fact; the replay draws nothing and is the game."""
    for seed, modules in enumerate(MODULES * soak_factor()):
        all_facts, ended, _ = _played(options(layout, players, opening, modules), players, seed)
        assert ended.ending is not None
        with monkeypatch.context() as patched:
            for source in ("Random", "SystemRandom", "random", "choice", "choices", "sample", "shuffle", "randrange"):
                patched.setattr(random, source, _no_luck)
            assert _replayed_beside_the_plain_game(_stored(all_facts)) == ended


def _replayed_beside_the_plain_game(facts: list[GameFact]) -> Game:
    plain = PlainGame()
    game = replay(facts[:1])
    plain.read(facts[0])
    for fact in facts[1:]:
        before, game = game, evolve(game, fact)
        plain.read(fact)
        _assert_the_books_agree(game, plain)
        if game.spaces is not before.spaces:
            _assert_the_same_stand_everywhere(game, plain)
    _assert_the_same_stand_everywhere(game, plain)
    assert replay(facts) == game
    return game


def _assert_the_books_agree(game: Game, plain: PlainGame) -> None:
    for seat, player in enumerate(game.players):
        assert player.supply + plain.franchises(seat) == 40
        assert player.supply >= len(plain.markers) * (seat == game.turn.seat)
        assert player.money == plain.money[seat]
        assert player.money >= 0
        assert player.influence == plain.influence[seat]
        assert player.bonus_tiles == plain.bonus[seat]
        assert player.bonus_tiles >= 0


def _assert_the_same_stand_everywhere(game: Game, plain: PlainGame) -> None:
    for place, here in zip(plain.on, game.spaces, strict=True):
        in_order = place not in CITIES or place in plain.value
        assert list(here) == plain.on[place] if in_order else sorted(here) == sorted(plain.on[place])


@pytest.mark.parametrize(("layout", "players", "opening"), COMBINATIONS)
def test_what_is_listed_or_permitted_is_allowed_and_nothing_else(
    layout: str, players: int, opening: Literal["standard", "introductory"]
) -> None:
    """Of all that can be written down over direct links, and of longer paths, in some positions of some games."""
    luck = random.Random(f"{layout} {players} {opening}")
    turn = LAYOUTS.index(layout) + players + STARTS.index(opening)
    for seed, modules in enumerate(MODULES[turn % 2 :: 2]):
        all_facts, _, seen = _played(options(layout, players, opening, modules), players, seed + 100)
        for game in luck.sample(seen, min(2, len(seen))):
            plain = PlainGame(_up_to(all_facts, game))
            if game.to_play is not None:
                _assert_just_this_is_allowed(game, plain, luck)
                _assert_just_this_is_allowed(*_with_special_tiles(game, plain), luck)


def _up_to(all_facts: list[GameFact], game: Game) -> list[GameFact]:
    """Return the facts that led to a position."""
    remaining = iter(all_facts)
    known = [next(remaining)]
    position = replay(known)
    while position != game:
        fact = next(remaining)
        known.append(fact)
        position = evolve(position, fact)
    return known


def _with_special_tiles(game: Game, plain: PlainGame) -> tuple[Game, PlainGame]:
    """Return the same position with both tiles ready for the active player, and money to use them."""
    if game.phase != "expand" or not any(isinstance(module, RegionTiles) for module in game.modules):
        return game, plain
    seat = game.turn.seat
    held = replace(RegionTiles.of(game), development=seat, development_ready=True, route=seat, route_ready=True)
    plain.ready = {"development": True, "route": True}
    plain.money[seat] += 8
    player = replace(game.active, money=game.active.money + 8)
    return replace(game, players=game.with_player(seat, player)).with_module(held), plain


def _assert_just_this_is_allowed(game: Game, plain: PlainGame, luck: random.Random) -> None:
    listed = [legal.action for legal in legal_actions(game)]
    assert len(set(listed)) == len(listed), "nothing is listed twice"
    direct = {action for action in listed if len(getattr(action, "path", ())) < 3}
    assert direct == {action for action in EVERYTHING if may(plain, action)}
    assert all(may(plain, action) for action in listed)
    written = [*luck.sample(EVERYTHING, 12), *luck.sample(listed, min(3, len(listed))), *_paths(plain, luck)]
    for action in written:
        assert _accepts(game, action) == may(plain, action), action


def _accepts(game: Game, action: Action) -> bool:
    try:
        decision = decide(game, action)
    except Refused as refusal:
        if not (refusal.code and refusal.detail and refusal.rule.startswith("R")):
            raise
        return False
    assert isinstance(decision.facts[0], ActionTaken)
    return True


def _paths(plain: PlainGame, luck: random.Random) -> Iterator[Expand | ExpandAgain]:
    """Longer and broken paths, from link to link: some wander off, some lead home from a place with a free space."""
    own = [place for place in PLACES if plain.has(place)] or ["dallas"]
    free = [place for place in PLACES if plain.free(place) and not plain.has(place)] or ["omaha"]
    for _ in range(5):
        off = _walk(luck.choice(own), luck.choice((0, 1, 2, 2, 3, 4)), luck)
        home = _walk(luck.choice(free), 6, luck, until=own)[::-1]
        for path in (off, home):
            free_link = luck.choice((None, None, None, 0, 1, 1, 2, -1, 7))
            fitting = ExpandAgain if plain.markers else Expand
            yield luck.choice((fitting, fitting, fitting, Expand, ExpandAgain))(path, free_link)


def _walk(start: str, links: int, luck: random.Random, until: Iterable[str] = ()) -> tuple[str, ...]:
    """Mostly over links, mostly to new places, hardly ever off the map."""
    path = [start]
    while len(path) <= links and path[-1] not in until:
        linked = NEAR.get(path[-1], set())
        jump = luck.random() < 0.02
        path.append(
            luck.choice(["atlantis", *sorted(PLACES)] if jump else sorted(linked - set(path) or linked or PLACES))
        )
    return tuple(path)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("modules", MODULES)
def test_r2_1_the_seed_repeats_every_draw(players: int, modules: Modules) -> None:
    for layout in LAYOUTS:
        chosen = options(layout, players, "standard", modules)
        assert start(chosen, players, 12, NEW_TILES).facts == start(chosen, players, 12, NEW_TILES).facts


def test_r12_5_random_paths_do_use_the_development_tile() -> None:
    """The check above would prove little if none of its longer paths were allowed."""
    luck = random.Random(1)
    accepted = 0
    for seed in range(20):
        all_facts, _, seen = _played(GameOptions(modules=Modules(region_tiles="new")), 4, seed)
        for game in seen:
            if game.phase == "expand":
                rich, plain = _with_special_tiles(game, PlainGame(_up_to(all_facts, game)))
                accepted += sum(_accepts(rich, way) for way in _paths(plain, luck) if len(way.path) > 2)
    assert accepted > 10
