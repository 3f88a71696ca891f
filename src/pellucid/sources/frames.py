"""Data frames of pandas, polars, pyarrow and whatever else speaks the Arrow PyCapsule protocol.

A release has the kind of frame that its source had. The index of a pandas frame is neither read nor published.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar

import polars as pl
from polars.selectors import by_name

from ..errors import MissingExtraError, SourceError
from .moments import require_times

__all__ = ["FrameKind", "FrameSource"]

_T = TypeVar("_T")
FrameKind = Callable[[pl.DataFrame], Any]
"""Makes the kind of frame that a source was."""


class FrameSource:
    """A table that is in memory already, or a query of polars. What is not needed of it may be anything."""

    untyped = False
    path = None

    def __init__(self, frame: object) -> None:
        self.name = "the data frame"
        self.columns, self._read, self.kind = _opened(frame)

    def read(self, columns: list[str]) -> pl.DataFrame:
        """The named columns."""
        return self._read(columns)


_Opened = tuple[list[str], Callable[[list[str]], pl.DataFrame], FrameKind]
"""The columns of a frame, what reads some of them, and what makes the same kind of frame."""


def _opened(frame: object) -> _Opened:
    if isinstance(frame, pl.DataFrame):
        return frame.columns, lambda columns: frame[columns], lambda table: table  # a select takes * for a pattern
    if isinstance(frame, pl.LazyFrame):
        names = _explained(lambda: frame.collect_schema().names())
        return names, lambda columns: _explained(frame.select(by_name(columns)).collect), lambda table: table.lazy()
    library = type(frame).__module__.partition(".")[0]
    if library == "pandas" and hasattr(frame, "columns"):
        return _names_in_pandas(frame), lambda columns: _from_pandas(frame, columns), lambda table: table.to_pandas()
    if library == "pandas" or not hasattr(frame, "__arrow_c_stream__"):
        raise SourceError(
            f"A {type(frame).__name__} is neither a path nor a data frame.",
            remedy="Give a path, or a frame of pandas, polars or pyarrow.",
        )
    kind: FrameKind = _arrow_table if library == "pyarrow" else (lambda table: table)
    if hasattr(frame, "column_names") and hasattr(frame, "select"):  # a table of pyarrow, or a part of one
        names = list(frame.column_names)
        _require_once(names)
        return names, lambda columns: _from_arrow(frame, columns), kind
    table = _explained(lambda: pl.DataFrame(frame))
    return table.columns, lambda columns: table[columns], kind


def _explained(read: Callable[[], _T]) -> _T:
    try:
        return read()
    except pl.exceptions.DuplicateError as problem:
        raise SourceError(
            "The data frame has more than one column of the same name.", remedy="Rename all but one."
        ) from problem
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as problem:
        raise SourceError(
            f"The data frame cannot be read: {str(problem).splitlines()[0].rstrip('.')}.",
            remedy="Leave that column out, or give it another type.",
        ) from problem


def _names_in_pandas(frame: Any) -> list[str]:
    names = list(frame.columns)
    if not all(isinstance(name, str) for name in names):
        raise SourceError(
            f"The data frame has column names that are not text, such as"
            f" {next(name for name in names if not isinstance(name, str))!r}.",
            remedy="Rename them: frame.columns = frame.columns.map(str)",
        )
    _require_once(names)
    _require("pyarrow", "Reading a pandas frame needs pyarrow.", extra="pandas")
    return names


def _require_once(names: list[str]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SourceError(f"The data frame has more than one column named {twice!r}.", remedy="Rename all but one.")


def _from_pandas(frame: Any, columns: list[str]) -> pl.DataFrame:
    read = {}
    for name in columns:
        try:
            read[name] = pl.from_pandas(frame[[name]], include_index=False).to_series()
        except Exception as problem:
            raise SourceError(
                f"The column {name!r} of the data frame cannot be read: {str(problem).rstrip('.')}.",
                remedy="Give it one type, such as text: frame[name].astype(str)",
            ) from problem
    return require_times(pl.DataFrame(read), lambda: {name: int(frame[name].isna().sum()) for name in columns})


def _from_arrow(frame: Any, columns: list[str]) -> pl.DataFrame:
    table = _explained(lambda: pl.DataFrame(frame.select(columns)))
    return require_times(table, lambda: {name: frame.column(name).null_count for name in columns})


def _arrow_table(table: pl.DataFrame) -> Any:
    _require("pyarrow", "Giving back a pyarrow table needs pyarrow.", extra="arrow")
    return table.to_arrow()


def _require(module: str, what: str, *, extra: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(what, extra=extra) from None
