"""The comparison with another commit: each server imports its own code, and the repository stays clean."""

import os
import subprocess
from pathlib import Path

import pytest

from bench.pairs import imported_from, measure_release, worktree


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit and an empty package of the server."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)  # as set by git in hooks
    folder = tmp_path / "repository"
    (folder / "api").mkdir(parents=True)
    (folder / "api" / "__init__.py").touch()
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", "Begin")
    monkeypatch.setattr("bench.pairs.REPOSITORY", folder)
    return folder


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def worktrees(repository: Path) -> int:
    return git(repository, "worktree", "list", "--porcelain").count("worktree ")


def test_a_server_imports_the_code_of_its_own_folder(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(repository))
    with worktree("HEAD") as folder:
        assert imported_from(folder) == (folder / "api" / "__init__.py").resolve()
    assert imported_from(repository) == (repository / "api" / "__init__.py").resolve()


def test_a_worktree_is_removed_after_a_failure(repository: Path) -> None:
    seen: list[Path] = []

    def fail() -> None:
        with worktree("HEAD") as folder:
            seen.append(folder)
            assert worktrees(repository) == 2
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not seen[0].parent.exists()
    assert worktrees(repository) == 1


def test_an_unknown_commit_is_skipped(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMMIT", "f" * 40)
    assert list(measure_release()) == []
    assert "no commit ffff" in capsys.readouterr().err
