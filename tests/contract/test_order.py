"""The release does not depend on the order, the index or the container of the rows (G2, G5, G10)."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pellucid.sources import text
from tests.contract.publishing import ENDINGS, QI, Publisher, files_in, frames, people, tables


@pytest.fixture(params=["as it is", "reversed", "shuffled", "sorted by disease", "sorted by age"])
def other_order(request: pytest.FixtureRequest) -> pl.DataFrame:
    table = people()
    return {
        "as it is": table,
        "reversed": table.reverse(),
        "shuffled": table.sample(fraction=1, shuffle=True, seed=5),
        "sorted by disease": table.sort("disease", "age"),
        "sorted by age": table.sort("age", "name"),
    }[request.param]


@pytest.mark.parametrize("ending", ENDINGS)
def test_shuffled_rows_make_the_same_bytes(
    publish: Publisher, other_order: pl.DataFrame, ending: str, seed_file: Path, tmp_path: Path
) -> None:
    """With an identifier and the same draws, every byte of every file is the same, whatever the order of the source.

    The texts are long: polars keeps those apart from the rows that point at them, in an order of their own.
    """
    for folder, table in (("one", people()), ("other", other_order)):
        (tmp_path / folder).mkdir()
        release = publish(in_many_words(table), identifier="name", seed_file=seed_file)
        release.write(tmp_path / folder / f"out{ending}")
    assert files_in(tmp_path / "one") == files_in(tmp_path / "other")
    assert len(files_in(tmp_path / "one")) == (3 if publish.recoding == "anatomy" else 2)


def test_the_memory_of_a_frame_says_nothing_of_the_source(publish: Publisher, seed_file: Path) -> None:
    """A frame that its owner writes as an Arrow file holds the released texts, in an order of their own."""
    table = in_many_words(people())
    strange = table[:1].with_columns(name=pl.lit("zz"), age=pl.lit(None, pl.Int64), disease=pl.lit("a rare disease"))
    made = []
    for source in (table, table.reverse(), pl.concat([strange, table])):
        release = publish(source, identifier="name", seed_file=seed_file, missing="drop")
        files = [io.BytesIO() for _ in tables(release)]
        for frame, file in zip(tables(release), files, strict=True):
            frame.write_ipc(file)
        made.append([file.getvalue() for file in files])
    assert made[0] == made[1] == made[2]


def in_many_words(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.col("place", "disease") + ", in many words")


def test_names_of_people_decide_ties_only(publish: Publisher, seed_file: Path) -> None:
    """Other names in the same order: the very same release."""
    table = people()
    renamed = table.with_columns(name="the honourable " + pl.col("name"))
    one, other = (publish(t, identifier="name", seed_file=seed_file) for t in (table, renamed))
    assert all(mine.equals(theirs) for mine, theirs in zip(frames(one), frames(other), strict=True))


@pytest.mark.parametrize(
    "index",
    [
        pd.Index(range(100, 160)),
        pd.Index(list(reversed(range(60)))),
        pd.Index([0] * 60),
        pd.Index([f"row {number}" for number in range(60)], name="age"),
        pd.MultiIndex.from_product([range(6), range(10)], names=["disease", None]),
        pd.date_range("2020-01-01", periods=60, name="name"),
    ],
    ids=["from 100", "backwards", "all equal", "named like a column", "several levels", "dates"],
)
def test_arbitrary_index(publish: Publisher, index: pd.Index, seed_file: Path) -> None:
    """The index of a pandas frame is neither read nor published, and never taken for positions."""
    plain = people().to_pandas()
    indexed = plain.set_axis(index, axis="index")
    one, other = (tables(publish(t, identifier="name", seed_file=seed_file)) for t in (plain, indexed))
    for mine, theirs in zip(one, other, strict=True):
        pd.testing.assert_frame_equal(mine, theirs)
        assert isinstance(theirs.index, pd.RangeIndex)


def test_every_kind_of_frame_gives_the_same_and_comes_back(publish: Publisher, seed_file: Path, tmp_path: Path) -> None:
    table = people()
    table.write_parquet(tmp_path / "source.parquet")
    table.write_csv(tmp_path / "source.csv")
    table.write_ipc(tmp_path / "source.arrow")
    kinds: dict[type, object] = {
        pl.DataFrame: table,
        pl.LazyFrame: table.lazy(),
        pd.DataFrame: table.to_pandas(),
        pa.Table: table.to_arrow(),
    }
    expected = frames(publish(table, identifier="name", seed_file=seed_file))
    for kind, source in kinds.items():
        made = tables(publish(source, identifier="name", seed_file=seed_file))
        assert [type(t) for t in made] == [kind] * len(made)
        plain = [t.collect() if isinstance(t, pl.LazyFrame) else pl.DataFrame(t) for t in made]
        assert [t.rows() for t in plain] == [t.rows() for t in expected]
        assert [t.columns for t in plain] == [t.columns for t in expected]
    for file in ("source.parquet", "source.csv", "source.arrow"):
        made = frames(publish(tmp_path / file, identifier="name", seed_file=seed_file))
        assert [t.rows() for t in made] == [t.rows() for t in expected]


def test_what_else_speaks_arrow_is_read(publish_hybrid: Publisher) -> None:
    class Capsule:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return people().to_arrow().__arrow_c_stream__(requested_schema)

    assert all(isinstance(table, pl.DataFrame) for table in tables(publish_hybrid(Capsule(), drop=["name"])))


def test_columns_keep_the_names_and_order_of_the_source(publish: Publisher) -> None:
    release = publish(people(), identifier="name")
    expected = {
        "text": [["age", "disease", "place"]],
        "bounds": [["age_min", "age_max", "disease", "place"]],
        "anatomy": [["age", "place", "group_id"], ["group_id", "disease"]],
    }[publish.recoding]
    assert [table.columns for table in frames(release)] == expected


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow"])
def test_threads_and_chunks_make_the_same_bytes(
    publish: Publisher, ending: str, seed_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G10: one thread, two, five; the source in one piece or many; the target in one piece or many."""
    table = in_many_words(people(3000))
    pieces = pl.concat([table[start : start + 7] for start in range(0, 3000, 7)], rechunk=False)
    made = []
    for number, (threads, source, rows) in enumerate([(1, table, 10**6), (2, table, 10**6), (5, pieces, 911)]):
        monkeypatch.setattr(text, "_BLOCK_ROWS", rows)
        monkeypatch.setattr(text, "_CHUNK_BYTES", rows)
        folder = tmp_path / str(number)
        folder.mkdir()
        release = publish(source, identifier="name", seed_file=seed_file, threads=threads)
        release.write(folder / f"out{ending}")
        made.append(files_in(folder))
    assert made[0] == made[1] == made[2]


def test_without_identifier_two_runs_differ(publish_text: Publisher) -> None:
    """Hundreds of ties and draws: equal releases would mean that keys are not drawn anew, or not at all."""
    if publish_text.algorithm == "mondrian":
        pytest.skip("strict Mondrian draws nothing and breaks no ties")
    table = pl.DataFrame({"age": np.arange(400) % 4, "place": "x", "disease": np.sqrt(np.arange(400)).astype(int)})
    publish = Publisher(publish_text.algorithm, "anatomy")
    one, other = ([tuple(t.rows()) for t in frames(publish(table))] for _ in range(2))
    assert one != other


def test_an_unordered_set_of_columns_may_be_named_in_any_container(publish_hybrid: Publisher) -> None:
    for names in (list(QI), tuple(QI), (name for name in QI), pl.Series(QI), pd.Index(QI), np.array(QI)):
        assert publish_hybrid(people(), quasi_identifiers=names, drop=["name"]).policy.quasi_identifiers == QI
