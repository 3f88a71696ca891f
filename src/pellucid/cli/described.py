"""What commands are told about the file or database that a table is in, as in `--separator ";"` or `--table people`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..errors import PolicyError
from ..sources import Database, File
from .options import names

__all__ = [
    "Decimal",
    "Encoding",
    "Null",
    "Query",
    "Quote",
    "Separator",
    "Sheet",
    "Table",
    "described",
    "in_database",
    "shown",
]

Separator = Annotated[
    str | None, typer.Option("--separator", metavar="C", help="What separates values in a text file, such as ; or tab.")
]
Quote = Annotated[
    str | None, typer.Option("--quote", metavar="C", help='What stands around values: " or \' or none \\[default: "].')
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Such as windows-1252 \\[default: utf-8, or what a mark says]."),
]
Decimal = Annotated[
    str | None, typer.Option("--decimal", metavar=".|,", help="What stands before the decimals of numbers.")
]
Null = Annotated[
    list[str] | None, typer.Option("--null", metavar="A,B", help="Texts that mean a missing value, such as NA,?")
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", metavar="NAME", help="Which sheet of an Excel file, by name or number.")
]
Table = Annotated[
    str | None, typer.Option("--table", metavar="TABLE", help="Of a database: the table or view to read.")
]
Query = Annotated[
    str | None, typer.Option("--query", metavar="SELECT..", help="Of a database: a query to read instead of a table.")
]


def described(
    source: str | None, *, null: list[str] | None, table: str | None, query: str | None, **said: Any
) -> str | File | Database | None:
    """A source, with what is said of the file or the database it is in, if anything is."""
    given = {name: value for name, value in {**said, "null": names(null)}.items() if value is not None}
    if source is None or not given:
        return in_database(source, table=table, query=query)
    if table is not None or query is not None:
        raise PolicyError(f"{next(iter(given))} is a setting of files, and a database is none.", remedy="Leave it out.")
    return File(source, **given)


def shown(place: str, meant: object) -> str:
    """A place in words; of a database without the user."""
    return str(meant) if isinstance(meant, Database) else place


def in_database(place: str | None, *, table: str | None, query: str | None = None) -> str | Database | None:
    """A place, and which table of it is meant, if it is a database."""
    if place is None or (table is None and query is None):
        return place
    return Database(place, table=table, query=query)
