"""How a text file is written: what separates its values, what stands around them, and its encoding.

What the curator does not say is found out from the file, and only where nothing else can be meant: of a table of two
columns or more that is written in one of the dialects looked for, either the right one is found or none. What could be
read in two ways is an error that names the option to decide it with.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ..errors import SourceError
from .content import UTF_8, Content
from .description import File
from .formats import Format
from .text import TextFault, read_text

__all__ = ["Dialect", "dialect_of"]

_CANDIDATES = (",", ";", "\t", "|")
_HEAD_BYTES = 2**16
_SAMPLE_BYTES = 2**20
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_NAMES = {"\t": "tab", " ": "space"}
_MARKS = {
    b"\xff\xfe\0\0": "utf-32-le",
    b"\0\0\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}
_OTHER_FORMATS = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\x1f\x8b": "a gzip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ\0": "an xz file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"PK\x03\x04": "an Excel or zip file",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old or encrypted Excel file",
}


class Dialect(NamedTuple):
    """How a text file is to be read, and its column names."""

    separator: str
    quote: str
    content: Content
    columns: list[str]

    def unlike(self, form: Format) -> dict[str, str]:
        """What is not as in the files that pellucid writes."""
        found = {}
        if self.separator != form.separator:
            found["separator"] = self.separator
        if self.quote != '"':
            found["quote"] = self.quote or "none"
        if self.content.encoding != UTF_8:
            found["encoding"] = self.content.encoding
        return found


def dialect_of(file: File, form: Format) -> Dialect:
    """What the curator says of a file, and what it says itself."""
    content = Content(Path(file.path), form.packing)
    start = content.head(4096)
    if not start:
        raise SourceError(f"{content.path} is empty.", remedy="It needs a line of column names and at least one row.")
    content = replace(content, encoding=_encoding(content, start) if file.encoding is None else _known(file.encoding))
    quote = file.quote_character
    if quote is None:
        quote = '"'
        if content.decoded(start, whole=False).startswith("'"):
            raise SourceError(
                f"{content.path} begins with an apostrophe: the column names may stand in apostrophes, or hold them.",
                remedy="Say what stands around values: --quote \"'\", or --quote '\"' as usual.",
            )
    separator = file.separator_character
    if separator is None:
        separator = _separator(content, quote) if form.ending == ".csv" else form.separator
    return Dialect(separator, quote, content, _names(content, separator, quote))


def _known(encoding: str) -> str:
    """The encoding by the name that was given, but UTF-8, which needs no rewriting, by one of all its names."""
    return UTF_8 if codecs.lookup(encoding).name == UTF_8 else encoding


def _encoding(content: Content, start: bytes) -> str:
    """UTF-8, or what the first bytes say; and that the file is text at all."""
    for mark, encoding in _MARKS.items():
        if start.startswith(mark):
            return encoding
    for magic, meaning in _OTHER_FORMATS.items():
        if start.startswith(magic):
            raise SourceError(
                f"{content.path} is {meaning}, not UTF-8 text as its ending says.",
                remedy="Give it the ending of its format, or save it as UTF-8 text.",
            )
    if b"\0" in start:
        raise SourceError(
            f"{content.path} is a binary file, not a table in UTF-8 text as its ending says.",
            remedy="If it is text in UTF-16, say so: --encoding utf-16-le (or utf-16-be).",
        )
    try:
        codecs.getincrementaldecoder(UTF_8)().decode(start)
    except UnicodeDecodeError as problem:
        raise content.not_text(1 + start.count(b"\n", 0, problem.start)) from problem
    return UTF_8


def _separator(content: Content, quote: str) -> str:
    """What separates the names in the header, and then the values of the first rows.

    A table of several columns has a header of several names, if it is read as it was written. Where only one separator
    makes several names of it, it is that one; where none does, there is one column.
    """
    possible = {}
    for separator in _CANDIDATES:
        try:
            width = len(_names(content, separator, quote))
        except SourceError:
            continue  # if it was meant, reading says what is wrong
        if width > 1:
            possible[separator] = width
    if len(possible) < 2:
        return next(iter(possible), ",")
    fitting, problems = [], []
    for separator, width in possible.items():
        try:
            read_text(content, separator, quote, width, [], stop=_SAMPLE_BYTES)
        except TextFault as fault:
            problems.append(f"with {_named(separator)}, {fault.where}")
        else:
            fitting.append(separator)
    if len(fitting) == 1:
        return fitting[0]
    found = " and ".join(_named(separator) for separator in possible)
    why = (
        "neither fits all rows: " + "; ".join(problems)
        if not fitting
        else f"the rows can be read with {' and with '.join(_named(separator) for separator in fitting)}"
    )
    raise SourceError(
        f"{content.path}: what separates the values is not clear. The column names hold {found}, and {why}.",
        remedy=f"Say which it is, such as --separator {_named(next(iter(fitting or possible)))}.",
    )


def _named(separator: str) -> str:
    return _NAMES.get(separator, f"'{separator}'")


def _names(content: Content, separator: str, quote: str) -> list[str]:
    """The fields of the first row, which must be column names."""
    size = _HEAD_BYTES
    while True:
        start = content.head(size)
        whole = len(start) < size
        names = _first_row(content, content.decoded(start, whole=whole), separator, quote, whole=whole)
        if names is not None:
            break
        size *= 16
    if any(_NO_TEXT.search(name) for name in names):
        raise content.not_text(1)
    if not names:
        raise SourceError(f"{content.path} does not begin with a line of column names.")
    return names


def _first_row(content: Content, text: str, separator: str, quote: str, *, whole: bool) -> list[str] | None:
    """The fields of the first row, as native/text_reader.hpp has it; None if the row goes on behind the text."""
    if whole and not text.endswith("\n"):
        text += "\n"
    fields: list[str] = []
    if text.startswith(("\n", "\r\n")):
        return fields
    at = 0
    while True:
        stands = bool(quote) and text.startswith(quote, at)
        found = _in_quotes(text, at + 1, quote) if stands else _bare(text, at, separator)
        if found is None:
            if whole:
                raise TextFault(content.path, separator, "open_quote", 1 + text.count("\n", 0, at))
            return None
        field, at = found
        if not text.startswith((separator, "\n"), at):
            raise TextFault(content.path, separator, "after_quote", 1 + text.count("\n", 0, at))
        fields.append(field)
        if text[at] == "\n":
            return fields
        at += 1


def _bare(text: str, start: int, separator: str) -> tuple[str, int] | None:
    """The field that starts here and where it ends, if it does."""
    ends = [end for end in (text.find(separator, start), text.find("\n", start)) if end >= 0]
    if not ends:
        return None
    end = min(ends)
    return (text[start:end].removesuffix("\r") if text[end] == "\n" else text[start:end]), end


def _in_quotes(text: str, start: int, quote: str) -> tuple[str, int] | None:
    """The field that starts here, behind its opening quote, and where it ends, if it does."""
    field = ""
    while (end := text.find(quote, start)) >= 0:
        field += text[start:end]
        behind = end + 1
        if not text.startswith(quote, behind):
            return (
                None if text[behind : behind + 2] in ("", "\r") else (field, behind + text.startswith("\r\n", behind))
            )
        field += quote
        start = behind + 1
    return None
