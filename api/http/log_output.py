"""The standard error, written by a thread of its own, so that a reader who does not read keeps nobody waiting."""

import atexit
import json
import os
import select
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from threading import Condition, Thread
from time import sleep

import msgspec

STANDARD_ERROR = 2

MOST_BYTES = 1024 * 1024
"""The bytes of lines that wait to be written; further lines are dropped."""

CLOSING_SECONDS = 1.0
"""The longest time that the end of a process waits for the reader of its log."""

PAUSE_SECONDS = 1.0
"""The time after which it is tried again to write where nothing can be written."""


class LogOutput:
    """Lines on their way to a file; several processes may write theirs to the same pipe."""

    def __init__(self, descriptor: int, most_bytes: int = MOST_BYTES) -> None:
        self._descriptor = descriptor
        self._most_bytes = most_bytes
        self.start_anew()

    def start_anew(self) -> None:
        """Forget everything: the lines that wait in a process are not for those that it forks."""
        self.dropped = self._untold = self._bytes = 0
        self._changed = Condition()
        self._waiting: deque[bytes] = deque()
        self._thread: Thread | None = None

    def write(self, lines: bytes) -> int:
        """Take whole lines to be written soon, or drop and count them if too much waits already."""
        with self._changed:
            if self._bytes + len(lines) > self._most_bytes:
                self._drop(lines.count(b"\n"))
                return 0
            self._waiting.append(lines)
            self._bytes += len(lines)
            if self._thread is None:
                self._thread = Thread(target=self._work, name="log", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return len(lines)

    def flush(self) -> None:
        """Return at once: the thread is writing."""

    def close(self, seconds: float = CLOSING_SECONDS) -> bool:
        """Wait until everything is written, but no longer than so many seconds; return whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._bytes, seconds)

    def _drop(self, lines: int) -> None:
        self.dropped += lines
        self._untold += lines

    # --- in the thread --------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._untold)
                lines = b"".join(self._waiting)
                self._waiting.clear()
                untold, self._untold = self._untold, 0
            failed = sum(piece.count(b"\n") for piece in _pieces(_escaped(lines)) if not self._put(piece))
            told = not untold or self._put(_of_dropped(untold))
            with self._changed:
                self._bytes -= len(lines)
                self._drop(failed)
                self._untold += 0 if told else untold
                self._changed.notify_all()
            if failed or not told:
                sleep(PAUSE_SECONDS)

    def _put(self, piece: bytes) -> bool:
        """Write some lines; return False if nobody reads any more, or if the disk of the log is full."""
        try:
            while piece:
                try:
                    piece = piece[os.write(self._descriptor, piece) :]
                except BlockingIOError:  # another program that has the same pipe wants it so
                    select.select([], [self._descriptor], [])
        except OSError:
            return False
        return True


def _of_dropped(lines: int) -> bytes:
    event = "lines of the log were dropped, as they were not read in time"
    return msgspec.json.encode({"event": event, "lines": lines, "level": "error", "at": datetime.now(UTC)}) + b"\n"


def _pieces(lines: bytes) -> Iterator[bytes]:
    """Yield lines in pieces that a pipe takes as a whole, as far as no single line is longer than that."""
    piece = b""
    for line in lines.splitlines(keepends=True):
        if piece and len(piece) + len(line) > select.PIPE_BUF:
            yield piece
            piece = b""
        piece += line
    yield piece


def _escaped(lines: bytes) -> bytes:
    """Return lines of JSON without characters that could steer a terminal or turn its text around."""
    if lines.isascii() and b"\x7f" not in lines:
        return lines
    text = lines.decode("utf-8", "replace")
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text).encode()


OUTPUT = LogOutput(STANDARD_ERROR)
"""The log of this process."""

atexit.register(OUTPUT.close)
os.register_at_fork(after_in_child=OUTPUT.start_anew)
