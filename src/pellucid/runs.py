"""How native code runs: in a thread of its own, while this one shows progress and passes Ctrl-C on."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TypeVar

from . import _native

__all__ = ["all_cores", "watched"]

_LOOK_EVERY_SECONDS = 0.05
_T = TypeVar("_T")


def watched(work: Callable[[_native.Run], _T], tell: Callable[[float], None]) -> _T:
    """What `work` returns. `tell` hears again and again which share of it is done."""
    run = _native.Run()
    outcome: list[_T] = []
    failure: list[BaseException] = []

    def body() -> None:
        try:
            outcome.append(work(run))
        except BaseException as problem:
            failure.append(problem)

    worker = threading.Thread(target=body, name="pellucid-native")
    worker.start()
    try:
        while worker.is_alive():
            worker.join(_LOOK_EVERY_SECONDS)
            tell(run.done / max(run.total, 1))
    except BaseException:
        run.cancel()
        worker.join()
        raise
    if failure:
        raise failure[0]
    tell(1.0)
    return outcome[0]


def all_cores() -> int:
    """How many threads native code runs on, unless somebody says otherwise."""
    return os.cpu_count() or 1
