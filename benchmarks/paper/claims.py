"""What section 4 says about its figures, as functions of measurements: whether it held here, and by which numbers.

A claim is judged by the points of the figure. The thresholds for words such as "almost" are ours, and every claim
prints its numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from paper.results import Figures, Line, Lines, Point

__all__ = ["CLAIMS", "PAPER", "Claim", "Verdict", "judge"]

PAPER = ("tailor", "ace", "hybrid", "mondrian", "mask")
"""The algorithms that the paper compares."""

_SAME = 2.0
"""Percentage points of error: "almost the same utility"."""

_APART = 1.1
"""Smallest ratio of two mean errors at which their order counts: workloads are random."""

_SIMILAR = 1.5
"""Largest ratio of two errors that counts as "similar behavior"; above it one "significantly outperforms" the other."""

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
    """By the lines of its figure and of the others."""
    others: tuple[int, ...] = ()
    """The other figures that it is about."""


def judge(claim: Claim, figures: Figures) -> Verdict:
    """Judge a claim by the lines of its figure, and of the others that it is about."""
    about = [figures.get(number, {}) for number in (claim.figure, *claim.others)]
    tables = _tables(about[0])
    if lacking := [
        f"{name} on {table}"
        for name in claim.needs
        for table in tables
        if any((table, name) not in lines for lines in about)
    ]:
        return Verdict(None, f"Not judged: there is no result of {', '.join(lacking)}.")
    return claim.judge(*about)


def _tables(lines: Lines) -> list[str]:
    return list(dict.fromkeys(table for table, _ in lines))


def _there(lines: Lines, names: Sequence[str] = PAPER) -> list[str]:
    """Those of these algorithms that were run; claims about "all methods" are about them."""
    return [name for name in names if any(algorithm == name for _, algorithm in lines)]


def _pairs(lines: Lines, table: str, one: str, other: str) -> list[tuple[Point, Point]]:
    """The points of two algorithms at the places where both have one."""
    there = {point.x: point for point in lines[table, other]}
    return [(point, there[point.x]) for point in lines[table, one] if point.x in there]


def _means(lines: Lines, table: str, names: Iterable[str] = PAPER) -> dict[str, float]:
    """The mean errors of these algorithms on a table, the smallest first, over the places where all have a result."""
    there = {name: {p.x: p.value for p in lines[table, name]} for name in names if (table, name) in lines}
    places = set.intersection(*(set(values) for values in there.values())) if there else set()
    means = {name: fmean(values[x] for x in places) for name, values in there.items() if places}
    return dict(sorted(means.items(), key=lambda item: item[1]))


def _listed(means: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {mean:.3g} %" for name, mean in means.items())


def _span(line: Line, unit: str = " %") -> str:
    return f"{line[0].value:.3g} to {line[-1].value:.3g}{unit}"


def _all(cases: Iterable[tuple[bool, str]]) -> Verdict:
    """Held if every case did; the evidence is that of the cases that did not, or of all."""
    judged = list(cases)
    if not judged:
        return Verdict(None, "Not judged: there is no result that could be.")
    against = [evidence for held, evidence in judged if not held]
    said = [f"not so for {'; '.join(against)}"] if against else [evidence for _, evidence in judged]
    text = "; ".join(said)
    if against and len(against) < len(judged):
        text += f" (so for the other {len(judged) - len(against)} of {len(judged)})"
    return Verdict(not against, text)


def _changes(rising: bool) -> Callable[[Lines], Verdict]:
    """Every method's error goes up, or down, from the first place of the axis to the last, in every run.

    The runs stand in the same order at all places, and ask as many random workloads at each.
    """

    def so(line: Line) -> bool:
        pairs = list(zip(line[0].values, line[-1].values, strict=False))
        return all(last > first if rising else last < first for first, last in pairs)

    def verdict(lines: Lines) -> Verdict:
        return _all(
            (so(line), f"{name} on {table} ({_span(line)})")
            for table in _tables(lines)
            for name in _there(lines)
            if len(line := lines.get((table, name), ())) > 1
        )

    return verdict


def _below(better: str, worse: Sequence[str]) -> Callable[[Lines], Verdict]:
    """One method's error is smaller than that of others for every l."""

    def verdict(lines: Lines) -> Verdict:
        cases = []
        for table in _tables(lines):
            for name in worse:
                pairs = _pairs(lines, table, better, name)
                against = [
                    f"for l = {a.x:g} {b.value:.3g} % against {a.value:.3g} %" for a, b in pairs if a.value >= b.value
                ]
                averages = (
                    f"{fmean(b.value for _, b in pairs):.3g} % on average, against"
                    f" {fmean(a.value for a, _ in pairs):.3g} %"
                )
                cases.append((not against, f"{name} on {table} ({', '.join([averages, *against])})"))
        return _all(cases)

    return verdict


def _two_best(lines: Lines) -> Verdict:
    """Hybrid and Mondrian have the smallest errors of the paper's algorithms."""
    cases = []
    for table in _tables(lines):
        means = _means(lines, table)
        cases.append((set(list(means)[:2]) == {"hybrid", "mondrian"}, f"{table}: {_listed(means)}"))
    return _all(cases)


def _same_order(lines: Lines, before: Lines) -> Verdict:
    """No two of the paper's algorithms change places, by mean errors that are apart in both figures."""
    cases = []
    for table in _tables(lines):
        here, there = _means(lines, table), _means(before, table)
        turned = [
            f"{one} and {other}"
            for one in here
            for other in here
            if here[one] * _APART < here[other] and there[one] > there[other] * _APART
        ]
        evidence = f"{table}: {_listed(here)}"
        if turned:
            evidence += f", where {', '.join(turned)} changed places; there {_listed(there)}"
        cases.append((not turned, evidence))
    return _all(cases)


def _outperformed(*figures: Lines) -> Verdict:
    """In all of the figures, the errors of Hybrid and of Mondrian are well below those of the others."""
    cases = []
    for table in _tables(figures[0]):
        every = [_means(lines, table) for lines in figures]
        if not all(every):  # a figure in which the algorithms have no place in common
            continue
        means = {name: fmean(of[name] for of in every) for name in PAPER}
        for better in ("hybrid", "mondrian"):
            close = [
                f"{worse} {means[worse]:.3g} %"
                for worse in ("tailor", "ace", "mask")
                if means[worse] <= _SIMILAR * means[better]
            ]
            text = ", ".join(close) if close else _listed({n: means[n] for n in ("tailor", "ace", "mask")})
            cases.append((not close, f"{better} on {table} ({means[better]:.3g} %, against {text})"))
    return _all(cases)


def _on_both(lines: Lines, name: str) -> tuple[float, float] | None:
    """An algorithm's mean errors on OCC and on SAL, over the places where both have a result."""
    occ, sal = ({point.x: point.value for point in lines.get((table, name), ())} for table in ("OCC", "SAL"))
    places = set(occ) & set(sal)
    return (fmean(occ[x] for x in places), fmean(sal[x] for x in places)) if places else None


def _similar(lines: Lines) -> Verdict:
    cases = []
    for name in PAPER:
        if name != "ace" and (means := _on_both(lines, name)) is not None:
            evidence = f"{name} ({means[0]:.3g} % on OCC, {means[1]:.3g} % on SAL)"
            cases.append((max(means) <= _SIMILAR * min(means), evidence))
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
    if (means := _on_both(lines, "ace")) is None:
        return _all([])
    return Verdict(means[1] > means[0], f"{means[1]:.3g} % on SAL, {means[0]:.3g} % on OCC")


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
    centre = fmean(x)
    return sum((a - centre) * b for a, b in zip(x, y, strict=True)) / sum((a - centre) ** 2 for a in x)


def _grows(names: Sequence[str], linear: bool) -> Callable[[Lines], Verdict]:
    """Time grows almost linearly with n, or faster. Whoever was run for one n has not shown it."""

    def verdict(lines: Lines) -> Verdict:
        there = [(table, name) for table in _tables(lines) for name in _there(lines, names) if (table, name) in lines]
        if once := [f"{name} on {table}" for table, name in there if len(lines[table, name]) < 2]:
            return Verdict(None, f"Not judged: there is one n only of {', '.join(once)}.")
        return _all(
            ((_exponent(line) <= _LINEAR) == linear, f"{name} on {table}: time ~ n^{_exponent(line):.2f}")
            for table, name in there
            for line in [lines[table, name]]
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


_SAME_ORDER = (
    "The relative performance of the algorithms is the same as in Figure 11 (here: by mean errors, no two change places"
    f" that are a factor of {_APART} apart)."
)

CLAIMS = (
    Claim(
        11,
        "The error of all methods escalates with l (here: from the smallest l to the largest, in every run).",
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
    Claim(12, _SAME_ORDER, PAPER, _same_order, others=(11,)),
    Claim(
        12, "The maximum error of Hybrid and Mondrian is less than 10 %.", ("hybrid", "mondrian"), _within_ten_percent
    ),
    Claim(
        12,
        "Each algorithm is more precise when qd is higher (here: for qd = 5 than for 2, in every run).",
        (),
        _changes(rising=False),
    ),
    Claim(13, _SAME_ORDER, PAPER, _same_order, others=(11,)),
    Claim(
        13,
        "The error decreases when s increases (here: from the smallest s to the largest, in every run).",
        (),
        _changes(rising=False),
    ),
    Claim(
        13,
        "In summary, Hybrid and Mondrian both significantly outperform Tailor, Ace and Mask (here: by mean errors over"
        f" Figures 11 to 13, by a factor above {_SIMILAR}).",
        PAPER,
        _outperformed,
        others=(11, 12),
    ),
    Claim(14, "The time of Mask increases superlinearly with n.", ("mask",), _grows(("mask",), linear=False)),
    Claim(
        14,
        f"The other algorithms scale almost linearly (here: time ~ n^b with b at most {_LINEAR}).",
        ("tailor", "ace", "hybrid", "mondrian"),
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
        ("ace", "mondrian", "mask"),
        _flat(("ace", "mondrian", "mask")),
    ),
    Claim(
        15,
        f"The time of Tailor and Hybrid decreases rapidly as l grows (here: by more than a factor of {_FLAT}).",
        ("tailor", "hybrid"),
        _falls(("tailor", "hybrid")),
    ),
)
