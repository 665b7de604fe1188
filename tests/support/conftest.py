"""Fixtures of the tests of the helpers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.web_server import serving_folder


@pytest.fixture
def npm_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a local registry, which npm is set to use."""
    folder = tmp_path / "registry"
    folder.mkdir()
    with serving_folder(folder) as url:
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", url)
        monkeypatch.setenv("NPM_CONFIG_NOPROXY", "127.0.0.1")
        yield folder
