"""What a report says of a release, against a plain count of what is in its file."""

from __future__ import annotations

import csv
import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import median_low
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pellucid
from pellucid.attributes import AttributeSettings
from pellucid.hierarchies import Hierarchy
from pellucid.recodings import labels
from pellucid.report.breadths import Breadths, breadths
from pellucid.report.charts import Columns
from pellucid.report.model import Published
from pellucid.report.pages import number, percent
from pellucid.report.released import published
from pellucid.typed import as_text
from pellucid.utility import evaluate
from tests.contract.publishing import Publisher, frames, people

DISEASES = [f"disease {number:02}" for number in range(30)]


def counts(chart: Columns) -> dict[str, float]:
    return {column.label: column.count for column in chart.columns if column.count}


def facts(release: pellucid.Release) -> Published:
    return published(frames(release), release.policy, release.check)


@pytest.mark.parametrize("recoding", ["text", "bounds", "anatomy"])
@pytest.mark.parametrize("seed", range(3))
def test_groups_and_sensitive_values(recoding: str, seed: int, tmp_path: Path) -> None:
    """Read with Python's csv module, counted with Counter."""
    fill = np.random.default_rng(seed)
    table = people(300, seed=seed).with_columns(disease=pl.Series(fill.choice(DISEASES, 300)))
    release = Publisher("hybrid", recoding)(table, identifier="name", diversity=3)
    with release.write(tmp_path / "out.csv").files[-1].open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in rows:
        groups[tuple(value for name, value in row.items() if name != "disease")].append(row["disease"])
    found = facts(release)

    sizes = Counter(len(values) for values in groups.values())
    assert sum(counts(found.group_sizes).values()) == len(groups)
    if len(found.group_sizes.columns) <= 24 and not found.group_sizes.ranges:
        assert counts(found.group_sizes) == {str(size): count for size, count in sizes.items()}
    diversities = Counter(len(values) // max(Counter(values).values()) for values in groups.values())
    assert counts(found.diversities) == {str(each): count for each, count in diversities.items()}
    assert min(diversities) >= 3

    total = Counter(row["disease"] for row in rows)
    worst = {value: max(Fraction(values.count(value), len(values)) for values in groups.values()) for value in total}
    ranked = sorted(total, key=lambda value: (-total[value], value))
    lines = {bar.label: bar for bar in found.sensitive.bars}
    assert list(lines) == [*ranked[:20], f"{len(ranked) - 20} other values"]
    for value in ranked[:20]:
        within = sum(value in values for values in groups.values()) / len(groups)
        shares = [total[value] / 300, within, float(worst[value])]
        assert lines[value].texts == (number(total[value]), *map(percent, shares))
        assert lines[value].share == total[value] / 300
    assert sum(bar.share for bar in lines.values()) == pytest.approx(1)
    assert found.sensitive.mark == pytest.approx(1 / 3)


@pytest.mark.parametrize("recoding", ["text", "bounds", "anatomy"])
def test_the_sample_is_of_whole_groups_of_the_release(recoding: str) -> None:
    release = Publisher("tailor", recoding)(people(200), identifier="name")
    found = facts(release)
    for sample, table in zip(found.sample, frames(release), strict=True):
        texts = Counter(zip(*(as_text(column).to_list() for column in table), strict=True))
        assert list(sample.columns) == table.columns
        assert 1 <= len(sample.blocks) <= 3
        for block in sample.blocks:
            assert not Counter(block) - texts
            assert (
                len({row[:-1] if recoding != "anatomy" else row[sample.columns.index("group_id")] for row in block})
                == 1
            )


FIRST = dt.date(2020, 3, 1)
MAKE: dict[str, Callable[[int], Any]] = {
    "whole": int,
    "real": lambda number: number / 4,
    "dates": lambda number: FIRST + dt.timedelta(number),
    "durations": lambda number: dt.timedelta(hours=6 * number),
    "moments": lambda number: dt.datetime(2020, 10, 24, 21, tzinfo=dt.UTC) + dt.timedelta(hours=6 * number),
    "times": lambda number: (dt.datetime(2020, 1, 1, 12) + dt.timedelta(minutes=6 * number)).time(),
}
SCALE = {"real": 4, "durations": 4, "moments": 4, "times": 10}
UNITS = {"dates": "days", "durations": "days", "moments": "days", "times": "hours"}


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("bounds", [False, True], ids=["text", "bounds"])
@given(intervals=st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 40)), min_size=1, max_size=30))
def test_widths_of_intervals(kind: str, bounds: bool, intervals: list[tuple[int, int]]) -> None:
    ends = sorted({end for low, width in intervals for end in (low, low + width)})
    values = pl.Series("x", [MAKE[kind](end) for end in ends])
    if kind == "moments":
        values = values.dt.convert_time_zone("Europe/Berlin")  # the clock is put back within these days
    low, high = (pl.Series([ends.index(low + far * width) for low, width in intervals]) for far in (0, 1))
    columns = [values.gather(low), values.gather(high)] if bounds else [labels.intervals(values, low, high)]
    found = breadths("x", columns, AttributeSettings())
    widths = [width / SCALE.get(kind, 1) for _, width in intervals]
    assert found.kind == "interval"
    assert found.exact == pytest.approx(widths.count(0) / len(widths))
    assert found.mean == pytest.approx(sum(widths) / len(widths))
    assert found.median == pytest.approx(median_low(widths))
    assert found.extent == pytest.approx((ends[-1] - ends[0]) / SCALE.get(kind, 1))
    assert found.unit == UNITS.get(kind, "")


TEXTS = st.text(alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=4) | st.none()


@given(st.lists(st.sets(TEXTS, min_size=1, max_size=4), min_size=1, max_size=12))
def test_sizes_of_sets(sets: list[set[str | None]]) -> None:
    """Whatever the values are called: brackets, commas, quotes, the word null."""
    distinct = pl.Series(
        "x",
        sorted({text for each in sets for text in each}, key=lambda text: (text is not None, text or "")),
        dtype=pl.String,
    )
    codes = [sorted(distinct.to_list().index(text) for text in each) for each in sets]
    group = pl.Series([number for number, each in enumerate(codes) for _ in each])
    released = labels.sets(distinct, group, pl.Series([code for each in codes for code in each]))
    found = breadths("x", [released], AttributeSettings())
    sizes = [len(each) for each in sets]
    assert found.exact == pytest.approx(sizes.count(1) / len(sizes))
    if found.kind == "set":
        assert found.mean == pytest.approx(sum(sizes) / len(sizes))
        assert found.median == median_low(sizes)
        assert found.extent == len(distinct)
    else:
        assert max(sizes) == 1


@given(st.permutations(["none", "school", "[a, b]", "x, y", "null"]), st.data())
def test_widths_of_an_order_of_the_policy(order: list[str], data: st.DataObject) -> None:
    distinct = pl.Series("x", order)
    pairs = data.draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).map(sorted), min_size=1, max_size=9))
    low, high = (pl.Series([pair[end] for pair in pairs]) for end in (0, 1))
    found = breadths("x", [labels.intervals(distinct, low, high)], AttributeSettings(order=tuple(order)))
    assert found.unit == "steps"
    assert found.mean == pytest.approx(sum(high - low for low, high in pairs) / len(pairs))


def test_an_ancestor_is_as_wide_as_all_values_under_it() -> None:
    """A node's name is no value, though it stands alone."""
    tree = Hierarchy.of(
        [("Ulm", "south", "*"), ("Augsburg", "south", "*"), ("Kiel", "north", "*"), ("Bonn", "west", "*")]
    )
    released = pl.Series(["south", "Ulm", "*", None, "north", "south"])
    found = breadths("x", [released], AttributeSettings(hierarchy=tree))
    assert found.kind == "set"
    assert sorted(zip(found.widths.tolist(), found.rows.tolist(), strict=True)) == [
        (1, 1),
        (1, 1),
        (1, 1),
        (2, 2),
        (4, 1),
    ]
    assert (found.exact, found.extent) == (0.5, 4.0)
    ranges = breadths("x", [pl.Series(["[Ulm, Kiel]", "Bonn"])], AttributeSettings(hierarchy=tree, style="range"))
    assert (ranges.kind, ranges.mean, ranges.extent, ranges.low, ranges.high) == ("interval", 1.0, 3.0, "Ulm", "Bonn")
    sets = breadths("x", [pl.Series(["{Ulm, Kiel}", "Bonn"])], AttributeSettings(hierarchy=tree, style="set"))
    assert (sets.kind, sets.mean, sets.extent) == ("set", 1.5, 3.0)


def test_a_missing_value_has_no_width() -> None:
    found = breadths("x", [pl.Series(["[null, 9]", "[3, 9]", None, "5"])], AttributeSettings())
    assert sorted(found.widths.tolist(), key=str) == [0.0, 0.0, 6.0, pytest.approx(math.nan, nan_ok=True)]
    assert (found.exact, found.mean, found.low, found.high) == (0.5, 2.0, "3", "9")


@pytest.mark.parametrize("texts", [["PT1.2.3S", "PT1.5S"], ["P", "-P"]])
def test_texts_that_are_nearly_durations(texts: list[str]) -> None:
    assert breadths("q", [pl.Series("q", texts)], AttributeSettings()).kind == "set"


def test_nothing_is_known_of_missing_values_alone() -> None:
    found: Breadths = breadths("x", [pl.Series([None, None], dtype=pl.String)], AttributeSettings())
    assert (found.exact, found.mean, found.median) == (1.0, 0.0, 0.0) if found.kind == "interval" else (1.0, 1.0, 1.0)


@pytest.mark.parametrize("recoding", ["text", "bounds", "anatomy"])
def test_errors_of_queries_are_those_of_evaluate(recoding: str, tmp_path: Path) -> None:
    table = people(400)
    release = Publisher("weave", recoding)(table, identifier="name")
    written = release.write(tmp_path / "out.csv", report=tmp_path / "report.html")
    found = evaluate(table, tmp_path / "out.csv", quasi_identifiers=["age", "place"], sensitive="disease")
    page = written.reports[1].read_text(encoding="utf-8")
    for name, figure in found.errors.as_dict().items():
        if name != "queries":
            assert f"<dd>{percent(figure)}</dd>" in page
    assert f"{found.errors.as_dict()['queries']:,} random questions" in page
