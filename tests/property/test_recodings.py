"""The anonymization functions against their definitions in section 2.1, on any table and any partition of it."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid import Policy
from pellucid.draws import SystemDraws
from pellucid.microdata import Microdata, encode
from pellucid.partition import Partition
from pellucid.recodings import anatomy, labels, mbr
from pellucid.typed import as_text
from tests.property.strategies import columns

Texts = tuple[str | None, ...]


@st.composite
def partitioned(draw: st.DrawFn) -> tuple[pl.DataFrame, Microdata, Partition]:
    """People 0, 1, .. in groups."""
    rows = draw(st.integers(1, 20))
    table = pl.DataFrame(
        [
            pl.Series("id", range(rows)),
            draw(columns("a", rows, nulls=draw(st.booleans()))),
            draw(columns("b", rows, dtype="String", nulls=draw(st.booleans()))),
            draw(columns("s", rows, nulls=draw(st.booleans()))),
        ]
    )
    policy = Policy(quasi_identifiers=("a", "b"), sensitive="s", diversity=1, identifier="id", missing="category")
    members = draw(st.permutations(range(rows)))
    ends = sorted(draw(st.sets(st.integers(1, rows))) | {rows})
    partition = Partition(np.array(members, dtype=np.uint32), np.array([0, *ends], dtype=np.int64))
    return table, encode(table, policy, SystemDraws(), untyped=False), partition


def texts(microdata: Microdata) -> tuple[list[Texts], list[str | None]]:
    """Everybody's QI values and sensitive value, as texts."""
    qi = [as_text(a.values).gather(pl.Series(a.codes)).to_list() for a in microdata.attributes]
    sensitive = as_text(microdata.sensitive.values).gather(pl.Series(microdata.sensitive.codes)).to_list()
    return list(zip(*qi, strict=True)), sensitive


@settings(max_examples=50)
@given(drawn=partitioned())
def test_mbr(drawn: tuple[pl.DataFrame, Microdata, Partition]) -> None:
    """Each QI value becomes the tightest interval, or the set, of the values of its group; nothing else happens."""
    _, microdata, partition = drawn
    _, sensitive = texts(microdata)
    expected = Counter[tuple[object, ...]]()
    for group in partition:
        box: list[object] = []
        for attribute in microdata.attributes:
            names = as_text(attribute.values).to_list()
            places = sorted({int(attribute.codes[row]) for row in group})
            if len(places) == 1:
                box.append(("alone", (names[places[0]],)))
            elif attribute.ordered:
                box.append(("interval", (names[places[0]], names[places[-1]])))
            else:
                box.append(("set", tuple(names[place] for place in places)))
        expected.update((*box, sensitive[row]) for row in group)

    released = mbr(microdata, partition).frame().with_columns(as_text_of("s"))
    found = Counter((*(labels.parse(row[name]) for name in "ab"), row["s"]) for row in released.iter_rows(named=True))
    assert found == expected


@settings(max_examples=50)
@given(drawn=partitioned())
def test_mbr_as_bounds(drawn: tuple[pl.DataFrame, Microdata, Partition]) -> None:
    """The same intervals in columns of their own, which keep the type of the source."""
    table, microdata, partition = drawn
    first = microdata.attributes[0]
    released = mbr(microdata, partition, "bounds").frame()
    if not first.ordered:
        assert released.columns == ["a", "b", "s"]
        return
    assert released.columns == ["a_min", "a_max", "b", "s"]
    assert released.schema["a_min"] == released.schema["a_max"] == table.schema["a"]
    values, expected = first.values.to_list(), Counter[tuple[object, object]]()
    for group in partition:
        codes = [int(first.codes[row]) for row in group]
        expected[(values[min(codes)], values[max(codes)])] += len(codes)
    assert Counter(released.select("a_min", "a_max").rows()) == expected


def as_text_of(name: str) -> pl.Expr:
    return pl.col(name).map_batches(as_text, return_dtype=pl.String)


@settings(max_examples=50)
@given(drawn=partitioned())
def test_anatomy(drawn: tuple[pl.DataFrame, Microdata, Partition]) -> None:
    """Two tables that share group numbers: who is in a group, and what values there are in it."""
    _, microdata, partition = drawn
    people, sensitive = texts(microdata)
    qi_table, sensitive_table = anatomy(microdata, partition)
    qi = qi_table.frame().with_columns(as_text_of("a"), as_text_of("b"))
    values = sensitive_table.frame().with_columns(as_text_of("s"))

    def key(value: str | None) -> tuple[bool, str]:
        return value is not None, value or ""

    expected = Counter(
        (
            tuple(sorted((people[row] for row in group), key=lambda person: tuple(map(key, person)))),
            tuple(sorted((sensitive[row] for row in group), key=key)),
        )
        for group in partition
    )
    found = Counter(
        (
            tuple(
                sorted(qi.filter(group_id=number).select("a", "b").rows(), key=lambda person: tuple(map(key, person)))
            ),
            tuple(sorted(values.filter(group_id=number)["s"].to_list(), key=key)),
        )
        for number in range(1, len(partition) + 1)
    )
    assert found == expected


@settings(max_examples=50)
@given(drawn=partitioned(), chance=st.randoms(use_true_random=False))
def test_order_of_groups_and_members_does_not_matter(
    drawn: tuple[pl.DataFrame, Microdata, Partition], chance: random.Random
) -> None:
    """Def. 1 and G5: partitions that are equal as sets of sets look the same."""
    _, microdata, partition = drawn
    groups = [group.tolist() for group in partition]
    chance.shuffle(groups)
    for group in groups:
        chance.shuffle(group)
    members = np.array([row for group in groups for row in group], dtype=np.uint32)
    other = Partition(members, np.cumsum([0, *map(len, groups)], dtype=np.int64))
    for one, two in (
        (mbr(microdata, partition), mbr(microdata, other)),
        (mbr(microdata, partition, "bounds"), mbr(microdata, other, "bounds")),
        *zip(anatomy(microdata, partition), anatomy(microdata, other), strict=True),
    ):
        assert one.frame().equals(two.frame(), null_equal=True)
        assert one.frame().columns == two.frame().columns
