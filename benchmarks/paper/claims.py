"""What section 4 says about its figures, as functions of measurements: whether it held here, and by which numbers.

A claim is judged by the points of the figure. The thresholds for words such as "almost" are ours, and every claim
prints its numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from paper.results import Figures, Line, Lines, Point

__all__ = ["CLAIMS", "PAPER", "Claim", "Verdict", "judge"]

PAPER = ("tailor", "ace", "hybrid", "mondrian", "mask")
"""The algorithms that the paper compares."""

_SAME = 2.0
"""Percentage points of error: "almost the same utility"."""

_SIMILAR = 1.5
"""Largest ratio of two errors that counts as "similar behavior"."""

_LINEAR = 1.15
"""Largest exponent b of time ~ n^b that counts as "almost linear"."""

_NEARLY_TEN_MILLION = 9.0
_FIVE_MINUTES = 300

_FLAT = 1.25
"""Largest ratio of two times that counts as "insensitive"."""


@dataclass(frozen=True)
class Verdict:
    """Whether a claim held; None if it could not be judged."""

    held: bool | None
    evidence: str


@dataclass(frozen=True)
class Claim:
    """A sentence of section 4."""

    figure: int
    text: str
    needs: tuple[str, ...]
    """The algorithms that it is about."""
    judge: Callable[..., Verdict]
    """By the lines of its figure and, if there is one, of the other figure."""
    other: int | None = None
    """The figure that it is compared with."""


def judge(claim: Claim, figures: Figures) -> Verdict:
    """Judge a claim by the lines of its figure."""
    lines = figures[claim.figure]
    if lacking := [
        f"{name} on {table}" for name in claim.needs for table in _tables(lines) if (table, name) not in lines
    ]:
        return Verdict(None, f"Not judged: there is no result of {', '.join(lacking)}.")
    return claim.judge(lines) if claim.other is None else claim.judge(lines, figures[claim.other])


def _tables(lines: Lines) -> list[str]:
    return list(dict.fromkeys(table for table, _ in lines))


def _there(lines: Lines, names: Sequence[str] = PAPER) -> list[str]:
    """Those of these algorithms that were run; claims about "all methods" are about them."""
    return [name for name in names if any(algorithm == name for _, algorithm in lines)]


def _pairs(lines: Lines, table: str, one: str, other: str) -> list[tuple[Point, Point]]:
    """The points of two algorithms at the places where both have one."""
    there = {point.x: point for point in lines[table, other]}
    return [(point, there[point.x]) for point in lines[table, one] if point.x in there]


def _mean(line: Line) -> float:
    return fmean(point.value for point in line)


def _span(line: Line, unit: str = " %") -> str:
    return f"{line[0].value:.3g} to {line[-1].value:.3g}{unit}"


def _all(cases: Iterable[tuple[bool, str]]) -> Verdict:
    """Held if every case did; the evidence is that of the cases that did not, or of all."""
    judged = list(cases)
    against = [evidence for held, evidence in judged if not held]
    said = [f"not so for {'; '.join(against)}"] if against else [evidence for _, evidence in judged]
    text = "; ".join(said)
    if against and len(against) < len(judged):
        text += f" (so for the other {len(judged) - len(against)} of {len(judged)})"
    return Verdict(not against, text)


def _changes(rising: bool) -> Callable[[Lines], Verdict]:
    """Every method's error goes up, or down, from the first place of the axis to the last."""

    def verdict(lines: Lines) -> Verdict:
        return _all(
            ((line[-1].value > line[0].value) == rising, f"{name} on {table} ({_span(line)})")
            for table in _tables(lines)
            for name in _there(lines)
            if (line := lines.get((table, name)))
        )

    return verdict


def _below(better: str, worse: Sequence[str]) -> Callable[[Lines], Verdict]:
    """One method's error is smaller than that of others at every place of the axis."""

    def verdict(lines: Lines) -> Verdict:
        cases = []
        for table in _tables(lines):
            for name in worse:
                pairs = _pairs(lines, table, better, name)
                evidence = (
                    f"{name} on {table} ({fmean(b.value for _, b in pairs):.3g} % on average, against"
                    f" {fmean(a.value for a, _ in pairs):.3g} %)"
                )
                cases.append((all(a.value < b.value for a, b in pairs), evidence))
        return _all(cases)

    return verdict


def _two_best(lines: Lines) -> Verdict:
    """Hybrid and Mondrian have the smallest errors of the paper's algorithms."""
    cases = []
    for table in _tables(lines):
        ranked = sorted(_there(lines), key=lambda name: _mean(lines[table, name]))
        order = ", ".join(f"{name} {_mean(lines[table, name]):.3g} %" for name in ranked)
        cases.append((set(ranked[:2]) == {"hybrid", "mondrian"}, f"{table}: {order}"))
    return _all(cases)


def _same_order(lines: Lines, before: Lines) -> Verdict:
    """The paper's algorithms, by their mean errors, stand in the same order in both figures."""
    cases = []
    for table in _tables(lines):
        here, there = (sorted(_there(lines), key=lambda name: _mean(of[table, name])) for of in (lines, before))
        means = ", ".join(f"{name} {_mean(lines[table, name]):.3g} %" for name in here)
        cases.append((here == there, f"{table}: {means}" + ("" if here == there else f"; there {', '.join(there)}")))
    return _all(cases)


def _similar(lines: Lines) -> Verdict:
    if {"OCC", "SAL"} - set(_tables(lines)):
        return Verdict(None, "Not judged: one of the tables was not run.")
    cases = []
    for name in _there(lines):
        if name != "ace":
            occ, sal = (_mean(lines[table, name]) for table in ("OCC", "SAL"))
            cases.append(
                (max(occ, sal) <= _SIMILAR * min(occ, sal), f"{name} ({occ:.3g} % on OCC, {sal:.3g} % on SAL)")
            )
    return _all(cases)


def _almost_the_same(lines: Lines) -> Verdict:
    cases = []
    for table in _tables(lines):
        pairs = _pairs(lines, table, "hybrid", "mondrian")
        most = max((a.value - b.value for a, b in pairs), key=abs)
        evidence = (
            f"{table}: Hybrid's error is up to {abs(most):.2g} points {'above' if most > 0 else 'below'} Mondrian's"
        )
        cases.append((abs(most) <= _SAME, evidence))
    return _all(cases)


def _ace_is_worse_on_sal(lines: Lines) -> Verdict:
    if {"OCC", "SAL"} - set(_tables(lines)):
        return Verdict(None, "Not judged: one of the tables was not run.")
    occ, sal = (_mean(lines[table, "ace"]) for table in ("OCC", "SAL"))
    return Verdict(sal > occ, f"{sal:.3g} % on SAL, {occ:.3g} % on OCC")


def _within_ten_percent(lines: Lines) -> Verdict:
    return _all(
        (worst < 10, f"{name} on {table}: at most {worst:.4g} %")
        for table in _tables(lines)
        for name in ("hybrid", "mondrian")
        if (worst := max(point.value for point in lines[table, name]))
    )


def _exponent(line: Line) -> float:
    """b of time ~ n^b, by least squares on logarithms."""
    x = [math.log(point.x) for point in line]
    y = [math.log(point.value) for point in line]
    if len(x) < 2:
        return math.nan
    centre = fmean(x)
    return sum((a - centre) * b for a, b in zip(x, y, strict=True)) / sum((a - centre) ** 2 for a in x)


def _grows(names: Sequence[str], linear: bool) -> Callable[[Lines], Verdict]:
    def verdict(lines: Lines) -> Verdict:
        return _all(
            ((_exponent(line) <= _LINEAR) == linear, f"{name} on {table}: time ~ n^{_exponent(line):.2f}")
            for table in _tables(lines)
            for name in _there(lines, names)
            if (line := lines.get((table, name)))
        )

    return verdict


def _slightly_slower(lines: Lines) -> Verdict:
    cases = []
    for table in _tables(lines):
        hybrid, mondrian = _pairs(lines, table, "hybrid", "mondrian")[-1]
        ratio = hybrid.value / mondrian.value
        cases.append((1 <= ratio <= 2, f"{table}: {ratio:.2f} times Mondrian's time for the most tuples"))
    return _all(cases)


def _within_five_minutes(lines: Lines) -> Verdict:
    """Whoever stops earlier has not seen it, unless the time was over before."""
    last = {table: lines[table, "hybrid"][-1] for table in _tables(lines)}
    evidence = "; ".join(
        f"{table}: {point.value:.1f} s for {point.x:.1f} million tuples" for table, point in last.items()
    )
    if any(point.value >= _FIVE_MINUTES for point in last.values()):
        return Verdict(False, evidence)
    if any(point.x < _NEARLY_TEN_MILLION for point in last.values()):
        return Verdict(None, f"Not judged: {evidence}, and not more were tried.")
    return Verdict(True, evidence)


def _flat(names: Sequence[str]) -> Callable[[Lines], Verdict]:
    def verdict(lines: Lines) -> Verdict:
        return _all(
            (max(means) / min(means) <= _FLAT, f"{name} on {table}: {min(means):.2g} to {max(means):.2g} s")
            for table in _tables(lines)
            for name in _there(lines, names)
            if (means := [point.value for point in lines[table, name]])
        )

    return verdict


def _falls(names: Sequence[str]) -> Callable[[Lines], Verdict]:
    def verdict(lines: Lines) -> Verdict:
        return _all(
            (line[-1].value < line[0].value / _FLAT, f"{name} on {table} ({_span(line, ' s')})")
            for table in _tables(lines)
            for name in names
            if (line := lines[table, name])
        )

    return verdict


_SAME_ORDER = "The relative performance of the algorithms is the same as in Figure 11 (here: the order of mean errors)."

CLAIMS = (
    Claim(
        11,
        "The error of all methods escalates with l (here: from the smallest l to the largest).",
        (),
        _changes(rising=True),
    ),
    Claim(11, "Hybrid and Mondrian have the best overall performance.", PAPER, _two_best),
    Claim(
        11,
        f"Hybrid offers almost the same utility as Mondrian (here: within {_SAME:.0f} percentage points).",
        ("hybrid", "mondrian"),
        _almost_the_same,
    ),
    Claim(
        11,
        "Tailor and Ace exhibit worse performance than Hybrid.",
        ("hybrid", "tailor", "ace"),
        _below("hybrid", ("tailor", "ace")),
    ),
    Claim(11, "Mask incurs larger error than Hybrid in all cases.", ("hybrid", "mask"), _below("hybrid", ("mask",))),
    Claim(
        11,
        f"Each algorithm but Ace behaves similarly on both tables (here: mean errors within a factor of {_SIMILAR}).",
        (),
        _similar,
    ),
    Claim(11, "Ace performs worse on SAL than on OCC.", ("ace",), _ace_is_worse_on_sal),
    Claim(12, _SAME_ORDER, PAPER, _same_order, other=11),
    Claim(
        12, "The maximum error of Hybrid and Mondrian is less than 10 %.", ("hybrid", "mondrian"), _within_ten_percent
    ),
    Claim(
        12,
        "Each algorithm is more precise when qd is higher (here: for qd = 5 than for 2).",
        (),
        _changes(rising=False),
    ),
    Claim(13, _SAME_ORDER, PAPER, _same_order, other=11),
    Claim(
        13,
        "The error decreases when s increases (here: from the smallest s to the largest).",
        (),
        _changes(rising=False),
    ),
    Claim(14, "The time of Mask increases superlinearly with n.", ("mask",), _grows(("mask",), linear=False)),
    Claim(
        14,
        f"The other algorithms scale almost linearly (here: time ~ n^b with b at most {_LINEAR}).",
        (),
        _grows(("tailor", "ace", "hybrid", "mondrian"), linear=True),
    ),
    Claim(
        14,
        "Hybrid requires slightly higher overhead than Mondrian (here: 1 to 2 times).",
        ("hybrid", "mondrian"),
        _slightly_slower,
    ),
    Claim(14, "Hybrid anonymizes nearly 10 million tuples within 5 minutes.", ("hybrid",), _within_five_minutes),
    Claim(
        15,
        f"The time of Ace, Mondrian and Mask is insensitive to l (here: within a factor of {_FLAT}).",
        ("ace",),
        _flat(("ace", "mondrian", "mask")),
    ),
    Claim(
        15,
        f"The time of Tailor and Hybrid decreases rapidly as l grows (here: by more than a factor of {_FLAT}).",
        ("tailor", "hybrid"),
        _falls(("tailor", "hybrid")),
    ),
)
