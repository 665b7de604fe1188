"""English."""

from projections.words.en import pages, pictures
from projections.words.en.actions import ACTION_TEXTS, action_text
from projections.words.en.facts import SENTENCES, sentence_for
from projections.words.en.grammar import count, tile_text
from projections.words.en.modules import MILESTONES
from projections.words.en.refusals import REASONS, refusal_text
from projections.words.en.views import (
    ONLY_ACTION,
    PHASES,
    best_action,
    chance_of_winning,
    city_would_score,
    ending_text,
    line_text,
    note_text,
)

__all__ = [
    "ACTION_TEXTS",
    "MILESTONES",
    "ONLY_ACTION",
    "PHASES",
    "REASONS",
    "SENTENCES",
    "action_text",
    "best_action",
    "chance_of_winning",
    "city_would_score",
    "count",
    "ending_text",
    "line_text",
    "note_text",
    "pages",
    "pictures",
    "refusal_text",
    "sentence_for",
    "tile_text",
]
