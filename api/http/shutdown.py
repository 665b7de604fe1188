"""The signal to stop, noticed before the server waits for the requests that are under way."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from time import sleep
from types import FrameType
from typing import Any

STOPPING_SECONDS = 10
"""The longest time for requests under way after the server was told to stop."""


@contextmanager
def on_stop_signal(*acts: Callable[[], None]) -> Iterator[None]:
    """Call functions as soon as the process is told to stop, then the handlers that were there before.

    The server itself ends the lifespan only when no request is under way, too late for those that wait for events.
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
    """Stop this worker when the process that started it is gone, however that ended, and clean up after that."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_stop_after, args=(parent, clean_up), name="parent-watch", daemon=True).start()


def _stop_after(parent: Any, clean_up: Callable[[], None]) -> None:
    """Stop once the parent is gone, and in the end as the parent would: a worker may refuse to stop."""
    parent.join()
    clean_up()
    os.kill(os.getpid(), signal.SIGTERM)
    sleep(STOPPING_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)
