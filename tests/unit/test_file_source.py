"""Text files as tables: some columns as categories, some as texts, and errors that say where to look."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from pellucid.errors import MissingExtraError, SourceError
from pellucid.sources import File, FileSource, formats


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "people.csv"


def test_repeated_values_become_categories_and_distinct_ones_texts(file: Path) -> None:
    table = pl.DataFrame(
        {
            "name": [f'person "{n}"' if n % 2 else f"p,{n}" for n in range(5000)],
            "": [["x", None, ""][n % 3] for n in range(5000)],
            "note": [str(n) if n % 7 else None for n in range(5000)],
            "nothing": pl.Series([None] * 5000, dtype=pl.String),
        }
    )
    table.write_csv(file)
    read = FileSource(file).read(["note", "", "name", "nothing"])
    assert [isinstance(dtype, pl.Enum) for dtype in read.dtypes] == [False, True, False, True]
    assert read.cast(pl.String).equals(table.select("note", "", "name", "nothing"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1,2\n\n", "line 3: 0 values, but the header names 2 columns"),
        ("1,2,3\n", "line 2: 3 values, but the header names 2 columns"),
        ('1,2\n"3"4,5\n', "line 3: a value in quotes goes on after the closing quote"),
        ('1,"2\n3,4\n', "line 2: a value starts with a quote, and no quote closes it"),
        ("1,2\n" * 3000 + "\0,2\n", "not UTF-8 text: line 3002"),
        ("1,2\n3,\udcff\n", "not UTF-8 text: line 3"),
        ('5" pipe,1\n6" pipe,2\n7,3\n', "a quote inside a value that is not in quotes"),
    ],
)
def test_errors_say_on_which_line(file: Path, content: str, message: str) -> None:
    file.write_bytes(f"a,b\n{content}".encode(errors="surrogateescape"))
    with pytest.raises(SourceError, match=message):
        FileSource(file).read(["a"])


def test_quotes_inside_bare_values_are_read_where_values_repeat(file: Path) -> None:
    file.write_text('a,b\n5" pipe,1\n6" pipe,2\n' + '5" pipe,2\n' * 8)
    assert FileSource(file).read(["a"])["a"].to_list() == ['5" pipe', '6" pipe', *['5" pipe'] * 8]


@pytest.mark.parametrize("rows", [4, 400], ids=["texts", "categories"])
def test_a_file_without_quotes(file: Path, rows: int) -> None:
    """A quote is then a character like any other, where values repeat and where they do not."""
    values = ['5" pipe', '""', '"a', "'b'"] * (rows // 4)
    file.write_text("a\tb\n" + "".join(f"{value}\t1\n" for value in values))
    assert FileSource(File(file, separator="tab", quote="none")).read(["a"])["a"].to_list() == values


@pytest.mark.parametrize(("name", "extra"), [("a.xlsx", "excel"), ("a.csv.zst", "zstd")])
def test_formats_that_need_an_extra(monkeypatch: pytest.MonkeyPatch, name: str, extra: str) -> None:
    assert formats.format_of(Path(name)).ending == Path(name.removesuffix(".zst")).suffix
    monkeypatch.setattr(formats, "_MODULES", {k: (*v[:2], ["no_such.module"]) for k, v in formats._MODULES.items()})
    with pytest.raises(MissingExtraError, match=rf"pip install 'pellucid\[{extra}\]'"):
        formats.format_of(Path(name))
    assert formats.format_of(Path("a.csv.gz")) == (".csv", ".gz")
