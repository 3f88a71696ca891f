"""Before a table is published: a look at it (`inspect`), and a draft of the policy from that look (`draft`).

What is suspected is a suggestion, never a decision: the curator decides.
"""

from __future__ import annotations

from .look import Column, Combination, Inspection, JointValue, Repeats, inspect
from .suspicions import Suspicion

__all__ = ["Column", "Combination", "Inspection", "JointValue", "Repeats", "Suspicion", "inspect"]
