"""Whether Mondrian still cuts a table into the same groups after some people exchanged their sensitive values.

Where Mondrian may cut depends on QI values alone; whether it does, on how often each value occurs on both sides.
So it is enough to keep those counts for every cut that Mondrian tried. An exchange changes them only on the path to
the two people, and only where a decision comes out differently the cuts below are made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

__all__ = ["MondrianPaths"]

_Rows = npt.NDArray[np.int64]


@dataclass
class _Side:
    """One side of a cut that was tried: how often each value occurs in it, and how many occur too often."""

    size: int
    counts: list[int]
    too_frequent: int


@dataclass
class _Cut:
    """A cut that was tried, and where."""

    node: int
    sides: tuple[_Side, _Side]
    taken: bool


@dataclass
class _Node:
    """A group that Mondrian looked at; those cut out of it have the numbers up to `end`."""

    rows: _Rows
    end: int = 0
    cuts: list[_Cut] = field(default_factory=list)


class MondrianPaths:
    """Mondrian's cuts of a table, kept up to date while people exchange their sensitive values."""

    def __init__(
        self,
        codes: Sequence[npt.NDArray[np.integer]],
        positions: Sequence[npt.NDArray[np.int64]],
        values: Sequence[int],
        diversity: int,
        *,
        relaxed: bool,
    ) -> None:
        self._codes = [column.astype(np.int64) for column in codes]
        self._at = [line[column] for line, column in zip(positions, self._codes, strict=True)]
        self._diversity = diversity
        self._relaxed = relaxed
        self.values = np.array(values, dtype=np.int64)
        self._kinds = int(self.values.max()) + 1
        self._build()
        self.groups = [node.rows for node in self._nodes if not any(cut.taken for cut in node.cuts)]
        self._group_of = np.empty(len(self.values), dtype=np.int64)
        for number, rows in enumerate(self.groups):
            self._group_of[rows] = number

    def exchange(self, pairs: Sequence[tuple[int, int]]) -> bool:
        """Let each pair exchange their values, one after the other; undone, and False, if the groups change."""
        touched = self._exchange(pairs)
        changed = {cut.node for cut in touched if cut.taken != _allowed(cut)}
        if not changed:
            return True
        handled = -1
        for number in sorted(changed):
            if number < handled:
                continue  # inside a group that was cut again already
            node = self._nodes[number]
            if not self._same_groups(node.rows):
                self._exchange(pairs[::-1])
                return False
            handled = node.end
        self._build()
        return True

    def _exchange(self, pairs: Iterable[tuple[int, int]]) -> list[_Cut]:
        touched = []
        for a, b in pairs:
            v_a, v_b = int(self.values[a]), int(self.values[b])
            if v_a == v_b:
                continue
            self.values[a], self.values[b] = v_b, v_a
            mine, theirs = self._sides_of[a], self._sides_of[b]
            for number in mine.keys() - theirs.keys():
                self._recount(mine[number][1], v_a, v_b)
                touched.append(mine[number][0])
            for number in theirs.keys() - mine.keys():
                self._recount(theirs[number][1], v_b, v_a)
                touched.append(theirs[number][0])
        return touched

    def _recount(self, side: _Side, less: int, more: int) -> None:
        for value, step in ((less, -1), (more, 1)):
            before = self._diversity * side.counts[value] > side.size
            side.counts[value] += step
            side.too_frequent += (self._diversity * side.counts[value] > side.size) - before

    def _build(self) -> None:
        self._nodes: list[_Node] = []
        self._sides_of: list[dict[int, tuple[_Cut, _Side]]] = [{} for _ in self.values]
        self._cut_up(np.arange(len(self.values)))

    def _cut_up(self, rows: _Rows) -> None:
        number = len(self._nodes)
        node = _Node(rows)
        self._nodes.append(node)
        for halves in self._possible_cuts(rows):
            cut = _Cut(number, (self._side(halves[0]), self._side(halves[1])), taken=False)
            cut.taken = _allowed(cut)
            node.cuts.append(cut)
            for half, side in zip(halves, cut.sides, strict=True):
                for row in half.tolist():
                    self._sides_of[row][id(side)] = cut, side
            if cut.taken:
                for half in halves:
                    self._cut_up(half)
                break
        node.end = len(self._nodes)

    def _side(self, rows: _Rows) -> _Side:
        counts = np.bincount(self.values[rows], minlength=self._kinds)
        return _Side(len(rows), counts.tolist(), int(np.count_nonzero(self._diversity * counts > len(rows))))

    def _possible_cuts(self, rows: _Rows) -> Iterator[tuple[_Rows, _Rows]]:
        """The median cuts, the widest attribute first, as in `reference.mondrian`."""
        widths = [int(at[rows].max() - at[rows].min()) for at in self._at]
        for i in sorted(range(len(widths)), key=lambda i: -widths[i]):
            codes = self._codes[i][rows]
            if self._relaxed:
                ordered = rows[np.lexsort((rows, codes))]
                halves = np.sort(ordered[: len(rows) // 2]), np.sort(ordered[len(rows) // 2 :])
            else:
                median = np.sort(codes)[(len(rows) - 1) // 2]
                left = codes < median if median == codes.max() else codes <= median
                halves = rows[left], rows[~left]
            if len(halves[0]) and len(halves[1]):
                yield halves

    def _same_groups(self, rows: _Rows) -> bool:
        """Whether Mondrian cuts these rows into the very groups that they are in."""
        in_groups = self._group_of[rows]
        for halves in self._possible_cuts(rows):
            if any(self._side(half).too_frequent for half in halves):
                continue
            if set(self._group_of[halves[0]].tolist()) & set(self._group_of[halves[1]].tolist()):
                return False
            return all(self._same_groups(half) for half in halves)
        return bool((in_groups == in_groups[0]).all())


def _allowed(cut: _Cut) -> bool:
    return not any(side.too_frequent for side in cut.sides)
