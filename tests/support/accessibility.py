"""The accessibility of a page by axe-core."""

import tarfile
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.support.npm_packages import fetched, pinned

SCRIPT = "axe.min.js"
VIOLATIONS = "async () => (await axe.run(document, { resultTypes: ['violations'] })).violations"


def violations(page: Page) -> list[str]:
    """Return the violations that axe-core finds on a page, with their elements."""
    page.evaluate(_script())
    found: list[Any] = page.evaluate(VIOLATIONS)
    return [
        f"{each['id']}: {each['help']}: {', '.join(str(node['target']) for node in each['nodes'])}" for each in found
    ]


@cache
def _script() -> str:
    return (fetched(pinned("axe.toml"), _unpack) / SCRIPT).read_text(encoding="utf-8")


def _unpack(archive: Path, folder: Path) -> None:
    folder.mkdir()
    with tarfile.open(archive) as package:
        file = package.extractfile(f"package/{SCRIPT}")
        assert file is not None
        (folder / SCRIPT).write_bytes(file.read())
