"""`pellucid demo`: a hospital table, published and verified, with a look at it before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.table import Table

from ..hospital import QUASI_IDENTIFIERS, hospital
from ..release import anonymize
from ..sources.targets import Staging, explained
from .anonymize import summary
from .console import guarded, progress, say

__all__ = ["demo"]

_SENSITIVE, _IDENTIFIER, _DIVERSITY = "disease", "patient", 4


def demo(
    *,
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Where to put the two tables; made if it is not there.")
    ] = Path("pellucid-demo"),
) -> None:
    """Make up a hospital table, publish it with Weave, verify what was written, and show it before and after."""
    with guarded(as_json=False) as so_far:
        source, target = folder / "hospital.csv", folder / "published.csv"
        patients = hospital()
        with explained(source):
            folder.mkdir(parents=True, exist_ok=True)
        with Staging() as staging, explained(source):
            patients.write_csv(staging.add(source))
            staging.commit()
        say(f"{source}: {patients.height:,} patients of a hospital that does not exist.\n")
        say(
            f"$ pellucid anonymize {source} -o {target} -q {','.join(QUASI_IDENTIFIERS)} -s {_SENSITIVE}"
            f" -l {_DIVERSITY} --identifier {_IDENTIFIER}"
        )
        with progress(quiet=False) as monitor:
            release = anonymize(
                source,
                quasi_identifiers=QUASI_IDENTIFIERS,
                sensitive=_SENSITIVE,
                diversity=_DIVERSITY,
                identifier=_IDENTIFIER,
                monitor=monitor,
            )
            written = release.write(target)
            so_far.published = str(target)
        say(summary(release, written))
        _show_before_and_after(patients, release.table)
        say(
            f"\nWhoever knows a patient's {', '.join(QUASI_IDENTIFIERS[:-1])} and {QUASI_IDENTIFIERS[-1]}, the whole"
            f" program and its settings\nstill ties no disease to that patient with more than {1 / _DIVERSITY:.1%}"
            " confidence.\n\nNow your own table:"
            "\n$ pellucid anonymize YOUR.csv -o PUBLISHED.csv -q COLUMNS,PEOPLE,KNOW -s COLUMN -l 8"
            " --identifier COLUMN --drop-others"
        )


def _show_before_and_after(patients: pl.DataFrame, released: pl.DataFrame) -> None:
    groups = released.group_by(QUASI_IDENTIFIERS).len().filter(pl.col("len") == pl.col("len").min())
    group = groups.sort(QUASI_IDENTIFIERS)[groups.height // 2]
    say()
    say(_table("Before: the first patients of the source", patients.head(_DIVERSITY)))
    say()
    say(
        _table(
            "After: one of the smallest groups of the release",
            released.join(group, on=QUASI_IDENTIFIERS, how="semi"),
        )
    )


def _table(title: str, rows: pl.DataFrame) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in rows.columns:
        table.add_column(name, overflow="fold")
    for row in rows.iter_rows():
        table.add_row(*map(str, row))
    return table
