"""The command ``webhook``: the endpoints of servers that want notices."""

import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable
from time import time

from api.command_support import CommandFailed, require_consent, with_service
from api.settings import read_settings, webhook_networks
from api.webhooks.message import TestBody, encode, headers_of
from api.webhooks.sender import Sender, require_url
from domain.store import Endpoint, GameService, UnknownEndpoint, now, webhooks

Act = Callable[[GameService, Namespace], Awaitable[str]]


def webhook(arguments: Namespace) -> int:
    """Manage webhooks: notices to servers of frontends.

      webhook add URL     store an endpoint, and print its id and its secret
      webhook list        list the endpoints
      webhook rotate ID   print a new secret; the old one signs for another day
      webhook remove ID   remove an endpoint, and the notices that wait for it
      webhook test ID     send a request now, and print the response
      webhook replay ID --from POSITION
                          switch it on, and send the notices from there on

    A secret is shown once. An endpoint with --app gets the games that the
    application opened and the public games of its players, another one all
    public games. Servers may keep running.
    """
    act, wanted = _ACTIONS[arguments.action]
    if (arguments.target is not None) != wanted:
        raise CommandFailed(f"Usage: webhook {arguments.action}{' ID' if wanted else ''}")
    if arguments.action == "remove" and not arguments.yes:
        require_consent(f"Remove {arguments.target}?", "Nothing was changed")
    sys.stdout.write(with_service(lambda service: act(service, arguments)))
    return 0


async def _add(service: GameService, arguments: Namespace) -> str:
    names = [name.strip() for name in arguments.events.split(",")]
    if unknown := set(names) - webhooks.EVENTS.keys():
        raise CommandFailed(f"{', '.join(sorted(unknown))}: the events are {', '.join(webhooks.EVENTS)}")
    try:
        require_url(arguments.target, webhook_networks(read_settings()))
    except ValueError as error:
        raise CommandFailed(str(error)) from error
    types = {webhooks.EVENTS[name] for name in names}
    return "{} {}\n".format(*await service.webhooks.add(arguments.target, types, arguments.app))


async def _list(service: GameService, _: Namespace) -> str:
    names = {kind: name for name, kind in webhooks.EVENTS.items()}
    return "".join(
        f"{each.id}  {_state(each)}  {','.join(sorted(names[kind] for kind in each.events))}"
        f"  {each.app or 'public games'}  {each.url}\n"
        for each in await service.webhooks.all()
    )


def _state(endpoint: Endpoint) -> str:
    if endpoint.stopped is not None and endpoint.mark is not None:
        return f"off ({endpoint.stopped}; go on with: replay {endpoint.id} --from {endpoint.mark.position + 1})"
    return "on" if endpoint.failing_since is None else "on, fails"


async def _rotate(service: GameService, arguments: Namespace) -> str:
    return f"{await service.webhooks.rotate(arguments.target)}\n"


async def _remove(service: GameService, arguments: Namespace) -> str:
    await service.webhooks.remove(arguments.target)
    return f"{arguments.target} gets no more notices.\n"


async def _test(service: GameService, arguments: Namespace) -> str:
    found = [each for each in await service.webhooks.all() if each.id == arguments.target]
    if not found:
        raise UnknownEndpoint(arguments.target)
    (endpoint,), at = found, time()
    body = encode(TestBody(now()))
    headers = headers_of(f"msg_{endpoint.id}_test_{int(at)}", int(at), body, endpoint.secrets(round(at * 1000)))
    async with Sender(webhook_networks(read_settings())) as sender:
        reply = await sender.post(endpoint.url, body, headers)
    if reply.status is None or not 200 <= reply.status < 300:
        raise CommandFailed(f"{endpoint.url}: {reply.error or f'status {reply.status}'}")
    return f"{endpoint.url}: status {reply.status}\n"


async def _replay(service: GameService, arguments: Namespace) -> str:
    if arguments.position is None:
        raise CommandFailed("Usage: webhook replay ID --from POSITION")
    await service.webhooks.replay(arguments.target, arguments.position)
    return f"{arguments.target} starts again from position {arguments.position}.\n"


_ACTIONS: dict[str, tuple[Act, bool]] = {
    "add": (_add, True),
    "list": (_list, False),
    "rotate": (_rotate, True),
    "remove": (_remove, True),
    "test": (_test, True),
    "replay": (_replay, True),
}
ACTIONS = tuple(_ACTIONS)
