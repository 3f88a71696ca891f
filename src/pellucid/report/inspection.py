"""The page of a look at a table, for the curator alone."""

from __future__ import annotations

from ..inspection.findings import LARGEST_DIVERSITY, findings, may_be, reasons, span
from ..inspection.look import SMALL_GROUP, Inspection
from .pages import page

__all__ = ["inspection_page"]


def inspection_page(found: Inspection) -> str:
    """The page. It says the same as the terminal."""
    return page(
        "inspection.html",
        found=found,
        findings=tuple(findings(found)),
        reasons=tuple(reasons(found)),
        largest_diversity=LARGEST_DIVERSITY,
        may_be=may_be,
        span=span,
        small_group=SMALL_GROUP,
    )
