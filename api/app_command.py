"""The command ``app``: applications, their keys, and their references to players."""

import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable

from api.command_support import CommandFailed, require_consent, with_service
from domain.store import GameService, is_app_name

Act = Callable[[GameService, Namespace], Awaitable[str]]


def app(arguments: Namespace) -> int:
    """Manage applications: frontends with a server of their own.

      app add NAME         store an application, and print its key
      app list             list the applications, their working keys and games
      app renew NAME       print a new key; the old one works for another day
      app revoke NAME      revoke all keys at once; games and references stay
      app forget NAME REF  erase all references to a person

    A key is shown once, and stored as a hash. Servers may keep running.
    """
    act, operands = _ACTIONS[arguments.action]
    given = [value for value in (arguments.name, arguments.ref) if value is not None]
    if len(given) != len(operands):
        raise CommandFailed(f"Usage: app {arguments.action} {' '.join(operands)}".rstrip())
    if arguments.action in ("revoke", "forget") and not arguments.yes:
        require_consent(f"{arguments.action.capitalize()} {' '.join(given)}?", "Nothing was changed")
    sys.stdout.write(with_service(lambda service: act(service, arguments)))
    return 0


async def _add(service: GameService, arguments: Namespace) -> str:
    if not is_app_name(arguments.name):
        raise CommandFailed(f"{arguments.name}: a name has 1 to 32 of a-z, 0-9 and -, and does not begin with -")
    return f"{await service.apps.add(arguments.name)}\n"


async def _list(service: GameService, _: Namespace) -> str:
    return "".join(f"{app.name:32}  {app.keys} keys  {app.games} games\n" for app in await service.apps.all())


async def _renew(service: GameService, arguments: Namespace) -> str:
    return f"{await service.apps.renew(arguments.name)}\n"


async def _revoke(service: GameService, arguments: Namespace) -> str:
    await service.apps.revoke(arguments.name)
    return f"No key of {arguments.name} works any more.\n"


async def _forget(service: GameService, arguments: Namespace) -> str:
    number = await service.apps.forget(arguments.name, arguments.ref)
    return f"{number} references of {arguments.name} were erased.\n"


_ACTIONS: dict[str, tuple[Act, tuple[str, ...]]] = {
    "add": (_add, ("NAME",)),
    "list": (_list, ()),
    "renew": (_renew, ("NAME",)),
    "revoke": (_revoke, ("NAME",)),
    "forget": (_forget, ("NAME", "REF")),
}
ACTIONS = tuple(_ACTIONS)
