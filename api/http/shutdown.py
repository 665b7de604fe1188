"""Shutdown: notice the stop signal before the server waits for requests, and the end of the parent process."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep
from types import FrameType

STOPPING_SECONDS = 10
"""The time limit for running requests after the server was told to stop."""


@contextmanager
def on_stop_signal(*acts: Callable[[], None]) -> Iterator[None]:
    """Call functions at a stop signal, then the earlier handlers.

    The server ends the lifespan only after all requests, which is too late for requests that wait for events.
    """
    loop = asyncio.get_running_loop()
    in_main_thread = threading.current_thread() is threading.main_thread()
    signals = (signal.SIGTERM, signal.SIGINT) if in_main_thread else ()
    earlier = {number: handler for number in signals if callable(handler := signal.getsignal(number))}

    def handle(number: int, frame: FrameType | None) -> None:
        for act in acts:
            loop.call_soon_threadsafe(act)
        earlier[signal.Signals(number)](number, frame)

    for number in earlier:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def stop_with_parent(clean_up: Callable[[], None]) -> None:
    """Clean up and stop this worker when its parent process is gone: a killed parent cannot do either."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        clean_up()
        os.kill(os.getpid(), signal.SIGTERM)
        sleep(STOPPING_SECONDS)  # a worker may refuse to stop
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, name="parent", daemon=True).start()
