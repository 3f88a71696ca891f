"""Hierarchies that follow from values: what a name says is true of all values under it, and of no others."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pellucid import Hierarchy, trees
from tests.property.trees import Rows

_INTERVAL = re.compile(r"\[(.+), (.+)([\])])")


def says(name: str) -> Callable[[Decimal], bool]:
    """What the name of an interval says of a number."""
    if name.startswith("< "):
        return lambda number: number < Decimal(name[2:])
    if name.startswith(">= "):
        return lambda number: number >= Decimal(name[3:])
    if found := _INTERVAL.fullmatch(name):
        low, high = Decimal(found[1]), Decimal(found[2])
        return lambda number: low <= number < high or (found[3] == "]" and number == high)
    return lambda number: number == Decimal(name)


def levels_of(tree: Hierarchy) -> list[list[str]]:
    """The names of every level between the values and the root, in the order of the values."""
    return [[path[level] for path in tree.paths] for level in range(1, tree.levels - 1)]


numbers = st.lists(st.integers(-200, 200), min_size=1, max_size=30) | st.lists(
    st.decimals(-20, 20, places=2).map(float), min_size=1, max_size=30
)
widths = st.tuples(st.sampled_from([1, 5, 0.1, 0.25, 3]), st.lists(st.integers(2, 4), max_size=2)).map(
    lambda drawn: [float(Decimal(str(drawn[0])) * math.prod(drawn[1][:count])) for count in range(len(drawn[1]) + 1)]
)


@given(values=numbers, widths=widths)
def test_widths(values: list[float], widths: list[float]) -> None:
    """Every interval begins at a multiple, is as wide as it should be, and says the truth of all values."""
    tree = trees.by_width(values, *widths)
    shown = [Decimal(value) for value in tree.values]
    assert shown == sorted({Decimal(str(value + 0)) for value in values})
    for width, names in zip(widths, levels_of(tree), strict=True):
        exact = Decimal(str(width))
        for name in set(names):
            assert [says(name)(number) for number in shown] == [other == name for other in names]
            if found := _INTERVAL.fullmatch(name):
                low, high = Decimal(found[1]), Decimal(found[2])
                assert low % exact == 0
                assert high - low + (found[3] == "]") == exact


@given(values=numbers, breaks=st.lists(st.integers(-100, 100) | st.just(0.5), min_size=1, max_size=6, unique=True))
def test_breaks(values: list[float], breaks: list[float]) -> None:
    """Two values have the same name if no break lies between them, and the name says the truth."""
    breaks.sort()
    tree = trees.by_breaks(values, breaks, breaks[::2])
    shown = [Decimal(value) for value in tree.values]
    for of_level, names in zip((breaks, breaks[::2]), levels_of(tree), strict=True):
        for one, its in zip(shown, names, strict=True):
            for other, theirs in zip(shown, names, strict=True):
                assert (its == theirs) == all((one < limit) == (other < limit) for limit in of_level)
        for name in set(names):
            assert [says(name)(number) for number in shown] == [other == name for other in names]


@given(values=numbers, groups=st.lists(st.integers(2, 9), min_size=1, max_size=3, unique=True), data=st.data())
def test_frequencies(values: list[float], groups: list[int], data: st.DataObject) -> None:
    """Only how often values occur counts, and to each other: not the order of rows, nor how many there are."""
    groups.sort(reverse=True)
    tree = trees.by_frequency(values, *groups)
    assert trees.by_frequency(data.draw(st.permutations(values * 3)), *groups) == tree
    shown = [Decimal(value) for value in tree.values]
    for most, names in zip(groups, levels_of(tree), strict=False):
        assert len(set(names)) <= most
        for name in set(names):
            assert [says(name)(number) for number in shown] == [other == name for other in names]


@given(rows=st.integers(4, 60), groups=st.integers(2, 4))
def test_frequencies_are_equal_where_no_value_repeats(rows: int, groups: int) -> None:
    [names] = levels_of(trees.by_frequency(range(rows), groups))
    sizes = Counter(names).values()
    assert len(sizes) == groups
    assert max(sizes) - min(sizes) <= 1


@given(
    values=st.lists(st.dates(dt.date(1, 1, 1), dt.date(9999, 1, 1)), min_size=1, max_size=12, unique=True),
    times=st.booleans(),
)
def test_calendar(values: list[dt.date], times: bool) -> None:
    """Whoever has the same name lies in the same step."""
    given_values = [dt.datetime(day.year, day.month, day.day, 23, 59) for day in values] if times else values
    tree = trees.by_calendar(given_values, "day", "month", "quarter", "year")
    assert [value[:10] for value in tree.values] == sorted(f"{day}" for day in values)
    for path, day in zip(tree.paths, sorted(values), strict=True):
        assert path[1:] == (
            day.isoformat(),
            f"{day.year:04}-{day.month:02}",
            f"{day.year:04}-Q{math.ceil(day.month / 3)}",
            f"{day.year:04}",
            "*",
        )
    [weeks] = levels_of(trees.by_calendar(values, "week"))
    for name, day in zip(weeks, sorted(values), strict=True):
        year, week = name.split("-W")
        assert (
            dt.date.fromisocalendar(int(year), int(week), 1) <= day <= dt.date.fromisocalendar(int(year), int(week), 7)
        )


codes = st.text("AB01", min_size=1, max_size=5) | st.text("12", min_size=1, max_size=5)


@given(values=st.lists(codes, min_size=2, max_size=20, unique=True).filter(lambda made: max(map(len, made)) > 3))
def test_prefixes(values: list[str]) -> None:
    """Two codes lie under the same name if they begin alike; a code that is too short is alone."""
    tree = trees.by_prefix(values, 3, 1, digits=1)
    for length, names in zip((3, 1), levels_of(tree), strict=True):
        for one, its in zip(tree.values, names, strict=True):
            for other, theirs in zip(tree.values, names, strict=True):
                alike = one == other or (one[:length] == other[:length] and min(len(one), len(other)) >= length)
                assert (its == theirs) == alike


@given(values=st.sets(st.integers(1, 99999), min_size=1, max_size=20))
def test_zeros_that_were_lost_come_back(values: set[int]) -> None:
    tree = trees.by_prefix(list(values), 3, 2, digits=5)
    assert {path[0]: path[1:3] for path in tree.paths} == {
        f"{value}": (f"{value:05}"[:3] + "**", f"{value:05}"[:2] + "***") for value in values
    }


@given(
    values=st.lists(st.none() | st.integers(0, 50), min_size=1, max_size=20),
    apart=st.lists(st.sampled_from(["unknown", "?", "3"]), max_size=3),
)
def test_what_stands_apart_lies_under_the_root_alone(values: list[int | None], apart: list[str]) -> None:
    texts = [None if value is None else str(value) for value in values] + apart + ["51"]
    tree = trees.by_width(texts, 5, 10, apart=apart)
    rows: Rows = list(tree.paths)
    for row in rows:
        alone = row[0] in apart
        assert (len(set(row[:-1])) == 1) == alone
        assert not alone or tree.ranges[row[0]] == (tree.places[row[0]],) * 2
    assert {row[0] for row in rows} == {text for text in texts if text is not None}
    assert Hierarchy.of(rows) == tree
    frame = pl.DataFrame({"a": texts})
    assert trees.by_width(frame["a"].cast(pl.Categorical), 5, 10, apart=apart) == tree
