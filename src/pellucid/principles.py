"""What a publishable group is (Def. 2), behind the interface that the proof of Tailor needs.

Any principle that is a convex condition on the distribution of sensitive values in a group can stand here:
`satisfied` judges a group, `safe_size` is the least size from which on every part of the group satisfies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["LDiversity", "Principle"]


class Principle(Protocol):
    """A condition on how often each sensitive value occurs in a group."""

    def satisfied(self, counts: Sequence[int]) -> bool:
        """Whether a group with these counts may be published."""

    def safe_size(self, counts: Sequence[int]) -> int:
        """The least size such that every sub-multiset of at least this size satisfies the principle."""


@dataclass(frozen=True)
class LDiversity:
    """At most 1/l of the tuples of a group have the same sensitive value (Def. 2)."""

    diversity: int

    def satisfied(self, counts: Sequence[int]) -> bool:
        """Whether l * c <= |G|, in whole numbers."""
        return self.diversity * max(counts, default=0) <= sum(counts)

    def safe_size(self, counts: Sequence[int]) -> int:
        """l * c (Def. 9, condition 2): a part with that many tuples has at most c of one value."""
        return self.diversity * max(counts, default=0)

    def largest(self, counts: Sequence[int]) -> int:
        """The largest l for which a table with these counts is eligible."""
        return sum(counts) // max(counts) if counts else 0
