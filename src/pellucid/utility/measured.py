"""One run of an algorithm in a process of its own: what it decides, how long it takes, how much memory it needs.

In one process, the memory of the second run would be hidden by that of the first.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from ..algorithms import ALGORITHMS
from ..draws import SystemDraws
from ..errors import PellucidError
from ..microdata import Microdata
from ..partition import Partition

__all__ = ["Failed", "Measured", "measured"]

_STATUS = Path("/proc/self/status")


@dataclass(frozen=True, eq=False)
class Measured:
    """A run that came to a result."""

    partition: Partition
    seconds: float
    """Of the algorithm alone, from encoded data to groups."""
    peak_memory: int | None
    """Bytes of the whole process, table included; None where the system does not say."""


@dataclass(frozen=True)
class Failed:
    """A run that came to none."""

    why: str


def measured(algorithm: str, microdata: Microdata, *, diversity: int, threads: int | None = None) -> Measured | Failed:
    """Run an algorithm once."""
    work = (
        f"import sys; sys.path[:] = {[path for path in sys.path if path]!r};"
        " from pellucid.utility.measured import _answer; _answer()"
    )
    done = subprocess.run(  # noqa: S603 - this program, with no word of a user's in it
        [sys.executable, "-c", work],
        input=pickle.dumps((algorithm, microdata, diversity, threads)),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        return Failed(f"It ended with status {done.returncode}: {lines[-1] if lines else 'no message'}")
    outcome = pickle.loads(done.stdout)  # noqa: S301 - from the process that was started here
    assert isinstance(outcome, Measured | Failed)  # noqa: S101 - for the type checker
    return outcome


def _answer() -> None:
    """What the other process does: a run from standard input, its outcome to standard output."""
    algorithm, microdata, diversity, threads = pickle.load(sys.stdin.buffer)  # noqa: S301 - from `measured`
    outcome: Measured | Failed
    try:
        start = time.perf_counter()
        partition = ALGORITHMS[algorithm](microdata, diversity=diversity, draws=SystemDraws(), threads=threads)
        outcome = Measured(partition, time.perf_counter() - start, _peak_memory())
    except PellucidError as problem:
        outcome = Failed(str(problem))
    pickle.dump(outcome, sys.stdout.buffer)
    sys.stdout.flush()


def _peak_memory() -> int | None:
    if _STATUS.exists():
        # On Linux `ru_maxrss` of a new process begins with that of the one that started it; this does not.
        peak = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return 1024 * int(peak.split()[1])
    if os.name != "posix":
        return None
    import resource  # noqa: PLC0415 - not on every system

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
