"""Hierarchies: which values are alike, as trees whose inner nodes have names.

A hierarchy is public. It comes from the policy, never from the sensitive values (G1). Its file has the format that
this field uses (ARX): one line per value, with semicolons between the value, its ancestors, and the root::

    Vienna;Austria;Europe;*
    Lagos;Nigeria;Africa;*

The values are put into the order of the tree, so that the values under every node are neighbours: siblings stand in
the order of the file or, where all values are numbers or dates, in the order of those.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from .errors import HierarchyError, Problem
from .packing import Integers
from .passwords import require_file_name
from .typed import infer_type

__all__ = ["Hierarchy", "HierarchyLike", "Subtrees"]

_Row: TypeAlias = tuple[str, ...]
_Node: TypeAlias = tuple[int, str]
"""A node by its level, 0 for values, and its name."""
_MOST_SHOWN = 40

HierarchyLike: TypeAlias = (
    "Hierarchy | str | os.PathLike[str] | Mapping[str, Sequence[str]] | Iterable[Sequence[str | int]]"
)
"""A hierarchy, the path of its file, its rows, or a mapping from every value to its ancestors."""


@dataclass(frozen=True)
class Hierarchy:
    """A tree of even depth: for every value the way up to the root."""

    paths: tuple[_Row, ...]
    """In the order of the tree: a value, its ancestors, the root."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "paths", _checked([(number, path) for number, path in enumerate(self.paths, 1)], ""))

    @classmethod
    def of(cls, given: HierarchyLike) -> Hierarchy:
        """Whatever a user of the library gives."""
        if isinstance(given, Hierarchy):
            return given
        if isinstance(given, str | os.PathLike):
            return cls.read(given)
        if isinstance(given, Mapping):
            given = [
                (value, *_row([above] if isinstance(above, str | int) else above)) for value, above in given.items()
            ]
        if not isinstance(given, Iterable):
            raise HierarchyError(
                f"A hierarchy is a path, a list of rows, or a mapping from values to their ancestors, not {given!r}."
            )
        return cls(tuple(_row(row) for row in given))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Hierarchy:
        """Read a hierarchy from its file."""
        require_file_name(path)
        path = Path(path)
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except OSError as problem:
            raise HierarchyError(f"The hierarchy {path} cannot be read: {problem.strerror}.") from problem
        except UnicodeDecodeError as problem:
            raise HierarchyError(
                f"The hierarchy {path} is not UTF-8 text.", remedy="Save it with the encoding UTF-8."
            ) from problem
        return cls(_checked(list(_lines(text, path)), f" {path}"))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file that `read` reads."""
        Path(path).write_bytes(self.text.encode())

    @property
    def text(self) -> str:
        """The content of that file."""
        return "".join(";".join(map(_cell, path)) + "\n" for path in self.paths)

    @property
    def values(self) -> tuple[str, ...]:
        """All values, in the order of the tree."""
        return tuple(path[0] for path in self.paths)

    @property
    def levels(self) -> int:
        """How many nodes a way to the root has, both ends included."""
        return len(self.paths[0])

    @property
    def root(self) -> str:
        """The name of everything."""
        return self.paths[0][-1]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """For every value its place in the order."""
        return {value: place for place, value in enumerate(self.values)}

    @cached_property
    def ranges(self) -> Mapping[str, tuple[int, int]]:
        """For the name of every node, the places of the first and the last value under it."""
        return {name: span for (_, name), span in _spans(self.paths).items()}

    @property
    def sha256(self) -> str:
        """The fingerprint of the file that `write` writes: the same for all files that mean this tree."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def as_dict(self) -> dict[str, str | int]:
        """What the manifest says of it."""
        return {"values": len(self.paths), "levels": self.levels, "sha256": self.sha256}

    def subtrees(self, values: Sequence[str | None]) -> Subtrees:
        """The subtrees over some of its values, which are in the order of the tree; None, a missing value, is first.

        A missing value is a child of the root.
        """
        missing = int(bool(values) and values[0] is None)
        rows = [self.paths[self.places[value]] for value in values if value is not None]
        first = np.zeros((self.levels, len(values)), dtype=np.uint32)
        for level in range(self.levels - 1):
            nodes = [row[level] for row in rows]
            starts = [place if place == 0 or node != nodes[place - 1] else 0 for place, node in enumerate(nodes)]
            first[level, missing:] = np.maximum.accumulate(np.array(starts, dtype=np.uint32)) + missing
        names: list[list[str | None]] = [
            [None] * missing + [row[level] for row in rows] for level in range(self.levels - 1)
        ]
        return Subtrees(first, (*(tuple(of_level) for of_level in names), (self.root,) * len(values)))


@dataclass(frozen=True, eq=False)
class Subtrees:
    """The subtrees of a hierarchy as ranges of an attribute's codes."""

    first: npt.NDArray[np.uint32]
    """For every level and every code: the smallest code under the same node."""
    names: tuple[tuple[str | None, ...], ...]
    """For every level and every code: the name of the node; None for a missing value below the root."""

    @cached_property
    def _last(self) -> npt.NDArray[np.uint32]:
        """For every level and every code: the largest code under the same node."""
        return np.stack([np.searchsorted(first, first, side="right") - 1 for first in self.first]).astype(np.uint32)

    def level(self, low: Integers, high: Integers) -> npt.NDArray[np.int64]:
        """The level of the lowest node over `low` and `high`, which is over all codes between them."""
        level: npt.NDArray[np.int64] = np.argmax(self.first[:, low] == self.first[:, high], axis=0)
        return level

    def widened(self, low: Integers, high: Integers) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """The smallest and the largest code under the lowest common ancestor."""
        level = self.level(low, high)
        return self.first[level, low], self._last[level, low]

    def span(self, low: int, high: int) -> tuple[int, int]:
        """`widened` for one pair."""
        first, last = self.widened(np.array([low]), np.array([high]))
        return int(first[0]), int(last[0])

    @cached_property
    def spans(self) -> Mapping[str | None, tuple[int, int]]:
        """For the name of every ancestor that codes have: the smallest and the largest code under it."""
        found: dict[str | None, tuple[int, int]] = {}
        for names, first, last in zip(self.names, self.first.tolist(), self._last.tolist(), strict=True):
            found |= dict(zip(names, zip(first, last, strict=True), strict=True))
        return found

    def ancestors(self, low: Integers, high: Integers) -> pl.Series:
        """The name of the lowest common ancestor."""
        level = self.level(low, high)
        return pl.Series([self.names[at][code] for at, code in zip(level, low, strict=True)], dtype=pl.String)


def _cell(text: str) -> str:
    # Python's writer would leave a carriage return bare.
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ';"\r\n') else text


def _row(row: object) -> _Row:
    if isinstance(row, str) or not isinstance(row, Iterable):
        raise HierarchyError(f"A row of a hierarchy lists a value, its ancestors and the root; {row!r} is no list.")
    cells = tuple(row)
    for cell in cells:
        if not isinstance(cell, str | int) or isinstance(cell, bool):
            raise HierarchyError(f"A hierarchy holds texts and whole numbers, not {cell!r}.")
    return tuple(str(cell) for cell in cells)


def _lines(text: str, path: Path) -> Iterator[tuple[int, _Row]]:
    """The lines of a file with their numbers; empty lines do not count."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True)
    number = 1
    try:
        for row in rows:
            if row:
                yield number, tuple(row)
            number = rows.line_num + 1
    except csv.Error as problem:
        raise HierarchyError(
            f"The hierarchy {path} is no CSV file: line {number} has quotes that do not fit together.",
            remedy="A value with a semicolon or a quote in it stands in quotes; each quote inside is written twice.",
        ) from problem


def _checked(rows: Sequence[tuple[int, _Row]], name: str) -> tuple[_Row, ...]:
    """The rows in the order of the tree. Raises with all that is wrong if they are no tree."""
    if not rows:
        raise HierarchyError(
            f"The hierarchy{name} is empty.", remedy="It needs one line per value, such as Vienna;Austria;Europe;*"
        )
    problems, sound = _problems_of_rows(rows)
    if sound:
        problems += _problems_of_nodes(sound)
    if not problems:
        ordered = _in_order([row for _, row in sound])
        problems = _problems_of_names(ordered, {row: number for number, row in sound})
    if problems:
        shown = "; ".join(problems[:_MOST_SHOWN])
        more = f"; and {len(problems) - _MOST_SHOWN} more" if len(problems) > _MOST_SHOWN else ""
        raise HierarchyError(
            f"The hierarchy{name} is no tree: {shown}{more}.",
            remedy="Each line holds a value, its ancestors and the root, such as Vienna;Austria;Europe;*",
            problems=[Problem((), problem) for problem in problems],
        )
    return tuple(ordered)


def _problems_of_rows(rows: Sequence[tuple[int, _Row]]) -> tuple[list[str], list[tuple[int, _Row]]]:
    """What is wrong with single lines, and the lines that are in order."""
    width = Counter(len(row) for _, row in rows).most_common(1)[0][0]
    if width == 1:
        return ["its lines have no semicolons, so that no value has an ancestor"], []
    problems: list[str] = []
    sound: list[tuple[int, _Row]] = []
    line_of: dict[str, int] = {}
    for number, row in rows:
        if len(row) != width:
            problems.append(f"line {number} has {len(row)} cells where the others have {width}")
        elif "" in row:
            problems.append(f"line {number} has an empty cell")
        elif row[0] in line_of:
            problems.append(f"line {number} repeats {row[0]!r} of line {line_of[row[0]]}")
        else:
            line_of[row[0]] = number
            sound.append((number, row))
    return problems, sound


def _problems_of_nodes(rows: Sequence[tuple[int, _Row]]) -> list[str]:
    """Nodes with two parents, and more than one root."""
    problems: list[str] = []
    roots: dict[str, int] = {}
    parent_of: dict[_Node, tuple[str, int]] = {}
    told: set[_Node] = set()
    for number, row in rows:
        roots.setdefault(row[-1], number)
        for level in range(1, len(row) - 1):
            node, parent = (level, row[level]), row[level + 1]
            known, line = parent_of.setdefault(node, (parent, number))
            if known != parent and level + 2 < len(row) and node not in told:
                told.add(node)
                problems.append(f"{row[level]!r} lies in {known!r} on line {line} and in {parent!r} on line {number}")
    if len(roots) > 1:
        where = ", ".join(f"{root!r} on line {number}" for root, number in roots.items())
        problems.append(f"there is more than one root: {where}")
    return problems


def _in_order(rows: Sequence[_Row]) -> list[_Row]:
    """The rows in the order of the tree: every node stands where the first of its values does."""
    places = _places([row[0] for row in rows])
    first: dict[_Node, int] = {}
    for place, row in zip(places, rows, strict=True):
        for node in enumerate(row):
            first[node] = min(place, first.get(node, place))
    return sorted(rows, key=lambda row: [first[node] for node in reversed(list(enumerate(row)))])


def _places(values: Sequence[str]) -> list[int]:
    """The places of values without regard to the tree: by number or date if all are, else as they come."""
    typed = infer_type(pl.Series(values, dtype=pl.String))
    if typed.dtype == pl.String:
        return list(range(len(values)))
    places: list[int] = typed.rank("ordinal").to_list()
    return places


def _spans(paths: Sequence[_Row]) -> dict[_Node, tuple[int, int]]:
    spans: dict[_Node, tuple[int, int]] = {}
    for place, path in enumerate(paths):
        for node in enumerate(path):
            spans[node] = spans.get(node, (place, place))[0], place
    return spans


def _problems_of_names(paths: Sequence[_Row], line_of: Mapping[_Row, int]) -> list[str]:
    """Names that are published must mean one thing: nodes share a name only if they are over the same values."""
    problems = []
    known: dict[str, tuple[_Node, tuple[int, int]]] = {}
    for node, span in _spans(paths).items():
        other, other_span = known.setdefault(node[1], (node, span))
        if span != other_span:
            one, two = line_of[paths[other_span[0]]], line_of[paths[span[0]]]
            problems.append(
                f"{node[1]!r} is the name of two things: in cell {other[0] + 1} of line {one}"
                f" and in cell {node[0] + 1} of line {two}"
            )
    return problems
