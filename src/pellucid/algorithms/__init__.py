"""The algorithms, by name: from microdata to a partition. Each module is one figure of the paper, or Weave."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from ..draws import Draws
from ..microdata import Microdata
from ..partition import Partition
from ..penalties import Penalty
from .ace import ace
from .baselines import mask, mondrian, relaxed_mondrian
from .hybrid import hybrid
from .kernel import Monitor
from .tailor import tailor
from .weave import weave

__all__ = [
    "ALGORITHMS",
    "CHANGES_VALUES",
    "NOT_TRANSPARENT",
    "Anonymizer",
    "Monitor",
    "ace",
    "hybrid",
    "mask",
    "mondrian",
    "relaxed_mondrian",
    "tailor",
    "weave",
]


class Anonymizer(Protocol):
    """What an algorithm is called with."""

    def __call__(
        self,
        microdata: Microdata,
        *,
        diversity: int,
        draws: Draws,
        penalty: str | Penalty = "perimeter",
        threads: int | None = None,
        monitor: Monitor | None = None,
    ) -> Partition:
        """An l-diverse partition of the microdata, which must be l-eligible."""


_BASELINES: Mapping[str, Anonymizer] = {
    "mondrian": mondrian,
    "mondrian-relaxed": relaxed_mondrian,
    "mask": mask,
}

ALGORITHMS: Mapping[str, Anonymizer] = MappingProxyType(
    {"weave": weave, "hybrid": hybrid, "tailor": tailor, "ace": ace, **_BASELINES}
)

NOT_TRANSPARENT = frozenset(_BASELINES)
"""Those whose releases say more than 1/l to somebody who knows the algorithm: to be compared with, not relied on."""

CHANGES_VALUES = frozenset({"mask"})
"""Those that publish other sensitive values than the source has."""
