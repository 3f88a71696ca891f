"""What a command takes: time by the clock, processor time and peak memory; and how soon it ends when it is told to."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import NamedTuple

__all__ = ["Usage", "run", "start"]

# Linux counts the memory of whoever starts a process as its first peak, so something small has to start it.
_LAUNCHER = """
import json, os, signal, sys, time
began = time.perf_counter()
child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGINT, lambda *_: os.kill(child, signal.SIGINT))
_, status, usage = os.wait4(child, 0)
taken = time.perf_counter() - began
print(json.dumps([os.waitstatus_to_exitcode(status), taken, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024]))
"""


class Usage(NamedTuple):
    """What a command took."""

    seconds: float
    cpu: float
    """Of all processors together."""
    memory: float
    """The peak, in bytes."""


class Process:
    """A command that runs."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        launcher = [sys.executable, "-S", "-c", _LAUNCHER, *command]
        self._launcher = subprocess.Popen(launcher, stdout=subprocess.PIPE, text=True)

    def interrupt(self) -> None:
        """Ctrl-C."""
        self._launcher.send_signal(signal.SIGINT)

    def finish(self) -> tuple[int, Usage]:
        """Wait for it; its exit status and what it took."""
        output, _ = self._launcher.communicate()
        status, *usage = json.loads(output.splitlines()[-1])
        return status, Usage(*usage)


def start(command: list[str]) -> Process:
    """Start a command, whose first word is the path of a program."""
    return Process(command)


def run(command: list[str]) -> Usage:
    """Run a command that has to succeed."""
    status, usage = start(command).finish()
    if status:
        sys.exit(f"{' '.join(command)} ended with status {status}")
    return usage
