"""The page with the metrics of all processes, at an address of its own."""

import multiprocessing
import os
from collections.abc import Iterator
from pathlib import Path
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Metric, start_http_server
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from api.metrics.directory import registered_workers
from api.settings import VERSION


class _Workers(Collector):
    """The serving processes, which are children of this one, and the release."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def collect(self) -> Iterator[Metric]:
        """Count the living processes, and remove the gauges of dead ones."""
        living = {child.pid for child in multiprocessing.active_children()}
        serving = registered_workers(self._directory)
        for dead in serving.keys() - living:
            mark_process_dead(dead, self._directory)  # type: ignore[no-untyped-call]  # as the client has it
            serving[dead].unlink(missing_ok=True)
        yield GaugeMetricFamily("franchise_workers", "Serving processes.", len(serving.keys() & living))
        yield InfoMetricFamily("franchise_build", "The running release.", {"version": VERSION})


def open_page(host: str, port: int, directory: Path) -> WSGIServer:
    """Serve the metrics in a directory from a thread; raise ``OSError`` if that is impossible."""
    registry = CollectorRegistry()
    registry.register(_Workers(directory))
    MultiProcessCollector(registry, path=directory)  # type: ignore[no-untyped-call]  # as the client has it
    page, _ = start_http_server(port, host, registry)
    os.register_at_fork(after_in_child=page.socket.close)  # else workers keep the port after the end of this process
    return page
