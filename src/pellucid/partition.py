"""Partitions of a table into QI-groups (section 2.1), and what makes two of them the same to an adversary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .microdata import Microdata

__all__ = ["Partition"]


@dataclass(frozen=True, eq=False)
class Partition:
    """Disjoint QI-groups that cover a table: group g holds the rows `members[starts[g]:starts[g + 1]]`."""

    members: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int64]
    sensitive: npt.NDArray[np.uint32] | None = None
    """The sensitive value that every row is published with, if that is not its own (Mask)."""

    def published(self, microdata: Microdata) -> Microdata:
        """The microdata as they are published: an algorithm may have changed sensitive values."""
        if self.sensitive is None:
            return microdata
        codes = self.sensitive.astype(microdata.sensitive.codes.dtype)
        return replace(microdata, sensitive=replace(microdata.sensitive, codes=codes))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[npt.NDArray[np.uint32]]:
        for start, end in zip(self.starts[:-1], self.starts[1:], strict=True):
            yield self.members[start:end]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many tuples each group has."""
        return np.diff(self.starts)

    def group_of_member(self) -> npt.NDArray[np.uint32]:
        """For each position of `members`, the number of its group."""
        return np.repeat(np.arange(len(self), dtype=np.uint32), self.sizes)

    def as_sets(self) -> frozenset[frozenset[int]]:
        """The groups as sets of rows: equal for equal partitions, whatever the order."""
        return frozenset(frozenset(group.tolist()) for group in self)
