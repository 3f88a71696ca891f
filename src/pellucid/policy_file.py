"""A policy in a TOML file, `pellucid.toml`: the words of the command line, and tables of settings.

What may stand in it is said in `settings`. The file is judged as a whole: all problems are found before any of them
is reported, each with its line.
"""

from __future__ import annotations

import copy
import itertools
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .attributes import FIELDS
from .errors import PolicyError, Problem, Where
from .passwords import require_file_name
from .settings import POLICY, absolute
from .toml_lines import lines_of

__all__ = ["PolicyFile", "read_policy_file"]


_DEEPEST = 20


@dataclass(frozen=True, kw_only=True)
class PolicyFile:
    """What stands in a policy file, and where."""

    path: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the policy itself that are in order, by their names in `Policy`."""
    source: Mapping[str, Any] = field(default_factory=dict)
    """What stands in [source]: no part of the policy, because the policy is published (G8)."""
    target: Mapping[str, Any] = field(default_factory=dict)
    register: Mapping[str, Any] = field(default_factory=dict)
    mentioned: frozenset[str] = frozenset()
    """All settings that the file names, rightly or wrongly."""
    problems: Sequence[Problem] = ()
    lines: Mapping[Where, int] = field(default_factory=dict)

    def line_of(self, where: Where) -> int | None:
        """The line of a setting, or of what it stands in; None if the file does not say it."""
        return next((self.lines[where[:end]] for end in range(len(where), 0, -1) if where[:end] in self.lines), None)


def read_policy_file(file: str | os.PathLike[str] | PolicyFile | None) -> PolicyFile:
    """Read a policy file; what is read already stays as it is, and without a file nothing is set.

    Its problems are reported by whoever puts the settings together.
    """
    if file is None:
        return PolicyFile()
    if isinstance(file, PolicyFile):
        return file
    require_file_name(file)
    path = Path(file)
    given, lines = _parsed(path)
    problems = [*POLICY.problems(given, ())]
    located = PolicyFile(path=path, lines=lines)
    sound = copy.deepcopy(given)
    for problem in problems:
        _leave_out(sound, problem.where)
    sound = absolute(POLICY, sound, path.parent)
    source, target, register, attributes = (
        sound.pop(name, {}) for name in ("source", "target", "register", "attributes")
    )
    of_columns = {
        field: {name: settings[setting] for name, settings in attributes.items() if setting in settings}
        for setting, field in FIELDS.items()
    }
    return replace(
        located,
        options={**sound, **of_columns},
        source=source,
        target=target,
        register=register,
        mentioned=frozenset(given),
        problems=[replace(problem, line=located.line_of(problem.where)) for problem in problems],
    )


def _parsed(path: Path) -> tuple[dict[str, Any], dict[Where, int]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        given = tomllib.loads(text)
        _require_shallow(given)
        return given, lines_of(text)
    except OSError as problem:
        raise PolicyError(f"The policy file {path} cannot be read: {problem.strerror}.") from problem
    except UnicodeDecodeError as problem:
        raise PolicyError(f"The policy file {path} is not valid TOML: it is not UTF-8 text.") from problem
    except tomllib.TOMLDecodeError as problem:
        raise PolicyError(f"The policy file {path} is not valid TOML: {problem}.") from problem
    except ValueError as problem:  # a number of more digits than Python turns into one
        raise PolicyError(f"The policy file {path} holds a number that is too long.") from problem
    except RecursionError as problem:
        raise PolicyError(f"The policy file {path} holds lists or tables that are nested too deeply.") from problem


def _require_shallow(given: object) -> None:
    """Settings are at most three tables deep; what is much deeper would only break whoever walks through it."""
    level = [given]
    for _ in range(_DEEPEST):
        level = [
            item
            for value in level
            for item in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
        ]
    if level:
        raise RecursionError


def _leave_out(settings: dict[Any, Any], where: Where) -> None:
    """Take out the setting at `where`; if it is an item of a list, the whole list."""
    *tables, last = itertools.takewhile(lambda part: isinstance(part, str), where)
    for name in tables:
        settings = settings.get(name, {})
    settings.pop(last, None)
