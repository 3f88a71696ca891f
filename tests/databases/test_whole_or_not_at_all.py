"""A release in a database appears whole or not at all (G9), and whatever was there before stays as it was."""

from __future__ import annotations

import contextlib
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as library
from pellucid import CheckFailedError, PolicyError, SourceError, TargetError, release
from tests.contract.publishing import people
from tests.databases.places import DuckDB, Place, PostgreSQL, Sqlite
from tests.databases.server import PASSWORD
from tests.e2e.command_line import program

ROLES = ("-q", "age,place", "-s", "disease", "-l", "2", "--identifier", "name")


def publish(source: object, **options: Any) -> library.Release:
    settings: dict[str, Any] = {"quasi_identifiers": ["age", "place"], "sensitive": "disease", "diversity": 2}
    return library.anonymize(source, **{**settings, "identifier": "name", **options})


@pytest.mark.parametrize(("recoding", "taken"), [("mbr", "out"), ("mbr", "out_manifest"), ("anatomy", "out_sensitive")])
def test_a_table_that_is_there_is_never_replaced(place: Place, recoding: str, taken: str) -> None:
    """It is refused before the work, and again when it appears during it."""
    made = publish(people(), recoding=recoding, target=place.table("out"))
    before = people(5)
    place.put(taken, before)
    heard: list[str] = []
    with pytest.raises(TargetError, match=f"has a table '{taken}' already. Choose another name"):
        publish(people(), recoding=recoding, target=place.table("out"), monitor=lambda stage, _: heard.append(stage))
    with pytest.raises(TargetError, match="already"):
        made.write()
    assert heard == []
    assert place.names() == {taken}
    assert sorted(place.rows(taken)) == sorted(before.rows())


def test_a_database_that_appears_meanwhile_is_not_replaced(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    if isinstance(place, PostgreSQL):
        pytest.skip("a server is there from the beginning")
    verify = release._verify

    def slow(*words: Any) -> Any:
        place.put("theirs", people(5))
        return verify(*words)

    monkeypatch.setattr(release, "_verify", slow)
    with pytest.raises(TargetError, match=r"made by somebody else in the meantime\. Nothing was changed in it"):
        publish(people()).write(place.table("out"))
    assert place.names() == {"theirs"}


@pytest.mark.parametrize("links", [True, False])
def test_a_new_database_where_files_have_one_name_only(
    sqlite: Sqlite, links: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on memory cards and some network drives."""
    if not links:

        def refuse(*words: object) -> None:
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(Path, "hardlink_to", refuse)
    publish(people()).write(sqlite.table("out"))
    assert sqlite.names() == {"out", "out_manifest"}
    assert [file.name for file in tmp_path.iterdir()] == [sqlite.file.name]


@pytest.mark.xdist_group("postgresql")
def test_two_runs_make_the_same_table(postgresql: PostgreSQL) -> None:
    """The second waits for the first, and then says why it cannot go on."""
    made = publish(people())
    with postgresql.connection() as other:
        other.execute("BEGIN")
        other.execute("CREATE TABLE out (a int)")
        found: list[BaseException] = []

        def write() -> None:
            try:
                made.write(postgresql.table("out"))
            except BaseException as problem:
                found.append(problem)

        second = threading.Thread(target=write)
        second.start()
        while postgresql.run("SELECT count(*) FROM pg_locks WHERE NOT granted") == [(0,)]:
            assert second.is_alive()
        other.execute("COMMIT")
        second.join()
    [problem] = found
    assert isinstance(problem, TargetError)
    assert "somebody else made a table of the same name in the meantime. Nothing was left there" in str(problem)


def test_a_view_is_not_replaced_either(place: Place) -> None:
    place.put("old", people(5))
    place.run("CREATE VIEW out AS SELECT * FROM old")
    with pytest.raises(TargetError, match="already"):
        publish(people()).write(place.table("out"))


@pytest.mark.parametrize("existing", [True, False])
@pytest.mark.parametrize("fails", ["verify", "report"])
def test_what_fails_leaves_nothing(
    place: Place, tmp_path: Path, existing: bool, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if existing:
        place.put("old", people(5))
    before, files = place.names(), set(tmp_path.iterdir())

    def fail(*args: object, **options: object) -> None:
        raise CheckFailedError("This release is wrong.")

    if fails == "verify":
        monkeypatch.setattr(release, "_verify", fail)
    else:
        monkeypatch.setattr(library.Release, "_pages", fail)
    with pytest.raises(CheckFailedError):
        publish(people()).write(place.table("out"), report=tmp_path / "report.html")
    assert place.names() == before
    assert set(tmp_path.iterdir()) == files


def test_a_value_that_changed_on_the_way_is_found(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is read back from the database; it is not what lies in memory that is judged."""
    from pellucid.sources.databases import target

    pieces = target._Pieces.__iter__

    def forged(self: Any) -> Any:
        for piece in pieces(self):
            yield piece.with_columns(disease=pl.lit("flu"))

    monkeypatch.setattr(target._Pieces, "__iter__", forged)
    with pytest.raises(CheckFailedError, match="'disease' are not as frequent"):
        publish(people()).write(place.table("out"))
    assert place.names() == set()


def test_source_and_target_may_be_one_database(place: Place) -> None:
    place.put("people", people())
    before = place.rows("people")
    publish(place.table("people")).write(place.table("out"))
    assert place.rows("people") == before
    assert len(place.rows("out")) == 60


@pytest.mark.xdist_group("postgresql")
def test_a_schema_may_be_named(postgresql: PostgreSQL) -> None:
    postgresql.run('DROP SCHEMA IF EXISTS "a.b" CASCADE')
    postgresql.run('CREATE SCHEMA "a.b"')
    publish(people()).write(postgresql.table('"a.b".out'))
    assert len(postgresql.run('SELECT * FROM "a.b".out')) == 60
    assert publish(people(), target=postgresql.table("out")).write().tables == ("out",)
    with pytest.raises(TargetError, match="'out' already"):
        publish(people()).write(postgresql.table('"a.b"."out"'))
    with pytest.raises(TargetError, match='schema "nowhere" does not exist'):
        publish(people()).write(postgresql.table("nowhere.out"))
    postgresql.run('DROP SCHEMA "a.b" CASCADE')  # others see what tables there are


# A run that stops in the middle, when everything is written and nothing committed.
STOPS = """
import time, pellucid.release as release
def stop(*args):
    print("here", flush=True)
    time.sleep(600)
release._verify = stop
"""


@pytest.mark.parametrize("existing", [True, False], ids=["old database", "new database"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT], ids=lambda end: end.name)
def test_a_run_that_is_ended_in_the_middle(place: Place, tmp_path: Path, existing: bool, end: signal.Signals) -> None:
    people(20_000).write_csv(tmp_path / "source.csv")
    if existing:
        place.put("old", people())
    before = place.names()
    words = ("anonymize", tmp_path / "source.csv", "-o", place.address, "--target-table", "out", *ROLES)
    with program(*words, before=STOPS) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "here\n"
        run.send_signal(end)
        _, err = run.communicate(timeout=60)
    assert place.names() == before
    if end is signal.SIGINT:
        assert (run.returncode, err) == (130, "pellucid: Interrupted: nothing was written.\n")
        left = {"source.csv", "data.sqlite" if isinstance(place, Sqlite) else "data.duckdb"}
        assert {file.name for file in tmp_path.iterdir()} <= left
    publish(people()).write(place.table("out"))


ENDLESS = {
    Sqlite: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS age, 1 AS place FROM n",
    DuckDB: "SELECT count(*) AS age, 1 AS place FROM range(1000000000) a, range(1000000000) b",
    PostgreSQL: "SELECT 1 AS age, pg_sleep(600)::text AS place",
}
TOLD = """
import pellucid.sources.databases.source as source
read = source.DatabaseSource._read
def told(*words):
    print("here", flush=True)
    return read(*words)
source.DatabaseSource._read = told
"""


def test_ctrl_c_ends_a_query(place: Place, tmp_path: Path) -> None:
    """The query is ended in the database too, and not left to run there."""
    place.put("old", people(5))
    query = ENDLESS[type(place)]
    roles = ("-q", "age", "-s", "place", "-l", 1)
    words = ("anonymize", place.address, "--query", query, "-o", tmp_path / "out.csv", *roles)
    with program(*words, before=TOLD) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "here\n"
        run.send_signal(signal.SIGINT)
        try:
            _, err = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            run.kill()
            pytest.fail("It waits for the query.")
    assert (run.returncode, err) == (130, "pellucid: Interrupted: nothing was written.\n")
    assert not (tmp_path / "out.csv").exists()
    if isinstance(place, PostgreSQL):
        wait_until(place, active=0)


def wait_until(postgresql: PostgreSQL, *, active: int) -> None:
    """The endless query runs so many times."""
    found = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()"
    last = time.monotonic() + 30  # a server that has much to do ends it a little later, and not after ten minutes
    while postgresql.run(f"{found} AND state = 'active'") != [(active,)]:
        assert time.monotonic() < last
        time.sleep(0.1)


@pytest.mark.xdist_group("postgresql")
def test_a_query_that_nobody_waits_for_ends(postgresql: PostgreSQL, tmp_path: Path) -> None:
    """Whoever is killed cannot ask for it: the server looks for itself."""
    [(known,)] = postgresql.run("SELECT current_setting('client_connection_check_interval', true) IS NOT NULL")
    if not known:
        pytest.skip("PostgreSQL before 14 does not look")
    query = ENDLESS[PostgreSQL]
    words = ("anonymize", postgresql.address, "--query", query, "-o", tmp_path / "out.csv")
    with program(*words, "-q", "age", "-s", "place", "-l", 1) as run:
        wait_until(postgresql, active=1)
        run.kill()
    wait_until(postgresql, active=0)


@pytest.mark.xdist_group("postgresql")
def test_ctrl_c_ends_waiting_for_a_lock(postgresql: PostgreSQL, tmp_path: Path) -> None:
    postgresql.put("people", people())
    words = ("anonymize", postgresql.address, "--table", "people", "-o", tmp_path / "out.csv", *ROLES)
    with postgresql.connection() as connection:
        connection.execute("BEGIN")
        connection.execute("LOCK TABLE people")
        with program(*words) as run:
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            while postgresql.run(waiting) == [(0,)]:
                assert run.poll() is None
            run.send_signal(signal.SIGINT)
            _, err = run.communicate(timeout=60)
    assert (run.returncode, err) == (130, "pellucid: Interrupted: nothing was written.\n")


@pytest.mark.xdist_group("postgresql")
def test_a_commit_that_was_asked_for_is_waited_for(postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during the commit comes too late; nobody hears that nothing was written when everything was."""
    import pellucid.sources.databases.postgresql as driver

    commit = driver.PostgreSQL.commit

    def late(self: driver.PostgreSQL) -> None:
        signal.raise_signal(signal.SIGINT)
        commit(self)

    monkeypatch.setattr(driver.PostgreSQL, "commit", late)
    assert publish(people()).write(postgresql.table("out")).tables == ("out",)
    assert len(postgresql.rows("out")) == 60


@contextlib.contextmanager
def cut_at(statement: bytes, port: int, *, arrives: bool) -> Iterator[int]:
    """A way to the server that ends when a statement comes along, before it or behind it: a port."""

    def relay(client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            while True:
                for end in select.select([client, server], [], [])[0]:
                    data = end.recv(2**16)
                    last = end is client and statement in data
                    if not data or (last and not arrives):
                        return
                    (server if end is client else client).sendall(data)
                    if last:
                        server.recv(2**16)  # the answer, which is lost
                        return

    def listen() -> None:
        with contextlib.suppress(OSError):
            while True:
                threads.append(threading.Thread(target=relay, args=[listener.accept()[0]]))
                threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threads = [threading.Thread(target=listen)]
        threads[0].start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()


@pytest.mark.xdist_group("postgresql")
@pytest.mark.parametrize(
    ("statement", "arrives", "said"),
    [
        (b"CREATE TABLE", False, "cannot be written: .*closed the connection.* Nothing was left there"),
        (b"COPY", False, "cannot be written: .*closed the connection.* Nothing was left there"),
        (b"COMMIT", False, "does not say whether the release was written. See whether it has a table 'out_manifest'"),
        (b"COMMIT", True, "does not say whether the release was written. See whether it has a table 'out_manifest'"),
    ],
)
def test_a_connection_that_is_lost(postgresql: PostgreSQL, statement: bytes, arrives: bool, said: str) -> None:
    """Nobody claims that nothing was written when the database was asked to keep it and did not answer."""
    made = publish(people())
    with cut_at(statement, postgresql.server.port, arrives=arrives) as port:
        address = postgresql.address.replace(str(postgresql.server.port), str(port))
        with pytest.raises(TargetError, match=said):
            made.write(library.Database(address, table="out"))
    assert postgresql.names() == ({"out", "out_manifest"} if arrives else set())


@pytest.mark.xdist_group("postgresql")
def test_nothing_about_the_database_is_published(postgresql: PostgreSQL, tmp_path: Path) -> None:
    """G8: neither address nor user nor query, and of course no password."""
    postgresql.put("patients", people())
    source = postgresql.query("SELECT * FROM patients WHERE age < 1000")
    written = publish(source).write(postgresql.table("out"), report=tmp_path / "report.html")
    [(manifest,)] = postgresql.rows("out_manifest")
    for text in (manifest, written.reports[0].read_text()):
        for hidden in ("127.0.0.1", str(postgresql.server.port), "steward", "SELECT", "patients", PASSWORD):
            assert hidden not in text


def address_of_reader(postgresql: PostgreSQL) -> str:
    """Of somebody who may know what tables there are, and nothing else."""
    postgresql.run("DROP ROLE IF EXISTS reader")
    postgresql.run(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")
    postgresql.run("GRANT USAGE ON SCHEMA public TO reader")
    with postgresql.server.passwords.open("a") as file:
        file.write(f"127.0.0.1:*:*:reader:{PASSWORD}\n")
    return postgresql.address.replace("steward", "reader")


def test_a_read_only_database(tmp_path: Path, sqlite: Sqlite, postgresql: PostgreSQL) -> None:
    address = address_of_reader(postgresql)
    postgresql.put("people", people())
    with pytest.raises(SourceError, match="permission denied for table people"):
        publish(library.Database(address, table="people"))
    postgresql.run("GRANT SELECT ON people TO reader")
    made = publish(library.Database(address, table="people"))
    with pytest.raises(TargetError, match="permission denied for schema public"):
        made.write(library.Database(address, table="out"))
    sqlite.put("old", people())
    with sqlite.connection() as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(TargetError, match="database is locked"):
            made.write(sqlite.table("out"))


@pytest.mark.xdist_group("postgresql")
def test_columns_that_are_not_needed_need_no_grant(postgresql: PostgreSQL) -> None:
    address = address_of_reader(postgresql)
    postgresql.put("people", people().with_columns(address=pl.lit("1 Main Street")))
    postgresql.run("GRANT SELECT (name, age, place, disease) ON people TO reader")
    source = library.Database(address, table="people")
    assert publish(source, drop=["address"]).check.rows == 60
    with pytest.raises(SourceError, match="permission denied for table people"):
        publish(source, quasi_identifiers=["age", "place", "address"])


@pytest.mark.parametrize("where", ["nowhere/out.sqlite", "file.txt/out.sqlite"])
def test_a_folder_that_is_not_there(tmp_path: Path, where: str) -> None:
    (tmp_path / "file.txt").write_text("old")
    with pytest.raises(TargetError, match="There is no folder"):
        publish(people()).write(library.Database(tmp_path / where, table="out"))


def test_a_target_needs_a_table(place: Place) -> None:
    with pytest.raises(PolicyError, match="which new table is to be made in it"):
        publish(people(), target=place.address)
