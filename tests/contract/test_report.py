"""The report: what may be published follows from release and policy (G8); all is written, or nothing (G9)."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pellucid
from pellucid import TargetError
from pellucid.algorithms import NOT_TRANSPARENT
from pellucid.report import page, report_on
from pellucid.sources.file_target import fingerprint
from tests.contract.publishing import Publisher, files_in, people

PUBLIC, PRIVATE = "report.html", "report.not-for-release.html"


@pytest.fixture
def written(publish_hybrid: Publisher, seed_file: Path, tmp_path: Path) -> pellucid.Written:
    source = tmp_path / "secret-source.csv"
    people().write_csv(source)
    (tmp_path / "folder").mkdir()
    release = publish_hybrid(source, identifier="name", seed_file=seed_file)
    return release.write(tmp_path / "folder" / "out.csv", report=tmp_path / "folder" / PUBLIC)


def pages(written: pellucid.Written) -> tuple[str, str]:
    public, private = written.reports
    return public.read_text(encoding="utf-8"), private.read_text(encoding="utf-8")


def test_two_pages_whose_names_tell(written: pellucid.Written) -> None:
    assert [page.name for page in written.reports] == [PUBLIC, PRIVATE]
    public, private = pages(written)
    assert "not for release" not in public.lower()
    assert "<title>Not for release: " in private
    assert "<h1>Not for release: " in private
    assert '<div class="banner" role="note">NOT FOR RELEASE' in private


def test_the_curators_page_is_for_its_owner_alone(written: pellucid.Written) -> None:
    old = os.umask(0)
    os.umask(old)
    modes = [stat.S_IMODE(page.stat().st_mode) for page in written.reports]
    assert modes == [0o666 & ~old, 0o600]


def test_what_is_published_can_be_made_from_the_release_and_the_policy(
    publish_hybrid: Publisher, written: pellucid.Written
) -> None:
    """Somebody who has nothing but the files, the manifest and the program writes the same page."""
    manifest = json.loads(Path(written.manifest).read_text(encoding="utf-8"))
    policy = publish_hybrid(people(), identifier="name").policy
    assert policy.as_dict() == manifest["policy"]
    tables = [pl.read_csv(file, infer_schema=False) for file in written.files]
    files = {file.name: fingerprint(file) for file in written.files}
    order = manifest["sensitive_order"]
    report = report_on(tables, policy, order, written.check, target="out.csv", kind="files", written=files)
    assert page("report.html", report=report) == pages(written)[0]


def test_isomorphic_tables_have_the_same_public_report(publish_hybrid: Publisher, tmp_path: Path) -> None:
    """People of a group exchange their sensitive values: the release is the same, and so is what is said of it."""
    publish = Publisher("tailor", publish_hybrid.recoding)
    first = people(200).sort("name")
    made = publish(first, identifier="name")
    order = np.arange(first.height)
    for group in made._partition:
        order[group] = np.roll(group, 1)
    second = first.with_columns(first["disease"].gather(order))
    assert not second.equals(first)
    folders = []
    for number, table in enumerate((first, second.sample(fraction=1, shuffle=True, seed=3))):
        folder = tmp_path / str(number)
        folder.mkdir()
        table.write_csv(folder / "source.csv")
        publish(folder / "source.csv", identifier="name").write(folder / "out.csv", report=folder / PUBLIC)
        folders.append({name: content for name, content in files_in(folder).items() if name != "source.csv"})
    private = [folder.pop(PRIVATE) for folder in folders]
    assert folders[0] == folders[1]
    assert private[0] != private[1]


def test_seed_path_and_source_are_in_no_page(written: pellucid.Written, seed_file: Path) -> None:
    for content in pages(written):
        for hidden in ("a secret of this test", seed_file.name, "secret-source", "person 00", str(seed_file.parent)):
            assert hidden not in content


def test_rows_left_out_are_for_the_curator(publish_hybrid: Publisher, seed_file: Path, tmp_path: Path) -> None:
    """Two sources that differ in the rows that are left out have the same public report."""
    table = people()
    more = pl.concat([table, table[:7].with_columns(name="x" + pl.col("name"), age=pl.lit(None, dtype=pl.Int64))])
    public, private = [], []
    for number, source in enumerate((table, more)):
        folder = tmp_path / str(number)
        folder.mkdir()
        release = publish_hybrid(source, identifier="name", missing="drop", seed_file=seed_file)
        both = pages(release.write(folder / "out.csv", report=folder / PUBLIC))
        public.append(both[0])
        private.append(both[1])
    assert public[0] == public[1]
    assert "No row of the source was left out" in private[0]
    assert "7 rows of the source were left out" in private[1]


def test_what_reads_the_source_is_for_the_curator(written: pellucid.Written) -> None:
    public, private = pages(written)
    for words in ("Before and after", "Before: in the source", "average error", "pellucid evaluate", "left out</"):
        assert words not in public
    for words in ("Before: in the source", "average error", "pellucid evaluate"):
        assert words in private


def test_the_guarantee_is_claimed_where_it_holds_and_nowhere_else(publish: Publisher) -> None:
    for made in (
        publish(people(), identifier="name").report(),
        publish(people(), identifier="name").report(for_curator=True),
    ):
        if publish.algorithm in NOT_TRANSPARENT:
            assert "The guarantee does NOT hold for this release." in made
            assert "transparently 2-diverse" not in made
            assert "can believe at most" not in made
        else:
            assert "NOT hold" not in made
            assert "transparently 2-diverse" in made
            assert "can believe at most" in made
            assert "probability 1/2 (50%)" in made


def test_nothing_is_claimed_for_an_l_of_one(publish_hybrid: Publisher) -> None:
    made = publish_hybrid(people(), identifier="name", diversity=1).report()
    assert "Nothing is protected." in made
    assert "can believe at most" not in made


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow"])
def test_the_same_in_every_format_and_from_memory(
    publish_hybrid: Publisher, seed_file: Path, tmp_path: Path, ending: str
) -> None:
    """The format changes the names and fingerprints of files only."""
    release = publish_hybrid(people(), identifier="name", seed_file=seed_file)
    for for_curator, content in enumerate(pages(release.write(tmp_path / f"out{ending}", report=tmp_path / PUBLIC))):
        from_memory = release.report(for_curator=bool(for_curator)).replace("RELEASE", f"out{ending}")
        for heading in ("How large the groups are", "How precise the quasi-identifiers are", "The sensitive values"):
            part = content.split(heading)[1].split("<h3>")[0].split("</section>")[0]
            assert part == from_memory.split(heading)[1].split("<h3>")[0].split("</section>")[0]


def test_a_report_that_fails_publishes_nothing(
    publish_hybrid: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault in the last page that is made: the old release stays as it was, and nothing else is left."""
    release = publish_hybrid(people(), identifier="name")
    release.write(tmp_path / "out.csv", report=tmp_path / PUBLIC)
    before = files_in(tmp_path)

    def fail(*args: object, **options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("pellucid.report.curator", fail)
    with pytest.raises(ZeroDivisionError):
        publish_hybrid(people(90), identifier="name").write(tmp_path / "out.csv", report=tmp_path / PUBLIC)
    assert files_in(tmp_path) == before


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ("nowhere/report.html", "There is no folder"),
        ("report.pdf", "no HTML file"),
        ("report", "no HTML file"),
        ("folder.html", "is a folder"),
        ("private.html", "is a folder"),
        ("source.html", "is the source itself"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused_before_the_work(
    publish_hybrid: Publisher, tmp_path: Path, report: str, message: str
) -> None:
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "private.not-for-release.html").mkdir()
    people().write_csv(tmp_path / "source.csv")
    (tmp_path / "source.html").hardlink_to(tmp_path / "source.csv")
    before = files_in(tmp_path)
    heard: list[str] = []
    with pytest.raises(TargetError, match=message):
        publish_hybrid(
            tmp_path / "source.csv",
            identifier="name",
            target=tmp_path / "out.csv",
            report=tmp_path / report,
            monitor=lambda stage, share: heard.append(stage),
        )
    assert heard == []
    with pytest.raises(TargetError, match=message):
        publish_hybrid(tmp_path / "source.csv", identifier="name").write(tmp_path / "out.csv", report=tmp_path / report)
    assert files_in(tmp_path) == before


def test_a_report_of_any_table_that_is_small(publish_hybrid: Publisher) -> None:
    """One group, one person per value, missing values, values that are all alike."""
    tables = [
        people(2).with_columns(disease=pl.Series(["flu", "cold"])),
        people(60).with_columns(age=pl.lit(30), place=pl.lit("Ulm")),
        people(60).with_columns(
            age=pl.when(pl.col("age") > 25).then("age"), place=pl.when(pl.col("place") > "C").then("place")
        ),
    ]
    for table in tables:
        release = publish_hybrid(table, identifier="name", missing="category")
        assert f"<dd>{release.check.rows}</dd>" in release.report(for_curator=True)


@pytest.mark.parametrize("name", ["*", "^.*$"])
def test_a_name_that_looks_like_a_pattern(publish_hybrid: Publisher, name: str) -> None:
    """A selection takes it for one, and would mean all columns."""
    for table, options in (
        (people().rename({"age": name}), {"quasi_identifiers": [name, "place"]}),
        (people().rename({"disease": name}), {"sensitive": name}),
    ):
        release = publish_hybrid(table, identifier="name", **options)
        for for_curator in (False, True):
            assert name in release.report(for_curator=for_curator)


def test_widths_whose_sum_is_no_number(publish_hybrid: Publisher) -> None:
    table = people(2).with_columns(disease=pl.Series(["flu", "cold"]), age=pl.Series([-8e307, 8e307]))
    assert "age" in publish_hybrid(table, identifier="name").report()
