"""Disclosure risk (Def. 3) of everybody in a release, for people: tables in, a typed result out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..attributes import columns_of
from ..errors import PolicyError, listed
from ..hierarchies import HierarchyLike
from ..policy import Missing, Recoding
from ..settings import POLICY, Grid, Style
from .credibility import Scheme
from .credibility import credibility as believe_minimal
from .exact import LIMIT, Beliefs, Progress, beliefs
from .outcomes import KNOWN, Algorithm, mask
from .reading import Case, read_case

__all__ = ["DisclosureRisk", "PersonRisk", "algorithm_named", "credibility", "disclosure_risk"]


@dataclass(frozen=True)
class PersonRisk:
    """What the adversary believes about one person."""

    identifier: Hashable
    posterior: Mapping[Any, Fraction]
    """For each sensitive value, the belief that the person is in the table and has it; zeros are left out."""

    @property
    def risk(self) -> Fraction:
        """The largest of these beliefs."""
        return max(self.posterior.values(), default=Fraction(0))

    @property
    def value(self) -> Any:
        """The sensitive value that is believed most; None for somebody who cannot be in the table."""
        return max(self.posterior, key=lambda value: self.posterior[value], default=None)


@dataclass(frozen=True)
class DisclosureRisk:
    """What the adversary believes about everybody in the external source, people at most risk first."""

    diversity: int
    recoding: Recoding
    people: tuple[PersonRisk, ...]
    instances: int
    """How many possible tables lead to this release."""
    rows: int
    unseen: tuple[str, ...] = ()
    """The values that Mask protects and the release does not show: replaced wherever they were, or misspelt here."""

    @property
    def maximum(self) -> Fraction:
        """The largest risk of anybody."""
        return self.people[0].risk

    @property
    def above(self) -> tuple[PersonRisk, ...]:
        """The people whose risk exceeds 1/l."""
        return tuple(person for person in self.people if person.risk * self.diversity > 1)

    def of(self, identifier: Hashable) -> PersonRisk:
        """What is believed about this person."""
        for person in self.people:
            if person.identifier == identifier:
                return person
        raise PolicyError(f"The external source has nobody with the identifier {identifier!r}.")

    def as_dict(self) -> dict[str, Any]:
        """The result as plain values; fractions are texts such as "1/2"."""
        return {
            "diversity": self.diversity,
            "recoding": self.recoding,
            "rows": self.rows,
            "instances": self.instances,
            "maximum": str(self.maximum),
            "above_limit": len(self.above),
            "unseen": list(self.unseen),
            "people": [
                {
                    "identifier": person.identifier,
                    "risk": str(person.risk),
                    "value": person.value,
                    "posterior": [[value, str(belief)] for value, belief in person.posterior.items()],
                }
                for person in self.people
            ],
        }


def disclosure_risk(
    release: object,
    external: object,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: str | Sequence[str],
    joint: bool = False,
    diversity: int,
    identifier: str,
    algorithm: str | Algorithm,
    orders: Mapping[str, Sequence[str]] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    styles: Mapping[str, Style] | None = None,
    grids: Mapping[str, Grid] | None = None,
    missing: Missing = "error",
    anonymity: int | None = None,
    protected: Sequence[str] | None = None,
    changes_values: bool = False,
    limit: int = LIMIT,
    progress: Progress | None = None,
) -> DisclosureRisk:
    """The exact disclosure risk (Def. 3, Prop. 1) of everybody in the external source.

    `release` and `external` are paths or data frames; the release of an anatomy is the pair of its tables. The
    external source must hold everybody in the table and may hold more people. `algorithm` is what the release was
    made with: a name, or a function as described in `pellucid.adversary.outcomes`. Of Mask by name, `anonymity` is k
    (by default l) and `protected` is V (by default all values); people had one of the values that the release shows or
    V holds, because Mask may have replaced a protected value everywhere. So a misspelt one cannot be told from one that
    vanished: those that the release does not show are `unseen` in the result. Of a function that changes sensitive
    values as Mask does, say so: `changes_values`; people then had one of the values that the release shows.

    The time grows with the number of tables that fit the release, which is exponential in the size of its groups.
    `progress` hears that number before the work starts; above `limit` the work is refused.
    """
    _require_diversity(diversity)
    case = read_case(
        release,
        external,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        joint=joint,
        identifier=identifier,
        columns=columns_of(orders=orders, hierarchies=hierarchies, styles=styles, grids=grids),
        missing=missing,
    )
    if algorithm == "mask":
        case = _with_protected(case, protected)
    found = beliefs(
        case.external,
        case.release,
        algorithm_named(algorithm, diversity, case, anonymity=anonymity, protected=protected)
        if isinstance(algorithm, str)
        else algorithm,
        diversity,
        case.recoding,
        domain=range(len(case.values)) if changes_values or algorithm == "mask" else None,
        limit=limit,
        progress=progress,
    )
    return _told(case, found, diversity)


def credibility(
    release: object,
    external: object,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: str | Sequence[str],
    joint: bool = False,
    diversity: int,
    identifier: str,
    scheme: Scheme,
    orders: Mapping[str, Sequence[str]] | None = None,
    missing: Missing = "error",
    limit: int = LIMIT,
    progress: Progress | None = None,
) -> DisclosureRisk:
    """The credibility (Def. 8, Prop. 2) of everybody: the risk if all that is known is that the algorithm is minimal.

    This is the minimality attack of Wong et al. (2007). `scheme` is the recoding that the algorithm adheres to.
    """
    _require_diversity(diversity)
    case = read_case(
        release,
        external,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        joint=joint,
        identifier=identifier,
        columns=columns_of(orders=orders),
        missing=missing,
    )
    if case.recoding != "mbr":
        raise PolicyError("Minimal generalizations (Def. 7) are generalizations; this release is an anatomy.")
    found = believe_minimal(case.external, case.release, diversity, scheme, limit=limit, progress=progress)
    return _told(case, found, diversity)


def algorithm_named(
    name: str, diversity: int, case: Case, *, anonymity: int | None = None, protected: Sequence[str] | None = None
) -> Algorithm:
    """An algorithm by its name. Weave takes note of whether the sensitive values have an order."""
    if name == "mask":
        bounded = range(len(case.values)) if protected is None else [case.code_of[text] for text in protected]
        return mask(diversity if anonymity is None else anonymity, bounded)
    if anonymity is not None or protected is not None:
        raise PolicyError("anonymity and protected are settings of the algorithm 'mask' alone.")
    if name == "weave" and not case.shown.ordered:
        return KNOWN["weave-unordered"]
    try:
        return KNOWN[name]
    except KeyError:
        raise PolicyError(f"algorithm must be one of {listed([*KNOWN, 'mask'], most=20)}, not {name!r}.") from None


def _with_protected(case: Case, protected: Sequence[str] | None) -> Case:
    """The case in which people may have had every protected value, also one that the release does not show.

    A group that Mask copies is published as it is, so it holds no such value, and its place in the order of values
    decides nothing.
    """
    if problems := [] if protected is None else [*POLICY["protected"].problems(protected, ("protected",))]:
        raise PolicyError.of(problems)
    return replace(case, unseen=tuple(text for text in protected or () if text not in case.code_of))


def _require_diversity(diversity: int) -> None:
    if not isinstance(diversity, int) or isinstance(diversity, bool) or diversity < 1:
        raise PolicyError(f"diversity (-l) must be a whole number of at least 1, not {diversity!r}.")


def _told(case: Case, found: Beliefs, diversity: int) -> DisclosureRisk:
    posteriors: list[dict[Any, Fraction]] = [{} for _ in case.external.names]
    for (person, value), belief in found.posteriors().items():
        posteriors[person][case.values[value]] = belief
    people = [PersonRisk(name, posterior) for name, posterior in zip(case.external.names, posteriors, strict=True)]
    # Python's sort is stable: people at the same risk stay in the order of their identifiers.
    people.sort(key=lambda person: -person.risk)
    return DisclosureRisk(
        diversity=diversity,
        recoding=case.recoding,
        people=tuple(people),
        instances=found.instances,
        rows=sum(len(cell.values) for cell in case.release),
        unseen=case.unseen,
    )
