"""One check more than schemathesis has: a problem has a code that the document tells of."""

from typing import Any


def code_is_documented(_: Any, response: Any, case: Any) -> None:
    """Raise unless the code of a problem stands at this operation."""
    if response.status_code < 400 or case.operation.method.upper() != response.request.method:
        return
    document = case.operation.schema.raw_schema
    described = case.operation.definition.raw["responses"][str(response.status_code)]
    if "$ref" in described:
        described = document["components"]["responses"][described["$ref"].rpartition("/")[2]]
    code = response.json()["code"]
    assert code in described["x-codes"], f"{case.operation.label} answers with {code}, which is not documented"
