"""The native kernels refuse what they cannot take, stop when told to, and plan as the paper does."""

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid import _native, reference

ALGORITHMS = ["tailor", "ace", "hybrid", "weave", "weave, unordered"]


def arguments(n: int = 12, **changes: Any) -> dict[str, Any]:
    """Return arguments that every kernel takes, but for the changes."""
    rows = np.arange(n)
    usual = {
        "codes": [(rows % 5).astype(np.uint8), (rows * 7 % n).astype(np.uint16)],
        "positions": [np.arange(5), np.arange(n)],
        "sensitive": (rows % 4).astype(np.uint32),
        "values": 4,
        "diversity": 2,
        "keys": np.arange(n, dtype=np.uint64),
        "penalty": "perimeter",
        "threads": 1,
    }
    return usual | changes


def call(name: str, **given: Any) -> tuple[Any, Any]:
    if name == "tailor":
        del given["keys"]
    kernel, _, unordered = name.partition(", ")
    if kernel == "weave":
        given["ordered"] = not unordered
    result: tuple[Any, Any] = getattr(_native, kernel)(**given)
    return result


@pytest.mark.parametrize("name", ALGORITHMS)
class TestRefuses:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"penalty": "entropy"}, "penalty must be"),
            ({"codes": [], "positions": []}, "at least one attribute"),
            ({"positions": [np.arange(5)]}, "as many attributes"),
            ({"sensitive": np.zeros(0, np.uint8)}, "at least one row"),
            ({"sensitive": np.zeros((12, 1), np.uint8)}, "one dimension"),
            ({"sensitive": np.zeros(12, np.int64)}, "uint8, uint16 or uint32"),
            ({"sensitive": np.zeros(24, np.uint8)[::2]}, "contiguous"),
            ({"sensitive": [0] * 12}, "contiguous array"),
            ({"values": 3}, "values must be larger"),
            ({"values": 2**32}, "values must be"),
            ({"codes": [np.zeros(12, np.uint8), np.zeros(11, np.uint8)]}, r"codes\[1\] must be as long"),
            ({"codes": [np.zeros(12, np.uint8), np.zeros(12, np.float64)]}, r"codes\[1\] must hold"),
            ({"codes": [np.full(12, 5, np.uint8), np.zeros(12, np.uint8)]}, r"positions\[0\] must have an entry"),
            ({"positions": [np.arange(5), np.arange(11)]}, r"positions\[1\] must have an entry"),
            ({"positions": [np.arange(5), np.arange(12)[::-1].copy()]}, r"positions\[1\] must not be negative"),
            ({"positions": [np.arange(5) - 1, np.arange(12)]}, r"positions\[0\] must not be negative"),
            ({"positions": [np.arange(5), np.arange(12, dtype=np.int32)]}, r"positions\[1\] has the wrong type"),
            ({"positions": [np.arange(5) * 2**59, np.arange(12)]}, "below 2"),
            ({"positions": [np.arange(5) * 2**57, np.arange(12) * 2**56]}, "below 2"),
            ({"diversity": 0}, "diversity must be at least 1"),
            ({"diversity": 5}, "not l-eligible"),
            ({"diversity": 2**64 - 1}, "not l-eligible"),
            ({"threads": 0}, "threads must be at least 1"),
        ],
    )
    def test_values(self, name: str, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            call(name, **arguments(**changes))

    @pytest.mark.parametrize(
        "changes",
        [
            {"diversity": -1},
            {"diversity": 2**64},
            {"codes": None},
            {"positions": 7},
            {"sensitive": None},
            {"penalty": 1},
        ],
    )
    def test_types(self, name: str, changes: dict[str, Any]) -> None:
        with pytest.raises(TypeError):
            call(name, **arguments(**changes))

    @pytest.mark.parametrize("keys", [np.zeros(11, np.uint64), np.zeros(12, np.int64), [0] * 12])
    def test_keys(self, name: str, keys: Any) -> None:
        if name == "tailor":
            pytest.skip("Tailor draws nothing")
        with pytest.raises(ValueError, match="keys"):
            call(name, **arguments(keys=keys))


@pytest.mark.parametrize("name", ALGORITHMS)
class TestTakes:
    def test_read_only_arrays(self, name: str) -> None:
        given = arguments()
        for array in [*given["codes"], *given["positions"], given["sensitive"], given["keys"]]:
            array.flags.writeable = False
        members, _ = call(name, **given)
        assert sorted(members.tolist()) == list(range(12))

    def test_one_row(self, name: str) -> None:
        members, starts = call(
            name,
            **arguments(
                codes=[np.zeros(1, np.uint8)],
                positions=[np.zeros(1, np.int64)],
                sensitive=np.zeros(1, np.uint8),
                keys=np.zeros(1, np.uint64),
                diversity=1,
            ),
        )
        assert (members.tolist(), starts.tolist()) == ([0], [0, 1])

    def test_largest_perimeter(self, name: str) -> None:
        # 12 rows times this range is the largest multiple of 12 below 2^63.
        widest = (2**63 - 1) // 12
        codes = [(np.arange(12) >= 6).astype(np.uint8)]
        members, starts = call(name, **arguments(codes=codes, positions=[np.array([0, widest])]))
        for group in np.split(members, starts[1:-1]):
            assert len({codes[0][row] for row in group}) == 1 or name == "ace"

    def test_more_threads_than_anybody_has(self, name: str) -> None:
        one, many = call(name, **arguments()), call(name, **arguments(threads=200))
        assert [a.tolist() for a in one] == [a.tolist() for a in many]


def large(n: int = 1_000_000) -> dict[str, Any]:
    random = np.random.default_rng(1)
    return arguments(
        codes=[random.integers(0, 100, n).astype(np.uint8) for _ in range(5)],
        positions=[np.arange(100)] * 5,
        sensitive=random.integers(0, 50, n).astype(np.uint8),
        values=50,
        diversity=5,
        keys=random.integers(0, 2**64 - 1, n, dtype=np.uint64),
    )


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("threads", [1, 4])
class TestRun:
    def test_counts_settled_rows(self, name: str, threads: int) -> None:
        run = _native.Run()
        assert (run.done, run.total, run.cancelled) == (0, 0, False)
        call(name, **arguments(run=run, threads=threads))
        assert (run.done, run.total, run.cancelled) == (12, 12, False)

    def test_cancelled_before(self, name: str, threads: int) -> None:
        run = _native.Run()
        run.cancel()
        assert run.cancelled
        with pytest.raises(_native.Cancelled):
            call(name, **arguments(run=run, threads=threads))

    def test_cancelled_meanwhile(self, name: str, threads: int) -> None:
        run = _native.Run()
        assert cancelled(run, lambda: run.total > 0, name, **large() | {"threads": threads})
        assert issubclass(_native.Cancelled, RuntimeError)
        assert run.done < run.total


@pytest.mark.parametrize("threads", [1, 4])
def test_cancelled_in_the_first_pass_of_swaps(threads: int) -> None:
    """Without cuts there is one large bucket, of which nothing is told before its swaps."""
    run = _native.Run()
    assert cancelled(run, lambda: run.done > 0, "weave", **large(200_000) | {"threads": threads, "alone": True})
    assert run.done < run.total


def cancelled(run: Any, when: Callable[[], bool], name: str, **given: Any) -> bool:
    """Cancel a run at some time; say whether it was heard."""
    raised: list[BaseException] = []

    def work() -> None:
        try:
            call(name, run=run, **given)
        except BaseException as error:  # the caller hears of it
            raised.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    while worker.is_alive() and not when():  # the lock on the interpreter is free, so this goes on
        pass
    run.cancel()
    worker.join()
    return [type(error) for error in raised] == [_native.Cancelled]


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space, which not every system can")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizers need the address space")
@pytest.mark.parametrize("threads", [1, 2])
def test_out_of_memory(threads: int) -> None:
    program = f"""
import resource
import numpy as np
from pellucid import _native
n = 3_000_000
with open("/proc/self/statm") as statm:
    used = int(statm.read().split()[0]) * resource.getpagesize()
room = used + 150_000_000 + {threads} * 10_000_000
resource.setrlimit(resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
codes = [np.arange(n, dtype=np.uint32) % 8 for _ in range(6)]
try:
    _native.tailor(codes, [np.arange(8)] * 6, codes[0], 8, 2, penalty="perimeter", threads={threads})
except MemoryError:
    print("out of memory")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("out of memory\n", "", 0)


class TestAssignPlan:
    def test_example_6(self) -> None:
        # bronchitis, diabetes, dyspepsia, flu, gastritis, as in Table VIII
        assert _native.assign_plan([1, 1, 2, 2, 2], 2) == [([2, 3], 2), ([4, 0], 1), ([1, 4], 1)]

    def test_nothing(self) -> None:
        assert _native.assign_plan([], 3) == _native.assign_plan([0, 0], 3) == []

    def test_not_eligible(self) -> None:
        with pytest.raises(ValueError, match="not l-eligible"):
            _native.assign_plan([3, 1], 2)
        with pytest.raises(ValueError, match="not l-eligible"):
            _native.assign_plan([3, 1], 2**64 - 1)
        with pytest.raises(ValueError, match="diversity"):
            _native.assign_plan([3, 1], 0)

    @given(counts=st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any), data=st.data())
    def test_plans_as_the_reference_does(self, counts: list[int], data: st.DataObject) -> None:
        diversity = data.draw(st.integers(1, sum(counts) // max(counts)))
        rows = [reference.Row(0, (), v) for v, n in enumerate(counts) for _ in range(n)]
        rows = [reference.Row(row, (), t.sensitive) for row, t in enumerate(rows)]
        buckets = reference.assign(rows, diversity, reference.smallest_keys([0] * len(rows)))
        assert _native.assign_plan(counts, diversity) == [
            ([column[0].sensitive for column in bucket], len(bucket[0])) for bucket in buckets
        ]
        taken: Counter[int] = Counter()
        for signature, alpha in _native.assign_plan(counts, diversity):
            assert len(set(signature)) == len(signature) >= diversity
            taken.update(dict.fromkeys(signature, alpha))
        assert [taken[v] for v in range(len(counts))] == counts
