"""Hierarchies of codes whose first characters say what is near: zip codes, regions, industries."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from ..errors import HierarchyError
from ..hierarchies import Hierarchy
from .column import Column, Values, require_levels

__all__ = ["by_prefix"]


def by_prefix(values: Values, *lengths: int, digits: int | None = None, apart: Iterable[str] = ()) -> Hierarchy:
    """Codes that begin alike: how many characters every level keeps, the finest first (10115, 101**, 1****).

    Codes in which leading zeros were lost, as in a column of numbers, have as many `digits`; zeros are put before
    shorter ones. A code that is shorter than a prefix is a node of its own.
    """
    require_levels(lengths, "Give how many characters each keeps, such as 3, 2.")
    for length in lengths:
        if not isinstance(length, int) or isinstance(length, bool) or length < 1:
            raise HierarchyError(f"A prefix must have at least 1 character, not {length!r}.")
    for finer, coarser in itertools.pairwise(lengths):
        if coarser >= finer:
            raise HierarchyError(
                f"Prefixes of {coarser} characters do not join prefixes of {finer}.",
                remedy="Each level keeps fewer characters than the one before, such as 3, 2.",
            )
    column = Column.of(values, apart)
    if digits is None:
        _require_no_lost_zeros(column)
    codes = [text.zfill(digits or 0) if text.isdecimal() else text for text in column.texts]
    longest = max(map(len, codes))
    if lengths[0] >= longest:
        raise HierarchyError(
            f"A prefix of {lengths[0]} characters hides nothing: the longest code has {longest}.",
            remedy="Give shorter ones.",
        )
    even = min(map(len, codes)) == longest

    def name(text: str, code: str, length: int) -> str:
        if len(code) < length:
            return text
        return code[:length] + "*" * (longest - length if even else 1)

    return column.hierarchy(
        codes,
        ([name(text, code, length) for text, code in zip(column.texts, codes, strict=True)] for length in lengths),
    )


def _require_no_lost_zeros(column: Column) -> None:
    """Codes of digits that are not equally long, none of which starts with a zero, may have been made numbers."""
    if not all(text.isdecimal() for text in column.texts) or any(text.startswith("0") for text in column.texts):
        return
    longest = max(map(len, column.texts))
    column.refuse(
        (text for text in column.texts if len(text) < longest),
        f"shorter than {longest} digits",
        remedy=f"If leading zeros were lost, say how many digits a code has (--digits {longest}, digits={longest});"
        " if codes may be shorter, say 1.",
    )
