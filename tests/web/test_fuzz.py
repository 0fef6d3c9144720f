"""Every operation of the API, with whatever its description allows and much that it does not."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings

#: Examples an operation, of each sort; `LEASTNOISE_FUZZ=200` for a long run.
EXAMPLES = int(os.environ.get("LEASTNOISE_FUZZ", "4"))


def test_no_request_breaks_the_server(server):
    """No error of the server's own, and every answer is one that the description names."""
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    told = server.client.get("/api/openapi.json").json()
    schema = schemathesis.openapi.from_dict(told)
    operations = [one.ok() for one in schema.get_all_operations()]
    assert len(operations) >= 14
    assert next(iter(schemathesis.GenerationMode)) == schemathesis.GenerationMode.POSITIVE
    server.client.post("/api/tables/demo")
    job = server.design().json()["job"]["job"]
    checks = [
        schemathesis.checks.not_a_server_error,
        schemathesis.checks.status_code_conformance,
        schemathesis.checks.content_type_conformance,
        schemathesis.checks.response_schema_conformance,
    ]
    for operation in operations:
        # (Any bytes are a file, and any text is a name: those have no negative.)
        body = operation.definition.raw.get("requestBody", {}).get("content", {})
        modes = list(schemathesis.GenerationMode)
        for mode in modes if "application/json" in body else modes[:1]:

            @settings(
                max_examples=EXAMPLES,
                deadline=None,
                derandomize=True,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def attack(case):
                if case.path_parameters.get("name") and case.path_parameters["name"] < "Z":
                    case.path_parameters["name"] = "demo" if "tables" in case.path else job
                case.call_and_validate(
                    base_url=server.base,
                    headers={"x-leastnoise-key": server.key},
                    checks=checks,
                    timeout=60,
                )

            attack()
