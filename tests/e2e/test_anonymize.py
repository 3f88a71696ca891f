"""`pellucid anonymize`: what it writes, what it prints, how it ends."""

from __future__ import annotations

import csv
import importlib
import json
import os
import pty
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import pellucid as library
from pellucid.algorithms import ALGORITHMS, NOT_TRANSPARENT
from pellucid.cli.options import lines
from tests.e2e.command_line import Runner, program

ROLES = ("-q", "age,place", "-s", "disease", "-l", "2", "--identifier", "name")


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def read(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def require_diverse(rows: list[dict[str, str]], diversity: int) -> None:
    groups = Counter(tuple(v for name, v in row.items() if name != "disease") for row in rows)
    values = Counter(tuple(row.values()) for row in rows)
    for row in rows:
        group = tuple(v for name, v in row.items() if name != "disease")
        assert diversity * values[tuple(row.values())] <= groups[group]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_publishes(pellucid: Runner, folder: Path, algorithm: str) -> None:
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--algorithm", algorithm)
    assert run.status == 0
    if algorithm in NOT_TRANSPARENT:
        assert run.err.startswith(f"pellucid: Warning: {algorithm} is not transparent")
    else:
        assert run.err == ""
    rows = read(folder / "out.csv")
    assert list(rows[0]) == ["age", "place", "disease"]
    assert Counter(row["disease"] for row in rows) == {"flu": 12, "cold": 12, "gout": 12, "mumps": 12}
    require_diverse(rows, 2)
    assert "Published out.csv" in run.out
    assert "48 rows" in run.out
    assert sorted(files(folder)) == ["out.csv", "out.csv.manifest.json", "source.csv"]


def test_long_names_of_options(pellucid: Runner, folder: Path) -> None:
    words = ("--quasi-identifiers", "age,place", "--sensitive", "disease", "--diversity", "2")
    run = pellucid("anonymize", "source.csv", "--output", "out.csv", *words, "--identifier", "name")
    assert run.status == 0
    require_diverse(read(folder / "out.csv"), 2)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".arrow", ".feather"])
def test_formats(pellucid: Runner, folder: Path, ending: str) -> None:
    assert pellucid("anonymize", "source.csv", "-o", f"one{ending}", *ROLES).status == 0
    table = pl.read_csv(folder / "source.csv")
    if ending == ".parquet":
        table.write_parquet(folder / "other.parquet")
    elif ending in (".csv", ".tsv"):
        table.write_csv(folder / f"other{ending}", separator="\t" if ending == ".tsv" else ",")
    else:
        table.write_ipc(folder / f"other{ending}")
    assert pellucid("anonymize", f"other{ending}", "-o", "two.csv", *ROLES).status == 0
    assert len(read(folder / "two.csv")) == 48


def test_anatomy(pellucid: Runner, folder: Path) -> None:
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--recoding", "anatomy")
    assert run.status == 0
    qi, sensitive = read(folder / "out.qi.csv"), read(folder / "out.sensitive.csv")
    assert list(qi[0]) == ["age", "place", "group_id"]
    assert list(sensitive[0]) == ["group_id", "disease"]
    assert not (folder / "out.csv").exists()
    require_diverse(sensitive, 2)


def test_bounds(pellucid: Runner, folder: Path) -> None:
    assert pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--intervals", "bounds").status == 0
    assert list(read(folder / "out.csv")[0]) == ["age_min", "age_max", "place", "disease"]


def test_json(pellucid: Runner, folder: Path) -> None:
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--json")
    assert run.err == ""
    assert run.json["status"] == 0
    assert run.json["files"] == ["out.csv"]
    assert run.json["manifest"] == "out.csv.manifest.json"
    assert run.json["policy"] == json.loads((folder / "out.csv.manifest.json").read_text())["policy"]
    assert run.json["check"]["diverse"] is True
    assert run.json["check"]["rows"] == 48
    assert run.json["dropped_rows"] == 0


def test_quiet(pellucid: Runner, folder: Path) -> None:
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--quiet")
    assert (run.status, run.out, run.err) == (0, "", "")
    assert (folder / "out.csv").exists()


def test_quiet_and_json(pellucid: Runner, folder: Path) -> None:
    assert pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--quiet", "--json").json["status"] == 0


def test_quiet_does_not_hide_errors(pellucid: Runner, folder: Path) -> None:
    pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "-l", "5", "--quiet").refused(3)


def test_l_of_one_is_warned_about(pellucid: Runner, folder: Path) -> None:
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "-l", "1")
    assert run.status == 0
    assert "nothing is protected" in run.err
    assert pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "-l", "1", "--quiet").err == ""


def test_dropped_rows_are_told_to_the_curator(pellucid: Runner, folder: Path) -> None:
    text = (folder / "source.csv").read_text()
    (folder / "source.csv").write_text(text.replace("flu", "", 1))
    words = ("anonymize", "source.csv", "-o", "out.csv", *ROLES)
    pellucid(*words).refused(2, "missing values: 1 in 'disease'")
    run = pellucid(*words, "--missing", "drop")
    assert "1 rows with missing values were left out (do not publish this number)" in run.out
    assert pellucid(*words, "--missing", "drop", "--json").json["dropped_rows"] == 1
    assert "drop" not in (folder / "out.csv").read_text()
    assert pellucid(*words, "--missing", "category", "--json").json["check"]["rows"] == 48


def test_columns_are_named_in_lists(pellucid: Runner, folder: Path) -> None:
    """Repeated, with spaces after commas, and in quotes where a name holds a comma."""
    lines = (folder / "source.csv").read_text().split("\n", 1)
    (folder / "source.csv").write_text('name,"age, in years","the ""place""",disease\n' + lines[1])
    for words in (
        ("-q", '"age, in years","the ""place"""'),
        ("-q", '"age, in years", "the ""place"""'),
        ("-q", '"age, in years"', "-q", '"the ""place"""'),
    ):
        run = pellucid(
            "anonymize", "source.csv", "-o", "out.csv", *words, "-s", "disease", "-l", "2", "--drop", "name", "--json"
        )
        assert run.status == 0, run.err
        assert run.json["policy"]["quasi_identifiers"] == ["age, in years", 'the "place"']


def test_drop_and_drop_others(pellucid: Runner, folder: Path) -> None:
    words = ("anonymize", "source.csv", "-o", "out.csv", "-q", "age", "-s", "disease", "-l", "2")
    pellucid(*words).refused(2, "'name', 'place' has none")
    for more in (("--drop", "name,place"), ("--drop", "name", "--drop", "place"), ("--drop-others",)):
        assert pellucid(*words, *more).status == 0
        assert list(read(folder / "out.csv")[0]) == ["age", "disease"]


def test_policy_file(pellucid: Runner, folder: Path) -> None:
    (folder / "policy.toml").write_text(
        'quasi_identifiers = ["age", "place"]\nsensitive = "disease"\ndiversity = 3\nidentifier = "name"\n'
        '[attributes.place]\norder = ["Köln", "Bonn", "Ulm"]\n',
        encoding="utf-8",
    )
    words = ("anonymize", "source.csv", "-o", "out.csv", "--policy", "policy.toml", "--json")
    assert pellucid(*words).json["policy"]["diversity"] == 3
    changed = pellucid(*words, "-l", "2", "--algorithm", "ace").json["policy"]
    assert (changed["diversity"], changed["algorithm"], changed["identifier"]) == (2, "ace", "name")
    places = {row["place"] for row in read(folder / "out.csv")}
    assert places <= {"Köln", "Bonn", "Ulm", "[Köln, Bonn]", "[Köln, Ulm]", "[Bonn, Ulm]"}


def test_a_seed_file_makes_a_run_repeatable_and_is_not_shown(pellucid: Runner, folder: Path) -> None:
    (folder / "secret.seed").write_bytes(b"only for this test, and long")
    made = []
    for threads in (1, 2, 5):
        run = pellucid(
            "anonymize",
            "source.csv",
            "-o",
            "out.csv",
            *ROLES,
            "--seed-file",
            "secret.seed",
            "--threads",
            threads,
            "--json",
        )
        made.append((folder / "out.csv").read_bytes())
        for text in (run.out, run.err, (folder / "out.csv.manifest.json").read_text()):
            assert "secret" not in text
            assert "only for this test" not in text
    assert made[0] == made[1] == made[2]


def test_a_seed_that_is_too_short(pellucid: Runner, folder: Path) -> None:
    (folder / "secret.seed").write_bytes(b"hunter42")
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--seed-file", "secret.seed")
    run.refused(2, "8 bytes; at least 16 are needed")
    assert "hunter42" not in run.err


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("-l", "two"), 2, "-l"),
        (("-l", "0"), 2, "at least 1"),
        (("-l", "1.5"), 2, "-l"),
        (("--threads", "0"), 2, "threads"),
        (("--algorithm", "hybird"), 2, "Did you mean 'hybrid'"),
        (("--recoding", "generalize"), 2, "recoding must be one of"),
        (("--intervals", "none"), 2, "intervals must be one of"),
        (("--missing", "ignore"), 2, "missing must be one of"),
        (("--penalty", "custom"), 2, "stands for a function"),
        (("--nonsense",), 2, "--nonsense"),
        (("extra",), 2, "extra"),
        (("--policy", "nothing.toml"), 2, "nothing.toml cannot be read"),
        (("--seed-file", "nothing.seed"), 2, "nothing.seed cannot be read"),
        (("-s", "diseases"), 2, "Did you mean 'disease'"),
        (("-q", "age,age"), 2, "more than once"),
        (("--identifier", "disease"), 2, "more than one role"),
        (("--drop", "nothing"), 2, "no column named 'nothing'"),
        (("-l", "5"), 3, "The largest l that this table allows is 4."),
        (("-l", "999999999999"), 3, "The largest l"),
        (("-o", "nowhere/out.csv"), 5, "There is no folder nowhere"),
        (("-o", "source.csv"), 5, "is the source itself"),
        (("-o", "."), 5, ""),
        (("-o", "out.ods"), 5, "no format"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_refused(pellucid: Runner, folder: Path, words: tuple[str, ...], status: int, message: str) -> None:
    """One paragraph on standard error, the status of the kind, nothing written, nothing changed."""
    (folder / "out.csv").write_text("an old release")
    before = files(folder)
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, *words)
    run.refused(status, message)
    assert run.out == ""
    assert files(folder) == before


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        (None, 5, "There is no file source.csv"),
        (b"", 5, "is empty"),
        (b"name,age,place,disease\n", 2, "no rows"),
        (b"\0\1\2", 5, "binary"),
        (b"name,age,place,disease\n1,2,3\n", 5, "line 2: 3 values, but the header names 4 columns"),
        (b"name,age,place,disease\n1,2,3,4,5\n1,2,3,4\n", 5, "values"),
        (b"name,age,place,disease\n1,1,1,1\n1,1,1,2\n", 2, "does not tell people apart"),
        (b"name,age,place\n1,1,1\n", 2, "no column named 'disease'"),
        (b"name,age,age,place,disease\n1,1,1,1,1\n", 2, "more than one column named 'age'"),
    ],
    ids=[
        "missing",
        "empty",
        "header only",
        "binary",
        "short line",
        "long line",
        "people twice",
        "no column",
        "column twice",
    ],
)
def test_sources_that_are_refused(
    pellucid: Runner, folder: Path, content: bytes | None, status: int, message: str
) -> None:
    (folder / "source.csv").unlink()
    if content is not None:
        (folder / "source.csv").write_bytes(content)
    before = files(folder)
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES)
    run.refused(status, message)
    assert files(folder) == before


@pytest.mark.parametrize(
    ("words", "status", "kind"),
    [
        (("-l", "5"), 3, "NotEligibleError"),
        (("-s", "x"), 2, "PolicyError"),
        (("-o", "nowhere/out.csv"), 5, "TargetError"),
        (("-l", "many"), 2, "UsageError"),
        (("--no-such-option",), 2, "UsageError"),
    ],
)
def test_errors_as_json(pellucid: Runner, folder: Path, words: tuple[str, ...], status: int, kind: str) -> None:
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, *words, "--json")
    run.refused(status)
    assert run.json["status"] == status
    assert run.json["error"]["kind"] == kind
    assert run.json["error"]["message"] in run.err


def test_no_quasi_identifiers(pellucid: Runner, folder: Path) -> None:
    for words in ((), ("-q", "")):
        run = pellucid("anonymize", "source.csv", "-o", "out.csv", *words, "-s", "disease", "-l", "2", "--drop-others")
        run.refused(2, "such as -q age,sex,zipcode")


def test_a_policy_file_says_all(pellucid: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are those of the policy file's folder, wherever the command is run."""
    (folder / "policy.toml").write_text(
        'quasi_identifiers = ["age", "place"]\nsensitive = "disease"\ndiversity = 2\nidentifier = "name"\n'
        '[source]\npath = "source.csv"\n[target]\npath = "out.csv"\n'
    )
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    run = pellucid("anonymize", "--policy", "../policy.toml")
    assert run.status == 0
    assert "policy: age, place -> disease; l = 2; algorithm weave; recoding mbr" in run.out
    manifest = json.loads((folder / "out.csv.manifest.json").read_text())
    assert f"(sha256 {manifest['policy_sha256'][:12]})" in run.out
    assert pellucid("anonymize", "--policy", "../policy.toml", "--json").json["policy_sha256"] in str(manifest)
    assert "source" not in str(manifest)

    assert pellucid("anonymize", "--policy", "../policy.toml", "-o", "here.csv", "-l", "3").status == 0
    assert Path("here.csv").exists()
    pellucid("anonymize", "nothing.csv", "--policy", "../policy.toml").refused(5, "There is no file nothing.csv")


def test_mistakes_in_a_policy_file(pellucid: Runner, folder: Path) -> None:
    (folder / "policy.toml").write_text('quasi_identifiers = ["age"]\nsensitve = "disease"\n\ndiversity = 0\n')
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", "--policy", "policy.toml", "--json")
    run.refused(
        2, "policy.toml has 3 problems. Line 2: 'sensitve' is no setting of a policy. Did you mean 'sensitive'?"
    )
    assert [(found["line"], found["setting"]) for found in run.json["error"]["problems"]] == [
        (2, ["sensitve"]),
        (4, ["diversity"]),
        (None, []),
    ]


def test_no_source(pellucid: Runner, folder: Path) -> None:
    pellucid("anonymize", "-o", "out.csv", *ROLES).refused(2, "SOURCE")


def test_no_target(pellucid: Runner, folder: Path) -> None:
    pellucid("anonymize", "source.csv", *ROLES).refused(2, "--output")


def test_an_unknown_command(pellucid: Runner, folder: Path) -> None:
    pellucid("anonymise", "source.csv").refused(2, "anonymise")


def test_a_file_name_that_begins_with_a_dash(pellucid: Runner, folder: Path) -> None:
    (folder / "source.csv").rename(folder / "-source.csv")
    assert pellucid("anonymize", "-o", "out.csv", *ROLES, "--", "-source.csv").status == 0


@pytest.mark.parametrize("kind", [ZeroDivisionError, pl.exceptions.PanicException])
def test_a_fault_of_ours_is_one_paragraph(
    pellucid: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    """No traceback, unless it is asked for; and no value of the table in what is said."""

    def fail(*args: object, **options: object) -> None:
        raise kind("person 07 has mumps")

    monkeypatch.setattr(library.release, "encode", fail)
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES)
    run.refused(1, f"fault of pellucid ({kind.__name__})")
    assert "person 07" not in run.err
    monkeypatch.setenv("PELLUCID_TRACEBACK", "1")
    with pytest.raises(kind):
        pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES)
    assert sorted(files(folder)) == ["source.csv"]


def test_not_enough_memory(pellucid: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr(library.release, "encode", fail)
    pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES).refused(5, "not enough memory")


# The command as a process of its own.

STOPS = "import os, time\nos.fsync = lambda handle: (print('writing', flush=True), time.sleep(600))"


@pytest.mark.parametrize(
    ("end", "recoding"),
    [(signal.SIGTERM, "anatomy"), (signal.SIGHUP, "mbr"), (signal.SIGINT, "mbr"), (signal.SIGKILL, "mbr")],
    ids=["SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"],
)
def test_ended_in_the_middle(folder: Path, end: signal.Signals, recoding: str) -> None:
    """Asked to end, or left by its terminal, it cleans up; killed, it leaves a hidden file; an old release stays."""
    (folder / "out.csv").write_text("an old release")
    before = files(folder)
    words = ("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--recoding", recoding)
    with program(*words, cwd=folder, before=STOPS) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "writing\n"
        run.send_signal(end)
        _, err = run.communicate(timeout=60)
    after = files(folder)
    if end is signal.SIGKILL:
        left = set(after) - set(before)
        assert left
        assert all(name.startswith(".") and name.endswith(".part") for name in left)
        assert {name: after[name] for name in before} == before
    else:
        assert after == before
        assert run.returncode == 130
        assert err == "pellucid: Interrupted: nothing was written.\n"


def test_standard_output_that_is_closed(folder: Path) -> None:
    """`pellucid ... | head -0`: no traceback."""
    with program("anonymize", "source.csv", "-o", "out.csv", *ROLES, cwd=folder) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        err = run.stderr.read()
        run.wait(timeout=60)
    assert "Traceback" not in err


def test_a_terminal_that_closes_ends_nothing_with_nohup(folder: Path) -> None:
    ignored = "import os, signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    ignored += "fsync = os.fsync\nos.fsync = lambda handle: (os.kill(os.getpid(), signal.SIGHUP), fsync(handle))"
    with program("anonymize", "source.csv", "-o", "out.csv", *ROLES, cwd=folder, before=ignored) as run:
        run.communicate(timeout=60)
    assert run.returncode == 0
    assert (folder / "out.csv").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("words", [(), ("--json",)], ids=["text", "JSON"])
def test_standard_output_that_is_full(folder: Path, words: tuple[str, ...]) -> None:
    """The release is there. Whoever were told that it is not would publish another one."""
    command = [sys.executable, "-m", "pellucid", "anonymize", "source.csv", "-o", "out.csv", *ROLES, *words]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 5
    assert done.stderr == (
        "pellucid: Standard output cannot be written: No space left on device. Mind that the release was published"
        " before that, as out.csv.\n"
    )
    assert (folder / "out.csv").exists()


@pytest.mark.parametrize("words", [(), ("--json",)], ids=["text", "JSON"])
def test_standard_output_that_nobody_reads(folder: Path, words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "pellucid", "anonymize", "source.csv", "-o", "out.csv", *ROLES, *words]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(command, cwd=folder, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writer)
    assert done.returncode == 5
    assert done.stderr == (
        "pellucid: Standard output cannot be written: Broken pipe. Mind that the release was published before that, as"
        " out.csv.\n"
    )
    assert (folder / "out.csv").exists()


def test_whatever_fails_afterwards_a_release_was_published(
    pellucid: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for problem, status in ((ZeroDivisionError, 1), (KeyboardInterrupt, 130), (MemoryError, 5)):

        def fail(*args: object, problem: type[BaseException] = problem, **options: object) -> str:
            raise problem

        monkeypatch.setattr(importlib.import_module("pellucid.cli.anonymize"), "summary", fail)
        run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--recoding", "anatomy")
        run.refused(status, "the release was published before that, as out.qi.csv and out.sensitive.csv")
        assert "nothing was" not in run.err


def test_standard_output_that_knows_few_letters(folder: Path) -> None:
    """A name that it cannot show does not end a run, and JSON stays JSON."""
    (folder / "source.csv").write_text(
        (folder / "source.csv").read_text(encoding="utf-8").replace("disease", "病名", 1), encoding="utf-8"
    )
    roles = ["病名" if word == "disease" else word for word in ROLES]
    command = [sys.executable, "-m", "pellucid", "anonymize", "source.csv", "-o", "out.csv", *roles]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for more in ([], ["--json"]):
        done = subprocess.run([*command, *more], cwd=folder, env=environment, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["policy"]["sensitive"] == "病名"


def test_progress_is_shown_on_a_terminal_only(folder: Path) -> None:
    """A bar on standard error, if that is a terminal; standard output holds the result alone."""
    leader, follower = pty.openpty()
    code = "import os, sys; from pellucid.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "anonymize", "source.csv", "-o", "out.csv", *ROLES, "--json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    ) as run:
        os.close(follower)
        shown = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # the other end was closed
                break
            if not piece:
                break
            shown += piece
        assert run.stdout is not None
        assert json.loads(run.stdout.read())["status"] == 0
    os.close(leader)
    assert b"%" in shown


@pytest.mark.parametrize("command", [["-m", "pellucid"], None])
def test_version(command: list[str] | None) -> None:
    words = [sys.executable, *command] if command else [str(Path(sys.executable).with_name("pellucid"))]
    done = subprocess.run([*words, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"pellucid {library.__version__}\n"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--style age", "--style needs COLUMN=VALUE, not 'age'."),
        ("--hierarchy =tree.csv", "--hierarchy needs COLUMN=VALUE, not '=tree.csv'."),
        ("--grid age=5 --grid age=10", "--grid is given twice for 'age'. Give it once."),
        ("--grid age=five", "grid in [attributes.age] must be a number above 0"),
        ("--style age=ancestor", "'age' cannot be published as ancestors: it has no hierarchy. Give it one"),
        ("--hierarchy place=nothing.csv", "'place': The hierarchy nothing.csv cannot be read: No such file"),
        ("--sensitive-order nothing.txt", "nothing.txt cannot be read: No such file"),
        ("--sensitive-order latin.txt", "latin.txt is not UTF-8 text."),
        ("--sensitive-order empty.txt", "empty.txt is empty. It needs one value on each line."),
        ("--sensitive-order twice.txt", "twice.txt has the value 'flu' more than once: on the lines 1, 4. Keep one"),
        ("--sensitive-order blank.txt", "blank.txt has a blank line, which is the empty text, more than once: on the"),
        ("--policy nothing.toml", "The policy file nothing.toml cannot be read: No such file"),
    ],
)
def test_settings_of_columns_that_are_refused(pellucid: Runner, folder: Path, words: str, message: str) -> None:
    (folder / "latin.txt").write_bytes("Grippe für alle".encode("latin-1"))
    (folder / "empty.txt").touch()
    (folder / "twice.txt").write_text("flu\ncold\ngout\nflu\n")
    (folder / "blank.txt").write_text("flu\n\ncold\n\ngout\n\n")
    pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, *words.split()).refused(2, message)
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("flu\ncold", ["flu", "cold"]),
        ("flu\r\ncold\r\n", ["flu", "cold"]),
        ("flu\ncold\n\n", ["flu", "cold", ""]),
        ("flu\ncold\n\n\n\n", ["flu", "cold", ""]),
        ("\nflu\ncold\n\n\n", ["", "flu", "cold"]),
    ],
)
def test_blank_lines_of_an_order(tmp_path: Path, text: str, order: list[str]) -> None:
    """The empty text may be a value, and one that was lost would be missed; nobody means it twice."""
    file = tmp_path / "order.txt"
    file.write_bytes(text.encode())
    assert lines(file) == order


def test_steps_and_styles_of_columns(pellucid: Runner, folder: Path) -> None:
    words = ("--grid", "age=10", "--style", "place=set", "--hierarchy", "place=tree.csv")
    (folder / "tree.csv").write_text("Ulm;South;*\nBonn;West;*\nKöln;West;*\n", encoding="utf-8")
    assert pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, *words).status == 0
    rows = read(folder / "out.csv")
    assert {row["age"] for row in rows} <= {"[20, 29]", "[30, 39]", "[40, 49]", "[20, 39]", "[30, 49]", "[20, 49]"}
    assert not {row["place"] for row in rows} & {"South", "West", "*"}
