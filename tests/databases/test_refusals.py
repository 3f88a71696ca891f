"""What cannot be read says why; and a password is in nothing that anybody sees."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pellucid as library
from pellucid import Database, PellucidError, PolicyError, SourceError
from pellucid.sources import open_source
from pellucid.sources.databases.address import address_of, parts_of, quoted
from tests.contract.publishing import people
from tests.databases.places import Place, PostgreSQL
from tests.databases.server import PASSWORD
from tests.e2e.command_line import Run, Runner

SECRET = "hunter2"
ROLES = ("-q", "age,place", "-s", "disease", "-l", "2", "--identifier", "name")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://", "postgresql://"),
        ("postgresql:///clinic", "postgresql:///clinic"),
        ("postgres://anna@db.example:5433/clinic", "postgresql://db.example:5433/clinic"),
        ("postgresql://[::1]:5432/clinic?sslmode=require", "postgresql://[::1]:5432/clinic"),
        ("postgresql://a:1,b:2/clinic?target_session_attrs=any", "postgresql://a:1,b:2/clinic"),
        ("postgresql:///?service=clinic", "postgresql://"),
        ("sqlite:///folder/x", "sqlite:///folder/x"),
        ("duckdb:////folder/x", "duckdb:////folder/x"),
        ("folder/x.SQLITE", "folder/x.SQLITE"),
        ("x.duckdb", "x.duckdb"),
    ],
)
def test_addresses(address: str, shown: str) -> None:
    found = address_of(address)
    assert found is not None
    assert found.name == shown


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://anna:{SECRET}@db.example/clinic",
        f"postgresql://anna:{SECRET}/@db.example/clinic",
        f"postgresql://anna:{SECRET}?@db.example/clinic",
        f"postgresql://anna:{SECRET}#@db.example/clinic",
        f"postgresql://anna:a:{SECRET}@db.example/clinic",
        f"postgresql://anna@x:{SECRET}@db.example/clinic",
        f"postgresql://:{SECRET}@/clinic",
        f"postgresql:///clinic?user=anna&password={SECRET}",
        f"postgresql:///clinic?p%61ssword={SECRET}",
        f"postgresql:///clinic?PASSWORD={SECRET}",
        f"postgresql:///clinic?sslpassword={SECRET}",
        f"mysql://anna:{SECRET}@db.example/clinic",
        f"mysql://anna:{SECRET}@db.example/clinic.csv",
        f" postgresql://anna:{SECRET}@db.example/clinic",
        f'"postgresql://anna:{SECRET}@db.example/clinic"',
        f"postgresql:anna:{SECRET}@db.example/clinic",
        f"postgresql//anna:{SECRET}@db.example/clinic",
        f"anna:{SECRET}@db.example/clinic",
        f"a:{SECRET}@db.example/clinic",
        f"jdbc:postgresql://db.example/clinic?user=anna&password={SECRET}",
        f"host=db.example dbname=clinic password={SECRET}",
        f"Server=db.example;Uid=anna;Pwd={SECRET};",
        f"sqlite:////clinic.db?key={SECRET}",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_repeated(address: str, pellucid: Runner, tmp_path: Path) -> None:
    people().write_csv(tmp_path / "source.csv")
    policy = tmp_path / "policy.toml"
    policy.write_text(f"[source]\npath = '{address}'\ntable = 'people'\n")
    for words in (
        ("anonymize", address, "--table", "people", "-o", tmp_path / "out.csv", *ROLES),
        ("anonymize", address, "-o", tmp_path / "out.csv", *ROLES, "--json"),
        ("anonymize", tmp_path / "source.csv", "-o", address, *ROLES),
        ("anonymize", tmp_path / "source.csv", "-o", address, "--target-table", "out", *ROLES, "--json"),
        ("anonymize", "--policy", policy, "-o", tmp_path / "out.csv", *ROLES),
        ("anonymize", address, "--separator", ";", "-o", tmp_path / "out.csv", *ROLES),
        ("inspect", address),
        ("init", address, "-o", tmp_path / "draft.toml"),
        ("hierarchy", address, "--column", "age", "--width", "5"),
        ("check", address, *ROLES[:6], "--table", "out"),
        ("check", address, *ROLES[:6]),
        ("evaluate", address, address, *ROLES[:4]),
        ("compare", address, *ROLES[:6]),
        ("risk", address, "--external", address, *ROLES, "--algorithm", "tailor"),
    ):
        run = pellucid(*words)
        run.refused(run.status)
        assert run.status in (2, 5)
        assert SECRET not in run.out + run.err
    with pytest.raises(PellucidError) as refused:
        Database(address, table="people")
    assert SECRET not in repr(refused.value)


@pytest.mark.parametrize(
    "address", [f"postgresql://anna:{SECRET}@db.example/clinic", f"host=db.example password={SECRET}"]
)
def test_nor_is_it_where_a_file_is_asked_for(address: str, pellucid: Runner, tmp_path: Path) -> None:
    """The two are next to each other on the command line."""
    source = tmp_path / "source.csv"
    people().write_csv(source)
    publishing = ("anonymize", source, "-o", tmp_path / "out.csv", *ROLES)
    for words in (
        (*publishing, "--report", address),
        (*publishing, "--policy", address),
        (*publishing, "--register", address),
        (*publishing, "--seed-file", address),
        (*publishing, "--sensitive-order", address),
        (*publishing, "--hierarchy", f"place={address}"),
        (*publishing, "--hierarchy", address),
        ("inspect", source, "--html", address),
        ("init", source, "-o", address),
        ("hierarchy", source, "--column", "age", "--width", "5", "-o", address),
        ("evaluate", source, source, *ROLES[:4], "--queries-file", address),
        ("compare", source, *ROLES[:6], "--plot", address),
        ("risk", address, *ROLES[:6]),
        ("schema", "-o", address),
    ):
        run = pellucid(*words)
        run.refused(run.status)
        assert SECRET not in run.out + run.err, words
    assert [file.name for file in tmp_path.iterdir()] == ["source.csv"]


@given(st.text(min_size=1, max_size=20))
def test_whatever_the_password_is_it_is_not_repeated(password: str) -> None:
    """What stands between the user and the host is refused, unless it is a port."""
    for address in (f"postgresql://anna:<{password}>@db.example/clinic", f"postgresql:///x?password=<{password}>"):
        with pytest.raises(PolicyError) as refused:
            address_of(address)
        assert f"<{password}>" not in str(refused.value)


@pytest.mark.xdist_group("postgresql")
@pytest.mark.parametrize("given_by", ["PGPASSFILE", "PGPASSWORD", "PGSERVICEFILE"])
def test_a_password_from_the_environment_is_nowhere(
    postgresql: PostgreSQL, given_by: str, pellucid: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgresql.put("people", people())
    address = postgresql.address
    if given_by != "PGPASSFILE":
        monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    if given_by == "PGPASSWORD":
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
    if given_by == "PGSERVICEFILE":
        address = "postgresql:///?service=clinic"
        service = tmp_path / "services"
        settings = (
            f"host=127.0.0.1\nport={postgresql.server.port}\nuser=steward\ndbname=postgres\npassword={PASSWORD}\n"
        )
        service.write_text(f"[clinic]\n{settings}")
        monkeypatch.setenv("PGSERVICEFILE", str(service))
    words = ("anonymize", address, "--table", "people", "-o", address, "--target-table", "out", *ROLES)
    run = pellucid(*words, "--json", "--report", tmp_path / "report.html")
    assert run.status == 0, run.err
    seen = [run.out, run.err, *(page.read_text() for page in tmp_path.glob("*.html")), postgresql.rows("out_manifest")]
    assert all(PASSWORD not in str(text) for text in seen)


@pytest.mark.xdist_group("postgresql")
def test_a_wrong_password(postgresql: PostgreSQL, pellucid: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", SECRET)
    words = ("anonymize", postgresql.address, "--table", "people", "-o", "out.csv", *ROLES)
    run = pellucid(*words)
    run.refused(5, "password authentication failed for user")
    assert "~/.pgpass" in run.err
    assert SECRET not in run.err
    monkeypatch.setenv("PELLUCID_TRACEBACK", "1")
    assert SECRET not in pellucid(*words).err
    monkeypatch.delenv("PGPASSWORD")
    monkeypatch.setenv("PGPASSFILE", "/nowhere")
    pellucid(*words).refused(5, "no password supplied. A password belongs into ~/.pgpass or the environment")


@pytest.mark.parametrize("command", ["anonymize", "check"])
def test_a_server_that_does_not_answer(pellucid: Runner, command: str) -> None:
    address = "postgresql://anna@127.0.0.1:1/clinic"
    output = ("-o", "out.csv", "--identifier", "name") if command == "anonymize" else ()
    run = pellucid(command, address, "--table", "people", *output, *ROLES[:6])
    run.refused(5, "postgresql://127.0.0.1:1/clinic cannot be read: ")
    assert "Connection refused" in run.err
    roles = {"quasi_identifiers": ["age"], "sensitive": "disease", "diversity": 2, "drop_others": True}
    with pytest.raises(library.TargetError, match=r"127\.0\.0\.1:1/clinic cannot be written: .*refused"):
        library.anonymize(people(), target=Database(address, table="out"), **roles)  # type: ignore[arg-type]


def test_a_table_that_is_not_there(place: Place, pellucid: Runner) -> None:
    place.put("people", people(5))
    words = ("anonymize", place.address, "-o", "out.csv", *ROLES)
    pellucid(*words, "--table", "persons").refused(5, "has no table 'persons'. It has 'people'.")
    pellucid(*words).refused(2, "is a database; which of its tables is meant? Name it (--table)")
    pellucid(*words, "--table", "a", "--query", "b").refused(2, "A source is a table or a query, not both.")
    pellucid(*words, "--table", 'a"b').refused(2, "is no name of a table")
    pellucid("anonymize", place.address, "--table", "people", "-o", place.address, *ROLES).refused(2, "--target-table")
    pellucid("anonymize", "source.csv", "--table", "people", "-o", "out.csv", *ROLES).refused(2, "is no database")


@pytest.mark.parametrize("query", ["SELECT nothing", "SELEC 1", "DELETE FROM people", "SELECT 1; SELECT 2", "", ") x"])
def test_a_query_that_fails(place: Place, query: str) -> None:
    place.put("people", people(5))
    with pytest.raises(SourceError, match="cannot be read: "):
        open_source(place.query(query))
    assert len(place.rows("people")) == 5


def test_a_query_that_changes_something(postgresql: PostgreSQL) -> None:
    """The transaction of a source is read-only, whatever a query calls."""
    postgresql.put("people", people(5))
    postgresql.run("CREATE FUNCTION f() RETURNS bigint LANGUAGE sql AS 'DELETE FROM people RETURNING age'")
    source = open_source(postgresql.query("SELECT f() AS age"))
    with pytest.raises(SourceError, match="read-only transaction"):
        source.read(["age"])
    assert len(postgresql.rows("people")) == 5


@pytest.mark.parametrize("ending", [".sqlite", ".db", ".duckdb"])
def test_a_file_that_is_no_database(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"data{ending}"
    with pytest.raises(SourceError, match="There is no file"):
        open_source(Database(file, table="people"))
    file.write_bytes(b"nonsense" * 1000)
    with pytest.raises(SourceError, match=r"not a (valid DuckDB )?database"):
        open_source(Database(file, table="people"))


@pytest.mark.xdist_group("postgresql")
def test_names_that_postgresql_would_cut_off(postgresql: PostgreSQL) -> None:
    for table, column in (("t" * 64, "age"), ("out", "a" * 64), ("ö" * 30, "age")):
        made = library.anonymize(
            people().rename({"age": column}),
            quasi_identifiers=[column],
            sensitive="disease",
            diversity=2,
            drop_others=True,
        )
        with pytest.raises(library.TargetError, match="cuts names off after 63 bytes"):
            made.write(postgresql.table(table))


@pytest.mark.parametrize(("module", "extra"), [("duckdb", "duckdb"), ("psycopg", "postgresql")])
def test_a_driver_that_is_not_installed(tmp_path: Path, module: str, extra: str) -> None:
    (tmp_path / "x.duckdb").write_text("")
    address = "x.duckdb" if module == "duckdb" else "postgresql://127.0.0.1:1/x"
    code = (
        f"import sys; sys.modules[{module!r}] = None; from pellucid.cli import main\n"
        f"sys.argv[1:] = ['anonymize', {address!r}, '--table', 't', '-o', 'x.csv', '-q', 'a', '-s', 'b', '-l', '2']\n"
        "main()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    Run(run.returncode, run.stdout, run.stderr).refused(2, f"Install it with: pip install 'pellucid[{extra}]'")


@given(st.lists(st.text(min_size=1).filter(lambda part: "\0" not in part), min_size=1, max_size=3))
def test_names_in_quotes_mean_what_they_say(parts: list[str]) -> None:
    assert parts_of(quoted(*parts)) == tuple(parts)


@pytest.mark.parametrize("address", ["postgresql://db.example/clinic", "clinic.sqlite"])
def test_a_database_is_not_described_as_a_file(address: str) -> None:
    with pytest.raises(PolicyError, match=r"^separator is for files, and a database is none\. Leave it out"):
        open_source(library.File(address, separator=";"))


def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    """Only what is no file is taken for an address with a mistake."""
    file = tmp_path / "12:30 anna@home;key=1.csv"
    people().write_csv(file)
    assert open_source(str(file)).columns == people().columns
