"""The paper's algorithms and Weave in plain Python: slow, obvious, line for line with the figures.

These are the specification. The native kernels share no code with them and must return the very same
partition; they also are what runs when the penalty is a function of the user's own.
"""

from pellucid.reference.ace import ace
from pellucid.reference.assign import Bucket, Draw, assign, smallest_keys
from pellucid.reference.hybrid import hybrid
from pellucid.reference.mask import Choose, mask
from pellucid.reference.mondrian import Positions, anonymous_mondrian, mondrian
from pellucid.reference.opt_gen import discernibility, is_global, opt_gen
from pellucid.reference.plan import Plan, PlanRule, plan_assign, plan_by_rule_0, plan_by_rule_2
from pellucid.reference.refine import Refiner, Unordered, refine, refine_by_slice
from pellucid.reference.row import Group, Penalty, Person, QuasiIdentified, Row
from pellucid.reference.slice import slice_buckets
from pellucid.reference.tailor import tailor
from pellucid.reference.vul_gen import vul_gen
from pellucid.reference.weave import Cutter, never_cut, tailor_cutter, weave, weave_alone, woven

__all__ = [
    "Bucket",
    "Choose",
    "Cutter",
    "Draw",
    "Group",
    "Penalty",
    "Person",
    "Plan",
    "PlanRule",
    "Positions",
    "QuasiIdentified",
    "Refiner",
    "Row",
    "Unordered",
    "ace",
    "anonymous_mondrian",
    "assign",
    "discernibility",
    "hybrid",
    "is_global",
    "mask",
    "mondrian",
    "never_cut",
    "opt_gen",
    "plan_assign",
    "plan_by_rule_0",
    "plan_by_rule_2",
    "refine",
    "refine_by_slice",
    "slice_buckets",
    "smallest_keys",
    "tailor",
    "tailor_cutter",
    "vul_gen",
    "weave",
    "weave_alone",
    "woven",
]
