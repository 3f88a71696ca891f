"""Which format a file has: its ending says so, with that of a compression behind it, as in `patients.csv.gz`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import NamedTuple

from ..errors import MissingExtraError, SourceError, listed
from ..shown import printable

__all__ = ["ENDINGS", "EXCEL", "PACKINGS", "SEPARATORS", "Format", "format_of", "split_name"]

SEPARATORS = {".csv": ",", ".tsv": "\t"}
EXCEL = ".xlsx"
ENDINGS = (*SEPARATORS, ".parquet", ".arrow", ".feather", ".ipc", EXCEL)
PACKINGS = (".gz", ".bz2", ".xz", ".zst")
"""Text files may be compressed; the other formats are so by themselves."""

_MODULES = {
    EXCEL: ("excel", "Excel files", ("python_calamine", "xlsxwriter")),
    ".zst": ("zstd", "zstd files", ("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",)),
}


class Format(NamedTuple):
    """The format of a file, in lower case."""

    ending: str
    packing: str = ""
    """The ending of the compression, if there is one."""

    @property
    def textual(self) -> bool:
        """Whether it is text, of which everybody has to be told how it is to be read."""
        return self.ending in SEPARATORS

    @property
    def separator(self) -> str:
        """What separates the values of a text file that pellucid writes."""
        return SEPARATORS[self.ending]


def format_of(path: Path) -> Format:
    """The format that the ending of a file says."""
    try:
        str(path).encode()
    except UnicodeEncodeError:  # nor could a manifest name it
        raise SourceError(f"The name of {printable(str(path))} is not UTF-8 text.", remedy="Rename it.") from None
    _, whole = split_name(path)
    ending, _, packing = whole.lower().removeprefix(".").partition(".")
    form = Format(f".{ending}", f".{packing}" if packing else "")
    if form.ending not in ENDINGS:
        raise SourceError(
            f"{path} has the ending {path.suffix.lower()!r}, which is no format that pellucid reads or writes.",
            remedy=f"Use one of {listed(ENDINGS, most=99)}; text files may be compressed ({', '.join(PACKINGS)}).",
        )
    for part in form:
        extra, what, modules = _MODULES.get(part, ("", "", ()))
        if not all(_is_installed(module) for module in modules):
            raise MissingExtraError(f"{path} needs what reads and writes {what}.", extra=extra)
    return form


def split_name(path: Path) -> tuple[str, str]:
    """The name of a file without its ending, and the ending, with that of a compression: `patients`, `.csv.gz`."""
    inner = Path(path.stem)
    if path.suffix.lower() in PACKINGS and inner.suffix.lower() in SEPARATORS:
        return inner.stem, inner.suffix + path.suffix
    return path.stem, path.suffix


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that the module is in
        return False
