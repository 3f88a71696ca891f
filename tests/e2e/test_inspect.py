"""`pellucid inspect` and `pellucid init`: a look, a page about it, a draft, and the release that it makes."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import stat
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as library
from tests.e2e.browser import headless, look
from tests.e2e.command_line import Runner, program
from tests.e2e.test_interrupt import NEVER_RETURNS

HOSTILE = "<script>alert(1)</script>\x1b[31m\x9b2J\x07'\"<img src=x onerror=alert(2)>{{7*7}}[red]:smile:"
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with headless() as opened:
        yield opened


@pytest.fixture
def hostile(folder: Path) -> Path:
    """A table whose names and values are attacks, with a bit of everything besides."""
    rows = range(60)
    table = pl.DataFrame(
        {
            "row": rows,
            "name": [f"person {number * 7 % 60}" for number in rows],
            "mail": [f"p{number % 50}@example.org" for number in rows],
            "age": [20 + number * 7 % 30 for number in rows],
            f"code {HOSTILE}": [f"{number % 3} {HOSTILE}" for number in rows],
            f"{HOSTILE * 4} a very long name": [None if number % 2 else HOSTILE for number in rows],
            "zip": [f"0{1000 + number % 7}" for number in rows],
            "disease": [f"{number % 5} {HOSTILE}" for number in rows],
        }
    )
    table.write_csv(folder / "hostile.csv")
    return folder / "hostile.csv"


def in_terminal(width: int, *words: str) -> str:
    """What `pellucid WORD...` prints in a terminal of this width, without the letters that set colours."""
    main, other = pty.openpty()
    code = "import sys; from pellucid.cli import main; sys.argv[0] = 'pellucid'; main()"
    environment = {**os.environ, "COLUMNS": str(width), "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=other, stderr=subprocess.DEVNULL, env=environment
    ) as run:
        os.close(other)
        shown = b""
        while True:
            try:
                read = os.read(main, 2**16)
            except OSError:
                break
            if not read:
                break
            shown += read
    os.close(main)
    assert run.returncode == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r\n", "\n")


def test_what_it_says(pellucid: Runner, folder: Path) -> None:
    run = pellucid("inspect", "source.csv")
    assert (run.status, run.err) == (0, "")
    said = " ".join(run.out.split())
    assert "source.csv: 48 rows, 4 columns." in said
    assert "for the curator, not for release" in said
    assert "name identifier text 48 0" in said
    assert "age quasi-identifier whole number 30 0 24" in said
    assert "disease sensitive text 4 0 4" in said
    assert "place quasi-identifier text 3 0 3" in said
    assert "By 'age' and 'place' together (suspected), 12 of 48 rows are unique" in said
    assert "It reveals that count: keep it to yourself." in said
    assert "These are suggestions, not decisions" in said
    assert "age: quasi-identifier (age): its name has 'age' in it" in said


def test_what_is_known_is_not_suspected(pellucid: Runner, folder: Path) -> None:
    run = pellucid("inspect", "source.csv", "-q", "place", "-s", "age", "--identifier", "name")
    said = " ".join(run.out.split())
    assert "place quasi-identifier, as you said" in said
    assert "age sensitive, as you said" in said
    assert "name identifier, as you said" in said
    assert "By 'place' (as you said), 0 of 48 rows are unique, and 0 are in groups of fewer than 5." in said


def test_people_who_occur_twice(pellucid: Runner, folder: Path) -> None:
    """Held against plain Python."""
    table = pl.read_csv("source.csv")
    pl.concat([table, table[:5], table[:2].with_columns(age=pl.lit(99, pl.Int64))]).write_csv("twice.csv")
    found = pellucid("inspect", "twice.csv", "--identifier", "name", "--json").json["inspection"]
    assert found["repeats"] == {"identifiers": {"name": 7}, "identical_rows": 5}
    said = " ".join(pellucid("inspect", "twice.csv", "--identifier", "name").out.split())
    assert "In 'name', 7 rows repeat a value that occurs before." in said
    assert "5 rows are the same as one before" in said


def test_groups_are_counted_right(pellucid: Runner, folder: Path) -> None:
    rows = pl.read_csv("source.csv").select("age", "place").rows()
    found = pellucid("inspect", "source.csv", "-q", "age,place", "--json").json["inspection"]["quasi_identifiers"]
    assert found == {
        "columns": ["age", "place"],
        "groups": len(set(rows)),
        "unique_rows": sum(rows.count(row) == 1 for row in rows),
        "rows_in_groups_below_5": sum(rows.count(row) < 5 for row in rows),
    }


def test_positions_are_no_identifiers(pellucid: Runner, hostile: Path) -> None:
    said = " ".join(pellucid("inspect", hostile).out.split())
    assert "'row' counts the rows in the order of the file: it is a position, not an identifier." in said
    assert "Do not give it as --identifier" in said


def test_as_json(pellucid: Runner, hostile: Path) -> None:
    run = pellucid("inspect", hostile, "--json")
    assert CONTROL.search(run.out) is None
    found = run.json["inspection"]
    assert (run.json["status"], found["rows"], len(found["columns"])) == (0, 60, 8)
    code = found["columns"][4]
    assert code["name"] == f"code {HOSTILE}"
    assert (code["type"], code["distinct"], code["missing"], code["largest_diversity"]) == ("text", 3, 0, 3)
    assert found["columns"][0]["largest_diversity"] is None
    assert {each["kind"] for each in found["columns"][6]["suspicions"]} == {"quasi-identifier", "code"}
    assert library.inspect(hostile).as_dict() == found


def test_nothing_of_a_value_reaches_the_terminal(pellucid: Runner, hostile: Path) -> None:
    for words in (("inspect", hostile), ("init", hostile)):
        run = pellucid(*words)
        assert run.status == 0, run.err
        assert CONTROL.search(run.out + run.err) is None
        assert "[red]:smile:" in run.out


@pytest.mark.parametrize("width", [50, 80, 120])
def test_in_a_terminal(hostile: Path, width: int) -> None:
    shown = in_terminal(width, "inspect", str(hostile))
    assert CONTROL.search(shown) is None
    assert max(map(len, shown.splitlines())) <= width
    assert ("may be" in shown.split("The largest l")[0]) is (width >= 80)
    for name in ("row", "name", "mail", "age", "zip", "disease"):
        assert re.search(rf"^{name} +", shown, re.MULTILINE), name
    assert re.search(r"^  zip: quasi-identifier", shown, re.MULTILINE)


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_in_a_browser(pellucid: Runner, hostile: Path, browser: Any, width: int) -> None:
    assert pellucid("inspect", hostile, "--html", "look.html").status == 0
    seen = look(browser, Path("look.html").absolute(), width=width)
    assert seen.requests == ()
    assert seen.complaints == ()
    assert seen.overflow <= 0
    assert "NOT FOR RELEASE" in seen.text
    assert "<script>alert(1)</script>\\u001b[31m\\u009b2J\\u0007'\"<img src=x" in seen.text
    assert "identifier (e-mail addresses)" in seen.text


def test_the_page_says_what_it_is_and_is_read_by_its_owner_alone(pellucid: Runner, hostile: Path) -> None:
    run = pellucid("inspect", hostile, "--html", "look.html")
    page = Path("look.html").read_text(encoding="utf-8")
    assert "The same as a page, for you alone: look.html" in run.out
    assert "<title>Not for release: a look at " in page
    assert CONTROL.search(page) is None
    assert "<script" not in page
    assert "{{7*7}}" in page
    assert stat.S_IMODE(Path("look.html").stat().st_mode) == 0o600
    assert library.inspect(hostile).report() == page


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("inspect", "nothing.csv"), 5, "There is no file nothing.csv."),
        (("inspect", "source.csv", "-q", "aeg"), 2, "The table has no column named 'aeg'. Did you mean 'age'?"),
        (("inspect", "source.csv", "-q", "age", "-s", "age"), 2, "'age' is given more than one role."),
        (("inspect", "empty.csv"), 2, "The table has no rows."),
        (("inspect", "twice.csv"), 2, "The table has more than one column named 'a'."),
        (("inspect", "source.csv", "--html", "look.pdf"), 5, "The page look.pdf is no HTML file."),
        (("inspect", "source.csv", "--html", "nowhere/look.html"), 5, "There is no folder nowhere"),
        (("init", "nothing.csv"), 5, "There is no file nothing.csv."),
        (("init", "one.csv"), 2, "one.csv has fewer than two columns that could have a role"),
        (("init", "source.csv", "-o", "nowhere/p.toml"), 5, "There is no folder nowhere"),
        (("init", "source.csv", "-o", "there.toml"), 5, "there.toml exists already."),
        (("init", "source.csv", "-o", "link.toml"), 5, "link.toml exists already."),
    ],
)
def test_refused(pellucid: Runner, folder: Path, words: tuple[str, ...], status: int, message: str) -> None:
    Path("empty.csv").write_text("a,b\n")
    Path("twice.csv").write_text("a,a\n1,2\n")
    Path("one.csv").write_text("a\n1\n2\n")
    Path("there.toml").write_text("mine")
    Path("link.toml").symlink_to("nowhere.toml")
    before = {file.name for file in folder.iterdir()}
    pellucid(*words).refused(status, message)
    assert {file.name for file in folder.iterdir()} == before
    assert Path("there.toml").read_text() == "mine"


def test_a_file_that_appears_meanwhile_is_not_overwritten(
    pellucid: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pellucid.cli.init._require_new", lambda output: output.write_text("mine"))
    pellucid("init", "source.csv").refused(5, "pellucid.toml exists already.")
    assert Path("pellucid.toml").read_text() == "mine"


def test_from_a_table_to_a_release_in_three_commands(pellucid: Runner, hostile: Path) -> None:
    assert pellucid("inspect", hostile).status == 0
    run = pellucid("init", hostile)
    assert run.status == 0, run.err
    said = " ".join(run.out.split())
    assert "Wrote pellucid.toml: a draft." in said
    assert "sensitive: disease" in said
    assert "l = 5; 5 is the largest that this sensitive column allows (it reveals a count: for you alone)" in said
    run = pellucid("anonymize", "--policy", "pellucid.toml")
    assert run.status == 0, run.err
    policy = json.loads(Path("hostile.published.csv.manifest.json").read_text())["policy"]
    assert (policy["quasi_identifiers"], policy["sensitive"], policy["identifier"]) == (
        ["age", "zip"],
        "disease",
        "name",
    )
    assert policy["drop"][:2] == ["row", "mail"]
    assert policy["diversity"] == 5


def test_the_draft(pellucid: Runner, folder: Path) -> None:
    """Roles with their reasons; the largest l of this table, 24 for age and 4 for disease, in the terminal alone."""
    run = pellucid("init", "source.csv", "-o", "draft.toml", "--json")
    assert run.json == {
        "status": 0,
        "file": "draft.toml",
        "proposal": {
            "quasi_identifiers": ["age", "place"],
            "sensitive": "disease",
            "identifier": "name",
            "drop": [],
            "diversity": 4,
            "missing": "error",
            "largest_diversity": 4,
        },
    }
    text = Path("draft.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["source"] == {"path": "source.csv"}
    assert tomllib.loads(text)["target"] == {"path": "source.published.csv"}
    assert '"age",  # whole number; suspected: age, by its name' in text
    assert '# order = ["Bonn", "Köln", "Ulm"]' in text
    assert '# order = ["...", "..."]' in text
    assert "flu" not in text, "no sensitive value stands in it"
    assert "becomes public" in text
    assert "48" not in text


def test_what_is_known_stands_in_the_draft(pellucid: Runner, folder: Path) -> None:
    Path("elsewhere").mkdir()
    roles = ("-q", "place", "-s", "age", "--identifier", "name")
    assert pellucid("init", "source.csv", "-o", "elsewhere/p.toml", *roles).status == 0
    text = Path("elsewhere/p.toml").read_text(encoding="utf-8")
    assert 'sensitive = "age"  # whole number; as you said' in text
    assert '# sensitive = "disease"' in text
    assert tomllib.loads(text)["drop"] == ["disease"]
    assert tomllib.loads(text)["source"] == {"path": "../source.csv"}
    assert tomllib.loads(text)["diversity"] == 8
    assert pellucid("anonymize", "--policy", "elsewhere/p.toml").status == 0


def test_a_file_of_another_dialect(pellucid: Runner, folder: Path) -> None:
    """What is said of the file for the look is what the draft says of it."""
    text = Path("source.csv").read_text(encoding="utf-8").replace(",", "|").replace("Köln", "?")
    Path("source.csv").write_text(text, encoding="utf-16-le")
    said = ("--separator", "|", "--encoding", "utf-16-le", "--null", "?")
    run = pellucid("inspect", "source.csv", *said)
    assert run.status == 0, run.err
    assert "Read with" in run.out
    assert "16 in 'place'" in run.out
    assert pellucid("init", "source.csv", *said).status == 0
    run = pellucid("anonymize", "--policy", "pellucid.toml")
    assert run.status == 0, run.err


def test_one_row_is_one(pellucid: Runner, folder: Path) -> None:
    Path("few.csv").write_text("patient,age\nx1,30\nx1,30\nx2,31\nx3,32\nx3,32\nx4,32\n")
    said = " ".join(pellucid("inspect", "few.csv", "-q", "age", "--identifier", "patient").out.split())
    assert "1 of 6 rows is unique, and 6 are in groups of fewer than 5." in said
    Path("few.csv").write_text("patient,age\nx1,30\nx1,30\nx2,31\n")
    said = " ".join(pellucid("inspect", "few.csv", "-q", "age", "--identifier", "patient").out.split())
    assert "In 'patient', 1 row repeats a value" in said
    assert "1 row is the same as one before" in said


def test_what_is_read_as_text_is_said_with_the_draft(pellucid: Runner, folder: Path) -> None:
    """Whoever never looks hears of it, too: in the terminal, because a draft holds no values of secrets."""
    rows = "".join(f"{20 + number},1.{number % 12 + 1}.1990,{number % 4}\n" for number in range(30))
    Path("mixed.csv").write_text(f"age,born,disease\n{rows}?,1.1.1990,0\n")
    run = pellucid("init", "mixed.csv")
    said = " ".join(run.out.split())
    assert "Numbers that are text: All values are numbers, but for '?' in 'age'." in said
    assert "Dates that are text: 'born': only what is written like 1990-12-24 is a date" in said
    assert pellucid("init", "mixed.csv", "-o", "again.toml", "--json").json["status"] == 0


def test_l_of_one_is_warned_of(pellucid: Runner, folder: Path) -> None:
    pl.DataFrame({"age": [1, 1, 1], "disease": ["flu", "flu", "cold"]}).write_csv("few.csv")
    run = pellucid("init", "few.csv")
    assert run.status == 0
    assert "l = 1 nothing is protected" in run.err
    assert "l = 1 protects nothing" in Path("pellucid.toml").read_text(encoding="utf-8")


def test_missing_values_are_a_category_in_the_draft(pellucid: Runner, folder: Path) -> None:
    Path("gaps.csv").write_text("age,disease\n" + "1,flu\n,cold\n3,\n4,gout\n" * 3)
    assert pellucid("init", "gaps.csv").status == 0
    assert tomllib.loads(Path("pellucid.toml").read_text(encoding="utf-8"))["missing"] == "category"
    assert pellucid("anonymize", "--policy", "pellucid.toml").status == 0


@pytest.mark.parametrize("command", ["inspect", "init"])
@pytest.mark.parametrize(
    "change", ["polars.LazyFrame.collect = never_returns", "polars.Series.value_counts = never_returns"]
)
def test_ctrl_c(folder: Path, command: str, change: str) -> None:
    pl.read_csv(folder / "source.csv").write_parquet(folder / "source.parquet")
    before = {file.name for file in folder.iterdir()}
    with program(command, "source.parquet", cwd=folder, before=NEVER_RETURNS + change) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "here\n"
        run.send_signal(signal.SIGINT)
        try:
            _, err = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            run.kill()
            pytest.fail("It waits for the call that never returns.")
    assert (run.returncode, err) == (130, "pellucid: Interrupted: nothing was written.\n")
    assert {file.name for file in folder.iterdir()} == before


def test_from_the_library(folder: Path) -> None:
    found = library.inspect(pl.read_csv("source.csv"), sensitive="disease")
    assert isinstance(found, library.Inspection)
    assert (found.source, found.rows) == ("the data frame", 48)
    assert found["disease"].facts.largest_diversity == 4
    assert [column.name for column in found.that_may_be("quasi-identifier")] == ["age", "place"]


def test_columns_are_read_a_few_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are: the same is found, and no more is in memory than asked for."""
    from pellucid.inspection import look
    from pellucid.sources import FileSource

    reads: list[list[str]] = []
    read = FileSource.read

    def noted(source: FileSource, columns: list[str]) -> pl.DataFrame:
        reads.append(columns)
        return read(source, columns)

    monkeypatch.setattr(FileSource, "read", noted)
    table = pl.read_csv("source.csv")
    wide = pl.DataFrame({f"{name} {number}": table[name] for number in range(4) for name in table.columns})
    wide.write_csv("wide.csv")
    whole = library.inspect("wide.csv").as_dict()
    assert list(map(len, reads)) == [4, 12]
    reads.clear()
    monkeypatch.setattr(look, "_CELLS_AT_ONCE", 48 * 5)
    assert library.inspect("wide.csv").as_dict() == whole
    assert list(map(len, reads)) == [4, 5, 5, 2]


def test_what_is_no_file_is_read_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a database may come in another order the next time: rows would be put together of several people."""
    from pellucid.sources import FrameSource

    table = pl.concat(
        [pl.read_csv("source.csv").rename(lambda name: f"{name} 1"), pl.read_csv("source.csv")], how="horizontal"
    )
    monkeypatch.setattr(FrameSource, "read", lambda self, columns: table.sample(fraction=1, shuffle=True)[columns])
    found = library.inspect(table, quasi_identifiers=["age 1", "age"])
    assert found.combination is not None
    assert found.combination.groups == 30
