"""Ace (Fig. 5): Assign deals the tuples into buckets by chance, Slice cuts the buckets into small groups.

Assign reads how often each sensitive value occurs, and draws its tuples at random (Fig. 6, Lemma 6). Slice reads
identifiers, QI values and which tuples share a column of a bucket, not which value that column has (Fig. 8,
Lemma 4 and 5). Together they are transparent (Theorem 2).
"""

from __future__ import annotations

from .. import _native, reference
from ..draws import Draws
from ..microdata import Microdata
from ..partition import Partition
from ..penalties import Penalty
from .kernel import Monitor, decide

__all__ = ["ace"]


def ace(
    microdata: Microdata,
    *,
    diversity: int,
    draws: Draws,
    penalty: str | Penalty = "perimeter",
    threads: int | None = None,
    monitor: Monitor | None = None,
) -> Partition:
    """A partition that Ace decides with these draws.

    Proof: docs/proofs/ace.md, Theorem 2.
    """
    return decide(
        _native.ace,
        reference.ace,
        microdata,
        keys=draws.keys("Assign", len(microdata)),
        diversity=diversity,
        penalty=penalty,
        threads=threads,
        monitor=monitor,
    )
