"""Types of the native kernels (`native/module.cpp`)."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]
_Penalty: TypeAlias = Literal["perimeter", "discernibility"]
_Partition: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.int64]]

class Cancelled(RuntimeError):  # noqa: N818  (an outcome somebody asked for, not an error)
    """The run was cancelled through `Run.cancel`."""

class Run:
    """Progress and cancellation of one call, to be used from another thread."""

    def __init__(self) -> None: ...
    @property
    def done(self) -> int:
        """The number of rows that are in their final group."""

    @property
    def total(self) -> int:
        """The number of rows; 0 before the call."""

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""

    def cancel(self) -> None:
        """Make the call raise `Cancelled` as soon as possible."""

def tailor(
    codes: Sequence[_Codes],
    positions: Sequence[NDArray[np.int64]],
    sensitive: _Codes,
    values: int,
    diversity: int,
    *,
    penalty: _Penalty,
    threads: int,
    run: Run | None = None,
) -> _Partition:
    """Tailor (Fig. 3). Returns `members` and `starts`: group g is `members[starts[g]:starts[g + 1]]`."""

def mondrian(
    codes: Sequence[_Codes],
    positions: Sequence[NDArray[np.int64]],
    sensitive: _Codes,
    values: int,
    diversity: int,
    *,
    relaxed: bool,
    threads: int,
    run: Run | None = None,
) -> _Partition:
    """Mondrian, for l-diversity. Arguments as those of `tailor`; the table must be l-eligible."""

def mask(
    codes: Sequence[_Codes],
    positions: Sequence[NDArray[np.int64]],
    sensitive: _Codes,
    values: int,
    diversity: int,
    keys: NDArray[np.uint64],
    *,
    anonymity: int,
    protected: Sequence[int],
    threads: int,
    run: Run | None = None,
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint32]] | None:
    """Mask on k-anonymous Mondrian: the partition, and every row's published sensitive value.

    None if there is a group that shows too much of a protected value and has no distribution to copy.
    """

def ace(
    codes: Sequence[_Codes],
    positions: Sequence[NDArray[np.int64]],
    sensitive: _Codes,
    values: int,
    diversity: int,
    keys: NDArray[np.uint64],
    *,
    penalty: _Penalty,
    threads: int,
    run: Run | None = None,
) -> _Partition:
    """Ace (Fig. 5). The keys are the draws of Assign: uniform, independent, secret."""

def hybrid(
    codes: Sequence[_Codes],
    positions: Sequence[NDArray[np.int64]],
    sensitive: _Codes,
    values: int,
    diversity: int,
    keys: NDArray[np.uint64],
    *,
    penalty: _Penalty,
    threads: int,
    run: Run | None = None,
) -> _Partition:
    """Hybrid (Fig. 10). The keys are the draws of Assign: uniform, independent, secret."""

def weave(
    codes: Sequence[_Codes],
    positions: Sequence[NDArray[np.int64]],
    sensitive: _Codes,
    values: int,
    diversity: int,
    keys: NDArray[np.uint64],
    *,
    ordered: bool,
    penalty: _Penalty,
    threads: int,
    run: Run | None = None,
    alone: bool = False,
) -> _Partition:
    """Weave. `ordered` says that the order of the sensitive codes means something; `alone` leaves Tailor out."""

def weave_plan(counts: Sequence[int], diversity: int, ordered: bool) -> list[tuple[list[list[tuple[int, int]]], int]]:
    """Return the columns, as (value, number of tuples), and the alpha of every bucket that Weave plans."""

def assign_plan(counts: Sequence[int], diversity: int) -> list[tuple[list[int], int]]:
    """Return the (signature, alpha) of every bucket that Assign (Fig. 6) builds for these counts."""

def count(
    sides: Sequence[tuple[Any, ...]],
    cells: Sequence[NDArray[np.uint32]],
    starts: NDArray[np.int64],
    value_starts: NDArray[np.int64],
    values: NDArray[np.uint32],
    kinds: int,
    asked: NDArray[np.uint8],
    *,
    queries: int,
    threads: int,
    run: Run | None = None,
) -> NDArray[np.float64]:
    """Estimate COUNT queries from a release (`pellucid.utility.queries`).

    A side is `(low, high, unit, from, to)` or `(starts, members, kinds, asked)`: what the release says, and what
    the queries ask for.
    """

def _set_limits(task: int, fork: int, small: int) -> tuple[int, int, int]:
    """Set the sizes at which the kernels change their ways, and return the previous ones; for tests only."""

class TextError(ValueError):
    """A text file is no table: the kind of fault, the line, and how many fields a row of wrong width has."""

    args: tuple[Literal["width", "after_quote", "open_quote", "not_text"], int, int]

def read_text(
    descriptor: int,
    size: int,
    separator: str,
    width: int,
    numbers: list[int],
    *,
    quote: str,
    stop: int,
    chunk_bytes: int,
    threads: int,
    run: Run,
) -> tuple[int, list[tuple[_Codes, list[str], bool]]]:
    """Read columns of a text file: the number of rows, and of every column the codes, the texts, whether some miss."""

def write_text(
    descriptor: int,
    separator: str,
    names: Sequence[str],
    texts: Sequence[Sequence[str | None]],
    codes: Sequence[NDArray[Any]],
    *,
    block_rows: int,
    threads: int,
    run: Run,
) -> None:
    """Write a text file from the distinct texts of every column, and codes."""
