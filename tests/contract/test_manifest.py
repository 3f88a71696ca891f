"""What is published beside the release says nothing that the release does not say (G5, G8)."""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

import pellucid
from pellucid.draws import Keys, SystemDraws
from tests.contract.publishing import Publisher, files_in, frames, people

SECRET = b"a secret of this test, long enough"


@pytest.fixture
def written(publish: Publisher, seed_file: Path, tmp_path: Path) -> pellucid.Written:
    (tmp_path / "folder").mkdir()
    source = tmp_path / "secret-source.csv"
    people().write_csv(source)
    release = publish(source, identifier="name", seed_file=seed_file)
    return release.write(tmp_path / "folder" / "out.csv")


def manifest_of(written: pellucid.Written) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(Path(written.manifest).read_text(encoding="utf-8"))
    return loaded


def test_holds_these_facts_and_no_others(written: pellucid.Written) -> None:
    """A new key must be thought about: can everybody compute it from the release?"""
    manifest = manifest_of(written)
    assert set(manifest) == {
        "manifest",
        "program",
        "version",
        "policy",
        "policy_sha256",
        "sensitive_order",
        "files",
        "release",
        "check",
    }
    assert set(manifest["policy"]) == {
        "quasi_identifiers",
        "sensitive",
        "diversity",
        "identifier",
        "drop",
        "drop_others",
        "algorithm",
        "penalty",
        "recoding",
        "intervals",
        "missing",
        "orders",
        "hierarchies",
        "styles",
        "grids",
    }
    assert all(set(file) == {"name", "bytes", "sha256"} for file in manifest["files"])
    assert set(manifest["release"]) == {
        "rows",
        "groups",
        "smallest_group",
        "average_group",
        "sensitive_values",
        "worst_frequency",
        "worst_frequency_exact",
        "groups_not_diverse",
    }
    assert set(manifest["check"]) == {"passed", "statement"}


def test_facts_can_be_computed_from_the_files(written: pellucid.Written) -> None:
    manifest = manifest_of(written)
    canonical = json.dumps(manifest["policy"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert manifest["policy_sha256"] == hashlib.sha256(canonical.encode()).hexdigest()
    assert [file["name"] for file in manifest["files"]] == [file.name for file in written.files]
    for file, entry in zip(written.files, manifest["files"], strict=True):
        assert entry["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
        assert entry["bytes"] == file.stat().st_size
    table = pl.read_csv(written.files[-1], infer_schema=False)
    groups = table.group_by(pl.exclude("disease")).agg(
        size=pl.len(), most=pl.col("disease").value_counts().struct.field("count").max()
    )
    facts = manifest["release"]
    assert facts["rows"] == table.height
    assert facts["groups"] == groups.height
    assert facts["smallest_group"] == groups["size"].to_numpy().min()
    assert facts["sensitive_values"] == table["disease"].n_unique()
    assert facts["worst_frequency"] == pytest.approx((groups["most"] / groups["size"]).to_numpy().max(), abs=1e-6)
    assert facts["groups_not_diverse"] == 0
    assert manifest["check"]["passed"] is True


def test_same_for_the_same_release(publish: Publisher, seed_file: Path, tmp_path: Path) -> None:
    """No time, no machine, no path: two runs in two places, on two files, write the same manifest."""
    made = []
    for number in range(2):
        folder = tmp_path / f"folder {number}"
        folder.mkdir()
        source = tmp_path / f"source {number}.csv"
        people().sample(fraction=1, shuffle=True, seed=number).write_csv(source)
        publish(source, identifier="name", seed_file=seed_file).write(folder / "out.csv")
        made.append(files_in(folder))
    assert made[0] == made[1]


def test_seed_path_and_source_are_nowhere(written: pellucid.Written, seed_file: Path) -> None:
    for content in files_in(Path(written.manifest).parent).values():
        for hidden in (SECRET, SECRET.hex().encode(), seed_file.name.encode(), b"secret", b"person 00", b"/tmp"):
            assert hidden not in content


def test_seed_is_in_no_text_that_is_shown(
    publish: Publisher, seed_file: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        release = publish(people(), identifier="name", seed_file=seed_file)
        shown = [repr(release), str(release), repr(release.policy), repr(vars(release)), repr(release.check)]
    out, err = capfd.readouterr()
    for text in (*shown, out, err, caplog.text):
        assert "secret of this test" not in text
        assert str(seed_file) not in text
        assert SECRET.hex() not in text


def test_how_many_rows_were_dropped_is_not_in_it(publish_hybrid: Publisher, tmp_path: Path) -> None:
    """Two sources that differ in the rows that are left out make the same manifest."""
    table = people()
    more = pl.concat([table, table[:7].with_columns(name="x" + pl.col("name"), age=pl.lit(None, dtype=pl.Int64))])
    seed = tmp_path / "seed"
    seed.write_bytes(SECRET)
    made = []
    for number, source in enumerate((table, more)):
        folder = tmp_path / str(number)
        folder.mkdir()
        publish_hybrid(source, identifier="name", missing="drop", seed_file=seed).write(folder / "out.csv")
        made.append(files_in(folder))
    assert made[0] == made[1]


def test_groups_with_one_box_are_one(publish: Publisher, tmp_path: Path) -> None:
    """How many groups the algorithm made is not said: everybody is alike, so the release shows one group."""
    table = people().with_columns(age=pl.lit(30), place=pl.lit("Ulm"))
    release = publish(table, identifier="name")
    manifest = manifest_of(release.write(tmp_path / "out.csv"))
    if publish.recoding != "anatomy":
        assert manifest["release"]["groups"] == release.check.groups == 1
        assert manifest["release"]["smallest_group"] == 60


def test_group_numbers_follow_what_is_published(algorithm: str, seed_file: Path) -> None:
    """G5: by anatomy, a group's number is its rank by its QI values, then by its sensitive values."""
    release = Publisher(algorithm, "anatomy")(people(), identifier="name", seed_file=seed_file)
    qi, sensitive = frames(release)
    contents = [
        (
            sorted(qi.filter(group_id=number).drop("group_id").rows()),
            sorted(sensitive.filter(group_id=number)["disease"]),
        )
        for number in range(1, release.check.groups + 1)
    ]
    assert contents == sorted(contents)
    assert qi.rows() == [(*row, number) for number, (rows, _) in enumerate(contents, 1) for row in rows]
    assert sensitive.rows() == [(number, value) for number, (_, values) in enumerate(contents, 1) for value in values]


def test_rows_are_in_order_of_their_values(publish_text: Publisher, seed_file: Path) -> None:
    """G5: the rows of a generalization are sorted, so that their order says nothing."""
    table = people().with_columns(place=pl.col("name").str.slice(-1).cast(pl.Int64))
    release = Publisher(publish_text.algorithm, "bounds")(table, identifier="name", seed_file=seed_file)
    order = ["age_min", "age_max", "place_min", "place_max", "disease"]
    rows = frames(release)[0].select(order).rows()
    assert rows == sorted(rows)


def test_parquet_has_no_metadata_of_its_own(publish: Publisher, tmp_path: Path) -> None:
    """Row groups and statistics follow from the rows; beside the schema and the writer's name there is nothing."""
    for file in publish(people(), identifier="name").write(tmp_path / "out.parquet").files:
        metadata = pq.read_metadata(file)
        assert set(metadata.metadata or {}) <= {b"ARROW:schema"}
        assert metadata.created_by.startswith("Polars")
        schema = pq.read_schema(file)
        assert not schema.metadata
        assert not any(field.metadata for field in schema)


def test_one_run_of_the_algorithm_makes_one_release(
    algorithm: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """G7: nothing is tried twice and chosen from: one run, and one set of keys for each purpose."""
    runs: list[str] = []
    purposes: list[str] = []
    module = importlib.import_module("pellucid.release")
    real = module.ALGORITHMS[algorithm]

    def counted(*args: Any, **options: Any) -> Any:
        runs.append(algorithm)
        return real(*args, **options)

    class Counted(SystemDraws):
        def keys(self, purpose: str, rows: int) -> Keys:
            purposes.append(purpose)
            return super().keys(purpose, rows)

    monkeypatch.setattr(module, "ALGORITHMS", {algorithm: counted})
    monkeypatch.setattr(module, "SystemDraws", Counted)
    Publisher(algorithm, "text")(people().drop("name")).write(tmp_path / "out.csv")
    assert runs == [algorithm]
    assert len(purposes) == len(set(purposes)) <= 2
