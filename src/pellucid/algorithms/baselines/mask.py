"""Mask (Wong et al. 2007; electronic appendix, Fig. 1): k-anonymous groups, some of whose sensitive values are changed.

A group in which a protected value is too frequent gets the distribution of another one. Who knows Mask can tell from
the release which groups may have been changed, and from what: it prevents minimality attacks and no others, and is
not transparent. It is here to be compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ... import _native
from ...draws import Draws
from ...errors import NoResultError, PolicyError
from ...microdata import Microdata, codes_of
from ...partition import Partition
from ...penalties import Penalty
from ..kernel import Monitor, decide

__all__ = ["mask"]


def mask(
    microdata: Microdata,
    *,
    diversity: int,
    draws: Draws,
    penalty: str | Penalty = "perimeter",
    threads: int | None = None,
    monitor: Monitor | None = None,
    anonymity: int | None = None,
    protected: Sequence[str] | None = None,
) -> Partition:
    """The partition of Mask, with the sensitive values that it publishes.

    `anonymity` is the paper's k, by default l as in section 4.1; `protected` is its V, the texts of the values that
    may not be too frequent, by default all. The groups are those of k-anonymous Mondrian.
    """
    k = diversity if anonymity is None else anonymity
    sensitive = microdata.sensitive
    bounded = range(len(sensitive.values)) if protected is None else codes_of(sensitive, protected)

    def kernel(*arrays: Any, penalty: str, threads: int, run: _native.Run) -> tuple[Any, ...]:
        if penalty != "perimeter":
            _refuse_penalty()
        if len(microdata) < k:
            raise NoResultError(f"Nothing is released: {len(microdata)} rows make no groups of {k} (anonymity).")
        made = _native.mask(*arrays, anonymity=k, protected=list(bounded), threads=threads, run=run)
        if made is None:
            raise NoResultError(
                f"Nothing is released: some groups need another distribution of {sensitive.name!r}, and Mask finds none"
                " that fits.",
                remedy="A smaller l or another algorithm may come to a result.",
            )
        return made

    return decide(
        kernel,
        _refuse_penalty,
        microdata,
        keys=draws.keys("Mask", len(microdata)),
        diversity=diversity,
        penalty=penalty,
        threads=threads,
        monitor=monitor,
        eligible_only=protected is None,
    )


def _refuse_penalty(*_: object) -> NoReturn:
    raise PolicyError("Mask cuts at medians and looks at no penalty.", remedy="Leave the penalty out.")
