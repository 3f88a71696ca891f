"""A register remembers whose data are in which release, warns of them, and knows every release that there is."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid
from pellucid import PellucidError
from pellucid.errors import OverlapWarning, RegisterError
from pellucid.policy import Policy
from pellucid.register import Register, Remembered
from pellucid.sources.targets import Staging
from tests.contract.publishing import QI, files_in, people

Write = Callable[..., pellucid.Written]
ROLES: dict[str, Any] = {"quasi_identifiers": QI, "sensitive": "disease", "diversity": 2}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Publish a table, remembered in `register`."""

    def publish(table: pl.DataFrame, name: str = "out.csv", **options: Any) -> pellucid.Written:
        settings = {**ROLES, "identifier": "name", "register": tmp_path / "register", **options}
        return pellucid.anonymize(table, **settings).write(tmp_path / name)

    return publish


def known(written: pellucid.Written) -> Remembered:
    assert written.remembered is not None
    return written.remembered


def test_people_of_an_earlier_release_are_counted(write: Write) -> None:
    table = people(90)
    first = write(table[:60], "first.csv")
    assert not known(first), "nobody was published before"
    with pytest.warns(OverlapWarning, match=r"^People of this table are in earlier releases: 20 of 50 in 'first.csv'"):
        second = write(table[40:], "second.csv", algorithm="tailor")
    [overlap] = known(second).overlaps
    assert (overlap.people, overlap.shared, overlap.target, overlap.published) == (60, 20, "first.csv", True)
    assert overlap.policy_sha256 == json.loads(Path(first.manifest).read_text())["policy_sha256"]
    with pytest.warns(OverlapWarning, match=r"60 of 90 in 'first.csv' .*, 50 of 90 in 'second.csv'"):
        third = write(table, "third.csv")
    assert [each.shared for each in known(third).overlaps] == [60, 50]
    strangers = people(30).with_columns(name="new " + pl.col("name"))
    assert not known(write(strangers, "fourth.csv"))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_whatever_file_they_are_in(write: Write, tmp_path: Path, ending: str) -> None:
    table = people(40).with_columns(name=pl.int_range(40))
    write(table)
    source = tmp_path / f"source.{ending}"
    table.write_csv(source) if ending == "csv" else table.write_parquet(source)
    with pytest.warns(OverlapWarning, match="40 of 40"):
        written = pellucid.anonymize(source, **ROLES, identifier="name", register=tmp_path / "register").write(
            tmp_path / "again.csv"
        )
    assert known(written).overlaps[0].source is None, "the first one was a frame"


def test_without_an_identifier_rows_are_compared_by_their_quasi_identifiers(write: Write) -> None:
    table = people(60).with_columns(age=pl.int_range(60)).drop("name")
    write(table[:40], "first.csv", identifier=None)
    with pytest.warns(OverlapWarning, match=r"quasi-identifiers of earlier .* maybe of the same people: 10 of 30 in"):
        write(table[30:], "second.csv", identifier=None)
    with pytest.warns(OverlapWarning, match=r"^2 earlier releases were remembered by other columns"):
        written = write(people(20))
    assert known(written).as_dict() == {"overlaps": [], "not_comparable": 2}


def test_rows_that_repeat_are_all_counted(tmp_path: Path) -> None:
    register = Register(tmp_path / "register")
    policy = Policy(quasi_identifiers=("a", "b"), sensitive="s", diversity=1)
    some = pl.DataFrame({"a": ["x", "x", None], "b": [1, 1, 2]})
    other = pl.DataFrame({"a": ["x", "x", "x", None, "1:"], "b": [1, 1, 1, 2, 2]})
    facts: dict[str, Any] = {"source": None, "target": "t", "policy_sha256": ""}
    with register.noted(register.people(some, policy), **facts) as nobody:
        assert not nobody
    with register.noted(register.people(other, policy), **facts) as found:
        assert [overlap.shared for overlap in found.overlaps] == [4]


def test_rows_left_out_are_not_remembered(write: Write) -> None:
    table = people(40).with_columns(age=pl.when(pl.int_range(40) < 10).then(None).otherwise(pl.col("age")))
    write(table, missing="drop")
    with pytest.warns(OverlapWarning, match="30 of 40"):
        write(people(40), "again.csv")


def test_hashes_mean_nothing_under_another_key(tmp_path: Path) -> None:
    policy = Policy(**ROLES, identifier="name")
    one, other = (Register(tmp_path / name).people(people(), policy) for name in ("one", "other"))
    assert not set(one.hashes.tolist()) & set(other.hashes.tolist())
    assert Register(tmp_path / "one").people(people(), policy).hashes.tolist() == one.hashes.tolist()


def test_it_is_the_curators_alone_and_holds_no_values(write: Write, tmp_path: Path) -> None:
    write(people(), report=tmp_path / "report.html")
    register = tmp_path / "register"
    assert stat.S_IMODE(register.stat().st_mode) == 0o600
    content = register.read_bytes()
    for value in ("person", "Köln", "Bonn", "gout"):
        assert value.encode() not in content
    with sqlite3.connect(register) as connection:
        [(key,)] = connection.execute("SELECT bytes FROM key").fetchall()
        [(hashes,)] = connection.execute("SELECT hashes FROM part").fetchall()
    assert len(hashes) == 8 * 60
    for name, published in files_in(tmp_path).items():
        if name != "register":
            assert b"register" not in published.replace(b"registered", b""), name
            assert key not in published
            assert key.hex().encode() not in published


def test_a_release_that_fails_was_never_there(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: Staging) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Staging, "commit", fails)
        with pytest.raises(OSError, match="No space left"):
            write(people())
    assert not known(write(people()))


def test_a_release_is_known_before_it_appears(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the program is ended at the worst moment, the register knows of a release that may have appeared."""

    def not_confirmed(*_: object) -> None:
        pass

    monkeypatch.setattr(Register, "_confirm", not_confirmed)
    write(people())
    monkeypatch.undo()
    with pytest.warns(OverlapWarning, match=r"60 of 60 in 'out.csv' \(\d{4}-\d\d-\d\d, which may not have appeared\)"):
        write(people(), "again.csv")


def test_ctrl_c_that_comes_too_late(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the release is there, nobody hears that nothing was written, and the register does not forget it."""
    confirm = Register._confirm

    def confirmed(self: Register, number: int) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        confirm(self, number)

    def told(stage: str, share: float) -> None:
        if (stage, share) == ("verify", 1.0):
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patched:
        patched.setattr(Register, "_confirm", confirmed)
        write(people(), monitor=told)
    with pytest.warns(OverlapWarning, match=r"60 of 60 in 'out.csv' \([-0-9]+\)"):
        write(people(), "again.csv")


def test_a_register_that_cannot_be_written_stops_the_release(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = pellucid.anonymize(people(), **ROLES, identifier="name", register=tmp_path / "register")
    monkeypatch.setattr("pellucid.register._PATIENCE_SECONDS", 0.01)
    other = sqlite3.connect(tmp_path / "register", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(RegisterError, match="database is locked"):
        release.write(tmp_path / "out.csv")
    assert set(files_in(tmp_path)) <= {"register", "register-journal"}
    other.close()
    assert not known(release.write(tmp_path / "out.csv"))


def test_of_two_runs_at_once_the_second_knows_of_the_first(tmp_path: Path) -> None:
    first, second = Register(tmp_path / "register"), Register(tmp_path / "register")
    policy = Policy(**ROLES, identifier="name")
    facts: dict[str, Any] = {"source": None, "policy_sha256": ""}
    with (
        first.noted(first.people(people(), policy), target="one", **facts) as before,
        second.noted(second.people(people(), policy), target="two", **facts) as after,
    ):
        assert not before.overlaps
        assert [(overlap.target, overlap.published) for overlap in after.overlaps] == [("one", False)]


@pytest.mark.parametrize("content", [b"junk", b"SQLite format 3\0" + bytes(4000), b"\0" * 100])
def test_what_is_no_register(write: Write, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "register").write_bytes(content)
    with pytest.raises(RegisterError, match=r"register|new one"):
        write(people())
    assert files_in(tmp_path) == {"register": content}


def test_a_register_cut_short(write: Write, tmp_path: Path) -> None:
    write(people(3000))
    content = (tmp_path / "register").read_bytes()
    (tmp_path / "register").write_bytes(content[: len(content) // 2])
    with pytest.raises(PellucidError, match="register") as refused:
        write(people(), "again.csv")
    assert refused.value.exit_status == 5
    assert not (tmp_path / "again.csv").exists()


def test_another_database_is_left_alone(write: Write, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "register") as other:
        other.execute("CREATE TABLE t (x)")
    before = (tmp_path / "register").read_bytes()
    with pytest.raises(RegisterError, match="is no register"):
        write(people())
    assert (tmp_path / "register").read_bytes() == before


def test_a_folder_that_is_not_there(write: Write, tmp_path: Path) -> None:
    with pytest.raises(RegisterError, match="cannot be opened: No such file"):
        write(people(), register=tmp_path / "nowhere" / "register")


def test_a_policy_file_names_it_and_does_not_publish_it(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(
        'quasi_identifiers = ["age", "place"]\nsensitive = "disease"\ndiversity = 2\nidentifier = "name"\n'
        '[register]\npath = "published.register"\n'
    )
    release = pellucid.anonymize(people(), policy=file)
    assert release.write(tmp_path / "out.csv").remembered is not None
    assert (tmp_path / "published.register").exists()
    assert "register" not in (tmp_path / "out.csv.manifest.json").read_text()
