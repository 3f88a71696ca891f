"""What everybody can see of a partition: T* (Def. 1) as one hashable value, equal if and only if the releases are.

A generalization is the multiset of its tuples; groups with the same box are one in it. An anatomy is the multiset
of its groups, each with its multiset of QI values and its multiset of sensitive values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from ..hierarchies import Subtrees
from ..policy import Recoding
from ..reference import Group
from .external import Point

__all__ = ["Cell", "Published", "Shape", "Side", "box_of", "publish", "published"]

Side: TypeAlias = tuple[int, ...]
"""An interval (low, high) of an attribute with an order, the sorted set of values of one without."""


Shape: TypeAlias = bool | Subtrees
"""What a group publishes of an attribute: the interval of its values, the set of them, or an ancestor's interval."""


class Cell(NamedTuple):
    """A group as it is published: by generalization its box, by anatomy its QI values; and its sensitive values."""

    sides: tuple[Side, ...]
    points: tuple[Point, ...]
    """Sorted, by anatomy only."""
    values: tuple[int, ...]
    """Sorted."""


Published: TypeAlias = tuple[Cell, ...]


def box_of(points: Iterable[Point], shapes: Sequence[Shape]) -> tuple[Side, ...]:
    """The box of a group on every attribute: the MBR function, the set, or all that lies under an ancestor."""
    return tuple(_side(codes, shape) for codes, shape in zip(zip(*points, strict=True), shapes, strict=True))


def _side(codes: Sequence[int], shape: Shape) -> Side:
    if shape is False:
        return tuple(sorted(set(codes)))
    ends = min(codes), max(codes)
    return ends if shape is True else shape.span(*ends)


def publish(groups: Iterable[Group], shapes: Sequence[Shape], recoding: Recoding) -> Published:
    """What a partition publishes."""
    if recoding == "anatomy":
        return published(
            Cell((), tuple(sorted(t.qi for t in G)), tuple(sorted(t.sensitive for t in G))) for G in groups
        )
    boxes: dict[tuple[Side, ...], list[int]] = defaultdict(list)
    for G in groups:  # noqa: N806 - the paper's name
        boxes[box_of((t.qi for t in G), shapes)] += [t.sensitive for t in G]
    return published(Cell(sides, (), tuple(sorted(values))) for sides, values in boxes.items())


def published(cells: Iterable[Cell]) -> Published:
    """Cells in an order of their own: equal for equal multisets."""
    return tuple(sorted(cells))
