"""Running the command line, in this process or in one of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pellucid.cli import main

__all__ = ["Run", "Runner", "in_process", "program"]


@dataclass(frozen=True)
class Run:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on standard output: anything else there is an error."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    def refused(self, status: int, message: str = "") -> None:
        """It ended with this status and one paragraph about it."""
        assert self.status == status, self.err
        assert self.err.startswith("pellucid: ")
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1
        assert "Traceback" not in self.err
        assert message in self.err


Runner = Callable[..., Run]


def in_process(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run `pellucid WORD...` in this process, which takes a tenth of the time."""

    def run(*words: object) -> Run:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["pellucid", *map(str, words)])
        monkeypatch.setattr(os, "_exit", sys.exit)  # as after Ctrl-C: these tests would end as well
        before = {ending: signal.getsignal(ending) for ending in (signal.SIGTERM, signal.SIGHUP)}
        try:
            with pytest.raises(SystemExit) as left:
                main()
        finally:
            for ending, handler in before.items():
                signal.signal(ending, handler)
        out, err = capsys.readouterr()
        return Run(int(left.value.code or 0), out, err)

    return run


def program(*words: object, cwd: Path | None = None, before: str = "", stdin: str = "") -> subprocess.Popen[str]:
    """Start `pellucid WORD...` in a process of its own; `before` is Python that changes it first."""
    code = f"import sys\n{before}\nfrom pellucid.cli import main\nmain()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
