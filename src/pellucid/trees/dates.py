"""Hierarchies of dates and times: days, weeks, months, quarters, years."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import get_args

from ..errors import HierarchyError, listed
from ..hierarchies import Hierarchy
from ..settings import CalendarStep, near
from .column import Column, Values, require_levels

__all__ = ["by_calendar"]

_NAMES: Mapping[str, Callable[[dt.date], str]] = {
    "day": dt.date.isoformat,
    "week": lambda day: "{:04}-W{:02}".format(*day.isocalendar()[:2]),
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
}
_INSIDE = {"day": ("week", "month", "quarter", "year"), "month": ("quarter", "year"), "quarter": ("year",)}
"""What lies within what. A week may begin in one month and end in the next."""
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})([T ].*)?")


def by_calendar(values: Values, *steps: CalendarStep, apart: Iterable[str] = ()) -> Hierarchy:
    """Steps of the calendar, the finest first: 2024-02-29, 2024-W09, 2024-02, 2024-Q1, 2024."""
    require_levels(steps, "Give the step of each, such as month, quarter, year.")
    for step in steps:
        if step not in _NAMES:
            raise HierarchyError(
                f"A step of the calendar is one of {listed(get_args(CalendarStep))}, not {step!r}.",
                remedy=near(step, _NAMES),
            )
    for finer, coarser in itertools.pairwise(steps):
        if coarser not in _INSIDE.get(finer, ()):
            raise HierarchyError(
                f"A {finer} does not lie within one {coarser}.",
                remedy="Give the steps from the finest to the coarsest, such as month, quarter, year.",
            )
    column = Column.of(values, apart)
    column.refuse((text for text in column.texts if _date(text) is None), "no date such as 2024-02-29")
    days = [day for text in column.texts if (day := _date(text)) is not None]
    return column.hierarchy(days, ([_NAMES[step](day) for day in days] for step in steps))


def _date(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(found[1]) if (found := _DATE.fullmatch(text)) else None
    except ValueError:
        return None
