"""Tables in and out: files, databases and data frames.

A source names its columns before it reads them, so that a policy can be refused before anything is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import PolicyError
from ..settings import Recoding
from .databases import Database, DatabaseSource, DatabaseTarget, address_of
from .description import File
from .file_target import FileTarget
from .files import FileSource
from .formats import format_of
from .frames import FrameKind, FrameSource
from .targets import Target

__all__ = [
    "Database",
    "File",
    "FileSource",
    "FrameKind",
    "FrameSource",
    "Source",
    "open_release",
    "open_source",
    "open_target",
]

Source = FileSource | DatabaseSource | FrameSource

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def open_source(source: object, written: Mapping[str, Any] = _NOTHING) -> Source:
    """A source from a path, a `File`, a `Database`, or a data frame of anything that speaks Arrow.

    `written` is what a policy file says in [source]; it counts where the source itself is not described.
    """
    if database := _database(source, written):
        return DatabaseSource(database)
    if isinstance(source, str | os.PathLike):
        source = File(source)
    if isinstance(source, File):
        if address_of(source.path) is not None:
            raise PolicyError(
                f"{next(iter(source.said), 'File')} is for files, and a database is none.", remedy="Leave it out."
            )
        return FileSource(source.over(written))
    return FrameSource(source)


def open_release(release: object) -> Source:
    """A released table: its values are labels, and nobody asks which commas are decimal ones."""
    if isinstance(release, str | os.PathLike) and address_of(release) is None:
        release = File(release)
    if isinstance(release, File) and release.decimal is None and format_of(Path(release.path)).textual:
        release = replace(release, decimal=".")
    return open_source(release)


def open_target(
    target: str | os.PathLike[str] | Database, recoding: Recoding, written: Mapping[str, Any] = _NOTHING
) -> Target:
    """A target from a path or a `Database`; `written` is what a policy file says in [target]."""
    if database := _database(target, written):
        return DatabaseTarget(database, recoding)
    assert not isinstance(target, Database)  # noqa: S101 - for the type checker
    return FileTarget(Path(target), recoding)


def _database(place: object, written: Mapping[str, Any]) -> Database | None:
    in_one = address_of(place) is not None or "table" in written or "query" in written
    if isinstance(place, str | os.PathLike) and in_one:
        place = Database(place)
    return place.over(written) if isinstance(place, Database) else None
