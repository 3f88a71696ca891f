"""The penalties are superadditive, blind and exact (G3), and nothing overflows."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
import polars as pl
from hypothesis import assume, given
from hypothesis import strategies as st

from pellucid import Policy
from pellucid.draws import SystemDraws
from pellucid.microdata import encode
from pellucid.penalties import Positions, discernibility, perimeter, weighted_positions
from tests.property.strategies import columns

LIMIT = 2**63 - 1
# A width of 0, small ones, and ones near the limits of 32 and 64 bits.
WIDTHS = st.integers(0, 12) | st.integers(0, 2**64 - 1) | st.sampled_from([2**31, 2**32 - 1, 2**63, 2**64 - 1])


@st.composite
def lines(draw: st.DrawFn) -> list[np.ndarray[tuple[int], np.dtype[np.uint64]]]:
    """The ticks of one to four attributes: whole numbers that start at 0 and grow."""
    drawn = []
    for _ in range(draw(st.integers(1, 4))):
        width = draw(WIDTHS)
        inner = draw(st.lists(st.integers(0, width), max_size=6))
        drawn.append(np.array(sorted({0, width, *inner}), dtype=np.uint64))
    return drawn


ROWS = st.integers(1, 100) | st.integers(1, 2**32 - 2)


@given(ticks=lines(), rows=ROWS)
def test_nothing_overflows(ticks: list[np.ndarray[tuple[int], np.dtype[np.uint64]]], rows: int) -> None:
    """The largest penalty there is, of all rows with the widest box, fits in a signed word of 64 bits."""
    positions = weighted_positions(ticks, rows)
    assert all(int(at.min()) == 0 for at in positions)
    assert rows * sum(int(at.max()) for at in positions) <= LIMIT


@given(ticks=lines(), rows=ROWS)
def test_positions_grow_with_the_values(ticks: list[np.ndarray[tuple[int], np.dtype[np.uint64]]], rows: int) -> None:
    for line, at in zip(ticks, weighted_positions(ticks, rows), strict=True):
        assert len(at) == len(line)
        assert (np.diff(at) >= 0).all()


@given(ticks=lines(), rows=ROWS)
def test_every_attribute_has_nearly_the_same_weight(
    ticks: list[np.ndarray[tuple[int], np.dtype[np.uint64]]], rows: int
) -> None:
    """Eq. 4 divides each width by that of the domain: rounded, all domains still weigh the same within 0.1 %."""
    tops = [int(at[-1]) for at, line in zip(weighted_positions(ticks, rows), ticks, strict=True) if int(line[-1])]
    assert not tops or min(tops) >= (1 - 2**-10) * max(tops)
    assert not tops or min(tops) > 0


@given(ticks=lines(), rows=st.integers(1, 10_000))
def test_exact_where_it_fits(ticks: list[np.ndarray[tuple[int], np.dtype[np.uint64]]], rows: int) -> None:
    """The penalty is Eq. 4 times one constant, the least common multiple of the widths."""
    widths = [int(line[-1]) for line in ticks]
    common = lcm(*(width for width in widths if width))
    assume(common * rows * len(ticks) <= LIMIT)
    for line, at, width in zip(ticks, weighted_positions(ticks, rows), widths, strict=True):
        assert [Fraction(int(a), common) for a in at] == [Fraction(int(t), width or 1) for t in line]


@given(rows=st.integers(2, 12), data=st.data())
def test_perimeter_is_equation_4(rows: int, data: st.DataObject) -> None:
    """From a table to the penalty of any group of it, against Eq. 4 in fractions."""
    small = st.lists(st.integers(-50, 50), min_size=rows, max_size=rows)
    table = pl.DataFrame({"id": range(rows), "a": data.draw(small), "b": data.draw(small), "s": 0})
    policy = Policy(quasi_identifiers=("a", "b"), sensitive="s", diversity=1, identifier="id")
    microdata = encode(table, policy, SystemDraws(), untyped=False)
    h = perimeter(weighted_positions([a.ticks for a in microdata.attributes], rows))
    group = data.draw(st.lists(st.integers(0, rows - 1), min_size=1, unique=True))
    codes = [tuple(int(a.codes[row]) for a in microdata.attributes) for row in group]

    widths = {name: max(table[name]) - min(table[name]) for name in ("a", "b")}
    exact = len(group) * sum(
        Fraction(max(table[name][r] for r in group) - min(table[name][r] for r in group), widths[name])
        for name in ("a", "b")
        if widths[name]
    )
    assert h(codes) == exact * lcm(*(width for width in widths.values() if width))


@given(data=st.data())
def test_superadditive(data: st.DataObject) -> None:
    """h(G1 + G2) >= h(G1) + h(G2), whatever the types of the columns, with missing values, floats and huge ranges."""
    rows = data.draw(st.integers(2, 12))
    qi = [data.draw(columns(f"q{i}", rows, nulls=True)) for i in range(data.draw(st.integers(1, 3)))]
    table = pl.DataFrame([pl.Series("id", range(rows)), *qi, pl.Series("s", [0] * rows)])
    policy = Policy(
        quasi_identifiers=tuple(q.name for q in qi), sensitive="s", diversity=1, identifier="id", missing="category"
    )
    microdata = encode(table, policy, SystemDraws(), untyped=False)
    positions: Positions = weighted_positions([a.ticks for a in microdata.attributes], data.draw(ROWS))
    codes = list(zip(*(a.codes.tolist() for a in microdata.attributes), strict=True))
    side = data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
    one = [c for c, left in zip(codes, side, strict=True) if left]
    other = [c for c, left in zip(codes, side, strict=True) if not left]
    assume(one and other)
    for h in (perimeter(positions), discernibility):
        assert h(codes) >= h(one) + h(other)
        assert h(one) >= 0
