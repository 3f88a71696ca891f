"""The policy: options, the policy file, and what is said about mistakes in them."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid
from pellucid import Policy, PolicyError

OPTIONS: dict[str, Any] = {"quasi_identifiers": ["age", "place"], "sensitive": "disease", "diversity": 4}

FILE = """
quasi_identifiers = ["age", "place"]
sensitive = "disease"
diversity = 4
identifier = "name"
drop = ["income"]
algorithm = "tailor"
recoding = "anatomy"
missing = "drop"

[attributes.place]
order = ["Ulm", "Bonn"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_defaults() -> None:
    policy = Policy.from_options(OPTIONS)
    assert policy.as_dict() == {
        "quasi_identifiers": ["age", "place"],
        "sensitive": "disease",
        "diversity": 4,
        "identifier": None,
        "drop": [],
        "drop_others": False,
        "algorithm": "weave",
        "penalty": "perimeter",
        "recoding": "mbr",
        "intervals": "text",
        "missing": "error",
        "orders": {},
    }


def test_a_file_says_the_same_as_options(file: Path) -> None:
    options = {
        **OPTIONS,
        "identifier": "name",
        "drop": ["income"],
        "algorithm": "tailor",
        "recoding": "anatomy",
        "missing": "drop",
        "orders": {"place": ["Ulm", "Bonn"]},
    }
    assert Policy.from_options({}, file=file) == Policy.from_options(options)


def test_options_override_the_file(file: Path) -> None:
    policy = Policy.from_options({"diversity": 2, "algorithm": None, "drop": []}, file=file)
    assert (policy.diversity, policy.algorithm, policy.drop) == (2, "tailor", ())


def test_a_policy_cannot_be_changed() -> None:
    policy = Policy.from_options(OPTIONS)
    with pytest.raises(FrozenInstanceError):
        policy.diversity = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("diversity = ", "is not valid TOML"),
        ("divrsity = 4", "'divrsity', which is no setting. Did you mean 'diversity'"),
        ("zzz = 4", "It may hold 'algorithm'"),
        ("seed_file = 'x'", "which is no setting"),
        ("orders = 5", "which is no setting"),
        ("attributes = 5", "attributes must be tables"),
        ("attributes.place = 5", r"\[attributes.place\] must hold one setting, order"),
        ("[attributes.place]\nordr = ['a']", "must hold one setting, order"),
        ("[attributes.place]\norder = []", "must be a list of texts"),
        ("[attributes.place]\norder = [1, 2]", "must be a list of texts"),
        ("[attributes.place]\norder = 'ab'", "must be a list of texts"),
        ("sensitive = 5", "sensitive must be a text"),
        ("identifier = ['a']", "identifier must be a text"),
        ("drop_others = 'yes'", "drop_others must be true or false"),
        ("quasi_identifiers = 'age'", "must be a list of column names"),
        ("quasi_identifiers = [1]", "must be text"),
        ("diversity = '4'", "must be a whole number"),
        ("diversity = true", "must be a whole number"),
        ("diversity = 4.0", "must be a whole number"),
        ("algorithm = 'mondrain'", "algorithm must be one of"),
        ("algorithm = 5", "algorithm must be one of"),
        ("algorithm = ['hybrid']", "algorithm must be one of"),
    ],
)
def test_mistakes_in_a_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    options = {name: value for name, value in OPTIONS.items() if name not in text}
    with pytest.raises(PolicyError, match=message):
        Policy.from_options(options, file=path)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="cannot be read: No such file"):
        Policy.from_options(OPTIONS, file=tmp_path / "nothing.toml")
    with pytest.raises(PolicyError, match="cannot be read: Is a directory"):
        Policy.from_options(OPTIONS, file=tmp_path)
    (tmp_path / "latin.toml").write_bytes("sensitive = 'Krankheit für alle'".encode("latin-1"))
    with pytest.raises(PolicyError, match="not valid TOML"):
        Policy.from_options(OPTIONS, file=tmp_path / "latin.toml")


@pytest.mark.parametrize(
    ("missing", "message"),
    [("quasi_identifiers", "-q age,sex"), ("sensitive", "-s disease"), ("diversity", "-l 8")],
)
def test_what_is_missing_is_asked_for(missing: str, message: str) -> None:
    options = {name: value for name, value in OPTIONS.items() if name != missing}
    with pytest.raises(PolicyError, match=message):
        Policy.from_options(options)


@pytest.mark.parametrize("option", ["algorithm", "penalty", "recoding", "intervals", "missing"])
def test_choices(option: str) -> None:
    with pytest.raises(PolicyError, match=rf"{option} must be one of .*, not 'nonsense'"):
        Policy.from_options({**OPTIONS, option: "nonsense"})


def test_roles_are_asked_for_by_name() -> None:
    policy = Policy.from_options({**OPTIONS, "identifier": "name", "drop": ["income"]})
    policy.require_roles(["income", "name", "age", "disease", "place"])
    assert policy.needed(["income", "name", "disease", "place", "age"]) == ["name", "disease", "place", "age"]
    for columns, message in (
        (["name", "age", "disease", "place"], "no column named 'income'"),
        (["income", "name", "age", "disease", "place", "more"], "'more' has none"),
        (["income", "name", "age", "disease", "place", "age"], "more than one column named 'age'"),
    ):
        with pytest.raises(PolicyError, match=message):
            policy.require_roles(columns)


def test_a_penalty_called_custom_needs_a_function(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [1, 2], "place": [1, 2], "disease": [1, 2]})
    path = tmp_path / "policy.toml"
    path.write_text("penalty = 'custom'", encoding="utf-8")
    options = {**OPTIONS, "diversity": 2}
    for said in ({"penalty": "custom"}, {"policy": path}):
        with pytest.raises(PolicyError, match="stands for a function"):
            pellucid.anonymize(table, **options, **said)
    assert pellucid.anonymize(table, **options, penalty=lambda group: len(group) ** 2).policy.penalty == "custom"
