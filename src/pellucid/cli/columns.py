"""Figures in columns, as plain text: they stay whole in a file and in a narrow window."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["aligned"]


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int = 1) -> str:
    """A table with the first `texts` columns to the left and the others to the right; short rows leave cells empty."""
    lines = [list(header), *([*row, *[""] * (len(header) - len(row))] for row in rows)]
    wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if number < texts else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, wide, strict=True))
        ).rstrip()
        for line in lines
    )
