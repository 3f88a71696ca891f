"""How the contracts publish a table, and the tables that they publish."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

import pellucid

__all__ = ["ENDINGS", "QI", "RECODINGS", "Publisher", "files_in", "frames", "people", "tables"]

QI: Final = ("age", "place")
ENDINGS: Final = (".csv", ".tsv", ".parquet", ".arrow", ".xlsx", ".csv.gz")
RECODINGS: Final[dict[str, dict[str, str]]] = {
    "text": {"recoding": "mbr", "intervals": "text"},
    "bounds": {"recoding": "mbr", "intervals": "bounds"},
    "anatomy": {"recoding": "anatomy"},
}


@dataclass(frozen=True)
class Publisher:
    """Publishes with one algorithm and one recoding."""

    algorithm: str
    recoding: str

    def __call__(self, source: object, **options: Any) -> pellucid.Release:
        """A release of the source; what is not said is as in `people`."""
        settings: dict[str, Any] = {
            "quasi_identifiers": QI,
            "sensitive": "disease",
            "diversity": 2,
            "algorithm": self.algorithm,
            **RECODINGS[self.recoding],
            **options,
        }
        return pellucid.anonymize(source, **settings)


def people(rows: int = 60, *, seed: int = 1) -> pl.DataFrame:
    """A table with an identifier, two quasi-identifiers with many ties, and a sensitive column that is sorted."""
    fill = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"person {number:04}" for number in fill.permutation(rows)],
            "age": fill.integers(20, 30, rows),
            "disease": sorted(fill.choice(["cold", "flu", "gout", "mumps", "ulcer"], rows).tolist()),
            "place": fill.choice(["Bonn", "Köln", "Ulm"], rows).tolist(),
        }
    )


def tables(release: pellucid.Release) -> list[Any]:
    """The tables of a release, as the kind of frame that its source was."""
    if release.policy.recoding == "anatomy":
        return [release.qi_table, release.sensitive_table]
    return [release.table]


def frames(release: pellucid.Release) -> list[pl.DataFrame]:
    """The tables of a release, as frames of polars."""
    return [table if isinstance(table, pl.DataFrame) else pl.DataFrame(table) for table in tables(release)]


def files_in(folder: Path) -> dict[str, bytes]:
    """All files in a folder, hidden ones too."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}
