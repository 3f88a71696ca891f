"""A table as an Arrow stream and nothing else.

It hides what the table is: DuckDB would ask pyarrow for a frame of polars, and polars would hold on to the types of
DuckDB, which complains of that at the end of the process. For that reason no module of DuckDB is named here either.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Stream"]


class Stream:
    """A table that can be read as a stream."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The stream (Arrow PyCapsule protocol)."""
        return self._table.__arrow_c_stream__(requested_schema)
