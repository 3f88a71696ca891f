"""Secret, uniform randomness (G4).

Ace is transparent because nobody can replay its draws. One 64-bit key per row is enough: "randomly remove alpha
tuples with value v" (Fig. 6, line 12) is "take the alpha smallest keys among the tuples with value v".
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .errors import PolicyError
from .passwords import require_file_name
from .runs import side_by_side

__all__ = ["Draws", "Keys", "SeededDraws", "SystemDraws", "secret_order"]

Keys = npt.NDArray[np.uint64]
_LEAST_SEED_BYTES = 16
_BLOCK = 2**17


class Draws(Protocol):
    """A source of keys. Different purposes get independent keys."""

    def keys(self, purpose: str, rows: int) -> Keys:
        """One uniform 64-bit key per row."""


class SystemDraws:
    """Keys from the operating system's generator: what a release uses."""

    def keys(self, purpose: str, rows: int) -> Keys:  # noqa: ARG002 - every call is independent already
        """One uniform 64-bit key per row."""
        keys = np.empty(rows, dtype=np.uint64)

        def fill(start: int) -> None:
            block = keys[start : start + _BLOCK]
            block[:] = np.frombuffer(os.urandom(block.nbytes), dtype=np.uint64)

        side_by_side(fill, range(0, rows, _BLOCK))
        return keys


class SeededDraws:
    """Keys expanded from a secret seed by SHAKE-256, for tests and for runs that must be repeated.

    Whoever has the seed can undo the release: it is read from a file, and shown nowhere, not even by ``repr``.
    """

    def __init__(self, seed: bytes) -> None:
        if len(seed) < _LEAST_SEED_BYTES:
            raise PolicyError(
                f"The seed has {len(seed)} bytes; at least {_LEAST_SEED_BYTES} are needed, or it could be guessed.",
                remedy="Make one with: head -c 32 /dev/urandom > FILE. Keep it secret, and use it for one table only.",
            )
        self._seed = seed

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> SeededDraws:
        """The seed is the whole content of the file."""
        require_file_name(path)
        try:
            return cls(Path(path).read_bytes())
        except OSError as problem:
            raise PolicyError(f"The seed file {path} cannot be read: {problem.strerror}.") from problem

    def keys(self, purpose: str, rows: int) -> Keys:
        """One key per row; the same for the same seed and purpose, on every machine."""
        stream = hashlib.shake_256(len(purpose).to_bytes(8, "little") + purpose.encode() + self._seed)
        return np.frombuffer(stream.digest(8 * rows), dtype="<u8").astype(np.uint64, copy=False)

    def __repr__(self) -> str:
        return "SeededDraws(<secret>)"


def secret_order(keys: Keys) -> npt.NDArray[np.int64]:
    """The rows in the order of their keys: a uniform random permutation.

    Sorting (first bits of the key, row) in one word is six times as fast as an argsort of the keys. Rows whose
    first bits agree would then stand in the order of the file, which may say who has what (G2), so they are
    put in order by their whole keys.
    """
    rows = len(keys)
    row_bits = np.uint64(max(1, (rows - 1).bit_length()))
    row_mask = np.uint64((1 << int(row_bits)) - 1)
    packed = keys & ~row_mask
    packed |= np.arange(rows, dtype=np.uint64)
    packed.sort()
    tied = np.flatnonzero((packed[1:] ^ packed[:-1]) <= row_mask)
    packed &= row_mask  # in place: to get new memory from the system costs more than what is done in it
    order = packed.view(np.int64)
    for run in np.split(tied, np.flatnonzero(np.diff(tied) > 1) + 1):
        if len(run):
            span = slice(run[0], run[-1] + 2)
            order[span] = order[span][np.argsort(keys[order[span]])]
    return order
