"""CSV and TSV files as native code reads and writes them: for every column its distinct texts, and codes.

Columns of microdata repeat few values, so a reader that numbers them while it parses needs a fraction of the time and
memory that a column of texts does. It also sees every row, and says on which line a file is no table.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

import numpy as np
import polars as pl

from .. import _native
from ..errors import SourceError
from ..packing import Integers
from ..runs import all_cores, watched
from .content import Content

__all__ = ["CodedColumn", "CodedText", "TextColumn", "TextFault", "read_text", "write_text"]

_CHUNK_BYTES = 2**20
_BLOCK_ROWS = 2**14
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}


class TextColumn(NamedTuple):
    """A column of a text file."""

    codes: Integers
    """For each row which of the texts it has; a missing value has the number behind the last."""
    texts: list[str]
    """The distinct texts, in the order of their first appearance."""
    has_missing: bool

    def series(self, name: str, null: Container[str] = ()) -> pl.Series:
        """The column as categories; the texts of `null` are missing values."""
        codes = pl.Series(name, self.codes)
        missing = [code for code, text in enumerate(self.texts) if text in null] if null else []
        if self.has_missing:
            missing.append(len(self.texts))
        if missing:
            codes = codes.set(codes == missing[0] if len(missing) == 1 else codes.is_in(missing), None)
        return codes.cat.to(pl.Enum(self.texts))


@dataclass(frozen=True, eq=False)
class CodedText:
    """Some columns of a text file."""

    rows: int
    columns: list[TextColumn]


class TextFault(SourceError):  # noqa: N818 - it says what is wrong with a text, not with the program
    """A line of a text file that is no row of a table."""

    def __init__(self, path: Path, separator: str, kind: str, line: int, *, fields: int = 0, width: int = 0) -> None:
        what, remedy = {
            "width": (
                f"{fields} values, but the header names {width} columns",
                f"a {_NAMES.get(separator, separator)} inside a value needs quotes around the value",
            ),
            "after_quote": (
                "a value in quotes goes on after the closing quote",
                "a quote inside such a value is written twice",
            ),
            "open_quote": (
                "a value starts with a quote, and no quote closes it",
                "a value that starts with a quote needs quotes around it, and each quote inside is written twice",
            ),
        }[kind]
        super().__init__(f"{path}, line {line}: {what}.", remedy=f"Mend that line; {remedy}.")
        self.where = f"line {line} has {what}" if kind == "width" else f"in line {line}, {what}"
        """The same, after the name of the file."""


def read_text(
    content: Content, separator: str, quote: str, width: int, numbers: Sequence[int], *, stop: int | None = None
) -> CodedText:
    """Read the columns with these numbers from a file of `width` columns; all of it is checked, whatever they are.

    Only the rows that start in the first `stop` bytes are read. Without a quote, values never stand in quotes.
    """
    try:
        with content.opened() as file:
            descriptor, size = file.fileno(), os.fstat(file.fileno()).st_size
            rows, columns = watched(
                lambda run: _native.read_text(
                    descriptor,
                    size,
                    separator,
                    width,
                    list(numbers),
                    quote=quote,
                    stop=size if stop is None else stop,
                    chunk_bytes=_CHUNK_BYTES,
                    threads=all_cores(),
                    run=run,
                ),
                lambda share: None,  # noqa: ARG005
            )
    except _native.TextError as fault:
        kind, line, fields = fault.args
        if kind == "not_text":
            raise content.not_text(line) from None
        raise TextFault(content.path, separator, kind, line, fields=fields, width=width) from None
    except OSError as problem:
        raise SourceError(f"{content.path} cannot be read: {problem.strerror or problem}.") from problem
    return CodedText(rows, [TextColumn(*column) for column in columns])


class CodedColumn(Protocol):
    """A column to be written."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def values(self) -> pl.Series:
        """Texts; null is a missing value."""

    @property
    def codes(self) -> Integers:
        """For each row which of the values it has."""


def write_text(file: BinaryIO, separator: str, columns: Sequence[CodedColumn], tell: Callable[[float], None]) -> None:
    """Write the same bytes as `polars.DataFrame.write_csv`. `tell` hears which share of it is done."""
    descriptor = file.fileno()
    watched(
        lambda run: _native.write_text(
            descriptor,
            separator,
            [column.name for column in columns],
            [column.values.to_list() for column in columns],
            [_in_few_bits(column.codes) for column in columns],
            block_rows=_BLOCK_ROWS,
            threads=all_cores(),
            run=run,
        ),
        tell,
    )


def _in_few_bits(codes: Integers) -> Integers:
    return np.ascontiguousarray(codes if codes.dtype in (np.uint8, np.uint16, np.uint32) else codes.astype(np.uint32))
