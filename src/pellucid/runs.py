"""How long work runs: in threads of its own, while the one that started it shows progress and hears Ctrl-C."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from . import _native
from .errors import PolicyError

__all__ = [
    "ENDINGS",
    "all_cores",
    "at_once",
    "interruptible",
    "left_alone",
    "require_threads",
    "side_by_side",
    "unheard",
    "uninterrupted",
    "watched",
]

_LOOK_EVERY_SECONDS = 0.05
_PATIENCE_SECONDS = 1.0
_NAME = "pellucid-work"
ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""How a process is asked to end, or loses its terminal, which not every system has a signal for."""
_T = TypeVar("_T")
_Item = TypeVar("_Item")


def watched(work: Callable[[_native.Run], _T], tell: Callable[[float], None]) -> _T:
    """What native code returns. `tell` hears again and again which share of it is done; Ctrl-C ends it."""
    run = _native.Run()
    result = _waited_for(lambda: work(run), look=lambda: tell(run.done / max(run.total, 1)), end=run.cancel)
    tell(1.0)
    return result


def at_once(work: Callable[[], _T]) -> _T:
    """What `work` returns; Ctrl-C is answered at once, in the middle of it.

    Nothing can end a call of polars or numpy, and in the thread that hears Ctrl-C it would keep everybody waiting. So
    it runs in another one, which is left alone when nobody waits for it any more, and what it returns is forgotten.
    """
    return _waited_for(work, look=lambda: None, end=None)


def interruptible(work: Callable[[], _T], end: Callable[[], None], look: Callable[[], None]) -> _T:
    """What `work` returns; Ctrl-C calls `end` until it has stopped, but not for long.

    Once is not enough: `end` ends what is going on, and `work` may be between two such things.
    """
    return _waited_for(work, look=look, end=end, patience=_PATIENCE_SECONDS)


def uninterrupted(work: Callable[[], _T]) -> _T:
    """What `work` returns, even if Ctrl-C comes meanwhile; after that, TimeoutError if it takes long."""
    outcome: Future[_T] = Future()

    def body() -> None:
        try:
            outcome.set_result(work())
        except BaseException as problem:
            outcome.set_exception(problem)

    with unheard() as came:
        threading.Thread(target=body, name=_NAME).start()
        while not outcome.done() and not (came and time.monotonic() > came[0] + _PATIENCE_SECONDS):
            wait([outcome], _LOOK_EVERY_SECONDS)
    return outcome.result(timeout=0)


@contextlib.contextmanager
def unheard() -> Iterator[list[float]]:
    """Ctrl-C, and being asked to end, do nothing meanwhile but to be noted: for what must not be left halfway."""
    came: list[float] = []
    heard = {}
    if threading.current_thread() is threading.main_thread():  # no other thread hears them
        heard = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDINGS)}
        heard = {number: handler for number, handler in heard.items() if callable(handler)}
    try:
        for number in heard:
            signal.signal(number, lambda *_: came.append(time.monotonic()))
        yield came
    finally:
        for number, handler in heard.items():
            signal.signal(number, handler)


def _waited_for(
    work: Callable[[], _T],
    *,
    look: Callable[[], None],
    end: Callable[[], None] | None,
    patience: float | None = None,
) -> _T:
    """Run `work` in a thread, and `look` now and then meanwhile. Work that can be ended is waited for."""
    outcome: list[_T] = []
    failure: list[BaseException] = []
    done = threading.Event()  # a join that Ctrl-C ends takes the thread for one that has ended

    def body() -> None:
        try:
            outcome.append(work())
        except BaseException as problem:
            failure.append(problem)
        finally:
            done.set()

    thread = threading.Thread(target=body, name=_NAME)
    thread.start()
    try:
        while not done.wait(_LOOK_EVERY_SECONDS):
            look()
    except BaseException:
        if end is not None:
            last = math.inf if patience is None else time.monotonic() + patience
            end()
            while not done.wait(None if patience is None else _LOOK_EVERY_SECONDS) and time.monotonic() < last:
                end()
            if done.is_set():
                thread.join()
        raise
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


def left_alone() -> bool:
    """Whether a thread is still at work that nobody waits for any more."""
    return any(thread.name.startswith(_NAME) for thread in threading.enumerate())


def side_by_side(work: Callable[[_Item], _T], items: Iterable[_Item]) -> list[_T]:
    """What `work` returns for each item. It should spend its time in polars or numpy, which let others run."""
    with ThreadPoolExecutor(all_cores(), thread_name_prefix=_NAME) as threads:
        return list(threads.map(work, items))


def require_threads(threads: object) -> None:
    """Refuse a number of threads that is none."""
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise PolicyError(f"threads must be a whole number of at least 1, not {threads!r}.")


def all_cores() -> int:
    """How many threads work runs on, unless somebody says otherwise: the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # which not every system has
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
