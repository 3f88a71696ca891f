"""The policy, the guarantee and the commands of a report in words."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..algorithms import CHANGES_VALUES, NOT_TRANSPARENT
from ..attributes import FIELDS
from ..manifest import SensitiveOrder
from ..policy import Policy
from ..settings import ATTRIBUTE, POLICY, SOURCE, TARGET, Table
from ..sources.targets import ReleaseKind
from .model import Asked, Command, Guarantee, Setting

__all__ = ["asked", "evaluation", "guarantee", "is_repeatable", "reproduction", "verification"]

_POLICY_FILE: Final = "--policy POLICY.toml"
_ALWAYS: Final = ("quasi_identifiers", "sensitive", "joint", "diversity")
_PROOFS: Final = {
    "tailor": "Theorem 1 of the paper",
    "ace": "Theorem 2 of the paper",
    "hybrid": "Theorem 3 of the paper",
    "weave": "the proof of Theorem 2 of the paper, which holds for Weave with classes of values in place of values",
}
_MEANINGS: Final = {
    **{of_columns: ATTRIBUTE[setting].meaning for setting, of_columns in FIELDS.items()},
    "sensitive_order": "Where the order of the sensitive values comes from, which tells the program what is alike.",
}
_SENSITIVE_ORDER: Final[dict[SensitiveOrder, str]] = {
    "policy": "the policy",
    "hierarchy": "its hierarchy in the policy",
    "values": "the values themselves, as numbers or dates have one",
    "none": "there is none",
}


def asked(policy: Policy, sensitive_order: SensitiveOrder) -> Asked:
    """All of the policy: whatever is added to it later is shown as well."""
    plain = {**policy.as_dict(), "sensitive_order": _SENSITIVE_ORDER[sensitive_order]}
    return Asked(
        quasi_identifiers=policy.quasi_identifiers,
        sensitive=policy.sensitive_words,
        joint=policy.sensitive_columns if policy.joint else (),
        diversity=policy.diversity,
        settings=tuple(Setting(name, _in_words(value), _meaning(name)) for name, value in plain.items()),
    )


def _meaning(name: str) -> str:
    return POLICY[name].meaning if name in POLICY.names else _MEANINGS.get(name, "")


def _in_words(value: Any) -> str:
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_in_words(each)}" for name, each in value.items())
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def guarantee(policy: Policy) -> Guarantee:
    """What is proven about the algorithm that made the release."""
    holds = policy.algorithm not in NOT_TRANSPARENT
    return Guarantee(
        holds=holds,
        algorithm=policy.algorithm.capitalize(),
        proof=_PROOFS[policy.algorithm] if holds else "",
        changes_values=policy.algorithm in CHANGES_VALUES,
    )


def verification(policy: Policy, target: str, kind: ReleaseKind) -> Command:
    """The command that judges a release. ADDRESS is a word for the database, whose address is not said."""
    place = [shlex.quote(target)] if kind == "files" else ["ADDRESS", _option("table", target, of=SOURCE)]
    return _command("check", *place, *_roles(policy), _option("diversity", str(policy.diversity)))


def reproduction(policy: Policy, target: str, kind: ReleaseKind) -> Command:
    """The command of the release. SOURCE is a word for the source, whose name is not said; nor is there a seed.

    There is none for a penalty that is a function of the library's user.
    """
    if policy.penalty == "custom":
        return ()
    more: list[str] = []
    for setting in POLICY.settings:
        value = getattr(policy, setting.name, None)
        said = setting.name == "algorithm" or value not in (setting.default, None, (), False)
        if said and setting.option and setting.name not in _ALWAYS:
            more.append(_option(setting.name, *([] if value is True else [_listed(value)])))
    if _settings_of_columns(policy):
        more.append(_POLICY_FILE)
    output = [_option("path", target if kind == "files" else "ADDRESS", of=TARGET)]
    if kind == "tables":
        output.append(_option("table", target, of=TARGET))
    return _command("anonymize", "SOURCE", *output, *_roles(policy), _option("diversity", str(policy.diversity)), *more)


def evaluation(policy: Policy, target: str, kind: ReleaseKind, workload: Mapping[str, object]) -> Command:
    """The command that asks the same queries again."""
    place = [shlex.quote(target)] if kind == "files" else ["ADDRESS", f"--release-table {shlex.quote(target)}"]
    asks = [f"--{option} {value}" for option, value in workload.items()]
    file = [_POLICY_FILE] if _settings_of_columns(policy) or policy.missing == "drop" else []
    return _command("evaluate", "SOURCE", *place, *_roles(policy), *asks, *file)


def _settings_of_columns(policy: Policy) -> bool:
    """Whether there are settings that can stand in a policy file only."""
    return any(value for name, value in policy.as_dict().items() if name not in POLICY.names)


def is_repeatable(policy: Policy) -> bool:
    """Whether the same source gives the same release: nothing is drawn, neither for groups nor for ties."""
    return policy.algorithm == "tailor" and policy.identifier is not None


def _roles(policy: Policy) -> Command:
    roles = (
        _option("quasi_identifiers", _listed(policy.quasi_identifiers)),
        _option("sensitive", _listed(policy.sensitive)),
    )
    return (*roles, _option("joint")) if policy.joint else roles


def _option(setting: str, *value: str, of: Table = POLICY) -> str:
    """An option of the command line. A value that looks like an option itself must be tied to its name."""
    short, _, long = of[setting].option.partition(", ")
    if value and value[0].startswith("-"):
        return shlex.join([f"{long or short}={value[0]}"])
    return shlex.join([short, *value])


def _listed(value: object) -> str:
    """A value as the command line reads it. Of several names, one with a comma stands in double quotes."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return str(value)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(value)
    return line.getvalue()


def _command(command: str, *more: str) -> Command:
    return (f"pellucid {command}", *more)
