"""The rules page: every number has an anchor, and every citation links to it."""

import re

import pytest
from httpx import Client

from api.http.problems import CATALOGUE, RULE_PATTERN
from openapi.generate.markdown import blocks, inline
from tests.api.people import People, problem
from tests.support.documents import ROOT

NUMBERS = re.findall(r"^(?:- |## )(R\d+(?:\.\d+)?) ", (ROOT / "RULES.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_rules_have_an_anchor_for_every_number(client: Client) -> None:
    page = client.get("/rules")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert {"R1", "R4.1", "R13.2"} <= set(NUMBERS)
    assert re.findall(r"id='(R[\d.]+)'", page.text) == NUMBERS
    for anchor in re.findall(r"href='(?:/rules)?#(R[^']*)'", page.text):
        assert anchor in NUMBERS, anchor
    assert "Once a turn, the player may expand over one direct link from a place" in page.text


def test_the_rules_page_is_self_contained(client: Client) -> None:
    page = client.get("/rules").text
    assert not re.search(r"//|@import|url\(", page.replace("<!--", ""))


def test_unchanged_rules_are_not_sent_again(client: Client) -> None:
    tag = client.get("/rules").headers["etag"]
    assert client.get("/rules", headers={"if-none-match": tag}).status_code == 304


@pytest.mark.parametrize("path", ["/schema", "/problems/illegal_action", "/rules"])
def test_every_page_links_to_the_rules(client: Client, path: str) -> None:
    assert "href='/rules'" in client.get(path).text


@pytest.mark.parametrize("path", ["/", "/v1"])
def test_the_entry_point_links_to_the_rules(client: Client, path: str) -> None:
    assert client.get(client.get(path).json()["links"]["rules"]).is_success


def test_a_refusal_is_explained_with_its_rule(client: Client) -> None:
    assert "/rules#R4.1" in CATALOGUE["illegal_action"].help
    table = People(client)
    refused = problem(table.do({"type": "take_dollars"}), 409, "illegal_action")
    assert refused["rule"] in NUMBERS


@pytest.mark.parametrize("rule", ["R4.1", "R6", "table", "fork", "undo:turn", "undo:off"])
def test_the_rule_of_a_refusal_is_a_number_or_an_agreement_of_the_table(rule: str) -> None:
    assert re.search(RULE_PATTERN, rule)


def test_numbers_and_paths_of_pages_are_links() -> None:
    assert inline("Costs (R4.1 to R4.3).") == (
        "Costs (<a href='/rules#R4.1'>R4.1</a> to <a href='/rules#R4.3'>R4.3</a>)."
    )
    assert inline("At `/rules`, not `R`.") == "At <a href='/rules'><code>/rules</code></a>, not <code>R</code>."


def test_a_path_with_a_number_is_one_link() -> None:
    assert inline("At `/rules#R4.1`.") == "At <a href='/rules#R4.1'><code>/rules#R4.1</code></a>."


def test_headings_and_lists() -> None:
    assert (
        blocks("# Words\n\n- *one*\n  line\n- <two>") == "<h1>Words</h1><ul><li><i>one</i>\n  line<li>&lt;two&gt;</ul>"
    )
    assert blocks("## R1 Words\n- R1.1 A place") == (
        "<h2 id='R1'><a class='number' href='#R1'>R1</a> Words</h2>"
        "<ul><li id='R1.1'><a class='number' href='#R1.1'>R1.1</a> A place</ul>"
    )
    assert blocks("### Two *words* {#name}") == "<h3 id='name'>Two <i>words</i></h3>"
