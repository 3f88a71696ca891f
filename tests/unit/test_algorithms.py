"""How an algorithm is run: progress, interruption, penalties of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid
from pellucid import Policy
from pellucid.algorithms import ALGORITHMS, NOT_TRANSPARENT
from pellucid.draws import SeededDraws, SystemDraws
from pellucid.microdata import Microdata, encode
from pellucid.penalties import discernibility, perimeter, weighted_positions
from pellucid.runs import left_alone

SEED = SeededDraws(b"a seed for these tests")


def microdata(rows: int = 80, *, sensitive_values: int = 10) -> Microdata:
    fill = np.random.default_rng(4)
    table = pl.DataFrame(
        {
            "id": np.arange(rows),
            "a": fill.integers(0, 50, rows),
            "b": fill.integers(0, 9, rows),
            "s": fill.integers(0, sensitive_values, rows),
        }
    )
    policy = Policy(quasi_identifiers=("a", "b"), sensitive="s", diversity=2, identifier="id")
    return encode(table, policy, SystemDraws(), untyped=False)


@pytest.fixture(params=[name for name in ALGORITHMS if name not in NOT_TRANSPARENT])
def algorithm(request: pytest.FixtureRequest) -> Any:
    return ALGORITHMS[request.param]


def test_partition_covers_the_table(algorithm: Any) -> None:
    partition = algorithm(microdata(), diversity=2, draws=SEED)
    assert sorted(partition.members.tolist()) == list(range(80))
    assert partition.starts[0] == 0
    assert partition.starts[-1] == 80
    assert (partition.sizes > 0).all()
    assert [len(group) for group in partition] == partition.sizes.tolist()
    assert len(partition) == len(partition.as_sets())


def test_a_penalty_of_ones_own_runs_in_plain_python(algorithm: Any) -> None:
    """The same penalty, compiled and as a function, decides the same partition."""
    table = microdata()
    positions = weighted_positions([a.ticks for a in table.attributes], len(table))
    for name, function in (("perimeter", perimeter(positions)), ("discernibility", discernibility)):
        compiled = algorithm(table, diversity=2, draws=SEED, penalty=name)
        assert algorithm(table, diversity=2, draws=SEED, penalty=function).as_sets() == compiled.as_sets()


def test_a_penalty_sees_qi_codes_and_nothing_else(algorithm: Any) -> None:
    """G1: there is no way to a sensitive value, an identifier or a row number."""
    table = microdata()
    known = set(zip(*(a.codes.tolist() for a in table.attributes), strict=True))
    seen: list[Any] = []

    def nosy(group: Sequence[Sequence[int]]) -> int:
        seen.extend(group)
        return len(group) ** 2

    algorithm(table, diversity=2, draws=SEED, penalty=nosy)
    assert seen
    assert all(type(codes) is tuple and codes in known for codes in seen)


def test_a_penalty_sees_people_in_the_order_of_identifiers(algorithm: Any) -> None:
    """G1: Assign makes columns value by value, and the order of the columns must not be told."""
    people = np.arange(80)
    table = pl.DataFrame({"id": people, "a": people, "s": np.random.default_rng(4).integers(0, 10, 80)})
    policy = Policy(quasi_identifiers=("a",), sensitive="s", diversity=2, identifier="id")
    seen: list[list[tuple[int, ...]]] = []

    def nosy(group: Sequence[Sequence[int]]) -> int:
        seen.append([tuple(codes) for codes in group])
        return len(group) ** 2

    algorithm(encode(table, policy, SystemDraws(), untyped=False), diversity=2, draws=SEED, penalty=nosy)
    assert seen
    assert all(group == sorted(group) for group in seen)


def test_progress_is_told(algorithm: Any) -> None:
    heard: list[tuple[str, float]] = []
    algorithm(microdata(), diversity=2, draws=SEED, monitor=lambda stage, share: heard.append((stage, share)))
    assert heard
    assert {stage for stage, _ in heard} == {"anonymize"}
    shares = [share for _, share in heard]
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)


def test_ctrl_c_ends_the_kernel(algorithm: Any) -> None:
    def interrupt(stage: str, share: float) -> None:
        raise KeyboardInterrupt

    table = microdata(400_000)
    with pytest.raises(KeyboardInterrupt):
        algorithm(table, diversity=2, draws=SEED, monitor=interrupt)
    assert not left_alone()


def test_stages_of_a_whole_run() -> None:
    heard: list[str] = []
    table = pl.DataFrame({"a": range(40), "s": [0, 1] * 20})
    pellucid.anonymize(
        table, quasi_identifiers=["a"], sensitive="s", diversity=2, monitor=lambda stage, share: heard.append(stage)
    )
    assert list(dict.fromkeys(heard)) == ["read", "encode", "anonymize", "recode"]


def test_a_failure_of_the_kernel_is_raised(algorithm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes wrong in the kernel's thread is not swallowed there."""
    with pytest.raises((ValueError, TypeError)):
        algorithm(microdata(), diversity=2, draws=SEED, penalty="no such penalty")
