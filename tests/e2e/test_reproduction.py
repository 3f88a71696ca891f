"""The rerun of the paper's experiments, on a small sample: that it runs, and that it judges as it says."""

from __future__ import annotations

import csv
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from pellucid.algorithms import ALGORITHMS

Values = dict[tuple[str, str], list[float]]
ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
KEPT = ROOT / "docs/reproduction"


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.fixture
def claims() -> ModuleType:
    from paper import claims

    return claims


@pytest.fixture
def lines() -> Any:
    """Make the lines of a figure from values at 1, 2, .., given by table and algorithm."""
    from paper.results import Point

    def made(values: Values, *, time: bool = False) -> Any:
        return {
            key: [Point(x, (value,), time) for x, value in enumerate(line, start=1)] for key, line in values.items()
        }

    return made


def reproduce(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARKS / "paper/run.py"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def require_links(page: Path) -> None:
    """Every link and every picture of a page is there."""
    found = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    assert found
    for link in found:
        assert (page.parent / link).is_file(), f"{page} links to {link}"


def test_an_interrupted_run_leaves_what_it_has_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the format of a whole run, and beside what an earlier run has measured."""
    from paper import run
    from paper.experiments import Plan, Record, Setting
    from paper.results import read_records
    from paper.tables import Tables

    made, partial = tmp_path / "measurements.csv", tmp_path / "measurements.partial.csv"
    made.write_text("of an earlier run")

    def measured(*_: object) -> Iterator[Record]:
        for value in (0.25, 0.5):
            yield Record("error", "OCC", "weave", 100, Setting(), 0, 0, value)
            assert read_records(partial)[-1].value == value, "it is in the file before the next one is measured"
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "_measure", measured)
    with pytest.raises(KeyboardInterrupt):
        run._run(Tables("few", "made up", {}), Plan(algorithms=("weave",)), tmp_path, "", quick=True)
    assert [record.value for record in read_records(partial)] == [0.25, 0.5]
    assert made.read_text() == "of an earlier run"


def test_small_sample(tmp_path: Path) -> None:
    sizes = ("--rows", 1500, "--runs", 2, "--workloads", 1, "--queries", 20, "--copies", "1,2")
    made, again = tmp_path / "made", tmp_path / "again"
    done = reproduce("--data", "census", *sizes, "--out", made)
    assert done.returncode == 0, done.stderr
    folder = made / "census"
    with (folder / "measurements.csv").open(encoding="utf-8") as file:
        measured = list(csv.DictReader(file))
    assert {row["algorithm"] for row in measured} <= set(ALGORITHMS)
    for algorithm in ("tailor", "ace", "hybrid"):
        mine = [row for row in measured if row["algorithm"] == algorithm and row["table"] == "OCC"]
        # Every l with every qd, and five selectivities, of which one is shared.
        assert sum(row["measure"] == "error" for row in mine) == (5 * 4 + 4) * 2
        assert sum(row["measure"] == "perimeter" for row in mine) == 5 * 2
        assert sum(row["measure"] == "seconds" for row in mine) == 5 * 2
        assert sorted(row["rows"] for row in mine if row["measure"] == "scalability") == [
            "1500",
            "1500",
            "3000",
            "3000",
        ]
    page = (folder / "README.md").read_text(encoding="utf-8")
    for number in (11, 12, 13, 14, 15):
        assert f"![Figure {number}](figure-{number}.svg)" in page
        assert ElementTree.parse(folder / f"figure-{number}.svg").getroot().tag.endswith("svg")
        assert 10_000 < (folder / f"figure-{number}.png").stat().st_size < 50_000
    assert "| Occupation | 0." in page
    assert page.count("| **") == 20
    assert page.count("| weave | ") == 2 * (3 + 2 + 5)  # in three figures of errors, two of times, and its comparison
    index = (made / "README.md").read_text(encoding="utf-8")
    assert "[census](census/README.md)" in index
    for text in (page, index, (folder / "run.json").read_text(encoding="utf-8")):
        assert str(tmp_path) not in text
    for each in (folder, made):
        require_links(each / "README.md")
    done = reproduce("--from", made, "--out", again)
    assert done.returncode == 0, done.stderr
    files = {file.relative_to(made) for file in made.rglob("*") if file.is_file()}
    assert len(files) == 1 + 3 + 2 * 5
    assert {file.relative_to(again) for file in again.rglob("*") if file.is_file()} == files
    for name in files:
        assert (again / name).read_bytes() == (made / name).read_bytes(), name


def test_pages_need_measurements(tmp_path: Path) -> None:
    done = reproduce("--from", tmp_path)
    assert done.returncode == 1
    assert "There are no measurements in" in done.stderr


@pytest.mark.skipif(not KEPT.exists(), reason="docs/reproduction was not made yet: make reproduction")
def test_the_pages_that_are_kept_were_not_written_by_hand(tmp_path: Path) -> None:
    """They are what the program writes from the measurements beside them, and small enough to be kept."""
    from paper.run import write_pages

    shutil.copytree(KEPT, tmp_path, dirs_exist_ok=True)
    for page in tmp_path.rglob("README.md"):
        page.unlink()
    write_pages(tmp_path)
    pages = sorted(page.relative_to(tmp_path) for page in tmp_path.rglob("README.md"))
    assert pages == sorted(page.relative_to(KEPT) for page in KEPT.rglob("README.md"))
    assert len(pages) > 1
    for page in pages:
        assert (tmp_path / page).read_text(encoding="utf-8") == (KEPT / page).read_text(encoding="utf-8"), page
        require_links(KEPT / page)
    assert sum(file.stat().st_size for file in KEPT.rglob("*") if file.is_file()) < 3_000_000


def test_commit_says_whether_files_were_changed(tmp_path: Path) -> None:
    from paper.conditions import commit

    def git(*words: str) -> str:
        settings = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        return subprocess.run(
            ["git", "-C", str(tmp_path), *settings, *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    out = tmp_path / "docs"
    assert commit(out, tmp_path) == "unknown"
    git("init", "-q")
    out.mkdir()
    for file in (tmp_path / "program.py", out / "page.md"):
        file.write_text("a")
    git("add", ".")
    git("commit", "-q", "-m", "a")
    head = git("rev-parse", "HEAD")[:12]
    assert commit(out, tmp_path) == head
    (out / "page.md").write_text("b")
    (tmp_path / "new.txt").write_text("b")
    assert commit(out, tmp_path) == head
    (tmp_path / "program.py").write_text("b")
    assert commit(out, tmp_path) == f"{head}, with changes that are not committed"
    assert commit(tmp_path.parent, tmp_path) == f"{head}, with changes that are not committed"


def test_machine_is_described_and_not_named() -> None:
    from paper.conditions import machine

    said = machine()
    assert re.search(r"\d+ cores", said)
    assert platform.node() not in said
    assert "\n" not in said


def test_claims_hold_and_fail(claims: ModuleType, lines: Any) -> None:
    by_text = {claim.text.split(".")[0]: claim for claim in claims.CLAIMS}
    better: Values = {
        ("OCC", "hybrid"): [5, 6],
        ("OCC", "tailor"): [9, 12],
        ("OCC", "ace"): [7, 8],
        ("SAL", "ace"): [8, 9],
    }
    more: Values = {("SAL", "hybrid"): [5, 6], ("SAL", "tailor"): [7, 8]}

    def verdict(start: str, values: Values) -> Any:
        [claim] = [claim for text, claim in by_text.items() if text.startswith(start)]
        return claims.judge(claim, {claim.figure: lines(values)})

    assert verdict("Tailor and Ace exhibit worse", better | more).held
    crossing = verdict("Tailor and Ace exhibit worse", better | more | {("SAL", "ace"): [5, 9]})
    assert crossing.held is False
    assert "ace on SAL (7 % on average, against 5.5 %, for l = 1 5 % against 5 %)" in crossing.evidence
    assert verdict("The error of all methods escalates", better | more).held
    assert verdict("The error decreases", better | more).held is False
    assert verdict("Ace performs worse on SAL", better | more).held
    assert verdict("Ace performs worse on SAL", better | more | {("SAL", "ace"): [1, 1]}).held is False
    open_still = verdict("Hybrid and Mondrian have the best", better | more)
    assert open_still.held is None
    missing = "mondrian on OCC, mondrian on SAL, mask on OCC, mask on SAL"
    assert open_still.evidence == f"Not judged: there is no result of {missing}."
    all_five: Values = better | more | {(t, a): [5.5, 6.5] for t in ("OCC", "SAL") for a in ("mondrian",)}
    all_five |= {(t, "mask"): [20, 21] for t in ("OCC", "SAL")}
    assert verdict("Hybrid and Mondrian have the best", all_five).held
    assert verdict("Hybrid offers almost the same", all_five).held
    assert verdict("Hybrid offers almost the same", all_five | {("SAL", "mondrian"): [2, 3]}).held is False
    assert verdict("Mask incurs larger", all_five).held
    assert verdict("The maximum error", all_five).held
    alike: Values = all_five | {("SAL", "ace"): [80, 90]}
    assert verdict("Each algorithm but Ace behaves similarly", alike).held
    apart = verdict("Each algorithm but Ace behaves similarly", alike | {("SAL", "tailor"): [30, 40]})
    assert apart.held is False
    assert "tailor (10.5 % on OCC, 35 % on SAL)" in apart.evidence
    assert verdict("The maximum error", all_five | {("OCC", "hybrid"): [5, 10.5]}).held is False
    # Mask came to no result on SAL: claims about each algorithm are about the others.
    less = {key: line for key, line in alike.items() if key != ("SAL", "mask")}
    assert verdict("Each algorithm but Ace behaves similarly", less).held
    assert verdict("Mask incurs larger", less).held is None


def test_chance_decides_no_claim(claims: ModuleType) -> None:
    """The mean goes up, but not in every run."""
    from paper.results import Point

    rising = next(claim for claim in claims.CLAIMS if "escalates" in claim.text)
    for last, held in (((2.1, 3.1, 4.1), True), ((9.0, 3.1, 3.9), False), ((2.1,), True)):
        line = [Point(6, (2.0, 3.0, 4.0), False), Point(10, last, False)]
        verdict = claims.judge(rising, {11: {("OCC", "ace"): line, ("OCC", "mask"): line[:1]}})
        assert verdict.held is held
        assert "mask" not in verdict.evidence
    alone = claims.judge(rising, {11: {("OCC", "mask"): line[:1]}})
    assert alone == claims.Verdict(None, "Not judged: there is no result that could be.")


def test_hybrid_and_mondrian_outperform_the_others(claims: ModuleType, lines: Any) -> None:
    [claim] = [claim for claim in claims.CLAIMS if "significantly outperform" in claim.text]
    errors = {"hybrid": 2.0, "mondrian": 3.0, "tailor": 9.0, "ace": 8.0, "mask": 7.0}
    figure: Values = {("OCC", name): [error, error] for name, error in errors.items()}
    assert claims.judge(claim, dict.fromkeys((11, 12, 13), lines(figure))).held
    near = claims.judge(
        claim, {**dict.fromkeys((11, 13), lines(figure)), 12: lines(figure | {("OCC", "mask"): [0, 0]})}
    )
    assert near.held is True  # (7 + 0 + 7) / 3 is still well above 3
    below = claims.judge(claim, dict.fromkeys((11, 12, 13), lines(figure | {("OCC", "mask"): [3.5, 3.5]})))
    assert below.held is False
    assert below.evidence.startswith("not so for mondrian on OCC (3 %, against mask 3.5 %)")
    assert claims.judge(claim, {11: lines(figure), 12: {}, 13: lines(figure)}).held is None
    strangers = lines(figure)
    strangers["OCC", "mask"], strangers["OCC", "ace"] = strangers["OCC", "mask"][:1], strangers["OCC", "ace"][1:]
    assert claims.judge(claim, {11: lines(figure), 12: strangers, 13: lines(figure)}).held is None


def test_the_same_order_as_in_another_figure(claims: ModuleType, lines: Any) -> None:
    names = ("hybrid", "mondrian", "tailor", "ace", "mask")
    first: Values = {("OCC", name): [1.0 + number, 2.0] for number, name in enumerate(names)}
    for figure in (12, 13):
        [claim] = [claim for claim in claims.CLAIMS if claim.figure == figure and "same as in Figure 11" in claim.text]
        halves: Values = {key: [value / 2 for value in line] for key, line in first.items()}
        assert claims.judge(claim, {11: lines(first), figure: lines(halves)}).held
        turned = claims.judge(claim, {11: lines(first), figure: lines(first | {("OCC", "mask"): [0.1, 0.1]})})
        assert turned.held is False
        assert "OCC: mask 0.1 %, hybrid 1.5 %" in turned.evidence
        assert "mask and mondrian" in turned.evidence
        assert "there hybrid 1.5 %, mondrian 2 %, tailor 2.5 %, ace 3 %, mask 3.5 %" in turned.evidence
        # Two that are as good as the same may stand in any order.
        near = lines({("OCC", name): [2.0 + 0.01 * number, 2.0] for number, name in enumerate(reversed(names))})
        assert claims.judge(claim, {11: lines(first), figure: near}).held
        # Mask has no result for the larger l: means are over the places that all of them have.
        short = lines({key: line if key[1] != "mask" else line[:1] for key, line in first.items()})
        assert claims.judge(claim, {11: lines(first), figure: short}).evidence.endswith("ace 4 %, mask 5 %")


def test_correlations_are_judged() -> None:
    from dataclasses import replace

    from paper.conditions import Conditions
    from paper.page import TABLE_XIV, page

    paper = Conditions(
        data="paper", origin="", rows={}, correlations=TABLE_XIV, quick=False, algorithms=(), runs=1, workloads=1,
        queries=1, repetitions=1, notes=(), seconds=1, commit="", software="", machine="",
    )  # fmt: skip
    assert "| **Held.** Age 0.49 and 0.71," in page(paper, [])
    other = {**TABLE_XIV, "OCC": {**TABLE_XIV["OCC"], "Age": 0.62}}
    assert "| **Did not hold.** not so for Age 0.62 and 0.71. |" in page(replace(paper, correlations=other), [])


def test_claims_about_time(claims: ModuleType, lines: Any) -> None:
    def judged(claim: Any, of_figure: Any) -> Any:
        return claims.judge(claim, {claim.figure: of_figure})

    tables = ("OCC", "SAL")
    names = ("tailor", "ace", "hybrid", "mondrian")
    linear: Values = {(table, name): [1.0, 2.0, 3.0] for table in tables for name in names}
    square = {(table, "mask"): [1.0, 4.0, 9.0] for table in tables}
    grown, others, slower, minutes = (claim for claim in claims.CLAIMS if claim.figure == 14)
    assert judged(grown, lines(linear | square, time=True)).held
    assert judged(others, lines(linear | square, time=True)).held
    assert "time ~ n^2.00" in judged(grown, lines(square, time=True)).evidence
    once = judged(grown, lines({("OCC", "mask"): [1.0], ("SAL", "mask"): [1.0, 4.0]}, time=True))
    assert once == claims.Verdict(None, "Not judged: there is one n only of mask on OCC.")
    assert judged(others, lines(linear | {("OCC", "ace"): [1.0, 4.0, 9.0]}, time=True)).held is False
    assert judged(slower, lines(linear, time=True)).held
    assert judged(minutes, lines(linear, time=True)).held is None  # 3 are not nearly 10 million
    ten: Values = {(table, "hybrid"): [1.0] * 9 + [299.0] for table in tables}
    assert judged(minutes, lines(ten, time=True)).held
    assert judged(minutes, lines(ten | {("SAL", "hybrid"): [1.0, 301.0]}, time=True)).held is False
    flat, falling = (claim for claim in claims.CLAIMS if claim.figure == 15)
    level = {(table, name): [2.0, 2.1] for table in tables for name in ("ace", "mondrian", "mask")}
    steep = {(table, name): [2.0, 1.0] for table in tables for name in ("tailor", "hybrid")}
    assert judged(flat, lines(level | steep, time=True)).held
    assert judged(falling, lines(level | steep, time=True)).held
    assert judged(flat, lines(level | {("OCC", "ace"): [2.0, 4.0]}, time=True)).held is False
    assert judged(falling, lines(level | steep | {("OCC", "hybrid"): [2.0, 1.9]}, time=True)).held is False


def test_weave_is_ahead_or_it_is_said_where_not() -> None:
    from paper.experiments import Record, Setting
    from paper.weave import RIVALS, compared

    def records(**changed: float) -> list[Any]:
        values = {"weave": 0.01, **dict.fromkeys(RIVALS, 0.02)} | changed
        return [
            Record(measure, "OCC", name, 9, Setting(l, qd), run, 0, value * (1 + run))
            for measure in ("error", "perimeter")
            for name, value in values.items()
            for l in (6, 8)  # noqa: E741
            for qd in (2, 3)
            for run in (0, 1)
        ]

    ahead = compared(records())
    assert ahead is not None
    assert ahead.lost == []
    assert ahead.errors["OCC", 8, 3] == {"weave": 0.015, **dict.fromkeys(RIVALS, 0.03)}
    assert "smallest in all 4 cells" in ahead.verdict()
    assert ahead.tables().count("\n") == 1 + 2 * 4
    assert "| 6 | weave | 0.015 | 1.50 (±0.50) | 1.50 (±0.50) |" in ahead.tables()
    behind = compared(records(mondrian=0.005))
    assert behind is not None
    assert len(behind.lost) == 4 + 2
    assert "OCC, l = 8, qd = 3: weave 1.5 %, mondrian 0.75 %" in behind.verdict()
    tie = compared(records(hybrid=0.01))
    assert tie is not None
    assert len(tie.lost) == 4
    assert compared(record for record in records() if record.algorithm != "hybrid") is None
    assert compared([]) is None


def test_points_are_means_of_errors_and_the_best_of_times() -> None:
    from paper.results import Point

    assert Point(1, (1.0, 2.0, 6.0), time=False).value == 3
    assert Point(1, (1.0, 2.0, 6.0), time=True).value == 1


@pytest.mark.parametrize(
    "names",
    [("AGE", "SEX", "EDUC", "BPL", "OCC", "INCTOT"), ("AGEP", "SEX", "SCHL", "POBP", "OCCP", "PINCP")],
)
def test_extracts(tmp_path: Path, names: tuple[str, ...]) -> None:
    """Children, people without an occupation, and people whose income is not known are left out."""
    from census import DOMAINS
    from paper.tables import extract

    people = [
        (17, 1, 6, 1, 10, 0),
        (16, 1, 6, 1, 10, 0),
        (99, 2, 11, 36, 9830, 50_000),
        (40, 2, 11, 36, 0, 50_000),
        (40, 2, 11, 36, 9830, 9_999_999),
        (95, 1, 7, 2, 20, -3),
    ]
    file = tmp_path / "extract.csv"
    pl.DataFrame(
        [*people, *((40, 1, 7, 2, code, code) for code in range(100, 200))], schema=names, orient="row"
    ).write_csv(file)
    found = extract(file)
    assert found.columns == list(DOMAINS)
    assert found.height == 103
    assert sorted(set(found["Age"].to_list())) == [0, 1, 2]  # 17, 40, and 95 or more
    occupations = found.group_by("Occupation").len()
    assert occupations.height == DOMAINS["Occupation"]
    assert occupations["len"].max() == 3
    with pytest.raises(SystemExit, match="no column for Income"):
        extract(_without_income(file, names))


def test_extracts_are_read_whole(tmp_path: Path) -> None:
    """Whatever the first hundred people are: without a job, without an income, or with incomes in whole dollars."""
    from paper.tables import extract

    names = ("AGEP", "SEX", "SCHL", "POBP", "OCCP", "PINCP")
    people = [("16", "1", "06", "001", "", "")] * 150 + [("40", "2", "21", "036", "0010", "5000")] * 150
    file = tmp_path / "extract.csv"
    pl.DataFrame(
        [*people, ("41", "1", "bb", "1", "20", "1"), ("42", "1", "22", "1", "20", "7.0")], names, orient="row"
    ).write_csv(file)
    assert extract(file).height == 151


def test_data_are_there_before_anything_is_run(tmp_path: Path) -> None:
    done = reproduce("--data", "census,nowhere.csv", "--rows", 900, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "There is no data 'nowhere.csv'" in done.stderr
    assert not (tmp_path / "out").exists()
    done = reproduce("--data", tmp_path)
    assert done.returncode == 1
    assert "There is no data" in done.stderr


def _without_income(file: Path, names: tuple[str, ...]) -> Path:
    other = file.with_name("other.parquet")
    pl.read_csv(file).select(names[:-1]).write_parquet(other)
    return other
