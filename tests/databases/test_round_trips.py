"""A table in a database becomes a release in a database: the same one as from a file to a file."""

from __future__ import annotations

import csv
import datetime
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as library
from tests.contract.publishing import RECODINGS
from tests.databases.places import Place, PostgreSQL
from tests.e2e.command_line import Runner

ROLES = ("-q", "age,born,weight,place", "-s", "disease", "-l", "3", "--identifier", "name")


@pytest.fixture
def people() -> pl.DataFrame:
    """Numbers, dates, decimals, and texts that need quotes everywhere."""
    fill = np.random.default_rng(5)
    rows = 300
    born = [datetime.date(1950, 1, 1) + datetime.timedelta(int(days)) for days in fill.integers(0, 20000, rows)]
    return pl.DataFrame(
        {
            "name": [f"person {number:04}" for number in fill.permutation(rows)],
            "age": fill.integers(20, 60, rows),
            "disease": fill.choice(["cold", "flu", 'go"ut', "mumps", "ul,cer", "two\nlines"], rows).tolist(),
            "born": born,
            "weight": (fill.integers(400, 1200, rows) / 10).tolist(),
            "place": fill.choice(["Bonn", "Köln", "Ulm, an der Donau", "", "null"], rows).tolist(),
        }
    )


@pytest.fixture
def seed_file(tmp_path: Path) -> Path:
    file = tmp_path / "secret.seed"
    file.write_bytes(b"a secret of this test, long enough")
    return file


def publish(source: object, seed_file: Path, **options: Any) -> library.Release:
    settings: dict[str, Any] = {
        "quasi_identifiers": ["age", "born", "weight", "place"],
        "sensitive": "disease",
        "diversity": 3,
        "identifier": "name",
        "seed_file": seed_file,
        **options,
    }
    return library.anonymize(source, **settings)


def as_texts(rows: list[tuple[Any, ...]]) -> list[tuple[str, ...]]:
    return sorted(tuple("" if value is None else str(value) for value in row) for row in rows)


def in_file(file: Path) -> list[tuple[str, ...]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return sorted(tuple(row) for row in list(csv.reader(lines))[1:])


@pytest.mark.parametrize("recoding", RECODINGS)
def test_the_same_release_from_a_file_and_from_a_database(
    place: Place, people: pl.DataFrame, tmp_path: Path, seed_file: Path, recoding: str
) -> None:
    """Also the same fingerprints: those of the tables are those of the files, without the order of lines."""
    people.write_csv(tmp_path / "source.csv")
    place.put("people", people)
    options = RECODINGS[recoding]
    files = publish(tmp_path / "source.csv", seed_file, **options).write(tmp_path / "out.csv")
    written = publish(place.table("people"), seed_file, **options).write(place.table("out"))
    anatomy = recoding == "anatomy"
    assert written.tables == (("out_qi", "out_sensitive") if anatomy else ("out",))
    assert written.manifest == "out_manifest"
    assert place.names() == {"people", *written.tables, "out_manifest"}
    [(text,)] = place.rows("out_manifest")
    manifest = json.loads(text)
    for table, file, said in zip(written.tables, files.files, manifest["tables"], strict=True):
        assert as_texts(place.rows(table)) == in_file(file)
        lines = sorted(file.read_bytes().splitlines(keepends=True))
        digest = hashlib.sha256(b"".join(lines)).hexdigest()
        assert said == {"name": table, "rows": len(in_file(file)), "sha256_of_sorted_csv": digest}
    assert manifest["check"]["statement"].startswith("The tables were read back; every group is 3-diverse")
    in_files = json.loads(Path(files.manifest).read_text())
    different = {"files", "tables", "check"}
    assert {k: v for k, v in manifest.items() if k not in different} == {
        k: v for k, v in in_files.items() if k not in different
    }


def test_the_rows_stand_in_the_order_of_their_values(
    place: Place, people: pl.DataFrame, tmp_path: Path, seed_file: Path
) -> None:
    """As in a file (G5): whoever reads a table as it lies learns nothing more."""
    file = publish(people, seed_file).write(tmp_path / "out.csv").files[0]
    publish(people, seed_file).write(place.table("out"))
    with file.open(encoding="utf-8", newline="") as lines:
        expected = [tuple(row) for row in list(csv.reader(lines))[1:]]
    assert [tuple(map(str, row)) for row in place.rows("out")] == expected


def test_shuffled_rows_make_the_same_table(place: Place, people: pl.DataFrame, seed_file: Path) -> None:
    place.put("people", people)
    place.put("shuffled", people.sample(fraction=1, shuffle=True, seed=3))
    for source in ("people", "shuffled"):
        publish(place.table(source), seed_file).write(place.table(f"{source} out"))
    assert place.rows("people out") == place.rows("shuffled out")


def test_a_query_and_a_view_are_sources(place: Place, people: pl.DataFrame, seed_file: Path) -> None:
    place.put("people", people)
    query = 'SELECT name, age AS years, disease, place FROM people WHERE age < 50 -- "young";'
    place.run(f"CREATE VIEW young AS {query.partition(' --')[0]}")
    options = {"quasi_identifiers": ["years", "place"]}
    young = people.filter(pl.col("age") < 50).rename({"age": "years"})
    expected = publish(young, seed_file, drop_others=True, **options)
    for source in (place.query(query), place.query(query + " \n ; "), place.table("young")):
        made = publish(source, seed_file, **options)
        assert made.table.equals(expected.table.select(made.table.columns))


def test_what_the_command_line_says(
    place: Place, people: pl.DataFrame, pellucid: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place.put("people", people)
    made = pellucid(
        "anonymize", place.address, "--table", "people", "-o", place.address, "--target-table", "out", *ROLES
    )
    shown = place.address.replace("steward@", "")
    assert made.out.startswith(f"Published the table out in {shown}\n")
    assert "the manifest is the table out_manifest" in made.out
    assert (made.status, made.err) == (0, "")
    checked = pellucid("check", place.address, "--table", "out", *ROLES[:-2])
    assert checked.status == 0
    assert checked.out.startswith(f"{shown} (out) is 3-diverse.\n  300 rows")
    again = ("anonymize", place.address, "--table", "people", "-o", place.address, "--target-table", "more", *ROLES)
    told = pellucid(*again, "--json", "--recoding", "anatomy").json
    assert {name: told[name] for name in ("files", "tables", "manifest", "database")} == {
        "files": [],
        "tables": ["more_qi", "more_sensitive"],
        "manifest": "more_manifest",
        "database": shown,
    }
    for name in ("more", "more_qi", "more_sensitive"):
        checked = pellucid("check", place.address, "--table", name, "-s", "disease", "-l", 3, "--json")
        assert checked.json["check"]["diverse"]


def test_a_release_is_evaluated_where_it_is(
    place: Place, people: pl.DataFrame, pellucid: Runner, tmp_path: Path
) -> None:
    people.write_csv(tmp_path / "source.csv")
    place.put("people", people)
    roles = ("-q", "age,place", "-s", "disease")
    asks = ("--queries", "20", "--json")
    made = library.anonymize(
        place.table("people"), quasi_identifiers=["age", "place"], sensitive="disease", diversity=2, drop_others=True
    )
    made.write(place.table("out"))
    file = made.write(tmp_path / "out.csv").files[0]
    in_files = pellucid("evaluate", tmp_path / "source.csv", file, *roles, *asks).json
    words = ("evaluate", place.address, place.address, "--table", "people", "--release-table", "out")
    assert pellucid(*words, *roles, *asks).json == in_files


def test_a_policy_file_says_everything(
    place: Place, people: pl.DataFrame, pellucid: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path starts from the folder of the policy file, also as the address of a database."""
    place.put("people", people)
    address = place.address.replace(f"///{tmp_path}/", "///")
    policy = tmp_path / "policy.toml"
    policy.write_text(
        'quasi_identifiers = ["age", "place"]\nsensitive = "disease"\ndiversity = 2\ndrop_others = true\n'
        f'[source]\npath = "{address}"\ntable = "people"\n[target]\npath = "{address}"\ntable = "out"\n'
    )
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert pellucid("anonymize", "--policy", policy).status == 0
    assert len(place.rows("out")) == 300
    assert pellucid("anonymize", "--policy", policy, "--target-table", "other").status == 0
    words = ("--query", "SELECT * FROM people WHERE age < 40", "--target-table", "young")
    assert pellucid("anonymize", "--policy", policy, *words).status == 0
    assert len(place.rows("young")) < 300


def test_a_report_is_made(place: Place, people: pl.DataFrame, seed_file: Path, tmp_path: Path) -> None:
    written = publish(people, seed_file).write(place.table("out"), report=tmp_path / "report.html")
    assert [page.name for page in written.reports] == ["report.html", "report.not-for-release.html"]
    public = written.reports[0].read_text()
    assert "read the tables back" in public
    assert "SHA-256 of its sorted CSV text" in public
    assert "--table out" in public
    assert "127.0.0.1" not in public
    assert place.address not in public


@pytest.mark.xdist_group("postgresql")
def test_postgresql_itself_says_the_same_fingerprint(
    postgresql: PostgreSQL, people: pl.DataFrame, seed_file: Path
) -> None:
    """What the guide says: COPY .. TO STDOUT (FORMAT csv, HEADER), sort, sha256sum."""
    publish(people, seed_file).write(postgresql.table("out"))
    command = "COPY out TO STDOUT (FORMAT csv, HEADER)"
    with postgresql.connection() as connection, connection.cursor() as cursor, cursor.copy(command) as rows:
        text = b"".join(map(bytes, rows))
    lines = sorted(text.splitlines(keepends=True))
    [(manifest,)] = postgresql.rows("out_manifest")
    assert json.loads(manifest)["tables"][0]["sha256_of_sorted_csv"] == hashlib.sha256(b"".join(lines)).hexdigest()


def test_a_look_a_draft_and_a_hierarchy(
    place: Place, people: pl.DataFrame, pellucid: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked of a file before a release can be asked of a table; the draft does not say where it is."""
    monkeypatch.chdir(tmp_path)
    people.write_csv("source.csv")
    place.put("people", people)
    looks = [
        pellucid("inspect", *words, "--json").json for words in (("source.csv",), (place.address, "--table", "people"))
    ]
    columns = [[(each["name"], each["distinct"]) for each in look["inspection"]["columns"]] for look in looks]
    assert columns[0] == columns[1]
    roles = ("-s", "disease", "--identifier", "name", "-q", "age,place")
    assert pellucid("init", place.address, "--table", "people", "-o", "draft.toml", *roles).status == 0
    assert place.address.split("///")[-1] not in Path("draft.toml").read_text()
    words = ("anonymize", place.address, "--query", "SELECT * FROM people", "--policy", "draft.toml", "-o", "out.csv")
    assert pellucid(*words).status == 0
    trees = [
        pellucid("hierarchy", *words, "-c", "age", "--width", "10,20").out
        for words in (("source.csv",), (place.address, "--table", "people"))
    ]
    assert trees[0] == trees[1]
