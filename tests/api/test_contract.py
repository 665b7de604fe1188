"""Every operation keeps to the document, for valid and invalid data."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig

from api.web.documents import DOCUMENT
from tests.api.documented import code_is_documented
from tests.api.server import running
from tests.support.soak import soak_factor

EXPECTED = ["2xx", "304", "401", "403", "404", "409", "410", "412", "422"]
"""The statuses that a valid request may get, since it may be stale, out of turn or a forged record."""

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
"""The speed of hypothesis does not matter."""

BY_THE_DOCUMENT: dict[str, Any] = {"extra-data-sources": {"responses": False}}
"""Data comes from the document alone, not from earlier responses."""

CONFIG = SchemathesisConfig.from_dict(
    {
        "generation": {"mode": "all"},
        "phases": {
            "coverage": BY_THE_DOCUMENT,
            "fuzzing": BY_THE_DOCUMENT | {"error-feedback": {"enabled": False}},
        },
        "checks": {"positive_data_acceptance": {"expected-statuses": EXPECTED}},
        "operations": [
            # A schema cannot express which options fit each other, or players the seats.
            {
                "include-name": "POST /v1/games",
                "checks": {"positive_data_acceptance": {"expected-statuses": [*EXPECTED, "400"]}},
            },
        ],
    }
)

SHORTER = DOCUMENT.read_text().replace("\U000e0000-\U0010fffd", "\U000e0000-\U000e007f")
"""The document with fewer letters that names cannot have, since hypothesis lists all letters of a pattern."""

schema = schemathesis.openapi.from_dict(json.loads(SHORTER), config=CONFIG).exclude(
    operation_id=[
        "stream_events",
        "stream_entries",
        "stream_my_entries",
        "stream_all_events",
    ]  # endless streams: see test_streams.py
)
ALLOWED_BY_SHORTER = re.compile("[\U000e0080-\U0010fffd]")


@schema.hook
def filter_case(_: Any, case: Any) -> bool:
    """Drop cases with letters that only the shortened document allows."""
    return not ALLOWED_BY_SHORTER.search(json.dumps([case.query, case.body], ensure_ascii=False, default=str))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running(log_level="error", wait_limit="1") as server:
        yield server.url


@schema.parametrize()
@settings(max_examples=8 * soak_factor(), suppress_health_check=SLOW, deadline=None, derandomize=True)
def test_every_operation_keeps_to_the_document(case: Any, address: str) -> None:
    case.call_and_validate(base_url=address, additional_checks=[code_is_documented])
