"""`evaluate`: what a release is still worth, measured against the table that it was made from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..draws import SystemDraws
from ..errors import CheckFailedError
from ..hierarchies import HierarchyLike
from ..microdata import Microdata, encode
from ..policy import Policy
from ..policy_file import read_policy_file
from ..release import Release
from ..runs import require_threads
from ..settings import Style
from ..sources import open_source
from .domains import Domain, Numbers, domains_of
from .metrics import (
    Divergence,
    Widths,
    average_group,
    correlation_ratios,
    discernibility,
    global_certainty_penalty,
    kl_divergence,
    perimeter,
    widths,
)
from .queries import Query, estimates, relative_errors, workload
from .query_file import read_queries
from .reading import read_release
from .released import Released, of_rows

__all__ = ["Errors", "Evaluation", "Scales", "Source", "changed_values", "evaluate"]


@dataclass(frozen=True, eq=False)
class Source:
    """The table that releases are measured against."""

    microdata: Microdata
    domains: tuple[Domain, ...]
    sensitive: Domain
    diversity: int = 1
    """The l that was asked for; 1 where none is needed."""

    @classmethod
    def read(
        cls,
        source: object,
        *,
        quasi_identifiers: Iterable[str] | None,
        sensitive: str | Iterable[str] | None,
        joint: bool | None = None,
        identifier: str | None = None,
        orders: Mapping[str, Sequence[str]] | None = None,
        hierarchies: Mapping[str, HierarchyLike] | None = None,
        styles: Mapping[str, Style] | None = None,
        policy: str | os.PathLike[str] | None = None,
        diversity: int | None = 1,
        coarse: bool = False,
    ) -> Source:
        """Read a table. Of a policy file count the roles and settings of columns, missing values and, if asked, l.

        A release is measured against the values themselves, not against the steps of a grid, unless `coarse`.
        """
        given = {
            "quasi_identifiers": quasi_identifiers,
            "sensitive": sensitive,
            "joint": joint,
            "identifier": identifier,
            "orders": orders,
            "hierarchies": hierarchies,
            "styles": styles,
            "diversity": diversity,
            "drop_others": True,
        }
        # Nothing is published here, so that a missing value is no reason to refuse the table.
        file = read_policy_file(policy)
        settings = Policy.from_options({**given, "missing": "category"} if policy is None else given, file=file)
        if not coarse:
            settings = replace(settings, grids={})
        table = open_source(source, file.source)
        settings.require_roles(table.columns)
        rows = table.read(settings.needed(table.columns))
        microdata = encode(rows, settings, SystemDraws(), untyped=table.untyped)
        return cls(microdata, *domains_of(microdata, settings.columns), settings.diversity)

    def __len__(self) -> int:
        return len(self.microdata)


@dataclass(frozen=True, eq=False)
class Scales:
    """Queries and their exact answers, to weigh any number of releases of one table with."""

    source: Source
    queries: Sequence[Query]
    actual: Numbers
    threads: int | None = None

    @classmethod
    def calibrated(cls, source: Source, queries: Sequence[Query], *, threads: int | None = None) -> Scales:
        """Answer the queries from the table itself."""
        rows = of_rows(source.microdata, source.domains, source.sensitive)
        return cls(source, queries, estimates(rows, queries, threads=threads), threads)

    def errors(self, released: Released) -> Errors:
        """How far a release's estimates are from the answers."""
        estimated = estimates(released, self.queries, threads=self.threads)
        return Errors(relative_errors(self.actual, estimated, len(self.source)))


@dataclass(frozen=True, eq=False)
class Errors:
    """The errors of a workload, |act - est| / max(act, 0.5 % of n) each."""

    each: Numbers

    @property
    def workload(self) -> float:
        """The workload error of section 4.1: the average."""
        return float(self.each.mean())

    def as_dict(self) -> dict[str, Any]:
        """The figures by name."""
        median, high = np.quantile(self.each, [0.5, 0.95]).tolist()
        return {
            "queries": len(self.each),
            "average_error": self.workload,
            "median_error": median,
            "error_of_95_percent": high,
            "worst_error": float(self.each.max()),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation:
    """What a release is still worth. It is measured against the source: for the curator, not for release (G8)."""

    source_rows: int
    rows: int
    changed_values: int
    """Rows with a sensitive value that so many people in the source do not have: as Mask makes them."""
    groups: int
    smallest_group: int
    average_group: float
    c_avg: float | None
    """The average group over l, if an l was given."""
    errors: Errors
    workload: Mapping[str, Any]
    """How the queries were made."""
    perimeter: float
    global_certainty_penalty: float
    discernibility: int
    kl_divergence: Divergence
    correlation_ratios: Mapping[str, float]
    """Of the source: how strongly each QI attribute goes with the sensitive one (Table XIV)."""
    widths: tuple[Widths, ...]

    def as_dict(self) -> dict[str, Any]:
        """The figures by name."""
        return {
            "source_rows": self.source_rows,
            "rows": self.rows,
            "changed_values": self.changed_values,
            "groups": self.groups,
            "smallest_group": self.smallest_group,
            "average_group": self.average_group,
            "c_avg": self.c_avg,
            "queries": {**self.workload, **self.errors.as_dict()},
            "perimeter": self.perimeter,
            "global_certainty_penalty": self.global_certainty_penalty,
            "discernibility": self.discernibility,
            "kl_divergence": self.kl_divergence.as_dict(),
            "correlation_ratios": dict(self.correlation_ratios),
            "attributes": {each.name: each.as_dict() for each in self.widths},
        }


def evaluate(
    source: object,
    release: object,
    *,
    quasi_identifiers: Iterable[str] | None = None,
    sensitive: str | Iterable[str] | None = None,
    joint: bool | None = None,
    diversity: int | None = None,
    queries: int = 1000,
    dimensionality: int | None = None,
    selectivity: float = 0.06,
    queries_file: str | os.PathLike[str] | None = None,
    seed: int = 0,
    orders: Mapping[str, Sequence[str]] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    styles: Mapping[str, Style] | None = None,
    policy: str | os.PathLike[str] | None = None,
    threads: int | None = None,
) -> Evaluation:
    """Measure a release against its source.

    Both are paths or data frames; `release` may also be a `Release`, or the two tables of an anatomy. The queries are
    random ones of dimensionality qd and expected selectivity s (section 4.1), or those of a file (`query_file`).
    `seed` makes the workload, and nothing secret. `diversity` is the l of the release, which C_avg needs.
    """
    require_threads(threads)
    table = Source.read(
        source,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        joint=joint,
        policy=policy,
        orders=orders,
        hierarchies=hierarchies,
        styles=styles,
        diversity=1 if diversity is None else diversity,
    )
    if queries_file is not None:
        asked = read_queries(queries_file, (*table.domains, table.sensitive))
        made: dict[str, Any] = {"file": os.fspath(queries_file)}
    else:
        asked = workload(
            table.domains,
            table.sensitive,
            queries=queries,
            dimensionality=dimensionality,
            selectivity=selectivity,
            seed=seed,
        )
        made = {"dimensionality": len(asked[0]), "selectivity": selectivity, "seed": seed}
    released = read_release(_tables(release), table.domains, table.sensitive)
    if released.rows > len(table):
        raise CheckFailedError(
            f"The release has {released.rows:,} rows, and its source {len(table):,}.",
            remedy="Evaluate a release against the table that it was made from.",
        )
    return Evaluation(
        source_rows=len(table),
        rows=released.rows,
        changed_values=changed_values(table, released),
        groups=len(released.sizes),
        smallest_group=int(released.sizes.min()),
        average_group=average_group(released),
        c_avg=None if diversity is None else average_group(released, table.diversity),
        errors=Scales.calibrated(table, asked, threads=threads).errors(released),
        workload=made,
        perimeter=perimeter(released),
        global_certainty_penalty=global_certainty_penalty(released),
        discernibility=discernibility(released, len(table)),
        kl_divergence=kl_divergence(released, table.microdata, seed=seed, threads=threads),
        correlation_ratios=correlation_ratios(table.microdata, table.domains),
        widths=widths(released),
    )


def changed_values(table: Source, released: Released) -> int:
    """How many rows have a sensitive value that so many people in the source do not have."""
    kinds = len(table.sensitive.texts)
    there, here = (np.bincount(codes, minlength=kinds) for codes in (table.microdata.sensitive.codes, released.values))
    return int(np.maximum(here - there, 0).sum())


def _tables(release: object) -> object:
    if not isinstance(release, Release):
        return release
    if release.policy.recoding == "anatomy":
        return release.qi_table, release.sensitive_table
    return release.table
