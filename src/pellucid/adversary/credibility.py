"""The adversary of Wong et al. (2007), who knows only that the algorithm is minimal (Def. 6-8, Prop. 2).

The minimality attack of the introduction (Tables IV and V) is what this adversary does. Credibility is less than
disclosure risk wherever the algorithm gives away more than its minimality (Example 3).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from ..errors import CheckFailedError
from ..reference import Group, Row, is_global
from ..reference.row import is_diverse
from .exact import LIMIT, Beliefs, Progress, require_few
from .external import External
from .instances import ABSENT, Assignment, fewest_instances, possible_instances
from .published import Published, Shape, publish

__all__ = ["Scheme", "children", "credibility", "is_minimal", "partitions_that_publish"]

Scheme: TypeAlias = Literal["global", "local"]
"""The recoding scheme H. Under global recoding the boxes of a partition do not overlap (see `reference.opt_gen`)."""


def children(partition: Sequence[Group]) -> Iterator[list[Group]]:
    """Every child of a partition (Def. 6): one of its groups is split into two."""
    for number, G in enumerate(partition):  # noqa: N806 - the paper's name
        others = [*partition[:number], *partition[number + 1 :]]
        first, *rest = G
        for size in range(len(rest)):
            for together in itertools.combinations(rest, size):
                left = (first, *together)
                yield [*others, left, tuple(t for t in G if t not in left)]


def is_minimal(partition: Sequence[Group], diversity: int, scheme: Scheme) -> bool:
    """Whether the MBR function and a partition decide a minimal l-diverse generalization (Def. 7)."""

    def allowed(P: Sequence[Group]) -> bool:  # noqa: N803 - the paper's name
        return all(is_diverse(G, diversity) for G in P) and (scheme == "local" or is_global(P))

    return allowed(partition) and not any(allowed(child) for child in children(partition))


def partitions_that_publish(release: Published, rows: Sequence[Row], ordered: Sequence[Shape]) -> Iterator[list[Group]]:
    """Every partition of a table that the MBR function turns into the release, one group for each of its boxes."""
    left = [Counter(cell.values) for cell in release]
    groups: list[list[Row]] = [[] for _ in release]

    def place(number: int) -> Iterator[list[Group]]:
        if number == len(rows):
            partition = [tuple(members) for members in groups]
            if publish(partition, ordered, "mbr") == release:
                yield partition
            return
        row = rows[number]
        for cell, wanted, members in zip(release, left, groups, strict=True):
            if wanted[row.sensitive] and all(
                side[0] <= code <= side[1] if has_order else code in side
                for code, side, has_order in zip(row.qi, cell.sides, ordered, strict=True)
            ):
                wanted[row.sensitive] -= 1
                members.append(row)
                yield from place(number + 1)
                members.pop()
                wanted[row.sensitive] += 1

    return place(0)


def credibility(
    external: External,
    release: Published,
    diversity: int,
    scheme: Scheme,
    *,
    limit: int = LIMIT,
    progress: Progress | None = None,
) -> Beliefs:
    """Proposition 2: every instance of which the release is a minimal generalization counts the same.

    The maximum and the posteriors of the result are the credibilities, with V = A^s.
    """
    require_few(fewest_instances(release), limit, 1)
    space = possible_instances(external, release, "mbr")
    instances = space.count(limit)
    require_few(instances, limit, 1)
    result = Beliefs()
    for number, assignment in enumerate(space):
        if progress is not None:
            progress(number, instances)
        rows = _rows(external, assignment)
        partitions = partitions_that_publish(release, rows, external.ordered)
        if any(is_minimal(partition, diversity, scheme) for partition in partitions):
            result.add(assignment, 1)
    if progress is not None:
        progress(instances, instances)
    if not result.instances:
        raise CheckFailedError(
            f"No minimal algorithm can have produced this release under {scheme} recoding with l = {diversity}.",
            remedy="The adversary of this model is not defined for it; use the disclosure risk.",
        )
    return result


def _rows(external: External, assignment: Assignment) -> list[Row]:
    return [Row(person, external.points[person], value) for person, value in enumerate(assignment) if value != ABSENT]
