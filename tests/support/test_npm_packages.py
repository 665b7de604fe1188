"""The installation of locked packages: checked by their hashes, complete, and only once; and running them."""

import json
import os
import subprocess
import sys
import tarfile
from base64 import b64encode
from hashlib import sha512
from io import BytesIO
from pathlib import Path

import pytest

from tests.support.npm_packages import ROOT, PackageError, installed

PUBLISHED = {"name": "greeter", "version": "1.0.0"}


@pytest.fixture
def locked(npm_registry: Path, tmp_path: Path) -> Path:
    """A folder with a lock file for a package of the registry."""
    archive = BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        contents = json.dumps(PUBLISHED).encode()
        member = tarfile.TarInfo("package/package.json")
        member.size = len(contents)
        tar.addfile(member, BytesIO(contents))
    (npm_registry / "greeter.tgz").write_bytes(archive.getvalue())
    dist = {"tarball": f"{os.environ['NPM_CONFIG_REGISTRY']}/greeter.tgz"}
    page = {"name": "greeter", "versions": {"1.0.0": {**PUBLISHED, "dist": dist}}}
    (npm_registry / "greeter").write_text(json.dumps(page), encoding="utf-8")
    folder = tmp_path / "greeting"
    folder.mkdir()
    lock(folder, sha512(archive.getvalue()).digest())
    return folder


def lock(folder: Path, digest: bytes) -> None:
    """Pin the package by a hash."""
    root = {"name": "greeting", "dependencies": {"greeter": "1.0.0"}}
    pinned = {"version": "1.0.0", "integrity": f"sha512-{b64encode(digest).decode()}"}
    packages = {"": root, "node_modules/greeter": pinned}
    (folder / "package.json").write_text(json.dumps(root), encoding="utf-8")
    text = json.dumps({"name": "greeting", "lockfileVersion": 3, "requires": True, "packages": packages})
    (folder / "package-lock.json").write_text(text, encoding="utf-8")


def test_packages_are_installed_once(locked: Path, npm_registry: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    modules = installed(locked, home)
    assert json.loads((modules / "greeter" / "package.json").read_bytes()) == PUBLISHED
    (npm_registry / "greeter").unlink()
    assert installed(locked, home) == modules
    assert {path.name for path in home.iterdir()} == {modules.parent.name, "greeting.lock"}


def test_a_package_with_another_hash_is_refused(locked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPM_CONFIG_FETCH_RETRIES", "0")  # npm would wait 10 s and 60 s before retries
    lock(locked, sha512(b"another package").digest())
    with pytest.raises(PackageError, match="EINTEGRITY"):
        installed(locked, tmp_path / "home")
    assert not list((tmp_path / "home").glob("greeting-[0-9a-f]*"))


@pytest.mark.parametrize(("script", "code"), [("a;\n", 0), ("a  ;\n", 1)])
def test_a_check_fails_if_its_program_fails(tmp_path: Path, script: str, code: int) -> None:
    (tmp_path / "script.js").write_text(script, encoding="utf-8")
    command = [sys.executable, "-m", "tests.support.npm_packages", "prettier", "--check", str(tmp_path / "script.js")]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == code
