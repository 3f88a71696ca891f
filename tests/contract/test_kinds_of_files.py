"""The same table in files of every kind: the same release, and errors that say what to do about the file."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import pellucid
from pellucid import File, PolicyError, SourceError
from pellucid.sources import open_source
from pellucid.sources.content import written
from tests.contract.publishing import Publisher, files_in, frames, people


def weighed() -> pl.DataFrame:
    """People with a number that has decimals, and codes with leading zeros."""
    return people().with_columns(
        weight=pl.int_range(60) % 7 + pl.lit(0.5), code="0" + (pl.int_range(60) % 5).cast(pl.String)
    )


def as_csv(table: pl.DataFrame, separator: str = ",") -> str:
    return table.write_csv(separator=separator, decimal_comma=separator == ";")


def write_excel(table: pl.DataFrame, file: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet("people")
        for row, values in enumerate([tuple(table.columns), *table.rows()]):
            for column, value in enumerate(values):
                (sheet.write_string if isinstance(value, str) else sheet.write_number)(row, column, value)
        book.add_worksheet("nothing")


def pack(packing: str) -> Callable[[pl.DataFrame, Path], None]:
    def write(table: pl.DataFrame, file: Path) -> None:
        with written(file, packing) as plain:
            plain.write(as_csv(table).encode())

    return write


KINDS: dict[str, tuple[Callable[[pl.DataFrame, Path], object], str, dict[str, str]]] = {
    "plain": (lambda table, file: file.write_text(as_csv(table), "utf-8"), ".csv", {}),
    "semicolons": (lambda table, file: file.write_text(as_csv(table, ";"), "utf-8"), ".csv", {"decimal": ","}),
    "windows-1252": (
        lambda table, file: file.write_bytes(as_csv(table, ";").encode("windows-1252")),
        ".csv",
        {"decimal": ",", "encoding": "windows-1252"},
    ),
    "utf-16": (lambda table, file: file.write_text(as_csv(table, "\t"), "utf-16"), ".csv", {}),
    "apostrophes": (
        lambda table, file: file.write_text(table.write_csv(quote_char="'", quote_style="always"), "utf-8"),
        ".csv",
        {"quote": "'"},
    ),
    "gzip": (pack(".gz"), ".csv.gz", {}),
    "bzip2": (pack(".bz2"), ".csv.bz2", {}),
    "xz": (pack(".xz"), ".CSV.XZ", {}),
    "zstd": (pack(".zst"), ".csv.zst", {}),
    "Excel": (write_excel, ".xlsx", {}),
    "Parquet": (pl.DataFrame.write_parquet, ".parquet", {}),
    "Arrow": (pl.DataFrame.write_ipc, ".arrow", {}),
}


@pytest.mark.parametrize("recoding", ["text", "bounds", "anatomy"])
def test_the_same_table_gives_the_same_release(recoding: str, seed_file: Path, tmp_path: Path) -> None:
    made = {}
    for kind, (write, ending, said) in KINDS.items():
        file = tmp_path / f"{kind}{ending}"
        write(weighed(), file)
        release = Publisher("weave", recoding)(
            File(file, **said),
            quasi_identifiers=["age", "weight", "code"],
            identifier="name",
            drop=["place"],
            seed_file=seed_file,
        )
        release.write(tmp_path / "out.csv")
        made[kind] = [path.read_bytes() for path in sorted(tmp_path.glob("out*.csv"))]
    assert {kind for kind, files in made.items() if files != made["plain"]} == set()


@pytest.mark.parametrize("ending", [".csv.gz", ".csv.bz2", ".tsv.xz", ".tsv.zst", ".xlsx"])
def test_what_is_written_is_read_again(publish_hybrid: Publisher, ending: str, tmp_path: Path) -> None:
    release = publish_hybrid(weighed(), quasi_identifiers=["weight", "code"], identifier="name", drop_others=True)
    files = release.write(tmp_path / f"out{ending}").files
    for file, table in zip(files, frames(release), strict=True):
        source = pellucid.sources.FileSource(File(file))
        found = source.read(source.columns)
        if ending == ".xlsx":
            assert found.equals(table)
        else:
            assert found.cast(pl.String).equals(table.cast(pl.String))


UNPACK = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}


@pytest.mark.parametrize("packing", UNPACK)
def test_what_is_packed_is_the_plain_file(publish_hybrid: Publisher, packing: str, tmp_path: Path) -> None:
    """And nothing else: no name, no time."""
    release = publish_hybrid(people(), identifier="name")
    plain = release.write(tmp_path / "out.csv").files
    packed = release.write(tmp_path / f"out.csv{packing}").files
    for one, other in zip(plain, packed, strict=True):
        assert UNPACK[packing](other.read_bytes()) == one.read_bytes()
        assert other.name == one.name + packing
    if packing == ".gz":
        assert packed[0].read_bytes()[3:8] == bytes(5)  # no flags, no time


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz", ".zst"])
def test_packed_files_that_are_damaged(publish_hybrid: Publisher, packing: str, tmp_path: Path) -> None:
    file = tmp_path / f"source.csv{packing}"
    pack(packing)(people(2000), file)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SourceError, match=r"source\.csv\.\w+ was cut off: .* Get it once more"):
        publish_hybrid(file, identifier="name")
    file.write_bytes(whole[: len(whole) // 2] + bytes(100) + whole[len(whole) // 2 + 100 :])
    with pytest.raises(SourceError, match=r"source\.csv\.\w+ cannot be unpacked: it is damaged"):
        publish_hybrid(file, identifier="name")
    file.write_text("age,place,disease\n")
    with pytest.raises(SourceError, match=r"source\.csv\.\w+ cannot be unpacked: it is damaged, or no .\w+ file"):
        publish_hybrid(file, identifier="name")
    file.write_bytes(b"")
    with pytest.raises(SourceError, match="is empty"):
        publish_hybrid(file, identifier="name")


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("part", [0, 1, 2])
def test_packed_in_several_parts(packing: str, part: int, tmp_path: Path) -> None:
    """As programs do that pack on several cores. No row is left out where a part is damaged."""
    parts = []
    for number, text in enumerate((b"name,place\n" + b"a,x\n" * 999, b"b,y\n" * 40_000, b"c,z\n")):
        file = tmp_path / f"{number}{packing}"
        with written(file, packing) as plain:
            plain.write(text)
        parts.append(file.read_bytes())
    source = tmp_path / f"source.csv{packing}"
    source.write_bytes(b"".join(parts))
    assert open_source(source).read(["name"]).height == 41_000
    if packing == ".xz":  # what stands between the parts of such a file
        source.write_bytes(parts[0] + bytes(8) + parts[1] + parts[2] + bytes(2**20))
        assert open_source(source).read(["name"]).height == 41_000
    parts[part] = b"\1" + parts[part][1:]
    source.write_bytes(b"".join(parts))
    with pytest.raises(SourceError, match=r"source\.csv\.\w+ cannot be unpacked: it is damaged"):
        open_source(source).read(["name"])


@pytest.mark.parametrize(
    ("content", "said", "message"),
    [
        ("a;b\n1;Köln\n".encode("cp1252"), {}, "line 2 holds other bytes. They would mean 'Köln' in windows-1252, .*"),
        (b"a;b\n1;K\x81ln\n", {"encoding": "windows-1252"}, "is not WINDOWS-1252 text: line 2 holds other bytes"),
        ("a,b\n" + "1,x\n" * 300_000 + "1,é\n", {"encoding": "ascii"}, "is not ASCII text: line 300002 holds"),
        ("a,b\n1,é\n".encode("utf-16") + b"x", {}, "is not UTF-16-LE text: line 3 holds other bytes"),
        ("a;b\n1;3,5\n2;4,1\n", {}, "the column 'b' holds texts such as '3,5'.*--decimal , .*--decimal \\. "),
        ("a,b;c\n1,2;3\n", {}, "The column names hold ',' and ';', and the rows can be read with ',' and with ';'"),
        ("a,b;c\n1,2,3\n4;5;6\n", {}, "neither fits all rows: with ',', line 2 has 3 values, .*with ';', line 2 has 1"),
        ("a;b\n1;2\n3,4\n", {}, "line 3: 1 values, but the header names 2 columns.*a semicolon inside a value"),
        ("'a','b'\n'1','2'\n", {}, "begins with an apostrophe.*--quote"),
        ('a,b\n1,2"\n', {"quote": "none", "separator": ";"}, "no column named"),
        ('"a"x,b\n1,2\n', {}, "line 1: a value in quotes goes on"),
        ('"a,b\n1,2\n', {}, "line 1: a value starts with a quote, and no quote closes it"),
        ("a\0,b\n", {"encoding": "utf-8"}, "line 1 holds other bytes"),
    ],
)
def test_text_files_that_cannot_be_understood(
    csv_file: Callable[[str | bytes], Path], content: str | bytes, said: dict[str, str], message: str
) -> None:
    """Each error says which option decides, or which line is to be mended."""
    with pytest.raises((SourceError, PolicyError), match=message):
        pellucid.anonymize(
            File(csv_file(content), **said),
            quasi_identifiers=["a"],
            sensitive="b",
            diversity=1,
            drop_others=True,
        )


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"separator": "ab"}, "separator must be one character"),
        ({"separator": "a"}, "separator must be one character"),
        ({"quote": "x"}, "quote must be one of"),
        ({"encoding": "no such thing"}, "encoding must be the name of an encoding"),
        ({"encoding": "rot13"}, "encoding must be the name of an encoding"),
        ({"encoding": 5}, "encoding must be the name of an encoding"),
        ({"decimal": ";"}, "decimal must be one of"),
        ({"null": "NA"}, "null must be a list of texts"),
        ({"sheet": 0}, "sheet must be a name, or a number from 1"),
        ({"sheet": 1}, "sheet is a setting of Excel files, and .*source.csv is none"),
    ],
)
def test_what_cannot_be_said_of_a_file(csv_file: Callable[[str], Path], said: dict[str, object], message: str) -> None:
    file = csv_file("age,place,disease\n1,a,b\n")
    with pytest.raises(PolicyError, match=message):
        Publisher("hybrid", "text")(File(file, **said), diversity=1)  # type: ignore[arg-type]


def test_what_text_files_are_told_means_nothing_to_others(tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "source.parquet")
    with pytest.raises(PolicyError, match=r"separator is a setting of text files, and .*parquet is none"):
        Publisher("hybrid", "text")(File(tmp_path / "source.parquet", separator=";"), identifier="name")


@pytest.mark.parametrize("kind", ["plain", "semicolons", "Excel", "Parquet"])
def test_texts_that_mean_a_missing_value(kind: str, tmp_path: Path) -> None:
    """Where values repeat and where they do not; the other values are then numbers as without them."""
    write, ending, said = KINDS[kind]
    odd = pl.int_range(60) % 10
    table = weighed().with_columns(
        place=pl.when(odd == 1).then(pl.lit("?")).otherwise("place"),
        name=pl.when(odd == 2).then(pl.lit("NA")).otherwise("name"),
    )
    file = tmp_path / f"source{ending}"
    write(table, file)
    source = pellucid.sources.FileSource(File(file, null=["?", "NA"], **said))
    found = source.read(["place", "name"]).cast(pl.String)
    assert found.null_count().row(0) == (6, 6)
    assert found.fill_null("-").equals(table.select(pl.col("place", "name").replace(["?", "NA"], "-")))


def test_missing_values_in_numbers(csv_file: Callable[[str], Path]) -> None:
    file = csv_file("age;place;disease\n" + "3,5;a;x\n?;a;y\n4,5;b;x\n?;b;y\n")
    release = Publisher("tailor", "bounds")(File(file, decimal=",", null=["?"]), missing="drop", diversity=1)
    assert release.dropped_rows == 2
    assert release.table["age_min"].dtype == pl.Float64


def test_what_is_said_in_a_policy_file_counts(csv_file: Callable[[str], Path], tmp_path: Path) -> None:
    """For its own source and another one; what is said of a file itself overrides it; frames have no dialect."""
    source = csv_file("age|place|disease\n" + "3,5|a|x\n4,5|b|y\n")
    policy = tmp_path / "pellucid.toml"
    policy.write_text('[source]\npath = "source.csv"\ndecimal = ","\nseparator = "|"\n')
    made = {
        "the policy's": Publisher("tailor", "text")(None, policy=policy).table["age"][0],
        "by path": Publisher("tailor", "text")(source, policy=policy).table["age"][0],
        "described": Publisher("tailor", "text")(File(source, decimal="."), policy=policy).table["age"][0],
        "frame": Publisher("tailor", "text")(people(), policy=policy, identifier="name").table["age"].dtype,
    }
    assert made == {
        "the policy's": "[3.5, 4.5]",
        "by path": "[3.5, 4.5]",
        "described": '{"3,5", "4,5"}',
        "frame": pl.String,
    }


def test_what_was_found_out_is_for_the_curator_alone(csv_file: Callable[[str], Path], tmp_path: Path) -> None:
    release = Publisher("tailor", "text")(csv_file("age;place;disease\n3;a;x\n4;b;y\n"))
    assert release.source_unlike == {"separator": ";"}
    manifest = Path(release.write(tmp_path / "out.csv").manifest).read_text()
    assert "separator" not in manifest
    plain = csv_file("age,place,disease\n3,a,x\n4,b,y\n")
    assert Publisher("tailor", "text")(plain).source_unlike == {}
    assert Publisher("tailor", "text")(File(plain, separator=",", encoding="UTF8")).source_unlike == {}


STOPS_WHILE_IT_READS = """
import os, sys, time
import pellucid

def stop(stage, share):
    if stage == "encode":
        print(sorted(os.listdir(sys.argv[2])), flush=True)
        time.sleep(600)

pellucid.anonymize(
    sys.argv[1], quasi_identifiers=["age", "place"], sensitive="disease", diversity=2, identifier="name", monitor=stop
)
"""


def test_nothing_is_left_of_an_unpacked_source(tmp_path: Path) -> None:
    """It has no name while it is read, so that not even a run that is killed leaves a copy of the secrets."""
    pack(".gz")(people(), tmp_path / "source.csv.gz")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-c", STOPS_WHILE_IT_READS, str(tmp_path / "source.csv.gz"), str(temporary)]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as run:
        assert run.stdout is not None
        while_it_reads = run.stdout.readline()
        run.kill()
    assert while_it_reads == "[]\n"
    assert list(temporary.iterdir()) == []
    assert set(files_in(tmp_path)) == {"source.csv.gz"}


@pytest.mark.parametrize("kind", ["gzip", "utf-16"])
def test_a_temporary_folder_without_room(kind: str, tmp_path: Path) -> None:
    write, ending, _ = KINDS[kind]
    file = tmp_path / f"source{ending}"
    write(people(5000), file)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16 * 1024, hard))
    try:
        with pytest.raises(SourceError, match=r"rewritten in the temporary folder: File too large. TMPDIR"):
            Publisher("hybrid", "text")(file, identifier="name")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
