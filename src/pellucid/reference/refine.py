"""Refiners of Weave (docs/proofs/weave.md): they cut a bucket into groups with one person of every column.

A refiner gets a *set* of columns of people without sensitive values. It cannot know which class of values a column
holds, nor tell the columns apart by anything but the people in them: that is what Lemma C (iv) rests on.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from pellucid.reference.row import P, Penalty, Person
from pellucid.reference.slice import Columns, canonical_division, is_divisible
from pellucid.reference.swaps import swap

#: The unordered columns of a bucket.
Unordered: TypeAlias = frozenset[frozenset[Person]]

#: One person of every column, in the order of the columns.
Transversal: TypeAlias = tuple[Person, ...]

Refiner: TypeAlias = Callable[[Unordered], Sequence[Transversal]]


def by_smallest_id(columns: Unordered) -> Columns[Person]:
    """Put the columns into the one order that a refiner may use: by the smallest identifier in each.

    The order of the classes must be forgotten here. On counts 3, 3, 3 it could be seen in the release.

    Proof: docs/proofs/weave.md, Lemma D.
    """
    return tuple(sorted((tuple(sorted(L, key=lambda t: t.id)) for L in columns), key=lambda L: L[0].id))


def left_to_right(B: Columns[P], penalty: Penalty) -> list[tuple[P, ...]]:
    """Slice one bucket (Fig. 8): the groups in the order in which canonical divisions leave them."""
    if not is_divisible(B):
        return [tuple(t for L in B for t in L)]
    B_a, B_b = canonical_division(B, penalty)
    return left_to_right(B_a, penalty) + left_to_right(B_b, penalty)


def refine(columns: Unordered, penalty: Penalty) -> list[Transversal]:
    """The refiner of Weave: Slice, then swaps.

    Proof: docs/proofs/weave.md, Lemma C (iv).
    """
    return swap(refine_by_slice(columns, penalty), penalty)


def refine_by_slice(columns: Unordered, penalty: Penalty) -> list[Transversal]:
    """The refiner of Ace: Slice alone.

    Proof: docs/proofs/weave.md, Lemma C (iv).
    """
    return left_to_right(by_smallest_id(columns), penalty)
