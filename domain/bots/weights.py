"""The numbers of the evaluation: one set for greedy, one for the planner; the ladder tells how well they play."""

import msgspec
from msgspec.structs import replace

LONGEST = 8
"""The number of rounds beyond which nothing changes its worth."""

INVESTED = 5
"""The number of rounds that income and links are counted for at most."""


class Weights(msgspec.Struct, frozen=True, eq=False):
    """The worth of things in influence, and the pace of play; sets are told apart by identity, which caches do fast."""

    steps_per_turn: float = 1.2
    """Towns entered, or half cities scored, in a turn of any player."""

    spread: float = 2.0
    spread_per_round: float = 0.8
    """The lead that makes a win about three times as likely: with no round left, and more for each that is left."""

    dollar_per_round: float = 0.07
    dollar_rounds: int = LONGEST
    """The worth of a dollar beside its third in the final count, for at most so many rounds that it can be spent in."""

    income: float = 0.6
    """The part of today's income that a player will have in each later round."""

    bonus_per_round: float = 0.1
    """The worth of a bonus tile beside its four in the final count, for each round in which it can be used."""

    reserve: float = 0.0
    """The worth of a bonus tile that can still be earned, half of it if no round is left."""

    reach: float = 0.25
    """The worth of a free place that a link without cost leads to, for each round."""

    doubt: float = 0.4
    """By how much each step that a region lacks makes its scoring less likely."""

    sharpness: float = 0.4
    sharpness_at_once: float = 2.0
    sharpness_lost: float = 0.3
    """By how much a franchise more makes a rank safer: always, at the scoring, and how that fades with each step."""

    tie_break: float = 0.4
    """The franchises that the tie-break marker counts for."""

    crowd: float = 0.4
    """The share in its region of further franchises in an unscored city: most of them are taken back."""

    special_tile: float = 3.0
    """The worth of a bonus tile, the Development or the Route tile of a region for its first."""

    city: float = 1.0
    """The factor of what is expected from a city, whose franchises also count in the region and come back."""

    claim_power: float = 1.6
    """By which power the franchises in a city count when its influence is shared out."""

    late_claim: float = 0.5
    """The part of a claim to a city that is left when the majority is out of reach."""

    rivals: float = 0.2
    """By how much each franchise that lacks to the majority makes it less likely, for each rival."""

    city_cost: float = 0.35
    """The cost of each franchise that is still needed in a city."""

    newcomers: float = 0.5
    """The claim of players who are not yet in a city of which all spaces are free."""


BY_EYE = Weights()
"""The numbers of greedy, set by eye."""

FITTED = Weights(dollar_per_round=0.02, dollar_rounds=3, income=0.0, reserve=1.5, reach=0.0, city=1.8)
"""The numbers of the planner, fitted to what became of the positions in games of bots (``docs/bots.md``)."""

CALIBRATED = replace(FITTED, spread=3.0, spread_per_round=2.5)
"""The numbers of the planner with chances that come true as often as they say, for people (``docs/bots.md``)."""
