"""The build step writes missing files and reports outdated ones."""

import subprocess
import sys
from pathlib import Path

import pytest

from openapi.generate import files
from openapi.generate.__main__ import main


def test_outdated_files_are_reported_and_rewritten(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = [(tmp_path / "one.json", b"{}"), (tmp_path / "pages" / "two.html", b"<p>")]
    monkeypatch.setattr(files, "current_files", lambda: iter(made))
    assert main(["--check"]) == 1
    assert "one.json, two.html" in capsys.readouterr().err
    assert main([]) == 0
    assert main(["--check"]) == 0
    made[1] = (made[1][0], b"<p>changed")
    assert main(["--check"]) == 1
    reported = capsys.readouterr().err
    assert "two.html" in reported
    assert "one.json" not in reported
    assert "make openapi" in reported


def test_no_part_of_the_server_imports_the_build_step() -> None:
    code = "import sys, api.server; sys.exit(any(name.startswith('openapi') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
