"""The commands of the reference send requests that the server accepts."""

import json
import re
import shlex
from html import unescape
from itertools import pairwise
from string import Template
from typing import Any

import pytest
from httpx import Client

from api.web.documents import DOCUMENT, PAGES
from openapi.generate.curl import APPLICATION, VARIABLES, curl
from tests.api.people import People

CURRENT: dict[str, Any] = json.loads(DOCUMENT.read_bytes())
COMMANDS = {
    operation["operationId"]: (curl(CURRENT, method.upper(), path, operation), method.upper(), path, operation)
    for path, methods in CURRENT["paths"].items()
    for method, operation in methods.items()
}
PAGE = unescape((PAGES / "reference.html").read_text(encoding="utf-8"))


class Shell:
    """The features of a shell that the commands need: words, variables, a file to write to, and curl."""

    def __init__(self, client: Client, variables: dict[str, str]) -> None:
        self.client = client
        self.variables = variables
        self.body = b""

    def run(self, line: str) -> tuple[str, str, int]:
        """Run a command; return the method and path of its request, and the status of the response."""
        words = [Template(word).substitute(self.variables) for word in shlex.split(line)]
        options = dict(pairwise(words))
        headers = [word.split(": ", 1) for before, word in pairwise(words) if before == "-H"]
        sent = options.get("-d")
        body = self.body if sent == "@body.json" else sent.encode() if sent else None
        method = options.get("-X") or ("POST" if body else "GET")
        path = next(word for word in words if word.startswith("http://")).removeprefix(self.variables["API"])
        with self.client.stream(method, path, headers=dict(headers), content=body) as response:
            if options.get(">") == "body.json":
                self.body = response.read()
        return method, path, response.status_code


@pytest.mark.parametrize("name", [name for name in COMMANDS if not name.startswith("stream_") and name != "list_refs"])
def test_a_command_is_accepted(client: Client, name: str) -> None:
    """It may come too late for a game, such as a join at a full table, but it is always valid."""
    command, method, path, _ = COMMANDS[name]
    assert command in PAGE
    table = People(client, start="introductory", seed=1960)
    variables = {"API": "http://127.0.0.1:8000", "GAME": table.id, "TOKEN": table.tokens[0], "HOST": table.host}
    assert variables.keys() == VARIABLES.keys()
    shell = Shell(client, variables)
    *_, (used_method, address, status) = map(shell.run, re.sub(r"\\\n\s*", "", command).splitlines())
    assert used_method == method
    assert re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)), address.partition("?")[0])
    assert status in (200, 201, 204, 409)


def test_commands_for_streams_do_not_buffer() -> None:
    assert COMMANDS["stream_events"][0] == 'curl -sSN "$API/v1/games/$GAME/stream"'
    assert COMMANDS["stream_entries"][0] == 'curl -sSN "$API/v1/stream?game=$GAME"'


def test_a_command_sends_the_token_that_its_operation_needs() -> None:
    for command, _, _, operation in COMMANDS.values():
        needed = "HOST" if operation["security"][:1] == [{"host": []}] else "TOKEN"
        given = re.findall(r"Bearer \$(\w+)", command)
        for_anybody = {} in operation["security"] or operation["security"] in ([], APPLICATION)
        assert given == ([] if for_anybody else [needed])
        assert ("X-App-Key" in command) == (operation["security"] == APPLICATION)
        assert ("-d " in command) == ("requestBody" in operation)


def test_the_first_move_of_the_reference_can_be_made(client: Client) -> None:
    table = People(client, start="introductory", seed=1960)
    example = next(iter(COMMANDS["play_move"][3]["requestBody"]["content"]["application/json"]["examples"].values()))
    assert table.do(example["value"], 0).status_code == 200


def test_the_tour_of_the_readme_sets_the_variables() -> None:
    readme = (PAGES.parent.parent / "README.md").read_text(encoding="utf-8")
    assigned = re.findall(r"^([A-Z]+)=|^read -r ([A-Z ]+) <<<", readme, re.MULTILINE)
    assert set(" ".join(map(" ".join, assigned)).split()) >= VARIABLES.keys()
    for name in VARIABLES:
        assert f"<code>{name}</code>" in PAGE
