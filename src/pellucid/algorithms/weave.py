"""Weave: Ace whose columns hold classes of sensitive values, in the groups that Tailor leaves whole, refined by swaps.

Three pieces decide, and each sees only what the proof allows it to see (docs/proofs/weave.md): Tailor's cuts see
people and the count c, the plan sees counts and the public order of the sensitive values, Slice and swaps see people in
columns whose values they do not know. Chance, between plan and refiner, is all that sees who has what.
"""

from __future__ import annotations

from functools import partial

from .. import _native, reference
from ..draws import Draws
from ..microdata import Microdata
from ..partition import Partition
from ..penalties import Penalty
from .kernel import Monitor, decide

__all__ = ["weave"]


def weave(
    microdata: Microdata,
    *,
    diversity: int,
    draws: Draws,
    penalty: str | Penalty = "perimeter",
    threads: int | None = None,
    monitor: Monitor | None = None,
) -> Partition:
    """A partition that Weave decides with these draws.

    Where the order of the sensitive values means something, classes are spread along it (rule 2), else not (rule 0).

    Proof: docs/proofs/weave.md, Theorem.
    """
    ordered = microdata.sensitive.ordered
    return decide(
        partial(_native.weave, ordered=ordered),
        partial(reference.weave, ordered=ordered),
        microdata,
        keys=draws.keys("Weave", len(microdata)),
        diversity=diversity,
        penalty=penalty,
        threads=threads,
        monitor=monitor,
    )
