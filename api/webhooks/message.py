"""The requests of webhooks, after Standard Webhooks 1.0."""

import base64
import hmac
from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domain.notices import NoticeType
from domain.store import Found

TEST = "test"
"""The type of the request that the command ``webhook test`` sends."""


class NoticeData(msgspec.Struct, frozen=True):
    """The subject of a notice. It has no names and no tokens."""

    game: Annotated[UUID, Meta(description="The id of the game.")]
    version: Annotated[
        int, Meta(description="The version at which the wait began, the undo was proposed or the game ended.")
    ]
    position: Annotated[int, Meta(description="The position of this version in the events of all games.")]
    seat: Annotated[int | UnsetType, Meta(description="The seat that has to decide.")] = UNSET
    ref: Annotated[
        str | UnsetType, Meta(description="The reference of the endpoint's own application to this player.")
    ] = UNSET


class NoticeBody(msgspec.Struct, frozen=True):
    """The body of a webhook."""

    type: NoticeType
    timestamp: Annotated[
        str, Meta(description="The time of the event, or of the deadline that has passed, in UTC (RFC 3339).")
    ]
    data: NoticeData


class TestBody(msgspec.Struct, frozen=True):
    """The body that the command ``webhook test`` sends."""

    timestamp: str
    type: Literal["test"] = "test"
    data: dict[str, str] = {}


encode = msgspec.json.Encoder().encode


def body_of(found: Found, ref: str | None = None) -> bytes:
    notice = found.notice
    seat = UNSET if notice.seat is None else notice.seat
    data = NoticeData(found.game, found.version, found.position, seat, UNSET if ref is None else ref)
    return encode(NoticeBody(notice.type, notice.at, data))


def id_of(endpoint: str, epoch: str, found: Found) -> str:
    """Return the id of a notice. It is the same for each try, and has no dot, which separates the signed parts."""
    kind = found.notice.type.removeprefix("game.")
    seat = "" if found.notice.seat is None else f"_{found.notice.seat}"
    return f"msg_{endpoint}_{epoch}_{found.position}_{kind}{seat}"


def headers_of(message_id: str, timestamp: int, body: bytes, secrets: Sequence[str]) -> dict[str, str]:
    """Return the headers of a request, with a signature for each secret."""
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signature(secret, message_id, timestamp, body) for secret in secrets),
    }


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.digest(key, f"{message_id}.{timestamp}.".encode() + body, "sha256")
    return f"v1,{base64.b64encode(signed).decode()}"
