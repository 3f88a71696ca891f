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
        "hierarchies": {},
        "styles": {},
        "grids": {},
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
        ("divrsity = 4", "'divrsity' is no setting of a policy. Did you mean 'diversity'"),
        ("zzz = 4", "It may hold 'algorithm'"),
        ("seed_file = 'x'", "is no setting of a policy"),
        ("orders = 5", "is no setting of a policy"),
        ("attributes = 5", r"attributes must be tables such as \[attributes.education\]"),
        (
            "attributes.place = 5",
            r"place in \[attributes\] must be a table of settings, not 5. For example: ",
        ),
        ("[attributes.place]\nordr = ['a']", r"'ordr' is no setting of \[attributes.place\]. Did you mean 'order'"),
        ("[attributes.'a place']\nordr = ['a']", r"'ordr' is no setting of \[attributes.\"a place\"\]"),
        ("[attributes.place]\norder = []", r"order in \[attributes.place\] is an empty list. For example: order"),
        ("[attributes.place]\norder = [1, 2]", "must be a list of texts, and holds 1. For example: order = "),
        ("[attributes.place]\norder = 'ab'", "must be a list of texts, not 'ab'. For example: order = "),
        ("[attributes.place]\norder = ['a', 'b', 'a']", "lists 'a' more than once. List it once"),
        ("[attributes.nowhere]\norder = ['a']", "'nowhere', which is not a quasi-identifier and not the sensitive"),
        ("source = 'a.csv'", r"source must be a table of settings, not 'a.csv'. For example: \[source\]"),
        ("source = 'postgresql://anna:b@db/c'", "source must be a table of settings, not what may hold a password"),
        ("[source]\npath = ['host=db password=b']", r"path in \[source\] must be .*, not what may hold a password"),
        ("[target]\npath = ''", r"path in \[target\] must be the path of a file, not ''"),
        ('[target]\npath = "a\\u0000.csv"', r"path in \[target\] must be the path of a file, not 'a\\x00.csv'"),
        ("[source]\nfile = ''", r"'file' is no setting of \[source\]"),
        ("identifier = 'age'", "'age' is given more than one role. Keep one role per column"),
        ("penalty = 'custom'", "penalty must be one of 'perimeter', 'discernibility', not 'custom'"),
        ("quasi_identifiers = []", "quasi_identifiers is an empty list"),
        ("quasi_identifiers = ['a', 'b', 'a']", "lists 'a' more than once"),
        ("diversity = 9223372036854775808", "diversity must be 9223372036854775807 at most"),
        ("diversity = 1979-05-27", "must be a whole number of at least 1, not datetime.date"),
        ("sensitive = 0x" + "f" * 5000, "sensitive must be a column name, or a list of column names, not that number"),
        ("drop = " + "1" * 5000, "holds a number that is too long"),
        ("drop = " + "[" * 99999, "nested too deeply"),
        ("sensitive = 5", "sensitive must be a column name, or"),
        ("identifier = ['a']", "identifier must be a text"),
        ("drop_others = 'yes'", "drop_others must be true or false"),
        ("quasi_identifiers = 'age'", "must be a list of column names"),
        ("quasi_identifiers = [1]", "must be a list of column names, and holds 1"),
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


def test_all_mistakes_are_reported_together_each_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(
        """# what is wrong here: nearly everything
quasi_identifiers = [
    "age",
    "disease",  # sensitive as well
]
sensitive = "disease"
algorithm = "mondrain"

[attributes.age]
gird = 5

[attributes.nowhere]
order = ["a", 1]
""",
        encoding="utf-8",
    )
    with pytest.raises(PolicyError) as found:
        Policy.from_options({"missing": "nonsense"}, file=path)
    assert str(found.value) == (
        f"The policy in {path} has 6 problems."
        " Line 6: 'disease' is given more than one role. Keep one role per column."
        " Line 7: algorithm must be one of 'weave', 'hybrid', 'tailor', 'ace', 'mondrian', 'mondrian-relaxed', 'mask',"
        " not 'mondrain'. Did you mean 'mondrian'?"
        " Line 10: 'gird' is no setting of [attributes.age]. Did you mean 'grid'?"
        " Line 13: order in [attributes.nowhere] must be a list of texts, and holds 1."
        ' For example: order = ["none", "school", "university"]'
        " The policy lacks diversity. Give l, such as -l 8: nobody is tied to a sensitive value with more than 1/8"
        " confidence."
        " missing must be one of 'error', 'category', 'drop', not 'nonsense'."
    )
    assert [problem.line for problem in found.value.problems] == [6, 7, 10, 13, None, None]


def test_one_mistake_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text("\n\ndrop = [\n  'x',\n  'x',\n]\n", encoding="utf-8")
    with pytest.raises(PolicyError, match=r"policy.toml, line 5: drop lists 'x' more than once"):
        Policy.from_options(OPTIONS, file=path)


def test_an_option_in_conflict_with_the_file_has_no_line(file: Path) -> None:
    with pytest.raises(PolicyError, match=r"^'age' is given more than one role"):
        Policy.from_options({"drop": ["age"]}, file=file)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="cannot be read: No such file"):
        Policy.from_options(OPTIONS, file=tmp_path / "nothing.toml")
    with pytest.raises(PolicyError, match="cannot be read: Is a directory"):
        Policy.from_options(OPTIONS, file=tmp_path)
    (tmp_path / "latin.toml").write_bytes("sensitive = 'Krankheit für alle'".encode("latin-1"))
    with pytest.raises(PolicyError, match="not valid TOML: it is not UTF-8 text"):
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
        (["name", "age", "disease", "place"], "no column named 'income'. Did you mean 'name'"),
        (["incomes", "name", "age", "disease", "place"], "no column named 'income'. Did you mean 'incomes'"),
        (["income", "name", "age", "disease", "place", "more"], "'more' has none"),
        (["income", "name", "age", "disease", "place", "age"], "more than one column named 'age'"),
    ):
        with pytest.raises(PolicyError, match=message):
            policy.require_roles(columns)
    with pytest.raises(PolicyError, match=r"no column named 'xyz'. Its columns are 'age', 'place', 'disease'"):
        Policy.from_options({**OPTIONS, "drop": ["xyz"]}).require_roles(["age", "place", "disease"])


def test_a_penalty_called_custom_needs_a_function(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [1, 2], "place": [1, 2], "disease": [1, 2]})
    path = tmp_path / "policy.toml"
    path.write_text("penalty = 'custom'", encoding="utf-8")
    options = {**OPTIONS, "diversity": 2}
    with pytest.raises(PolicyError, match="stands for a function"):
        pellucid.anonymize(table, **options, penalty="custom")
    with pytest.raises(PolicyError, match="penalty must be one of 'perimeter', 'discernibility'"):
        pellucid.anonymize(table, **options, policy=path)
    assert pellucid.anonymize(table, **options, penalty=lambda group: len(group) ** 2).policy.penalty == "custom"


@pytest.mark.parametrize(("given", "message"), [("income", "not the text 'income'"), (5, "not 5")])
@pytest.mark.parametrize("option", ["quasi_identifiers", "drop", "protected", "sensitive_order"])
def test_lists_that_are_none(option: str, given: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{option} must be a list of column names, {message}"):
        Policy.from_options({**OPTIONS, option: given})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"recoding": "anatomy", "quasi_identifiers": ["age", "group_id"]}, "two columns named 'group_id'. Rename"),
        ({"intervals": "bounds", "sensitive": "age_max"}, "would have two columns named 'age_max'. Rename that column"),
    ],
)
def test_names_that_the_release_needs_itself(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Policy.from_options({**OPTIONS, "drop_others": True, **options}).require_roles(
            ["age", "place", "group_id", "age_max", "disease"]
        )


def test_names_and_orders_of_joint_columns() -> None:
    joint = {**OPTIONS, "sensitive": ["disease", "treatment"], "joint": True}
    with pytest.raises(PolicyError, match=r"The quasi-identifier .* has the name of the combination .* Rename"):
        Policy.from_options({**joint, "quasi_identifiers": [Policy.from_options(joint).sensitive_value]})
    with pytest.raises(PolicyError, match=r"one order of sensitive values, .* order in \[attributes.disease\]"):
        Policy.from_options({**joint, "sensitive_order": ["flu", "cold"]})


def test_a_policy_made_directly_is_judged_as_well() -> None:
    with pytest.raises(PolicyError, match=r"diversity must be a whole number of at least 1, not 0. Give l, such as"):
        Policy(quasi_identifiers=("age",), sensitive="disease", diversity=0)


def test_neither_source_nor_target() -> None:
    with pytest.raises(PolicyError, match=r"There is no source. Name it \(SOURCE\), or give .* a \[source\]"):
        pellucid.anonymize(**OPTIONS)
    table = pl.DataFrame({"age": [1, 2], "place": [1, 2], "disease": [1, 2]})
    release = pellucid.anonymize(table, **{**OPTIONS, "diversity": 2})
    with pytest.raises(PolicyError, match=r"There is no target. Name it \(--output\), or give .* a \[target\]"):
        release.write()
