"""From the tables that people have, a release and an external source, to the integers that the adversary reasons with.

The encoding is the program's own (`microdata.encode`), so that an algorithm sees every possible table exactly as it
would see the real one: the same orders, the same ties, the same widths.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ..attributes import Columns
from ..draws import SystemDraws
from ..errors import CheckFailedError, PolicyError, listed
from ..microdata import Attribute, Microdata, encode
from ..policy import Missing, Policy, Recoding
from ..recodings import GROUP_ID
from ..recodings.anatomy import exact_values
from ..recodings.labels import parse
from ..sources import Source, open_release, open_source
from ..sources.formats import split_name
from ..typed import as_text
from .external import External, Person, Point
from .published import Cell, Published, Shape, Side, published

__all__ = ["Case", "read_case", "shape_of"]

_PERSON = "pellucid: person"
_SENSITIVE = "pellucid: unknown"
"""Column names that no table has by chance."""


@dataclass(frozen=True, eq=False)
class Case:
    """What the adversary has before the attack."""

    external: External
    release: Published
    recoding: Recoding
    shown: Attribute
    """The sensitive column of the release."""
    unseen: tuple[str, ...] = ()
    """Sensitive values, as texts, that people may have had and the release does not show."""

    @property
    def values(self) -> tuple[Any, ...]:
        """The sensitive values, those of the release in their order: value `v` of the integers is `values[v]`."""
        return (*self.shown.values.to_list(), *self.unseen)

    @property
    def code_of(self) -> dict[str | None, int]:
        """The integers of sensitive values, by their texts."""
        return {text: code for code, text in enumerate([*as_text(self.shown.values).to_list(), *self.unseen])}


def read_case(
    release: object,
    external: object,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: str | Sequence[str],
    joint: bool = False,
    identifier: str,
    columns: Columns | None = None,
    missing: Missing = "error",
) -> Case:
    """Read and encode a release (of an anatomy: its two tables) and an external source."""
    shown_in = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    of_qi, of_sensitive = (
        {
            field: {name: setting for name, setting in settings.items() if (name in shown_in) == is_sensitive}
            for field, settings in (columns or {}).items()
        }
        for is_sensitive in (False, True)
    )
    of_shown = {**of_sensitive, "joint": joint}
    people, attributes = _read_external(external, quasi_identifiers, identifier, of_qi, missing)
    tables = _tables_of(release)
    if len(tables) == 1:
        cells, shown = _read_generalization(open_release(tables[0]), attributes, shown_in, of_shown)
    else:
        qi, shows = open_release(tables[0]), open_release(tables[1])
        cells, shown = _read_anatomy(qi, shows, attributes, shown_in, of_shown)
    recoding: Recoding = "mbr" if len(tables) == 1 else "anatomy"
    return Case(people, published(cells), recoding, shown)


def _tables_of(release: object) -> tuple[object, ...]:
    """One table, or the two of an anatomy: given as a pair, or as the name that the pair was written under."""
    if isinstance(release, tuple | list):
        if len(release) != 2:
            raise PolicyError(
                f"A release is one table, or the two tables of an anatomy, not {len(release)}.",
                remedy="Give (qi_table, sensitive_table).",
            )
        return tuple(release)
    if isinstance(release, str | os.PathLike):
        path = Path(release)
        stem, ending = split_name(path)
        two = tuple(path.with_name(f"{stem}.{part}{ending}") for part in ("qi", "sensitive"))
        if not path.exists() and all(table.exists() for table in two):
            return two
    return (release,)


def _require_columns(table: Source, columns: Iterable[str], what: str) -> None:
    absent = [name for name in columns if name not in table.columns]
    if absent:
        raise PolicyError(
            f"The {what} has no column named {listed(absent)}.", remedy=f"Its columns are {listed(table.columns)}."
        )


def _read_external(
    source: object,
    quasi_identifiers: Sequence[str],
    identifier: str,
    columns: Columns,
    missing: Missing,
) -> tuple[External, tuple[Attribute, ...]]:
    table = open_source(source)
    _require_columns(table, [identifier, *quasi_identifiers], "external source")
    rows = table.read([name for name in table.columns if name in (identifier, *quasi_identifiers)])
    policy = Policy(
        quasi_identifiers=(*quasi_identifiers, _PERSON),
        sensitive=_SENSITIVE,
        diversity=1,
        identifier=identifier,
        missing=missing,
        **columns,
    )
    if rows.height == 0:
        raise CheckFailedError("The external source has no people.", remedy="It must hold everybody in the table.")
    # E is a microdata table without the sensitive attribute (section 2.1); the encoding wants one.
    rows = rows.with_columns(rows[identifier].alias(_PERSON), pl.lit(0).alias(_SENSITIVE))
    *attributes, person = encode(rows, policy, SystemDraws(), untyped=table.untyped).attributes
    names = person.values.gather(pl.Series(person.codes)).to_list()
    points = list(zip(*(attribute.codes.tolist() for attribute in attributes), strict=True))
    ticks = _Ticks(tuple(attributes), columns)
    return External(names, points, [shape_of(attribute) for attribute in attributes], ticks), tuple(attributes)


def shape_of(attribute: Attribute) -> Shape:
    """What a group publishes of an attribute."""
    if attribute.style == "ancestor" and attribute.subtrees is not None:
        return attribute.subtrees
    return attribute.style == "range"


class _Ticks:
    """Encodes the table of some of the people of E, as the program would, for where its values stand."""

    def __init__(self, attributes: tuple[Attribute, ...], columns: Columns) -> None:
        self._rows = pl.DataFrame([a.values.gather(pl.Series(a.codes)).alias(a.name) for a in attributes]).with_columns(
            pl.lit(0).alias(_SENSITIVE)
        )
        self._policy = Policy(
            quasi_identifiers=tuple(a.name for a in attributes),
            sensitive=_SENSITIVE,
            diversity=1,
            missing="category",
            **columns,
        )

    def __call__(self, people: tuple[Person, ...]) -> list[npt.NDArray[np.uint64]]:
        table = encode(self._rows[list(people)], self._policy, SystemDraws(), untyped=False)
        return [attribute.ticks for attribute in table.attributes]


def _read_generalization(
    table: Source, attributes: Sequence[Attribute], sensitive: tuple[str, ...], settings: Columns
) -> tuple[list[Cell], Attribute]:
    columns: list[str] = []
    for attribute in attributes:
        bounds = [f"{attribute.name}{end}" for end in ("_min", "_max")]
        as_bounds = attribute.name not in table.columns and all(name in table.columns for name in bounds)
        columns += bounds if as_bounds else [attribute.name]
    rows = _encode_release(table, columns, sensitive, settings)
    labels = {column.name: as_text(column.values).to_list() for column in rows.attributes}
    codes = {column.name: column.codes.tolist() for column in rows.attributes}
    sides_of_rows = []
    for attribute in attributes:
        code, code_of_end = _codes_by_text(attribute.values), _codes_by_text(attribute.ends)
        if attribute.name in labels:
            sides = [_side_of_label(label, attribute, code, code_of_end) for label in labels[attribute.name]]
            sides_of_rows.append([sides[number] for number in codes[attribute.name]])
        else:
            low, high = (
                [_code(labels[name][number], attribute, of_text) for number in codes[name]]
                for name, of_text in ((f"{attribute.name}_min", code), (f"{attribute.name}_max", code_of_end))
            )
            sides_of_rows.append(list(zip(low, high, strict=True)))
    groups: dict[tuple[Side, ...], list[int]] = defaultdict(list)
    for box, value in zip(zip(*sides_of_rows, strict=True), rows.sensitive.codes.tolist(), strict=True):
        groups[box].append(value)
    cells = [Cell(box, (), tuple(sorted(values))) for box, values in groups.items()]
    return cells, rows.sensitive


def _encode_release(table: Source, columns: Sequence[str], sensitive: tuple[str, ...], settings: Columns) -> Microdata:
    _require_columns(table, [*columns, *sensitive], "release")
    policy = Policy(quasi_identifiers=tuple(columns), sensitive=sensitive, diversity=1, missing="category", **settings)
    rows = table.read(policy.needed(table.columns))
    if rows.height == 0:
        raise CheckFailedError("The release has no rows, and says nothing about anybody.")
    return encode(rows, policy, SystemDraws(), untyped=table.untyped)


def _codes_by_text(values: pl.Series) -> dict[str | None, int]:
    return {text: number for number, text in enumerate(as_text(values).to_list())}


def _code(text: str | None, attribute: Attribute, code: Mapping[str | None, int]) -> int:
    try:
        return code[text]
    except KeyError:
        raise CheckFailedError(
            f"The release holds {text!r} in {attribute.name!r}, which nobody in the external source has.",
            remedy="The external source must hold everybody who is in the table, with the same values.",
        ) from None


def _side_of_label(
    label: str | None, attribute: Attribute, code: Mapping[str | None, int], code_of_end: Mapping[str | None, int]
) -> Side:
    if attribute.style == "ancestor" and attribute.subtrees is not None:
        if label not in attribute.subtrees.spans:
            raise CheckFailedError(
                f"The release holds {label!r} in {attribute.name!r}, which is no ancestor of anybody's value.",
                remedy="Give the hierarchy that the release was made with.",
            )
        return attribute.subtrees.spans[label]
    try:
        kind, texts = parse(label)
    except ValueError as problem:
        raise CheckFailedError(f"In the release, a value of {attribute.name!r} cannot be read: {problem}") from None
    is_range = attribute.style == "range"
    if kind != "alone" and (kind == "interval") != is_range:
        needs = "is one of texts, which have no order unless one is given" if kind == "interval" else "has an order"
        raise CheckFailedError(
            f"In the release, {attribute.name!r} holds {label}, but the column of the external source {needs}.",
            remedy="Give the orders of the policy that the release was made with, and the same types of columns.",
        )
    if is_range:
        return _code(texts[0], attribute, code), _code(texts[-1], attribute, code_of_end)
    return tuple(sorted(_code(text, attribute, code) for text in texts))


def _read_anatomy(
    qi: Source,
    sensitive_table: Source,
    attributes: Sequence[Attribute],
    sensitive: tuple[str, ...],
    settings: Columns,
) -> tuple[list[Cell], Attribute]:
    exact = _encode_release(qi, [attribute.name for attribute in attributes], (GROUP_ID,), {})
    shown = _encode_release(sensitive_table, [GROUP_ID], sensitive, settings)
    columns = []
    for attribute, column in zip(attributes, exact.attributes, strict=True):
        code = _codes_by_text(exact_values(attribute))
        codes = [_code(text, attribute, code) for text in as_text(column.values).to_list()]
        columns.append([codes[number] for number in column.codes.tolist()])
    points: dict[str, list[Point]] = defaultdict(list)
    for group, point in zip(_names(exact.sensitive), zip(*columns, strict=True), strict=True):
        points[group].append(point)
    values: dict[str, list[int]] = defaultdict(list)
    for group, value in zip(_names(shown.attributes[0]), shown.sensitive.codes.tolist(), strict=True):
        values[group].append(value)
    if {g: len(members) for g, members in points.items()} != {g: len(members) for g, members in values.items()}:
        raise CheckFailedError("The two tables do not belong together: their groups have different sizes.")
    cells = [Cell((), tuple(sorted(points[group])), tuple(sorted(values[group]))) for group in points]
    return cells, shown.sensitive


def _names(groups: Attribute) -> list[str]:
    texts = as_text(groups.values).to_list()
    return [texts[code] for code in groups.codes.tolist()]
