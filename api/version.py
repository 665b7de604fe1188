"""The version of this release, as pyproject.toml names it."""

import tomllib
from pathlib import Path

_PROJECT = Path(__file__).parent.parent / "pyproject.toml"

VERSION: str = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"]
