"""Hierarchies that follow from the values of a column: numbers, dates, codes.

    from pellucid import trees

    trees.by_width(ages, 5, 10, 20)  # steps of 5, of 10 and of 20 years
    trees.by_frequency(incomes, 16, 4)  # 16 steps with about as many people in each, and 4 of those
    trees.by_breaks(ages, [18, 30, 45, 65], [18, 65])
    trees.by_calendar(admissions, "month", "quarter", "year")
    trees.by_prefix(zip_codes, 3, 2)
    trees.by_icd(diagnoses, edition=10)

Each of them takes a column, the whole of it or its different values, and the levels from the finest to the coarsest.
All but `by_frequency` look at which values there are, and at nothing else of the table. `by_frequency` counts people:
use it for quasi-identifiers alone, never for the sensitive column (G1).
"""

from __future__ import annotations

from .codes import by_prefix
from .dates import by_calendar
from .icd import by_icd
from .numbers import by_breaks, by_frequency, by_width

__all__ = [
    "by_breaks",
    "by_calendar",
    "by_frequency",
    "by_icd",
    "by_prefix",
    "by_width",
]
