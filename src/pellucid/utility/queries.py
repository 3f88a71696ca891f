"""COUNT queries: what a table answers, and what a release of it lets somebody estimate (section 4.1).

    SELECT COUNT(*) FROM T WHERE pred(A_1^q) AND ... AND pred(A_d^q) AND pred(A^s)

The paper measures a release by how far the estimates are from the answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from .. import _native
from ..errors import PolicyError
from ..runs import all_cores, require_threads, watched
from .domains import Categories, Domain, Line, Numbers
from .released import Intervals, Released, Side

__all__ = ["Among", "Between", "Predicate", "Query", "estimates", "point_estimates", "relative_errors", "workload"]

_LEAST_SHARE = 0.005
_CELLS_AT_ONCE = 2**26


@dataclass(frozen=True)
class Between:
    """A in [low, high], in positions of a line."""

    low: float
    high: float


@dataclass(frozen=True)
class Among:
    """A in {..}, in codes of a domain without an order."""

    codes: frozenset[int]


Predicate = Between | Among
Query = Mapping[str, Predicate]
"""A predicate for each of some attributes; pred(A) of the others is "A = *"."""


def workload(
    domains: Sequence[Domain],
    sensitive: Domain,
    *,
    queries: int = 1000,
    dimensionality: int | None = None,
    selectivity: float = 0.06,
    seed: int = 0,
) -> list[Query]:
    """Random queries of dimensionality qd and expected selectivity s, as section 4.1 makes them.

    Each asks for the sensitive attribute and for qd - 1 QI attributes drawn at random, on each for a random
    interval with a fraction s^(1/qd) of the values of the domain. Of whole numbers that is the nearest number of
    values that is not 0; where there is no order it is as many categories, drawn at random. The paper's qd is 5, all
    its attributes, which is the default as long as there are so many.
    """
    most = len(domains) + 1
    dimensionality = min(5, most) if dimensionality is None else dimensionality
    _require(queries >= 1, "queries", "a whole number of at least 1", queries)
    _require(2 <= dimensionality <= most, "qd", f"from 2 to {most}, with {len(domains)} QI attributes", dimensionality)
    _require(0 < selectivity <= 1, "selectivity", "above 0 and at most 1", selectivity)
    _require(seed >= 0, "seed", "a whole number of at least 0", seed)
    random = np.random.default_rng(seed)
    fraction = selectivity ** (1 / dimensionality)
    made: list[Query] = []
    for _ in range(queries):
        chosen = random.choice(len(domains), dimensionality - 1, replace=False)
        asked = [sensitive, *(domains[number] for number in sorted(chosen.tolist()))]
        made.append({domain.name: _random_part(domain, fraction, random) for domain in asked})
    return made


def _require(holds: bool, parameter: str, constraint: str, value: object) -> None:
    if not holds:
        raise PolicyError(f"{parameter} must be {constraint}, not {value}.")


def _random_part(domain: Domain, fraction: float, random: np.random.Generator) -> Predicate:
    if isinstance(domain, Line) and not domain.unit:
        length = fraction * domain.size
        start = domain.low + random.random() * (domain.size - length)
        return Between(start, start + length)
    size = int(domain.size)
    values = min(size, max(1, math.floor(fraction * size + 0.5)))
    if isinstance(domain, Categories):
        return Among(frozenset(random.choice(size, values, replace=False).tolist()))
    places = size - values + 1
    # Beyond 64 bits every place is a whole number that a float holds.
    place = int(random.integers(places)) if places < 2**63 else math.floor(random.random() * places)
    low = domain.low + place
    return Between(low, min(low + values - 1, domain.high))


def estimates(released: Released, queries: Sequence[Query], *, threads: int | None = None) -> Numbers:
    """What the release lets somebody estimate, by the uniform-spread assumption of LeFevre et al. 2006a.

    A group of a generalization counts with its number of matching sensitive values times the fraction of its box
    that the query covers: on each attribute the share of the integers, of the length or of the set. A group of an
    anatomy counts with its number of matching QI values times the fraction of its sensitive values that match. From the
    microdata themselves (`released.of_rows`) the estimate is the answer.
    """
    columns = [_asked_of(domain, queries) for domain in (*released.domains, released.sensitive)]
    return _count(released, len(queries), columns, threads)


def point_estimates(
    released: Released, codes: Sequence[npt.NDArray[np.integer]], *, threads: int | None = None
) -> Numbers:
    """The estimated number of tuples with exactly these values, given by the code of each attribute, A^s last."""
    domains = (*released.domains, released.sensitive)
    columns = [_exactly(domain, code) for domain, code in zip(domains, codes, strict=True)]
    return _count(released, len(codes[0]), columns, threads)


def relative_errors(actual: Numbers, estimated: Numbers, rows: int) -> Numbers:
    """|act - est| / max(act, delta), with delta = 0.5 % of the cardinality of the table."""
    errors: Numbers = np.abs(actual - estimated) / np.maximum(actual, _LEAST_SHARE * rows)
    return errors


_Columns = Callable[[slice], tuple[Numbers, Numbers] | npt.NDArray[np.uint8]]
"""For some of the queries, what they ask of one attribute: the ends of intervals, or a flag for each category."""


def _asked_of(domain: Domain, queries: Sequence[Query]) -> _Columns:
    predicates = [query.get(domain.name) for query in queries]
    if isinstance(domain, Line):
        between = [p if isinstance(p, Between) else Between(-math.inf, math.inf) for p in predicates]
        low, high = np.array([p.low for p in between]), np.array([p.high for p in between])
        return lambda some: (low[some], high[some])
    everything = frozenset(range(len(domain.texts)))
    codes = [p.codes if isinstance(p, Among) else everything for p in predicates]

    def flags(some: slice) -> npt.NDArray[np.uint8]:
        asked = np.zeros((len(codes[some]), len(everything)), dtype=np.uint8)
        for row, wanted in zip(asked, codes[some], strict=True):
            row[list(wanted)] = 1
        return asked

    return flags


def _exactly(domain: Domain, codes: npt.NDArray[np.integer]) -> _Columns:
    if isinstance(domain, Line):
        at = domain.positions[codes]
        return lambda some: (at[some], at[some])

    def flags(some: slice) -> npt.NDArray[np.uint8]:
        wanted = codes[some]
        asked = np.zeros((len(wanted), len(domain.texts)), dtype=np.uint8)
        asked[np.arange(len(wanted)), wanted] = 1
        return asked

    return flags


def _count(released: Released, queries: int, columns: Sequence[_Columns], threads: int | None) -> Numbers:
    """Ask the kernel, as many queries at once as fit in memory."""
    require_threads(threads)
    *qi, sensitive = columns
    kinds = len(released.sensitive.texts)
    answers = [np.zeros(0)]
    for some in _parts(queries, max(len(domain.texts) for domain in (*released.domains, released.sensitive))):
        sides = [
            _side(side, domain, column(some))
            for side, domain, column in zip(released.sides, released.domains, qi, strict=True)
        ]
        flags = np.ascontiguousarray(_flags(released.sensitive, sensitive(some))).ravel()
        count = partial(
            _native.count,
            sides,
            released.cells,
            released.starts,
            released.value_starts,
            released.values,
            kinds,
            flags,
            queries=some.stop - some.start,
            threads=all_cores() if threads is None else threads,
        )
        answers.append(_watched(count))
    return np.concatenate(answers)


def _watched(count: Callable[..., Numbers]) -> Numbers:
    """Ctrl-C ends it, which may take minutes with many queries on many rows."""
    return watched(lambda run: count(run=run), lambda _: None)


def _parts(queries: int, widest: int) -> Iterator[slice]:
    at_once = max(64, _CELLS_AT_ONCE // widest)
    for start in range(0, queries, at_once):
        yield slice(start, min(start + at_once, queries))


def _side(side: Side, domain: Domain, asked: tuple[Numbers, Numbers] | npt.NDArray[np.uint8]) -> tuple[object, ...]:
    if isinstance(side, Intervals):
        assert isinstance(domain, Line)  # noqa: S101 - for the type checker
        return (side.low, side.high, domain.unit, *asked)
    return (side.starts, side.members, len(domain.texts), np.asarray(asked, dtype=np.uint8).ravel())


def _flags(domain: Domain, asked: tuple[Numbers, Numbers] | npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """For every query and every value of the sensitive attribute, whether the query asks for it."""
    if isinstance(domain, Categories):
        return np.asarray(asked, dtype=np.uint8)
    low, high = asked
    at = domain.positions
    return ((at >= low[:, None]) & (at <= high[:, None])).astype(np.uint8)
