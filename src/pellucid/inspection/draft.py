"""A draft of a policy file from a look at the table: a role for every column, with the reason, to be read and changed.

A policy becomes public. So the draft holds nothing that the release would not say: no counts of the source, and no
order of sensitive values, which must never come from the table (G1).
"""

from __future__ import annotations

import math
import os
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from ..shown import key, quoted
from ..sources import File
from ..version import __version__
from .look import Column, Inspection
from .proposal import Proposal, propose

__all__ = ["draft"]

_MOST_VALUES = 24
_LONGEST_VALUE = 40
_STEPS = 20
_MANY_NUMBERS = 12
_WHERE_DAYS = ("date", "date and time")


def draft(
    found: Inspection,
    *,
    source: File | None = None,
    target: str | None = None,
) -> str:
    """The draft as the text of a policy file, which names source and target by their paths from its own folder."""
    proposal = propose(found)
    return "\n".join(_Draft(found, proposal).lines(source, target)).rstrip() + "\n"


class _Draft:
    """Writes the lines of a draft."""

    def __init__(self, found: Inspection, proposal: Proposal) -> None:
        self._found = found
        self._proposal = proposal
        self._quasi_identifiers = [found[name] for name in proposal.quasi_identifiers]
        self._sensitive = [found[name] for name in proposal.sensitive]
        self._dropped = [found[name] for name in proposal.drop]

    def lines(self, source: File | None, target: str | None) -> Iterator[str]:
        yield from _comment(
            f"A draft by pellucid {__version__}, from a look at the columns of the table. It is a proposal: read it"
            " line by line, and change what is wrong. What others may know about a person, and what is nobody's"
            " business, no program can tell."
        )
        yield from _comment(
            "A policy becomes public: it stands in the manifest of the release, with its hash. Write no counts of the"
            " source into it, and nothing that follows from who has which sensitive value."
        )
        yield ""
        yield from self._roles()
        yield from self._diversity()
        yield from self._missing()
        yield from self._attributes()
        yield from _files(source, target)

    def _roles(self) -> Iterator[str]:
        yield from _comment(
            "The columns that somebody could know about a person: a neighbour, a colleague, a register."
        )
        yield "quasi_identifiers = ["
        for column in self._quasi_identifiers:
            yield f"    {quoted(column.name)},  # {_reason(column, 'quasi-identifier')}"
        for column in self._dropped:
            if column.facts.usable and not column.may_be("identifier") and not column.counts_rows:
                yield f"    # {quoted(column.name)},  # dropped below; take it out there if it moves here"
        yield "]"
        yield ""
        yield from self._sensitive_value()
        for column in self._found.columns:
            if column.name not in self._proposal.sensitive and column.may_be("sensitive"):
                yield f"# sensitive = {quoted(column.name)}  # {_reason(column, 'sensitive')}"
        yield ""
        yield "# The column that is different for everybody. It is not published; ties between people follow its order."
        yield from self._identifier()
        yield ""
        yield "# Left out of the release. What was not suspected to be anything is here as well."
        yield "drop = ["
        for column in self._dropped:
            yield f"    {quoted(column.name)},  # {_reason_to_drop(column)}"
        yield "]"
        yield "# drop_others = true  # leave out every other column without asking, also those that come later"
        yield ""

    def _sensitive_value(self) -> Iterator[str]:
        if not self._proposal.joint:
            [chosen] = self._sensitive
            yield "# The one column that nobody must be tied to."
            yield f"sensitive = {quoted(chosen.name)}  # {_reason(chosen, 'sensitive')}"
            return
        yield from _comment(
            "The columns whose combination nobody must be tied to. Everybody of a group may have the same value in one"
            " of them: where one of them is a secret by itself, name that one and drop the others."
        )
        yield "sensitive = ["
        for column in self._sensitive:
            yield f"    {quoted(column.name)},  # {_reason(column, 'sensitive')}"
        yield "]"
        yield "joint = true  # leave it out where one column is named"

    def _identifier(self) -> Iterator[str]:
        chosen = None if self._proposal.identifier is None else self._found[self._proposal.identifier]
        if chosen is not None:
            yield f"identifier = {quoted(chosen.name)}  # {_reason(chosen, 'identifier')}"
            if not chosen.facts.all_different:
                yield from _comment(
                    "It repeats. The guarantee is for one row per person: the table is refused as it is."
                )
        else:
            yield "# None is proposed: then every row must be another person, and secret chance decides ties."
        for column in self._found.columns:
            if column is not chosen and (column.may_be("identifier") or column.counts_rows):
                note = "a position: see below" if column.counts_rows else _reason(column, "identifier")
                if not column.facts.all_different:
                    note += "; it repeats, and the guarantee is for one row per person"
                yield f"# identifier = {quoted(column.name)}  # {note}"
        if any(column.counts_rows for column in self._found.columns):
            yield from _comment(
                "A number that counts the rows is a position, not an identifier: ties would follow it, and if the table"
                " was sorted by something sensitive before its rows were counted, the release would tell of it."
            )

    def _diversity(self) -> Iterator[str]:
        diversity = self._proposal.diversity
        yield from _comment(
            "l: nobody is tied to a sensitive value with more than 1/l confidence. A larger l protects more and says"
            " less. The one proposed is feasible; `pellucid inspect` tells you, and you alone, the"
            " largest."
        )
        yield f"diversity = {diversity}"
        if diversity == 1:
            yield from _comment(
                "l = 1 protects nothing. No larger one exists for what is sensitive here: choose something else, or do"
                " not publish."
            )
        yield ""

    def _missing(self) -> Iterator[str]:
        yield from _comment(
            'Missing values: "error" refuses them, "category" counts them as a value of their own, "drop" leaves such'
            " rows out."
        )
        yield f"missing = {quoted(self._proposal.missing)}"
        yield ""

    def _attributes(self) -> Iterator[str]:
        yield "# How single columns are published. Take away the '#' before what is wanted, and fill it in."
        yield "#   grid       numbers in steps of this width, or dates in steps: day, week, month, quarter, year"
        yield "#   order      all values, smallest first, if they have an order: published as intervals, else as sets"
        yield "#   hierarchy  a file of groups that have names, one line per value: the value;its ancestors;*"
        yield "#              `pellucid hierarchy` makes one for numbers, dates and codes"
        yield ""
        for column in self._quasi_identifiers:
            lines = [*_settings(column)]
            if lines:
                yield f"# [attributes.{key(column.name)}]"
                yield from lines
                yield ""
        without_order = [column for column in self._sensitive if column.facts.type == "text"]
        if without_order:
            yield from _comment(
                "All values of the sensitive column, those that are alike next to each other, make the release more"
                " useful. This order must come from outside, such as a public classification, and never from the table."
            )
            if self._proposal.joint:
                yield "# The combinations have an order if each of these columns has one, the first column first."
        for column in without_order:
            yield f"# [attributes.{key(column.name)}]"
            yield '# order = ["...", "..."]'
            yield ""


def _settings(column: Column) -> Iterator[str]:
    """What could be set for a quasi-identifier, as comments."""
    facts = column.facts
    code = next((each for each in column.suspicions if each.kind == "code"), None)
    if code is not None:
        yield "# A code: intervals of it mean little, groups by its first letters or digits more."
        yield '# hierarchy = "FILE.csv"'
    elif facts.type in _WHERE_DAYS:
        yield f'# grid = "{"year" if _is_birth(column) else "month"}"'
    elif facts.type in ("whole number", "number"):
        if facts.distinct > _MANY_NUMBERS and (step := _step(column)) != "1":  # whole numbers are in steps of 1
            yield f"# grid = {step}"
    elif facts.type == "text":
        yield f"# order = [{', '.join(_values(column))}]"
        yield '# hierarchy = "FILE.csv"'


def _values(column: Column) -> Iterable[str]:
    """The values of a quasi-identifier, where they are few; their order is for the curator to give.

    They stand by their letters, and by the numbers in them: `9th` before `10th`, as a curator would have them.
    """
    facts = column.facts
    if not facts.all_shown or facts.distinct > _MOST_VALUES or max(map(len, facts.texts)) > _LONGEST_VALUE:
        return ('"..."', '"..."')
    return map(quoted, sorted(facts.texts, key=_by_numbers))


def _by_numbers(text: str) -> tuple[list[tuple[bool, int, str]], str]:
    pieces = re.findall(r"[0-9]{1,18}|[^0-9]+", text)
    return [(False, int(piece), "") if piece[0] in "0123456789" else (True, 0, piece) for piece in pieces], text


def _step(column: Column) -> str:
    """A round step, about a twentieth of what the values cover; five years for ages."""
    low, high = float(column.facts.low), float(column.facts.high)
    if any(each.what == "age" for each in column.suspicions):
        return "5"
    width = (high / _STEPS) - (low / _STEPS)
    if not 0 < width < math.inf:
        return "1"
    power = 10.0 ** math.floor(math.log10(width))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= width * 0.999)
    return f"{max(step, 1):.0f}" if column.facts.whole else f"{step:.6g}"


def _is_birth(column: Column) -> bool:
    return any("birth" in each.what for each in column.suspicions)


def _comment(text: str) -> Iterator[str]:
    yield from textwrap.wrap(text, width=100, initial_indent="# ", subsequent_indent="# ")


def _reason(column: Column, role: str) -> str:
    """Why a column has this role."""
    if column.role == role:
        return f"{column.facts.type}; as you said"
    said = next((each for each in column.suspicions if each.kind == role), None)
    if said is None:
        return f"{column.facts.type}; nothing points to another role: please decide"
    return f"{column.facts.type}; suspected: {said.what}, by its {' and its '.join(said.basis)}"


def _reason_to_drop(column: Column) -> str:
    if column.facts.distinct == 0:
        return f"{column.facts.type}: it can have no other role"
    if not column.facts.usable:
        return "holds infinite numbers, which stand nowhere on a line of numbers"
    said = next(iter(column.suspicions), None)
    if said is None:
        return f"{column.facts.type}; nothing is suspected: decide whether others may know it"
    kind = "counts the rows" if said.kind == "row number" else f"suspected {said.kind}"
    return f"{column.facts.type}; {kind}: {said.what}, by its {' and its '.join(said.basis)}"


def _files(source: File | None, target: str | None) -> Iterator[str]:
    yield "# Paths start from the folder of this file."
    if source is None:
        yield "# [source]"
        yield '# path = "patients.csv"'
    else:
        yield "[source]"
        yield f"path = {quoted(os.fspath(source.path))}"
        for name, said in source.said.items():
            yield f"{name} = {_toml(said)}"
    yield ""
    mark = "# " if target is None else ""
    yield f"{mark}[target]"
    yield f"{mark}path = {quoted(target or 'published.csv')}"


def _toml(said: str | int | Sequence[str]) -> str:
    """What is said of a file."""
    if isinstance(said, str):
        return quoted(said)
    return str(said) if isinstance(said, int) else f"[{', '.join(map(quoted, said))}]"
