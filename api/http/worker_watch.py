"""The workers as the process that starts them sees them."""

import multiprocessing
from collections import deque
from threading import Thread
from time import sleep
from typing import Any

from api.http.request_log import Log

ROUND_SECONDS = 0.25


class WorkerWatch:
    """Notices workers that were started in the place of others, and logs how those ended."""

    def __init__(self, workers: int, log: Log) -> None:
        self.restarts = 0
        self._workers = workers
        self._log = log
        self._known: dict[Any, Any] = {}
        self._ended: deque[Any] = deque()

    def start(self) -> None:
        """Watch for as long as this process lives."""
        Thread(target=self._watch, name="worker-watch", daemon=True).start()

    def _watch(self) -> None:
        seen = 0
        while True:
            living = {worker.pid: worker for worker in multiprocessing.active_children()}
            self._ended += [worker for pid, worker in self._known.items() if pid not in living]
            for pid in living.keys() - self._known.keys():
                seen += 1
                if seen > self._workers:
                    self._restarted(pid)
            self._known = living
            sleep(ROUND_SECONDS)

    def _restarted(self, pid: Any) -> None:
        self.restarts += 1
        ended = self._ended.popleft() if self._ended else None
        facts = {"ended": ended.pid, "exit_code": ended.exitcode} if ended else {}
        self._log.error("a worker ended by itself and another was started", started=pid, **facts)
