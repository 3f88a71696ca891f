"""What the policy says of one column: the order or the tree of its values, and how a group's values are published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from .errors import HierarchyError, PolicyError, Problem
from .hierarchies import Hierarchy
from .settings import Grid, Style

__all__ = ["FIELDS", "AttributeSettings", "Columns", "Fault", "columns_of", "merged", "settings_of"]

FIELDS: Mapping[str, str] = {"order": "orders", "hierarchy": "hierarchies", "style": "styles", "grid": "grids"}
"""For each setting in [attributes.NAME]: what the policy calls it for all columns."""
Columns: TypeAlias = dict[str, Any]
"""The settings of all columns, as `Policy` takes them."""

_ALTERNATIVES = ("order", "hierarchy", "grid")
"""Each of them says how the values of a column lie to each other."""


class Fault(NamedTuple):
    """What is wrong with one setting of a column."""

    setting: str
    what: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class AttributeSettings:
    """The settings of one column, as in [attributes.NAME]."""

    order: tuple[str, ...] | None = None
    """All values of a column of categories, smallest first."""
    hierarchy: Hierarchy | None = None
    style: Style | None = None
    grid: Grid | None = None

    @property
    def listed(self) -> tuple[str, ...] | None:
        """All values in their order, where the policy says it."""
        return self.order if self.hierarchy is None else self.hierarchy.values

    def style_where(self, *, ordered: bool) -> Style:
        """How a group's values are published: as the policy says, or as their order allows."""
        if self.style is not None:
            return self.style
        if self.hierarchy is not None:
            return "ancestor"
        return "range" if ordered else "set"

    def faults(self, name: str, *, sensitive: bool) -> Iterator[Fault]:
        """What does not go together."""
        alternatives = [setting for setting in _ALTERNATIVES if getattr(self, setting) is not None]
        if len(alternatives) > 1:
            yield Fault(
                alternatives[-1],
                f"{name!r} has more than one of {' and '.join(alternatives)}.",
                "Each of them says how its values lie to each other: keep one.",
            )
        if sensitive:
            for setting in ("style", "grid"):
                if getattr(self, setting) is not None:
                    yield Fault(
                        setting,
                        f"A {setting} is given for {name!r}, the sensitive column, which is published as it is.",
                        f"Take the {setting} out.",
                    )
        elif self.style == "ancestor" and self.hierarchy is None:
            yield Fault(
                "style",
                f"{name!r} cannot be published as ancestors: it has no hierarchy.",
                f'Give it one, such as --hierarchy {name}=FILE, or let groups publish sets (style = "set").',
            )
        elif self.grid is not None and self.style not in (None, "range"):
            yield Fault(
                "style",
                f"{name!r} has a grid, so that groups publish intervals of steps, but its style is {self.style!r}.",
                "Take the style or the grid out.",
            )


def settings_of(name: str, given: Mapping[str, Any]) -> AttributeSettings:
    """The settings of one column, out of those of all columns."""
    return AttributeSettings(**{setting: given.get(field, {}).get(name) for setting, field in FIELDS.items()})


def columns_of(**given: Mapping[str, Any] | None) -> Columns:
    """The settings of columns as they are given to a function: orders, hierarchies, styles, grids."""
    columns, problems = merged({}, {name: value for name, value in given.items() if value is not None})
    if problems:
        raise PolicyError.of(problems)
    return columns


def merged(written: Mapping[str, Any], chosen: Mapping[str, Any]) -> tuple[Columns, tuple[Problem, ...]]:
    """The settings of all columns, with hierarchies read from their files; and what is wrong with those.

    For every column, what was chosen counts, and not what is written in the policy file.
    """
    found: Columns = {field: dict(written.get(field, {})) for field in FIELDS.values()}
    for setting, field in FIELDS.items():
        for name in chosen.get(field, {}):
            for other in _ALTERNATIVES if setting in _ALTERNATIVES else (setting,):
                found[FIELDS[other]].pop(name, None)
    for field in FIELDS.values():
        found[field] |= chosen.get(field, {})
    found["orders"] = {
        name: order if isinstance(order, str) else tuple(order) for name, order in found["orders"].items()
    }
    problems = []
    for name, given in list(found["hierarchies"].items()):
        try:
            found["hierarchies"][name] = Hierarchy.of(given)
        except HierarchyError as fault:
            problems.append(Problem(("attributes", name, "hierarchy"), f"{name!r}: {fault.what}", fault.remedy))
            for field in ("hierarchies", "styles"):
                found[field].pop(name, None)
    return found, tuple(problems)
