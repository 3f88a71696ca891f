"""Every contract is tested for every algorithm and every recoding; a new one joins by being registered.

Only Mask is apart: it changes sensitive values, and comes to no result on most small tables. See `test_mask.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pellucid.algorithms import ALGORITHMS, CHANGES_VALUES
from tests.contract.publishing import RECODINGS, Publisher

KEEP_VALUES = [name for name in ALGORITHMS if name not in CHANGES_VALUES]


@pytest.fixture(params=KEEP_VALUES)
def algorithm(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=list(RECODINGS))
def recoding(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def publish(algorithm: str, recoding: str) -> Publisher:
    """Publish with the algorithm and the recoding of this run."""
    return Publisher(algorithm, recoding)


@pytest.fixture(params=KEEP_VALUES)
def publish_text(request: pytest.FixtureRequest) -> Publisher:
    """Publish with every algorithm, and intervals as text."""
    return Publisher(str(request.param), "text")


@pytest.fixture(params=list(RECODINGS))
def publish_hybrid(request: pytest.FixtureRequest) -> Publisher:
    """Publish with the default algorithm and every recoding: for what happens before and after the algorithm."""
    return Publisher("hybrid", str(request.param))


@pytest.fixture
def seed_file(tmp_path: Path) -> Path:
    file = tmp_path / "secret.seed"
    file.write_bytes(b"a secret of this test, long enough")
    return file


@pytest.fixture
def csv_file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """Write a CSV file as it is given."""

    def write(content: str | bytes) -> Path:
        file = tmp_path / "source.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return write
