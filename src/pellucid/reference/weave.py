"""Weave, pellucid's own algorithm: Ace whose columns hold classes of values, in Tailor's leaves, refined by swaps.

It is the algorithm W of docs/proofs/weave.md, which is made of three pieces. None of them can be handed more than the
proof allows it to see:

- a *cutter* gets people without sensitive values, and counts (here: the canonical l-cut of Tailor);
- a *plan rule* gets counts, and l (`plan.py`);
- a *refiner* gets an unordered set of columns of people without sensitive values (`refine.py`).

Between plan and refiner stands chance: who of those with a value is drawn. Hybrid is the same algorithm with the plan
of Assign and the refiner Slice; Ace is that without a cutter.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from pellucid.reference.assign import Draw
from pellucid.reference.plan import Plan, PlanRule, plan_by_rule_0, plan_by_rule_2
from pellucid.reference.refine import Refiner, Unordered, refine
from pellucid.reference.row import Group, Penalty, Person, Row, group, is_diverse
from pellucid.reference.tailor import best_cut

# ruff: noqa: E741  (l is the paper's name)

#: Two parts that have at least l c people each, or None: the group is a leaf.
Cutter: TypeAlias = Callable[[Sequence[Person], Mapping[int, int]], tuple[Sequence[Person], Sequence[Person]] | None]


def weave(T: Iterable[Row], l: int, penalty: Penalty, draw: Draw, *, ordered: bool = True) -> list[Group]:
    """Return the partition of T that Weave decides; no group at all if T is not l-eligible.

    `ordered` says whether the order of the sensitive values means something (rule 2) or not (rule 0).

    Proof: docs/proofs/weave.md, Theorem.
    """
    plan = plan_by_rule_2 if ordered else plan_by_rule_0
    return woven(T, l, draw, cut=tailor_cutter(l, penalty), plan=plan, refine=partial(refine, penalty=penalty))


def weave_alone(T: Iterable[Row], l: int, penalty: Penalty, draw: Draw, *, ordered: bool = True) -> list[Group]:
    """Return what Weave makes of T without cutting it first.

    Proof: docs/proofs/weave.md, Theorem.
    """
    plan = plan_by_rule_2 if ordered else plan_by_rule_0
    return woven(T, l, draw, cut=never_cut, plan=plan, refine=partial(refine, penalty=penalty))


def woven(T: Iterable[Row], l: int, draw: Draw, *, cut: Cutter, plan: PlanRule, refine: Refiner) -> list[Group]:
    """Algorithm W of the proof: any cutter, any plan rule and any refiner make a transparent algorithm.

    Proof: docs/proofs/weave.md, Lemma A.
    """
    T = group(T)
    if not T or not is_diverse(T, l):
        return []
    return [G for leaf in leaves(T, cut) for G in weave_leaf(leaf, l, draw, plan, refine)]


def leaves(G: Group, cut: Cutter) -> list[Group]:
    """Return the leaves, left to right. A cut is the same after any exchange of values inside a leaf.

    Proof: docs/proofs/weave.md, Lemma C (i).
    """
    halves = cut([without_value(t) for t in G], counts_of(G))
    if halves is None:
        return [G]
    row = {t.id: t for t in G}
    a, b = (group(row[t.id] for t in half) for half in halves)
    return leaves(a, cut) + leaves(b, cut)


def weave_leaf(G: Group, l: int, draw: Draw, plan: PlanRule, refine: Refiner) -> list[Group]:
    """Return the groups of one leaf: bucket after bucket is planned, drawn and refined until nobody is left.

    Proof: docs/proofs/weave.md, Lemma C (ii).
    """
    row = {t.id: t for t in G}
    rest = set(G)
    groups: list[Group] = []
    while rest:
        columns = drawn(plan(counts_of(rest), l), rest, draw)
        groups += [group(row[t.id] for t in g) for g in refine(columns)]
        rest -= {row[t.id] for L in columns for t in L}
    return groups


def drawn(plan: Plan, rest: Iterable[Row], draw: Draw) -> Unordered:
    """Fill the columns: a_v of those with v, drawn by chance. What comes out knows no values.

    Proof: docs/proofs/weave.md, Lemma C (iii).
    """
    rest = group(rest)
    return frozenset(
        frozenset(without_value(t) for v in V_i for t in draw([t for t in rest if t.sensitive == v], plan.a[v]))
        for V_i in plan.V
    )


def tailor_cutter(l: int, penalty: Penalty) -> Cutter:
    """Tailor (Fig. 3) as a cutter: the canonical l-cut, as long as the group is 2l-diverse.

    Proof: docs/proofs/weave.md, Lemma C (i).
    """

    def cut(G: Sequence[Person], counts: Mapping[int, int]) -> tuple[Sequence[Person], Sequence[Person]] | None:
        least = l * max(counts.values())
        return None if len(G) < 2 * least else best_cut(group(G), least, penalty)

    return cut


def never_cut(G: Sequence[Person], counts: Mapping[int, int]) -> None:
    """The cutter of Weave alone, and of Ace."""


def counts_of(G: Iterable[Row]) -> Mapping[int, int]:
    """Return how many tuples have each value."""
    return Counter(t.sensitive for t in G)


def without_value(t: Row) -> Person:
    """Return who this is and where, and not what."""
    return Person(t.id, t.qi)
