"""A database of each kind; what needs the server stays with one worker, so that one is enough."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases.places import DuckDB, Place, PostgreSQL, Sqlite
from tests.databases.server import Server, running
from tests.e2e.command_line import Runner, in_process

ENGINES = ["sqlite", "duckdb", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgresql"))]


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running() as found:
        yield found


@pytest.fixture
def postgresql(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> PostgreSQL:
    """An empty database, and its password where libpq looks for it."""
    found: Server = request.getfixturevalue("server")
    for name in ("PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGPASSWORD", "PGSERVICE", "PGSERVICEFILE", "PGOPTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PGPASSFILE", str(found.passwords))
    return PostgreSQL(found)


@pytest.fixture
def sqlite(tmp_path: Path) -> Sqlite:
    return Sqlite(tmp_path / "data.sqlite")


@pytest.fixture
def duckdb(tmp_path: Path) -> DuckDB:
    return DuckDB(tmp_path / "data.duckdb")


@pytest.fixture(params=ENGINES)
def place(request: pytest.FixtureRequest) -> Place:
    """Every database in turn."""
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def pellucid(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    return in_process(monkeypatch, capsys)
