"""The manifest beside a release: what was asked, what was written, and that it was checked.

It is published with the release, so it holds only the policy, the version of the software, and facts that anybody
can compute from the released files (G8): no counts of the source, no seed, no time, no machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from .algorithms import CHANGES_VALUES
from .policy import Policy
from .sources.targets import ReleaseKind
from .verify import Check
from .version import __version__

__all__ = ["SensitiveOrder", "manifest"]

_FORMAT = 1

SensitiveOrder: TypeAlias = Literal["policy", "hierarchy", "values", "none"]
"""Where the order of the sensitive values comes from. Everybody who has the policy and the release can tell."""


def manifest(
    policy: Policy,
    sensitive_order: SensitiveOrder,
    kind: ReleaseKind,
    written: Mapping[str, Mapping[str, Any]],
    check: Check,
) -> dict[str, Any]:
    """What stands in the manifest. `written` gives the fingerprint of each file or table by its name."""
    return {
        "manifest": _FORMAT,
        "program": "pellucid",
        "version": __version__,
        "policy": policy.as_dict(),
        "policy_sha256": policy.sha256,
        "sensitive_order": sensitive_order,
        kind: [{"name": name, **facts} for name, facts in written.items()],
        "release": {name: value for name, value in check.as_dict().items() if name not in ("diverse", "diversity")},
        "check": {"passed": True, "statement": _statement(policy, kind, check)},
    }


def _statement(policy: Policy, kind: ReleaseKind, check: Check) -> str:
    """What was found when the release was read back; otherwise there would be no manifest."""
    bound = f"every group is {check.diversity}-diverse"
    if policy.joint:
        bound += f" in {policy.sensitive_words}, which says nothing of each of them alone"
    if not check.diverse:
        bound = f"no protected value has more than 1/{check.diversity} of a group; other values may have"
    said = f"The {kind} were read back; {bound}."
    if policy.algorithm in CHANGES_VALUES:
        said += (
            f" Not all values of {policy.sensitive_value!r} are those of the source: {policy.algorithm} changes some."
        )
    return said
