"""The experiments of section 4, one record per measurement.

Every run encodes the table anew, so that ties between equal people fall differently, and draws anew; every workload
is a new set of random queries. All algorithms of a run see the same table and the same workloads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl

from census import QUASI_IDENTIFIERS
from pellucid.algorithms import ALGORITHMS
from pellucid.draws import SystemDraws
from pellucid.errors import PellucidError
from pellucid.partition import Partition
from pellucid.utility.evaluation import Scales, Source
from pellucid.utility.metrics import correlation_ratios, perimeter
from pellucid.utility.queries import Query, workload
from pellucid.utility.released import of_partition

__all__ = ["DEFAULT", "Plan", "Record", "Setting", "Tell", "correlations", "scalability", "utility"]

Tell = Callable[[str], None]
"""Hears what is going on."""


@dataclass(frozen=True)
class Setting:
    """One combination of the parameters of Table XIII."""

    diversity: int = 8
    dimensionality: int = 5
    selectivity: float = 0.06


DEFAULT = Setting()
"""The bold numbers of Table XIII."""


@dataclass(frozen=True)
class Plan:
    """What is measured, and how often."""

    algorithms: tuple[str, ...]
    diversities: tuple[int, ...] = (6, 7, 8, 9, 10)
    dimensionalities: tuple[int, ...] = (2, 3, 4, 5)
    selectivities: tuple[float, ...] = (0.02, 0.04, 0.06, 0.08, 0.10)
    copies: tuple[int, ...] = (1, 2, 4, 8, 16)
    """Figure 14: how many copies of the table make n tuples."""
    runs: int = 3
    workloads: int = 2
    queries: int = 1000
    repetitions: int = 2
    """Figure 14: how often each run is timed."""
    patience: float = 60.0
    """Seconds. An algorithm that took longer than this is not run on more copies."""

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Those of Figures 11, 12 and 13, and every l with every qd; they share the default."""
        found = [Setting(diversity, qd) for diversity in self.diversities for qd in self.dimensionalities]
        found += [Setting(selectivity=s) for s in self.selectivities]
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Record:
    """One measurement.

    `error` is a workload error (a fraction), `perimeter` that of a release (Eq. 4) by n, `seconds` the time from
    encoded data to groups: that of the processor on one thread, so that what else runs meanwhile hardly counts.
    """

    measure: str
    table: str
    algorithm: str
    rows: int
    setting: Setting
    run: int
    workload: int
    value: float


def utility(name: str, table: pl.DataFrame, plan: Plan, tell: Tell, note: Tell) -> Iterator[Record]:
    """Figures 11, 12 and 13, and perimeters and the times of Figure 15 from the same runs.

    `note` hears what was left out.
    """
    for run in range(plan.runs):
        source = _encoded(table)
        scales = _calibrated(source, plan, run)
        for diversity in dict.fromkeys(setting.diversity for setting in plan.settings):
            for algorithm in plan.algorithms:
                outcome = _timed(algorithm, source, diversity)
                if isinstance(outcome, str):
                    note(f"{name}, {algorithm}, l = {diversity}: {outcome}")
                    continue
                partition, seconds = outcome
                setting = Setting(diversity=diversity)
                yield Record("seconds", name, algorithm, len(source), setting, run, 0, seconds)
                released = of_partition(source.microdata, partition, source.domains, source.sensitive)
                width = perimeter(released) / len(source)
                yield Record("perimeter", name, algorithm, len(source), setting, run, 0, width)
                for (made, number), scale in scales.items():
                    asked = Setting(diversity, made.dimensionality, made.selectivity)
                    if asked in plan.settings:
                        error = scale.errors(released).workload
                        yield Record("error", name, algorithm, len(source), asked, run, number, error)
            tell(f"{name}: run {run + 1} of {plan.runs}, l = {diversity}")


def scalability(name: str, table: pl.DataFrame, plan: Plan, tell: Tell, note: Tell) -> Iterator[Record]:
    """Figure 14: copies of the table, as in section 4.3. `note` hears what was left out.

    The algorithms take turns, so that what else the machine does meets all of them.
    """
    alive = list(plan.algorithms)
    for copies in plan.copies:
        source = _encoded(pl.concat([table] * copies))
        slow: set[str] = set()
        for repetition in range(plan.repetitions):
            for algorithm in [name for name in alive if name not in slow]:
                outcome = _timed(algorithm, source, DEFAULT.diversity)
                if isinstance(outcome, str):
                    note(f"{name}, {algorithm}, {len(source):,} tuples: {outcome}")
                    alive.remove(algorithm)
                    continue
                seconds = outcome[1]
                yield Record("scalability", name, algorithm, len(source), DEFAULT, repetition, 0, seconds)
                if seconds > plan.patience:
                    slow.add(algorithm)
                    if copies != plan.copies[-1]:
                        note(f"{name}, {algorithm}: {seconds:.0f} s for {len(source):,} tuples; not run on more copies")
        alive = [name for name in alive if name not in slow]
        tell(f"{name}: {len(source):,} tuples")


def correlations(table: pl.DataFrame) -> dict[str, float]:
    """A row of Table XIV."""
    source = _encoded(table)
    return correlation_ratios(source.microdata, source.domains)


def _encoded(table: pl.DataFrame) -> Source:
    return Source.read(table, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=table.columns[-1])


def _calibrated(source: Source, plan: Plan, run: int) -> dict[tuple[Setting, int], Scales]:
    """For every kind of queries, the workloads of a run and their exact answers."""
    kinds = dict.fromkeys(Setting(DEFAULT.diversity, s.dimensionality, s.selectivity) for s in plan.settings)
    return {
        (kind, number): Scales.calibrated(source, _workload(source, kind, plan.queries, run * plan.workloads + number))
        for kind in kinds
        for number in range(plan.workloads)
    }


def _workload(source: Source, kind: Setting, queries: int, seed: int) -> list[Query]:
    return workload(
        source.domains,
        source.sensitive,
        queries=queries,
        dimensionality=kind.dimensionality,
        selectivity=kind.selectivity,
        seed=seed,
    )


def _timed(algorithm: str, source: Source, diversity: int) -> tuple[Partition, float] | str:
    """The partition and the seconds that it took, or why there is none."""
    start = time.process_time()
    try:
        partition = ALGORITHMS[algorithm](source.microdata, diversity=diversity, draws=SystemDraws(), threads=1)
    except PellucidError as problem:
        return str(problem)
    return partition, time.process_time() - start
