"""What a release has lost, in the measures of the field. Smaller is better, for all of them.

They judge what a release says (`released.Released`), whoever made it. The groups of a generalization are the rows
with the same box; suppressed rows are those of the source that the release does not have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..microdata import Microdata
from ..packing import number_combinations
from .domains import Domain, Line, Numbers
from .queries import point_estimates
from .released import Intervals, Released, Side, is_point, width

__all__ = [
    "Divergence",
    "Widths",
    "average_group",
    "correlation_ratio",
    "correlation_ratios",
    "discernibility",
    "global_certainty_penalty",
    "kl_divergence",
    "perimeter",
    "widths",
]

_MOST_TUPLES = 5_000


def perimeter(released: Released) -> float:
    """The perimeter of Eq. 4: the sum over groups G of |G| * sum_i (max_G A_i - min_G A_i) / (max A_i - min A_i).

    The ends of a domain are those of the source, and of a box counts the part that lies between them: ancestors and
    orders of a policy reach further. Categories stand in the order of their names, as they do in the program's own
    penalty.
    """
    return _per_row(released, _share_of_extent)


def _share_of_extent(side: Side, domain: Domain) -> Numbers:
    if isinstance(domain, Line) and isinstance(side, Intervals):
        side = Intervals(*(np.clip(ends, *domain.positions[[0, -1]]) for ends in (side.low, side.high)))
    extent = domain.extent if isinstance(domain, Line) else float(len(domain.texts) - 1)
    return width(side, domain) / extent if extent else np.zeros(len(side))


def global_certainty_penalty(released: Released) -> float:
    """GCP: the sum over groups G of |G| * NCP(G), over d * |T*|. 0 is exact, 1 says nothing (Ghinita et al. 2007).

    NCP(G) is the sum over the attributes of (max_G - min_G) / (max - min) where there is an order. Where there is none
    it is |set| / |A| and, of a node of a hierarchy, the number of values under it over |A|; both are 0 for a single
    value (Xu et al. 2006). A is the whole domain: of an order or a hierarchy, all that the policy lists.
    """
    return _per_row(released, _certainty_penalty) / (len(released.domains) * released.rows)


def _certainty_penalty(side: Side, domain: Domain) -> Numbers:
    if isinstance(side, Intervals):
        assert isinstance(domain, Line)  # noqa: S101 - for the type checker
        if not domain.nodes:
            extent = domain.high - domain.low
            return (side.high - side.low) / extent if extent else np.zeros(len(side))
        sizes = side.high - side.low + domain.unit
    else:
        sizes = side.sizes.astype(np.float64)
    return np.where(is_point(side), 0.0, sizes / domain.size)


def _per_row(released: Released, cost: Callable[[Side, Domain], Numbers]) -> float:
    """The sum over rows and attributes of a cost of the side that the row's item has."""
    weights = released.rows_per_item
    return math.fsum(
        float(weights @ cost(side, domain)[cells])
        for side, domain, cells in zip(released.sides, released.domains, released.cells, strict=True)
    )


def discernibility(released: Released, rows: int) -> int:
    """The sum of |G|^2, and of |T| for each of the suppressed rows (Bayardo and Agrawal 2005; Example 2)."""
    sizes = released.sizes
    return int(sizes @ sizes) + rows * max(0, rows - released.rows)


def average_group(released: Released, least: int = 1) -> float:
    """C_avg = (|T*| / number of groups) / k (LeFevre et al. 2006a). For l-diversity k = l: no group is smaller."""
    return released.rows / len(released.sizes) / least


@dataclass(frozen=True)
class Widths:
    """How precisely a release says the values of one attribute."""

    name: str
    exact: float
    """The share of rows whose value is published as it is."""
    mean: float
    """The mean over rows of the interval: how many whole numbers, how long (times: in seconds), or how many categories.
    """
    median: float
    domain: float
    """The same for the whole domain."""

    def as_dict(self) -> dict[str, Any]:
        """The figures by name."""
        return {"exact": self.exact, "mean": self.mean, "median": self.median, "domain": self.domain}


def widths(released: Released) -> tuple[Widths, ...]:
    """The interval widths of every attribute: what the sides of Eq. 4 are, one by one and in their own units."""
    rows = released.rows_per_item
    found = []
    for side, domain, cells in zip(released.sides, released.domains, released.cells, strict=True):
        weights = np.bincount(cells, rows, minlength=len(side))
        scale = domain.scale if isinstance(domain, Line) else 1.0
        sizes = side.high - side.low + _unit(domain) if isinstance(side, Intervals) else side.sizes.astype(np.float64)
        sizes = sizes / scale
        found.append(
            Widths(
                name=domain.name,
                exact=float(weights[is_point(side)].sum() / weights.sum()),
                mean=float(weights @ sizes / weights.sum()),
                median=_weighted_median(sizes, weights.astype(np.float64)),
                domain=domain.size / scale,
            )
        )
    return tuple(found)


def _unit(domain: Domain) -> float:
    return domain.unit if isinstance(domain, Line) else 1.0


def _weighted_median(values: Numbers, weights: Numbers) -> float:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])


@dataclass(frozen=True)
class Divergence:
    """A Kullback-Leibler divergence, exact or estimated."""

    value: float
    """In nats; infinite if the release rules out a tuple that the table has."""
    standard_error: float
    """0 if every tuple was looked at."""

    def as_dict(self) -> dict[str, Any]:
        """The figures by name; JSON has no infinity."""
        finite = math.isfinite(self.value)
        return {"value": self.value if finite else None, "standard_error": self.standard_error if finite else None}


def kl_divergence(
    released: Released, microdata: Microdata, *, most: int = _MOST_TUPLES, seed: int = 0, threads: int | None = None
) -> Divergence:
    """KL(p || p*) = sum over tuples x of p(x) log(p(x) / p*(x)) (Kifer and Gehrke 2006).

    p is the distribution of (A_1^q, .., A_d^q, A^s) in T. p* is that of a table drawn from T* by the uniform-spread
    assumption: p*(x) is the sum over all groups of (its tuples with x's sensitive value) / (number of points of its
    box) if the box holds x, over |T|. Real numbers count as the values that occur. Of tables with more than `most`
    distinct tuples, that many rows are drawn: the mean of log(p / p*) over them estimates the sum.
    """
    attributes = (*microdata.attributes, microdata.sensitive)
    rows, tuple_of_row = number_combinations([a.codes for a in attributes], [len(a.values) for a in attributes])
    p = np.bincount(tuple_of_row) / len(microdata)
    if sampled := len(rows) > most:
        drawn = tuple_of_row[np.random.default_rng(seed).integers(0, len(microdata), most)]
    else:
        drawn = np.arange(len(rows), dtype=np.uint32)
    codes = [attribute.codes[rows[drawn]] for attribute in attributes]
    estimated = point_estimates(_in_values(released), codes, threads=threads) / len(microdata)
    with np.errstate(divide="ignore"):
        terms = np.log(p[drawn]) - np.log(estimated)
    if not sampled:
        return Divergence(math.fsum((p * terms).tolist()), 0.0)
    error = float(terms.std(ddof=1) / math.sqrt(most)) if np.isfinite(terms).all() else math.inf
    return Divergence(float(terms.mean()), error)


def _in_values(released: Released) -> Released:
    """The same release with every line of real numbers as the line of the values that occur, one apart."""
    domains, sides = [], []
    for domain, side in zip(released.domains, released.sides, strict=True):
        if isinstance(domain, Line) and isinstance(side, Intervals) and not domain.unit:
            ranks = np.arange(len(domain.positions), dtype=np.float64)
            low = np.searchsorted(domain.positions, side.low, "left").astype(np.float64)
            high = np.searchsorted(domain.positions, side.high, "right") - 1.0
            empty = low > high  # no value occurs in it, so no tuple asks for it
            side = Intervals(np.where(empty, -1.0, low), np.where(empty, -1.0, high))  # noqa: PLW2901
            domain = _with_ranks(domain, ranks)  # noqa: PLW2901
        domains.append(domain)
        sides.append(side)
    return replace(released, domains=tuple(domains), sides=tuple(sides))


def _with_ranks(domain: Line, ranks: Numbers) -> Line:
    return replace(domain, positions=ranks, low=0.0, high=float(ranks[-1]), unit=1.0)


def correlation_ratio(values: npt.ArrayLike, categories: npt.NDArray[np.integer]) -> float:
    """eta, the correlation ratio of values on categories (Kendall and Stuart 1979): what Table XIV lists.

    eta^2 = sum over categories c of n_c (mean_c - mean)^2 / sum over rows (value - mean)^2. The rows of the paper's
    table are sensitive attributes and its columns QI attributes: there the categories are sensitive values, and the
    values are QI values. 0 if all values are the same.
    """
    values = np.asarray(values, dtype=np.float64)
    # Added in an order of their own, the sums do not depend on the order of rows, which is random.
    order = np.lexsort((values, categories))
    values, categories = values[order], categories[order]
    centred = values - values.mean()
    total = float(centred @ centred)
    sizes = np.bincount(categories)
    sums = np.bincount(categories, centred)
    present = sizes > 0
    between = float(np.sum(sums[present] ** 2 / sizes[present]))
    return math.sqrt(min(1.0, between / total)) if total else 0.0


def correlation_ratios(microdata: Microdata, domains: Sequence[Domain]) -> dict[str, float]:
    """eta of every QI attribute with an order, given the sensitive attribute (Table XIV)."""
    return {
        domain.name: correlation_ratio(domain.positions[attribute.codes], microdata.sensitive.codes)
        for attribute, domain in zip(microdata.attributes, domains, strict=True)
        if isinstance(domain, Line)
    }
