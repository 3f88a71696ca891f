"""What the curator decides: a role for every column, l, the algorithm, the recoding.

Nothing in a policy may come from looking at the sensitive values (G1), and it is published as it is in the
manifest (G8). What each setting may be is said in `settings`; here stands what they must be together.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

from .attributes import FIELDS, AttributeSettings, merged, settings_of
from .errors import PolicyError, Problem, Where, listed
from .hierarchies import Hierarchy
from .joint import name_of
from .policy_file import PolicyFile, read_policy_file
from .settings import ATTRIBUTE, POLICY, Algorithm, Grid, Intervals, Missing, PenaltyName, Recoding, Style, repeated

__all__ = ["Algorithm", "Intervals", "Missing", "PenaltyName", "Policy", "Recoding", "require_known"]

_GROUP_ID = "group_id"
_REQUIRED = ("quasi_identifiers", "sensitive", "diversity")
_NAME_ALL = "Name all of them, such as -s disease,treatment --joint, or leave joint out."


@dataclass(frozen=True, kw_only=True)
class Policy:
    """A role for every column and the settings of one release, checked as a whole when it is made."""

    quasi_identifiers: tuple[str, ...]
    sensitive: str | tuple[str, ...]
    """The sensitive column; of several that are declared joint, all of them."""
    joint: bool = False
    """Whether the combination of several sensitive columns is the value that nobody must be tied to."""
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
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """For a column of categories: a public tree of all its values, which orders them as well."""
    styles: Mapping[str, Style] = field(default_factory=dict)
    """How the groups publish their values of a column, if not as its order or its hierarchy suggests."""
    grids: Mapping[str, Grid] = field(default_factory=dict)
    """For a column of numbers or dates: the steps that its values are put into before anything else happens."""

    anonymity: int | None = None
    """Of Mask, the paper's k: the smallest group; by default l."""
    protected: tuple[str, ...] | None = None
    """Of Mask, the paper's V: the sensitive values that it bounds; by default all."""

    def __post_init__(self) -> None:
        if isinstance(self.sensitive, list | tuple):
            alone = len(self.sensitive) == 1 and not self.joint
            object.__setattr__(self, "sensitive", self.sensitive[0] if alone else tuple(self.sensitive))
        for name in FIELDS.values():  # a policy does not change when the mapping does that it was made from
            object.__setattr__(self, name, dict(getattr(self, name)))
        if problems := list(_problems_of({f.name: getattr(self, f.name) for f in fields(self)})):
            raise PolicyError.of(problems)

    def require_roles(self, columns: Sequence[str]) -> None:
        """Every column of the table has a role, and every role a column (G12)."""
        named = [*self.quasi_identifiers, *self.sensitive_columns, *self.drop, *self._identifiers]
        _require_no_list(self.sensitive_columns, columns)
        _require_columns(named, columns)
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
        taken = [name for name in made if name in (*self.quasi_identifiers, *self.sensitive_columns)]
        if taken:
            raise PolicyError(
                f"The release would have two columns named {listed(taken)}.",
                remedy="Rename that column in the source.",
            )

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive column, or those that are one value."""
        return _as_columns(self.sensitive)

    @property
    def sensitive_value(self) -> str:
        """The name of the value that nobody must be tied to: the column's, or that of the combination."""
        return name_of(self.sensitive_columns)

    @property
    def sensitive_words(self) -> str:
        """The same in a sentence."""
        *others, last = self.sensitive_columns
        return f"the combination of {', '.join(others)} and {last}" if others else last

    @property
    def _identifiers(self) -> tuple[str, ...]:
        return () if self.identifier is None else (self.identifier,)

    def needed(self, columns: Sequence[str]) -> list[str]:
        """The columns that must be read, in the order of the source."""
        used = {*self.quasi_identifiers, *self.sensitive_columns, *self._identifiers}
        return [name for name in columns if name in used]

    @classmethod
    def from_options(
        cls, options: Mapping[str, Any], *, file: str | os.PathLike[str] | PolicyFile | None = None
    ) -> Policy:
        """A policy from options, on top of a policy file if there is one; options that are None do not count."""
        written = read_policy_file(file)
        chosen = {name: value for name, value in options.items() if value is not None}
        for name in ("quasi_identifiers", "drop", "sensitive_order", "protected"):
            if name in chosen:
                chosen[name] = _names(name, chosen[name])
        if not isinstance(several := chosen.get("sensitive", ""), str) and isinstance(several, Iterable):
            chosen["sensitive"] = tuple(several)
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in written.options.items()
        }
        if "sensitive" in chosen:  # columns are declared joint where they are named
            given.pop("joint", None)
        given |= chosen
        problems = list(written.problems)
        for name in _REQUIRED:
            if name not in given and name not in written.mentioned:
                problems.append(Problem((), f"The policy lacks {name.replace('_', '-')}.", POLICY[name].remedy))
        if (order := given.pop("sensitive_order", None)) is not None and "sensitive" in given:
            first, *others = _as_columns(given["sensitive"])
            if others:
                problems.append(_order_of_several(first))
            else:
                chosen["orders"] = {**chosen.get("orders", {}), first: order}
        of_columns, unreadable = merged(written.options, chosen)
        given |= of_columns
        for problem in (*unreadable, *_problems_of(given)):
            overridden = _is_among(chosen, problem.where)
            problems.append(problem if overridden else replace(problem, line=written.line_of(problem.where)))
        if problems:
            raise PolicyError.of(problems, file=written.path)
        return cls(**given)

    def as_dict(self) -> dict[str, Any]:
        """The policy as it stands in the manifest."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        plain["quasi_identifiers"] = list(self.quasi_identifiers)
        plain["drop"] = list(self.drop)
        if self.joint:
            plain["sensitive"] = list(self.sensitive_columns)
        else:
            del plain["joint"]
        plain["orders"] = {name: list(order) for name, order in self.orders.items()}
        if self.algorithm != "mask":
            del plain["anonymity"], plain["protected"]
        elif self.protected is not None:
            plain["protected"] = list(self.protected)
        plain["hierarchies"] = {name: hierarchy.as_dict() for name, hierarchy in self.hierarchies.items()}
        return plain

    @property
    def sha256(self) -> str:
        """The SHA-256 of the policy as it stands in the manifest: in JSON, keys sorted, no spaces, UTF-8."""
        text = json.dumps(self.as_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def columns(self) -> dict[str, AttributeSettings]:
        """What is set for each of the columns that are published."""
        return {name: self.of_column(name) for name in (*self.quasi_identifiers, *self.sensitive_columns)}

    def of_column(self, name: str) -> AttributeSettings:
        """What is set for one column."""
        return settings_of(name, {field: getattr(self, field) for field in FIELDS.values()})


def require_known(given: Mapping[str, Any], columns: Sequence[str]) -> None:
    """Some roles, before there is a policy: each column has one at most, and is in the table."""
    given = {role: value for role, value in given.items() if value}
    problems = list(_problems_of(given))
    if given.get("joint") and "sensitive" not in given:
        problems.append(Problem(("joint",), "joint is for several sensitive columns, and none is named.", _NAME_ALL))
    if problems:
        raise PolicyError.of(problems)
    _require_no_list(_as_columns(given.get("sensitive", ())), columns)
    _require_columns([name for role, value in given.items() for _, name in _columns(role, value)], columns)


def _require_no_list(sensitive: Iterable[str], columns: Sequence[str]) -> None:
    """A name that no column has, and that lists columns which there are, was meant as several columns."""
    for name in sensitive:
        parts = [part.strip() for part in name.split(",")]
        if name not in columns and len(parts) > 1 and set(parts) <= set(columns):
            raise PolicyError.of([_not_joint(parts)])


def _require_columns(named: Iterable[str], columns: Sequence[str]) -> None:
    """All columns have names of their own, and those named are among them."""
    if twice := repeated(columns):
        raise PolicyError(
            f"The table has more than one column named {listed(twice)}.",
            remedy="Rename all but one of them.",
        )
    for name in named:
        if name not in columns:
            near = difflib.get_close_matches(name, columns, n=3)
            hint = f"Did you mean {listed(near)}?" if near else f"Its columns are {listed(columns)}."
            raise PolicyError(f"The table has no column named {name!r}.", remedy=hint)


def _problems_of(given: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with settings, each for itself and together; some of them may be missing."""
    for name, value in given.items():
        if name in POLICY.names and value is not None and (name, value) != ("penalty", "custom"):
            yield from POLICY[name].problems(value, (name,))
    yield from _problems_of_roles(given)
    yield from _problems_of_joint(given)
    yield from _problems_of_mask(given)
    yield from _problems_of_columns(given)


def _problems_of_columns(given: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with the settings of single columns."""
    sensitive = _as_columns(given.get("sensitive", ()))
    known = (*given.get("quasi_identifiers", ()), *sensitive)
    sound = True
    for setting, field_name in FIELDS.items():
        for name, value in given.get(field_name, {}).items():
            where = ("attributes", name, setting)
            if not isinstance(value, Hierarchy):
                wrong = list(ATTRIBUTE[setting].problems(value, where))
                sound = sound and not wrong
                yield from wrong
            if "sensitive" in given and "quasi_identifiers" in given and name not in known:
                article = "An" if setting[0] in "aeiou" else "A"
                yield Problem(
                    where,
                    f"{article} {setting} is given for {name!r}, which is not a quasi-identifier and not the sensitive"
                    " column.",
                )
    for name in dict.fromkeys(name for field_name in FIELDS.values() for name in given.get(field_name, {})):
        if sound:
            for fault in settings_of(name, given).faults(name, sensitive=name in sensitive):
                yield Problem(("attributes", name, fault.setting), fault.what, fault.remedy)


def _problems_of_roles(given: Mapping[str, Any]) -> Iterator[Problem]:
    """Columns that are given two roles."""
    roles: dict[str, str] = {}
    for role in ("quasi_identifiers", "sensitive", "identifier", "drop"):
        for where, name in _columns(role, given.get(role)):
            if roles.setdefault(name, role) != role:
                yield Problem(where, f"{name!r} is given more than one role.", "Keep one role per column.")


def _problems_of_joint(given: Mapping[str, Any]) -> Iterator[Problem]:
    """Several sensitive columns that are not declared joint, and one that is."""
    columns, joint = _as_columns(given.get("sensitive", ())), given.get("joint", False)
    if len(columns) > 1 and joint is False:
        yield _not_joint(columns)
    elif len(columns) > 1 and name_of(columns) in given.get("quasi_identifiers", ()):
        yield Problem(
            ("quasi_identifiers",),
            f"The quasi-identifier {name_of(columns)!r} has the name of the combination of sensitive columns.",
            "Rename that column in the source.",
        )
    elif len(columns) == 1 and joint is True:
        yield Problem(
            ("joint",),
            "joint is for several sensitive columns, and there is one.",
            _NAME_ALL,
        )


def _not_joint(columns: Sequence[str]) -> Problem:
    return Problem(
        ("sensitive",),
        f"One sensitive value is protected, and there are several sensitive columns: {listed(columns)}.",
        "Declare them joint (--joint, or joint = true): then nobody is tied to their combination, but everybody of a"
        " group may have the same value in one of them. Where one of them is a secret by itself, name that one and drop"
        " the others.",
    )


def _order_of_several(first: str) -> Problem:
    return Problem(
        ("sensitive_order",),
        "There is one order of sensitive values, and several sensitive columns.",
        f"Give each of them its own in the policy file: order in [attributes.{first}].",
    )


def _problems_of_mask(given: Mapping[str, Any]) -> Iterator[Problem]:
    """Settings of Mask with another algorithm, and groups too small for l-diversity."""
    algorithm, k, l = (given.get(name) for name in ("algorithm", "anonymity", "diversity"))  # noqa: E741 - the paper's
    for name in ("anonymity", "protected"):
        if given.get(name) is not None and algorithm != "mask":
            yield Problem((name,), f"{name} is a setting of the algorithm 'mask' alone.", "Leave it out.")
    if isinstance(k, int) and isinstance(l, int) and k < l:
        yield Problem(("anonymity",), f"anonymity must be at least l = {l}, not {k}.")


def _is_among(chosen: Mapping[str, Any], where: Where) -> bool:
    """Whether a setting was given as an option, and not by the file."""
    if where[:1] == ("attributes",) and len(where) > 2:
        return where[1] in chosen.get(FIELDS[str(where[2])], ())
    return where[:1] != () and where[0] in chosen


def _columns(role: str, value: object) -> Iterator[tuple[Where, str]]:
    if isinstance(value, str):
        yield (role,), value
    elif isinstance(value, list | tuple):
        yield from (((role, number), name) for number, name in enumerate(value) if isinstance(name, str))


def _as_columns(value: object) -> tuple[str, ...]:
    """One name as it is, several as they are listed; what is neither is told elsewhere."""
    return tuple(name for _, name in _columns("sensitive", value))


def _names(option: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        raise PolicyError(f"{option} must be a list of column names, not the text {value!r}.")
    if not isinstance(value, Iterable):
        raise PolicyError(f"{option} must be a list of column names, not {value!r}.")
    return tuple(cast("Iterable[str]", value))
