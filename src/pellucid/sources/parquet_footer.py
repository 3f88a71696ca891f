"""How many values are missing in the columns of a Parquet file, as its footer says.

polars reads a time of day that it does not know, such as 24:00, as a missing value without a word; only the one who
wrote the file knows that none was missing. The footer is a struct in Thrift's compact protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["missing_in"]

_MARK = b"PAR1"
_ROW_GROUPS, _COLUMNS, _METADATA, _PATH, _STATISTICS, _NULL_COUNT = 4, 1, 3, 3, 12, 3
"""The numbers of fields in FileMetaData, RowGroup, ColumnChunk, ColumnMetaData (two of them) and Statistics."""
_LONG = 15
"""A list of so many items or more says their number apart."""


def missing_in(path: Path) -> dict[str, int]:
    """The number of missing values by column, of those columns of which the footer says it for every row group."""
    with path.open("rb") as file:
        file.seek(-8, 2)
        size = int.from_bytes(file.read(4), "little")
        if file.read(4) != _MARK:
            return {}
        file.seek(-8 - size, 2)
        footer = _struct(BytesIO(file.read(size)))
    found: dict[str, list[int | None]] = {}
    for group in footer[_ROW_GROUPS]:
        for column in group[_COLUMNS]:
            said = column.get(_METADATA, {})
            if len(said.get(_PATH, ())) == 1:
                found.setdefault(said[_PATH][0].decode(), []).append(said.get(_STATISTICS, {}).get(_NULL_COUNT))
    return {name: sum(filter(None, counts)) for name, counts in found.items() if None not in counts}


def _struct(file: BinaryIO) -> dict[int, Any]:
    """The values of a struct by the numbers of its fields."""
    values, number = {}, 0
    while kind := _byte(file):
        number = number + (kind >> 4) if kind >> 4 else _whole(file)
        kind &= 15
        values[number] = kind == 1 if kind in (1, 2) else _READ[kind](file)
    return values


def _list(file: BinaryIO) -> list[Any]:
    head = _byte(file)
    items = head >> 4 if head >> 4 < _LONG else _varint(file)
    return [_READ[head & 15](file) for _ in range(items)]


def _map(file: BinaryIO) -> list[Any]:
    items = _varint(file)
    kinds = _byte(file) if items else 0
    return [(_READ[kinds >> 4](file), _READ[kinds & 15](file)) for _ in range(items)]


def _byte(file: BinaryIO) -> int:
    return file.read(1)[0]


def _varint(file: BinaryIO) -> int:
    value = shift = 0
    while (byte := _byte(file)) >= 128:
        value |= (byte & 127) << shift
        shift += 7
    return value | byte << shift


def _whole(file: BinaryIO) -> int:
    value = _varint(file)
    return (value >> 1) ^ -(value & 1)


def _bytes(file: BinaryIO) -> bytes:
    return file.read(_varint(file))


_READ: dict[int, Callable[[BinaryIO], Any]] = {
    **dict.fromkeys((1, 2, 3), _byte),
    **dict.fromkeys((4, 5, 6), _whole),
    7: lambda file: file.read(8),
    8: _bytes,
    **dict.fromkeys((9, 10), _list),
    11: _map,
    12: _struct,
}
"""What reads a value, by its type in the protocol; booleans are bytes in a list alone."""
