"""Hybrid (Fig. 10): Tailor cuts the table, and Ace refines each of the groups that Tailor leaves whole.

Tailor keeps similar people together, Ace makes the groups small. It is transparent (Theorem 3).
"""

from __future__ import annotations

from .. import _native, reference
from ..draws import Draws
from ..microdata import Microdata
from ..partition import Partition
from ..penalties import Penalty
from .kernel import Monitor, decide

__all__ = ["hybrid"]


def hybrid(
    microdata: Microdata,
    *,
    diversity: int,
    draws: Draws,
    penalty: str | Penalty = "perimeter",
    threads: int | None = None,
    monitor: Monitor | None = None,
) -> Partition:
    """A partition that Hybrid decides with these draws.

    Proof: docs/proofs/hybrid.md, Theorem 3.
    """
    return decide(
        _native.hybrid,
        reference.hybrid,
        microdata,
        keys=draws.keys("Assign", len(microdata)),
        diversity=diversity,
        penalty=penalty,
        threads=threads,
        monitor=monitor,
    )
