"""The paper's algorithms in plain Python: slow, obvious, line for line with the figures.

These are the specification. The native kernels share no code with them and must return the very same
partition; they also are what runs when the penalty is a function of the user's own.
"""

from pellucid.reference.ace import ace
from pellucid.reference.assign import Bucket, Draw, assign, smallest_keys
from pellucid.reference.hybrid import hybrid
from pellucid.reference.mask import Choose, mask
from pellucid.reference.mondrian import Positions, anonymous_mondrian, mondrian
from pellucid.reference.opt_gen import discernibility, is_global, opt_gen
from pellucid.reference.row import Group, Penalty, Row
from pellucid.reference.slice import slice_buckets
from pellucid.reference.tailor import tailor
from pellucid.reference.vul_gen import vul_gen

__all__ = [
    "Bucket",
    "Choose",
    "Draw",
    "Group",
    "Penalty",
    "Positions",
    "Row",
    "ace",
    "anonymous_mondrian",
    "assign",
    "discernibility",
    "hybrid",
    "is_global",
    "mask",
    "mondrian",
    "opt_gen",
    "slice_buckets",
    "smallest_keys",
    "tailor",
    "vul_gen",
]
