"""How long work runs: what comes back, what is raised, and what Ctrl-C ends."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from pellucid._native import Run
from pellucid.runs import all_cores, at_once, left_alone, side_by_side, uninterrupted, watched


def interrupted(share: float) -> None:
    raise KeyboardInterrupt


def waits_for(asked: threading.Event) -> None:
    if not asked.wait(60):
        raise TimeoutError


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="a process cannot be kept to some cores here")
def test_all_cores_are_those_that_the_process_may_use() -> None:
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert all_cores() == 1
    finally:
        os.sched_setaffinity(0, before)
    assert all_cores() == len(before)


def test_results_and_failures_come_back() -> None:
    heard: list[float] = []
    assert watched(lambda run: run.total, heard.append) == 0
    assert heard[-1] == 1.0
    assert at_once(lambda: "done") == "done"
    with pytest.raises(ZeroDivisionError):
        watched(lambda run: 1 // run.total, heard.append)
    with pytest.raises(ZeroDivisionError):
        at_once(lambda: 1 // 0)
    assert not left_alone()


def test_ctrl_c_ends_a_kernel_and_waits_for_its_end() -> None:
    ended = []

    def kernel(run: Run) -> None:
        for _ in range(60_000):
            if run.cancelled:
                ended.append(True)
                return
            time.sleep(0.001)

    with pytest.raises(KeyboardInterrupt):
        watched(kernel, interrupted)
    assert ended
    assert not left_alone()


def test_ctrl_c_leaves_alone_what_cannot_be_ended() -> None:
    """The wait ends, though the work does not; and it is known that it goes on."""
    go_on, ended = threading.Event(), threading.Event()

    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        waits_for(go_on)
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        at_once(work)
    assert left_alone()
    assert not ended.is_set()
    go_on.set()
    waits_for(ended)


def test_side_by_side() -> None:
    """In the order of the items, whatever ends first; the first failure counts."""
    last = threading.Event()

    def work(item: int) -> int:
        if item == 1:
            last.set()
        elif item == 0 and all_cores() > 1:
            waits_for(last)
        return 10 // (5 - item)

    assert side_by_side(work, range(4)) == [2, 2, 3, 5]
    with pytest.raises(ZeroDivisionError):
        side_by_side(work, range(9))
    assert side_by_side(work, []) == []


@pytest.mark.parametrize("late", [False, True], ids=["when it starts", "when it ends"])
def test_what_is_not_interrupted_whenever_ctrl_c_comes(monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    class Started(threading.Thread):
        def start(self) -> None:
            super().start()
            if late:
                self.join()
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(threading, "Thread", Started)
    assert uninterrupted(lambda: "done") == "done"
