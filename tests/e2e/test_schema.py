"""`pellucid schema`: the JSON schema of policy files."""

from __future__ import annotations

import json
from pathlib import Path

from pellucid.policy_schema import policy_schema
from tests.e2e.command_line import Runner


def test_prints_the_schema(pellucid: Runner) -> None:
    run = pellucid("schema")
    assert (run.status, run.err) == (0, "")
    assert run.json == policy_schema()


def test_writes_the_schema(pellucid: Runner, tmp_path: Path) -> None:
    file = tmp_path / "pellucid.schema.json"
    run = pellucid("schema", "-o", file)
    assert run.status == 0
    assert f"#:schema {file}" in run.out
    assert json.loads(file.read_text(encoding="utf-8")) == policy_schema()
    pellucid("schema", "-o", tmp_path / "nowhere" / "schema.json").refused(5, "cannot be written: No such file")
