"""Anonymization functions (Def. 1): from a partition to what is published.

Each maps a QI-group to released tuples in a way that isomorphic groups cannot be told apart, and puts the tuples of
all groups into an order that is computed from the released values alone (G5).
"""

from __future__ import annotations

from .anatomy import GROUP_ID, anatomy
from .mbr import mbr
from .released import Column, ReleasedTable

__all__ = ["GROUP_ID", "Column", "ReleasedTable", "anatomy", "mbr"]
