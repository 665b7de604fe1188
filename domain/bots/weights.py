"""The weights of the evaluation: one set for greedy, one for the planner. The ladder measures how well they play."""

import msgspec
from msgspec.structs import replace

LONGEST = 8
"""The number of rounds after which estimates do not change."""

INVESTED = 5
"""The highest number of rounds for which income and links count."""


class Weights(msgspec.Struct, frozen=True, eq=False):
    """The worth of things in influence, and the pace of play. Sets compare by identity, which is fast in caches."""

    steps_per_turn: float = 1.2
    """The towns entered, or half cities scored, in a turn of any player."""

    spread: float = 2.0
    spread_per_round: float = 0.8
    """The lead that makes a win about three times as likely: at the end of the game, and in addition per round left."""

    dollar_per_round: float = 0.07
    dollar_rounds: int = LONGEST
    """The worth of a dollar per round left, up to ``dollar_rounds``, in addition to the final count (a third)."""

    income: float = 0.6
    """The part of today's income that a player will have in each later round."""

    bonus_per_round: float = 0.1
    """The worth of a bonus tile per round left, in addition to four points in the final count."""

    reserve: float = 0.0
    """The worth of a bonus tile that can still be earned; half of it in the last round."""

    reach: float = 0.25
    """The worth per round of a free place behind a link without cost."""

    doubt: float = 0.4
    """The loss of probability of a region's scoring for each step to it."""

    sharpness: float = 0.4
    sharpness_at_once: float = 2.0
    sharpness_lost: float = 0.3
    """The gain of one more franchise for a rank: always, right before the scoring, and the decay of that per step."""

    tie_break: float = 0.4
    """The number of franchises that the tie-break marker counts as."""

    crowd: float = 0.4
    """The weight in its region of a second or later franchise in an unscored city: most of them are taken back."""

    special_tile: float = 3.0
    """The worth of a bonus tile, the Development or the Route tile for the first player of a region."""

    city: float = 1.0
    """The factor of city estimates: the franchises also count in the region and are taken back."""

    claim_power: float = 1.6
    """The exponent of the number of franchises when the influence of a city is shared out."""

    late_claim: float = 0.5
    """The part of a claim to a city that remains when the majority is out of reach."""

    rivals: float = 0.2
    """The loss of probability of the majority for each missing franchise, per rival."""

    city_cost: float = 0.35
    """The cost of each franchise that is still needed in a city."""

    newcomers: float = 0.5
    """The claim of players who are not in a city yet, while all of its spaces are free."""


BY_EYE = Weights()
"""The weights of greedy, set by hand."""

FITTED = Weights(dollar_per_round=0.02, dollar_rounds=3, income=0.0, reserve=1.5, reach=0.0, city=1.8)
"""The weights of the planner, fitted to the results of positions in bot games (``docs/bots.md``)."""

CALIBRATED = replace(FITTED, spread=3.0, spread_per_round=2.5)
"""The weights of the planner with calibrated chances, for showing them to people (``docs/bots.md``)."""
