"""Files that are not what they should be: the error says what is wrong and where, and nothing is published."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

from pellucid import MicrodataError, PellucidError, PolicyError, SourceError
from tests.contract.publishing import Publisher, frames, people


def save(table: pl.DataFrame, file: Path) -> None:
    if file.suffix == ".csv":
        table.write_csv(file)
    elif file.suffix == ".parquet":
        table.write_parquet(file)
    else:
        table.write_ipc(file)


HEADER = "age,place,disease\n"
ROWS = "21,Ulm,flu\n27,Bonn,cold\n32,Ulm,gout\n32,Bonn,flu\n"


def test_a_good_file_is_read(publish: Publisher, csv_file: Callable[[str], Path]) -> None:
    assert publish(csv_file(HEADER + ROWS)).check.rows == 4


@pytest.mark.parametrize(
    "content",
    [
        (HEADER + ROWS).replace("\n", "\r\n"),
        (HEADER + ROWS).rstrip("\n"),
        "\N{ZERO WIDTH NO-BREAK SPACE}" + HEADER + ROWS,
        '"age","place","disease"\n' + ROWS,
        HEADER + ROWS.replace("Ulm", '"Ulm"'),
        (HEADER + ROWS).replace(",", ";"),
        (HEADER + ROWS).replace(",", "|"),
        (HEADER + ROWS).encode("utf-16"),
        "\N{ZERO WIDTH NO-BREAK SPACE}".encode("utf-16-be") + (HEADER + ROWS).encode("utf-16-be"),
    ],
    ids=[
        "CRLF",
        "no line end at the end",
        "byte order mark",
        "quoted header",
        "quoted values",
        "semicolons",
        "bars",
        "UTF-16",
        "UTF-16, the other way round",
    ],
)
def test_other_ways_to_write_the_same(
    publish_hybrid: Publisher, csv_file: Callable[[str | bytes], Path], content: str | bytes
) -> None:
    release = publish_hybrid(csv_file(content))
    assert sorted(frames(release)[-1]["disease"]) == ["cold", "flu", "flu", "gout"]
    assert release.policy.quasi_identifiers == ("age", "place")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n", "does not begin with a line of column names"),
        (b"\n" + HEADER.encode(), "does not begin with a line of column names"),
        (b"\0\1\2\3" * 100, "is a binary file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a binary file"),
        (bytes(range(1, 256)) * 9, "is not UTF-8 text"),
        (b"PAR1" + b"x" * 99, "is a Parquet file"),
        (b"ARROW1\0\0", "is an Arrow file"),
        (b"PK\3\4" + b"x" * 99, "is an Excel or zip file"),
        (gzip.compress(HEADER.encode()), "is a gzip file"),
        ((HEADER + ROWS).encode("utf-16-le"), "is a binary file"),
        ((HEADER + ROWS).replace("Ulm", "Köln").encode("latin-1"), "is not UTF-8 text"),
        ((HEADER + ROWS * 9000 + "1,Köln,flu\n").encode("latin-1"), "is not UTF-8 text"),
    ],
    ids=[
        "empty",
        "empty line",
        "line before the header",
        "binary",
        "image",
        "bytes",
        "parquet",
        "arrow",
        "zip",
        "gzip",
        "UTF-16 without mark",
        "Latin-1",
        "Latin-1 at the end",
    ],
)
def test_not_a_table(
    publish_hybrid: Publisher, csv_file: Callable[[bytes], Path], content: bytes, message: str
) -> None:
    with pytest.raises(SourceError, match=f"source.csv {message}"):
        publish_hybrid(csv_file(content))


@pytest.mark.parametrize("end", ["\n", ""])
def test_header_only(publish: Publisher, csv_file: Callable[[str], Path], end: str) -> None:
    with pytest.raises(MicrodataError, match="no rows"):
        publish(csv_file(HEADER.rstrip("\n") + end))


@pytest.mark.parametrize(
    ("line", "values"),
    [("21", 1), ("21,Ulm", 2), ("", 0), ("21,Ulm,flu,more", 4), ("21,Ulm,flu,", 4), ("21,Ulm, an der Donau,flu", 4)],
)
@pytest.mark.parametrize("place", ["first", "middle", "last", "after many"])
@pytest.mark.parametrize("missing", ["error", "category", "drop"])
def test_ragged_lines(csv_file: Callable[[str], Path], line: str, values: int, place: str, missing: str) -> None:
    """Too short, too long or blank: a row of the wrong length is never filled up, cut off, or moved along."""
    rows = ROWS * 3000 if place == "after many" else ROWS
    content = {
        "first": f"{HEADER}{line}\n{rows}",
        "middle": f"{HEADER}{rows}{line}\n{rows}",
        "last": f"{HEADER}{rows}{line}\n",
        "after many": f"{HEADER}{rows}{line}\n",
    }[place]
    number = content.split("\n")[1:].index(line) + 2
    with pytest.raises(SourceError, match=rf"line {number}: {values} values, but|has a line with more values"):
        Publisher("hybrid", "text")(csv_file(content), missing=missing)


@pytest.mark.parametrize("line", ["21", "21,Ulm,flu,more,", "21,Ulm,an der Donau,flu,x", "", '21,"Ulm,x",flu,m,o,re'])
@pytest.mark.parametrize("unused", ["before", "between", "after"])
@pytest.mark.parametrize("missing", ["error", "category", "drop"])
def test_ragged_lines_where_a_column_is_dropped(
    csv_file: Callable[[str], Path], line: str, unused: str, missing: str
) -> None:
    """Columns that are not needed are not read, but they count."""
    header = {"before": "x,age,place,disease", "between": "age,place,x,disease", "after": "age,place,disease,x"}[unused]
    rows = {"before": "1,21,Ulm,flu", "between": "21,Ulm,1,flu", "after": "21,Ulm,flu,1"}[unused]
    content = "\n".join([header, *[rows.replace("flu", disease) for disease in ("flu", "cold")], line, rows, ""])
    with pytest.raises(SourceError, match="line 4: "):
        Publisher("hybrid", "text")(csv_file(content), drop=["x"], missing=missing)


def test_commas_and_quotes_and_lines_in_values_are_no_ragged_lines(csv_file: Callable[[str], Path]) -> None:
    content = 'x,age,place,disease\n"a,b",21,"U""l,m",flu\n"1\n2",22,"""",cold\n,23,"\n\n",gout\n5,24,b,"x,\n,"\n'
    release = Publisher("hybrid", "text")(csv_file(content), drop=["x"])
    assert sorted(release.table["disease"]) == ["cold", "flu", "gout", "x,\n,"]


@pytest.mark.parametrize("value", ['5" pipe', '"quoted" and more', '"open', 'a"b"c', '"'])
def test_quotes_that_are_not_as_they_should_be(csv_file: Callable[[str], Path], value: str) -> None:
    """Programs read such values in different ways: refused with a reason, or read as they stand; never garbled."""
    rows = [("flu", "21"), (value, "22"), ("gout", "23"), ("mumps", "24")]
    file = csv_file("disease,age\n" + "".join(f"{disease},{age}\n" for disease, age in rows))

    def diseases_or_refusal() -> list[str] | str:
        try:
            return sorted(Publisher("hybrid", "text")(file, quasi_identifiers=["age"]).table["disease"])
        except SourceError as refused:
            return str(refused)

    outcome = diseases_or_refusal()
    assert outcome == sorted(disease for disease, _ in rows) or "quote" in outcome


def test_missing_values_at_the_end_of_the_row_are_no_ragged_lines(csv_file: Callable[[str], Path]) -> None:
    release = Publisher("hybrid", "text")(csv_file(HEADER + "21,Ulm,\n22,Bonn,flu\n"), missing="category")
    assert release.table["disease"].to_list() == [None, "flu"]


@pytest.mark.parametrize(
    "header", ["age,place,disease,age", "age,age,place,disease", "age,place,disease,disease", "x,x,age,place,disease"]
)
def test_a_column_named_twice(publish_hybrid: Publisher, csv_file: Callable[[str], Path], header: str) -> None:
    rows = ",".join("1" * (header.count(",") + 1))
    with pytest.raises(PolicyError, match=r"more than one column named '(age|disease|x)'"):
        publish_hybrid(csv_file(f"{header}\n{rows}\n{rows}\n"), drop_others=True)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, "x", "flu", 2]] * 4, columns=["age", "place", "disease", "age"]),
        pa.table(
            [pa.array([1]), pa.array(["x"]), pa.array(["flu"]), pa.array([1])], names=["age", "place", "disease", "age"]
        ),
    ],
    ids=["pandas", "pyarrow"],
)
def test_a_column_of_a_frame_named_twice(publish_hybrid: Publisher, frame: object) -> None:
    with pytest.raises(PellucidError, match="more than one column"):
        publish_hybrid(frame, diversity=1)


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".feather", ".ipc"])
@pytest.mark.parametrize("content", [b"", b"not a table", b"PAR1" * 10, b"ARROW1\0\0" * 5])
def test_broken_binary_files(publish_hybrid: Publisher, tmp_path: Path, ending: str, content: bytes) -> None:
    file = tmp_path / f"source{ending}"
    file.write_bytes(content)
    with pytest.raises(SourceError, match=rf"source{ending} (is empty|cannot be read)"):
        publish_hybrid(file)


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_a_file_that_was_cut_off(publish_hybrid: Publisher, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"source{ending}"
    save(people(500), file)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(SourceError, match="cannot be read"):
        publish_hybrid(file, identifier="name")


def test_a_file_that_is_not_there(publish_hybrid: Publisher, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"There is no file .*nothing\.csv"):
        publish_hybrid(tmp_path / "nothing.csv")


def test_a_folder(publish_hybrid: Publisher, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(SourceError, match="is a folder"):
        publish_hybrid(tmp_path / "folder.csv")


@pytest.mark.parametrize("name", ["table.ods", "table", "table.parquet.gz", ".csv", ".csv.gz", "table.gz"])
def test_an_unknown_ending(publish_hybrid: Publisher, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(HEADER + ROWS)
    with pytest.raises(SourceError, match="no format that pellucid reads or writes"):
        publish_hybrid(tmp_path / name)


def test_an_ending_in_capitals(publish_hybrid: Publisher, tmp_path: Path) -> None:
    (tmp_path / "SOURCE.CSV").write_text(HEADER + ROWS)
    release = publish_hybrid(tmp_path / "SOURCE.CSV")
    assert release.write(tmp_path / "OUT.Parquet").check.rows == 4


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow"])
def test_a_file_name_is_no_pattern(publish_hybrid: Publisher, tmp_path: Path, ending: str) -> None:
    """`data[1].csv` is that file, and not `data1.csv` which the pattern matches."""
    right, wrong = people(), people().with_columns(disease=pl.lit("wrong"))
    for table, name in ((right, f"d*t?[1]{ending}"), (wrong, f"data1{ending}")):
        file = tmp_path / name
        save(table, file)
    release = publish_hybrid(tmp_path / f"d*t?[1]{ending}", identifier="name")
    assert "wrong" not in set(frames(release)[-1]["disease"])
    written = release.write(tmp_path / f"o[u]t*{ending}")
    assert all(file.exists() for file in written.files)


@pytest.mark.parametrize("source", [5, [1, 2], {"age": [1]}, object(), b"source.csv"])
def test_what_is_neither_a_path_nor_a_frame(publish_hybrid: Publisher, source: object) -> None:
    with pytest.raises(SourceError, match="neither a path nor a data frame"):
        publish_hybrid(source)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([[1], [2], [3], [4]]),
        pl.Series([{"a": 1}] * 4),
        pl.Series([b"x"] * 4),
        pl.Series([object()] * 4, dtype=pl.Object),
        pl.Series([None] * 4),
        pl.from_pandas(pd.Series(pd.period_range("2020", periods=4, freq="M"))),
    ],
    ids=["list", "struct", "binary", "object", "null", "period"],
)
@pytest.mark.parametrize("role", ["age", "disease", "name"])
def test_columns_without_single_values(publish_hybrid: Publisher, column: pl.Series, role: str) -> None:
    table = pl.DataFrame({"name": range(4), "age": range(4), "place": "x", "disease": list("abcd")})
    with pytest.raises(MicrodataError, match=f"The column '{role}' holds .*no single values"):
        publish_hybrid(table.with_columns(column.alias(role)), identifier="name")


@pytest.mark.parametrize("kind", ["table", ".parquet", ".arrow"])
def test_types_that_nobody_here_can_read(publish_hybrid: Publisher, kind: str, tmp_path: Path) -> None:
    wide = pa.array([Decimal(number) for number in range(60)], pa.decimal256(50, 2))
    table = people().to_arrow().append_column("wide", wide)
    source: object = table
    if kind != "table":
        source = tmp_path / f"source{kind}"
        (pq.write_table if kind == ".parquet" else feather.write_feather)(table, source)
    with pytest.raises(SourceError, match="cannot be read"):
        publish_hybrid(source, quasi_identifiers=["wide"], drop_others=True)


_UNUSUAL = {
    "infinite day": pl.Series([2**31 - 1], dtype=pl.Int32).cast(pl.Date),
    "infinite moment": pl.Series([2**63 - 1]).cast(pl.Datetime("us")),
    "infinite moment in nanoseconds": pl.Series([2**63 - 1]).cast(pl.Datetime("ns")),
    "year 10183": pl.Series([3_000_000], dtype=pl.Int32).cast(pl.Date),
    "year 10183 in a time zone": pl.Series([3_000_000 * 86_400_000]).cast(pl.Datetime("ms", "Europe/Vienna")),
    "year 0": pl.Series([-719_163], dtype=pl.Int32).cast(pl.Date),
}


@pytest.mark.parametrize("role", ["name", "age", "disease"])
@pytest.mark.parametrize("kind", ["frame", "table", ".parquet", ".arrow"])
@pytest.mark.parametrize("unusual", _UNUSUAL)
def test_dates_that_four_digits_cannot_say(unusual: str, kind: str, role: str, tmp_path: Path) -> None:
    """DuckDB writes infinite dates; polars would show the year 10183 as `+10183`, which nobody else reads as one."""
    last = _UNUSUAL[unusual]
    usual = pl.Series([10, 20, 30], dtype=pl.Int32).cast(pl.Date).cast(last.dtype)
    table = pl.DataFrame({"name": range(4), "age": range(4), "place": "x", "disease": list("abcd")})
    table = table.with_columns(pl.concat([usual, last]).alias(role))
    source: object = table.to_arrow() if kind == "table" else table
    if kind.startswith("."):
        source = tmp_path / f"source{kind}"
        save(table, source)
    with pytest.raises(
        SourceError, match=f"'{role}' holds a date.* infinite, before the year 1 or after the year 9999"
    ):
        Publisher("hybrid", "text")(source, identifier="name")


_LATE = {"s": pa.time32("s"), "ms": pa.time32("ms"), "us": pa.time64("us"), "ns": pa.time64("ns")}


@pytest.mark.parametrize("unit", _LATE)
@pytest.mark.parametrize("kind", ["table", "batch", "pandas", ".parquet", "old.parquet", "DuckDB"])
def test_the_end_of_a_day_is_no_missing_time(kind: str, unit: str, tmp_path: Path) -> None:
    """polars reads 24:00 as a missing value; of those that are one, none is refused."""
    day = 86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    source: object
    for last, refused in ((day, True), (day - 1, False)):
        times = pa.array([None, 0, 1, last], pa.int32() if unit in ("s", "ms") else pa.int64()).cast(_LATE[unit])
        table = pa.table({"at": times, "disease": list("abcd"), "x": [[1, 2]] * 4})
        if kind == "table":
            source = table
        elif kind == "batch":
            source = table.to_batches()[0]
        elif kind == "pandas":
            source = table.to_pandas(types_mapper=pd.ArrowDtype)
        else:
            source = tmp_path / "source.parquet"
            if kind == "DuckDB":
                duckdb.register("late", table)
                duckdb.sql("SELECT * FROM late").write_parquet(str(source))
            else:
                pq.write_table(table, source, row_group_size=2, version="1.0" if kind == "old.parquet" else "2.6")
        wanted = {"quasi_identifiers": ["at"], "drop": ["x"], "missing": "category", "diversity": 1}
        if refused:
            with pytest.raises(SourceError, match="The column 'at' holds a time of day that is 24:00"):
                Publisher("hybrid", "text")(source, **wanted)
        else:
            assert Publisher("hybrid", "text")(source, **wanted).check.rows == 4


def test_missing_times_without_statistics(tmp_path: Path) -> None:
    """Where nobody says how many are missing, those that are read so are."""
    pq.write_table(
        pa.table({"at": pa.array([None, 0], pa.time64("us")), "disease": ["a", "b"]}),
        tmp_path / "source.parquet",
        write_statistics=False,
    )
    wanted = {"quasi_identifiers": ["at"], "missing": "category", "diversity": 1}
    assert Publisher("hybrid", "text")(tmp_path / "source.parquet", **wanted).check.rows == 2


@pytest.mark.parametrize("role", ["age", "disease"])
def test_infinite_numbers(publish_hybrid: Publisher, role: str) -> None:
    table = people().with_columns(pl.Series(role, [float("inf"), *range(59)]))
    said = f"'{role}' holds infinite numbers, which stand nowhere on a line of numbers.* or turn the column into text"
    with pytest.raises(MicrodataError, match=said):
        publish_hybrid(table, identifier="name")
    assert publish_hybrid(table.cast({role: pl.String}), identifier="name").check.rows == 60


def test_pandas_columns_that_are_not_text(publish_hybrid: Publisher) -> None:
    with pytest.raises(SourceError, match="column names that are not text, such as 7"):
        publish_hybrid(people().to_pandas().rename(columns={"name": 7}))


def test_pandas_columns_of_mixed_types(publish_hybrid: Publisher) -> None:
    frame = people(4).to_pandas()
    frame["age"] = pd.Series([1, "two", 3.5, (4,)], dtype=object)
    with pytest.raises(SourceError, match="cannot be read"):
        publish_hybrid(frame, identifier="name")


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "query"])
def test_columns_that_are_dropped_may_be_anything(publish_hybrid: Publisher, kind: str) -> None:
    """Notes of mixed types, or numbers that nobody here can read, do not matter where nobody needs them."""
    if kind == "pandas":
        frame: object = people().to_pandas().assign(note=pd.Series([1, "two"] * 30, dtype=object))
    elif kind == "pyarrow":
        wide = pa.array([Decimal(number) for number in range(60)], pa.decimal256(50, 2))
        frame = people().to_arrow().append_column("note", wide)
    else:
        frame = people().lazy().with_columns(note=pl.col("name").cast(pl.Int64))
    assert publish_hybrid(frame, identifier="name", drop=["note"]).check.rows == 60
    if kind == "pandas":
        with pytest.raises(SourceError, match=r"The column 'note' .* cannot be read"):
            publish_hybrid(frame, quasi_identifiers=["note"], drop_others=True)


def test_a_query_that_fails(publish_hybrid: Publisher) -> None:
    """It is our error that names the data frame, whether it fails when it is made or when it is run."""
    with pytest.raises(SourceError, match=r"data frame cannot be read: .*nothing"):
        publish_hybrid(people().lazy().with_columns(pl.col("nothing")))
    with pytest.raises(SourceError, match=r"data frame cannot be read: .*conversion"):
        publish_hybrid(people().lazy().with_columns(pl.col("place").cast(pl.Int64)), identifier="name")


def test_a_column_of_pandas_is_no_frame(publish_hybrid: Publisher) -> None:
    with pytest.raises(SourceError, match="neither a path nor a data frame"):
        publish_hybrid(people().to_pandas()["age"])


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".xlsx"])
def test_a_pipe(publish_hybrid: Publisher, tmp_path: Path, ending: str) -> None:
    """A file is read more than once; who opened a pipe again would wait for ever."""
    os.mkfifo(tmp_path / f"source{ending}")
    with pytest.raises(SourceError, match="is a pipe or a device"):
        publish_hybrid(tmp_path / f"source{ending}")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_name_that_is_no_text(publish_hybrid: Publisher, tmp_path: Path, ending: str) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9" + ending.encode())
    save(people(), tmp_path / f"cafe{ending}")
    (tmp_path / f"cafe{ending}").rename(file)
    with pytest.raises(SourceError, match=r"caf\\udce9.* is not UTF-8 text\. Rename it\."):
        publish_hybrid(file, identifier="name")
    with pytest.raises(SourceError, match="is not UTF-8 text"):
        publish_hybrid(people(), identifier="name", target=file)
