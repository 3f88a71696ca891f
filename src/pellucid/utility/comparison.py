"""`compare`: several algorithms on one table, side by side.

The figures come from sensitive values. Whoever picks an algorithm by them makes the picking part of the algorithm
(G7), which nothing in the paper proves transparent. So nothing that is computed here can be released.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..algorithms import ALGORITHMS, NOT_TRANSPARENT
from ..algorithms.kernel import require_eligible
from ..errors import PolicyError, listed
from ..hierarchies import HierarchyLike
from ..runs import require_threads
from ..settings import Style
from .evaluation import Errors, Scales, Source, changed_values
from .measured import Failed, Measured, measured
from .metrics import average_group, global_certainty_penalty
from .queries import workload
from .released import of_partition

__all__ = ["NOTICE", "Candidate", "Comparison", "Score", "compare", "is_transparent"]

NOTICE = (
    "These figures were computed from the sensitive values. If they decide which algorithm or which l you publish this"
    " table with, then the choice is part of the algorithm, somebody who knows how you chose may learn from it, and the"
    " guarantee no longer covers it. Decide on another table: last year's, or a made-up one. Nothing was written that"
    " may be released."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Score:
    """What one run of an algorithm gave."""

    seconds: float
    peak_memory: int | None
    groups: int
    """Groups with the same box are one."""
    smallest_group: int
    average_group: float
    c_avg: float
    errors: Errors
    global_certainty_penalty: float
    changed_values: int
    """Rows with a sensitive value that so many people in the source do not have, which GCP does not see."""

    def as_dict(self) -> dict[str, Any]:
        """The figures by name."""
        return {
            "seconds": self.seconds,
            "peak_memory_bytes": self.peak_memory,
            "groups": self.groups,
            "smallest_group": self.smallest_group,
            "average_group": self.average_group,
            "c_avg": self.c_avg,
            "queries": self.errors.as_dict(),
            "global_certainty_penalty": self.global_certainty_penalty,
            "changed_values": self.changed_values,
        }


@dataclass(frozen=True, eq=False)
class Candidate:
    """An algorithm, and what it gave: figures, or the reason why there are none."""

    algorithm: str
    transparent: bool
    outcome: Score | Failed

    def as_dict(self) -> dict[str, Any]:
        """The figures by name."""
        found = {"failed": self.outcome.why} if isinstance(self.outcome, Failed) else self.outcome.as_dict()
        return {"algorithm": self.algorithm, "transparent": self.transparent, **found}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Algorithms side by side. For the curator, not for release."""

    rows: int
    diversity: int
    dimensionality: int
    selectivity: float
    seed: int
    candidates: tuple[Candidate, ...]

    def as_dict(self) -> dict[str, Any]:
        """The figures by name, and the notice that belongs to them."""
        return {
            "notice": NOTICE,
            "rows": self.rows,
            "diversity": self.diversity,
            "workload": {"dimensionality": self.dimensionality, "selectivity": self.selectivity, "seed": self.seed},
            "algorithms": [candidate.as_dict() for candidate in self.candidates],
        }


def is_transparent(algorithm: str) -> bool:
    """Whether its guarantee holds against somebody who knows it: the baselines are there to be compared with."""
    return algorithm not in NOT_TRANSPARENT


def compare(
    source: object,
    *,
    quasi_identifiers: Iterable[str] | None = None,
    sensitive: str | Iterable[str] | None = None,
    joint: bool | None = None,
    diversity: int | None = None,
    identifier: str | None = None,
    algorithms: Iterable[str] | None = None,
    queries: int = 1000,
    dimensionality: int | None = None,
    selectivity: float = 0.06,
    seed: int = 0,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    styles: Mapping[str, Style] | None = None,
    policy: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Run algorithms on a table, once each, and measure what they decide. Read `NOTICE` first.

    `algorithms` are by default all that there are. `tell` hears the name of the one that is running.
    """
    require_threads(threads)
    given = [algorithms] if isinstance(algorithms, str) else algorithms
    names = list(ALGORITHMS) if given is None else list(given)
    if not names:
        raise PolicyError("There is no algorithm to compare.", remedy=f"There are {listed(ALGORITHMS)}.")
    if unknown := [name for name in names if name not in ALGORITHMS]:
        raise PolicyError(f"There is no algorithm {listed(unknown)}.", remedy=f"There are {listed(ALGORITHMS)}.")
    table = Source.read(
        source,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        joint=joint,
        diversity=diversity,
        identifier=identifier,
        hierarchies=hierarchies,
        styles=styles,
        policy=policy,
        coarse=True,
    )
    level = table.diversity
    require_eligible(table.microdata, level)
    asked = workload(
        table.domains,
        table.sensitive,
        queries=queries,
        dimensionality=dimensionality,
        selectivity=selectivity,
        seed=seed,
    )
    scales = Scales.calibrated(table, asked, threads=threads)
    candidates = []
    for name in dict.fromkeys(names):
        tell(name)
        run = measured(name, table.microdata, diversity=level, threads=threads)
        outcome = run if isinstance(run, Failed) else _score(run, scales, level)
        candidates.append(Candidate(name, is_transparent(name), outcome))
    return Comparison(len(table), level, len(asked[0]), selectivity, seed, tuple(candidates))


def _score(run: Measured, scales: Scales, diversity: int) -> Score:
    table = scales.source
    released = of_partition(table.microdata, run.partition, table.domains, table.sensitive)
    return Score(
        seconds=run.seconds,
        peak_memory=run.peak_memory,
        groups=len(released.sizes),
        smallest_group=int(released.sizes.min()),
        average_group=average_group(released),
        c_avg=average_group(released, diversity),
        errors=scales.errors(released),
        global_certainty_penalty=global_certainty_penalty(released),
        changed_values=changed_values(table, released),
    )
