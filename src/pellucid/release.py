"""The whole way from a source to a release: read, encode, anonymize, recode, write, read back, verify, publish."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import polars as pl

from .algorithms import ALGORITHMS, Anonymizer, Monitor, mask
from .draws import Draws, SeededDraws, SystemDraws
from .errors import OverlapWarning, PolicyError, TargetError
from .hierarchies import HierarchyLike
from .manifest import SensitiveOrder, manifest
from .microdata import Microdata, encode
from .partition import Partition
from .passwords import require_file_name
from .penalties import Penalty
from .policy import Policy
from .policy_file import PolicyFile, read_policy_file
from .recodings import GROUP_ID, ReleasedTable, anatomy, mbr
from .register import People, Register, Remembered
from .runs import at_once, require_threads
from .settings import Algorithm, Grid, Intervals, Missing, PenaltyName, Recoding, Style
from .sources import Database, FileSource, FrameKind, Source, open_source, open_target
from .sources.targets import ReleaseKind, Staging, Target, explained, require_other, require_place
from .verify import Check, Expected, verify, verify_anatomy

__all__ = ["Release", "Written", "anonymize", "report_files"]


def anonymize(
    source: object = None,
    *,
    quasi_identifiers: Iterable[str] | None = None,
    sensitive: str | Iterable[str] | None = None,
    joint: bool | None = None,
    diversity: int | None = None,
    identifier: str | None = None,
    drop: Iterable[str] | None = None,
    drop_others: bool | None = None,
    algorithm: Algorithm | None = None,
    penalty: PenaltyName | Penalty | None = None,
    recoding: Recoding | None = None,
    intervals: Intervals | None = None,
    missing: Missing | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    hierarchies: Mapping[str, HierarchyLike] | None = None,
    styles: Mapping[str, Style] | None = None,
    grids: Mapping[str, Grid] | None = None,
    sensitive_order: Sequence[str] | None = None,
    anonymity: int | None = None,
    protected: Sequence[str] | None = None,
    policy: str | os.PathLike[str] | PolicyFile | None = None,
    seed_file: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    monitor: Monitor | None = None,
    target: str | os.PathLike[str] | Database | None = None,
    report: str | os.PathLike[str] | None = None,
    register: str | os.PathLike[str] | None = None,
) -> Release:
    """Publish a table so that nobody can be tied to a sensitive value with more than 1/l confidence.

    `source` is the path of a file, a `File` if there is more to say of it, a `Database`, or a data frame of pandas,
    polars, pyarrow or anything else that speaks Arrow. Several `sensitive` columns must be declared `joint`: then
    their combination is the value. `diversity` is l. `policy` is a TOML file with the same settings, and perhaps the
    source and the target; what is given here overrides it. `penalty` may be a function of a group's QI codes (see
    `penalties`): such a run is in plain Python, for small tables. `orders`, `hierarchies`, `styles` and `grids` are
    settings of single columns, by their names. Nothing is written until `Release.write`, but a `target` or a `report`
    named here is refused before the work if it cannot be written.

    `register` is a file of the curator's own that remembers whose data were published, and is made if there is none.
    `Release.write` warns of people who were in an earlier release (`OverlapWarning`).
    """
    require_threads(threads)
    file = read_policy_file(policy)
    settings = Policy.from_options(
        {
            "quasi_identifiers": quasi_identifiers,
            "sensitive": sensitive,
            "joint": joint,
            "diversity": diversity,
            "identifier": identifier,
            "drop": drop,
            "drop_others": drop_others,
            "algorithm": algorithm,
            "penalty": "custom" if callable(penalty) else penalty,
            "recoding": recoding,
            "intervals": intervals,
            "missing": missing,
            "orders": orders,
            "hierarchies": hierarchies,
            "styles": styles,
            "grids": grids,
            "sensitive_order": sensitive_order,
            "anonymity": anonymity,
            "protected": protected,
        },
        file=file,
    )
    if settings.penalty == "custom" and not callable(penalty):
        raise PolicyError("penalty 'custom' stands for a function.", remedy="Give the function itself.")
    source = file.source.get("path") if source is None else source
    if source is None:
        raise PolicyError("There is no source.", remedy="Name it (SOURCE), or give the policy file a [source].")
    table = open_source(source, file.source)
    target = file.target.get("path") if target is None else target
    place = None if target is None else open_target(target, settings.recoding, file.target)
    if place is not None:
        place.require_writable(table.path)
    register = file.register.get("path") if register is None else register
    used = (file.path, register, *(hierarchies or {}).values(), *file.options.get("hierarchies", {}).values())
    needed = tuple(Path(path) for path in used if isinstance(path, str | os.PathLike))
    if place is not None:
        require_other(place.files, needed if seed_file is None else (*needed, Path(seed_file)))
    book = None if register is None else Register(register)
    for page in () if report is None else report_files(Path(report)):
        require_place(page, table.path)
    settings.require_roles(table.columns)
    draws: Draws = SystemDraws() if seed_file is None else SeededDraws.from_file(seed_file)
    tell = monitor or _silent

    microdata, people = _encoded(table, settings, draws, tell, book)
    partition = _anonymizer(settings)(
        microdata,
        diversity=settings.diversity,
        draws=draws,
        penalty=penalty if callable(penalty) else settings.penalty,
        threads=threads,
        monitor=monitor,
    )
    tell("recode", 0.0)
    published = partition.published(microdata)
    return Release(
        policy=settings,
        dropped_rows=microdata.dropped_rows,
        changed_values=int((published.sensitive.codes != microdata.sensitive.codes).sum()),
        sensitive_order=_sensitive_order(microdata, settings),
        _tables=at_once(lambda: _recode(published, partition, settings)),
        _expected=_expected(published, settings),
        _microdata=microdata,
        _partition=partition,
        source_unlike=table.unlike if isinstance(table, FileSource) else {},
        _source=table.path,
        _needed=needed,
        _target=place,
        _report=None if report is None else Path(report),
        _kind=table.kind,
        _tell=tell,
        _register=book,
        _people=people,
    )


def _encoded(
    table: Source, policy: Policy, draws: Draws, tell: Monitor, register: Register | None
) -> tuple[Microdata, People | None]:
    tell("read", 0.0)
    rows = table.read(policy.needed(table.columns))
    tell("encode", 0.0)
    microdata = at_once(lambda: encode(rows, policy, draws, untyped=table.untyped))
    return microdata, None if register is None else register.people(rows, policy)


def _silent(stage: str, share: float) -> None:
    """No progress is shown."""


def _anonymizer(policy: Policy) -> Anonymizer:
    if policy.algorithm == "mask":
        return partial(mask, anonymity=policy.anonymity, protected=policy.protected)
    return ALGORITHMS[policy.algorithm]


def _sensitive_order(microdata: Microdata, policy: Policy) -> SensitiveOrder:
    if not microdata.sensitive.ordered:
        return "none"
    if any(name in policy.orders for name in policy.sensitive_columns):
        return "policy"
    return "hierarchy" if any(name in policy.hierarchies for name in policy.sensitive_columns) else "values"


def _recode(microdata: Microdata, partition: Partition, policy: Policy) -> tuple[ReleasedTable, ...]:
    if policy.recoding == "anatomy":
        return anatomy(microdata, partition)
    return (mbr(microdata, partition, policy.intervals),)


def _expected(microdata: Microdata, policy: Policy) -> Expected:
    """What the released tables must hold, from the microdata alone (of Mask, with the values that it has changed)."""
    published = {name: [name] for name in policy.sensitive_columns}
    nullable = [values.name for values in microdata.sensitive.columns if values.has_nulls()]
    for attribute in microdata.attributes:
        as_bounds = attribute.style == "range" and policy.recoding == "mbr" and policy.intervals == "bounds"
        ends = ("_min", "_max") if as_bounds else ("",)
        published[attribute.name] = [attribute.name + end for end in ends]
        if attribute.values.has_nulls():
            nullable += published[attribute.name]
    return Expected(
        diversity=policy.diversity,
        columns=tuple(name for source in microdata.columns for name in published[source]),
        sensitive=policy.sensitive_columns,
        nullable=frozenset(nullable),
        sensitive_values=microdata.sensitive.columns,
        sensitive_counts=tuple(microdata.sensitive_counts().tolist()),
        protected=policy.protected,
    )


@dataclass(frozen=True)
class Written:
    """The files or tables of a release that was written, read back and found right."""

    files: tuple[Path, ...]
    manifest: Path | str
    """The file or the table that it stands in."""
    check: Check
    reports: tuple[Path, ...] = ()
    """The report for publication and the curator's, if they were asked for."""
    remembered: Remembered | None = None
    """What the register says of earlier releases, if there is one: for the curator, not for release."""
    tables: tuple[str, ...] = ()
    database: str | None = None
    """The address of the database that the tables are in, without the user."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Release:
    """What is published: a function of the released values alone (G5). It is verified before it is handed out."""

    policy: Policy
    dropped_rows: int
    """How many rows with missing values were left out at the policy's word: for the curator, not for release."""
    changed_values: int
    """How many rows have another sensitive value than in the source (Mask): for the curator, not for release."""
    sensitive_order: SensitiveOrder
    """Where the order of the sensitive values comes from: the policy, a hierarchy, the values, or there is none."""
    source_unlike: Mapping[str, str]
    """How the source file was read, where it is not written as pellucid writes such files: for the curator."""
    _tables: tuple[ReleasedTable, ...] = field(repr=False)
    """The one table of a generalization, or the two tables of an anatomy."""
    _expected: Expected = field(repr=False)
    _microdata: Microdata = field(repr=False)
    _partition: Partition = field(repr=False)
    """What the release was made from, for the curator's report."""
    _source: Path | None = field(repr=False)
    _needed: tuple[Path, ...] = field(repr=False)
    """Files of the curator's that the run has used, besides the source. Where a seed is, no release says (G4)."""
    _target: Target | None = field(repr=False)
    _report: Path | None = field(repr=False)
    _kind: FrameKind = field(repr=False)
    _tell: Monitor = field(repr=False)
    _register: Register | None = field(repr=False)
    _people: People | None = field(repr=False)
    """Whom the source is about, as the register knows them."""

    @cached_property
    def check(self) -> Check:
        """What the released tables say about their groups."""
        return at_once(lambda: _verify([table.frame() for table in self._tables], self._expected))

    @property
    def table(self) -> Any:
        """The released table, as the kind of frame that the source was."""
        if self.policy.recoding == "anatomy":
            raise PolicyError("A release by anatomy has two tables.", remedy="Use qi_table and sensitive_table.")
        return self._verified(0)

    @property
    def qi_table(self) -> Any:
        """By anatomy: the exact QI values, and the group of each."""
        self._require_anatomy()
        return self._verified(0)

    @property
    def sensitive_table(self) -> Any:
        """By anatomy: the sensitive values, and the group of each."""
        self._require_anatomy()
        return self._verified(1)

    def _require_anatomy(self) -> None:
        if self.policy.recoding != "anatomy":
            raise PolicyError("Only a release by anatomy has two tables.", remedy="Use table.")

    def _verified(self, number: int) -> Any:
        self.check  # noqa: B018 - raises if the tables are not what they have to be
        return at_once(lambda: self._kind(self._tables[number].frame()))

    def report(self, *, for_curator: bool = False) -> str:
        """A page about the release, as HTML, that may be published with it.

        The curator's page holds rows of the source as well, and what counts from the release get wrong: it is not for
        release.
        """
        check, tables = self.check, [table.frame() for table in self._tables]
        return self._pages(tables, check, target="RELEASE", kind="files", written={})[for_curator]()

    def _pages(
        self,
        tables: Sequence[pl.DataFrame],
        check: Check,
        *,
        target: str,
        kind: ReleaseKind,
        written: Mapping[str, Mapping[str, Any]],
    ) -> tuple[Callable[[], str], Callable[[], str]]:
        """The page for publication, made from the released tables and the policy alone (G8), and the curator's."""
        from .report import curator, page, report_on  # noqa: PLC0415 - pages are made where they are asked for

        public = report_on(tables, self.policy, self.sensitive_order, check, target=target, kind=kind, written=written)

        def recode(some: Partition) -> tuple[ReleasedTable, ...]:
            return _recode(self._partition.published(self._microdata), some, self.policy)

        def for_curator() -> str:
            more = curator(
                self._microdata, self._partition, recode, tables, policy=self.policy, target=target, kind=kind
            )
            return page("report.html", report=replace(public, curator=more))

        return (lambda: page("report.html", report=public)), for_curator

    def write(
        self, target: str | os.PathLike[str] | Database | None = None, *, report: str | os.PathLike[str] | None = None
    ) -> Written:
        """Write the release and its manifest, read them back, verify them, and only then move them into place.

        Without a target, to the one that `anonymize` or the policy file named. `report` is an HTML file about the
        release that may be published with it; beside it, under a name that says so, stands one that may not.
        """
        place = self._target if target is None else open_target(target, self.policy.recoding)
        if place is None:
            raise PolicyError("There is no target.", remedy="Name it (--output), or give the policy file a [target].")
        place.require_writable(self._source)
        require_other(place.files, self._needed)
        public = self._report if report is None else Path(report)
        reports = () if public is None else report_files(public)
        for page in reports:
            require_place(page, self._source)
        with Staging() as staging:
            staged = place.staged(staging)
            staged.write([table.shown(place.shown) for table in self._tables], partial(self._tell, "write"))
            self._tell("verify", 0.0)
            tables = staged.read_back()
            check = at_once(lambda: _verify(tables, self._expected.shown(place.shown)))
            facts = staged.fingerprints()
            said = manifest(self.policy, self.sensitive_order, place.kind, facts, check)
            staged.add_manifest(json.dumps(said, indent=2, ensure_ascii=False) + "\n")
            if reports:
                self._tell("report", 0.0)
                pages = at_once(lambda: self._pages(tables, check, target=place.name, kind=place.kind, written=facts))
                for file, make, private in zip(reports, pages, (False, True), strict=True):
                    with explained(file):
                        staging.add(file, private=private).write_text(at_once(make), encoding="utf-8")
            with self._noted(place) as remembered:
                if remembered:
                    warnings.warn(OverlapWarning(str(remembered)), stacklevel=2)
                staging.commit()
            self._tell("verify", 1.0)  # nobody is heard here either
            return Written(place.files, place.manifest, check, reports, remembered, place.tables, place.database)

    def _noted(self, place: Target) -> AbstractContextManager[Remembered | None]:
        """The register knows of a release before it appears; without a register, nobody does."""
        if self._register is None or self._people is None:
            return nullcontext()
        source = None if self._source is None else self._source.name
        return self._register.noted(self._people, source=source, target=place.name, policy_sha256=self.policy.sha256)


def _verify(tables: Sequence[pl.DataFrame], expected: Expected) -> Check:
    if len(tables) == 1:
        return verify(tables[0], expected)
    return verify_anatomy(tables[0], tables[1], GROUP_ID, expected)


def report_files(public: Path) -> tuple[Path, Path]:
    """The two pages of a report: the one for publication, and the curator's, whose name says that it is not."""
    require_file_name(public)
    if public.suffix.lower() not in (".html", ".htm"):
        raise TargetError(f"The report {public} is no HTML file.", remedy="Give it the ending .html.")
    return public, public.with_name(f"{public.stem}.not-for-release{public.suffix}")
