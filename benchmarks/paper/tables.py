"""OCC and SAL: the tables of section 4, from whatever there is.

The paper took 600,000 American adults from IPUMS. In order of preference, `find` takes a file that it is given, census
records prepared with the paper's domain sizes beside the repository, or the generator of `census.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from census import DOMAINS, QUASI_IDENTIFIERS, census

__all__ = ["SENSITIVE", "Tables", "extract", "find"]

SENSITIVE = {"OCC": "Occupation", "SAL": "Income"}
"""The paper's two tables, and the sensitive attribute of each; the QI attributes are the same."""

_ROWS = 600_000
_BESIDE = Path(__file__).resolve().parents[2].parent / "shared/data"

_NAMES: Mapping[str, tuple[str, ...]] = {
    "Age": ("AGE", "AGEP"),
    "Gender": ("GENDER", "SEX"),
    "Education": ("EDUCATION", "EDUC", "EDUCD", "SCHL"),
    "Birthplace": ("BIRTHPLACE", "BPL", "BPLD", "POBP"),
    "Occupation": ("OCCUPATION", "OCC", "OCCP"),
    "Income": ("INCOME", "INCTOT", "PINCP"),
}
"""How an attribute is called in the paper, in extracts of IPUMS USA, and in the ACS Public Use Microdata Sample."""

_YOUNGEST, _OLDEST = 17, 95
_NO_INCOME = 9_999_998
"""From here on, INCTOT of IPUMS means that it is not known or does not apply."""


@dataclass(frozen=True)
class Tables:
    """OCC and SAL, and where they are from."""

    name: str
    origin: str
    tables: Mapping[str, pl.DataFrame]


def find(data: str, *, rows: int | None = None, seed: int = 1) -> Tables:
    """The tables that `data` names: auto, occsal, table14, census, or the path of a file."""
    if data in ("auto", "occsal") and (prepared := _BESIDE / "acs_occsal/occsal_dev_600k.parquet").exists():
        origin = (
            "US Census Bureau, ACS 2024 person records with an occupation, recoded to the paper's domain sizes."
            " Birthplace is a proxy: state of residence for the native-born, a class of origin for others."
        )
        return _both("occsal", origin, pl.read_parquet(prepared), rows, seed)
    if data == "table14" and (_BESIDE / "synthetic_table14").exists():
        origin = (
            "Synthetic: census records drawn again with weights, so that the correlation ratios are those of the"
            " paper's Table XIV. A stress test, not a population."
        )
        files = {"OCC": "occ14_600k.parquet", "SAL": "sal14_600k.parquet"}
        found = {name: pl.read_parquet(_BESIDE / "synthetic_table14" / file) for name, file in files.items()}
        return Tables("table14", origin, {name: _sample(table, rows, seed) for name, table in found.items()})
    if data in ("auto", "census"):
        origin = "Made up by `benchmarks/census.py`, with the paper's domain sizes; nobody in it exists."
        return _both("census", origin, census(rows or _ROWS, seed=seed), rows, seed)
    if data in ("occsal", "table14"):
        raise SystemExit(f"The data {data} belong in {_BESIDE}, where they are not. Use census, or an extract.")
    if not Path(data).is_file():
        raise SystemExit(f"There is no data {data!r}. Use auto, occsal, table14, census, or the path of an extract.")
    origin = f"An extract given by the user, `{Path(data).name}`."
    return _both(Path(data).name.split(".")[0], origin, extract(Path(data)), rows, seed)


def _both(name: str, origin: str, table: pl.DataFrame, rows: int | None, seed: int) -> Tables:
    table = _sample(table, rows, seed)
    tables = {key: table.select(*QUASI_IDENTIFIERS, column) for key, column in SENSITIVE.items()}
    return Tables(name, origin, tables)


def _sample(table: pl.DataFrame, rows: int | None, seed: int) -> pl.DataFrame:
    return table.sample(min(rows or _ROWS, table.height), seed=seed)


def extract(path: Path) -> pl.DataFrame:
    """An extract of IPUMS USA or of the ACS PUMS, as the paper's attributes with the paper's domain sizes (Table XII).

    A CSV (also .csv.gz) or Parquet file with the columns AGE, SEX, EDUC, BPL, OCC, INCTOT of IPUMS, or AGEP, SEX,
    SCHL, POBP, OCCP, PINCP of the ACS; the names of the paper do as well. Kept are people from 17 on who have an
    occupation and all of the values. Ages above 95 count as 95. Where an attribute has more values than in the paper,
    neighbouring codes are merged into as many classes of about the same number of people.
    """
    if path.suffix == ".parquet":
        columns = list(pl.read_parquet_schema(path))
    else:
        columns = pl.read_csv(path, n_rows=0, infer_schema=False).columns
    chosen: dict[str, str] = {}
    for attribute, names in _NAMES.items():
        found = [column for name in names for column in columns if column.upper() == name]
        if not found:
            raise SystemExit(f"{path.name} has no column for {attribute}. It may be called {' or '.join(names)}.")
        chosen[attribute] = found[0]
    wanted = list(dict.fromkeys(chosen.values()))
    if path.suffix == ".parquet":
        table = pl.read_parquet(path, columns=wanted)
    else:  # as texts: the first rows, of people without a job or with a whole income, say nothing about the others
        table = pl.read_csv(path, columns=wanted, infer_schema=False)
    table = table.select(
        pl.col(column).cast(pl.Float64, strict=False).cast(pl.Int64, strict=False).alias(name)
        for name, column in chosen.items()
    )
    oldest: int = table["Age"].max() or 0  # type: ignore[assignment]
    if chosen["Age"].upper() != "AGE" or oldest > DOMAINS["Age"] - 1:
        table = table.filter(pl.col("Age") >= _YOUNGEST).with_columns(
            Age=pl.col("Age").clip(upper_bound=_OLDEST) - _YOUNGEST
        )
    if chosen["Occupation"].upper() in ("OCC", "OCCP"):
        table = table.filter(pl.col("Occupation") > 0)
    table = table.filter(pl.col("Income") < _NO_INCOME).drop_nulls()
    if table.is_empty():
        raise SystemExit(f"{path.name} has nobody from {_YOUNGEST} on with all of the values.")
    return pl.DataFrame({name: _merged(table[name], size) for name, size in DOMAINS.items()})


def _merged(column: pl.Series, size: int) -> pl.Series:
    """The values as numbers from 0, neighbours merged into classes of about equal weight where there are too many."""
    values, ranks, counts = np.unique(column.to_numpy(), return_inverse=True, return_counts=True)
    if len(values) > size:
        before = np.cumsum(counts) - counts
        classes = before * size // counts.sum()
        ranks = np.unique(classes, return_inverse=True)[1][ranks]
    return pl.Series(column.name, ranks.astype(np.int16))
