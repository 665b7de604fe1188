"""The signal to stop: noticed before the server waits for requests under way, and put off while others take over."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from time import monotonic, sleep
from types import FrameType
from typing import Any

STOPPING_SECONDS = 10
"""The longest time for requests under way after the server was told to stop."""

DRAIN_SIGNAL = signal.SIGUSR1
"""The signal by which workers hear that the server will stop soon."""

TELLING_SECONDS = 0.2
"""The time after which workers are told again, as one may have been started meanwhile."""


class Leaving:
    """The knowledge of a process that it will stop."""

    def __init__(self) -> None:
        self.begun = False

    def begin(self) -> None:
        """Note that this process stops, now or soon."""
        self.begun = True


@contextmanager
def on_stop_signal(leaving: Leaving, *acts: Callable[[], None]) -> Iterator[None]:
    """Call functions as soon as the process is told to stop, then the handlers that were there before.

    The server itself ends the lifespan only when no request is under way, too late for those that wait for events.
    """
    loop = asyncio.get_running_loop()
    in_main_thread = threading.current_thread() is threading.main_thread()
    signals = (signal.SIGTERM, signal.SIGINT) if in_main_thread else ()
    earlier = {number: handler for number in signals if callable(handler := signal.getsignal(number))}

    def handle(number: int, frame: FrameType | None) -> None:
        for act in (leaving.begin, *acts):
            loop.call_soon_threadsafe(act)
        earlier[signal.Signals(number)](number, frame)

    for number in earlier:
        signal.signal(number, handle)
    if in_main_thread:
        loop.add_signal_handler(DRAIN_SIGNAL, leaving.begin)
    try:
        yield
    finally:
        if in_main_thread:
            loop.remove_signal_handler(DRAIN_SIGNAL)
        for number, handler in earlier.items():
            signal.signal(number, handler)


def drain_before_stop(seconds: float) -> None:
    """Let SIGTERM, from now on, tell the workers of this process to leave, and stop them so many seconds later.

    Other signals stop them at once, as before.
    """
    stop: Any = signal.getsignal(signal.SIGTERM)
    draining = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        if not draining.is_set():
            draining.set()
            Thread(target=_drain, args=(seconds, lambda: stop(number, frame)), name="drain", daemon=True).start()

    signal.signal(DRAIN_SIGNAL, signal.SIG_IGN)  # also in workers that do not listen to it yet
    signal.signal(signal.SIGTERM, handle)


def _drain(seconds: float, stop: Callable[[], None]) -> None:
    end = monotonic() + seconds
    while (left := end - monotonic()) > 0:
        for worker in multiprocessing.active_children():
            if worker.pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(worker.pid, DRAIN_SIGNAL)
        sleep(min(left, TELLING_SECONDS))
    stop()


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
