"""Plans of Weave (docs/proofs/weave.md): which values fill the columns of the next bucket, with how many tuples each.

A plan rule is a function of the counts. Nothing here can be told who has which value, nor a QI value of anybody.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pellucid.reference.assign import next_bucket
from pellucid.reference.class_rule import Classes, rule_0, rule_2

# ruff: noqa: E741  (l is the paper's name)


@dataclass(frozen=True)
class Plan:
    """A bucket of |V| columns with alpha tuples each: a_v tuples of value v go into the column of v's class.

    There are at least l classes. (P1) The a_v of each class add up to alpha >= 1. (P2) What is left, n - a, is
    l-eligible.

    Proof: docs/proofs/weave.md, Lemma A.
    """

    V: Classes
    alpha: int
    a: Mapping[int, int]


#: The plan for a table with these counts, which must be l-eligible, and l.
PlanRule: TypeAlias = Callable[[Mapping[int, int], int], Plan]


def plan_assign(counts: Mapping[int, int], l: int) -> Plan:
    """One step of Assign (Fig. 6): a column for each of the most frequent values. It always exists.

    Proof: docs/proofs/weave.md, Lemma B.
    """
    signature, alpha = next_bucket(counts, l)
    return Plan(tuple((v,) for v in signature), alpha, dict.fromkeys(signature, alpha))


def plan_by_rule_0(counts: Mapping[int, int], l: int) -> Plan:
    """For values without an order: classes by rule 0, or a step of Assign if those allow no alpha.

    Proof: docs/proofs/weave.md, Lemma C (ii).
    """
    return plan_classes(rule_0(counts, l), counts, l) or plan_assign(counts, l)


def plan_by_rule_2(counts: Mapping[int, int], l: int) -> Plan:
    """For values with a public order: classes by rule 2, else by rule 0, else a step of Assign.

    Proof: docs/proofs/weave.md, Lemma C (ii).
    """
    return plan_classes(rule_2(counts, l), counts, l) or plan_by_rule_0(counts, l)


def plan_classes(V: Classes, counts: Mapping[int, int], l: int) -> Plan | None:
    """The plan with these classes and the largest alpha that leaves an l-eligible rest, if there is one.

    Proof: docs/proofs/weave.md, Lemma B.
    """
    alpha = largest_alpha(V, counts, l)
    if alpha is None:
        return None
    rho = rest_of_one_value(counts, l, alpha)
    a: dict[int, int] = {}
    for V_i in V:
        a |= taken(V_i, counts, alpha, rho)
    return Plan(V, alpha, a)


def rest_of_one_value(counts: Mapping[int, int], l: int, alpha: int) -> int:
    """Return rho: how many tuples with one value may be left when l columns of alpha tuples are gone (P2)."""
    return (sum(counts.values()) - l * alpha) // l


def largest_alpha(V: Classes, counts: Mapping[int, int], l: int) -> int | None:
    """Return the largest alpha for which every class V_i can leave s_i - alpha tuples, none of its values over rho.

    Proof: docs/proofs/weave.md, Lemma B.
    """
    s = [sum(counts[v] for v in V_i) for V_i in V]
    for alpha in range(min(s), 0, -1):
        rho = rest_of_one_value(counts, l, alpha)
        if all(sum(min(counts[v], rho) for v in V_i) >= s_i - alpha for V_i, s_i in zip(V, s, strict=True)):
            return alpha
    return None


def taken(V_i: tuple[int, ...], counts: Mapping[int, int], alpha: int, rho: int) -> dict[int, int]:
    """Return a_v for the values of one class.

    One tuple at a time is left, of the value that has most to be taken; ties: the first in public order.

    Proof: docs/proofs/weave.md, Lemma B.
    """
    a = {v: counts[v] for v in V_i}
    while sum(a.values()) > alpha:
        may_be_left = [v for v in V_i if counts[v] - a[v] < min(counts[v], rho)]
        a[max(may_be_left, key=lambda v: a[v])] -= 1  # `max` returns the first of equals
    return a
