"""What a curator's report says beyond the release: it reads the source, and is not for release."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from ..microdata import Microdata
from ..partition import Partition
from ..policy import Policy
from ..recodings import GROUP_ID, ReleasedTable
from ..recodings.anatomy import exact_values
from ..sources.targets import ReleaseKind
from ..utility.domains import domains_of
from ..utility.evaluation import Scales, Source
from ..utility.queries import workload
from ..utility.reading import read_release
from .charts import histogram
from .model import Curator, QueryErrors, Sample
from .released import shown
from .words import evaluation

__all__ = ["curator"]

_PLACES = (0.25, 0.5, 0.75)
_QUERIES, _SELECTIVITY, _SEED = 1000, 0.06, 0
"""The default workload of `pellucid evaluate`, so that whoever has the source can ask the same again."""

Members = npt.NDArray[np.uint32]
Recode = Callable[[Partition], Sequence[ReleasedTable]]


def curator(
    microdata: Microdata,
    partition: Partition,
    recode: Recode,
    tables: Sequence[pl.DataFrame],
    *,
    policy: Policy,
    target: str,
    kind: ReleaseKind,
) -> Curator:
    """Some groups before and after, and how far counts from the released tables are from those of the source."""
    groups = _some_groups(partition, len(microdata))
    return Curator(
        dropped_rows=microdata.dropped_rows,
        changed_values=int((partition.published(microdata).sensitive.codes != microdata.sensitive.codes).sum()),
        before=shown("Before: in the source", [_rows(microdata, group) for group in groups]),
        after=_after([recode(Partition(group, np.array([0, len(group)]))) for group in groups]),
        errors=_errors(microdata, tables, policy, target, kind),
    )


def _some_groups(partition: Partition, rows: int) -> list[Members]:
    """The groups of the people at a quarter, the middle and three quarters of the order of identifiers."""
    persons = (int(place * (rows - 1)) for place in _PLACES)
    positions = [int(np.flatnonzero(partition.members == person)[0]) for person in persons]
    numbers = dict.fromkeys(np.searchsorted(partition.starts, positions, side="right").tolist())
    return [partition.members[partition.starts[number - 1] : partition.starts[number]] for number in numbers]


def _rows(microdata: Microdata, group: Members) -> pl.DataFrame:
    """The people of a group in the order of their sensitive values, which is that of a released group."""
    group = group[np.argsort(microdata.sensitive.codes[group], kind="stable")]
    columns = {each.name: (exact_values(each), each.codes) for each in microdata.attributes}
    columns |= {values.name: (values, microdata.sensitive.codes) for values in microdata.sensitive.columns}
    named = {name: columns[name] for name in microdata.columns}
    return pl.DataFrame({name: values.gather(pl.Series(codes[group])) for name, (values, codes) in named.items()})


def _after(recoded: Sequence[Sequence[ReleasedTable]]) -> tuple[Sample, ...]:
    """The tables of every group, which is recoded alone: by anatomy, its number would mean nothing."""
    tables = [[table.frame() for table in blocks] for blocks in zip(*recoded, strict=True)]
    if len(tables) == 1:
        return (shown("After: in the release", tables[0]),)
    titles = ("After: their quasi-identifiers", "After: their sensitive values")
    return tuple(
        shown(title, [table.drop(GROUP_ID) for table in blocks]) for title, blocks in zip(titles, tables, strict=True)
    )


def _errors(
    microdata: Microdata, tables: Sequence[pl.DataFrame], policy: Policy, target: str, kind: ReleaseKind
) -> QueryErrors:
    source = Source(microdata, *domains_of(microdata, policy.columns), policy.diversity)
    queries = workload(source.domains, source.sensitive, queries=_QUERIES, selectivity=_SELECTIVITY, seed=_SEED)
    released = read_release(tables if len(tables) == 2 else tables[0], source.domains, source.sensitive)
    errors = Scales.calibrated(source, queries).errors(released)
    figures = errors.as_dict()
    percents, counts = np.unique(100 * errors.each, return_counts=True)
    return QueryErrors(
        queries=len(queries),
        dimensionality=len(queries[0]),
        selectivity=_SELECTIVITY,
        average=figures["average_error"],
        median=figures["median_error"],
        within=figures["error_of_95_percent"],
        worst=figures["worst_error"],
        spread=histogram(
            zip(percents.tolist(), counts.tolist(), strict=True),
            across="error in percent",
            upwards="queries",
            whole=False,
        ),
        command=evaluation(policy, target, kind, {"queries": _QUERIES, "selectivity": _SELECTIVITY, "seed": _SEED}),
    )
