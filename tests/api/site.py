"""Server processes on one database, which can be stopped, killed and restarted while clients send requests."""

import os
import signal
from contextlib import ExitStack, suppress
from pathlib import Path

from tests.api.server import Server, running

SERVERS = 2


class Site:
    """Two servers on one database, with new ports after each start."""

    def __init__(self, url: str, **settings: str) -> None:
        """Start the servers with the same settings."""
        self.url = url
        self._settings = settings
        self._stacks = [ExitStack() for _ in range(SERVERS)]
        self._servers = [self._started(number) for number in range(SERVERS)]

    def __enter__(self) -> "Site":
        return self

    def __exit__(self, *_: object) -> None:
        for stack in self._stacks:
            stack.close()

    def address(self, number: int) -> str:
        return self._servers[number].url

    def restart(self, number: int) -> tuple[int, str]:
        """Stop a server and start another one; return its exit status and its log."""
        ended = self._servers[number].stop()
        self._start_again(number)
        return ended

    def kill(self, number: int) -> None:
        """Kill a server with all its processes at once, and start another one."""
        _kill(_family(self._servers[number].process.pid))
        self._start_again(number)

    def kill_workers(self, number: int) -> None:
        """Kill all processes that a server has started, workers and bot workers."""
        _kill(_family(self._servers[number].process.pid)[1:])

    def _start_again(self, number: int) -> None:
        self._stacks[number].close()
        self._servers[number] = self._started(number)

    def _started(self, number: int) -> Server:
        server = running(self.url, port=0, files=None, log_level="error", heartbeat="1", **self._settings)
        return self._stacks[number].enter_context(server)


def _family(parent: int) -> list[int]:
    """Return a process and all its descendants."""
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
