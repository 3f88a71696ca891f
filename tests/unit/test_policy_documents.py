"""What is written about policy files: the guide, its example, the JSON schema."""

from __future__ import annotations

import json
import re
import runpy
import tomllib
from pathlib import Path

import jsonschema
import pytest

from pellucid import Policy, PolicyError
from pellucid.policy import Policy as Settings
from pellucid.policy_file import read_policy_file
from pellucid.policy_schema import policy_schema
from pellucid.settings import POLICY

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "guide-policy.md").read_text(encoding="utf-8")


def example() -> str:
    found = re.search(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    assert found
    return found[1]


def test_what_is_generated_is_current() -> None:
    generated = runpy.run_path(str(DOCS / "generate.py"))["generated"]()
    stale = [file.name for file, text in generated.items() if file.read_text(encoding="utf-8") != text]
    assert stale == [], "run: make docs"


def test_the_example_of_the_guide_is_a_policy(tmp_path: Path) -> None:
    file = tmp_path / "pellucid.toml"
    file.write_text(example(), encoding="utf-8")
    policy = Policy.from_options({}, file=file)
    assert (policy.sensitive, policy.diversity, policy.drop) == ("disease", 8, ("phone", "email"))
    assert read_policy_file(file).source["path"] == str(tmp_path / "patients.csv")
    jsonschema.Draft7Validator(policy_schema()).validate(tomllib.loads(example()))


def test_the_example_says_that_its_values_are_the_defaults(tmp_path: Path) -> None:
    told = tomllib.loads(example())
    for name in ("algorithm", "penalty", "recoding", "intervals", "missing", "drop_others"):
        assert told[name] == POLICY[name].default


def test_the_description_has_the_defaults_of_the_policy() -> None:
    settings = Settings(quasi_identifiers=("q",), sensitive="s", diversity=2)
    plain = {**vars(settings), **settings.as_dict()}
    for setting in POLICY.settings:
        if setting.default is not None:
            assert plain[setting.name] == setting.default


def test_the_message_in_the_guide_is_the_one_that_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.toml").write_text(
        'quasi_identifiers = ["age"]\ndiversity = 8\nsensitve = "disease"\n\nalgorithm = "mondrain"\n', encoding="utf-8"
    )
    with pytest.raises(PolicyError) as refused:
        Policy.from_options({}, file="wrong.toml")
    assert f"pellucid: {refused.value}\n" in GUIDE


def test_examples_of_settings_are_right() -> None:
    schema = policy_schema()
    tables = [schema, *(schema["properties"][name] for name in ("source", "target"))]
    tables.append(schema["properties"]["attributes"]["additionalProperties"])
    for table in tables:
        for setting in table["properties"].values():
            for value in [*setting.get("examples", []), *([setting["default"]] if "default" in setting else [])]:
                jsonschema.Draft7Validator(setting).validate(value)


def test_the_published_schema_is_json() -> None:
    assert json.loads((DOCS / "pellucid.schema.json").read_text(encoding="utf-8")) == policy_schema()
