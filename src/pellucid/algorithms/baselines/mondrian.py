"""Mondrian for l-diversity (LeFevre et al. 2006): cut at the median of the widest attribute, if both sides are diverse.

Whether a cut is made depends on who has which sensitive value. So the groups that are published say something about
that: Mondrian is not transparent.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ... import _native
from ...draws import Draws
from ...errors import PolicyError
from ...microdata import Microdata
from ...partition import Partition
from ...penalties import Penalty
from ..kernel import Monitor, decide

__all__ = ["mondrian", "relaxed_mondrian"]


def mondrian(
    microdata: Microdata,
    *,
    diversity: int,
    draws: Draws,  # noqa: ARG001 - Mondrian draws nothing
    penalty: str | Penalty = "perimeter",
    threads: int | None = None,
    monitor: Monitor | None = None,
) -> Partition:
    """The partition of strict Mondrian: equal values stay together."""
    return _decide(microdata, diversity, penalty, threads, monitor, relaxed=False)


def relaxed_mondrian(
    microdata: Microdata,
    *,
    diversity: int,
    draws: Draws,  # noqa: ARG001 - Mondrian draws nothing
    penalty: str | Penalty = "perimeter",
    threads: int | None = None,
    monitor: Monitor | None = None,
) -> Partition:
    """The partition of relaxed Mondrian: equal values are told apart by the identifier."""
    return _decide(microdata, diversity, penalty, threads, monitor, relaxed=True)


def _decide(
    microdata: Microdata,
    diversity: int,
    penalty: str | Penalty,
    threads: int | None,
    monitor: Monitor | None,
    *,
    relaxed: bool,
) -> Partition:
    def kernel(*arrays: Any, penalty: str, threads: int, run: _native.Run) -> tuple[Any, Any]:
        if penalty != "perimeter":
            _refuse_penalty()
        return _native.mondrian(*arrays, relaxed=relaxed, threads=threads, run=run)

    return decide(
        kernel,
        _refuse_penalty,
        microdata,
        diversity=diversity,
        penalty=penalty,
        threads=threads,
        monitor=monitor,
    )


def _refuse_penalty(*_: object) -> NoReturn:
    raise PolicyError("Mondrian cuts at medians and looks at no penalty.", remedy="Leave the penalty out.")
