"""Where a table in a database is: an address, and the name of a table or a query.

A password never stands in an address: addresses are seen by others, in lists of processes and histories of commands.
So one that holds anything like it is refused without being repeated, and what is left may be shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl

from ...errors import PolicyError, SourceError, listed
from ...passwords import may_only_be_a_password

__all__ = ["Address", "Database", "Engine", "address_of", "parts_of", "quoted"]

Engine = Literal["sqlite", "duckdb", "postgresql"]

_ENDINGS: dict[str, Engine] = {".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite", ".duckdb": "duckdb"}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/(/?)")
_POSTGRESQL = re.compile(
    r"postgres(?:ql)?://(?:[^:@/?#\[\]]*@)?(?P<hosts>[\w.,:%\[\]-]*)(?:/(?P<database>[^/?#@:]*))?(?:\?(?P<more>[^#@]*))?"
)
_SECRETS = {"password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"}
_NAME = re.compile(r'"(?:[^"]|"")+"|[^".]+')


@dataclass(frozen=True)
class Address:
    """The address of a database."""

    engine: Engine
    name: str
    """As messages show it: without the user."""
    path: Path | None = None
    """The file of a database that is one."""
    conninfo: str = field(default="", repr=False)
    """What the library of PostgreSQL takes."""


@dataclass(frozen=True)
class Database:
    """A table or a query in a database.

    `address` is `sqlite:///PATH`, `duckdb:///PATH`, the path of such a file, or `postgresql://USER@HOST:PORT/DATABASE`.
    """

    address: str | os.PathLike[str] = field(repr=False)
    table: str | None = None
    query: str | None = None

    def __post_init__(self) -> None:
        self.located()
        if self.table is not None and self.query is not None:
            raise PolicyError("A source is a table or a query, not both.", remedy="Take --table or --query out.")
        if self.table is not None:
            parts_of(self.table)

    def __str__(self) -> str:
        return f"{self.located().name}{f' ({self.table})' if self.table else ''}"

    def over(self, written: Mapping[str, Any]) -> Database:
        """The same; the table or the query that is not said here, a policy file may have said."""
        if self.table is not None or self.query is not None:
            return self
        return replace(self, table=written.get("table"), query=written.get("query"))

    def located(self) -> Address:
        """The address, understood."""
        found = address_of(self.address)
        if found is None:
            raise PolicyError(
                f"{os.fspath(self.address)} is no database, so that it has no tables or queries.",
                remedy="Use sqlite:///PATH, duckdb:///PATH or postgresql://USER@HOST:PORT/DATABASE.",
            )
        return found


def address_of(place: object) -> Address | None:
    """The address of a database, if it is one and not a file of another kind."""
    if not isinstance(place, str | os.PathLike):
        return None
    text = str(place)
    found = _SCHEME.match(text)
    if found is None:
        _require_no_password(text)
        path = Path(text)
        engine = _ENDINGS.get(path.suffix.lower())
        return None if engine is None else Address(engine, text, path)
    scheme = found[1].lower()
    if not found[2]:
        raise PolicyError(f"What starts with {scheme}:// is the address of a database; here, a file is asked for.")
    if scheme in ("postgresql", "postgres"):
        return _of_a_server(text)
    if scheme not in ("sqlite", "duckdb"):
        raise SourceError(
            f"{scheme}:// is no database that pellucid reads or writes.",
            remedy="Use sqlite:///PATH, duckdb:///PATH or postgresql://USER@HOST:PORT/DATABASE.",
        )
    rest = text[found.end() :]
    if not rest.startswith("/") or rest == "/":
        raise PolicyError(
            f"The address of a file starts with {scheme}:/// and goes on with its path.",
            remedy=f"For example {scheme}:///folder/file, or {scheme}:////folder/file from the root.",
        )
    _require_no_password(rest[1:])
    return Address("sqlite" if scheme == "sqlite" else "duckdb", text, Path(rest[1:]))


def _require_no_password(path: str) -> None:
    """Refuse what is no file and may hold a password: an address with a mistake, or of another program."""
    if may_only_be_a_password(path):
        raise _refused()


def _refused() -> PolicyError:
    return PolicyError(
        "The address of the database holds a password, or what could be one; so it is not repeated here.",
        remedy="A password belongs into ~/.pgpass or the environment (PGPASSWORD), and the address is"
        " postgresql://USER@HOST:PORT/DATABASE, with %XX for special characters.",
    )


def _of_a_server(text: str) -> Address:
    found = _POSTGRESQL.fullmatch(text)
    if found is None or _SECRETS & {name.lower() for name, _ in parse_qsl(found["more"] or "", keep_blank_values=True)}:
        raise _refused()
    database = f"/{found['database']}" if found["database"] else ""
    return Address("postgresql", f"postgresql://{found['hosts']}{database}", conninfo=text)


def parts_of(name: str) -> tuple[str, ...]:
    """The schema, if there is one, and the table of a name such as `clinic.patients` or `"a.b"`."""
    parts: list[str] = []
    at = 0
    while found := _NAME.match(name, at):
        part = found[0]
        parts.append(part[1:-1].replace('""', '"') if part.startswith('"') else part)
        at = found.end()
        if at == len(name):
            return tuple(parts)
        if name[at] != ".":
            break
        at += 1
    raise PolicyError(
        f"{listed([name])} is no name of a table.",
        remedy='Give TABLE or SCHEMA.TABLE; a name with a point or a quote in it stands in double quotes: "a.b".',
    )


def quoted(*parts: str) -> str:
    """A name in SQL."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)
