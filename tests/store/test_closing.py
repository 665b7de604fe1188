"""The end of a service while threads are still reading."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from domain.store import StorageUnavailable
from domain.store.application import open_application

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", ()


@pytest.mark.parametrize("url", ["memory:", "sqlite:///{}/games.db"])
def test_what_is_still_read_is_given_up_when_the_database_is_closed(url: str, tmp_path: Path) -> None:
    application = open_application(url.format(tmp_path))
    started = Event()

    def read() -> None:
        started.set()
        application.recorder.select(ENDLESS)

    with ThreadPoolExecutor() as threads:
        reading = [threads.submit(read) for _ in range(2)]
        started.wait()
        application.close()
        for each in reading:
            with pytest.raises(StorageUnavailable):
                each.result()
