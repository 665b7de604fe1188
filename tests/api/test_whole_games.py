"""Random whole games with undos, previews, forks and mistakes; every response keeps to the document."""

import json
from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from api.web.documents import DOCUMENT
from tests.api.documented import code_is_documented
from tests.api.people import NAMES
from tests.api.server import running
from tests.support.soak import soak_factor

SCHEMA = schemathesis.openapi.from_dict(json.loads(DOCUMENT.read_bytes()))
OPERATIONS = {
    operation["operationId"]: (path, method.upper())
    for path, methods in SCHEMA.raw_schema["paths"].items()
    for method, operation in methods.items()
}
VIEWS = ("read_game", "read_board", "read_scores", "list_legal_moves", "read_history")

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

OPTIONS = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**32),
        "start": st.sampled_from(["standard", "introductory"]),
        "undo": st.sampled_from(["turn", "agree", "free", "off"]),
        "modules": st.fixed_dictionaries(
            {
                "milestones": st.booleans(),
                "boom": st.booleans(),
                "region_tiles": st.sampled_from([None, "mixed", "new"]),
            }
        ),
        "expert": st.sampled_from([None, {"mode": "random"}, {"mode": "draft"}]),
    }
)


class Table(RuleBasedStateMachine):
    """A table; ``chance`` picks among the possible values."""

    url = ""
    chance = st.integers(0, 10_000)

    def __init__(self) -> None:
        super().__init__()
        self.version = 0

    def call(self, name: str, *, token: str | None = None, body: Any = None, query: Any = None, **path: Any) -> Any:
        """Call an operation and check its response against the document."""
        template, method = OPERATIONS[name]
        given: Any = {"path_parameters": {"game_id": self.game} | path} if "{" in template else {}
        given |= {"headers": {"Authorization": f"Bearer {token}"}} if token else {}
        given |= {} if body is None else {"body": body, "media_type": "application/json"}
        case = SCHEMA[template][method].Case(query=query or {}, **given)
        response = case.call_and_validate(base_url=self.url, additional_checks=[code_is_documented])
        assert response.status_code < 500
        return response

    @initialize(seats=st.integers(2, 5), seated=st.integers(0, 5), options=OPTIONS)
    def open(self, seats: int, seated: int, options: Any) -> None:
        self.game = ""
        body = {"seats": seats, "players": NAMES[: min(seats, seated)], "options": options}
        created = self.call("create_game", body=body).json()
        self.game, self.host, self.seats = created["game"]["id"], created["host_token"], seats
        self.tokens = {seat["seat"]: seat["token"] for seat in created["seats"]}
        for seat in range(len(self.tokens), seats):
            joined = self.call("take_seat", body={"name": NAMES[seat]}).json()
            self.tokens[joined["seat"]] = joined["token"]

    @rule(chance=chance)
    def make_a_legal_move(self, chance: int) -> None:
        legal = self.call("list_legal_moves").json()
        if legal["items"]:
            action = legal["items"][chance % len(legal["items"])]["action"]
            preview = self.call("preview_moves", body=action).json()
            moved = self.call("play_move", token=self.tokens[legal["to_play"]], body=action)
            assert moved.status_code == 200, moved.text
            assert preview["to_play"] == moved.json()["summary"]["to_play"]

    @rule(chance=chance)
    def play_a_while(self, chance: int) -> None:
        for step in range(15):
            self.make_a_legal_move(chance + step * 7)

    @rule(chance=chance, action=st.sampled_from(["end_turn", "resign", "keep_boom", "take_dollars"]))
    def move_out_of_turn(self, chance: int, action: str) -> None:
        to_play = self.call("read_game").json()["to_play"]
        seat = chance % self.seats
        done = self.call("play_move", token=self.tokens[seat], body={"type": action})
        assert done.status_code == 409 or seat == to_play or action == "resign"

    @rule(chance=chance, redo=st.booleans())
    def undo_or_redo(self, chance: int, redo: bool) -> None:
        token = [self.host, *self.tokens.values()][chance % (self.seats + 1)]
        if redo:
            self.call("redo", token=token)
        else:
            self.call("undo", token=token, body={} if chance % 3 else {"to": max(1, self.version - chance % 40)})

    @rule(chance=chance, accept=st.booleans())
    def answer_a_proposal(self, chance: int, accept: bool) -> None:
        self.call("answer_undo", token=self.tokens[chance % self.seats], body={"accept": accept})

    @rule(chance=chance, view=st.sampled_from(VIEWS))
    def look(self, chance: int, view: str) -> None:
        self.call(view)
        at = 1 + chance % max(1, self.version)
        assert self.call(view, query={"at": at}).status_code == 200

    @rule(chance=chance, view=st.sampled_from(["effective", "full"]))
    def read_events(self, chance: int, view: str) -> None:
        query = {"after": chance % max(1, self.version), "limit": 1 + chance % 50, "view": view}
        assert self.call("watch_events", query=query).status_code == 200

    @rule(chance=chance)
    def fork_or_import(self, chance: int) -> None:
        self.call("fork_game", body={"at": 1 + chance % max(1, self.version)})
        record = self.call("export_record").json()
        assert self.call("import_record", body=record).status_code == 201

    @invariant()
    def the_version_grows_and_the_audit_passes(self) -> None:
        version = self.call("read_game").json()["version"]
        assert version >= self.version
        self.version = version
        assert self.call("audit_game").json()["ok"]


def test_whole_games_keep_to_the_document_and_the_rules() -> None:
    with running(log_level="error") as server:
        Table.url = server.url
        steady = settings(
            max_examples=12 * soak_factor(),
            stateful_step_count=12,
            deadline=None,
            derandomize=True,
            suppress_health_check=SLOW,
        )
        run_state_machine_as_test(Table, settings=steady)
