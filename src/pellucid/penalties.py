"""Penalties: what a QI-group costs (section 3).

The algorithms take any penalty h that is blind to sensitive values and superadditive,
h(G1 + G2) >= h(G1) + h(G2). Two are compiled into the kernels: the perimeter (Eq. 4) and the discernibility
|G|^2. Both are exact integers, so that ties are ties on every machine (G3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Penalty", "Positions", "discernibility", "perimeter", "weighted_positions"]

Positions = tuple[npt.NDArray[np.int64], ...]
"""For every attribute, where each of its values stands: integers whose differences are weighted widths."""

Penalty = Callable[[Sequence[Sequence[int]]], int]
"""What a group costs, from the QI codes of its tuples alone."""

_LIMIT = 2**63 - 1
_GRID_BITS = 10
"""A width takes at most 2**-10 of the room for its weight, so that rounding a weight changes it by < 0.1 %."""


def weighted_positions(ticks: Sequence[npt.NDArray[np.uint64]], rows: int) -> Positions:
    """Positions on every attribute such that Eq. 4 is `|G| * sum(max position - min position)` in integers.

    Eq. 4 divides each width by the width of the domain. Multiplying by the least common multiple L of those
    widths makes every term an integer: an attribute's weight is L / width. Where `rows` times the sum of the widths
    would not fit in 63 bits, the weight is the fixed-point integer F // width instead, with F = the largest
    number that fits. Either way a position grows with the value and depends on QI values only, so the penalty is
    superadditive and blind to sensitive values.

    `ticks` are each attribute's values on a line: whole numbers that start at 0 and grow.
    """
    widths = [int(line[-1]) for line in ticks]
    common = math.lcm(*(width for width in widths if width > 0))
    room = _LIMIT // (rows * len(ticks))
    if common <= room:
        return tuple(_scaled(line, common // width if width else 0) for line, width in zip(ticks, widths, strict=True))
    positions = []
    for line, width in zip(ticks, widths, strict=True):
        coarser = max(0, width.bit_length() - (room.bit_length() - 1 - _GRID_BITS))
        grid = line >> np.uint64(min(coarser, 63))
        top = int(grid[-1])
        positions.append(_scaled(grid, room // top if top else 0))
    return tuple(positions)


def _scaled(line: npt.NDArray[np.uint64], weight: int) -> npt.NDArray[np.int64]:
    return (line * np.uint64(weight)).astype(np.int64)


def perimeter(positions: Positions) -> Penalty:
    """The perimeter h_p of Eq. 4, times a constant that makes it an integer."""

    def h(group: Sequence[Sequence[int]]) -> int:
        columns = zip(positions, zip(*group, strict=True), strict=True)
        return len(group) * sum(int(at[max(codes)]) - int(at[min(codes)]) for at, codes in columns)

    return h


def discernibility(group: Sequence[Sequence[int]]) -> int:
    """The discernibility h_d(G) = |G|^2 (Example 2)."""
    return len(group) ** 2
