"""The command line: thin. It parses, calls the library and prints."""

from __future__ import annotations

import io
import os
import signal
import sys

import typer

from ..runs import ENDINGS, left_alone
from . import anonymize, check, compare, demo, evaluate, hierarchy, init, inspect, risk, schema
from .console import INTERRUPTED, left
from .options import version_option

__all__ = ["app", "main"]

app = typer.Typer(
    name="pellucid",
    help="Publish tables about people so that even somebody who knows the program cannot tell who has what.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.callback()(version_option)
app.command("inspect")(inspect.inspect)
app.command("init")(init.init)
app.command("anonymize")(anonymize.anonymize)
app.command("check")(check.check)
app.command("evaluate")(evaluate.evaluate)
app.command("compare")(compare.compare)
app.command("risk")(risk.risk)
app.command("hierarchy")(hierarchy.hierarchy)
app.command("schema")(schema.schema)
app.command("demo")(demo.demo)


def main() -> None:
    """Run the command line; leave with the exit status."""
    for ending in ENDINGS:
        if signal.getsignal(ending) is not signal.SIG_IGN:  # as with nohup
            signal.signal(ending, _interrupt)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name in other letters than it can show must not end a run
        sys.stdout.reconfigure(errors="backslashreplace")
    status = _status()
    if status == INTERRUPTED or left_alone():  # everything is cleaned up; taking gigabytes apart would take its time
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def _status() -> int:
    try:
        status = app(standalone_mode=False)
    except typer.TyperException as problem:
        if message := problem.format_message():
            what = f"{message.rstrip('.')}. See: pellucid --help"
            left(what, "UsageError", problem.exit_code, as_json="--json" in sys.argv)
        return problem.exit_code
    except typer.Exit as leaving:
        return leaving.exit_code
    except KeyboardInterrupt:  # before a command has begun, or when it has said all
        left("Interrupted.", "Interrupted", INTERRUPTED, as_json=False)
        return INTERRUPTED
    return status if isinstance(status, int) else 0


def _interrupt(_signal: int, _frame: object) -> None:
    """Being asked to end, or losing the terminal, is like Ctrl-C: clean up first."""
    raise KeyboardInterrupt
