"""Tables in SQLite, DuckDB and PostgreSQL: a table, a view or a query in, a new table out, in one transaction."""

from __future__ import annotations

from .address import Database, address_of
from .source import DatabaseSource, anatomy_in
from .target import DatabaseTarget

__all__ = ["Database", "DatabaseSource", "DatabaseTarget", "address_of", "anatomy_in"]
