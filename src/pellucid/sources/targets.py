"""Releases that appear whole or not at all (G9): what every kind of target does, and files that are moved into place.

Files are written under a temporary name in the folder of the target, looked at there, and moved into place at the
end. Whatever goes wrong before, nothing is left under the target's name.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol

import polars as pl

from ..errors import TargetError
from ..passwords import require_file_name
from ..runs import at_once, unheard
from .formats import format_of
from .text import CodedColumn

__all__ = [
    "Coded",
    "ReleaseKind",
    "Staged",
    "Staging",
    "Target",
    "Transaction",
    "explained",
    "require_other",
    "require_place",
    "require_writable",
]

ReleaseKind = Literal["files", "tables"]
"""What a release consists of, where it is published."""


class Coded(Protocol):
    """A table to be written: for every column its distinct values, and for every row which of them it has."""

    @property
    def columns(self) -> Sequence[CodedColumn]: ...  # noqa: D102
    def frame(self) -> pl.DataFrame: ...  # noqa: D102


class Staged(Protocol):
    """A release that is written where nobody sees it yet, and that `Staging.commit` publishes."""

    def write(self, tables: Sequence[Coded], tell: Callable[[float], None]) -> None:
        """Write the tables; `tell` hears which share of one is done."""

    def read_back(self) -> list[pl.DataFrame]:
        """The tables as they were written."""

    def fingerprints(self) -> Mapping[str, Mapping[str, Any]]:
        """What anybody can compare each of them with, by its name."""

    def add_manifest(self, text: str) -> None:
        """Write the manifest beside them."""


class Target(Protocol):
    """Where a release goes."""

    @property
    def kind(self) -> ReleaseKind:
        """What a release is there."""

    @property
    def name(self) -> str:
        """As the report calls it."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it consists of."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that it consists of, in a database."""

    @property
    def manifest(self) -> Path | str:
        """The file or the table of the manifest."""

    @property
    def database(self) -> str | None:
        """The database, if it is one."""

    def require_writable(self, source: Path | None) -> None:
        """Refuse before any work is done what could not be written, or is the source."""

    def shown(self, values: pl.Series) -> pl.Series:
        """Values as they are held there."""

    def staged(self, staging: Staging) -> Staged:
        """Make room for a release that nobody sees yet."""


class Transaction(Protocol):
    """What a database does all at once or not at all."""

    def commit(self) -> None: ...  # noqa: D102
    def close(self) -> None:
        """Take back what was not committed."""


class Staging:
    """A group of files that are moved into place together, perhaps with what is done in a database."""

    def __init__(self) -> None:
        self._temporary: dict[Path, Path] = {}
        self._new: set[Path] = set()
        self._transaction: Transaction | None = None
        self._end = contextlib.ExitStack()

    def __enter__(self) -> Staging:
        return self

    def add(self, target: Path, *, private: bool = False, new: bool = False) -> Path:
        """The temporary name to write `target` under.

        A private file may be read by its owner alone, and a new one never takes the place of another.
        """
        with explained(target):
            _require_plain(target)
            temporary = _aside(target)
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o666))
        self._temporary[target] = temporary
        if new:
            self._new.add(target)
        return temporary

    def attach(self, transaction: Transaction) -> None:
        """Commit this as well; it takes everything back if that does not happen."""
        self._transaction = transaction

    def commit(self) -> None:
        """Move all files into place, once all their bytes are on the disk.

        From the first of them on, until everything is tidied up, nobody is heard: who hears that it was ended takes a
        release for not published, and so would a register.
        """
        for target, temporary in self._temporary.items():
            with explained(target):
                at_once(partial(_flush, temporary))
        self._end.enter_context(unheard())
        if self._transaction is not None:
            self._transaction.commit()
        self._move()

    def _move(self) -> None:
        """Give the files their names, all or none; what stood there before has another one meanwhile."""
        before: dict[Path, Path] = {}
        try:
            for target, temporary in self._temporary.items():
                before[target] = _aside(target)
                with explained(target):
                    if target in self._new:
                        _move_if_new(temporary, target)
                    else:
                        _keep(target, before[target])
                        temporary.replace(target)
        except BaseException:
            for target, old in before.items():
                moved = not self._temporary[target].exists()
                with contextlib.suppress(OSError):  # the first problem is the one to tell
                    if old.exists() and (moved or not target.exists()):
                        old.replace(target)
                    elif moved:
                        target.unlink(missing_ok=True)
            raise
        finally:
            for old in before.values():
                with contextlib.suppress(OSError):
                    old.unlink(missing_ok=True)
        for folder in {target.parent for target in before}:
            with contextlib.suppress(OSError):  # the names are there, also in a folder that nobody may list
                _flush(folder)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._end:
            if self._transaction is not None:
                self._transaction.close()
            for temporary in self._temporary.values():
                with contextlib.suppress(OSError):
                    temporary.unlink(missing_ok=True)


def _aside(target: Path) -> Path:
    """A hidden name beside a target that no other file has."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")


def _keep(target: Path, old: Path) -> None:
    """Give what stands under a name another one too; the other one alone, if the file system has no links."""
    try:
        old.hardlink_to(target)
    except FileNotFoundError:
        pass
    except OSError:
        target.replace(old)


def _move_if_new(temporary: Path, target: Path) -> None:
    """Move a file to where none is, even if somebody else does so at the same moment."""
    try:
        target.hardlink_to(temporary)
    except OSError:  # there is one, or the file system knows no links
        if os.path.lexists(target):
            raise TargetError(
                f"{target} was made by somebody else in the meantime.",
                remedy="Nothing was changed in it. Run it again.",
            ) from None
        temporary.replace(target)
    else:
        temporary.unlink()


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def explained(target: Path) -> Iterator[None]:
    """Turn whatever goes wrong while `target` is written into a `TargetError` that names it."""
    try:
        yield
    except OSError as problem:
        raise _not_written(target, problem.strerror or str(problem)) from problem
    except pl.exceptions.PolarsError as problem:
        raise _not_written(target, str(problem).splitlines()[0]) from problem


def _not_written(target: Path, why: str) -> TargetError:
    return TargetError(f"{target} cannot be written: {why.rstrip('.')}.", remedy="Nothing was written under that name.")


def require_writable(target: Path, source: Path | None) -> None:
    """Refuse a target that cannot be written, or that is the source, before any work is done."""
    format_of(target)
    require_place(target, source)


def require_place(target: Path, source: Path | None) -> None:
    """Refuse a file of any format where none can be written, or that is the source."""
    require_file_name(target)
    with explained(target):
        if source is not None and target.exists() and target.samefile(source):
            raise TargetError(f"The target {target} is the source itself.", remedy="Choose another name.")
        _require_plain(target)
        if not target.parent.is_dir():
            raise TargetError(f"There is no folder {target.parent}.", remedy="Create it first.")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise TargetError(f"{target} cannot be written: permission denied in {target.parent}.")


def require_other(files: Sequence[Path], needed: Sequence[Path]) -> None:
    """Refuse files in whose place a release would take away what the curator needs."""
    for file, other in itertools.product(files, needed):
        with explained(file):
            if file.resolve() == other.resolve() or (file.exists() and other.exists() and file.samefile(other)):
                raise TargetError(
                    f"The target {file} is a file that this run needs itself.", remedy="Choose another name."
                )


def _require_plain(target: Path) -> None:
    """Refuse what a file would take the place of, though nobody means that: folders, links, pipes, devices."""
    if target.is_symlink():
        raise TargetError(
            f"The target {target} is a link to {target.readlink()}.",
            remedy="Name that file itself, or remove the link.",
        )
    if target.is_dir():
        raise TargetError(f"The target {target} is a folder.", remedy="Give the name of a file in it.")
    if target.exists() and not target.is_file():
        raise TargetError(f"The target {target} is a pipe or a device.", remedy="Give the name of a file.")
