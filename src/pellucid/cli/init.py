"""`pellucid init`: a draft of a policy file from a look at a table."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import inspection
from ..errors import TargetError
from ..inspection.draft import draft
from ..inspection.findings import misread
from ..inspection.proposal import Proposal, propose
from ..joint import name_of
from ..runs import at_once
from ..shown import printable
from ..sources import Database, File
from ..sources.formats import split_name
from ..sources.targets import explained, require_place
from .console import complain, guarded, paragraph, print_json, progress
from .described import Decimal, Encoding, Null, Query, Quote, Separator, Sheet, Table, described
from .options import Identifier, Joint, Json, QuasiIdentifiers, Sensitive, columns, names

__all__ = ["init"]


def init(
    *,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The table to look at, as `anonymize` takes it.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE.toml", help="The policy file; never one that exists.")
    ] = Path("pellucid.toml"),
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: Sensitive = None,
    joint: Joint = None,
    identifier: Identifier = None,
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
    """Write a draft of a policy for SOURCE, with a role for every column and why. Read it before you use it."""
    with guarded(as_json=as_json):
        _require_new(output)
        original = described(
            source,
            table=table,
            query=query,
            separator=separator,
            quote=quote,
            encoding=encoding,
            decimal=decimal,
            null=null,
            sheet=sheet,
        )
        with progress(quiet=False) as monitor:
            found = inspection.inspect(
                original,
                quasi_identifiers=names(quasi_identifiers),
                sensitive=columns(sensitive, joint=joint),
                joint=joint,
                identifier=identifier,
                monitor=monitor,
            )
        proposal = propose(found)
        text = at_once(lambda: draft(found, **_files(original, output)))
        _write(output, text)
        if as_json:
            print_json({"status": 0, "file": str(output), "proposal": proposal.as_dict()})
        else:
            _show(proposal, output)
            for finding in misread(found):
                paragraph(f"{finding.title}: {finding.text}")


def _require_new(output: Path) -> None:
    if os.path.lexists(output) and not output.is_dir():
        raise _exists(output)
    require_place(output, None)


def _exists(output: Path) -> TargetError:
    return TargetError(f"{output} exists already.", remedy="Give the draft another name (-o), or take that file away.")


def _files(original: str | File | Database | None, output: Path) -> dict[str, Any]:
    """What the draft says of source and target. Only files have paths: other sources may hold secrets."""
    if original is None or isinstance(original, Database):
        return {}
    source = original if isinstance(original, File) else File(original)
    path = Path(source.path)
    if not path.is_file() or not _is_text(str(path.absolute())):
        return {}
    stem, ending = split_name(path)
    return {
        "source": replace(source, path=os.path.relpath(path, output.parent)),
        "target": f"{stem}.published{ending}",
    }


def _is_text(path: str) -> bool:
    """Whether a path can stand in a text file: names of files need not be text."""
    return path == path.encode(errors="replace").decode()


def _write(output: Path, text: str) -> None:
    """Write the file whole or not at all, and never over another."""
    with explained(output):
        try:
            file = output.open("x", encoding="utf-8")
        except FileExistsError:
            raise _exists(output) from None
        try:
            with file:
                file.write(text)
        except BaseException:
            output.unlink(missing_ok=True)
            raise


def _show(proposal: Proposal, output: Path) -> None:
    paragraph(f"Wrote {printable(str(output))}: a draft. Read it line by line, and change what is wrong.")
    paragraph(f"quasi-identifiers: {', '.join(map(printable, proposal.quasi_identifiers))}", indent=2)
    joint, allows = (" (joint)", "their combination") if proposal.joint else ("", "this sensitive column")
    paragraph(f"sensitive: {printable(name_of(proposal.sensitive))}{joint}", indent=2)
    who = (
        "none: every row is taken for another person" if proposal.identifier is None else printable(proposal.identifier)
    )
    paragraph(f"identifier: {who}", indent=2)
    paragraph(f"dropped: {', '.join(map(printable, proposal.drop)) or 'none'}", indent=2)
    paragraph(
        f"l = {proposal.diversity}; {proposal.largest_diversity:,} is the largest that {allows} allows (it reveals a"
        " count: for you alone)",
        indent=2,
    )
    if proposal.diversity == 1:
        complain("Warning: with l = 1 nothing is protected: choose another sensitive column, or do not publish.")
    paragraph(f"Then: pellucid anonymize --policy {shlex.quote(str(output))}")
