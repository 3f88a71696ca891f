"""Secret randomness (G4): where keys come from, and that the seed shows nowhere."""

from __future__ import annotations

import os
import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pellucid
from pellucid import PolicyError
from pellucid.draws import SeededDraws, SystemDraws

SEED = b"sixteen bytes or more"


def test_keys_come_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", lambda size: bytes(range(size)))
    keys = SystemDraws().keys("Assign", 2)
    assert keys.tolist() == [int.from_bytes(bytes(range(8)), "little"), int.from_bytes(bytes(range(8, 16)), "little")]


@pytest.mark.parametrize("algorithm", ["hybrid", "ace", "tailor"])
def test_seeds_of_other_generators_change_nothing(algorithm: str) -> None:
    """A release cannot be replayed by somebody who seeds Python's or numpy's generators."""
    table = pl.DataFrame({"age": np.arange(400) % 4, "disease": np.sqrt(np.arange(400)).astype(int)})

    def published() -> list[tuple[object, ...]]:
        random.seed(1)
        np.random.seed(1)
        release = pellucid.anonymize(
            table,
            quasi_identifiers=["age"],
            sensitive="disease",
            diversity=2,
            algorithm=algorithm,  # type: ignore[arg-type]
            recoding="anatomy",
        )
        return list(release.sensitive_table.rows()) + list(release.qi_table.rows())

    assert published() != published()


def test_a_release_draws_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 bits per row for the order of rows without identifier, and 64 bits per row for Assign; no more."""
    asked: list[int] = []
    real = os.urandom

    def urandom(size: int) -> bytes:
        asked.append(size)
        return real(size)

    monkeypatch.setattr(os, "urandom", urandom)
    table = pl.DataFrame({"age": range(50), "disease": range(50)})
    pellucid.anonymize(table, quasi_identifiers=["age"], sensitive="disease", diversity=2)
    assert sorted(size for size in asked if size >= 400) == [400, 400]


def test_a_seed_is_repeatable_and_depends_on_the_purpose() -> None:
    """The very keys, on every machine: a run that must be repeated can be repeated elsewhere."""
    keys = SeededDraws(SEED).keys("Assign", 3)
    assert keys.dtype == np.uint64
    assert keys.tolist() == SeededDraws(SEED).keys("Assign", 3).tolist()
    # As `openssl dgst -shake256 -xoflen 24` says.
    assert keys.astype("<u8").tobytes().hex() == "71fda48f6f076e69ebe137aeca9767b81b7b6c1538b90278"
    assert keys.tolist() != SeededDraws(SEED).keys("order", 3).tolist()


def test_purpose_and_seed_are_not_confused() -> None:
    """A purpose that ends as the seed begins draws other keys."""
    assert SeededDraws(b"b" + SEED).keys("a", 1) != SeededDraws(SEED).keys("ab", 1)


@pytest.mark.parametrize("seed", [b"", b"short", b"fifteen bytes!!"])
def test_a_seed_that_could_be_guessed_is_refused(seed: bytes) -> None:
    with pytest.raises(PolicyError, match=rf"{len(seed)} bytes; at least 16") as refused:
        SeededDraws(seed)
    assert not seed or seed.decode() not in str(refused.value)


def test_a_seed_is_not_shown() -> None:
    draws = SeededDraws(SEED)
    for text in (repr(draws), str(draws), f"{draws}", f"{[draws]}"):
        assert text.strip("[]") == "SeededDraws(<secret>)"


def test_a_seed_file(tmp_path: Path) -> None:
    file = tmp_path / "seed"
    with pytest.raises(PolicyError, match=r"seed file .* cannot be read: No such file"):
        SeededDraws.from_file(file)
    file.write_bytes(SEED)
    assert SeededDraws.from_file(file).keys("x", 5).tolist() == SeededDraws(SEED).keys("x", 5).tolist()
    file.write_bytes(b"")
    with pytest.raises(PolicyError, match="0 bytes"):
        SeededDraws.from_file(file)


def test_draws_have_no_state() -> None:
    """Keys depend on seed, purpose and row alone, not on what was drawn before."""
    draws = SeededDraws(SEED)
    first = draws.keys("Assign", 10).tolist()
    draws.keys("other", 1000)
    assert draws.keys("Assign", 10).tolist() == first
