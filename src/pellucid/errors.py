"""The exceptions of pellucid.

Every message says what was wrong, where, and what to do about it::

    PellucidError                     exit status
    ├── PolicyError                   2   a role, an option or the policy file
    │   ├── HierarchyError            2   a hierarchy is no tree
    │   └── MicrodataError            2   the table breaks what the policy asks (missing values, repeated people)
    ├── NotEligibleError              3   no l-diverse release of this table exists
    ├── NoResultError                 3   the algorithm comes to none, though another may
    ├── CheckFailedError              4   a file does not hold what a release must hold
    ├── SourceError                   5   a table cannot be read
    ├── TargetError                   5   a release cannot be written
    ├── RegisterError                 5   a register of releases cannot be read or written
    ├── MissingExtraError             2   an optional dependency is not installed
    └── TooManyInstancesError         2   an exact answer would take longer than allowed

The command line prints the message as one paragraph and leaves with the status beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

__all__ = [
    "CheckFailedError",
    "HierarchyError",
    "MicrodataError",
    "MissingExtraError",
    "NoResultError",
    "NotEligibleError",
    "OverlapWarning",
    "PellucidError",
    "PolicyError",
    "Problem",
    "RegisterError",
    "SourceError",
    "TargetError",
    "TooManyInstancesError",
    "Where",
    "listed",
]

Where: TypeAlias = tuple[str | int, ...]
"""The way to a setting in a policy file: keys, and numbers of items from 0. Empty: the policy as a whole."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a policy."""

    where: Where
    what: str
    remedy: str = ""
    line: int | None = None
    """Of the policy file; None where it is not the file that says so."""

    def __str__(self) -> str:
        return f"{self.what} {self.remedy}".strip()

    def as_dict(self) -> dict[str, Any]:
        """The problem as plain values."""
        return {"line": self.line, "setting": list(self.where), "message": self.what, "remedy": self.remedy}


class PellucidError(Exception):
    """Whatever pellucid refuses to do."""

    exit_status: ClassVar[int] = 2

    def __init__(self, what: str, *, remedy: str = "") -> None:
        super().__init__(f"{what} {remedy}".strip())
        self.what = what
        self.remedy = remedy


class PolicyError(PellucidError):
    """A column without a role, an option out of range, a policy file that cannot be understood."""

    def __init__(self, what: str, *, remedy: str = "", problems: Sequence[Problem] = ()) -> None:
        super().__init__(what, remedy=remedy)
        self.problems = tuple(problems)
        """All that is wrong with a policy, if the message says more than one thing or names a line."""

    @classmethod
    def of(cls, problems: Iterable[Problem], *, file: object = None) -> PolicyError:
        """All problems of a policy in one message, in the order of the lines of its file."""
        found = sorted(problems, key=lambda problem: (problem.line is None, problem.line))
        if len(found) == 1:
            [only] = found
            place = f"{file}, line {only.line}: " if only.line is not None else ""
            return cls(place + only.what, remedy=only.remedy, problems=found)
        told = (str(p) if p.line is None else f"Line {p.line}: {p}" for p in found)
        whole = "The policy" if file is None else f"The policy in {file}"
        return cls(f"{whole} has {len(found)} problems. {' '.join(told)}", problems=found)


class MicrodataError(PolicyError):
    """The table does not fit the policy: missing values, people who occur twice, types without an order."""


class HierarchyError(PolicyError):
    """A hierarchy is no tree of even depth in which every name means one thing; `problems` lists why."""


class NotEligibleError(PellucidError):
    """No l-diverse release of this table exists.

    The message holds a count of a sensitive value: it is for the curator and must not be published (G6).
    """

    exit_status = 3

    def __init__(self, what: str, *, remedy: str = "", largest_diversity: int) -> None:
        super().__init__(what, remedy=remedy)
        self.largest_diversity = largest_diversity


class NoResultError(PellucidError):
    """The algorithm comes to no release of this table, which says nothing about others."""

    exit_status = 3


class CheckFailedError(PellucidError):
    """A file was read back and is not the release that it should be."""

    exit_status = 4


class SourceError(PellucidError):
    """A table cannot be read."""

    exit_status = 5


class TargetError(PellucidError):
    """A release cannot be written; nothing is left under its name."""

    exit_status = 5


class RegisterError(PellucidError):
    """A register of releases cannot be read or written; then nothing is published."""

    exit_status = 5


class OverlapWarning(UserWarning):
    """A table that is being published shares people with an earlier release."""


class MissingExtraError(PellucidError):
    """An optional dependency is needed and is not installed."""

    def __init__(self, what: str, *, extra: str) -> None:
        super().__init__(what, remedy=f"Install it with: pip install 'pellucid[{extra}]'")


class TooManyInstancesError(PellucidError):
    """The adversary would have to look at more possible tables than the limit allows."""


def listed(names: Iterable[object], *, most: int = 8) -> str:
    """Names in quotes, separated by commas, with the number of those left out."""
    quoted = [repr(name) for name in names]
    shown = ", ".join(quoted[:most])
    return shown if len(quoted) <= most else f"{shown} and {len(quoted) - most} more"
