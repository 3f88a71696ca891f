"""Drafts of policies: whatever the table, the loader takes them, and every column has a role."""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pellucid
from pellucid.inspection.draft import draft
from pellucid.inspection.proposal import propose
from pellucid.policy import Policy
from pellucid.policy_file import read_policy_file
from pellucid.shown import key, printable, quoted

ODD = (
    "", " ", '"', "'", '"""', "'''", "\n", "\r\n", "\t", "\\", "\\u0041", ".", "a.b", "#", "# x", "=", "[x]", "]", "🙂",
    "\x1b[31m", "\x7f", "\x9b2J", "\u2028", "\u202e", "é", "<script>", "{{7*7}}", ":smile:", "[red]", "age", "name",
    "id", "Geburtsdatum", "income", "disease", "zip", "sex", "attributes", "quasi_identifiers", "_min",
)  # fmt: skip
FILE = pellucid.File("so\"urce'.csv", separator="\t", encoding="utf-16", null=["NA", "\x7f"])
NAMES = st.one_of(st.sampled_from(ODD), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12))
VALUES: tuple[Callable[[int], st.SearchStrategy[Any]], ...] = (
    lambda rows: st.lists(st.none() | st.integers(-3, 3), min_size=rows, max_size=rows),
    lambda rows: st.lists(st.integers(-(2**63), 2**63 - 1), min_size=rows, max_size=rows),
    lambda rows: st.lists(st.none() | st.floats(), min_size=rows, max_size=rows),
    lambda rows: st.lists(st.none() | st.sampled_from(ODD), min_size=rows, max_size=rows),
    lambda rows: st.lists(st.sampled_from(("male", "female")), min_size=rows, max_size=rows),
    lambda rows: st.lists(st.none() | st.dates(), min_size=rows, max_size=rows),
    lambda rows: st.lists(st.booleans(), min_size=rows, max_size=rows),
    lambda rows: st.just(list(range(rows))),
    lambda rows: st.just([f"{number}@example.org" for number in range(rows)]),
    lambda rows: st.just(["p0", *(f"p{number}" for number in range(rows - 1))]),
    lambda rows: st.just([None] * rows),
    lambda rows: st.just([[number] for number in range(rows)]),
)


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    names = draw(st.lists(NAMES, min_size=2, max_size=7, unique=True))
    rows = draw(st.integers(1, 30))
    return pl.DataFrame({name: draw(draw(st.sampled_from(VALUES))(rows)) for name in names}, strict=False)


def written(found: pellucid.Inspection) -> tuple[Policy, str]:
    """The policy that the loader makes of the draft, if the table has enough columns for one."""
    assume(sum(column.facts.usable for column in found.columns) >= 2)
    return loaded(found)


def loaded(found: pellucid.Inspection) -> tuple[Policy, str]:
    """The policy that the loader makes of the draft."""
    text = draft(found, source=FILE, target="target\\.csv")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pellucid.toml"
        path.write_text(text, encoding="utf-8", newline="")
        file = read_policy_file(path)
        assert not file.problems
        assert file.source == {**FILE.said, "path": str(Path(folder) / FILE.path)}
        return Policy.from_options({}, file=file), text


@given(tables())
def test_the_loader_takes_it_and_every_column_has_a_role(table: pl.DataFrame) -> None:
    policy, text = written(pellucid.inspect(table))
    assert not policy.drop_others
    policy.require_roles(table.columns)
    assert all(line.isprintable() for line in text.removesuffix("\n").split("\n")), (
        "a comment is one line that can be seen"
    )


@settings(max_examples=50)
@given(tables())
def test_the_table_can_be_published_with_it(table: pl.DataFrame) -> None:
    policy, _ = written(pellucid.inspect(table))
    roles = {name: getattr(policy, name) for name in ("quasi_identifiers", "sensitive", "diversity", "identifier")}
    release = pellucid.anonymize(table, **roles, drop=policy.drop, missing=policy.missing)
    assert release.check.diverse
    assert release.check.rows == table.height


@given(tables(), st.data())
def test_roles_that_are_given_are_kept(table: pl.DataFrame, data: st.DataObject) -> None:
    found = pellucid.inspect(table)
    usable = [column.name for column in found.columns if column.facts.usable]
    assume(len(usable) >= 3)
    quasi_identifier, sensitive, identifier = data.draw(st.permutations(usable))[:3]
    policy, _ = written(
        pellucid.inspect(table, quasi_identifiers=[quasi_identifier], sensitive=sensitive, identifier=identifier)
    )
    assert policy.quasi_identifiers == (quasi_identifier,)
    assert (policy.sensitive, policy.identifier) == (sensitive, identifier)


@given(tables(), st.data())
def test_several_sensitive_columns_are_declared_joint(table: pl.DataFrame, data: st.DataObject) -> None:
    """Their combination decides what l is proposed; the release that the draft makes is diverse in it."""
    usable = [column.name for column in pellucid.inspect(table).columns if column.facts.usable]
    assume(len(usable) >= 3)
    quasi_identifier, *sensitive = data.draw(st.permutations(usable))[: data.draw(st.integers(3, len(usable)))]
    found = pellucid.inspect(table, quasi_identifiers=[quasi_identifier], sensitive=sensitive, joint=True)
    policy, _ = loaded(found)
    assert (policy.quasi_identifiers, policy.sensitive, policy.joint) == ((quasi_identifier,), tuple(sensitive), True)
    policy.require_roles(table.columns)
    assert found.joint is not None
    assert found.joint.largest_diversity == propose(found).largest_diversity >= policy.diversity
    roles = {
        name: getattr(policy, name) for name in ("quasi_identifiers", "sensitive", "joint", "diversity", "missing")
    }
    release = pellucid.anonymize(table, **roles, identifier=policy.identifier, drop=policy.drop)
    assert release.check.diverse
    with pytest.raises(pellucid.NotEligibleError) as refused:
        pellucid.anonymize(table, **{**roles, "diversity": table.height + 1}, drop_others=True)
    assert refused.value.largest_diversity == found.joint.largest_diversity


@given(tables(), st.randoms(use_true_random=False))
def test_it_does_not_know_who_has_which_value(table: pl.DataFrame, random: Any) -> None:
    """G1: another table, in which people have exchanged their sensitive values, has the same draft."""
    before = pellucid.inspect(table)
    _, text = written(before)
    [sensitive] = propose(before).sensitive
    assume(not before[sensitive].counts_rows)
    order = random.sample(range(table.height), table.height)
    exchanged = table.with_columns(table[sensitive].gather(order))
    assume(not pellucid.inspect(exchanged)[sensitive].counts_rows)
    assert written(pellucid.inspect(exchanged))[1] == text


@given(tables())
def test_it_holds_no_counts(table: pl.DataFrame) -> None:
    """Another table of the same values, three times as long, has the same draft, where nothing is nearly unique."""
    long, longer = pl.concat([table] * 6), pl.concat([table] * 18)
    assert written(pellucid.inspect(long))[1] == written(pellucid.inspect(longer))[1]


@given(tables())
def test_no_order_of_sensitive_values_is_proposed(table: pl.DataFrame) -> None:
    found = pellucid.inspect(table)
    policy, text = written(found)
    uncommented = re.sub(r"(?m)^# (?=\[attributes|order|grid)", "", text)
    attributes = tomllib.loads(uncommented).get("attributes", {})
    proposed = attributes.pop(str(policy.sensitive), {})
    assert set(proposed) <= {"order"}
    assert proposed.get("order", ["...", "..."]) == ["...", "..."]
    for name, each in attributes.items():
        assert name in policy.quasi_identifiers
        if each.get("order", ["...", "..."]) != ["...", "..."]:
            assert sorted(each["order"]) == sorted(table[name].drop_nulls().unique().to_list())


def test_categories_stand_in_the_order_of_the_numbers_in_them() -> None:
    """The order that a curator most likely wants; by letters, 10 comes before 9. A step of 1 is no step."""
    values = ["10th", "9th", "1st-4th", "11th", "", "5th-6th", "7th-8th", "college"] * 4
    years = [1 + number % 16 for number in range(32)]
    diseases = ["flu", "cold", "gout", "pox"] * 8
    table = pl.DataFrame({"education": values, "education_years": years, "disease": diseases})
    text = draft(pellucid.inspect(table))
    assert '# order = ["", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "college"]' in text
    assert "grid = 1" not in text
    assert "[attributes.education_years]" not in text


def test_it_says_no_counts_of_values() -> None:
    """What the curator is told has figures in it, what becomes public has not."""
    rows = 200
    table = pl.DataFrame(
        {
            "x": [f"p{number * 7 % 191}" for number in range(rows)],
            "age": [number % 60 + 20 for number in range(rows)],
            "disease": [("flu", "cold", "gout", "mumps", "hay", "pox", "ague")[number % 7] for number in range(rows)],
        }
    )
    found = pellucid.inspect(table)
    assert "95 % of its values are different" in found["x"].suspicions[0].because
    assert propose(found).largest_diversity == 6
    policy, text = loaded(found)
    assert policy.diversity == 5, "one of the usual"
    head, _, rest = text.replace(pellucid.__version__, "").replace("1/l", "").partition("diversity = 5\n")
    assert re.findall("[0-9]+", head) == []
    assert re.findall("[0-9]+", rest.partition("[source]")[0]) == ["5"], "the grid of ages"


def test_infinite_numbers_and_repeated_identifiers_are_dropped() -> None:
    table = pl.DataFrame(
        {
            "age": [float("inf"), *range(39)],
            "patient": ["p0", *(f"p{number}" for number in range(39))],
            "sex": ["m", "f"] * 20,
            "disease": ["flu", "cold", "gout", "mumps"] * 10,
        },
        strict=False,
    )
    policy, _ = loaded(pellucid.inspect(table))
    assert policy.drop == ("age", "patient")
    assert policy.identifier is None


@given(st.text(st.characters(codec="utf-8")))
def test_texts_are_quoted_as_toml_reads_them(text: str) -> None:
    assert quoted(text).isprintable()
    assert printable(text).isprintable()
    assert tomllib.loads(f"x = {quoted(text)}") == {"x": text}
    assert tomllib.loads(f"[a.{key(text)}]\nb = 1") == {"a": {text: {"b": 1}}}
