"""Hearing that the server is asked to stop, before it waits for the requests that are under way."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def hearing_stop(act: Callable[[], None]) -> Iterator[None]:
    """Call ``act`` as soon as the process is told to stop; whoever listened before is told as well.

    The server itself ends the lifespan only when no request is under way, too late for those that wait for events.
    """
    loop = asyncio.get_running_loop()
    main = threading.current_thread() is threading.main_thread()
    earlier = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT) if main}

    def heard(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(act)
        listener = earlier[signal.Signals(number)]
        if callable(listener):
            listener(number, frame)

    heeded = [number for number, listener in earlier.items() if callable(listener)]
    for number in heeded:
        signal.signal(number, heard)
    try:
        yield
    finally:
        for number in heeded:
            signal.signal(number, earlier[number])
