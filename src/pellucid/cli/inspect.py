"""`pellucid inspect`: a look at a table before anything is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from .. import inspection
from ..errors import TargetError
from ..inspection.findings import FOR_THE_CURATOR, LARGEST_DIVERSITY, findings, may_be, reasons
from ..passwords import require_file_name
from ..runs import at_once
from ..shown import printable
from ..sources.targets import Staging, explained, require_place
from .console import guarded, narrow, paragraph, print_json, progress, say, show
from .described import Decimal, Encoding, Null, Query, Quote, Separator, Sheet, Table, described
from .options import Identifier, Joint, Json, QuasiIdentifiers, Sensitive, columns, names

__all__ = ["inspect"]

_Cell = Callable[[inspection.Column], str]
_TEXTS: dict[str, _Cell] = {
    "column": lambda column: printable(column.name),
    "may be": may_be,
    "type": lambda column: column.facts.type,
}
_NUMBERS: dict[str, _Cell] = {
    "distinct": lambda column: f"{column.facts.distinct:,}",
    "missing": lambda column: f"{column.facts.missing:,}",
    "largest l": lambda column: f"{column.facts.largest_diversity:,}" if column.may_be_sensitive else "",
}


def inspect(
    *,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The table to look at, as `anonymize` takes it.")],
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    joint: Joint = None,
    identifier: Identifier = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE.html", help="Also write it as a page, for you alone."),
    ] = None,
    table: Table = None,
    query: Query = None,
    separator: Separator = None,
    quote: Quote = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    null: Null = None,
    sheet: Sheet = None,
    as_json: Json = False,
) -> None:
    """Say what the columns of SOURCE hold, what they may be, and who could be found in it. For the curator alone."""
    with guarded(as_json=as_json):
        if html is not None:
            _require_page(html, source)
        with progress(quiet=False) as monitor:
            found = inspection.inspect(
                described(
                    source,
                    table=table,
                    query=query,
                    separator=separator,
                    quote=quote,
                    encoding=encoding,
                    decimal=decimal,
                    null=null,
                    sheet=sheet,
                ),
                quasi_identifiers=names(quasi_identifiers),
                sensitive=columns(sensitive, joint=joint),
                joint=joint,
                identifier=identifier,
                monitor=monitor,
            )
        if html is not None:
            with Staging() as staging, explained(html):
                staging.add(html, private=True).write_text(at_once(found.report), encoding="utf-8")
                staging.commit()
        if as_json:
            print_json({"status": 0, "inspection": found.as_dict(), "html": None if html is None else str(html)})
            return
        _show(found)
        if html is not None:
            paragraph(f"The same as a page, for you alone: {html}")


def _require_page(html: Path, source: str) -> None:
    require_file_name(html)
    if html.suffix.lower() not in (".html", ".htm"):
        raise TargetError(f"The page {html} is no HTML file.", remedy="Give it the ending .html.")
    require_place(html, Path(source) if Path(source).exists() else None)


def _show(found: inspection.Inspection) -> None:
    paragraph(f"{printable(found.source)}: {found.rows:,} rows, {len(found.columns):,} columns. {FOR_THE_CURATOR}")
    if found.source_unlike:
        paragraph(f"Read with {', '.join(f'{name} {said!r}' for name, said in found.source_unlike.items())}.")
    say()
    texts = [title for title in _TEXTS if title != "may be" or not narrow()]
    cells = [*(_TEXTS[title] for title in texts), *_NUMBERS.values()]
    show([*texts, *_NUMBERS], [[cell(column) for cell in cells] for column in found.columns], texts=len(texts))
    say()
    paragraph(LARGEST_DIVERSITY)
    for finding in findings(found):
        say()
        paragraph(f"{finding.title}: {finding.text}")
    whys = [*reasons(found)]
    if whys:
        say()
        paragraph("What the columns may be, and why. These are suggestions, not decisions:")
        for name, why in whys:
            paragraph(f"{printable(name)}: {why}", indent=2)
    say()
    paragraph("A draft of the policy, with a role for every column: pellucid init SOURCE")
