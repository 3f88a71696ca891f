"""A role for every column, proposed from a look at the table.

Proposals follow from names, from values of single columns, and from how often they occur; never from who has which
value (G1). Whatever is not known or suspected to be something else is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import PolicyError, listed
from ..settings import Missing
from .look import Column, Inspection
from .words import TOPICS

__all__ = ["Proposal", "propose"]

USUAL = (8, 5, 4, 3, 2)
"""The l that are proposed: so few that the choice says next to nothing about the counts behind it."""

_RANK = {topic.what: place for place, topic in enumerate(TOPICS) if topic.role == "sensitive"}


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A role for every column, and l."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    """The sensitive column; of several that were declared joint, all of them."""
    identifier: str | None
    drop: tuple[str, ...]
    diversity: int
    missing: Missing
    largest_diversity: int
    """Of the sensitive value. It reveals a count: it is said to the curator, and stands in no draft."""

    @property
    def joint(self) -> bool:
        """Whether the combination of several columns is the sensitive value."""
        return len(self.sensitive) > 1

    def as_dict(self) -> dict[str, Any]:
        """The proposal as plain values, in the words of a policy."""
        roles = {"sensitive": [*self.sensitive], "joint": True} if self.joint else {"sensitive": self.sensitive[0]}
        return asdict(self) | roles


def propose(found: Inspection) -> Proposal:
    """Roles for all columns, and the largest usual l that the sensitive column allows."""
    usable = [column for column in found.columns if column.facts.usable]
    if len(usable) < 2:
        raise PolicyError(
            f"{found.source} has fewer than two columns that could have a role; a release needs a quasi-identifier"
            " and a sensitive column."
        )
    sensitive = _sensitive(found, usable)
    identifier = _identifier(usable, sensitive)
    rest = [column for column in usable if column not in (*sensitive, identifier)]
    if not rest:
        rest, identifier = [column for column in usable if column not in sensitive], None
    if not rest:
        raise PolicyError(
            f"{found.source} has no column left that could be a quasi-identifier.",
            remedy="Name fewer sensitive columns (-s).",
        )
    quasi_identifiers = _quasi_identifiers(rest)
    published = [*quasi_identifiers, *sensitive]
    named = {column.name for column in (*published, *([identifier] if identifier else []))}
    largest = (found.joint or sensitive[0].facts).largest_diversity
    return Proposal(
        quasi_identifiers=tuple(column.name for column in quasi_identifiers),
        sensitive=tuple(column.name for column in sensitive),
        identifier=None if identifier is None else identifier.name,
        drop=tuple(column.name for column in found.columns if column.name not in named),
        diversity=next((usual for usual in USUAL if usual <= largest), 1),
        missing="category" if any(column.facts.missing for column in published) else "error",
        largest_diversity=largest,
    )


def _sensitive(found: Inspection, usable: Sequence[Column]) -> list[Column]:
    """What was given; or one suspected column, the likeliest first, if it can be protected at all; or any other."""
    given = [column for column in found.columns if column.role == "sensitive"]
    if found.joint is not None:
        given = [found[name] for name in found.joint.columns]  # their order means something
    if without := [column.name for column in given if not column.facts.usable]:
        raise PolicyError(
            f"{listed(without)} cannot be sensitive: no values at all, infinite numbers, or what cannot be compared.",
            remedy="Name another column (-s).",
        )
    if given:
        return given
    free = [column for column in usable if column.role is None]
    suspected = sorted((column for column in free if column.may_be("sensitive")), key=_rank)
    others = [column for column in free if not column.suspicions and not column.facts.near_unique]
    not_people = [column for column in free if column.may_be_sensitive]
    order = [*suspected, *reversed(others), *reversed(not_people), *reversed(free)]
    if not order:
        raise PolicyError(
            "No column is left that could be the sensitive one.", remedy="Name it (-s), or give fewer columns a role."
        )
    return [next((column for column in order if column.facts.largest_diversity > 1), order[0])]


def _rank(column: Column) -> int:
    return min(_RANK.get(each.what, len(_RANK)) for each in column.suspicions if each.kind == "sensitive")


def _identifier(usable: Sequence[Column], sensitive: Sequence[Column]) -> Column | None:
    """The column that was given, or a suspected one that is different for everybody. A position is none (G2)."""
    given = [column for column in usable if column.role == "identifier"]
    if given:
        return given[0]
    return next(
        (
            column
            for column in usable
            if column not in sensitive
            and column.may_be("identifier")
            and column.facts.all_different
            and not column.facts.missing
        ),
        None,
    )


def _quasi_identifiers(rest: Sequence[Column]) -> list[Column]:
    """The columns that were given, or those suspected; one at least."""
    given = [column for column in rest if column.role == "quasi-identifier"]
    if given:
        return given
    suspected = [column for column in rest if column.may_be("quasi-identifier") and not column.may_be("identifier")]
    return suspected or sorted(rest, key=lambda column: (bool(column.suspicions), column.facts.near_unique))[:1]
