"""What a release says about itself: computed from the released tables and the policy, and from nothing else (G8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ..joint import combined
from ..policy import Policy
from ..recodings import GROUP_ID
from ..runs import side_by_side
from ..texts import Coded, coded
from ..typed import as_text
from ..verify import Check, Tally, tally
from .breadths import Breadths, breadths
from .charts import Bar, Bars, histogram
from .model import Attribute, Published, Sample
from .pages import clipped, number, percent

__all__ = ["published", "shown"]

_MOST_VALUES = 20
_MOST_ROWS = 8
_PLACES = (0.25, 0.5, 0.75)


def published(tables: Sequence[pl.DataFrame], policy: Policy, check: Check) -> Published:
    """The facts about a release, given its one table or the two of an anatomy."""
    value = policy.sensitive_value
    table = combined(tables[-1], policy.sensitive_columns)
    groups = [GROUP_ID] if len(tables) == 2 else [name for name in table.columns if name != value]
    columns = side_by_side(lambda name: coded(table[name]), (*groups, value))
    counted = tally(columns)
    texts = _texts(columns[-1], table[value])
    measured = [] if len(tables) == 2 else _measured(table, policy)
    return Published(
        check=check,
        sample=_sample(tables, groups),
        group_sizes=histogram(_counts(counted.sizes), across="rows in a group", upwards="groups"),
        diversities=histogram(
            _counts(counted.sizes // counted.largest),
            across="l: no value has more than 1/l of the group",
            upwards="groups",
        ),
        sensitive=_sensitive(counted, texts, policy),
        attributes=tuple(_attribute(each) for each in measured),
        widths=_widths(measured),
        stepped=tuple(name for name in policy.quasi_identifiers if name in policy.grids),
    )


def _texts(sensitive: Coded, column: pl.Series) -> dict[int, str | None]:
    """What the numbers that occur stand for."""
    row = np.full(sensitive.kinds, -1)
    row[sensitive.codes] = np.arange(len(sensitive.codes))
    numbers = np.flatnonzero(row >= 0)
    return dict(zip(numbers.tolist(), as_text(column.gather(row[numbers])).to_list(), strict=True))


def _counts(values: np.ndarray) -> zip[tuple[float, float]]:
    distinct, count = np.unique(values, return_counts=True)
    return zip(distinct.tolist(), count.tolist(), strict=True)


def _sensitive(counted: Tally, texts: Mapping[int, str | None], policy: Policy) -> Bars:
    """The most frequent values: how many rows have each, and how much of a group at most."""
    kinds = max(texts) + 1
    rows = np.bincount(counted.values, counted.counts, minlength=kinds).astype(np.int64)
    groups = np.bincount(counted.values, minlength=kinds)
    worst = np.zeros(kinds)
    entries = np.diff(np.append(counted.starts, len(counted.values)))
    np.maximum.at(worst, counted.values, counted.counts / np.repeat(counted.sizes, entries))
    order = sorted(texts, key=lambda value: (-rows[value], texts[value] is not None, texts[value] or ""))
    total, of_groups = int(rows.sum()), len(counted.starts)
    bars = []
    for value in order[:_MOST_VALUES]:
        shares = (rows[value] / total, groups[value] / of_groups, worst[value])
        bars.append(Bar(clipped(texts[value]), shares[0], (number(rows[value]), *map(percent, shares))))
    if others := order[_MOST_VALUES:]:
        share = int(rows[others].sum()) / total
        texts_of_others = (number(rows[others].sum()), percent(share), "", percent(worst[others].max()))
        bars.append(Bar(f"{len(others):,} other values", share, texts_of_others))
    headings = (policy.sensitive_value, "share of all rows", "rows", "share", "of groups", "in a group")
    return Bars(headings, tuple(bars), mark=1 / policy.diversity)


def _measured(table: pl.DataFrame, policy: Policy) -> list[Breadths]:
    found = []
    for name in policy.quasi_identifiers:
        columns = [name] if name in table.columns else [f"{name}_min", f"{name}_max"]
        found.append(breadths(name, [table[column] for column in columns], policy.of_column(name)))
    return found


def _attribute(measured: Breadths) -> Attribute:
    if measured.kind == "set":
        across = "values that a row may have"
    else:
        across = f"width of the interval{f' in {measured.unit}' if measured.unit else ''}"
    known = ~np.isnan(measured.widths)
    pairs = zip(measured.widths[known].tolist(), measured.rows[known].tolist(), strict=True)
    chart = histogram(pairs, across=across, upwards="rows", whole=measured.whole)
    return Attribute(measured.name, measured.kind, measured.exact, chart if measured.exact < 1 else None)


def _widths(measured: Sequence[Breadths]) -> Bars:
    headings = ("column", "mean width", "of all", "exact", "mean", "median", "all")
    return Bars(headings, tuple(_width(each) for each in measured))


def _width(each: Breadths) -> Bar:
    if each.kind == "set":
        share = (each.mean - 1) / (each.extent - 1) if each.extent > 1 else 0.0
        whole = f"{number(each.extent)} values"
    else:
        share = each.mean / each.extent if each.extent else 0.0
        whole = f"{each.low} to {each.high}"
    breadth = [
        f"{number(width)} {each.unit}".strip().removesuffix("s" if width == 1 else "")
        for width in (each.mean, each.median)
    ]
    return Bar(each.name, share, (percent(share), percent(each.exact), *breadth, whole))


def _sample(tables: Sequence[pl.DataFrame], groups: Sequence[str]) -> tuple[Sample, ...]:
    """The groups of the rows at a quarter, the middle and three quarters of the release, in all its tables."""
    table = tables[-1]
    places = dict.fromkeys(int(place * (table.height - 1)) for place in _PLACES)
    by_group = table[list(groups)]  # a select takes * and ^..$ for patterns
    keys = dict.fromkeys(by_group.row(place) for place in places)
    titles = ("",) if len(tables) == 1 else ("Quasi-identifiers", "Sensitive values")
    return tuple(
        shown(title, [each.filter(_is(dict(zip(groups, key, strict=True)), each)) for key in keys])
        for title, each in zip(titles, tables, strict=True)
    )


def _is(key: Mapping[str, object], table: pl.DataFrame) -> pl.Expr:
    """The rows with these values; a missing value is one."""
    return pl.all_horizontal(
        table[name].eq_missing(pl.Series([value], dtype=table[name].dtype)) for name, value in key.items()
    )


def shown(title: str, blocks: Sequence[pl.DataFrame]) -> Sample:
    """The first rows of each block, as texts."""
    cut = [block.head(_MOST_ROWS) for block in blocks]
    rows = tuple(
        tuple(tuple(row) for row in zip(*(as_text(column).to_list() for column in block), strict=True)) for block in cut
    )
    more = sum(block.height for block in blocks) - sum(map(len, rows))
    return Sample(title, tuple(blocks[0].columns), rows, more)
