"""Tuples and QI-groups, as in Section 2.1."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar


class QuasiIdentified(Protocol):
    """Somebody with an identifier and QI values: all that a cut, a division or a swap may look at (G1)."""

    @property
    def id(self) -> int:
        """The rank of t[A^id] in the order of the identifiers."""

    @property
    def qi(self) -> tuple[int, ...]:
        """t[A_1^q], ..., t[A_d^q]."""


#: A function over P can be called with rows or with people, and cannot read a sensitive value of either.
P = TypeVar("P", bound=QuasiIdentified)


@dataclass(frozen=True, order=True, slots=True)
class Person:
    """A tuple without its sensitive value, for those who must not even be handed one."""

    id: int
    qi: tuple[int, ...]


@dataclass(frozen=True, order=True, slots=True)
class Row:
    """A tuple t of the microdata.

    ``id`` is the rank of t[A^id] in the order of the identifiers, ``qi`` holds t[A_1^q], ..., t[A_d^q], and
    ``sensitive`` is t[A^s] as its place in the fixed, public order of the sensitive values.
    """

    id: int
    qi: tuple[int, ...]
    sensitive: int


#: A QI-group: a set of tuples, kept in the order of their identifiers.
Group: TypeAlias = tuple[Row, ...]

#: A penalty h(G) (Section 3): superadditive, and blind to the sensitive values.
Penalty: TypeAlias = Callable[[Sequence[QuasiIdentified]], int]


def group(rows: Iterable[P]) -> tuple[P, ...]:
    """Return the QI-group of these tuples."""
    return tuple(sorted(rows, key=lambda t: t.id))


def largest_count(G: Group) -> int:
    """Return c of Definition 9: the maximum number of tuples in G with the same sensitive value."""
    return max(Counter(t.sensitive for t in G).values(), default=0)


def is_diverse(G: Group, l: int) -> bool:  # noqa: E741
    """Say whether G is l-diverse (Def. 2), which for a table is to be l-eligible (Section 3.1.1)."""
    return l * largest_count(G) <= len(G)
