"""The algorithms, by name: from microdata to a partition. Each module is one figure of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from ..draws import Draws
from ..microdata import Microdata
from ..partition import Partition
from ..penalties import Penalty
from .ace import ace
from .hybrid import hybrid
from .kernel import Monitor
from .tailor import tailor

__all__ = ["ALGORITHMS", "Anonymizer", "Monitor", "ace", "hybrid", "tailor"]


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


ALGORITHMS: Mapping[str, Anonymizer] = MappingProxyType({"hybrid": hybrid, "tailor": tailor, "ace": ace})
