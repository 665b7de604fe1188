"""Facts about the repository: pinned packages, make targets, imports."""

import ast
import json
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

import pytest

from tests.support.documents import ROOT
from tests.support.make import make

EXAMPLES = ROOT / "examples"
LOCKS = [*sorted((ROOT / "requirements").glob("*.lock")), EXAMPLES / "requirements.lock"]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
STORE = {"store"}


def requirements(lock: Path) -> list[str]:
    """The entries of a lock file, each on one line, without comments."""
    lines = [line.partition("#")[0] for line in lock.read_text(encoding="utf-8").splitlines()]
    return [entry for entry in "\n".join(lines).replace("\\\n", " ").splitlines() if entry.strip()]


def pins(lock: Path) -> set[str]:
    return {entry.partition(" --hash")[0].strip() for entry in requirements(lock)}


def imported_roots(folder: str, *, leaving_out: Set[str] = frozenset()) -> Iterator[tuple[Path, str]]:
    """Every file of a package with the top-level names of its imports."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        if leaving_out & set(path.relative_to(ROOT / folder).parts):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            yield from ((path, name.partition(".")[0]) for name in names)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_pins_every_package_by_version_and_hash(lock: Path) -> None:
    for entry in requirements(lock):
        assert re.match(r"[a-z0-9-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", entry), entry


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_contains_no_address(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^\s*-(?!-hash=)", text, re.MULTILINE), "an option of the installer"


def test_the_lock_of_npm_pins_every_package_by_hash_without_a_registry() -> None:
    folder = ROOT / "requirements" / "typescript"
    declared = json.loads((folder / "package.json").read_bytes())["dependencies"]
    packages = json.loads((folder / "package-lock.json").read_bytes())["packages"]
    assert packages.pop("")["dependencies"] == declared
    assert {f"node_modules/{name}" for name in declared} <= packages.keys()
    for name, package in packages.items():
        assert re.fullmatch(r"sha512-[\w+/]{86}==", package["integrity"]), name
        assert "resolved" not in package, name


def test_there_is_a_lock_for_running_for_development_and_for_measuring() -> None:
    assert [lock.stem for lock in LOCKS if lock.parent != EXAMPLES] == ["bench", "dev", "run"]


def test_development_runs_what_production_runs() -> None:
    assert pins(ROOT / "requirements/run.lock") <= pins(ROOT / "requirements/dev.lock")


def test_the_examples_use_the_versions_of_the_program() -> None:
    program, examples = (
        dict(pin.split("==") for pin in pins(lock) if ";" not in pin)
        for lock in (ROOT / "requirements/run.lock", EXAMPLES / "requirements.lock")
    )
    assert "msgspec" in examples
    assert all(examples[name] == program[name] for name in examples.keys() & program.keys())


def test_every_declared_dependency_is_locked() -> None:
    declared = {
        "run": PROJECT["project"]["dependencies"],
        **PROJECT["dependency-groups"],
        "requirements": (EXAMPLES / "requirements.in").read_text(encoding="utf-8").splitlines(),
    }
    for lock in LOCKS:
        locked = {pin.partition("==")[0] for pin in pins(lock)}
        names = {re.split(r"[^\w-]", line)[0] for line in declared[lock.stem]}
        assert names <= locked


def test_the_oldest_python_is_the_same_everywhere() -> None:
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert PROJECT["tool"]["ruff"]["target-version"] == "py" + oldest.replace(".", "")
    assert PROJECT["tool"]["mypy"]["python_version"] == oldest
    assert PROJECT["tool"]["pyright"]["pythonVersion"] == oldest
    assert f"--python-version {oldest}" in MAKEFILE


def test_make_without_a_target_lists_all_targets() -> None:
    offered = set(re.findall(r"^\.PHONY: (\S+)$", MAKEFILE, re.MULTILINE))
    listed = set(re.findall(r"^  ([a-z-]+) +\S", make(), re.MULTILINE))
    assert listed == offered
    assert {"run", "test", "check", "bench", "openapi", "lock", "clean"} <= offered


def test_check_runs_all_its_parts() -> None:
    parts = set(re.findall(r"^\.PHONY: (check-\S+)$", MAKEFILE, re.MULTILINE))
    whole = re.search(r"^check: (.*?) ##", MAKEFILE, re.MULTILINE)
    assert whole is not None
    assert set(whole[1].split()) == parts


def test_ci_runs_the_checks_and_the_tests() -> None:
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    lines = script.read_text(encoding="utf-8").splitlines()
    assert "set -eu" in lines
    assert lines[-1].startswith("make ")
    assert lines[-1].endswith(" check test"), "pytest prints the last line"


def test_the_changelog_has_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(PROJECT['project']['version'])}\b", changelog, re.MULTILINE)


@pytest.mark.parametrize(
    ("folder", "never"),
    [
        ("domain", {"projections", "api", "openapi", "bench", "tests"}),
        ("projections", {"api", "openapi", "bench", "tests"}),
        ("api", {"openapi", "bench", "tests"}),
        ("openapi", {"bench", "tests"}),
    ],
)
def test_imports_go_one_way(folder: str, never: set[str]) -> None:
    against = [(path, name) for path, name in imported_roots(folder) if name in never]
    assert not against


def test_the_rules_need_only_the_standard_library_and_msgspec() -> None:
    allowed = {*sys.stdlib_module_names, "msgspec", "domain"}
    imports = imported_roots("domain", leaving_out=STORE)
    foreign = [(path, name) for path, name in imports if name not in allowed]
    assert not foreign
