"""The paper's tables and bucket partitions as data, named as in the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

__all__ = [
    "ANATOMY_QI",
    "ANATOMY_SENSITIVE",
    "DISEASE",
    "E1",
    "INSTANCE_VII",
    "NAME",
    "PARTITION_OF_TABLE_III",
    "P_PRIME",
    "QI",
    "T1",
    "T2_STAR",
    "T3",
    "T4_STAR",
    "T5",
    "T6_STAR",
    "T7_STAR",
    "T8",
    "T9",
    "T10_STAR",
    "U1",
    "U2",
    "BucketByName",
    "Table",
]

NAME: Final = "Name"
QI: Final = ("Age", "Zipcode")
DISEASE: Final = "Disease"

BucketByName = Mapping[str, frozenset[str]]
"""The columns of a bucket: for each sensitive value of its signature, who has it."""


@dataclass(frozen=True)
class Table:
    """A table of the paper."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[int | str, ...], ...]

    def __iter__(self) -> Iterator[tuple[int | str, ...]]:
        return iter(self.rows)

    def frame(self) -> pl.DataFrame:
        """The table as a data frame."""
        return pl.DataFrame(list(self.rows), schema=list(self.columns), orient="row")

    def column(self, name: str) -> list[int | str]:
        """The values of a column, from top to bottom."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def by_name(self, column: str) -> dict[str, int | str]:
        """The value that each person has in a column."""
        return {str(name): value for name, value in zip(self.column(NAME), self.column(column), strict=True)}


def _with_diseases(title: str, *diseases: str) -> Table:
    people = (row[:3] for row in E1 if row[0] != "Bruce")
    return Table(title, (NAME, *QI, DISEASE), tuple((*p, d) for p, d in zip(people, diseases, strict=True)))


def _groups(title: str, *groups: tuple[str, str, tuple[str, ...]]) -> Table:
    rows = tuple((age, zipcode, disease) for age, zipcode, diseases in groups for disease in diseases)
    return Table(title, (*QI, DISEASE), rows)


E1 = Table(
    "Table II. Voter list E1",
    (NAME, *QI),
    (
        ("Ann", 21, 10000),
        ("Bob", 27, 18000),
        ("Bruce", 29, 19000),
        ("Cate", 32, 35000),
        ("Don", 32, 35000),
        ("Ed", 54, 60000),
        ("Fred", 60, 63000),
        ("Gill", 60, 63000),
        ("Hera", 60, 63000),
    ),
)

T1 = _with_diseases(
    "Table I. Microdata T1",
    "dyspepsia",
    "flu",
    "gastritis",
    "bronchitis",
    "gastritis",
    "flu",
    "dyspepsia",
    "diabetes",
)

T3 = _with_diseases(
    "Table IV. Microdata T3",
    "dyspepsia",
    "flu",
    "gastritis",
    "gastritis",
    "bronchitis",
    "flu",
    "dyspepsia",
    "diabetes",
)

T5 = _with_diseases(
    "Table VIII. Microdata T5",
    "dyspepsia",
    "flu",
    "gastritis",
    "gastritis",
    "flu",
    "bronchitis",
    "dyspepsia",
    "diabetes",
)

T8 = _with_diseases(
    "Table XI. Microdata T8",
    "flu",
    "dyspepsia",
    "gastritis",
    "gastritis",
    "dyspepsia",
    "bronchitis",
    "flu",
    "diabetes",
)

INSTANCE_VII = Table(
    "Table VII. A possible microdata instance based on Table II",
    (NAME, *QI, DISEASE),
    (
        ("Bruce", 29, 19000, "bronchitis"),
        ("Cate", 32, 35000, "flu"),
        ("Fred", 60, 63000, "dyspepsia"),
    ),
)

# The paper shortens 10000 to 10k.
T2_STAR = _groups(
    "Table III. Generalization T2*",
    ("[21, 27]", "[10000, 18000]", ("dyspepsia", "flu")),
    ("32", "35000", ("gastritis", "bronchitis")),
    ("[54, 60]", "[60000, 63000]", ("gastritis", "flu", "dyspepsia", "diabetes")),
)

T4_STAR = _groups(
    "Table V. Generalization T4*",
    ("[21, 27]", "[10000, 18000]", ("dyspepsia", "flu")),
    (
        "[32, 60]",
        "[35000, 63000]",
        ("gastritis", "gastritis", "bronchitis", "flu", "dyspepsia", "diabetes"),
    ),
)

T6_STAR = _groups(
    "Table IX. Generalization T6*",
    ("[21, 32]", "[10000, 35000]", ("dyspepsia", "flu", "gastritis", "gastritis")),
    ("[54, 60]", "[60000, 63000]", ("flu", "bronchitis")),
    ("60", "63000", ("dyspepsia", "diabetes")),
)

T7_STAR = _groups(
    "Table X. Generalization T7*",
    ("[21, 27]", "[10000, 18000]", ("dyspepsia", "flu")),
    ("[54, 60]", "[60000, 63000]", ("dyspepsia", "flu")),
    ("[32, 60]", "[35000, 63000]", ("gastritis", "bronchitis", "diabetes", "gastritis")),
)

PARTITION_OF_TABLE_III = (("Ann", "Bob"), ("Cate", "Don"), ("Ed", "Fred", "Gill", "Hera"))
"""The partition of T1 that decides Table III and Table VI."""

ANATOMY_QI = Table(
    "Table VI (a). The QI table",
    (*QI, "group_id"),
    (
        (21, 10000, 1),
        (27, 18000, 1),
        (32, 35000, 2),
        (32, 35000, 2),
        (54, 60000, 3),
        (60, 63000, 3),
        (60, 63000, 3),
        (60, 63000, 3),
    ),
)

ANATOMY_SENSITIVE = Table(
    "Table VI (b). The sensitive table",
    ("group_id", DISEASE),
    (
        (1, "dyspepsia"),
        (1, "flu"),
        (2, "bronchitis"),
        (2, "gastritis"),
        (3, "diabetes"),
        (3, "dyspepsia"),
        (3, "flu"),
        (3, "gastritis"),
    ),
)

_B2: BucketByName = {"gastritis": frozenset({"Don"}), "bronchitis": frozenset({"Fred"})}
_B3: BucketByName = {"diabetes": frozenset({"Hera"}), "gastritis": frozenset({"Cate"})}

U1: tuple[BucketByName, ...] = (
    {"dyspepsia": frozenset({"Ann", "Gill"}), "flu": frozenset({"Bob", "Ed"})},
    _B2,
    _B3,
)
"""Figure 4: a bucket partition of T5."""

U2: tuple[BucketByName, ...] = (
    {"flu": frozenset({"Ann", "Gill"}), "dyspepsia": frozenset({"Bob", "Ed"})},
    _B2,
    _B3,
)
"""Figure 9: a bucket partition of T8 that is symmetric to U1."""

# The electronic appendix: the attack against Mask, with k = l = 2 and V = {dyspepsia}.
_AGES = (("Ann", 21), ("Bob", 27), ("Cate", 32), ("Don", 32), ("Ed", 54), ("Fred", 60), ("Gill", 60))


def _aged(title: str, *diseases: str) -> Table:
    rows = tuple((name, age, disease) for (name, age), disease in zip(_AGES, diseases, strict=True))
    return Table(title, (NAME, "Age", DISEASE), rows)


T9 = _aged("Appendix, Table I. Microdata T9", "dyspepsia", "dyspepsia", "dyspepsia", "flu", "flu", "flu", "flu")

P_PRIME = _aged("Appendix, Table II. Partition P'", "flu", "dyspepsia", "dyspepsia", "flu", "flu", "flu", "flu")

T10_STAR = Table(
    "Appendix, Table III. Generalization T10*",
    ("Age", DISEASE),
    (
        ("[21, 27]", "flu"),
        ("[21, 27]", "dyspepsia"),
        ("32", "dyspepsia"),
        ("32", "flu"),
        ("[54, 60]", "flu"),
        ("[54, 60]", "flu"),
        ("[54, 60]", "flu"),
    ),
)
