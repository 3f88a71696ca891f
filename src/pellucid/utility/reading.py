"""A released table, of this program or another, as what it says about its groups.

Besides the labels that this program writes (`recodings.labels`, names of a hierarchy's nodes, or columns A_min and
A_max) these are understood: half-open intervals `[20, 30)`, `(19.999, 29.0]` and `[20, 30[`, ranges `20-29`, `20..29`
and `20~29`, open ends `<20`, `>=90`, `90+` and `(65, inf)`, codes with hidden ends such as `130**`, sets without
braces (`a, b`, `a|b`, `a;b`, `a~b`), and for anything at all `*`, `*****`, `NA`, and a missing value where the source
has none. A row that says nothing, not even its sensitive value, is a suppressed one.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl

from ..errors import CheckFailedError, PolicyError, SourceError, listed
from ..joint import combined
from ..packing import Integers, number_combinations
from ..recodings import GROUP_ID
from ..recodings.labels import parse
from ..sources import Database, Source, open_release
from ..sources.databases import anatomy_in
from ..sources.formats import split_name
from ..typed import as_text
from .domains import Categories, Domain, Line
from .released import Intervals, Released, Sets, Side, grouped, points

__all__ = ["read_release", "tables_of"]

_Read = TypeVar("_Read")
_NUMBER = r"-?[0-9][^\s,;\[\](){}]*?"
_END = rf"{_NUMBER}|[-+]?(?:[iI]nf|∞)"
_HALF_OPEN = re.compile(rf"^([\[(\]])\s*({_END})\s*[,;]\s*({_END})\s*([\])\[])$")
_CLOSED = re.compile(rf"^\[\s*({_NUMBER})\s*[,;]\s*({_NUMBER})\s*\]$")
_RANGE = re.compile(rf"^({_NUMBER})\s*(?:-|–|\.\.|~)\s*({_NUMBER})$")
_BEYOND = re.compile(rf"^(<=?|>=?|≤|≥)\s*({_NUMBER})$")
_AND_MORE = re.compile(rf"^({_NUMBER})\s*\+$")
_BETWEEN_MEMBERS = (",", "|", ";", "~")
_SUPPRESSED = r"^(\*+|NA)$"


def tables_of(release: object) -> tuple[object, ...]:
    """One table, or the two of an anatomy: given as a pair, or by the name that both were written under."""
    if isinstance(release, tuple | list):
        if len(release) != 2:
            raise PolicyError(
                f"A release is one table, or the two tables of an anatomy, not {len(release)}.",
                remedy="Give (qi_table, sensitive_table).",
            )
        return tuple(release)
    if isinstance(release, Database):
        return anatomy_in(release) or (release,)
    if isinstance(release, str | os.PathLike):
        path = Path(release)
        name, ending = split_name(path)
        stem = name.removesuffix(".qi").removesuffix(".sensitive")
        both = tuple(path.with_name(f"{stem}.{part}{ending}") for part in ("qi", "sensitive"))
        if (stem != name or not path.exists()) and all(table.exists() for table in both):
            return both
    return (release,)


def read_release(release: object, domains: tuple[Domain, ...], sensitive: Domain) -> Released:
    """Read a release of a table with these domains."""
    tables = [open_release(table) for table in tables_of(release)]
    if len(tables) == 2:
        return _anatomy(tables[0], tables[1], domains, sensitive)
    return _generalization(tables[0], domains, sensitive)


def _generalization(table: Source, domains: tuple[Domain, ...], sensitive: Domain) -> Released:
    columns = {domain.name: _published(domain, table) for domain in domains}
    rows = _read(table, [*(name for names in columns.values() for name in names), *_columns_of(sensitive)])
    rows = _without_suppressed(rows, table.name, sensitive)
    sides, cells = zip(
        *(_sides([rows[name] for name in columns[domain.name]], domain) for domain in domains), strict=True
    )
    row_of_box, box_of_row = number_combinations(cells, [len(side) for side in sides])
    return grouped(
        domains,
        sensitive,
        sides=sides,
        cells=[cell[row_of_box] for cell in cells],
        groups=np.arange(len(row_of_box)),
        owners=box_of_row,
        values=_sensitive(rows, sensitive),
    )


def _anatomy(qi: Source, values: Source, domains: tuple[Domain, ...], sensitive: Domain) -> Released:
    exact = _read(qi, [GROUP_ID, *(domain.name for domain in domains)])
    shown = _read(values, [GROUP_ID, *_columns_of(sensitive)])
    number, groups = _distinct([exact[GROUP_ID], shown[GROUP_ID]])
    if not np.array_equal(np.bincount(groups[0], minlength=number), np.bincount(groups[1], minlength=number)):
        raise CheckFailedError("The two tables do not belong together: their groups have different sizes.")
    order = np.argsort(groups[0], kind="stable")
    sides, cells = zip(*(_items(exact[domain.name], domain) for domain in domains), strict=True)
    return grouped(
        domains,
        sensitive,
        sides=sides,
        cells=[cell[order] for cell in cells],
        groups=groups[0][order],
        owners=groups[1],
        values=_sensitive(shown, sensitive),
    )


def _read(table: Source, columns: Sequence[str]) -> pl.DataFrame:
    for name in columns:
        if table.columns.count(name) != 1:
            many = "no" if name not in table.columns else "more than one"
            raise SourceError(
                f"{table.name} has {many} column named {name!r}.", remedy=f"Its columns are {listed(table.columns)}."
            )
    rows = table.read([name for name in table.columns if name in columns])
    rows = rows.with_columns(pl.selectors.float().fill_nan(None))  # as in the source
    if rows.is_empty():
        raise SourceError(f"{table.name} has no rows.", remedy="There is nothing to evaluate.")
    return rows


def _without_suppressed(rows: pl.DataFrame, name: str, sensitive: Domain) -> pl.DataFrame:
    """The rows that say something: others are left out, as if the program had not published them."""
    if any(_says_nothing(text) for text in sensitive.texts):
        return rows
    empty = pl.repeat(True, rows.height, eager=True)
    for column in (*_columns_of(sensitive), *rows.columns):
        if not empty.any():
            return rows
        empty &= as_text(rows[column]).str.contains(_SUPPRESSED).fill_null(value=True)
    if empty.all():
        raise SourceError(f"All rows of {name} are suppressed.", remedy="There is nothing to evaluate.")
    return rows.filter(~empty)


def _says_nothing(label: str | None) -> bool:
    return label is None or re.match(_SUPPRESSED, label) is not None


def _published(domain: Domain, table: Source) -> list[str]:
    """The columns that hold an attribute: its own, or its two bounds."""
    bounds = [f"{domain.name}_min", f"{domain.name}_max"]
    as_bounds = domain.name not in table.columns and all(name in table.columns for name in bounds)
    return bounds if as_bounds else [domain.name]


def _distinct(columns: Sequence[pl.Series]) -> tuple[int, list[Integers]]:
    """Equal values get equal numbers, in all the columns; and how many numbers there are."""
    texts = pl.concat([as_text(column).rename("") for column in columns])
    numbers = texts.cast(pl.Categorical(pl.Categories.random())).to_physical().cast(pl.UInt32)
    numbers = numbers.fill_null(int(numbers.max() or 0) + 1)  # type: ignore[arg-type]
    found, codes = np.unique(numbers.to_numpy(), return_inverse=True)
    return len(found), np.split(codes.astype(np.uint32), np.cumsum([len(column) for column in columns])[:-1])


def _labels(column: pl.Series) -> tuple[list[str | None], Integers]:
    """The distinct values of a column as texts, and which of them each row has."""
    number, [codes] = _distinct([column])
    row_of_label = np.zeros(number, dtype=np.int64)
    row_of_label[codes] = np.arange(len(codes))
    return as_text(column.gather(pl.Series(row_of_label))).to_list(), codes


def _items(column: pl.Series, domain: Domain) -> tuple[Side, Integers]:
    """What an anatomy says of everybody: a value, or a step of a grid."""
    if isinstance(domain, Line) and any((text or "").startswith("[") for text in _labels(column)[0]):
        return _sides([column], domain)
    return points(domain), _values(column, domain)


def _values(column: pl.Series, domain: Domain) -> Integers:
    """Single values, as codes of the domain."""
    labels, codes = _labels(column)
    if isinstance(domain, Categories):
        return np.array([_category(label, domain) for label in labels], dtype=np.uint32)[codes]
    code = {position: number for number, position in enumerate(domain.positions.tolist())}
    single = []
    for label in labels:
        low, high = _explained(label, domain, lambda text: _ends(text, domain))
        single.append(code[low] if low == high and low in code else _refuse(label, domain))
    return np.array(single, dtype=np.uint32)[codes]


def _columns_of(sensitive: Domain) -> tuple[str, ...]:
    """The columns that the sensitive value stands in."""
    return (isinstance(sensitive, Categories) and sensitive.columns) or (sensitive.name,)


def _sensitive(rows: pl.DataFrame, sensitive: Domain) -> Integers:
    columns = _columns_of(sensitive)
    return _values(combined(rows.select(columns), columns)[sensitive.name], sensitive)


def _category(label: str | None, domain: Categories) -> int:
    members = _explained(label, domain, lambda text: _categories(text, domain))
    return members[0] if len(members) == 1 else _refuse(label, domain)


def _refuse(label: str | None, domain: Domain) -> int:
    raise CheckFailedError(
        f"The release holds {label!r} in {domain.name!r}, which is not one of the values of the source.",
        remedy="Evaluate a release against the table that it was made from.",
    )


def _explained(label: str | None, domain: Domain, read: Callable[[str | None], _Read]) -> _Read:
    try:
        return read(label)
    except ValueError as problem:
        said = str(problem).rstrip(".")
        raise CheckFailedError(
            f"In the release, {label!r} in {domain.name!r} cannot be read: {said}.",
            remedy="Write intervals as [20, 29] and sets as {a, b}, of values that the source has; an order of"
            " categories is given in the policy file.",
        ) from None


def _sides(columns: Sequence[pl.Series], domain: Domain) -> tuple[Side, Integers]:
    """The distinct sides that the labels of an attribute mean, and which of them each row has."""
    if len(columns) == 2:
        return _bounds(columns, domain)
    labels, codes = _labels(columns[0])
    if isinstance(domain, Line):
        ends = [_explained(label, domain, lambda text: _ends(text, domain)) for label in labels]
        meanings = {end: number for number, end in enumerate(dict.fromkeys(ends))}
        low, high = np.array(list(meanings), dtype=np.float64).T
        return Intervals(low.copy(), high.copy()), np.array([meanings[end] for end in ends], dtype=np.uint32)[codes]
    sets = [_explained(label, domain, lambda text: _categories(text, domain)) for label in labels]
    numbers = {members: number for number, members in enumerate(dict.fromkeys(sets))}
    starts = np.concatenate([[0], np.cumsum([len(members) for members in numbers])]).astype(np.int64)
    side = Sets(starts, np.array([code for members in numbers for code in members], dtype=np.uint32))
    return side, np.array([numbers[members] for members in sets], dtype=np.uint32)[codes]


def _bounds(columns: Sequence[pl.Series], domain: Domain) -> tuple[Side, Integers]:
    if not isinstance(domain, Line):
        raise CheckFailedError(
            f"The release has bounds of {domain.name!r}, which has no order in the source.",
            remedy="Give its order in the policy file.",
        )
    ends = []
    for column, place in zip(columns, (domain.position, domain.last_position), strict=True):
        labels, codes = _labels(column)
        ends.append((np.array([_explained(label, domain, place) for label in labels]), labels, codes))
    low, high = (places[codes] for places, _, codes in ends)
    if (low > high).any():
        raise CheckFailedError(f"In the release, {columns[0].name!r} is above {columns[1].name!r} in some rows.")
    both, cell = np.unique(np.stack([low, high], axis=1), axis=0, return_inverse=True)
    outside = (both[:, 0] > domain.high) | (both[:, 1] < domain.low)
    if outside.any():
        row = int(np.argmax(outside[cell.ravel()]))
        shown = (labels[codes[row]] for _, labels, codes in ends)
        _explained(f"[{', '.join(map(str, shown))}]", domain, lambda _: _nobody(domain))
    inside = np.clip(both, domain.low, domain.high)
    return Intervals(inside[:, 0].copy(), inside[:, 1].copy()), cell.ravel().astype(np.uint32)


def _ends(label: str | None, domain: Line) -> tuple[float, float]:
    """The ends of the interval that a label means, in positions. Raises ValueError if it means none."""
    if label in domain.nodes:
        return domain.nodes[label]
    if label not in domain.texts:
        if _says_nothing(label):
            return domain.low, domain.high
        assert label is not None  # noqa: S101 - for the type checker
        for meant in (_half_open(label, domain), _open_ended(label, domain), _hidden_digits(label, domain)):
            if meant is not None:
                return _ordered(label, domain, *meant)
    try:
        kind, texts = parse(label)
        if kind == "set":
            raise ValueError("a set of values of an attribute that has an order")
        low, high = domain.position(texts[0]), domain.last_position(texts[-1])
    except ValueError:
        found = _RANGE.match(label or "") or _CLOSED.match(label or "")
        if found is None:
            raise
        low, high = domain.position(found[1]), domain.position(found[2])
    return _ordered(label, domain, low, high)


def _ordered(label: str | None, domain: Line, low: float, high: float) -> tuple[float, float]:
    """The part of an interval that lies in the domain: nobody is outside, where steps of a grid may reach."""
    if low > high:
        raise ValueError(f"{label} ends before it begins")
    if domain.unit and math.ceil(low) <= math.floor(high):
        low, high = math.ceil(low), math.floor(high)  # of whole numbers, those that are in it
    if low > domain.high or high < domain.low:
        _nobody(domain)
    return max(low, domain.low), min(high, domain.high)


def _nobody(domain: Line) -> float:
    known = [text for text in domain.texts if text is not None]
    raise ValueError(f"nobody in the source is there, where values go from {known[0]} to {known[-1]}")


def _half_open(label: str, domain: Line) -> tuple[float, float] | None:
    """`[20, 30)` holds 29 and not 30. Of real numbers, the end itself has no length."""
    found = _HALF_OPEN.match(label)
    if not found or (found[1], found[4]) == ("[", "]"):
        return None
    return _above(found[2], domain, found[1] == "["), _below(found[3], domain, found[4] == "]")


def _open_ended(label: str, domain: Line) -> tuple[float, float] | None:
    """`<20`, `>=90` and `90+` go to the end of the domain."""
    if more := _AND_MORE.match(label):
        return _above(more[1], domain, True), domain.high
    if (found := _BEYOND.match(label)) is None:
        return None
    included = found[1] not in ("<", ">")
    if found[1][0] in "<≤":
        return domain.low, _below(found[2], domain, included)
    return _above(found[2], domain, included), domain.high


def _above(text: str, domain: Line, included: bool) -> float:
    """Where an interval with this lower end begins: without the end, at the next whole number."""
    if _is_infinite(text):
        return domain.low
    at = domain.position(text)
    return at if included or not domain.unit else math.floor(at) + 1.0


def _below(text: str, domain: Line, included: bool) -> float:
    if _is_infinite(text):
        return domain.high
    at = domain.position(text)
    return at if included or not domain.unit else math.ceil(at) - 1.0


def _is_infinite(text: str) -> bool:
    return text.lower().endswith(("inf", "∞"))


def _hidden_digits(label: str, domain: Line) -> tuple[float, float] | None:
    """`130**` is every number from 13000 to 13099."""
    if not re.fullmatch(r"[0-9]+\*+", label):
        return None
    return domain.position(label.replace("*", "0")), domain.position(label.replace("*", "9"))


def _categories(label: str | None, domain: Categories) -> tuple[int, ...]:
    """The codes of the categories that a label means. Raises ValueError if it means none."""
    if label in domain.code:
        return (domain.code[label],)
    if _says_nothing(label):
        return tuple(range(len(domain.texts)))
    assert label is not None  # noqa: S101 - for the type checker
    if "*" in label:
        pattern = re.compile(re.escape(label).replace(r"\*", "."))
        matching = tuple(c for c, text in enumerate(domain.texts) if text is not None and pattern.fullmatch(text))
        if matching:
            return matching
    try:
        kind, texts = parse(label)
    except ValueError:
        kind, texts = "alone", (label,)
    unknown = [text for text in texts if text not in domain.code]
    if kind == "interval" or unknown:
        if (members := _members(label, domain)) is not None:
            return members
        if kind == "interval":
            raise ValueError("an interval of an attribute that has no order")
        raise ValueError(f"nobody in the source has {unknown[0]!r}")
    return tuple(sorted({domain.code[text] for text in texts}))


def _members(label: str, domain: Categories) -> tuple[int, ...] | None:
    """The codes of categories with something between them, as other programs write sets; None if it is no such text."""
    inside = label[1:-1] if label[:1] + label[-1:] in ("{}", "()") else label
    for between in _BETWEEN_MEMBERS:
        texts = [text.strip() for text in inside.split(between)]
        if len(texts) > 1 and all(text in domain.code for text in texts):
            return tuple(sorted({domain.code[text] for text in texts}))
    return None
