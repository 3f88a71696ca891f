"""A release in files: one, or two by anatomy, and the manifest beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ..runs import at_once, side_by_side
from ..settings import Recoding
from ..typed import as_text
from .files import SEPARATORS, FileSource, format_of, write_table
from .targets import Coded, ReleaseKind, Staging, explained, require_writable
from .text import write_text

__all__ = ["FileTarget", "fingerprint", "manifest_path", "target_files"]


class FileTarget:
    """The files that a release is written to; the ending decides their format."""

    kind: ReleaseKind = "files"

    def __init__(self, path: Path, recoding: Recoding) -> None:
        self._format = format_of(path)
        self.name = path.name
        self.files = target_files(path, recoding)
        self.manifest = manifest_path(path)

    def require_writable(self, source: Path | None) -> None:
        """Refuse a file that cannot be written, or that is the source, before any work is done."""
        for file in self.files:
            require_writable(file, source)

    def shown(self, values: pl.Series) -> pl.Series:
        """Values as these files hold them: text files hold texts."""
        return as_text(values) if self._format in SEPARATORS else values

    def staged(self, staging: Staging) -> _Staged:
        """The same files under temporary names."""
        return _Staged(self, staging, [staging.add(file) for file in self.files], self._format)


class _Staged:
    def __init__(self, target: FileTarget, staging: Staging, paths: Sequence[Path], ending: str) -> None:
        self._target = target
        self._staging = staging
        self._paths = paths
        self._format = ending

    def write(self, tables: Sequence[Coded], tell: Callable[[float], None]) -> None:
        """Write each table to its file."""
        for table, file, path in zip(tables, self._target.files, self._paths, strict=True):
            tell(0.0)
            with explained(file):
                self._write(table, path, tell)

    def _write(self, table: Coded, path: Path, tell: Callable[[float], None]) -> None:
        if self._format in SEPARATORS:
            write_text(path, SEPARATORS[self._format], table.columns, tell)
        else:
            with path.open("wb", buffering=0) as file:  # if this is ended, nobody must open it again
                at_once(lambda: write_table(file, self._format, table.frame()))

    def read_back(self) -> list[pl.DataFrame]:
        """What stands in the files now."""
        written = [FileSource(path, ending=self._format) for path in self._paths]
        return [source.read(source.columns) for source in written]

    def fingerprints(self) -> Mapping[str, Mapping[str, Any]]:
        """The fingerprint of each file by its name."""
        found = at_once(lambda: side_by_side(fingerprint, self._paths))
        return {file.name: each for file, each in zip(self._target.files, found, strict=True)}

    def add_manifest(self, text: str) -> None:
        """Write the manifest beside them."""
        beside = self._target.manifest
        with explained(beside):
            self._staging.add(beside).write_text(text, encoding="utf-8")


def target_files(target: Path, recoding: Recoding) -> tuple[Path, ...]:
    """The files of a release: one, or two by anatomy."""
    if recoding == "mbr":
        return (target,)
    return tuple(target.with_name(f"{target.stem}.{part}{target.suffix}") for part in ("qi", "sensitive"))


def manifest_path(target: Path) -> Path:
    """Where the manifest of a release stands: beside it."""
    return target.with_name(f"{target.name}.manifest.json")


def fingerprint(path: Path) -> dict[str, Any]:
    """The size of a file, and the SHA-256 of its bytes."""
    with path.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}
