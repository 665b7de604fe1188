"""The webhooks of the document: requests of the server to receivers."""

from api.webhooks.message import NoticeBody
from openapi.generate.schemas import Schema, Types

_TEXTS = {
    "game.turn": ("A turn begins", "Somebody has to decide. Sent when `waiting_since` of the game changes."),
    "game.ended": ("A game ends", "The game is over. An undo may take that back."),
    "game.undo_proposed": ("An undo is proposed", "A seat has to answer a proposal to undo or redo."),
    "game.lapsed": ("A deadline passes", "A seat has not decided within the turn limit."),
}

_HEADERS = {
    "webhook-id": "The id of the notice, the same for each try.",
    "webhook-timestamp": "The time of the try, in seconds since 1970.",
    "webhook-signature": "`v1,` and the HMAC-SHA-256 of `id.timestamp.body` in base64; two of them after a rotation.",
}

_MORE = "An operator adds the endpoint. The request follows Standard Webhooks 1.0, and may come more than once."


def webhooks(types: Types) -> Schema:
    """Return the webhooks by the type of the notice."""
    return {name: {"post": _request(name, *texts, types)} for name, texts in _TEXTS.items()}


def _request(name: str, summary: str, text: str, types: Types) -> Schema:
    example = {"game": "3f2b8c1d-9a4e-4d7b-8c6f-1e2d3c4b5a69", "version": 57, "position": 1204}
    seat = {} if name == "game.ended" else {"seat": 1, "ref": "user-7"}
    body = {"type": name, "timestamp": "2026-01-31T18:00:00.000000Z", "data": example | seat}
    return {
        "operationId": f"on_{name.replace('.', '_')}",
        "tags": ["webhooks"],
        "summary": summary,
        "description": f"{text} {_MORE}",
        "security": [],
        "parameters": [
            {"name": header, "in": "header", "required": True, "description": described, "schema": {"type": "string"}}
            for header, described in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "description": types.text_of(NoticeBody),
            "content": {"application/json": {"schema": types.of(NoticeBody), "examples": {"notice": {"value": body}}}},
        },
        "responses": {
            "2XX": {"description": "The notice has arrived. Other responses are failures, and it is sent again."},
            "410": {"description": "The receiver is gone. The endpoint is switched off."},
        },
    }
