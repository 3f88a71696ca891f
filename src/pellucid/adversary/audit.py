"""What an adversary learns from tables that enumeration cannot reach: Prop. 1, sampled.

The curator, who has the table, runs a Markov chain over what the table may have been. It starts at the truth. A step
proposes that people exchange their sensitive values, inside their groups or, where boxes overlap, between them, and
is taken if and only if the algorithm, run on the changed table, publishes the same release. Proposals are symmetric,
so the chain settles on every possible table alike; of a randomized algorithm the state holds the draws too, which
weights each table by the probability of the release (Prop. 1). How often a person has a value is the posterior.

A step may be any number of exchanges, so that no possible table is out of reach. Of Mondrian only the paths to those
who exchange are rerun, where the same release means the same groups.

A chain may move too slowly to say anything. Several are run and compared (R-hat); where they disagree, or where
nothing ever moved, the answer is "not converged", and that says neither that somebody is safe nor that not. All
chains start at the truth, so estimates that did not converge lean towards it.

The adversary of the chain knows who is in the table: the external source holds nobody else.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from ..algorithms import ALGORITHMS, CHANGES_VALUES
from ..algorithms.kernel import require_eligible
from ..attributes import columns_of
from ..draws import Draws, Keys, SystemDraws
from ..errors import MissingExtraError, PolicyError, listed
from ..hierarchies import HierarchyLike
from ..microdata import Microdata, encode
from ..partition import Partition
from ..penalties import weighted_positions
from ..policy import Missing, Policy, Recoding
from ..reference import Row
from ..settings import Grid, Style
from ..sources import open_source
from .mondrian_paths import MondrianPaths
from .published import Published, box_of, publish
from .reading import shape_of

__all__ = ["Audit", "Audited", "PersonEstimate", "sampled_audit"]

Audited: TypeAlias = Callable[[Microdata, Keys], Partition]
"""An algorithm to be audited. A randomized one draws from nothing but the keys, one uniform 64-bit key per row."""

_PERSON = "pellucid: person"
_LARGEST_R_HAT = 1.05
_SMALLEST_SAMPLE = 100
"""Effective samples below which an interval says nothing."""
_Z = 3.0
"""Intervals of three standard errors: about 99.7 %."""
_MONDRIAN = {"mondrian": False, "mondrian-relaxed": True}


@dataclass(frozen=True)
class PersonEstimate:
    """What the chains say about one person."""

    identifier: Hashable
    value: Any
    """The sensitive value that is believed most."""
    risk: float
    low: float
    high: float
    """The interval of the risk, if converged."""
    converged: bool
    frozen: bool
    """In every sample the value was the same: the person may be certain, or the chain may not get anywhere."""


@dataclass(frozen=True)
class Audit:
    """Sampled disclosure risks, people at most risk first."""

    diversity: int
    people: tuple[PersonEstimate, ...]
    chains: int
    steps: int
    """Of each chain."""
    accepted: float
    """The share of proposals that gave the same release."""
    largest_r_hat: float

    @property
    def converged(self) -> bool:
        """Whether every estimate can be relied on."""
        return all(person.converged for person in self.people)

    @property
    def above(self) -> tuple[PersonEstimate, ...]:
        """The people whose risk exceeds 1/l, by the whole of their interval."""
        return tuple(person for person in self.people if person.converged and person.low * self.diversity > 1)

    @property
    def frozen(self) -> tuple[PersonEstimate, ...]:
        """The people whose value never changed."""
        return tuple(person for person in self.people if person.frozen)

    def as_dict(self) -> dict[str, Any]:
        """The result as plain values."""
        return {
            "diversity": self.diversity,
            "rows": len(self.people),
            "chains": self.chains,
            "steps": self.steps,
            "accepted": round(self.accepted, 4),
            "largest_r_hat": round(self.largest_r_hat, 4),
            "converged": self.converged,
            "not_converged": sum(not person.converged for person in self.people),
            "frozen": len(self.frozen),
            "above_limit": len(self.above),
            "people": [
                {
                    "identifier": person.identifier,
                    "value": person.value,
                    "risk": round(person.risk, 4),
                    "interval": [round(person.low, 4), round(person.high, 4)],
                    "converged": person.converged,
                    "frozen": person.frozen,
                }
                for person in self.people
            ],
        }


def sampled_audit(
    source: object,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: str | Sequence[str],
    joint: bool = False,
    diversity: int,
    identifier: str,
    algorithm: str | Audited,
    recoding: Recoding = "mbr",
    orders: Mapping[str, Sequence[str]] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    styles: Mapping[str, Style] | None = None,
    grids: Mapping[str, Grid] | None = None,
    missing: Missing = "error",
    chains: int = 4,
    steps: int = 100_000,
    samples: int = 400,
    seed: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Estimate the disclosure risk of everybody in a table, if the algorithm publishes it.

    `algorithm` is a name, or a function from the encoded table and one key per row to a partition of all its rows: a
    call of another tool, say. Of a randomized algorithm one release is drawn and audited.

    Every chain keeps `samples` of its tables for the estimates.
    `seed` makes the chain repeatable; it says nothing about a release.
    """
    for name, given, least in (("chains", chains, 2), ("samples", samples, _SMALLEST_SAMPLE)):
        if given < least:
            raise PolicyError(f"{name} must be at least {least}, not {given}.")
    if steps < samples:
        raise PolicyError(
            f"steps (--steps) must be at least {samples}, not {steps}: every chain keeps {samples} of its tables."
        )
    diagnostics = _diagnostics()
    policy = Policy(
        quasi_identifiers=tuple(quasi_identifiers),
        sensitive=sensitive if isinstance(sensitive, str) else tuple(sensitive),
        joint=joint,
        diversity=diversity,
        identifier=identifier,
        drop_others=True,
        missing=missing,
        **columns_of(orders=orders, hierarchies=hierarchies, styles=styles, grids=grids),
    )
    microdata, names = _read(source, policy, identifier)
    random = Random(seed)  # noqa: S311 - draws of an audit, not of a release
    make = _paths(algorithm, microdata, diversity)
    keys = np.array([random.getrandbits(64) for _ in range(len(microdata))], dtype=np.uint64)
    drawn: list[npt.NDArray[np.int64]] = []
    accepted = 0
    for number in range(chains):
        state: _State = make() if make else _Rerun(_named(algorithm, diversity), microdata, recoding, keys)
        kept, taken = _walk(state, steps, samples, random, _told(progress, number * steps, chains * steps))
        drawn.append(kept)
        accepted += taken
    everything = np.stack(drawn)
    people = _estimates(everything, microdata, names, diagnostics)
    return Audit(
        diversity=diversity,
        people=tuple(sorted((person for person, _ in people), key=lambda person: -person.risk)),
        chains=chains,
        steps=steps,
        accepted=accepted / (chains * steps),
        largest_r_hat=max((r_hat for _, r_hat in people if r_hat is not None), default=float("inf")),
    )


def _read(source: object, policy: Policy, identifier: str) -> tuple[Microdata, list[Hashable]]:
    """The encoded table, and the identifier of each of its rows."""
    table = open_source(source)
    policy.require_roles(table.columns)
    rows = table.read(policy.needed(table.columns))
    rows = rows.with_columns(rows[identifier].alias(_PERSON))
    with_names = replace(policy, quasi_identifiers=(*policy.quasi_identifiers, _PERSON))
    microdata = encode(rows, with_names, SystemDraws(), untyped=table.untyped)
    *attributes, person = microdata.attributes
    names = person.values.gather(pl.Series(person.codes)).to_list()
    return replace(microdata, attributes=tuple(attributes)), names


class _GivenKeys:
    """Draws that are part of the state of a chain."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def keys(self, purpose: str, rows: int) -> Keys:
        if rows != len(self._keys):
            raise PolicyError(f"The algorithm asks for {rows} keys ({purpose}), not one per row.")
        return self._keys


def _named(algorithm: str | Audited, diversity: int) -> Audited:
    if not isinstance(algorithm, str):
        return algorithm
    if algorithm not in ALGORITHMS:
        known = dict.fromkeys([*ALGORITHMS, *_MONDRIAN])
        raise PolicyError(f"algorithm must be one of {listed(known, most=20)}, not {algorithm!r}.")

    if algorithm in CHANGES_VALUES:
        raise _changes_values()

    def run(microdata: Microdata, keys: Keys) -> Partition:
        draws: Draws = _GivenKeys(keys)
        return ALGORITHMS[algorithm](microdata, diversity=diversity, draws=draws, threads=1)

    return run


def _changes_values() -> PolicyError:
    return PolicyError(
        "The sampled audit exchanges sensitive values; an algorithm that changes them may have made this release of"
        " other values.",
        remedy="Use the exact adversary on a small table.",
    )


class _State(Protocol):
    """A possible table, and the draws that make the release of it."""

    @property
    def values(self) -> npt.NDArray[np.int64]:
        """Who has which sensitive value."""

    def propose(self, random: Random) -> bool:
        """Try one step; say whether it was taken."""


class _Paths:
    """Strict and relaxed Mondrian, of which only the paths to those who exchange are rerun."""

    def __init__(self, paths: MondrianPaths) -> None:
        self._paths = paths
        self._pairs = _Pairs(paths.groups, len(paths.values))

    @property
    def values(self) -> npt.NDArray[np.int64]:
        return self._paths.values

    def propose(self, random: Random) -> bool:
        # In several groups at once: a cut that Mondrian may not take can reach through many of them.
        return self._paths.exchange([pair for _ in range(_some(random)) for pair in self._pairs.draw(random)])


def _paths(algorithm: str | Audited, microdata: Microdata, diversity: int) -> Callable[[], _State] | None:
    """The short cut for Mondrian, where the same release means the same groups; None where it may not.

    Groups that publish the same or overlapping boxes may have other members in another table, or be other groups.
    """
    if not isinstance(algorithm, str) or algorithm not in _MONDRIAN:
        return None
    relaxed = _MONDRIAN[algorithm]
    if any(attribute.style == "ancestor" for attribute in microdata.attributes):
        return None
    if relaxed and any(len(attribute.values) < len(microdata) for attribute in microdata.attributes):
        return None
    require_eligible(microdata, diversity)
    positions = weighted_positions([attribute.ticks for attribute in microdata.attributes], len(microdata))
    codes = [attribute.codes for attribute in microdata.attributes]
    values = microdata.sensitive.codes.tolist()
    return lambda: _Paths(MondrianPaths(codes, positions, values, diversity, relaxed=relaxed))


class _Pairs:
    """Who may exchange with whom inside a group. What is drawn does not depend on who has which value."""

    def __init__(self, groups: Sequence[npt.NDArray[np.integer]], rows: int) -> None:
        group_of = np.empty(rows, dtype=np.int64)
        for number, group in enumerate(groups):
            group_of[group] = number
        self._group_list: list[int] = group_of.tolist()
        self._groups = [group.tolist() for group in groups]

    def draw(self, random: Random) -> list[tuple[int, int]]:
        """One pair of a group; with a probability of 1/4 each another one of that group, and another."""
        group = self._groups[self._group_list[random.randrange(len(self._group_list))]]
        pairs = []
        while len(group) > 1:
            a, b = random.sample(group, 2)
            pairs.append((a, b))
            if random.random() > 1 / 4:
                break
        return pairs


class _Rerun:
    """Any algorithm: every proposal is judged by running it."""

    def __init__(self, algorithm: Audited, microdata: Microdata, recoding: Recoding, keys: Keys) -> None:
        self._algorithm = algorithm
        self._microdata = microdata
        self._recoding = recoding
        self.values = microdata.sensitive.codes.astype(np.int64)
        self._keys = keys
        points = zip(*(attribute.codes.tolist() for attribute in microdata.attributes), strict=True)
        self._points = list(points)
        partition = algorithm(microdata, keys)
        if partition.sensitive is not None:
            raise _changes_values()
        if sorted(partition.members.tolist()) != list(range(len(microdata))):
            raise PolicyError(
                "The algorithm must put every row of the table into one of its groups, and into one only.",
                remedy="Rows that are left out can be a group of their own: then the adversary sees its values, too.",
            )
        self._release = self._publish(self.values, partition)
        self.groups = list(partition)
        self._pairs = _Pairs(self.groups, len(microdata))
        self._fitting = list(_fitting_groups(microdata, self.groups, recoding))

    def propose(self, random: Random) -> bool:
        """Several changes at once: one at a time, the tables between two possible ones would have to be possible too.

        Each change is as likely as the one that takes it back, and so is a sequence of them.
        """
        values, keys = self.values.copy(), self._keys.copy()
        for _ in range(_some(random)):
            self._change(values, keys, random)
        if not self._same_release(values, keys):
            return False
        self.values, self._keys = values, keys
        return True

    def _change(self, values: npt.NDArray[np.int64], keys: Keys, random: Random) -> None:
        kind = random.random()
        pairs: list[tuple[int, int]] = []
        if kind < 0.1:
            keys[random.randrange(len(keys))] = random.getrandbits(64)
        elif kind < 0.3:
            pairs = self._between_groups(random)
        elif kind < 0.5:
            pairs = self._along_groups(values, random)
        else:
            pairs = self._pairs.draw(random)
        for a, b in pairs:
            # The draws go with the value: its holders keep their order (G4).
            values[[a, b]] = values[[b, a]]
            keys[[a, b]] = keys[[b, a]]

    def _between_groups(self, random: Random) -> list[tuple[int, int]]:
        """Somebody gets a value out of a group that they fit into. Where the other one belongs, later changes say."""
        a = random.randrange(len(self.values))
        b = int(random.choice(self.groups[random.choice(self._fitting[a])]))
        return [(a, b)] if a != b else []

    def _along_groups(self, values: npt.NDArray[np.int64], random: Random) -> list[tuple[int, int]]:
        """Two values change places in several groups in a row: in a bucket of Ace, two columns (Lemma 6)."""
        start = random.randrange(len(self.groups))
        v, w = (values[random.choice(self.groups[start])] for _ in range(2))
        pairs = []
        for group in self.groups[max(0, start + 1 - _some(random)) : start + _some(random)]:
            a, b = group[values[group] == v], group[values[group] == w]
            if len(a) == len(b) == 1 and v != w:
                pairs.append((int(a[0]), int(b[0])))
        return pairs

    def _same_release(self, values: npt.NDArray[np.int64], keys: Keys) -> bool:
        codes = values.astype(self._microdata.sensitive.codes.dtype)
        table = replace(self._microdata, sensitive=replace(self._microdata.sensitive, codes=codes))
        return self._publish(values, self._algorithm(table, keys)) == self._release

    def _publish(self, values: npt.NDArray[np.int64], partition: Partition) -> Published:
        shown = values.tolist()
        groups = [tuple(Row(row, self._points[row], shown[row]) for row in group.tolist()) for group in partition]
        return publish(groups, [shape_of(attribute) for attribute in self._microdata.attributes], self._recoding)


def _some(random: Random) -> int:
    """1 with a probability of 1/2, 2 of 1/4, and so on."""
    number = 1
    while random.random() < 1 / 2:
        number += 1
    return number


def _fitting_groups(
    microdata: Microdata, groups: Sequence[npt.NDArray[np.integer]], recoding: Recoding
) -> Iterator[npt.NDArray[np.integer]]:
    """For every row, the groups that publish something it fits into."""
    columns = [attribute.codes.astype(np.int64) for attribute in microdata.attributes]
    shapes = [shape_of(attribute) for attribute in microdata.attributes]
    if recoding == "anatomy":
        # Every group publishes the QI values of its members: their set, if each combination is one value.
        columns = [np.unique(np.stack(columns), axis=1, return_inverse=True)[1].ravel()]
        shapes = [False]
    fits = np.ones((len(microdata), len(groups)), dtype=bool)
    for codes, shape in zip(columns, shapes, strict=True):
        for number, group in enumerate(groups):
            [side] = box_of([(code,) for code in codes[group].tolist()], [shape])
            fits[:, number] &= np.isin(codes, side) if shape is False else (side[0] <= codes) & (codes <= side[1])
    return map(np.flatnonzero, fits)


def _walk(
    state: _State, steps: int, samples: int, random: Random, tell: Callable[[int], None]
) -> tuple[npt.NDArray[np.int64], int]:
    """Run a chain: half of its steps to get away from the start, and `samples` tables from the other half."""
    kept = np.empty((samples, len(state.values)), dtype=np.int64)
    taken = 0
    warm_up = steps // 2
    keep_at = np.linspace(warm_up, steps - 1, samples).astype(np.int64)
    number = 0
    for step in range(steps):
        taken += state.propose(random)
        while number < samples and keep_at[number] == step:
            kept[number] = state.values
            number += 1
            tell(step)
    return kept, taken


def _told(progress: Callable[[int, int], None] | None, before: int, all_steps: int) -> Callable[[int], None]:
    return lambda step: None if progress is None else progress(before + step, all_steps)


def _diagnostics() -> Any:
    try:
        return importlib.import_module("arviz_stats.base").array_stats
    except ImportError:
        raise MissingExtraError("The sampled audit needs arviz-stats for its diagnostics.", extra="audit") from None


def _estimates(
    everything: npt.NDArray[np.int64], microdata: Microdata, names: Sequence[Hashable], diagnostics: Any
) -> list[tuple[PersonEstimate, float | None]]:
    """For every person the most believed value, how much it is believed, and R-hat if it can be computed."""
    chains, samples, rows = everything.shape
    estimates: list[tuple[PersonEstimate, float | None]] = []
    for row in range(rows):
        counts = np.bincount(everything[:, :, row].ravel(), minlength=len(microdata.sensitive.values))
        value = int(counts.argmax())
        risk = float(counts[value] / (chains * samples))
        named = names[row], microdata.sensitive.values[value], risk
        if counts[value] == chains * samples:
            estimates.append((PersonEstimate(*named, low=0.0, high=1.0, converged=False, frozen=True), None))
            continue
        holds = (everything[:, :, row] == value).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            r_hat = float(diagnostics.rhat(holds, chain_axis=0, draw_axis=1, method="split"))
            size = float(diagnostics.ess(holds, chain_axis=0, draw_axis=1, method="mean"))
        converged = r_hat <= _LARGEST_R_HAT and size >= _SMALLEST_SAMPLE
        low, high = _wilson(risk, size) if converged else (0.0, 1.0)
        estimates.append((PersonEstimate(*named, low=low, high=high, converged=converged, frozen=False), r_hat))
    return estimates


def _wilson(share: float, size: float) -> tuple[float, float]:
    """Wilson's interval of a share among this many independent samples."""
    middle = (share + _Z**2 / (2 * size)) / (1 + _Z**2 / size)
    half = _Z / (1 + _Z**2 / size) * float(np.sqrt(share * (1 - share) / size + _Z**2 / (4 * size**2)))
    return max(0.0, middle - half), min(1.0, middle + half)
