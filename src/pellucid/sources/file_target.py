"""A release in files: one, or two by anatomy, and the manifest beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ..errors import TargetError
from ..runs import at_once, side_by_side
from ..settings import Recoding
from ..typed import as_text
from .content import UTF_8, written
from .description import File
from .excel import holds
from .files import FileSource, write_table
from .formats import EXCEL, Format, format_of, split_name
from .targets import Coded, ReleaseKind, Staging, explained, require_place, require_writable
from .text import write_text

__all__ = ["FileTarget", "fingerprint", "manifest_path", "target_files"]


class FileTarget:
    """The files that a release is written to; the ending decides their format."""

    kind: ReleaseKind = "files"
    tables: tuple[str, ...] = ()
    database: str | None = None

    def __init__(self, path: Path, recoding: Recoding) -> None:
        self._format = format_of(path)
        self.name = path.name
        self.files = target_files(path, recoding)
        self.manifest = manifest_path(path)

    def require_writable(self, source: Path | None) -> None:
        """Refuse a file that cannot be written, or that is the source, before any work is done."""
        for file in self.files:
            require_writable(file, source)
        require_place(self.manifest, source)

    def shown(self, values: pl.Series) -> pl.Series:
        """Values as these files hold them: text files hold texts, and Excel files nearly everything else."""
        as_they_are = holds(values) if self._format.ending == EXCEL else not self._format.textual
        return values if as_they_are else as_text(values)

    def staged(self, staging: Staging) -> _Staged:
        """The same files under temporary names."""
        return _Staged(self, staging, [staging.add(file) for file in self.files], self._format)


class _Staged:
    def __init__(self, target: FileTarget, staging: Staging, paths: Sequence[Path], form: Format) -> None:
        self._target = target
        self._staging = staging
        self._paths = paths
        self._format = form

    def write(self, tables: Sequence[Coded], tell: Callable[[float], None]) -> None:
        """Write each table to its file."""
        for table, file, path in zip(tables, self._target.files, self._paths, strict=True):
            tell(0.0)
            with explained(file):
                self._write(table, path, tell)

    def _write(self, table: Coded, path: Path, tell: Callable[[float], None]) -> None:
        with written(path, self._format.packing) as file:
            if self._format.textual:
                _require_text(table)
                write_text(file, self._format.separator, table.columns, tell)
            else:
                at_once(lambda: write_table(file, self._format, table.frame()))

    def read_back(self) -> list[pl.DataFrame]:
        """What stands in the files now."""
        return [self._read(path) for path in self._paths]

    def _read(self, path: Path) -> pl.DataFrame:
        file = File(path)
        if self._format.textual:  # as it was written; nothing is found out
            file = File(path, separator=self._format.separator, quote='"', encoding=UTF_8, decimal=".")
        table = FileSource(file, form=self._format)
        return table.read(table.columns)

    def fingerprints(self) -> Mapping[str, Mapping[str, Any]]:
        """The fingerprint of each file by its name."""
        found = at_once(lambda: side_by_side(fingerprint, self._paths))
        return {file.name: each for file, each in zip(self._target.files, found, strict=True)}

    def add_manifest(self, text: str) -> None:
        """Write the manifest beside them."""
        beside = self._target.manifest
        with explained(beside):
            self._staging.add(beside).write_text(text, encoding="utf-8")


def _require_text(table: Coded) -> None:
    """Refuse what no program takes for text."""
    for column in table.columns:
        if "\0" in column.name or column.values.str.contains("\0", literal=True).any():
            raise TargetError(
                f"A text file cannot hold the character NUL, which stands in {column.name!r}.", remedy="Write .parquet."
            )
    if (name := table.columns[0].name).startswith("\ufeff"):
        raise TargetError(
            f"A text file cannot begin with {name!r}: the byte order mark would not be taken for part of the name.",
            remedy="Rename that column in the source.",
        )


def target_files(target: Path, recoding: Recoding) -> tuple[Path, ...]:
    """The files of a release: one, or two by anatomy."""
    if recoding == "mbr":
        return (target,)
    stem, ending = split_name(target)
    return tuple(target.with_name(f"{stem}.{part}{ending}") for part in ("qi", "sensitive"))


def manifest_path(target: Path) -> Path:
    """Where the manifest of a release stands: beside it."""
    return target.with_name(f"{target.name}.manifest.json")


def fingerprint(path: Path) -> dict[str, Any]:
    """The size of a file, and the SHA-256 of its bytes."""
    with path.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}
