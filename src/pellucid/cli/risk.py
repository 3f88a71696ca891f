"""`pellucid risk`: what somebody learns from a release who knows the program and everybody's quasi-identifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ..adversary import Audit, DisclosureRisk, disclosure_risk, sampled_audit
from ..adversary.exact import LIMIT
from ..algorithms import ALGORITHMS
from ..attributes import FIELDS
from ..errors import PolicyError, listed
from ..joint import name_of
from ..policy import Policy
from ..policy_file import read_policy_file
from ..shown import printable
from .console import complain, guarded, print_json, say
from .described import Decimal, Encoding, Null, Query, Quote, Separator, Sheet, described
from .described import Table as InTable
from .evaluate import PolicyFile
from .options import (
    SWITCH,
    Anonymity,
    Diversity,
    Grids,
    Hierarchies,
    Joint,
    Json,
    Missing,
    QuasiIdentifiers,
    Recoding,
    Sensitive,
    SensitiveOrder,
    Styles,
    columns,
    lines,
    names,
    of_columns,
    steps,
)

__all__ = ["risk"]

_SHOWN = 20


def risk(
    *,
    release: Annotated[
        Path | None,
        typer.Argument(metavar="[RELEASE]", help="A released file; of an anatomy, the name it was written under."),
    ] = None,
    external: Annotated[
        str | None,
        typer.Option("--external", metavar="E", help="Everybody who may be in the table: identifier and QI values."),
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option("--sample", metavar="SOURCE", help="Instead: estimate the risks of publishing this table."),
    ] = None,
    table: InTable = None,
    query: Query = None,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    joint: Joint = None,
    diversity: Diversity = None,
    identifier: Annotated[
        str | None, typer.Option("--identifier", metavar="ID", help="The column that names the person.")
    ] = None,
    algorithm: Annotated[
        str | None, typer.Option("--algorithm", metavar="NAME", help="What the release was made with.")
    ] = None,
    recoding: Recoding = None,
    missing: Missing = None,
    hierarchy: Hierarchies = None,
    style: Styles = None,
    grid: Grids = None,
    sensitive_order: SensitiveOrder = None,
    anonymity: Anonymity = None,
    protected: Annotated[
        list[str] | None,
        typer.Option(
            "--protected",
            metavar="V,W",
            help="Of mask: the values of S that it bounds \\[default: all]. One that the release does not show is taken"
            " as replaced wherever it was.",
        ),
    ] = None,
    separator: Separator = None,
    quote: Quote = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    null: Null = None,
    sheet: Sheet = None,
    policy: PolicyFile = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", help="The most runs of the algorithm for an exact answer.")
    ] = LIMIT,
    chain: Annotated[
        int, typer.Option("--steps", metavar="N", help="With --sample: the steps of each of four chains.")
    ] = 100_000,
    everybody: Annotated[
        bool, typer.Option("--all", metavar=SWITCH, help=f"Show everybody, not the first {_SHOWN}.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say for everybody in E how sure an adversary can be of their sensitive value, exactly or by sampling."""
    with guarded(as_json=as_json):
        if [source is not None for source in (release, external, sample)] not in (
            [True, True, False],
            [False, False, True],
        ):
            raise PolicyError(
                "risk needs a RELEASE and --external for an exact answer, or --sample SOURCE alone for an estimate."
            )
        options = {
            "quasi_identifiers": names(quasi_identifiers),
            "sensitive": columns(sensitive, joint=joint),
            "joint": joint,
            "diversity": diversity,
            "identifier": identifier,
            "recoding": recoding,
            "missing": missing,
            "hierarchies": of_columns("--hierarchy", hierarchy),
            "styles": of_columns("--style", style),
            "grids": steps(grid),
            "sensitive_order": lines(sensitive_order),
            "anonymity": anonymity,
            "protected": names(protected),
        }
        settings, of_mask, form = _settings(options, algorithm, policy)
        people = described(
            external or sample,
            table=table,
            query=query,
            separator=separator,
            quote=quote,
            encoding=encoding,
            decimal=decimal,
            null=null,
            sheet=sheet,
        )
        with _progress("tables looked at" if sample is None else "steps", exact=sample is None) as tell:
            found = (
                disclosure_risk(release, people, **settings, **of_mask, limit=limit, progress=tell)
                if sample is None
                else sampled_audit(people, **settings, recoding=form, steps=chain, progress=tell)
            )
        if as_json:
            print_json({"status": 0, "risk": found.as_dict()})
        elif isinstance(found, DisclosureRisk):
            _show_exact(found, settings["identifier"], _value(settings), None if everybody else _SHOWN)
        else:
            _show_sampled(found, settings["identifier"], _value(settings), None if everybody else _SHOWN)


def _settings(
    options: dict[str, Any], algorithm: str | None, file: Path | None
) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """What the release was made with, the settings of Mask, and the recoding, which a release shows by itself.

    Opt-Gen is known here, but to no policy.
    """
    written = read_policy_file(file)
    chosen = algorithm or written.options.get("algorithm")
    if chosen is None and not written.problems:
        raise PolicyError("risk needs the algorithm that the release was made with (--algorithm).")
    policy = Policy.from_options({**options, "algorithm": chosen if chosen in ALGORITHMS else None}, file=written)
    if policy.penalty != "perimeter":
        raise PolicyError(f"risk knows the algorithms with the penalty 'perimeter', not {policy.penalty!r}.")
    if policy.identifier is None:
        raise PolicyError("risk needs the column that names the person (--identifier).")
    settings = {
        name: getattr(policy, name) for name in ("quasi_identifiers", "sensitive", "joint", "diversity", "identifier")
    }
    settings |= {field: getattr(policy, field) for field in FIELDS.values()}
    settings |= {"missing": policy.missing, "algorithm": chosen}
    return settings, {"anonymity": policy.anonymity, "protected": policy.protected}, policy.recoding


def _value(settings: dict[str, Any]) -> str:
    """What people are believed to have: the sensitive column, or the combination of several."""
    return settings["sensitive"] if isinstance(settings["sensitive"], str) else name_of(settings["sensitive"])


@contextmanager
def _progress(what: str, *, exact: bool) -> Iterator[Callable[[int, int], None]]:
    """Says how much there is to do before it starts, and how far it has come, if somebody is watching."""

    def size(done: int, total: int) -> None:
        if exact and done == 0:
            complain(f"{total:,} tables fit this release; the algorithm is run on each of them.")

    screen = Console(stderr=True)
    if not screen.is_terminal:
        yield size
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task(what, total=None)

        def update(done: int, total: int) -> None:
            size(done, total)
            bar.update(task, completed=done, total=total)

        yield update


def _show_exact(found: DisclosureRisk, identifier: str, sensitive: str, most: int | None) -> None:
    if found.unseen:
        complain(
            f"The release does not show {listed(found.unseen)} (--protected): taken as replaced by mask wherever it"
            " was. Is it spelt as in the source?"
        )
    say(
        f"{found.instances:,} possible tables lead to this release. The largest risk is {_share(found.maximum)};"
        f" l = {found.diversity} allows 1/{found.diversity}."
    )
    say(f"{len(found.above):,} of {len(found.people):,} people are at more than that.")
    rows = [[str(p.identifier), _share(p.risk), "-" if p.value is None else str(p.value)] for p in found.people[:most]]
    say(_table([identifier, "risk", f"most likely {sensitive}"], rows, len(found.people)))


def _show_sampled(found: Audit, identifier: str, sensitive: str, most: int | None) -> None:
    say(f"{found.chains} chains of {found.steps:,} steps; {found.accepted:.1%} of the proposals gave the same release.")
    unsure = sum(not person.converged for person in found.people)
    if unsure:
        frozen = len(found.frozen)
        complain(
            f"Not converged for {unsure:,} of {len(found.people):,} people ({frozen:,} of them never changed their"
            " value): nothing can be said about them. More steps (--steps) may help."
        )
    say(
        f"{len(found.above):,} of {len(found.people):,} people are at more than 1/{found.diversity}, by the whole of"
        " their interval."
    )
    first = {person.identifier for person in found.above}
    shown = [*found.above, *(person for person in found.people if person.identifier not in first)][:most]
    rows = [
        [
            str(p.identifier),
            f"{p.risk:.1%}",
            f"{p.low:.1%} - {p.high:.1%}" if p.converged else "not converged",
            str(p.value),
        ]
        for p in shown
    ]
    say(_table([identifier, "risk", "interval", f"most likely {sensitive}"], rows, len(found.people)))


def _share(value: Fraction) -> str:
    return f"{value} ({float(value):.1%})" if value.denominator > 1 else str(value)


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], people: int) -> Table:
    caption = f"and {people - len(rows):,} more (--all)" if len(rows) < people else None
    table = Table(title="People at most risk first", title_justify="left", title_style="bold", caption=caption)
    for title in titles:
        table.add_column(printable(title), overflow="fold")
    for row in rows:
        table.add_row(*map(printable, row))
    return table
