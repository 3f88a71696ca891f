"""Tailor (Fig. 3): cut the table like a kd-tree, as long as a group is 2l-diverse.

A cut is canonical (Def. 10): it depends on identifiers, QI values and the count c of the most frequent sensitive
value, never on who has it. Therefore isomorphic groups are cut alike (Lemma 2), and whatever Tailor publishes could
have come from any assignment of the sensitive values inside its groups (Lemma 3, Theorem 1).
"""

from __future__ import annotations

from .. import _native, reference
from ..draws import Draws
from ..microdata import Microdata
from ..partition import Partition
from ..penalties import Penalty
from .kernel import Monitor, decide

__all__ = ["tailor"]


def tailor(
    microdata: Microdata,
    *,
    diversity: int,
    draws: Draws,  # noqa: ARG001 - Tailor draws nothing
    penalty: str | Penalty = "perimeter",
    threads: int | None = None,
    monitor: Monitor | None = None,
) -> Partition:
    """The partition that Tailor decides.

    Proof: docs/proofs/tailor.md, Theorem 1.
    """
    return decide(
        _native.tailor,
        reference.tailor,
        microdata,
        diversity=diversity,
        penalty=penalty,
        threads=threads,
        monitor=monitor,
    )
