"""What a look at a table found, in sentences for the curator: the terminal and the page say the same."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..shown import printable
from .look import SMALL_GROUP, Column, Inspection

__all__ = ["FOR_THE_CURATOR", "LARGEST_DIVERSITY", "Finding", "findings", "may_be", "misread", "reasons", "span"]

FOR_THE_CURATOR = "This look holds counts of the source: it is for the curator, not for release."
LARGEST_DIVERSITY = (
    "The largest l is the number of rows divided by how often the most frequent value occurs, a missing one among"
    " them: no larger l is feasible if that column is the sensitive one. It reveals that count: keep it to yourself."
)
_LONGEST = 60
_MOST_COLUMNS = 8


class Finding(NamedTuple):
    """Something to think about before the table is published."""

    title: str
    text: str
    alarming: bool


def findings(found: Inspection) -> Iterator[Finding]:
    """All there is to say about the table as a whole."""
    yield from _combination(found)
    yield from _joint(found)
    yield from _positions(found)
    yield from _repeats(found)
    yield from _missing(found)
    yield from misread(found)


def _combination(found: Inspection) -> Iterator[Finding]:
    title = "Who could be found"
    if (seen := found.combination) is None:
        yield Finding(title, "No column is suspected to be known to others: name those that are (-q).", alarming=False)
        return
    given = all(found[name].role == "quasi-identifier" for name in seen.columns)
    text = (
        f"By {_listed(seen.columns)} ({'as you said' if given else 'suspected'}), {seen.unique_rows:,} of"
        f" {_rows(found.rows)} {'is' if seen.unique_rows == 1 else 'are'} unique, and {seen.rows_in_small_groups:,}"
        f" {'is' if seen.rows_in_small_groups == 1 else 'are'} in groups of fewer than {SMALL_GROUP}."
    )
    if seen.rows_in_small_groups:
        text += " Whoever knows these of a person finds the row, or is nearly there."
    yield Finding(title, text, alarming=seen.unique_rows > 0)


def _joint(found: Inspection) -> Iterator[Finding]:
    if (seen := found.joint) is None:
        return
    largest = {name: found[name].facts.largest_diversity for name in seen.columns}
    alone = ", ".join(f"{most:,} for {_quoted(name)} alone" for name, most in largest.items())
    text = (
        f"The combination of {_and(seen.columns)} has {seen.distinct:,} different values, and the largest l for it is"
        f" {seen.largest_diversity:,} ({alone}). Nobody is tied to the combination, but everybody of a group may have"
        " the same value in one of them. Where one of them is a secret by itself, name that one and drop the others."
    )
    yield Finding("Several sensitive columns", text, alarming=1 in largest.values())


def _positions(found: Inspection) -> Iterator[Finding]:
    for column in found.columns:
        if column.counts_rows:
            text = (
                f"{_name(column)} counts the rows in the order of the file: it is a position, not an identifier. If the"
                " file was sorted by something sensitive before it was numbered, everything that follows these numbers"
                " tells of it. Do not give it as --identifier; leave it out."
            )
            yield Finding("Row numbers", text, alarming=True)


def _repeats(found: Inspection) -> Iterator[Finding]:
    title = "People who occur twice"
    for name, rows in found.repeats.identifiers.items():
        repeat = f"{_rows(rows)} {'repeats' if rows == 1 else 'repeat'}"
        text = (
            f"In {_quoted(name)}, {repeat} a value that occurs before. If it names people, some have several rows: the"
            " guarantee is for one row per person, so keep one each, or join their values into one."
        )
        yield Finding(title, text, alarming=found[name].role == "identifier")
    if rows := found.repeats.identical_rows:
        text = (
            f"{_rows(rows)} {'is' if rows == 1 else 'are'} the same as one before in every column: a person twice, or"
            " people who look alike."
        )
        yield Finding(title, text, alarming=False)


def _missing(found: Inspection) -> Iterator[Finding]:
    columns = [column for column in found.columns if column.facts.missing]
    if columns:
        where = _some(f"{column.facts.missing:,} in {_name(column)}" for column in columns)
        text = (
            f"{where}. Among the published columns they are refused unless you say what they mean (--missing category,"
            " or --missing drop)."
        )
        yield Finding("Missing values", text, alarming=False)


def misread(found: Inspection) -> Iterator[Finding]:
    """What is text to the program and may be something else to the curator."""
    numbers = [column for column in found.columns if column.facts.but_for]
    if numbers:
        where = _where((column, column.facts.but_for) for column in numbers)
        text = (
            f"All values are numbers, but for {where}. With these among them they are text, and published as sets and"
            " not as intervals. If such a text means that a value is missing, "
        )
        if numbers[0].facts.inferred:
            text += f"say so ({_null(numbers[0].facts.but_for)}); otherwise write a number in its place."
        else:
            text += "make this a column of numbers in the source, with missing values in it."
        yield Finding("Numbers that are text", text, alarming=True)
    written = [column for column in found.columns if column.facts.missing_written_as and not column.facts.but_for]
    if written:
        where = _where((column, column.facts.missing_written_as) for column in written)
        text = (
            f"{where}: a value like any other, as it is. If it means that a value is missing, say so"
            f" ({_null(written[0].facts.missing_written_as)})."
        )
        yield Finding("Missing values that are written out", text, alarming=False)
    dates = [column for column in found.columns if column.facts.years_of_dates]
    if dates:
        text = (
            f"{_some(map(_name, dates))}: only what is written like 1990-12-24 is a date to this program. Other dates"
            " are text, and published as sets and not as intervals. Write them so before you publish."
        )
        yield Finding("Dates that are text", text, alarming=True)


def _where(texts: Iterable[tuple[Column, Sequence[str]]]) -> str:
    """As in "'N' in 'income'"."""
    return _some(f"{', '.join(map(_quoted, few))} in {_name(column)}" for column, few in texts)


def _null(few: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(few)
    return f"--null {shlex.quote(printable(line.getvalue()))}"


def _some(texts: Iterable[str]) -> str:
    """The first of these, and how many more there are."""
    listed = [*texts]
    more = f" and {len(listed) - _MOST_COLUMNS} more" if len(listed) > _MOST_COLUMNS else ""
    return f"{', '.join(listed[:_MOST_COLUMNS])}{more}"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def may_be(column: Column) -> str:
    """What a column is, or may be, in a word."""
    if column.role is not None:
        return f"{column.role}, as you said"
    return ", ".join(dict.fromkeys(each.kind for each in column.suspicions))


def reasons(found: Inspection) -> Iterator[tuple[str, str]]:
    """For each column of which something is suspected: what, and why."""
    for column in found.columns:
        if column.suspicions:
            whys = (f"{each.kind} ({each.what}): {each.because}" for each in column.suspicions)
            yield column.name, printable("; ".join(whys))


def span(column: Column) -> str:
    """The ends of numbers and dates, or some values of a column that names nobody."""
    facts = column.facts
    if facts.low is not None:
        low, high = (f"{end:g}" if isinstance(end, float) else str(end) for end in (facts.low, facts.high))
        return low if low == high else f"{low} to {high}"
    if not column.may_be_sensitive and column.role != "quasi-identifier":
        return ""
    shown = ", ".join(facts.texts[:8])
    return printable(shown if len(shown) <= _LONGEST and facts.distinct <= 8 else f"{shown[: _LONGEST - 1]}…")


def _listed(names: tuple[str, ...]) -> str:
    return _quoted(names[0]) if len(names) == 1 else f"{_and(names)} together"


def _and(names: tuple[str, ...]) -> str:
    *others, last = map(_quoted, names)
    return f"{', '.join(others)} and {last}"


def _name(column: Column) -> str:
    return _quoted(column.name)


def _quoted(name: str) -> str:
    return f"'{printable(name)}'"
