"""What everybody can see of a partition: T* (Def. 1) as one hashable value, equal if and only if the releases are.

A generalization is the multiset of its tuples; groups with the same box are one in it. An anatomy is the multiset
of its groups, each with its multiset of QI values and its multiset of sensitive values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from ..policy import Recoding
from ..reference import Group
from .external import Point

__all__ = ["Cell", "Published", "Side", "box_of", "publish", "published"]

Side: TypeAlias = tuple[int, ...]
"""An interval (low, high) of an attribute with an order, the sorted set of values of one without."""


class Cell(NamedTuple):
    """A group as it is published: by generalization its box, by anatomy its QI values; and its sensitive values."""

    sides: tuple[Side, ...]
    points: tuple[Point, ...]
    """Sorted, by anatomy only."""
    values: tuple[int, ...]
    """Sorted."""


Published: TypeAlias = tuple[Cell, ...]


def box_of(points: Iterable[Point], ordered: Sequence[bool]) -> tuple[Side, ...]:
    """The box of a group on every attribute: the MBR function, or the set where there is no order."""
    return tuple(
        (min(codes), max(codes)) if has_order else tuple(sorted(set(codes)))
        for codes, has_order in zip(zip(*points, strict=True), ordered, strict=True)
    )


def publish(groups: Iterable[Group], ordered: Sequence[bool], recoding: Recoding) -> Published:
    """What a partition publishes."""
    if recoding == "anatomy":
        return published(
            Cell((), tuple(sorted(t.qi for t in G)), tuple(sorted(t.sensitive for t in G))) for G in groups
        )
    boxes: dict[tuple[Side, ...], list[int]] = defaultdict(list)
    for G in groups:  # noqa: N806 - the paper's name
        boxes[box_of((t.qi for t in G), ordered)] += [t.sensitive for t in G]
    return published(Cell(sides, (), tuple(sorted(values))) for sides, values in boxes.items())


def published(cells: Iterable[Cell]) -> Published:
    """Cells in an order of their own: equal for equal multisets."""
    return tuple(sorted(cells))
