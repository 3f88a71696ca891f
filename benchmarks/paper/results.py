"""Measurements by figure: for every table and algorithm a line of points, each with its spread; in and out of CSV."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from paper.experiments import DEFAULT, Record, Setting

__all__ = ["FIGURES", "Figure", "Figures", "Line", "Lines", "Point", "figures", "read_records", "write_records"]


@dataclass(frozen=True)
class Figure:
    """A figure of the paper: what its axes are."""

    number: int
    title: str
    axis: str
    """The label of the horizontal axis."""
    quantity: str
    """The label of the vertical axis."""
    measure: str
    logarithmic: bool = False

    @property
    def stem(self) -> str:
        """The name of its files."""
        return f"figure-{self.number}"


FIGURES = {
    figure.number: figure
    for figure in (
        Figure(11, "Query accuracy vs. l", "l", "average workload error, %", "error"),
        Figure(12, "Query accuracy vs. query dimensionality qd", "qd", "average workload error, %", "error"),
        Figure(13, "Query accuracy vs. expected selectivity s", "s, %", "average workload error, %", "error"),
        Figure(14, "Computation time vs. dataset cardinality n", "n, million", "CPU seconds", "scalability", True),
        Figure(15, "Computation time vs. l", "l", "CPU seconds", "seconds", True),
    )
}


@dataclass(frozen=True)
class Point:
    """All measurements at one place of the horizontal axis."""

    x: float
    values: tuple[float, ...]
    time: bool

    @property
    def value(self) -> float:
        """The mean of errors; the smallest of times, because whatever else a machine does only adds to them."""
        return min(self.values) if self.time else fmean(self.values)


Line = Sequence[Point]
Lines = Mapping[tuple[str, str], Line]
"""By table and algorithm."""
Figures = Mapping[int, Lines]
"""By number."""
_HEADER = ("measure", "table", "algorithm", "rows", "l", "qd", "s", "run", "workload", "value")


def figures(records: Iterable[Record]) -> dict[int, Lines]:
    """Sort the measurements by figure. Errors are in per cent there."""
    values: dict[int, dict[tuple[str, str], dict[float, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for record in records:
        for number, x in _places(record):
            scale = 100 if record.measure == "error" else 1
            values[number][record.table, record.algorithm][x].append(scale * record.value)
    return {
        number: {
            key: [Point(x, tuple(line[x]), FIGURES[number].measure != "error") for x in sorted(line)]
            for key, line in values[number].items()
        }
        for number in sorted(values)
    }


def _places(record: Record) -> list[tuple[int, float]]:
    """In which figures a record stands, and where on the horizontal axis."""
    setting = record.setting
    if record.measure == "scalability":
        return [(14, record.rows / 1e6)]
    if record.measure == "seconds":
        return [(15, setting.diversity)]
    if record.measure != "error":
        return []
    places: list[tuple[int, float]] = []
    if (setting.dimensionality, setting.selectivity) == (DEFAULT.dimensionality, DEFAULT.selectivity):
        places.append((11, setting.diversity))
    if (setting.diversity, setting.selectivity) == (DEFAULT.diversity, DEFAULT.selectivity):
        places.append((12, setting.dimensionality))
    if (setting.diversity, setting.dimensionality) == (DEFAULT.diversity, DEFAULT.dimensionality):
        places.append((13, 100 * setting.selectivity))
    return places


def write_records(records: Iterable[Record], path: Path) -> None:
    """Every measurement, one per line, as soon as it is there."""
    with path.open("w", newline="", encoding="utf-8", buffering=1) as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(_HEADER)
        for r in records:
            setting = (r.setting.diversity, r.setting.dimensionality, r.setting.selectivity)
            out.writerow([r.measure, r.table, r.algorithm, r.rows, *setting, r.run, r.workload, f"{r.value:.6g}"])


def read_records(path: Path) -> list[Record]:
    """The measurements that `write_records` wrote."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Record(
                measure=row["measure"],
                table=row["table"],
                algorithm=row["algorithm"],
                rows=int(row["rows"]),
                setting=Setting(int(row["l"]), int(row["qd"]), float(row["s"])),
                run=int(row["run"]),
                workload=int(row["workload"]),
                value=float(row["value"]),
            )
            for row in csv.DictReader(file)
        ]
