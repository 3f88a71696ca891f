"""What a person sees: results on standard output, progress and problems on standard error."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import typer
from polars.exceptions import PanicException
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ..algorithms import Monitor
from ..errors import OverlapWarning, PellucidError, PolicyError
from .columns import aligned

__all__ = [
    "INTERRUPTED",
    "complain",
    "complaining",
    "guarded",
    "json_text",
    "left",
    "narrow",
    "paragraph",
    "print_json",
    "progress",
    "running",
    "say",
    "show",
]

_STAGES = {
    "read": "reading the source",
    "inspect": "looking at the columns",
    "encode": "encoding",
    "anonymize": "anonymizing",
    "recode": "recoding",
    "write": "writing",
    "verify": "reading back and verifying",
    "report": "writing the report",
}
_NARROW = 76
INTERRUPTED = 130
_BUG = 1


class _Output(Console):
    """Standard output. Of a reader that is gone rich would say nothing, and end the program."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


_out = _Output(highlight=False, markup=False, soft_wrap=True)
_err = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


def say(text: object = "") -> None:
    """A result, on standard output."""
    with _on_standard_output():
        _out.print(text)


def paragraph(text: str, *, indent: int = 0) -> None:
    """Sentences, on standard output: in a terminal broken between words, in a file one line."""
    if _out.is_terminal:
        with _on_standard_output():
            _out.print(Padding(Text(text), (0, 0, 0, indent)), soft_wrap=False)
    else:
        say(Text(" " * indent + text))


def narrow() -> bool:
    """Whether the terminal has no room for a table of many columns."""
    return _out.is_terminal and _out.width < _NARROW


def show(header: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int) -> None:
    """A table whose first columns hold texts and the others numbers: as wide as the terminal, or plain in a file."""
    if not _out.is_terminal:
        say(Text(aligned(header, rows, texts=texts)))
        return
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for number, title in enumerate(header):
        if number < texts:
            table.add_column(Text(title), overflow="fold", min_width=min(len(title), 12))
        else:
            table.add_column(Text(title), justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    with _on_standard_output():
        _out.print(table, soft_wrap=False)


def complain(text: str) -> None:
    """A problem, as one paragraph on standard error."""
    _err.print(f"pellucid: {' '.join(text.split())}")


def print_json(result: Mapping[str, Any]) -> None:
    """The one JSON object on standard output."""
    text = json_text(result)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:  # JSON has escapes of its own
        text = json.dumps(result, indent=2) + "\n"
    with _on_standard_output():
        sys.stdout.write(text)
        sys.stdout.flush()


class _OutputError(PellucidError):
    """Standard output cannot be written."""

    exit_status = 5


@contextmanager
def _on_standard_output() -> Iterator[None]:
    """Standard output may be a file on a full disk, or a pipe that nobody reads any more."""
    try:
        yield
    except OSError as problem:
        with suppress(OSError):  # Python would try once more when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise _OutputError(f"Standard output cannot be written: {problem.strerror or problem}.") from problem


def json_text(result: Mapping[str, Any]) -> str:
    """JSON as it is shown and written: no control character of a value reaches the terminal."""
    text = json.dumps(result, indent=2, ensure_ascii=False)
    return re.sub(r"[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


class SoFar:
    """What a command has done already: whatever goes wrong afterwards does not undo it."""

    published = ""
    """A release, by its name. Who believes that there is none would publish another one (G7)."""

    def __str__(self) -> str:
        if self.published:
            return f"the release was published before that, as {self.published}"
        return "nothing was written"


@contextmanager
def guarded(*, as_json: bool) -> Iterator[SoFar]:
    """Turn whatever goes wrong into one paragraph and an exit status."""
    so_far = SoFar()
    try:
        yield so_far
    except _OutputError as problem:
        what = f"{problem.what} Mind that {so_far}." if so_far.published else problem.what
        raise left(what, type(problem).__name__, problem.exit_status, as_json=False) from None
    except PellucidError as problem:
        details = {} if not isinstance(problem, PolicyError) else {"problems": [p.as_dict() for p in problem.problems]}
        kind = type(problem).__name__
        raise left(str(problem), kind, problem.exit_status, as_json=as_json, details=details) from None
    except KeyboardInterrupt:
        raise left(f"Interrupted: {so_far}.", "Interrupted", INTERRUPTED, as_json=as_json) from None
    except MemoryError:
        what = f"There is not enough memory for this table: {so_far}."
        raise left(what, "MemoryError", 5, as_json=as_json) from None
    except typer.Exit:
        raise
    except (Exception, PanicException) as problem:
        if os.environ.get("PELLUCID_TRACEBACK"):
            raise
        what = (
            f"This is a fault of pellucid ({type(problem).__name__}): {so_far}. Please report it; with"
            " PELLUCID_TRACEBACK=1 in the environment the same command shows where it happened."
        )
        raise left(what, type(problem).__name__, _BUG, as_json=as_json) from None


def left(what: str, kind: str, status: int, *, as_json: bool, details: Mapping[str, Any] | None = None) -> typer.Exit:
    """Say what went wrong, as JSON too if that was asked for."""
    complain(what)
    if as_json:
        print_json({"status": status, "error": {"kind": kind, "message": what, **(details or {})}})
    return typer.Exit(status)


@contextmanager
def complaining(*, quiet: bool) -> Iterator[None]:
    """Warnings of the library are told as they come, as one paragraph each."""

    def tell(message: Warning | str, *_: object, **__: object) -> None:
        if not quiet:
            complain(f"Warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", OverlapWarning)
        warnings.showwarning = tell
        yield


@contextmanager
def progress(*, quiet: bool) -> Iterator[Monitor | None]:
    """A progress bar on standard error, if that is a terminal."""
    if quiet or not _err.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description:<27}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=_err, transient=True) as bar:
        task = bar.add_task("", total=1.0)

        def monitor(stage: str, share: float) -> None:
            bar.update(task, description=_STAGES[stage], completed=share)

        yield monitor


@contextmanager
def running() -> Iterator[Callable[[str], None]]:
    """What is running now, on standard error, if that is a terminal."""
    if not _err.is_terminal:
        yield lambda _: None
        return
    with _err.status("reading the source") as shown:
        yield lambda what: shown.update(f"running {what}")
