"""Applications: frontends with a server of their own, which send a key and the name of the user they act for.

A key never acts for a seat. It raises the limits, and opens what the application has stored.
"""

import re
from collections.abc import Mapping
from typing import Any

from api.http.limits import RateLimit, client_of
from api.http.problems import ApiProblem, FieldError
from api.http.requests import ApiRequest
from domain.store import APP, GameService, Owner, Ref

KEY, USER = "X-App-Key", "X-App-User"

NO_REFS: Mapping[int, str] = {}

_is_user = re.compile(r"[!-~]{1,64}").fullmatch


async def identify(scope: Any, limit: RateLimit) -> None:
    """Make the application with the key in a request its client, or raise a problem."""
    headers = dict(scope["headers"])
    if b"origin" in headers:
        raise ApiProblem(
            "app_key_in_browser", "A browser has sent the key of an application. Keep it on your server, and renew it."
        )
    service: GameService = scope["litestar_app"].state["service"]
    app = await service.apps.find(headers[KEY.lower().encode()].decode("latin-1"))
    if app is None:
        limit.take(client_of(scope["client"]))
        raise ApiProblem("app_key_unknown", "This key of an application does not work. It was mistyped or revoked.")
    user = headers.get(USER.lower().encode(), b"").decode("latin-1")
    if user and not _is_user(user):
        why = "send up to 64 visible ASCII characters"
        raise ApiProblem("invalid_header", f"Header {USER}: {why}.", errors=(FieldError(USER, why),))
    scope["state"]["app"] = app
    scope["client"] = (f"{APP}{app}/{user}", 0)


def app_of(request: ApiRequest) -> str | None:
    """Return the application that sent a request, None for other clients."""
    app: str | None = request.scope["state"].get("app")
    return app


def owner_of(request: ApiRequest, refs: Mapping[int, str] = NO_REFS) -> Owner | None:
    """Return the owner of a new game, with its references to players; None for clients that are no applications."""
    app = require_app(request) if refs else app_of(request)
    return None if app is None else Owner(app, refs)


def ref_of(request: ApiRequest, text: str | None) -> Ref | None:
    """Return the reference to a new player, if the request has one."""
    return None if text is None else Ref(require_app(request), text)


async def may_still_act(request: ApiRequest) -> bool:
    """Return whether the key of an application still works; true for other clients."""
    app = app_of(request)
    return app is None or await request.service.apps.find(request.headers[KEY]) == app


def require_app(request: ApiRequest) -> str:
    """Return the application that sent a request, or raise a problem."""
    app = app_of(request)
    if app is None:
        raise ApiProblem("app_key_missing", f"Send the key of an application in {KEY}.")
    return app
