"""Tables in and out: files and data frames.

A source names its columns before it reads them, so that a policy can be refused before anything is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..settings import Recoding
from .description import File
from .file_target import FileTarget
from .files import FileSource
from .formats import format_of
from .frames import FrameKind, FrameSource
from .targets import Target

__all__ = ["File", "FileSource", "FrameKind", "FrameSource", "open_release", "open_source", "open_target"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def open_source(source: object, written: Mapping[str, Any] = _NOTHING) -> FileSource | FrameSource:
    """A source from a path, a `File`, or a data frame of pandas, polars, pyarrow or anything that speaks Arrow.

    `written` is what a policy file says in [source]; of a file it counts where the file itself is not described.
    """
    if isinstance(source, str | os.PathLike):
        source = File(source)
    if isinstance(source, File):
        return FileSource(source.over(written))
    return FrameSource(source)


def open_release(release: object) -> FileSource | FrameSource:
    """A released table: its values are labels, and nobody asks which commas are decimal ones."""
    if isinstance(release, str | os.PathLike):
        release = File(release)
    if isinstance(release, File) and release.decimal is None and format_of(Path(release.path)).textual:
        release = replace(release, decimal=".")
    return open_source(release)


def open_target(target: str | os.PathLike[str], recoding: Recoding) -> Target:
    """A target from a path."""
    return FileTarget(Path(target), recoding)
