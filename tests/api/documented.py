"""A check in addition to those of schemathesis: the code of a problem is documented."""

from typing import Any


def code_is_documented(_: Any, response: Any, case: Any) -> None:
    """Raise unless the operation documents the code of a problem."""
    if response.status_code < 400 or case.operation.method.upper() != response.request.method:
        return
    document = case.operation.schema.raw_schema
    described = case.operation.definition.raw["responses"][str(response.status_code)]
    if "$ref" in described:
        described = document["components"]["responses"][described["$ref"].rpartition("/")[2]]
    code = response.json()["code"]
    assert code in described["x-codes"], f"{case.operation.label} responds with {code}, which is not documented"
