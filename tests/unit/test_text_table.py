"""The native reader and writer of text files: sizes, faults and failures that small random tables do not reach."""

from __future__ import annotations

import errno
import os
import random
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pellucid import _native
from tests.property.csv_files import parse, read_native, write_native

_HEADER = b"age,place\n"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"1,2\n3\n", ("width", 3, 1)),
        (b"1,2\n3,4,5\n", ("width", 3, 3)),
        (b"1,2\n\n3,4\n", ("width", 3, 0)),
        (b"1,2\r\n\r\n", ("width", 3, 0)),
        (b'"1\n\n",2\n3\n', ("width", 5, 1)),
        (b'"1"2,3\n', ("after_quote", 2, 0)),
        (b'1,"2\r3"\r4\n', ("after_quote", 2, 0)),
        (b'1,2\n3,"4\n5,6\n', ("open_quote", 3, 0)),
        (b"1,2\n3,K\xf6ln\n", ("not_text", 3, 0)),
        (b"1,2\n3,\0\n", ("not_text", 3, 0)),
        (b"1,2\n3,\xe2\x82", ("not_text", 3, 0)),
    ],
)
@pytest.mark.parametrize("rows_before", [0, 5000])
@pytest.mark.parametrize("chunk_bytes", [7, 2**20])
def test_faults_name_the_line(content: bytes, fault: tuple[str, int, int], rows_before: int, chunk_bytes: int) -> None:
    kind, line, fields = fault
    rows_behind = b"7,8\n" * 500
    for end in (b"", rows_behind) if content.endswith(b"\n") else (b"",):
        with pytest.raises(_native.TextError) as caught:
            read_native(_HEADER + b"1,Ulm\n" * rows_before + content + end, 2, [0], chunk_bytes=chunk_bytes)
        assert caught.value.args == (kind, line + rows_before, fields)


def test_the_first_fault_of_several_is_named() -> None:
    content = _HEADER + b"1,2\n" * 100 + b"3\n" + b"1,2\n" * 100 + b"\xff,4\n" + b'"5\n'
    for chunk_bytes in (1, 3, 50, 500, 5000):
        for threads in (1, 2, 5):
            with pytest.raises(_native.TextError) as caught:
                read_native(content, 2, chunk_bytes=chunk_bytes, threads=threads)
            assert caught.value.args == ("width", 102, 1)


def test_a_header_of_another_width() -> None:
    with pytest.raises(_native.TextError) as caught:
        read_native(_HEADER, 3)
    assert caught.value.args == ("width", 1, 2)


@pytest.mark.parametrize("size", [4000, 4090, 100_000, 3_000_000])
@pytest.mark.parametrize("form", ['"{}"', "{}"])
def test_values_longer_than_chunks_and_buffers(size: int, form: str) -> None:
    value = "abcdefg\n" * (size // 8) if form.startswith('"') else "x" * size
    rows = [[value, "1"], [value[-9:], "2"], [value + "y", "3"], [value, "4"]]
    content = "a,b\n" + "".join(f"{form.format(a)},{b}\n" for a, b in rows)
    for chunk_bytes in (999, 2**16, 2**23):
        assert read_native(content.encode(), 2, chunk_bytes=chunk_bytes).rows == rows
    assert write_native(["a", "b"], rows, block_rows=2) == content.encode()


@pytest.mark.parametrize("values", [255, 256, 257, 65_535, 65_536, 65_537, 200_000])
@pytest.mark.parametrize("missing", [False, True])
def test_codes_become_wider_as_values_become_more(values: int, missing: bool) -> None:
    column = [f"value {n}" if n % 2 else str(n) for n in range(values)] + [None] * missing
    content = "a,b\n" + "".join(f"{text or ''},\n" for text in column)
    for chunk_bytes in (10_000, 2**24):
        assert read_native(content.encode(), 2, [0], chunk_bytes=chunk_bytes).columns == [column]


def test_many_rows_and_line_ends_in_quotes() -> None:
    """Most chunks start inside quotes, where the guess at the first row is wrong."""
    draw = random.Random(5)
    parts = ["a", ",", "\n", "\n", '""', "bcdefgh", "\n1,2,3\n"]
    lines = ('"{}",{},"{}"\n'.format("".join(draw.choices(parts, k=9)), n % 300, "\n" * (n % 3)) for n in range(20_000))
    content = ("a,b,c\n" + "".join(lines)).encode()
    expected = parse(content, 3)
    for threads in (1, 2, 5):
        for chunk_bytes in (100, 5000, 2**20):
            assert read_native(content, 3, chunk_bytes=chunk_bytes, threads=threads).rows == expected


def _write(descriptor: int, **changes: Any) -> None:
    rows = 300_000
    usual: dict[str, Any] = {
        "names": ["a"],
        "texts": [["some text that is long enough", None]],
        "codes": [np.zeros(rows, np.uint8)],
        "block_rows": 1000,
        "threads": 2,
        "run": _native.Run(),
    } | changes
    _native.write_text(descriptor, ",", usual.pop("names"), usual.pop("texts"), usual.pop("codes"), **usual)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_an_error_of_the_system() -> None:
    with Path("/dev/full").open("wb", buffering=0) as file, pytest.raises(OSError, match="No space") as caught:
        _write(file.fileno())
    assert caught.value.errno == errno.ENOSPC


def test_a_disk_that_becomes_full(tmp_path: Path) -> None:
    """In the middle of the file, while other threads prepare what comes next."""
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, limits[1]))
    try:
        with (tmp_path / "out.csv").open("wb", buffering=0) as file, pytest.raises(OSError, match="large") as caught:
            _write(file.fileno(), threads=5)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert caught.value.errno == errno.EFBIG


def test_a_file_that_cannot_be_read_or_became_shorter() -> None:
    with tempfile.TemporaryFile() as file:
        file.write(_HEADER)
        file.flush()
        for descriptor, size, code in ((file.fileno(), 100, errno.EIO), (10**6, 5, errno.EBADF)):
            with pytest.raises(OSError, match=re.escape(os.strerror(code))) as caught:
                _native.read_text(
                    descriptor, size, ",", 2, [], quote='"', stop=size, chunk_bytes=9, threads=2, run=_native.Run()
                )
            assert caught.value.errno == code


def test_a_run_that_is_cancelled_stops() -> None:
    run = _native.Run()
    run.cancel()
    with tempfile.TemporaryFile() as file, pytest.raises(_native.Cancelled):
        _write(file.fileno(), run=run)
    with tempfile.TemporaryFile() as file:
        size = file.write(_HEADER * 1000)
        file.flush()
        with pytest.raises(_native.Cancelled):
            _native.read_text(file.fileno(), size, ",", 2, [], quote='"', stop=size, chunk_bytes=9, threads=2, run=run)


@pytest.mark.parametrize(
    "changes",
    [
        {"codes": [np.zeros(3, np.int64)]},
        {"codes": [np.full(3, 2, np.uint8)]},
        {"codes": [np.zeros(3, np.uint8)] * 2},
        {"texts": []},
        {"names": []},
        {"threads": 0},
        {"block_rows": 0},
    ],
)
def test_what_the_writer_refuses(changes: dict[str, Any]) -> None:
    with tempfile.TemporaryFile() as file:
        with pytest.raises(ValueError, match=r"\."):
            _write(file.fileno(), **changes)
        assert not file.read()


@pytest.mark.parametrize("numbers", [[2], [0, 0]])
def test_what_the_reader_refuses(numbers: list[int]) -> None:
    with pytest.raises(ValueError, match="numbers"):
        read_native(_HEADER, 2, numbers)
