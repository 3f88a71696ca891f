"""What a text file holds, read one byte after the other: slow and obvious."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pellucid import _native

Row = list[str | None]


class FaultError(Exception):
    """The kind of fault, the line, and the number of fields: the arguments of `TextError`."""


def parse(content: bytes, width: int, separator: str = ",", quote: str = '"') -> list[Row]:
    """The rows behind the header, as native/text_reader.hpp has to read them."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    if content and not content.endswith(b"\n"):
        content += b"\n"
    rows: list[Row] = []
    at = 0
    while at < len(content):
        fields, end = _row(content, at, separator.encode(), quote.encode())
        if len(fields) != width:
            raise FaultError("width", _line(content, at), len(fields))
        try:
            text = content[at:end].decode()
            bad = text.encode().find(b"\0")
        except UnicodeDecodeError as problem:
            before_nul = content[at : at + problem.start].find(b"\0")
            bad = problem.start if before_nul < 0 else before_nul
        if bad >= 0:
            raise FaultError("not_text", _line(content, at + bad), 0)
        rows.append([field if field is None else field.decode() for field in fields])
        at = end
    return rows[1:]


def _row(content: bytes, at: int, separator: bytes, quote: bytes) -> tuple[list[bytes | None], int]:
    fields: list[bytes | None] = []
    if content.startswith((b"\n", b"\r\n"), at):
        return fields, at
    while True:
        if quote and content.startswith(quote, at):
            field, at = _quoted(content, at, quote)
            if not content.startswith((b"\n", b"\r\n", separator), at):
                raise FaultError("after_quote", _line(content, at), 0)
            fields.append(field)
            at += content.startswith(b"\r", at)
        else:
            end = min(place for end in (b"\n", separator) if (place := content.find(end, at)) >= 0)
            bare = content[at:end]
            fields.append((bare.removesuffix(b"\r") if content.startswith(b"\n", end) else bare) or None)
            at = end
        at += 1
        if content.startswith(b"\n", at - 1):
            return fields, at


def _quoted(content: bytes, opening: int, quote: bytes) -> tuple[bytes, int]:
    field = b""
    at = opening + 1
    while True:
        closing = content.find(quote, at)
        if closing < 0:
            raise FaultError("open_quote", _line(content, opening), 0)
        field += content[at:closing]
        if not content.startswith(2 * quote, closing):
            return field, closing + 1
        field += quote
        at = closing + 2


def _line(content: bytes, at: int) -> int:
    return 1 + content.count(b"\n", 0, at)


class Read(NamedTuple):
    """What the native reader returns, put together again."""

    columns: list[list[str | None]]
    texts: list[list[str]]

    @property
    def rows(self) -> list[Row]:
        return [list(row) for row in zip(*self.columns, strict=True)]


def read_native(
    content: bytes,
    width: int,
    numbers: Sequence[int] | None = None,
    *,
    separator: str = ",",
    quote: str = '"',
    stop: int | None = None,
    chunk_bytes: int = 2**20,
    threads: int = 2,
) -> Read:
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        rows, columns = _native.read_text(
            file.fileno(),
            os.fstat(file.fileno()).st_size,
            separator,
            width,
            list(range(width) if numbers is None else numbers),
            quote=quote,
            stop=len(content) if stop is None else stop,
            chunk_bytes=chunk_bytes,
            threads=threads,
            run=_native.Run(),
        )
    found = []
    for codes, texts, has_missing in columns:
        assert len(codes) == rows
        assert codes.dtype == np.min_scalar_type(max(0, len(texts) - 1 + has_missing)) or not rows
        assert set(codes.tolist()) == set(range(len(texts) + has_missing))  # all of them occur
        values = [*texts, None]
        found.append([values[code] for code in codes.tolist()])
    return Read(found, [texts for _, texts, _ in columns])


def write_native(
    names: Sequence[str],
    rows: Sequence[Sequence[str | None]],
    *,
    separator: str = ",",
    block_rows: int = 2**14,
    threads: int = 2,
) -> bytes:
    texts = [sorted({row[c] for row in rows}, key=lambda text: (text is None, text)) for c in range(len(names))]
    number_of = [{text: number for number, text in enumerate(column)} for column in texts]
    codes = [
        np.array([number_of[c][row[c]] for row in rows], dtype=(np.uint8, np.uint16, np.uint32)[c % 3])
        for c in range(len(names))
    ]
    with tempfile.TemporaryFile() as file:
        _native.write_text(
            file.fileno(),
            separator,
            names,
            texts,
            codes,
            block_rows=block_rows,
            threads=threads,
            run=_native.Run(),
        )
        file.seek(0)
        return file.read()
