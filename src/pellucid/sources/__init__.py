"""Tables in and out: files and data frames.

A source names its columns before it reads them, so that a policy can be refused before anything is loaded.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..settings import Recoding
from .file_target import FileTarget
from .files import FileSource
from .frames import FrameKind, FrameSource
from .targets import Target

__all__ = ["FileSource", "FrameKind", "FrameSource", "open_source", "open_target"]


def open_source(source: object) -> FileSource | FrameSource:
    """A source from a path or from a data frame of pandas, polars, pyarrow or anything that speaks Arrow."""
    if isinstance(source, str | os.PathLike):
        return FileSource(source)
    return FrameSource(source)


def open_target(target: str | os.PathLike[str], recoding: Recoding) -> Target:
    """A target from a path."""
    return FileTarget(Path(target), recoding)
