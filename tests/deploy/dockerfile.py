"""A Dockerfile done in a directory instead of an image: what it copies and runs, but the users it makes."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.api.server import ROOT

ABSOLUTE = re.compile(r"(?<![\w.-])/(?=opt/|var/)")
"""The beginning of a path in the image."""


class Image:
    """The result of a Dockerfile, below a directory that stands for the root of the image."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root
        self.environment: dict[str, str] = {}
        self.told: dict[str, str] = {}
        self.accounts: list[list[str]] = []

    def do(self, dockerfile: Path) -> None:
        """Do one instruction after the other; raise ``KeyError`` at one that this class does not know."""
        doing = {"RUN": self._run, "COPY": self._copy, "WORKDIR": self._workdir, "ENV": self._env}
        for line in dockerfile.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
            name, _, rest = line.partition(" ")
            if name in ("FROM", "USER", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "CMD"):
                assert name not in self.told, "one stage, one of each"
                self.told[name] = rest
            elif line and not line.startswith("#"):
                doing[name](rest)

    def here(self, text: str) -> str:
        """A text of the image with its paths below the directory."""
        return ABSOLUTE.sub(f"{self.root}/", text)

    def _run(self, command: str) -> None:
        if command.startswith("useradd "):
            self.accounts.append(shlex.split(command))
            return
        owners = re.compile(r" -o (\w+) -g (\w+)")
        for owner in owners.findall(command):
            assert set(owner) == {account[-1] for account in self.accounts}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        script = self.here(owners.sub("", command))
        subprocess.run(["sh", "-euc", script], cwd=self.folder, env=os.environ | {"PATH": path}, check=True)

    def _copy(self, arguments: str) -> None:
        *sources, target = shlex.split(arguments)
        for source in sources:
            to = self.folder / target if len(sources) == 1 else self.folder / target / Path(source).name
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, to, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / source, to)

    def _workdir(self, path: str) -> None:
        self.folder = Path(self.here(path))
        self.folder.mkdir(parents=True, exist_ok=True)

    def _env(self, pair: str) -> None:
        name, _, value = pair.partition("=")
        self.environment[name] = self.here(value)

    def files(self) -> set[Path]:
        """All files below the root, apart from those of the data."""
        data = self.root / "var"
        return {path for path in self.root.rglob("*") if not path.is_relative_to(data)}


def command_of(instruction: str) -> Any:
    """The command of CMD or HEALTHCHECK, in the form of a list."""
    return re.findall(r'"([^"]*)"', instruction[instruction.index("[") :])
