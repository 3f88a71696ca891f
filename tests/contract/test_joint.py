"""Several sensitive columns that are declared joint are one value, and otherwise refused."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid
from pellucid.adversary import disclosure_risk
from pellucid.errors import NotEligibleError, PolicyError
from pellucid.utility import evaluate
from tests.contract.publishing import QI, Publisher, frames, people

BOTH = ("disease", "treatment")
TREATMENTS = ["rest", "tea", "null", "a, b", 'x"y', None]


def treated(rows: int = 60, *, seed: int = 1) -> pl.DataFrame:
    """The people of the other contracts, with a treatment each, whose names are awkward; it stands first."""
    fill = np.random.default_rng(seed)
    treatments = pl.Series("treatment", [TREATMENTS[place] for place in fill.integers(0, 6, rows)], dtype=pl.String)
    return people(rows, seed=seed).insert_column(0, treatments)


@pytest.mark.parametrize("name", ["*", "^.*$"])
def test_a_column_whose_name_is_a_pattern_is_one_column(name: str) -> None:
    table = treated().rename({"disease": name})
    roles: dict[str, Any] = {"quasi_identifiers": QI, "sensitive": (name, "treatment"), "joint": True, "diversity": 2}
    release = pellucid.anonymize(table, **roles, missing="category", drop_others=True)
    assert release.check.diverse
    published = release.table
    columns = [name, "treatment"]
    assert sorted(published[columns].rows(), key=str) == sorted(table[columns].rows(), key=str)


def joined(table: pl.DataFrame) -> pl.DataFrame:
    """The same table as if the curator had joined the columns, which must be texts of one letter."""
    both = pl.concat_str(*BOTH, separator=", ").alias("disease, treatment")
    return table.with_columns(both).drop(BOTH)


def letters(rows: int = 60, *, seed: int = 1) -> pl.DataFrame:
    fill = np.random.default_rng(seed)
    drawn = {name: fill.choice(["a", "b", "c"], rows).tolist() for name in BOTH}
    return people(rows, seed=seed).drop("disease").with_columns(**{k: pl.Series(v) for k, v in drawn.items()})


def test_the_combination_is_diverse_and_the_columns_stay_apart(publish: Publisher, tmp_path: Path) -> None:
    source = treated()
    release = publish(source, sensitive=BOTH, joint=True, diversity=3, identifier="name", missing="category")
    *_, shown = frames(release)
    names = shown.columns
    assert [name for name in names if name in BOTH] == ["treatment", "disease"], "in the order of the source"
    assert Counter(shown.select(BOTH).rows()) == Counter(source.select(BOTH).rows())
    groups: dict[Any, Counter[Any]] = defaultdict(Counter)
    for row in shown.rows(named=True):
        groups[tuple(row[name] for name in names if name not in BOTH)][row["disease"], row["treatment"]] += 1
    assert len(groups) > 2
    for group in groups.values():
        assert 3 * max(group.values()) <= group.total()
    for ending in ("csv", "parquet"):
        assert release.write(tmp_path / f"out.{ending}").check.diverse


def test_a_release_is_that_of_the_columns_joined_beforehand(publish: Publisher, seed_file: Path) -> None:
    table = letters()
    options: dict[str, Any] = {"identifier": "name", "seed_file": seed_file, "diversity": 3}
    *others, together = frames(publish(table, sensitive=BOTH, joint=True, **options))
    *same, beforehand = frames(publish(joined(table), sensitive="disease, treatment", **options))
    assert [frame.to_dicts() for frame in others] == [frame.to_dicts() for frame in same]
    assert joined(together).to_dicts() == beforehand.select(joined(together).columns).to_dicts()


def test_its_order_is_that_of_its_columns_if_all_have_one(seed_file: Path) -> None:
    fill = np.random.default_rng(5)
    table = people(300).drop("disease")
    grades, years = fill.integers(1, 5, 300), fill.integers(1, 4, 300)
    options: dict[str, Any] = {
        "quasi_identifiers": QI,
        "diversity": 3,
        "identifier": "name",
        "seed_file": seed_file,
    }
    two = table.with_columns(grade=grades, year=years)
    one = table.with_columns(both=10 * grades + years)
    apart = pellucid.anonymize(two, sensitive=["grade", "year"], joint=True, **options)
    whole = pellucid.anonymize(one, sensitive="both", **options)
    assert apart.sensitive_order == whole.sensitive_order == "values"
    assert (
        apart.table.with_columns(both=10 * pl.col("grade") + pl.col("year")).drop("grade", "year").equals(whole.table)
    )
    unordered = pellucid.anonymize(
        two.with_columns(pl.col("year").cast(pl.String)), sensitive=["grade", "year"], joint=True, **options
    )
    assert unordered.sensitive_order == "none"
    listed = pellucid.anonymize(
        two.with_columns(pl.col("year").cast(pl.String)),
        sensitive=["grade", "year"],
        joint=True,
        orders={"year": ["1", "2", "3"]},
        **options,
    )
    assert listed.sensitive_order == "policy"
    assert listed.table.with_columns(pl.col("year").cast(pl.Int64)).equals(apart.table)


def test_a_column_alone_may_be_the_same_in_a_group_and_it_is_said(publish_hybrid: Publisher) -> None:
    table = people(40).drop("disease")
    table = table.with_columns(disease=pl.lit("hiv"), treatment=pl.Series([f"drug {n % 8}" for n in range(40)]))
    release = publish_hybrid(table, sensitive=BOTH, joint=True, diversity=4, identifier="name")
    assert release.check.worst_alone["disease"] == 1
    assert release.check.as_dict()["worst_frequency_alone"]["disease"] == "1"
    said = " ".join(release.report().split())
    assert "Protection of <strong>disease</strong> or <strong>treatment</strong> alone." in said
    assert "a value of disease is up to 100% of a group" in said
    assert "--joint" in said


def test_the_combination_must_be_eligible(publish_text: Publisher) -> None:
    table = people(40).drop("disease").with_columns(disease=pl.lit("flu"), treatment=pl.lit("rest"))
    with pytest.raises(NotEligibleError, match="'flu, rest' occurs 40 times"):
        publish_text(table, sensitive=BOTH, joint=True, identifier="name")


def test_several_columns_must_be_declared(publish_text: Publisher) -> None:
    with pytest.raises(PolicyError, match=r"several sensitive columns: 'disease', 'treatment'\. Declare them joint"):
        publish_text(treated(), sensitive=BOTH, identifier="name")


def test_a_text_is_one_column_whatever_its_commas(publish_text: Publisher) -> None:
    with pytest.raises(PolicyError, match="several sensitive columns: 'disease', 'treatment'"):
        publish_text(treated(), sensitive="disease,treatment", identifier="name")
    named = people().rename({"disease": "disease,treatment"})
    assert "disease,treatment" in publish_text(named, sensitive="disease,treatment", identifier="name").table.columns


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sensitive": "disease", "joint": True}, "joint is for several sensitive columns, and there is one"),
        ({"sensitive": [], "joint": True}, "sensitive"),
        ({"sensitive": BOTH, "joint": True, "sensitive_order": ["a"]}, r"order in \[attributes.disease\]"),
        ({"sensitive": BOTH, "joint": True, "quasi_identifiers": ("age", "treatment")}, "more than one role"),
        ({"sensitive": BOTH, "joint": True, "quasi_identifiers": ("disease, treatment",)}, "name of the combination"),
        ({"sensitive": ("disease", "disease"), "joint": True}, "more than once"),
        ({"sensitive": BOTH, "joint": "yes"}, "joint must be true or false"),
        ({"sensitive": BOTH, "joint": True, "grids": {"treatment": 5}}, "the sensitive column, which is published as"),
    ],
)
def test_what_does_not_go_together(publish_text: Publisher, options: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        publish_text(treated(), **{"identifier": "name", **options})


def test_a_policy_file_declares_what_it_lists(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    text = (
        'quasi_identifiers = ["age", "place"]\nsensitive = ["disease", "treatment"]\ndiversity = 2\nidentifier = "name"'
    )
    file.write_text(text + '\nmissing = "category"\n')
    with pytest.raises(PolicyError, match=r"line 2: .*several sensitive columns"):
        pellucid.anonymize(treated(), policy=file)
    file.write_text(text + '\nmissing = "category"\njoint = true\n')
    assert pellucid.anonymize(treated(), policy=file).policy.sensitive == BOTH
    alone = pellucid.anonymize(treated(), policy=file, sensitive="disease", drop=["treatment"])
    assert alone.policy.sensitive == "disease", "columns are declared joint where they are named"
    assert "joint" not in alone.policy.as_dict()


def test_others_judge_the_same_value(publish_hybrid: Publisher, seed_file: Path, tmp_path: Path) -> None:
    table = letters(24)
    options: dict[str, Any] = {"identifier": "name", "seed_file": seed_file, "diversity": 2}
    release = publish_hybrid(table, sensitive=BOTH, joint=True, **options)
    same = publish_hybrid(joined(table), sensitive="disease, treatment", **options)
    known: dict[str, Any] = {"quasi_identifiers": QI}
    worth = evaluate(table, release, sensitive=BOTH, joint=True, queries=50, **known).as_dict()
    assert worth == evaluate(joined(table), same, sensitive="disease, treatment", queries=50, **known).as_dict()


@pytest.mark.parametrize("recoding", ["mbr", "anatomy"])
def test_the_adversary_believes_the_same(recoding: Any) -> None:
    table = letters(6, seed=3)
    options: dict[str, Any] = {
        "quasi_identifiers": QI,
        "diversity": 2,
        "identifier": "name",
    }

    def risk(table: pl.DataFrame, **sensitive: Any) -> dict[str, Any]:
        made = pellucid.anonymize(table, algorithm="tailor", recoding=recoding, **options, **sensitive)
        tables = made.table if recoding == "mbr" else (made.qi_table, made.sensitive_table)
        return disclosure_risk(tables, table, algorithm="tailor", **options, **sensitive).as_dict()

    together = risk(table, sensitive=BOTH, joint=True)
    assert together == risk(joined(table), sensitive="disease, treatment")
    assert Fraction(together["maximum"]) <= Fraction(1, 2)


def test_mask_protects_combinations(publish_masked: Callable[..., pellucid.Release]) -> None:
    table = letters(60)
    release = publish_masked(table, protected=["a, b"])
    assert release.policy.protected == ("a, b",)
    times: dict[Any, Counter[bool]] = defaultdict(Counter)
    for row in release.table.rows(named=True):
        times[row["age"], row["place"]][row["disease"] == "a" and row["treatment"] == "b"] += 1
    assert all(2 * count[True] <= count.total() for count in times.values())


@pytest.fixture
def publish_masked() -> Callable[..., pellucid.Release]:
    def publish(table: pl.DataFrame, **options: Any) -> pellucid.Release:
        settings: dict[str, Any] = {"algorithm": "mask", "diversity": 2, "anonymity": 6, "identifier": "name"}
        return pellucid.anonymize(table, quasi_identifiers=QI, sensitive=BOTH, joint=True, **{**settings, **options})

    return publish


def test_the_file_says_what_the_frame_says(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    release = pellucid.anonymize(
        treated(), quasi_identifiers=QI, sensitive=BOTH, joint=True, diversity=2, identifier="name", missing="category"
    )
    release.write(target)
    with target.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert Counter((row["disease"], row["treatment"]) for row in rows) == Counter(
        (disease, treatment or "") for disease, treatment in release.table.select(BOTH).rows()
    )
