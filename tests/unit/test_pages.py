"""Pages and plots, whatever they say."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.report import pages
from pellucid.report.charts import Bar, Bars, Columns, histogram
from pellucid.report.model import Cell, Sample

HOSTILE = "<script>alert(1)</script> \"'><img src=x onerror=alert(2)> javascript:alert(3) {{ 7 * 7 }} &amp;"
CELL = st.sampled_from(["x", "y", None])
COUNTED = st.dictionaries(st.integers(1, 10**7), st.integers(1, 10**6), min_size=1, max_size=60)


def charts(source: str, **model: object) -> str:
    """What a piece of a template makes of a model."""
    template = '{% import "charts.html" as charts %}' + source
    return pages._environment().from_string(template).render(model)


class Parts(HTMLParser):
    """The elements, and the text, of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_what_is_in_a_chart_is_text() -> None:
    bars = charts("{{ charts.bars(chart) }}", chart=Bars((HOSTILE, "share", HOSTILE), (Bar(HOSTILE, 0.5, (HOSTILE,)),)))
    columns = charts(
        "{{ charts.columns(chart, title) }}",
        chart=histogram([(4, 7)], across=HOSTILE, upwards=HOSTILE),
        title=HOSTILE,
    )
    for made in (bars, columns):
        parts = Parts(made)
        assert {"script", "img"}.isdisjoint(tag for tag, _ in parts.elements)
        assert not any(name.startswith("on") for _, attributes in parts.elements for name in attributes)
        assert HOSTILE in parts.text


def test_the_policy_of_a_page_knows_its_style() -> None:
    """Any other style, every script and every request is refused by the browser."""
    made = pages.page("base.html")
    style = re.search(r"<style>(.*?)</style>", made, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'" in made
    assert "style=" not in made.replace(style[1], "")
    assert "url(" not in style[1]
    assert "@import" not in style[1]


@pytest.mark.parametrize(
    ("value", "text"), [(1234567, "1,234,567"), (1234.5, "1,234"), (0.125, "0.125"), (-3, "-3"), (1e300, "1e+300")]
)
def test_numbers_are_as_long_as_somebody_reads(value: float, text: str) -> None:
    assert pages.number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.0004, "under 0.1%"), (0.125, "12.5%"), (0.9996, "over 99.9%"), (1, "100%"), (5.244, "524.4%")],
)
def test_nothing_is_all_or_nothing_that_is_not(share: float, text: str) -> None:
    assert pages.percent(share) == text


@given(COUNTED, st.booleans())
def test_a_histogram_counts_everything_once(counted: dict[int, int], whole: bool) -> None:
    chart = histogram(counted.items(), across="x", upwards="y", whole=whole)
    assert sum(column.count for column in chart.columns) == sum(counted.values())
    assert len(chart.columns) <= 26
    assert len({column.label for column in chart.columns}) == len(chart.columns)


@given(COUNTED)
def test_a_column_holds_what_its_label_says(counted: dict[int, int]) -> None:
    for column in histogram(counted.items(), across="x", upwards="y").columns:
        ends = [int(end.replace(",", "")) for end in re.findall(r"[0-9,]+", column.label)]
        low, high = ends[0], 10**9 if "more" in column.label else ends[-1]
        assert column.count == sum(count for value, count in counted.items() if low <= value <= high)


@given(COUNTED)
def test_the_scale_of_a_histogram_reaches_the_highest_column(counted: dict[int, int]) -> None:
    chart = histogram(counted.items(), across="x", upwards="y")
    highest = max(column.count for column in chart.columns)
    assert highest <= chart.top
    assert [tick.at for tick in chart.ticks][:: len(chart.ticks) - 1] == [0.0, 1.0]
    assert len({tick.label for tick in chart.ticks}) == len(chart.ticks)
    assert 1 <= sum(chart.labelled) <= 7


def test_a_histogram_of_nothing() -> None:
    assert histogram([], across="x", upwards="y") == Columns("x", "y", ())
    assert "<rect" not in charts("{{ charts.columns(chart, 'title') }}", chart=histogram([], across="x", upwards="y"))


def test_few_values_far_away_share_a_column() -> None:
    chart = histogram([(4, 900), (5, 95), (5000, 5)], across="x", upwards="y")
    assert [(column.label, column.count) for column in chart.columns] == [("4", 900), ("5", 95), ("6 and more", 5)]


@pytest.mark.parametrize(
    ("value", "text"), [(3, "3"), (1234567.0, "1,234,567"), (0.125, "0.125"), (4.08333, "4.08"), (12345.6, "12,346")]
)
def test_numbers(value: float, text: str) -> None:
    assert pages.number(value) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0%"), (1, "100%"), (0.125, "12.5%"), (0.25, "25%"), (0.0001, "under 0.1%"), (0.1, "10%")]
)
def test_shares(share: float, text: str) -> None:
    assert pages.percent(share) == text


def test_long_cells_are_cut() -> None:
    assert pages.clipped("x" * 120) == "x" * 120
    assert pages.clipped("x" * 121) == "x" * 119 + "…"
    assert pages.clipped(None) == "(missing)"
    assert pages.clipped("null") == "null"


@given(st.lists(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=4), max_size=3))
def test_merged_cells_say_every_row(blocks: list[list[tuple[str | None, str | None, str | None]]]) -> None:
    sample = Sample("", ("a", "b", "c"), tuple(map(tuple, blocks)))
    for block, rows in zip(blocks, sample.merged, strict=True):
        assert len(rows) == len(block)
        assert all(rows), "every row has a cell of its own, or nobody would see how many there are"
        standing: list[Cell | None] = [None] * 3
        left = [0] * 3
        for said, row in zip(rows, block, strict=True):
            cells = iter(said)
            for place in range(3):
                if not left[place]:
                    standing[place] = cell = next(cells)
                    left[place] = cell.rows
                left[place] -= 1
            assert next(cells, None) is None
            assert tuple(cell.text for cell in standing if cell is not None) == row
        assert left == [0, 0, 0]
