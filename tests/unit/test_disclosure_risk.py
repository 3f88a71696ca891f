"""The adversary's way in: releases in every form that the program writes, and input that makes no sense."""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import pellucid
from pellucid import CheckFailedError, MicrodataError, PolicyError, reference
from pellucid.adversary import disclosure_risk
from pellucid.adversary.exact import instance_of
from pellucid.adversary.external import External
from pellucid.adversary.instances import fewest_instances, possible_instances
from pellucid.adversary.outcomes import deterministic, mask
from pellucid.adversary.reading import read_case
from pellucid.cli import app
from pellucid.errors import TooManyInstancesError
from tests.paper.tables import DISEASE, E1, NAME, QI, T1, T2_STAR, T9, T10_STAR

publish = partial(pellucid.anonymize, quasi_identifiers=QI, sensitive=DISEASE, diversity=2, identifier=NAME)
attack = partial(disclosure_risk, quasi_identifiers=list(QI), sensitive=DISEASE, diversity=2, identifier=NAME)
E = E1.frame()
TOWNS = pl.DataFrame(
    {
        "name": list("abcdef"),
        "town": ["Aix", "Bonn, west", "Aix", "Cork", None, "[Dax]"],
        "weight": [60.5, 70.25, 60.5, 81.0, 90.0, 70.0],
        "disease": ["flu", "cold", "cold", "flu", "flu", "cold"],
    }
)


def write(table: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".parquet":
        table.write_parquet(path)
    elif path.suffix == ".arrow":
        table.write_ipc(path)
    else:
        table.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow"])
@pytest.mark.parametrize("options", [{}, {"intervals": "bounds"}, {"recoding": "anatomy"}], ids=str)
def test_every_form_of_a_release_is_read(tmp_path: Path, ending: str, options: dict[str, str]) -> None:
    """Tailor publishes the same groups in every form, and an adversary learns the same from it."""
    target = tmp_path / f"release.{ending}"
    publish(T1.frame(), algorithm="tailor", **options).write(target)  # type: ignore[arg-type]
    everybody = tmp_path / f"people.{ending}"
    write(E, everybody)
    seen = attack(target, everybody, algorithm="tailor")
    assert seen.maximum == Fraction(1, 2)
    assert seen.of("Ed").posterior == {"flu": Fraction(1, 2), "gastritis": Fraction(1, 2)}
    assert seen.instances == 16


@pytest.mark.parametrize("algorithm", ["tailor", "ace", "hybrid"])
@pytest.mark.parametrize("recoding", ["mbr", "anatomy"])
def test_texts_numbers_with_decimals_and_missing_values(tmp_path: Path, algorithm: str, recoding: str) -> None:
    target = tmp_path / "release.csv"
    pellucid.anonymize(
        TOWNS,
        quasi_identifiers=["town", "weight"],
        sensitive="disease",
        diversity=2,
        identifier="name",
        algorithm=algorithm,  # type: ignore[arg-type]
        recoding=recoding,  # type: ignore[arg-type]
        missing="category",
    ).write(target)
    seen = disclosure_risk(
        target,
        TOWNS.drop("disease"),
        quasi_identifiers=["town", "weight"],
        sensitive="disease",
        diversity=2,
        identifier="name",
        algorithm=algorithm,
        missing="category",
    )
    assert seen.maximum == Fraction(1, 2)
    assert all(sum(person.posterior.values()) == 1 for person in seen.people)


def test_the_truth_is_among_the_possible_instances() -> None:
    case = read_case(T2_STAR.frame(), E, quasi_identifiers=list(QI), sensitive=DISEASE, identifier=NAME)
    space = possible_instances(case.external, case.release, "mbr")
    found = list(space)
    disease = T1.by_name(DISEASE)
    truth = tuple(case.values.index(disease[str(name)]) if name in disease else -1 for name in case.external.names)
    assert truth in found
    assert len(set(found)) == len(found) == space.count(10**6) == fewest_instances(case.release) == 96


def test_overlapping_boxes_are_counted_as_they_are_listed() -> None:
    release = pl.DataFrame({"age": ["[1, 3]"] * 2 + ["[2, 4]"] * 2, "disease": ["flu", "cold"] * 2})
    people = pl.DataFrame({"name": list("abcde"), "age": [1, 2, 3, 4, 3]})
    case = read_case(release, people, quasi_identifiers=["age"], sensitive="disease", identifier="name")
    space = possible_instances(case.external, case.release, "mbr")
    found = list(space)
    assert len(set(found)) == len(found) == space.count(10**6)
    # By hand: each value has two holders, one in each box. Any two of the five people can stand so: only a is confined
    # to the first box, and only d to the second.
    assert len(found) == 10 * 3


def test_a_register_of_many_people_is_no_deep_recursion() -> None:
    release = pl.DataFrame({"age": ["[1, 5000]"] * 2, "disease": ["flu", "cold"]})
    people = pl.DataFrame({"name": range(5000), "age": range(1, 5001)})
    case = read_case(release, people, quasi_identifiers=["age"], sensitive="disease", identifier="name")
    space = possible_instances(case.external, case.release, "mbr")
    assert space.count(10**9) == 5000 * 4999
    assert sorted(next(iter(space)))[-3:] == [-1, 0, 1]


def test_progress_says_first_how_much_there_is() -> None:
    heard: list[tuple[int, int]] = []
    attack(T2_STAR.frame(), E, algorithm="mondrian", progress=lambda done, everything: heard.append((done, everything)))
    assert heard[0] == (0, 96)
    assert heard[-1] == (96, 96)


def test_refuses_past_a_limit_that_can_be_raised() -> None:
    with pytest.raises(TooManyInstancesError, match="At least 96 tables") as refused:
        attack(T2_STAR.frame(), E, algorithm="mondrian", limit=95)
    assert refused.value.exit_status == 2
    assert attack(T2_STAR.frame(), E, algorithm="mondrian", limit=96).instances == 96


def test_the_limit_counts_draws_as_well() -> None:
    release = publish(T1.frame(), algorithm="ace").table
    with pytest.raises(TooManyInstancesError, match="outcomes of the algorithm's draws"):
        attack(release, E, algorithm="ace", limit=fewest_instances_of(release) + 40)


def fewest_instances_of(release: pl.DataFrame) -> int:
    case = read_case(release, E, quasi_identifiers=list(QI), sensitive=DISEASE, identifier=NAME)
    return possible_instances(case.external, case.release, "mbr").count(10**6)


def test_a_release_that_the_algorithm_cannot_have_produced() -> None:
    with pytest.raises(CheckFailedError, match="cannot have produced"):
        attack(T2_STAR.frame(), E, algorithm="tailor")


def test_an_algorithm_of_ones_own_that_changes_values() -> None:
    """Otherwise nothing would be said about the tables in which people had other values."""
    seen = partial(
        disclosure_risk,
        T10_STAR.frame(),
        T9.frame().drop(DISEASE),
        quasi_identifiers=["Age"],
        sensitive=DISEASE,
        diversity=2,
        identifier=NAME,
    )
    found = seen(algorithm=mask(k=2, values=[0]), changes_values=True)
    assert found.of("Ann").posterior == {"dyspepsia": Fraction(7, 12), "flu": Fraction(5, 12)}
    all_the_same = deterministic(lambda instance: [tuple(replace(t, sensitive=0) for t in instance.rows)])
    with pytest.raises(PolicyError, match="changes_values=True"):
        seen(algorithm=all_the_same)


AGES = (20, 21, 30, 33, 41, 42)
ILLNESSES = ("aids", "cold", "flu")
Box = tuple[int, int, tuple[int, ...]]


def one_of(draw: int, distributions: Sequence[list[int]]) -> list[int]:
    return distributions[draw % len(distributions)]


def all_of_mask(people: Sequence[str], rows: int) -> dict[tuple[Box, ...], Counter[tuple[tuple[str, int], ...]]]:
    """For everything that Mask publishes of any table of so many of these people: the tables, each with its weight.

    Proposition 1 by brute force. Every table is run twice: no more than two groups can be chosen from.
    """
    everybody = External.of_numbers([(age,) for age in AGES], people)
    found: dict[tuple[Box, ...], Counter[tuple[tuple[str, int], ...]]] = defaultdict(Counter)
    for values in itertools.product((-1, 0, 1, 2), repeat=len(people)):
        if len(people) - values.count(-1) != rows:
            continue
        table = instance_of(everybody, values, 2)
        groups_of_two = partial(reference.anonymous_mondrian, k=2, positions=table.positions)
        for draw in range(2):
            groups = reference.mask(table.rows, 2, {0}, groups_of_two, partial(one_of, draw))
            ages = [sorted(AGES[t.id] for t in G) for G in groups]
            shown = [tuple(sorted(t.sensitive for t in G)) for G in groups]
            release = tuple(sorted((a[0], a[-1], v) for a, v in zip(ages, shown, strict=True)))
            found[release][tuple(zip(people, values, strict=True))] += 1
    return found


@pytest.mark.parametrize("rows", [4, 5, 6])
def test_a_protected_value_that_mask_replaced_everywhere(rows: int) -> None:
    """The adversary knows V: who had aids is not forgotten because the release does not show it any more."""
    people = list("abcdef")
    external = pl.DataFrame({"name": people, "age": AGES})
    tried = 0
    for release, leading in all_of_mask(people, rows).items():
        known = {-1, 0, *(v for _, _, values in release for v in values)}  # of other values nobody can think
        tables = Counter({table: n for table, n in leading.items() if known.issuperset(dict(table).values())})
        vanished = sum(0 in dict(table).values() for table in tables)
        if not release or not vanished or any(0 in values for _, _, values in release):
            continue
        lines = [(f"[{low}, {high}]", ILLNESSES[v]) for low, high, values in release for v in values]
        seen = disclosure_risk(
            pl.DataFrame(lines, schema=["age", "disease"], orient="row"),
            external,
            quasi_identifiers=["age"],
            sensitive="disease",
            diversity=2,
            identifier="name",
            algorithm="mask",
            protected=["aids"],
        )
        assert (seen.instances, seen.unseen) == (len(tables), ("aids",))
        for name in people:
            holders = Counter[str]()
            for table, weight in tables.items():
                if (value := dict(table)[name]) >= 0:
                    holders[ILLNESSES[value]] += weight
            assert seen.of(name).posterior == {v: Fraction(n, tables.total()) for v, n in holders.items()}
        tried += 1
    assert tried > 3


@pytest.mark.parametrize("protected", ["flu", [], [3]])
def test_protected_values_that_are_none(protected: list[str]) -> None:
    with pytest.raises(PolicyError, match="protected"):
        attack(T2_STAR.frame(), E, algorithm="mask", protected=protected)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_is_none(limit: int) -> None:
    with pytest.raises(PolicyError, match="limit must be at least 1"):
        attack(T2_STAR.frame(), E, algorithm="opt-gen", limit=limit)


def test_nothing_to_attack() -> None:
    with pytest.raises(CheckFailedError, match="The release has no rows"):
        attack(T2_STAR.frame().clear(), E, algorithm="opt-gen")
    with pytest.raises(CheckFailedError, match="The external source has no people"):
        attack(T2_STAR.frame(), E.clear(), algorithm="opt-gen")


@pytest.mark.parametrize(
    ("people", "message"),
    [
        (E.filter(pl.col(NAME) != "Ed"), "nobody in the external source has"),
        (E.filter(~pl.col(NAME).is_in(["Fred", "Bruce"])), "8 rows, but the external source only 7 people"),
        (E.filter(pl.col(NAME) != "Fred"), "has 4 rows, but only 3 people"),
    ],
    ids=["a bound that nobody has", "too few people", "too few in a group"],
)
def test_an_external_source_that_lacks_people(people: pl.DataFrame, message: str) -> None:
    with pytest.raises(CheckFailedError, match=message):
        attack(T2_STAR.frame(), people, algorithm="opt-gen")


def test_an_external_source_that_lacks_columns() -> None:
    with pytest.raises(PolicyError, match="external source has no column named 'Zipcode'"):
        attack(T2_STAR.frame(), E.drop("Zipcode"), algorithm="opt-gen")


def test_a_release_that_lacks_columns() -> None:
    with pytest.raises(PolicyError, match="release has no column named 'Disease'"):
        attack(T2_STAR.frame().drop(DISEASE), E, algorithm="opt-gen")


def test_ids_that_repeat() -> None:
    with pytest.raises(MicrodataError, match="does not tell people apart"):
        attack(T2_STAR.frame(), pl.concat([E, E.head(1)]), algorithm="opt-gen")


def test_labels_that_are_none() -> None:
    release = T2_STAR.frame().with_columns(Age=pl.lit("[21, "))
    with pytest.raises(CheckFailedError, match="cannot be read"):
        attack(release, E, algorithm="opt-gen")


def test_intervals_of_texts_without_an_order() -> None:
    people = E.with_columns(pl.col("Age").cast(pl.String))
    with pytest.raises(CheckFailedError, match="no order"):
        attack(T2_STAR.frame(), people, algorithm="opt-gen")


def test_an_algorithm_that_is_none() -> None:
    with pytest.raises(PolicyError, match="algorithm must be one of"):
        attack(T2_STAR.frame(), E, algorithm="optgen")


def test_the_command_line(tmp_path: Path) -> None:
    release, everybody = tmp_path / "release.csv", tmp_path / "people.csv"
    T2_STAR.frame().write_csv(release)
    E.write_csv(everybody)
    command = ["risk", str(release), "--external", str(everybody), "-q", "Age,Zipcode", "-s", "Disease", "-l", "2"]
    command += ["--identifier", "Name", "--algorithm", "opt-gen"]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0
    assert "1 of 9 people are at more than that" in shown.stdout
    lines = [line for line in shown.stdout.splitlines() if "│" in line]
    assert "Ed" in lines[0]
    assert "gastritis" in lines[0]
    found = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert found["status"] == 0
    assert found["risk"]["maximum"] == "1"
    assert found["risk"]["people"][0] == {
        "identifier": "Ed",
        "risk": "1",
        "value": "gastritis",
        "posterior": [["gastritis", "1"]],
    }
    refused = CliRunner().invoke(app, [*command, "--limit", "3", "--json"])
    assert refused.exit_code == 2
    assert json.loads(refused.stdout)["error"]["kind"] == "TooManyInstancesError"
