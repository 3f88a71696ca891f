"""The bytes of text files: compressed ones are unpacked, those in other encodings are rewritten as UTF-8.

Nothing of this happens to plain files. The others are rewritten once into a temporary file that belongs to nobody
else and has no name from the beginning, so that nothing is left of it when the program ends, in whatever way.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import functools
import gzip
import importlib
import io
import lzma
import re
import shutil
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from ..errors import SourceError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["UTF_8", "Content", "written"]

UTF_8 = "utf-8"
_CHUNK_BYTES = 2**20
_GZIP_LEVEL = 6
"""As gzip itself: Python's 9 takes twice the time for hardly less."""
_NOT_ASCII = re.compile(rb"[A-Za-z]{,20}[\x80-\xff][A-Za-z\x80-\xff]{,20}")
_LIKELY = ("windows-1252", "mac-roman", "cp850")
"""Encodings of one byte per character. Any bytes are text in each of them, so that only a person can choose."""


@dataclass(frozen=True)
class Content:
    """What stands in a text file."""

    path: Path
    packing: str = ""
    encoding: str = UTF_8

    def head(self, size: int) -> bytes:
        """The first bytes, unpacked."""
        with self._unpacking() as file:
            return file.read(size)

    @cached_property
    def rewritten(self) -> BinaryIO | None:
        """All of it, unpacked and in UTF-8, in a file of its own; None if the file itself is that already."""
        if not self.packing and self.encoding == UTF_8:
            return None
        with self._in_temporary_folder():
            whole = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - it lives as long as this object does
        weakref.finalize(self, whole.close)
        with self._unpacking() as packed, self._in_temporary_folder():
            if self.encoding == UTF_8:
                shutil.copyfileobj(packed, whole, _CHUNK_BYTES)
            else:
                self._decode(packed, whole)
            whole.flush()
        return whole

    @contextlib.contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Plain text in UTF-8; only its descriptor counts, not where it is read."""
        if self.rewritten is not None:
            self.rewritten.seek(0)
            yield self.rewritten
            return
        with self.path.open("rb", buffering=0) as file:
            yield cast("BinaryIO", file)

    def decoded(self, start: bytes, *, whole: bool) -> str:
        """The first bytes as text. What is wrong in UTF-8 is left to the native reader, which says on which line."""
        errors = "surrogateescape" if self.encoding == UTF_8 else "strict"
        try:
            return codecs.getincrementaldecoder(self.encoding)(errors).decode(start, whole).removeprefix("\ufeff")
        except UnicodeDecodeError as problem:
            before = start[: problem.start].decode(self.encoding, "ignore")
            raise self.not_text(1 + before.count("\n")) from problem
        except UnicodeError as problem:  # what has no mark that says which of two encodings it is
            raise self.not_text(1) from problem

    def not_text(self, line: int) -> SourceError:
        """The error for bytes that are no text; for those that are no UTF-8, with what they may be."""
        name = self.encoding.upper()
        what = f"{self.path} is not {name} text: line {line} holds other bytes."
        if self.encoding != UTF_8:
            return SourceError(what, remedy="Say which encoding it is (--encoding), or save it as UTF-8.")
        meanings = ", ".join(f"{word!r} in {encoding}" for word, encoding in self._meanings(line).items())
        if not meanings:
            return SourceError(what, remedy="Save it with the encoding UTF-8, or say which it is (--encoding).")
        return SourceError(
            f"{what} They would mean {meanings}.",
            remedy="Say which is right, such as --encoding windows-1252, or save it with the encoding UTF-8.",
        )

    def _meanings(self, line: int) -> dict[str, str]:
        """What the first word of a line that is no UTF-8 means in the likely encodings."""
        with self._unpacking() as file:
            for _ in range(line - 1):
                file.readline()
            content = file.readline(_CHUNK_BYTES)
        found: dict[str, str] = {}
        if word := _NOT_ASCII.search(content):
            for encoding in _LIKELY:
                meaning = word[0].decode(encoding, "replace")
                if meaning.isprintable() and "\N{REPLACEMENT CHARACTER}" not in meaning:
                    found.setdefault(meaning, encoding)
        return found

    @contextlib.contextmanager
    def _unpacking(self) -> Iterator[BinaryIO]:
        """The bytes of the file without their compression."""
        try:
            with self.path.open("rb") as file:
                if not self.packing:
                    yield file
                    return
                with _packer(self.packing)(file) as unpacked:
                    yield unpacked
        except EOFError as problem:
            raise SourceError(
                f"{self.path} was cut off: its {self.packing} compression has no end.", remedy="Get it once more."
            ) from problem
        except _faults(self.packing) as problem:
            raise self._damaged() from problem
        except OSError as problem:
            if problem.errno is None:  # so says bz2
                raise self._damaged() from problem
            raise SourceError(f"{self.path} cannot be read: {problem.strerror}.") from problem

    def _damaged(self) -> SourceError:
        return SourceError(
            f"{self.path} cannot be unpacked: it is damaged, or no {self.packing} file as its ending says.",
            remedy="Get it once more, or give it the ending of its format.",
        )

    @contextlib.contextmanager
    def _in_temporary_folder(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            if problem.errno is None:  # what cannot be unpacked is no fault of the folder
                raise
            raise SourceError(
                f"{self.path} cannot be rewritten in the temporary folder: {problem.strerror}.",
                remedy="TMPDIR in the environment names another one.",
            ) from problem

    def _decode(self, packed: BinaryIO, whole: BinaryIO) -> None:
        decoder = codecs.getincrementaldecoder(self.encoding)()
        line = 1
        while True:
            chunk = packed.read(_CHUNK_BYTES)
            held = decoder.getstate()[0]
            try:
                text = decoder.decode(chunk, not chunk)
                whole.write(text.encode())
            except UnicodeError as problem:
                good = (held + chunk)[: problem.start] if isinstance(problem, UnicodeDecodeError) else b""
                raise self.not_text(line + good.decode(self.encoding, "ignore").count("\n")) from problem
            line += text.count("\n")
            if not chunk:
                return


@contextlib.contextmanager
def written(path: Path, packing: str) -> Iterator[BinaryIO]:
    """A file to write plain bytes into; behind them stands, when all are written, the compressed file `path`."""
    if not packing:
        with path.open("wb", buffering=0) as file:  # if this is ended, nobody must open it again
            yield cast("BinaryIO", file)
        return
    with tempfile.TemporaryFile(dir=path.parent, buffering=0) as plain:
        yield cast("BinaryIO", plain)
        plain.seek(0)
        with path.open("wb") as target, _packer(packing, "wb")(target) as packed:
            shutil.copyfileobj(plain, packed, _CHUNK_BYTES)


def _packer(packing: str, mode: str = "rb") -> Any:
    """What packs or unpacks an open file. The same bytes are packed into the same bytes: without a name or a time."""
    if packing == ".gz":
        return lambda file: gzip.GzipFile("", mode, _GZIP_LEVEL, file, mtime=0)
    if packing == ".zst":
        return functools.partial(_zstd().ZstdFile, mode=mode)
    if mode == "rb":
        new = {".bz2": bz2.BZ2Decompressor, ".xz": lzma.LZMADecompressor}[packing]
        return lambda file: io.BufferedReader(_Streams(file, new), _CHUNK_BYTES)
    return functools.partial({".bz2": bz2.BZ2File, ".xz": lzma.LZMAFile}[packing], mode=mode)


class _Streams(io.RawIOBase):
    """A bzip2 or xz file: programs that pack on several cores write many streams, one behind the other.

    Python's own readers take a damaged stream behind the first for the end of the file, and its rows would be missing.
    """

    def __init__(self, file: BinaryIO, new: Callable[[], Any]) -> None:
        super().__init__()
        self._file = file
        self._new = new
        self._stream = new()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """As many bytes as come next; none at the end."""
        room = memoryview(buffer)
        while True:
            packed = b""
            if self._stream.eof:
                packed = self._behind()
                if not packed:
                    return 0
                self._stream = self._new()
            elif self._stream.needs_input:
                packed = self._file.read(_CHUNK_BYTES)
                if not packed:
                    raise EOFError
            if unpacked := self._stream.decompress(packed, len(room)):
                room[: len(unpacked)] = unpacked
                return len(unpacked)

    def _behind(self) -> bytes:
        """The beginning of the next stream; xz may fill up the room before it with zeros."""
        packed: bytes = self._stream.unused_data.lstrip(b"\0")
        while not packed and (more := self._file.read(_CHUNK_BYTES)):
            packed = more.lstrip(b"\0")
        return packed


def _zstd() -> Any:
    return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def _faults(packing: str) -> tuple[type[Exception], ...]:
    """What is raised when something cannot be unpacked."""
    return (gzip.BadGzipFile, zlib.error, lzma.LZMAError, *([_zstd().ZstdError] if packing == ".zst" else []))
