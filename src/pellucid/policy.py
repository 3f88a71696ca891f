"""What the curator decides: a role for every column, l, the algorithm, the recoding.

Nothing in a policy may come from looking at the sensitive values (G1), and it is published as it is in the
manifest (G8).
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, cast, get_args

from .errors import PolicyError, listed

__all__ = ["Algorithm", "Intervals", "Missing", "PenaltyName", "Policy", "Recoding"]

Algorithm = Literal["weave", "hybrid", "tailor", "ace", "mondrian", "mondrian-relaxed"]
Recoding = Literal["mbr", "anatomy"]
Intervals = Literal["text", "bounds"]
Missing = Literal["error", "category", "drop"]
PenaltyName = Literal["perimeter", "discernibility", "custom"]
"""`custom` is a function of the library's user: it cannot be named on the command line."""

_CHOICES: dict[str, tuple[str, ...]] = {
    "algorithm": get_args(Algorithm),
    "recoding": get_args(Recoding),
    "intervals": get_args(Intervals),
    "missing": get_args(Missing),
    "penalty": get_args(PenaltyName),
}
_GROUP_ID = "group_id"


@dataclass(frozen=True, kw_only=True)
class Policy:
    """A role for every column and the settings of one release, checked as a whole when it is made."""

    quasi_identifiers: tuple[str, ...]
    sensitive: str
    diversity: int
    identifier: str | None = None
    drop: tuple[str, ...] = ()
    drop_others: bool = False
    algorithm: Algorithm = "weave"
    penalty: PenaltyName = "perimeter"
    recoding: Recoding = "mbr"
    intervals: Intervals = "text"
    missing: Missing = "error"
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For a column of categories: all its values, smallest first. Public, and fixed before the data are seen.

    That of the sensitive column tells Weave which values are alike. It must never follow from the table.
    """

    def __post_init__(self) -> None:
        for option, choices in _CHOICES.items():
            _require_choice(option, getattr(self, option), choices)
        if not isinstance(self.diversity, int) or isinstance(self.diversity, bool) or self.diversity < 1:
            raise PolicyError(
                f"diversity (-l) must be a whole number of at least 1, not {self.diversity!r}.",
                remedy="With l = 8, nobody can be tied to a sensitive value with more than 1/8 confidence.",
            )
        if not self.quasi_identifiers:
            raise PolicyError(
                "No quasi-identifiers are given.",
                remedy="Name the columns that somebody could know about a person, such as -q age,sex,zipcode.",
            )
        self._require_one_role_each()
        for name, order in self.orders.items():
            if name not in (*self.quasi_identifiers, self.sensitive):
                raise PolicyError(
                    f"An order is given for {name!r}, which is not a quasi-identifier and not the sensitive column."
                )
            if twice := _repeated(order):
                raise PolicyError(f"The order of {name!r} lists {listed(twice)} more than once.")

    def _require_one_role_each(self) -> None:
        roles = [*self.quasi_identifiers, self.sensitive, *self.drop]
        if self.identifier is not None:
            roles.append(self.identifier)
        for name in roles:
            if not isinstance(name, str):
                raise PolicyError(f"Column names must be text, not {name!r}.")
        if twice := _repeated(roles):
            raise PolicyError(f"{listed(twice)} is given more than one role.", remedy="Keep one role per column.")

    def require_roles(self, columns: Sequence[str]) -> None:
        """Every column of the table has a role, and every role a column (G12)."""
        if twice := _repeated(columns):
            raise PolicyError(
                f"The table has more than one column named {listed(twice)}.",
                remedy="Rename all but one of them.",
            )
        named = [*self.quasi_identifiers, self.sensitive, *self.drop, *self._identifiers]
        for name in named:
            if name not in columns:
                near = difflib.get_close_matches(name, columns, n=3)
                hint = f"Did you mean {listed(near)}?" if near else f"Its columns are {listed(columns)}."
                raise PolicyError(f"The table has no column named {name!r}.", remedy=hint)
        without = [name for name in columns if name not in named]
        if without and not self.drop_others:
            raise PolicyError(
                f"Every column needs a role, and {listed(without)} has none.",
                remedy="Make it a quasi-identifier (-q), drop it (--drop), or drop all such columns (--drop-others).",
            )
        self._require_free_names()

    def _require_free_names(self) -> None:
        """The columns that a recoding adds must not collide with those that it keeps."""
        made: list[str] = []
        if self.recoding == "anatomy":
            made = [_GROUP_ID]
        elif self.intervals == "bounds":
            made = [name + end for name in self.quasi_identifiers for end in ("_min", "_max")]
        taken = [name for name in made if name in (*self.quasi_identifiers, self.sensitive)]
        if taken:
            raise PolicyError(
                f"The release would have two columns named {listed(taken)}.",
                remedy="Rename that column in the source.",
            )

    @property
    def _identifiers(self) -> tuple[str, ...]:
        return () if self.identifier is None else (self.identifier,)

    def needed(self, columns: Sequence[str]) -> list[str]:
        """The columns that must be read, in the order of the source."""
        used = {*self.quasi_identifiers, self.sensitive, *self._identifiers}
        return [name for name in columns if name in used]

    @classmethod
    def from_options(cls, options: Mapping[str, Any], *, file: str | os.PathLike[str] | None = None) -> Policy:
        """A policy from options, on top of a policy file if there is one; options that are None do not count."""
        given = {} if file is None else _read_policy_file(Path(file))
        given.update({name: value for name, value in options.items() if value is not None})
        for name in ("quasi_identifiers", "drop"):
            if name in given:
                given[name] = _names(name, given[name])
        for name in ("quasi_identifiers", "sensitive", "diversity"):
            if name not in given:
                raise PolicyError(f"The policy lacks {name.replace('_', '-')}.", remedy=_HOW_TO_GIVE[name])
        orders = {name: tuple(order) for name, order in given.get("orders", {}).items()}
        if (sensitive_order := given.pop("sensitive_order", None)) is not None:
            orders[given["sensitive"]] = _names("sensitive_order", sensitive_order)
        given["orders"] = orders
        return cls(**given)

    def as_dict(self) -> dict[str, Any]:
        """The policy as it stands in the manifest."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        plain["quasi_identifiers"] = list(self.quasi_identifiers)
        plain["drop"] = list(self.drop)
        plain["orders"] = {name: list(order) for name, order in self.orders.items()}
        return plain


_HOW_TO_GIVE = {
    "quasi_identifiers": "Name the columns that somebody could know about a person, such as -q age,sex,zipcode.",
    "sensitive": "Name the column to protect, such as -s disease.",
    "diversity": "Give l, such as -l 8: nobody is tied to a sensitive value with more than 1/8 confidence.",
}


def _require_choice(option: str, value: object, choices: Iterable[str]) -> None:
    if value not in (allowed := list(choices)):
        near = difflib.get_close_matches(str(value), allowed, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else ""
        raise PolicyError(f"{option} must be one of {listed(allowed)}, not {value!r}.", remedy=hint)


def _repeated(names: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    twice: list[str] = []
    for name in names:
        if name in seen and name not in twice:
            twice.append(name)
        seen.add(name)
    return twice


def _names(option: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        raise PolicyError(f"{option} must be a list of column names, not the text {value!r}.")
    if not isinstance(value, Iterable):
        raise PolicyError(f"{option} must be a list of column names, not {value!r}.")
    return tuple(cast("Iterable[str]", value))


def _read_policy_file(path: Path) -> dict[str, Any]:
    """The options in a TOML file: the words of the command line, and ``[attributes.NAME]`` with an ``order``."""
    try:
        with path.open("rb") as handle:
            given = tomllib.load(handle)
    except OSError as problem:
        raise PolicyError(f"The policy file {path} cannot be read: {problem.strerror}.") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise PolicyError(f"The policy file {path} is not valid TOML: {problem}.") from problem
    attributes = given.pop("attributes", {})
    allowed = {f.name for f in fields(Policy)} - {"orders"}
    for name in given:
        if name not in allowed:
            near = difflib.get_close_matches(name, [*allowed, "attributes"], n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"It may hold {listed(sorted(allowed), most=99)}."
            raise PolicyError(f"The policy file {path} holds {name!r}, which is no setting.", remedy=hint)
    given["orders"] = _orders(attributes, path)
    _require_types(given, path)
    return given


def _orders(attributes: object, path: Path) -> dict[str, tuple[str, ...]]:
    if not isinstance(attributes, dict):
        raise PolicyError(f"In the policy file {path}, attributes must be tables such as [attributes.education].")
    orders: dict[str, tuple[str, ...]] = {}
    for name, settings in attributes.items():
        if not isinstance(settings, dict) or set(settings) != {"order"}:
            raise PolicyError(
                f"In the policy file {path}, [attributes.{name}] must hold one setting, order.",
                remedy='For example: order = ["none", "school", "university"]',
            )
        order = settings["order"]
        if not isinstance(order, list) or not order or not all(isinstance(value, str) for value in order):
            raise PolicyError(
                f"In the policy file {path}, the order of {name!r} must be a list of texts.",
                remedy='For example: order = ["none", "school", "university"]',
            )
        orders[name] = tuple(order)
    return orders


def _require_types(given: Mapping[str, Any], path: Path) -> None:
    texts = ("sensitive", "identifier")
    for name in texts:
        if name in given and not isinstance(given[name], str):
            raise PolicyError(f"In the policy file {path}, {name} must be a text, not {given[name]!r}.")
    if "drop_others" in given and not isinstance(given["drop_others"], bool):
        raise PolicyError(f"In the policy file {path}, drop_others must be true or false.")
