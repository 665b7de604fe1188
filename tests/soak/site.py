"""Two servers on one database, which can be killed, stopped and started while others ask them."""

import os
import signal
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random

from tests.api.server import Server, running


class Site:
    """Processes that serve one database, on ports that change with each start."""

    def __init__(self, url: str, servers: int = 2) -> None:
        self.url = url
        self._stacks = [ExitStack() for _ in range(servers)]
        self._servers = [self._started(number) for number in range(servers)]

    def __enter__(self) -> "Site":
        return self

    def __exit__(self, *_: object) -> None:
        for stack in self._stacks:
            stack.close()

    def address(self, random: Random) -> str:
        """Return the address of any server."""
        return random.choice(self._servers).url

    def stop(self, random: Random) -> None:
        """Tell a server to stop, wait for its end, and start another one."""
        number = random.randrange(len(self._servers))
        self._servers[number].stop(signal.SIGTERM)
        self._start_again(number)

    def kill(self, random: Random) -> None:
        """Kill a server with all of its processes at once, and start another one."""
        number = random.randrange(len(self._servers))
        _kill(_family(self._servers[number].process.pid))
        self._start_again(number)

    def kill_worker(self, random: Random) -> None:
        """Kill the processes that a server has started, those that serve and those that think for bots."""
        _kill(_family(random.choice(self._servers).process.pid)[1:])

    def _start_again(self, number: int) -> None:
        self._stacks[number].close()
        self._servers[number] = self._started(number)

    def _started(self, number: int) -> Server:
        quick = {"heartbeat": "1", "database_timeout": "2", "bot_seconds": "0.05"}
        unlimited = {"seats_limit": "0", "storage_limit": "0", "connections_per_client": "0"}
        server = running(self.url, port=0, files=None, log_level="error", **quick, **unlimited)
        return self._stacks[number].enter_context(server)


def _family(parent: int) -> list[int]:
    """Return a process and all that it has started, and those have."""
    found = [parent]
    for process in found:
        with suppress(OSError):
            children = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
            found += [int(child) for child in children.split()]
    return found


def _kill(processes: list[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
