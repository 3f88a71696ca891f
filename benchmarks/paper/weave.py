"""Weave beside the best of the others: for every l and qd, who errs least.

Tables and a verdict: Weave's mean error is to be the smallest in every cell, and its perimeter smaller than
that of strict Mondrian.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from paper.experiments import DEFAULT, Record

__all__ = ["RIVALS", "Comparison", "compared"]

RIVALS = ("hybrid", "mondrian", "mondrian-relaxed")
"""What Weave has to beat: the best transparent algorithm before it, and two that are not transparent."""

_Cell: TypeAlias = tuple[str, int, int]
"""Table, l, qd."""


@dataclass(frozen=True)
class Comparison:
    """Means, by table, l, (qd,) and algorithm."""

    errors: Mapping[_Cell, Mapping[str, float]]
    spreads: Mapping[_Cell, Mapping[str, float]]
    """Half of the range that the errors have."""
    perimeters: Mapping[tuple[str, int], Mapping[str, float]]

    @property
    def lost(self) -> list[str]:
        """The cells where somebody errs less than Weave, and where strict Mondrian's perimeter is smaller."""
        worse = [
            f"{table}, l = {diversity}, qd = {qd}: weave {100 * errors['weave']:.3g} %,"
            f" {rival} {100 * errors[rival]:.3g} %"
            for (table, diversity, qd), errors in self.errors.items()
            for rival in RIVALS
            if errors[rival] <= errors["weave"]
        ]
        return worse + [
            f"{table}, l = {diversity}: perimeter {found['weave']:.3g}, mondrian {found['mondrian']:.3g}"
            for (table, diversity), found in self.perimeters.items()
            if found["mondrian"] <= found["weave"]
        ]

    def verdict(self) -> str:
        """Whether Weave is ahead everywhere."""
        lost = self.lost
        if not lost:
            return (
                f"Weave's mean error is the smallest in all {len(self.errors)} cells, and its perimeter is below that"
                f" of strict Mondrian in all {len(self.perimeters)}."
            )
        return f"Weave is not ahead everywhere: {'; '.join(lost)}."

    def tables(self) -> str:
        """A Markdown table for each table: means, and in parentheses half of the range of what was measured."""
        names = ("weave", *RIVALS)
        parts = []
        for table in dict.fromkeys(table for table, _, _ in self.errors):
            dimensions = sorted({qd for of, _, qd in self.errors if of == table})
            heads = ["perimeter / n", *(f"error, %, qd = {qd}" for qd in dimensions)]
            lines = [f"| {table}, l | | {' | '.join(heads)} |", f"|---|---|{'---|' * len(heads)}"]
            for diversity in sorted({diversity for of, diversity in self.perimeters if of == table}):
                for name in names:
                    cells = [f"{self.perimeters[table, diversity][name]:.3f}"]
                    for cell in ((table, diversity, qd) for qd in dimensions):
                        error, spread = 100 * self.errors[cell][name], 100 * self.spreads[cell][name]
                        cells.append(f"{error:.2f} (±{spread:.2f})")
                    first = str(diversity) if name == names[0] else ""
                    lines.append(f"| {first} | {name} | {' | '.join(cells)} |")
            parts.append("\n".join(lines))
        return "\n\n".join(parts)


def compared(records: Iterable[Record]) -> Comparison | None:
    """The comparison, if all of its algorithms were run."""
    errors: dict[_Cell, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    perimeters: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        setting, name = record.setting, record.algorithm
        if name not in ("weave", *RIVALS):
            continue
        if record.measure == "perimeter":
            perimeters[record.table, setting.diversity][name].append(record.value)
        elif record.measure == "error" and setting.selectivity == DEFAULT.selectivity:
            errors[record.table, setting.diversity, setting.dimensionality][name].append(record.value)
    cells = [*errors.values(), *perimeters.values()]
    if not cells or any(set(cell) != {"weave", *RIVALS} for cell in cells):
        return None
    return Comparison(
        {key: {name: fmean(values) for name, values in cell.items()} for key, cell in errors.items()},
        {key: {name: (max(values) - min(values)) / 2 for name, values in cell.items()} for key, cell in errors.items()},
        {key: {name: fmean(values) for name, values in cell.items()} for key, cell in perimeters.items()},
    )
