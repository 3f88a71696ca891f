"""Pages about tables: one HTML file each, that asks nothing of a network and shows whatever it is given as text.

What is said is a plain model of frozen dataclasses; autoescaping templates turn it into a page at the end. The report
on a release has two versions. The one for publication is a function of the policy and the released tables (G8); the
curator's holds what reads the source as well, and says in its title that it is not for release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ..manifest import SensitiveOrder
from ..policy import Policy
from ..sources.targets import ReleaseKind
from ..verify import Check
from .curator import curator
from .inspection import inspection_page
from .model import Curator, File, Report
from .pages import page
from .released import published
from .words import asked, guarantee, is_repeatable, reproduction, verification

__all__ = ["Curator", "Report", "curator", "inspection_page", "page", "report_on"]


def report_on(
    tables: Sequence[pl.DataFrame],
    policy: Policy,
    sensitive_order: SensitiveOrder,
    check: Check,
    *,
    target: str,
    kind: ReleaseKind,
    written: Mapping[str, Mapping[str, Any]],
) -> Report:
    """The report for publication on a release: its one table, or the two of an anatomy, and what they were written to.

    `written` gives the size and the fingerprint of each file or table by its name.
    """
    return Report(
        title=target,
        asked=asked(policy, sensitive_order),
        guarantee=guarantee(policy),
        published=published(tables, policy, check),
        kind=kind,
        files=tuple(File(name, *facts.values()) for name, facts in written.items()),
        verify=verification(policy, target, kind),
        reproduce=reproduction(policy, target, kind),
        repeatable=is_repeatable(policy),
    )
