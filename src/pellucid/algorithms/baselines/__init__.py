"""Algorithms that are not transparent, to compare with: whoever knows them may learn more than 1/l from a release.

`pellucid.adversary` finds out what.
"""

from __future__ import annotations

from .mask import mask
from .mondrian import mondrian, relaxed_mondrian

__all__ = ["mask", "mondrian", "relaxed_mondrian"]
