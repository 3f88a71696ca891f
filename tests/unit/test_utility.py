"""The small parts of `utility`: labels of other programs, queries of a file, workloads, measures."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy, f_oneway

from pellucid import _native
from pellucid.draws import SystemDraws
from pellucid.errors import CheckFailedError, PolicyError, SourceError
from pellucid.microdata import encode
from pellucid.partition import Partition
from pellucid.policy import Policy
from pellucid.utility.comparison import compare, is_transparent
from pellucid.utility.domains import Categories, Domain, Line, domains_of
from pellucid.utility.evaluation import Scales, Source, evaluate
from pellucid.utility.measured import Failed, measured
from pellucid.utility.metrics import (
    _in_values,
    correlation_ratio,
    correlation_ratios,
    discernibility,
    global_certainty_penalty,
    kl_divergence,
    perimeter,
    widths,
)
from pellucid.utility.queries import Among, Between, point_estimates, relative_errors, workload
from pellucid.utility.query_file import read_queries
from pellucid.utility.reading import read_release
from pellucid.utility.released import Intervals, Sets, grouped, of_partition
from tests.property.test_queries import Case, cases


def table(**columns: Any) -> Source:
    """A table with these columns; the last one is sensitive."""
    *qi, sensitive = columns
    return Source.read(pl.DataFrame(columns), quasi_identifiers=qi, sensitive=sensitive)


def said(source: Source, **labels: str | None) -> list[tuple[float, ...]]:
    """What a release with these labels in its only row says about the attributes: ends, or codes."""
    row = {domain.name: labels.get(domain.name, "*") for domain in source.domains}
    release = pl.DataFrame({**row, source.sensitive.name: [source.sensitive.texts[0]]})
    found = read_release(release, source.domains, source.sensitive)
    return [
        (float(side.low[0]), float(side.high[0])) if isinstance(side, Intervals) else tuple(map(float, side.members))
        for side in found.sides
    ]


@pytest.mark.parametrize(
    ("label", "ends"),
    [
        ("13050", (50, 50)),
        ("[13020, 13029]", (20, 29)),
        ("[13020, 13030)", (20, 29)),
        ("[13020, 13030[", (20, 29)),
        ("(13019; 13030)", (20, 29)),
        ("13020-13029", (20, 29)),
        ("13020..13029", (20, 29)),
        ("13020 - 13029", (20, 29)),
        ("1302*", (20, 29)),
        ("13020~13029", (20, 29)),
        ("(13019.999, 13029.0]", (20, 29)),
        ("[13019.5, 13029.5]", (20, 29)),
        ("[13020;13029]", (20, 29)),
        ("(13019, inf]", (20, 99)),
        ("[-Inf, 13030)", (0, 29)),
        ("<13030", (0, 29)),
        ("<= 13029", (0, 29)),
        ("≤13029", (0, 29)),
        (">13019", (20, 99)),
        (">=13020", (20, 99)),
        ("13020+", (20, 99)),
        ("*", (0, 99)),
        ("*****", (0, 99)),
        ("NA", (0, 99)),
        (None, (0, 99)),
        ("[12990, 13009]", (0, 9)),
    ],
)
def test_labels_of_numbers(label: str | None, ends: tuple[float, float]) -> None:
    assert said(table(zipcode=[13000, 13050, 13099], ill=["a", "b", "c"]), zipcode=label) == [ends]


def test_half_open_intervals_of_real_numbers_end_where_they_say() -> None:
    assert said(table(weight=[0.5, 1.25, 4.0], ill=["a", "b", "c"]), weight="[1, 2)") == [(50, 150)]


def test_dates_and_times() -> None:
    days = [dt.date(2020, 2, 27), dt.date(2020, 3, 2)]
    hours = [dt.datetime(2020, 1, 1, 6), dt.datetime(2020, 1, 1, 18)]
    source = table(day=days, hour=hours, ill=["a", "b"])
    labels = {"day": "[2020-02-28, 2020-03-01]", "hour": "[2020-01-01 06:00:00, 2020-01-01 12:00:00]"}
    assert said(source, **labels) == [(1, 3), (0, 6 * 3600 * 10**6)]  # 2020 is a leap year


@pytest.mark.parametrize(
    ("label", "codes"),
    [
        ("Oslo", (1,)),
        ("{Bergen, Oslo}", (0, 1)),
        ("{Bergen,Oslo}", (0, 1)),
        ("Bergen, Oslo", (0, 1)),
        ("(Oslo, Bergen)", (0, 1)),
        ("Bergen|Voss", (0, 2)),
        ("Voss;Oslo", (1, 2)),
        ("Oslo~Voss", (1, 2)),
        ("*", (0, 1, 2)),
        (None, (0, 1, 2)),
        ("O*lo", (1,)),
    ],
)
def test_labels_of_categories(label: str | None, codes: tuple[int, ...]) -> None:
    assert said(table(town=["Bergen", "Oslo", "Voss"], ill=["a", "b", "c"]), town=label) == [codes]


@pytest.mark.parametrize(
    "label", ["[13020, 13010]", "{13000, 13050}", "young", "13020-", "[13020", "[13100, 13200]", ">13050", "12999"]
)
def test_labels_that_mean_nothing(label: str) -> None:
    source = table(zipcode=[13000, 13050], ill=["a", "b"])
    release = pl.DataFrame({"zipcode": [label], "ill": ["a"]})
    with pytest.raises(CheckFailedError, match=r"In the release, .* in 'zipcode' cannot be read"):
        read_release(release, source.domains, source.sensitive)


@pytest.mark.parametrize("label", ["Rome", "Oslo, Rome", "[Bergen, Oslo]", "", "{Oslo"])
def test_categories_that_nobody_has(label: str) -> None:
    source = table(town=["Bergen", "Oslo", "Voss"], ill=["a", "b", "c"])
    with pytest.raises(CheckFailedError, match=r"in 'town' cannot be read"):
        read_release(pl.DataFrame({"town": [label], "ill": ["a"]}), source.domains, source.sensitive)


def test_rows_that_say_nothing_are_suppressed() -> None:
    """A row with a sensitive value says something, and so does one without it."""
    source = table(age=[20, 29, 40], town=["Bergen", "Oslo", "Voss"], ill=["a", "b", "c"])
    release = pl.DataFrame(
        {"age": ["20", "*", "NA", None], "town": ["Oslo", "*", "*", None], "ill": ["a", "*", "b", None]}
    )
    found = read_release(release, source.domains, source.sensitive)
    assert found.rows == 2
    assert sorted(found.values.tolist()) == [0, 1]
    half = pl.DataFrame({"age": ["20"], "town": ["*"], "ill": ["*"]})
    with pytest.raises(CheckFailedError, match=r"'\*' in 'ill', which is not one of the values"):
        read_release(half, source.domains, source.sensitive)
    with pytest.raises(SourceError, match="suppressed"):
        read_release(release[1:2], source.domains, source.sensitive)


def test_labels_that_mean_the_same_are_one_side() -> None:
    source = table(age=[20, 29, 40], ill=["a", "b", "c"])
    release = pl.DataFrame({"age": ["[20, 29]", "20-29", "2*", "40"], "ill": ["a", "b", "c", "a"]})
    found = read_release(release, source.domains, source.sensitive)
    assert found.sizes.tolist() == [3, 1] or found.sizes.tolist() == [1, 3]


def test_bounds_must_be_in_order() -> None:
    source = table(age=[20, 29], ill=["a", "b"])
    release = pl.DataFrame({"age_min": [29], "age_max": [20], "ill": ["a"]})
    with pytest.raises(CheckFailedError, match="'age_min' is above 'age_max'"):
        read_release(release, source.domains, source.sensitive)


def test_bounds_in_which_nobody_is() -> None:
    source = table(age=[20, 29], ill=["a", "b"])
    release = pl.DataFrame({"age_min": [10, 30], "age_max": [20, 31], "ill": ["a", "b"]})
    with pytest.raises(CheckFailedError, match=r"'\[30, 31\]' in 'age' .* values go from 20 to 29"):
        read_release(release, source.domains, source.sensitive)
    [side] = read_release(release[:1], source.domains, source.sensitive).sides
    assert isinstance(side, Intervals)
    assert (side.low.tolist(), side.high.tolist()) == ([0], [0])


def test_tables_of_an_anatomy_must_belong_together() -> None:
    source = table(age=[20, 29, 40], ill=["a", "b", "c"])
    qi = pl.DataFrame({"age": [20, 29, 40], "group_id": [1, 1, 2]})
    sensitive = pl.DataFrame({"group_id": [1, 2, 2], "ill": ["a", "b", "c"]})
    with pytest.raises(CheckFailedError, match="do not belong together"):
        read_release((qi, sensitive), source.domains, source.sensitive)
    with pytest.raises(PolicyError, match="not 3"):
        read_release((qi, qi, sensitive), source.domains, source.sensitive)
    with pytest.raises(SourceError, match="no column named 'age'"):
        read_release((sensitive, sensitive), source.domains, source.sensitive)


def test_missing_values_are_a_value_before_all_others() -> None:
    source = Source.read(
        pl.DataFrame({"age": [None, 20, 22], "town": [None, "Oslo", "Voss"], "ill": ["a", "b", None]}),
        quasi_identifiers=["age", "town"],
        sensitive="ill",
    )
    age, town = source.domains
    assert isinstance(age, Line)
    assert (age.low, age.high, age.size) == (0, 3, 4)
    assert said(source, age="[null, 20]", town="{null, Voss}") == [(0, 1), (0, 2)]
    assert isinstance(town, Categories)
    assert town.texts == (None, "Oslo", "Voss")


def test_floats_that_are_all_whole_are_counted() -> None:
    """As pandas holds whole numbers where some are missing."""
    [whole] = table(age=[20.0, 22.0], ill=["a", "b"]).domains
    [real] = table(age=[20.0, 22.5], ill=["a", "b"]).domains
    assert isinstance(whole, Line)
    assert isinstance(real, Line)
    assert (whole.unit, whole.size) == (1, 3)
    assert (real.unit, real.size) == (0, 25)  # in steps of 0.1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.json", '{"height": 3}', "asks for 'height'"),
        ("q.json", '{"age": 3', "line 1 is not valid JSON"),
        ("q.json", "[3]", "a query names columns"),
        ("q.json", "\n\n", "holds no query"),
        ("q.json", '{"age": [3, 4]}', "this column has an order"),
        ("q.json", '{"age": {"from": 4, "to": 3}}', "ends before it begins"),
        ("q.json", '{"age": {"above": 4}}', "an interval has"),
        ("q.json", '{"age": {}}', "an interval has"),
        ("q.json", '{"age": "old"}', "'old' is no number"),
        ("q.json", '{"age": {"from": [4]}}', "is no single value"),
        ("q.json", '{"town": {"from": "Oslo"}}', "this column has no order"),
        ("q.json", '{"town": "Rome"}', "nobody in the source has 'Rome'"),
        ("q.toml", "query = 3", "must hold tables"),
        ("q.toml", "[[queries]]\nage = 3", "must hold tables"),
        ("q.toml", "[[query]\n", "is not valid TOML"),
    ],
)
def test_files_of_queries_that_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    source = table(age=[20, 29], town=["Oslo", "Voss"], ill=["a", "b"])
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(PolicyError, match=message):
        read_queries(file, [*source.domains, source.sensitive])


def test_file_of_queries_in_toml(tmp_path: Path) -> None:
    source = table(day=[dt.date(2020, 1, 1), dt.date(2020, 1, 9)], town=["Oslo", "Voss"], ill=["a", "b"])
    file = tmp_path / "q.toml"
    file.write_text('[[query]]\nday = { from = 2020-01-03 }\ntown = ["Voss"]\n[[query]]\nday = 2020-01-09\nill = "b"\n')
    assert read_queries(file, [*source.domains, source.sensitive]) == [
        {"day": Between(2, math.inf), "town": Among(frozenset({1}))},
        {"day": Between(8, 8), "ill": Among(frozenset({1}))},
    ]
    marked = "\ufeff" + file.read_text()
    file.write_text(marked, encoding="utf-8")
    assert len(read_queries(file, [*source.domains, source.sensitive])) == 2
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(SourceError, match="not UTF-8"):
        read_queries(file, source.domains)


def test_workload_is_that_of_the_paper() -> None:
    """qd attributes, the sensitive one among them, and s^(1/qd) of each domain, anywhere in it."""
    paper: dict[str, Any] = {"age": range(79), "birthplace": [*range(57), *range(22)], "occupation": [*range(50)] * 2}
    source = table(**{name: list(values)[:79] for name, values in paper.items()})
    asked = workload(source.domains, source.sensitive, queries=2000, dimensionality=2, selectivity=0.06, seed=5)
    assert {len(query) for query in asked} == {2}
    assert all("occupation" in query for query in asked)
    # 0.06^(1/2) of 79, 57 and 50 values are 19.4, 14.0 and 12.2 of them.
    for name, values, size in (("age", 19, 79), ("birthplace", 14, 57), ("occupation", 12, 50)):
        found = [predicate for query in asked if isinstance(predicate := query.get(name), Between)]
        assert {predicate.high - predicate.low + 1 for predicate in found} == {values}
        starts = {predicate.low for predicate in found}
        assert starts == set(range(size - values + 1))
    assert 850 < sum("age" in query for query in asked) < 1150  # p of a failure: below 1e-10
    assert asked == workload(source.domains, source.sensitive, queries=2000, dimensionality=2, selectivity=0.06, seed=5)
    assert asked != workload(source.domains, source.sensitive, queries=2000, dimensionality=2, selectivity=0.06, seed=6)


def test_workload_on_other_domains() -> None:
    source = table(sex=["f", "m"] * 8, weight=[*map(float, range(15)), 15.5], ill=[*"abcdefghijklmnop"])
    for query in workload(source.domains, source.sensitive, queries=200, dimensionality=3, selectivity=0.125):
        sex, weight, ill = query["sex"], query["weight"], query["ill"]
        assert isinstance(sex, Among)
        assert len(sex.codes) == 1  # half of 2
        assert isinstance(ill, Among)
        assert len(ill.codes) == 8
        assert isinstance(weight, Between)
        assert weight.high - weight.low == pytest.approx(155 / 2)
        assert 0 <= weight.low <= weight.high <= 155


def test_workload_asks_for_at_least_one_value() -> None:
    source = table(sex=["f", "m"], age=[1, 2], ill=["a", "b"])
    for query in workload(source.domains, source.sensitive, queries=20, dimensionality=2, selectivity=0.001):
        assert all(len(p.codes) == 1 if isinstance(p, Among) else p.low == p.high for p in query.values())


@pytest.mark.parametrize("values", [[-(2**63), 2**63 - 1], [0, 2**64 - 1], [0, 2**63]])
def test_workload_on_the_widest_domains(values: list[int]) -> None:
    """Of more values than 64 bits with a sign can count; and of as many as they just can."""
    wide = pl.Series(values, dtype=pl.Int64 if values[0] < 0 else pl.UInt64)
    for name, other in (("wide", "ill"), ("ill", "wide")):
        source = table(**{name: wide, other: pl.Series(["a", "b"])})
        size = 2.0**64 if values[1] != 2**63 else 2.0**63
        lows = []
        for query in workload(source.domains, source.sensitive, queries=200, dimensionality=2, selectivity=0.25):
            asked = query[name]
            assert isinstance(asked, Between)
            assert asked.high - asked.low == pytest.approx(size / 2)
            assert 0 <= asked.low <= asked.high <= size
            lows.append(asked.low / size)
        assert min(lows) < 0.1
        assert max(lows) > 0.4


def test_one_algorithm_is_one_name() -> None:
    frame = pl.DataFrame({"age": [*range(8)], "ill": ["a", "b"] * 4})
    found = compare(frame, quasi_identifiers=["age"], sensitive="ill", diversity=2, algorithms="tailor", queries=5)
    assert [candidate.algorithm for candidate in found.candidates] == ["tailor"]


def test_threads_are_judged_before_anything_is_read() -> None:
    with pytest.raises(PolicyError, match="threads must be a whole number of at least 1, not 0"):
        evaluate("nowhere.csv", "nowhere.csv", quasi_identifiers=["age"], sensitive="ill", threads=0)
    with pytest.raises(PolicyError, match="threads must be a whole number of at least 1, not 0"):
        compare("nowhere.csv", quasi_identifiers=["age"], sensitive="ill", diversity=2, threads=0)


def test_a_count_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel is watched as the algorithms are: Ctrl-C ends it."""

    def cancelled(work: Any, tell: Any) -> Any:
        run = _native.Run()
        run.cancel()
        return work(run)

    source = table(age=[1, 2], ill=["a", "b"])
    asked = workload(source.domains, source.sensitive, queries=20)
    with pytest.raises(PolicyError, match="threads must be a whole number of at least 1, not -2"):
        Scales.calibrated(source, asked, threads=-2)
    monkeypatch.setattr("pellucid.utility.queries.watched", cancelled)
    with pytest.raises(_native.Cancelled):
        Scales.calibrated(source, asked)


def test_not_a_number_is_a_missing_value_in_a_release_too() -> None:
    frame = pl.DataFrame({"age": [1.0, math.nan, 1.0, math.nan], "ill": [2.0, 3.0, math.nan, 3.0]})
    found = evaluate(frame, frame, quasi_identifiers=["age"], sensitive="ill", queries=20)
    assert (found.errors.workload, found.groups) == (0, 2)


def test_errors_of_rare_answers() -> None:
    """They are measured against half a per cent of the table: 5 of 1,000 rows."""
    actual, estimated = np.array([0.0, 4.0, 6.0]), np.array([1.0, 6.0, 3.0])
    assert relative_errors(actual, estimated, 1000).tolist() == [1 / 5, 2 / 5, 3 / 6]


def test_items_of_a_group_share_its_rows() -> None:
    """An anatomy of steps: three people are in one of two steps of 1 and 3 ages, one is alone in a step of 2."""
    source = table(age=[20, 22, 25, 29], ill=["a", "b", "a", "b"])
    released = grouped(
        source.domains,
        source.sensitive,
        sides=[Intervals(np.array([0.0, 1.0, 5.0]), np.array([0.0, 3.0, 6.0]))],
        cells=[np.array([0, 1, 2], dtype=np.uint32)],
        groups=np.array([0, 0, 1]),
        owners=np.array([0, 0, 0, 1]),
        values=np.array([0, 1, 0, 1]),
    )
    [age] = widths(released)
    assert (age.exact, age.mean) == (1.5 / 4, (1.5 * 1 + 1.5 * 3 + 1 * 2) / 4)
    assert perimeter(released) == pytest.approx((1.5 * 2 + 1 * 1) / 9)


def test_widths_are_in_the_units_of_the_column() -> None:
    """Not in the steps of the line that the kernels cut: of 0.25 kg, of microseconds or nanoseconds."""
    columns: dict[str, Any] = {
        "weight": [0.25 * number for number in range(5)],
        "third": [number / 3 for number in range(5)],
        "price": pl.Series([f"{number}.25" for number in range(5)]).cast(pl.Decimal(9, 2)),
        "moment": [dt.datetime(2020, 1, 1, hour) for hour in range(5)],
        "clock": [dt.time(hour) for hour in range(5)],
        "day": [dt.date(2020, 1, 1 + number) for number in range(5)],
        "ill": ["a", "b", "a", "b", "a"],
    }
    source = table(**columns)
    hidden = pl.DataFrame({name: ["*"] * 5 for name in columns} | {"ill": columns["ill"]})
    found = widths(read_release(hidden, source.domains, source.sensitive))
    lengths = [1, 4 / 3, 4, 4 * 3600, 4 * 3600, 5]
    for each, length in zip(found, lengths, strict=True):
        assert [each.mean, each.median, each.domain] == pytest.approx([length] * 3), each.name


def test_measures_of_sets() -> None:
    """Bergen and Voss are 2 of 3 values, and the ends of their order; a set of one loses nothing."""
    source = table(town=["Bergen", "Oslo", "Voss", "Oslo"], ill=["a", "b", "c", "a"])
    release = pl.DataFrame({"town": ["{Bergen, Voss}", "{Bergen, Voss}", "Oslo", "Oslo"], "ill": ["a", "c", "b", "a"]})
    found = read_release(release, source.domains, source.sensitive)
    assert isinstance(found.sides[0], Sets)
    assert global_certainty_penalty(found) == pytest.approx(2 * 2 / 3 / 4)
    assert perimeter(found) == 2
    assert discernibility(found, 4) == 8
    [town] = widths(found)
    assert (town.exact, town.mean, town.median, town.domain) == (0.5, 1.5, 1, 3)


def test_ancestors_cost_their_share_of_all_values() -> None:
    """Three of ten places occur. A country has 2 of 10 values, Asia 4; no box reaches beyond the source in Eq. 4."""
    places = ["Wien", "Graz", "Rom", "Bari", "Oslo", "Voss", "Goa", "Agra", "Kobe", "Nara"]
    countries = ["Austria", "Italy", "Norway", "India", "Japan"]
    paths = [
        (place, countries[number // 2], "Europe" if number < 6 else "Asia", "*") for number, place in enumerate(places)
    ]
    frame = pl.DataFrame({"place": ["Wien", "Rom", "Goa", "Goa"], "ill": ["a", "b", "a", "b"]})
    source = Source.read(
        frame, quasi_identifiers=["place"], sensitive="ill", hierarchies={"place": paths}, styles={"place": "ancestor"}
    )
    for label, certainty, side in (("*", 1, 1), ("Asia", 0.4, 0), ("Austria", 0.2, 1 / 6), ("Goa", 0, 0)):
        found = read_release(frame.with_columns(place=pl.lit(label)), source.domains, source.sensitive)
        assert global_certainty_penalty(found) == pytest.approx(certainty)
        assert perimeter(found) == pytest.approx(4 * side)


def test_orders_that_the_policy_lists_are_the_whole_domain() -> None:
    frame = pl.DataFrame({"grade": ["c", "d", "e"], "ill": ["x", "y", "z"]})
    source = Source.read(frame, quasi_identifiers=["grade"], sensitive="ill", orders={"grade": [*"abcdefghijk"]})
    for label, certainty, side in (("*", 1, 1), ("[a, c]", 0.2, 0), ("[c, e]", 0.2, 1), ("[d, k]", 0.7, 0.5)):
        found = read_release(frame.with_columns(grade=pl.lit(label)), source.domains, source.sensitive)
        assert global_certainty_penalty(found) == pytest.approx(certainty)
        assert perimeter(found) == pytest.approx(3 * side)


def test_domains_of_one_value_cost_nothing() -> None:
    source = table(sex=["f", "f"], age=[3, 3], ill=["a", "b"])
    release = pl.DataFrame({"sex": ["f", "f"], "age": [3, 3], "ill": ["a", "b"]})
    found = read_release(release, source.domains, source.sensitive)
    assert (perimeter(found), global_certainty_penalty(found)) == (0, 0)
    assert correlation_ratios(source.microdata, source.domains) == {"age": 0}


@settings(max_examples=60)
@given(case=cases(dense=True), anatomy=st.booleans())
def test_divergence_is_that_of_scipy(case: Case, anatomy: bool) -> None:
    """Over all tuples of the domain, p and p* are distributions; scipy adds up the divergence."""
    domains, sensitive = case.domains
    released = of_partition(case.microdata, case.partition, domains, sensitive, "anatomy" if anatomy else "mbr")
    columns = [*case.microdata.attributes, case.microdata.sensitive]
    grid = np.indices([len(column.values) for column in columns]).reshape(len(columns), -1)
    present = Counter(zip(*(column.codes.tolist() for column in columns), strict=True))
    p = np.array([present[tuple(point)] for point in grid.T.tolist()]) / len(case.rows)
    counted = point_estimates(_in_values(released), list(grid))
    assert counted.sum() == pytest.approx(len(case.rows))
    found = kl_divergence(released, case.microdata)
    assert found.value == pytest.approx(entropy(p, counted), abs=1e-12)
    assert found.standard_error == 0


def test_divergence_of_a_sample_is_near() -> None:
    random = np.random.default_rng(3)
    source = table(
        age=random.integers(0, 40, 3000), zipcode=random.integers(0, 40, 3000), ill=random.integers(0, 9, 3000)
    )
    halves = Partition(np.arange(3000, dtype=np.uint32), np.arange(0, 3001, 100, dtype=np.int64))
    released = of_partition(source.microdata, halves, source.domains, source.sensitive)
    exact = kl_divergence(released, source.microdata)
    sample = kl_divergence(released, source.microdata, most=500)
    assert exact.standard_error == 0 < sample.standard_error
    assert abs(exact.value - sample.value) < 5 * sample.standard_error


@given(
    groups=st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=9), min_size=2, max_size=5).filter(
        lambda groups: any(len(set(group)) > 1 for group in groups)
    )
)
def test_correlation_ratio_is_that_of_an_analysis_of_variance(groups: list[list[int]]) -> None:
    """F = (eta^2 / (k - 1)) / ((1 - eta^2) / (n - k))."""
    values = [value for group in groups for value in group]
    categories = np.array([number for number, group in enumerate(groups) for _ in group])
    between, within = len(groups) - 1, len(values) - len(groups)
    ratio = max(0, f_oneway(*groups).statistic) * between / within  # it rounds to just below 0
    assert correlation_ratio(values, categories) == pytest.approx(math.sqrt(ratio / (1 + ratio)), abs=1e-7)


def test_correlation_ratio_by_hand() -> None:
    """Means 1 and 5 of two pairs around 3: 16 of 20 are between them."""
    assert correlation_ratio([0, 2, 4, 6], np.array([0, 0, 1, 1])) == pytest.approx(math.sqrt(16 / 20))


def test_a_run_that_fails_is_told() -> None:
    source = table(age=[20, 29], ill=["a", "a"])
    refused = measured("hybrid", source.microdata, diversity=2)
    assert isinstance(refused, Failed)
    assert refused.why.startswith("Nothing is released")
    broken = measured("no such algorithm", source.microdata, diversity=2)
    assert isinstance(broken, Failed)
    assert "status 1" in broken.why
    assert "KeyError" in broken.why


def test_transparent_algorithms() -> None:
    assert all(map(is_transparent, ("hybrid", "tailor", "ace")))


def test_an_evaluation_does_not_depend_on_the_order_of_rows() -> None:
    random = np.random.default_rng(8)
    frame = pl.DataFrame({"age": random.integers(0, 30, 200), "ill": random.integers(0, 5, 200)})
    release = pl.DataFrame({"age": ["[0, 29]"] * 200, "ill": frame["ill"]})
    roles: dict[str, Any] = {"quasi_identifiers": ["age"], "sensitive": "ill", "queries": 30}
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)
    assert evaluate(frame, release, **roles).as_dict() == evaluate(shuffled, release.reverse(), **roles).as_dict()


def test_domains_follow_the_policy() -> None:
    frame = pl.DataFrame({"grade": ["a", "c"], "ill": ["x", "y"]})
    orders = {"grade": ("c", "b", "a")}
    policy = Policy(quasi_identifiers=("grade",), sensitive="ill", diversity=1, orders=orders)
    microdata = encode(frame, policy, SystemDraws(), untyped=False)
    found: tuple[tuple[Domain, ...], Domain] = domains_of(microdata, {"grade": policy.of_column("grade")})
    [grade] = found[0]
    assert isinstance(grade, Line)
    assert (grade.size, grade.position("b"), grade.positions.tolist()) == (3, 1, [0, 2])
    with pytest.raises(ValueError, match="is not one of its values"):
        grade.position("d")
