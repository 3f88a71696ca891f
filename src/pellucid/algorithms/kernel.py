"""How an algorithm runs: in the native kernel, or in plain Python when the penalty is the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from .. import reference
from ..draws import Keys
from ..errors import NotEligibleError
from ..microdata import Microdata
from ..partition import Partition
from ..penalties import Penalty, weighted_positions
from ..principles import LDiversity
from ..runs import all_cores, require_threads, watched

__all__ = ["Monitor", "decide", "require_eligible"]


_MOST_THREADS = 1024


class Monitor(Protocol):
    """Hears how far a run has come: the stage, and the share of it that is done."""

    def __call__(self, stage: str, share: float) -> None:
        """Called often, from the thread that started the run."""


def decide(
    kernel: Callable[..., tuple[Any, ...]],
    plain: Callable[..., Sequence[reference.Group]],
    microdata: Microdata,
    *,
    keys: Keys | None = None,
    diversity: int,
    penalty: str | Penalty,
    threads: int | None,
    monitor: Monitor | None,
    eligible_only: bool = True,
) -> Partition:
    """The partition of the microdata that an algorithm decides: `kernel` and `plain` are the same algorithm."""
    if eligible_only:
        require_eligible(microdata, diversity)
    require_threads(threads)
    if callable(penalty):
        return _decide_by_reference(plain, microdata, keys, diversity, penalty)
    positions = weighted_positions([attribute.ticks for attribute in microdata.attributes], len(microdata))
    members, starts, *changed = watched(
        lambda run: kernel(
            [attribute.codes for attribute in microdata.attributes],
            list(positions),
            microdata.sensitive.codes,
            len(microdata.sensitive.values),
            diversity,
            *(() if keys is None else (keys,)),
            penalty=penalty,
            threads=min(threads or all_cores(), _MOST_THREADS),
            run=run,
        ),
        lambda share: None if monitor is None else monitor("anonymize", share),
    )
    return Partition(members, starts.astype(np.int64, copy=False), *changed)


def require_eligible(microdata: Microdata, diversity: int) -> None:
    """At most |T|/l tuples of T have the same sensitive value; otherwise no l-diverse release exists (3.1.1)."""
    counts = microdata.sensitive_counts()
    principle = LDiversity(diversity)
    if principle.satisfied(counts.tolist()):
        return
    worst = int(counts.argmax())
    largest = principle.largest(counts.tolist())
    raise NotEligibleError(
        f"Nothing is released: the sensitive value {microdata.sensitive.values[worst]!r} occurs {counts[worst]} times"
        f" in {len(microdata)} rows, and for l = {diversity} no value may occur more than"
        f" {len(microdata) // diversity} times.",
        remedy=f"The largest l that this table allows is {largest}." if largest > 1 else "No l above 1 is possible.",
        largest_diversity=largest,
    )


def _decide_by_reference(
    plain: Callable[..., Sequence[reference.Group]],
    microdata: Microdata,
    keys: Keys | None,
    diversity: int,
    penalty: Penalty,
) -> Partition:
    """Run the plain Python of `reference/`. The penalty sees QI codes and nothing else (G1).

    Not even in which order the columns of a bucket came, which for Ace is that of its values: a penalty that adds up
    floats, say, could tell (Lemma 4). People stand in the order of their identifiers.
    """
    codes = zip(*(attribute.codes.tolist() for attribute in microdata.attributes), strict=True)
    values = microdata.sensitive.codes.tolist()
    rows = [reference.Row(row, qi, value) for row, (qi, value) in enumerate(zip(codes, values, strict=True))]
    draw = () if keys is None else (reference.smallest_keys(keys.tolist()),)
    groups = plain(rows, diversity, lambda group: penalty([t.qi for t in sorted(group, key=lambda t: t.id)]), *draw)
    members = np.array([t.id for group in groups for t in group], dtype=np.uint32)
    return Partition(members, np.cumsum([0, *map(len, groups)], dtype=np.int64))
