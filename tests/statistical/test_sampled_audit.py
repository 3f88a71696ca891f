"""The sampled audit agrees with the exact adversary where both can run, and says so where it cannot tell."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pellucid
from pellucid import MissingExtraError, PolicyError, reference
from pellucid.adversary import disclosure_risk
from pellucid.adversary.audit import Audit, sampled_audit
from pellucid.adversary.exact import Beliefs, beliefs, instance_of
from pellucid.adversary.external import External
from pellucid.adversary.mondrian_paths import MondrianPaths
from pellucid.adversary.outcomes import KNOWN
from pellucid.adversary.published import publish
from pellucid.draws import Keys
from pellucid.microdata import Microdata
from pellucid.partition import Partition
from pellucid.policy import Recoding
from pellucid.reference import Group

pytest.importorskip("arviz_stats")

VALUES = "wxyz"
SEED = 11


def little_table(seed: int, rows: int = 9) -> pl.DataFrame:
    choose = random.Random(seed)
    return pl.DataFrame(
        {
            "id": list(range(rows)),
            "age": [choose.randrange(6) for _ in range(rows)],
            "zip": [choose.randrange(6) for _ in range(rows)],
            "disease": [VALUES[i % 4] if i < 4 else choose.choice(VALUES[:3]) for i in range(rows)],
        }
    )


def exactly(table: pl.DataFrame, name: str) -> Beliefs:
    external = External.of_numbers(list(zip(table["age"], table["zip"], strict=True)))
    truth = instance_of(external, tuple(VALUES.index(value) for value in table["disease"]), 2)
    groups: list[Group]
    if name in ("hybrid", "weave"):
        # The draws with which the audit starts.
        seeded = random.Random(SEED)
        keys = [seeded.getrandbits(64) for _ in range(table.height)]
        draw = reference.smallest_keys(keys)
        if name == "hybrid":
            groups = reference.hybrid(truth.rows, 2, truth.penalty, draw)
        else:
            groups, name = reference.weave(truth.rows, 2, truth.penalty, draw, ordered=False), "weave-unordered"
    else:
        [(found, _)] = KNOWN[name](truth)
        groups = list(found)
    return beliefs(external, publish(groups, external.ordered, "mbr"), KNOWN[name], 2)


@pytest.mark.parametrize(
    ("name", "steps"),
    [("mondrian", 30_000), ("mondrian-relaxed", 4_000), ("tailor", 1_500), ("hybrid", 3_000), ("weave", 3_000)],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_agrees_with_the_exact_adversary(name: str, steps: int, seed: int) -> None:
    """The intervals are of three standard errors: with these fixed seeds, all of 90 must hold the exact risk."""
    audit = compare(little_table(seed), name, steps)
    assert sum(person.converged for person in audit.people) >= len(audit.people) / 3


@pytest.mark.parametrize(
    ("name", "steps", "ages", "zips", "diseases"),
    [
        ("mondrian", 6_000, [0, 1, 2, 2, 0, 0, 2, 1, 1], [1, 1, 2, 1, 0, 2, 0, 2, 2], "zwyxyxxxw"),
        ("weave", 2_000, [0, 0, 1, 0, 1, 1, 1, 1], [0, 0, 1, 0, 1, 1, 0, 1], "yzwxywyx"),
        ("mondrian-relaxed", 2_000, [5] * 8, [5] * 8, "wxyzwxyz"),
    ],
    ids=["cuts across groups", "groups with common people", "groups that publish the same box"],
)
def test_does_not_rely_on_chains_that_are_stuck(
    name: str, steps: int, ages: list[int], zips: list[int], diseases: str
) -> None:
    """From one possible table to the next, several exchanges may be needed: chains without them agree on nonsense."""
    compare(pl.DataFrame({"id": range(len(ages)), "age": ages, "zip": zips, "disease": list(diseases)}), name, steps)


def compare(table: pl.DataFrame, name: str, steps: int) -> Audit:
    """Whatever the audit says of anybody, it must be right; it may say that it does not know."""
    exact = exactly(table, name)
    audit = sampled_audit(
        table,
        quasi_identifiers=["age", "zip"],
        sensitive="disease",
        diversity=2,
        identifier="id",
        algorithm=name,
        steps=steps,
        seed=SEED,
    )
    values = sorted(set(table["disease"]))
    for person in audit.people:
        assert isinstance(person.identifier, int)
        expected = exact.posterior(person.identifier)[values.index(person.value)]
        assert person.low <= expected <= person.high
    return audit


@pytest.mark.parametrize("recoding", ["mbr", "anatomy"])
@pytest.mark.parametrize("algorithm", ["mondrian", "tailor"])
def test_ancestors_and_anatomies_are_what_the_exact_adversary_sees(algorithm: str, recoding: Recoding) -> None:
    """Ancestors reach further than the values of a group; the groups of an anatomy only as far as these."""
    table = pl.DataFrame({"id": range(6), "place": list("acabdf"), "disease": list("uvwuvw")})
    settings: dict[str, Any] = {
        "quasi_identifiers": ["place"],
        "sensitive": "disease",
        "diversity": 2,
        "identifier": "id",
        "hierarchies": {"place": [(place, "X" if place < "d" else "Y", "*") for place in "abcdef"]},
        "styles": {"place": "ancestor"},
    }
    release = pellucid.anonymize(table, algorithm=algorithm, recoding=recoding, **settings)  # type: ignore[arg-type]
    shown = release.table if recoding == "mbr" else (release.qi_table, release.sensitive_table)
    exact = disclosure_risk(shown, table.drop("disease"), algorithm=algorithm, **settings)
    audit = sampled_audit(table, algorithm=algorithm, recoding=recoding, steps=1_000, seed=SEED, **settings)
    assert any(person.converged for person in audit.people)
    for person in audit.people:
        assert person.low <= exact.of(person.identifier).posterior[person.value] <= person.high


def in_one_group_if(condition: Callable[[Microdata], bool]) -> Callable[[Microdata, Keys], Partition]:
    """Publishes all rows as one group if the condition holds, and in two halves otherwise."""

    def run(microdata: Microdata, keys: Keys) -> Partition:
        rows = len(microdata)
        ends = [0, rows] if condition(microdata) else [0, rows // 2, rows]
        return Partition(np.arange(rows, dtype=np.uint32), np.array(ends, dtype=np.int64))

    return run


def audit_of(
    table: pl.DataFrame,
    algorithm: Callable[[Microdata, Keys], Partition],
    *,
    chains: int = 4,
    steps: int = 2_000,
    samples: int = 400,
) -> Audit:
    return sampled_audit(
        table,
        quasi_identifiers=["age", "zip"],
        sensitive="disease",
        diversity=2,
        identifier="id",
        algorithm=algorithm,
        seed=SEED,
        chains=chains,
        steps=steps,
        samples=samples,
    )


def test_says_not_converged_where_nothing_moves() -> None:
    """Like Vul-Gen (Fig. 1): only the truth leads to the release, and no chain can know that."""
    table = little_table(1)
    truth = [sorted(set(table["disease"])).index(value) for value in table["disease"]]
    audit = audit_of(table, in_one_group_if(lambda microdata: microdata.sensitive.codes.tolist() == truth))
    assert not audit.converged
    assert len(audit.frozen) == table.height
    assert audit.above == ()
    assert all((person.low, person.high) == (0, 1) for person in audit.people)


def test_finds_whom_an_algorithm_of_ones_own_gives_away() -> None:
    """One group if the first person has the value w, of four: nobody else's value matters."""
    table = pl.DataFrame({"id": range(8), "age": range(8), "zip": range(8), "disease": list("wxyzwxyz")})
    audit = audit_of(table, in_one_group_if(lambda microdata: int(microdata.sensitive.codes[0]) < 2), steps=4_000)
    [person] = [person for person in audit.people if person.identifier == 0]
    assert person.converged
    assert person.low < 1 / 2 < person.high  # w or x, each as likely
    others = [person for person in audit.people if person.identifier != 0]
    assert all(person.risk < 0.4 for person in others)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 10}, r"steps \(--steps\) must be at least 400, not 10: every chain keeps 400 of its tables"),
        ({"samples": 200, "steps": 199}, r"steps \(--steps\) must be at least 200, not 199"),
        ({"samples": 99}, "samples must be at least 100, not 99"),
        ({"chains": 1}, "chains must be at least 2, not 1"),
    ],
)
def test_refuses_what_makes_no_sense(options: dict[str, int], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        audit_of(little_table(1), in_one_group_if(lambda _: True), **options)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r"pellucid\[audit\]"):
        audit_of(little_table(1), in_one_group_if(lambda _: True))


@given(
    table=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=24),
    exchanges=st.lists(st.lists(st.tuples(st.integers(0, 23), st.integers(0, 23)), max_size=3), max_size=12),
    relaxed=st.booleans(),
    diversity=st.integers(1, 3),
)
def test_mondrian_along_the_paths_is_mondrian(
    table: list[tuple[int, int, int]], exchanges: list[list[tuple[int, int]]], relaxed: bool, diversity: int
) -> None:
    """An exchange is taken if and only if Mondrian, run anew on the whole table, makes the same groups."""
    positions = [[0, 2, 3, 7, 9], [0, 3, 3, 9]]

    def groups_of(values: list[int]) -> set[frozenset[int]]:
        rows = [reference.Row(row, (a, b), v) for row, ((a, b, _), v) in enumerate(zip(table, values, strict=True))]
        cut = reference.mondrian(rows, diversity, positions, relaxed=relaxed)
        return {frozenset(t.id for t in G) for G in cut}

    values = [value for _, _, value in table]
    groups = groups_of(values)
    if not groups:
        return  # not eligible: nothing is released
    codes = [np.array(column) for column in list(zip(*table, strict=True))[:2]]
    at = [np.array(line) for line in positions]
    paths = MondrianPaths(codes, at, values, diversity, relaxed=relaxed)
    assert {frozenset(rows.tolist()) for rows in paths.groups} == groups
    for pairs in exchanges:
        inside = [(a, b) for a, b in pairs if a != b and max(a, b) < len(table)]
        changed = list(values)
        for a, b in inside:
            changed[a], changed[b] = changed[b], changed[a]
        same = groups_of(changed) == groups
        assert paths.exchange(inside) == same
        if same:
            values = changed
        assert paths.values.tolist() == values


def test_an_algorithm_that_leaves_rows_out_is_refused() -> None:
    def leaving_out(microdata: Microdata, keys: Keys) -> Partition:
        return Partition(np.arange(1, len(microdata), dtype=np.uint32), np.array([0, len(microdata) - 1]))

    with pytest.raises(PolicyError, match="must put every row of the table into one of its groups"):
        audit_of(little_table(1), leaving_out)


def test_an_algorithm_that_changes_values_is_refused() -> None:
    def changing(microdata: Microdata, keys: Keys) -> Partition:
        rows = np.arange(len(microdata), dtype=np.uint32)
        return Partition(rows, np.array([0, len(rows)]), np.zeros_like(rows))

    for algorithm in ("mask", changing):
        with pytest.raises(PolicyError, match="exchanges sensitive values"):
            sampled_audit(
                little_table(1),
                quasi_identifiers=["age"],
                sensitive="disease",
                diversity=1,
                identifier="id",
                algorithm=algorithm,
                steps=400,
            )
