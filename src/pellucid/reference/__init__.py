"""The paper's algorithms in plain Python: slow, obvious, line for line with the figures.

These are the specification. The native kernels share no code with them and must return the very same
partition; they also are what runs when the penalty is a function of the user's own.
"""

from pellucid.reference.ace import ace
from pellucid.reference.assign import Bucket, Draw, assign, smallest_keys
from pellucid.reference.hybrid import hybrid
from pellucid.reference.row import Group, Penalty, Row
from pellucid.reference.slice import slice_buckets
from pellucid.reference.tailor import tailor

__all__ = [
    "Bucket",
    "Draw",
    "Group",
    "Penalty",
    "Row",
    "ace",
    "assign",
    "hybrid",
    "slice_buckets",
    "smallest_keys",
    "tailor",
]
