"""Data frames of pandas, polars, pyarrow and whatever else speaks the Arrow PyCapsule protocol.

A release has the kind of frame that its source had. The index of a pandas frame is neither read nor published.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import polars as pl

from ..errors import MissingExtraError, SourceError

__all__ = ["FrameKind", "FrameSource"]

FrameKind = Callable[[pl.DataFrame], Any]
"""Makes the kind of frame that a source was."""


class FrameSource:
    """A table that is in memory already."""

    untyped = False
    path = None

    def __init__(self, frame: object) -> None:
        self.name = "the data frame"
        self._table, self.kind = _to_polars(frame)
        self.columns = self._table.columns

    def read(self, columns: list[str]) -> pl.DataFrame:
        """The named columns."""
        return self._table[columns]  # a select takes * and ^..$ for patterns


def _to_polars(frame: object) -> tuple[pl.DataFrame, FrameKind]:
    if isinstance(frame, pl.DataFrame):
        return frame, lambda table: table
    if isinstance(frame, pl.LazyFrame):
        return frame.collect(), lambda table: table.lazy()
    library = type(frame).__module__.partition(".")[0]
    if library == "pandas":
        return _from_pandas(frame), lambda table: table.to_pandas()
    if not hasattr(frame, "__arrow_c_stream__"):
        raise SourceError(
            f"A {type(frame).__name__} is neither a path nor a data frame.",
            remedy="Give a path, or a frame of pandas, polars or pyarrow.",
        )
    try:
        table = pl.DataFrame(frame)
    except pl.exceptions.DuplicateError as problem:
        raise SourceError(
            "The data frame has more than one column of the same name.", remedy="Rename all but one."
        ) from problem
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as problem:
        raise SourceError(
            f"The data frame cannot be read: {str(problem).rstrip('.')}.",
            remedy="Leave that column out, or give it another type.",
        ) from problem
    return table, _arrow_table if library == "pyarrow" else (lambda table: table)


def _from_pandas(frame: Any) -> pl.DataFrame:
    names = list(frame.columns)
    if not all(isinstance(name, str) for name in names):
        raise SourceError(
            f"The data frame has column names that are not text, such as"
            f" {next(name for name in names if not isinstance(name, str))!r}.",
            remedy="Rename them: frame.columns = frame.columns.map(str)",
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SourceError(f"The data frame has more than one column named {twice!r}.", remedy="Rename all but one.")
    _require("pyarrow", "Reading a pandas frame needs pyarrow.", extra="pandas")
    try:
        return pl.from_pandas(frame, include_index=False)
    except Exception as problem:
        raise SourceError(f"The data frame cannot be read: {problem}") from problem


def _arrow_table(table: pl.DataFrame) -> Any:
    _require("pyarrow", "Giving back a pyarrow table needs pyarrow.", extra="arrow")
    return table.to_arrow()


def _require(module: str, what: str, *, extra: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(what, extra=extra) from None
