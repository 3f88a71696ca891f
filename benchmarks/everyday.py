"""A hospital's table as it comes out of a database: 50 columns, most of which must be dropped. Nobody in it exists.

Twelve quasi-identifiers of every type, diagnoses as rare and as frequent as they are, and what a table holds besides:
names, addresses, mail and notes in texts that hardly repeat, figures, flags.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

__all__ = ["IDENTIFIER", "QUASI_IDENTIFIERS", "SENSITIVE", "everyday", "write_csv", "write_parquet"]

IDENTIFIER = "patient"
SENSITIVE = "diagnosis"
QUASI_IDENTIFIERS = (
    *("age", "sex", "zipcode", "education", "insurance"),
    *("born", "occupation", "height"),
    *("country", "income", "weight", "admitted"),
)
_CODES = [f"{chr(65 + n // 30)}{n % 30:02}" for n in range(693)]
_COLUMNS = 50
_PART = 500_000


def everyday(rows: int, *, start: int = 0, seed: int = 1) -> pl.DataFrame:
    """Rows `start`, `start + 1`, .. of the table."""
    random = np.random.default_rng([seed, start])
    numbers = np.arange(start, start + rows)
    age = (random.beta(1.6, 2.4, rows) * 100).astype(np.int64)
    days = (2020 - age) * 365 + random.integers(0, 365, rows) - 1970 * 365
    notes = random.integers(0, 1_000_000, rows)
    columns: dict[str, pl.Series | pl.Expr] = {
        "patient": pl.Series(numbers * 2_654_435_761 % 2**32).cast(pl.String).str.zfill(10),
        "name": pl.Series(numbers).cast(pl.String) + pl.Series(random.integers(0, 10**6, rows)).cast(pl.String),
        "age": pl.Series(age),
        "sex": _words(["female", "male"], random.integers(0, 2, rows)),
        "zipcode": pl.Series(random.zipf(1.3, rows) % 2000 + 1000).cast(pl.String).str.zfill(5),
        "education": _words([f"degree {n:02}" for n in range(16)], random.integers(0, 16, rows)),
        "insurance": _words([f"fund {n:02}" for n in range(20)], random.zipf(1.5, rows) % 20),
        "born": pl.Series(days).cast(pl.Int32).cast(pl.Date),
        "occupation": _words([f"occupation {n:03}" for n in range(300)], random.zipf(1.2, rows) % 300),
        "height": pl.Series(random.normal(170, 10, rows).astype(np.int64)),
        "country": _words([f"country {n:03}" for n in range(200)], random.zipf(1.6, rows) % 200),
        "income": pl.Series(np.round(random.lognormal(7.5, 0.7, rows), 2)),
        "weight": pl.Series(np.round(random.normal(75, 15, rows), 1)),
        "admitted": pl.Series(random.integers(1_577_836_800, 1_609_459_200, rows) * 1_000_000).cast(pl.Datetime("us")),
        "diagnosis": _words(_CODES, (random.random(rows) ** 2.5 * len(_CODES)).astype(np.int64)),
        "mail": pl.Series(numbers).cast(pl.String) + "@example.org",
        "address": pl.Series(random.integers(0, 4_000_000, rows)).cast(pl.String) + " Long Street, Some Town",
        "note": "seen by a doctor, who wrote this down, case " + pl.Series(notes).cast(pl.String),
    }
    for number in range(_COLUMNS - len(columns)):
        columns[f"figure {number:02}"] = pl.Series(random.integers(0, 10 ** (number % 7 + 1), rows))
    return pl.DataFrame(columns)


def _words(words: list[str], numbers: np.ndarray) -> pl.Series:
    return pl.Series(words).gather(pl.Series(numbers))


def _parts(rows: int) -> Iterator[pl.DataFrame]:
    for start in range(0, rows, _PART):
        yield everyday(min(_PART, rows - start), start=start)


def write_csv(path: Path, rows: int) -> None:
    """The table in a CSV file, part by part."""
    with path.open("wb") as file:
        for number, part in enumerate(_parts(rows)):
            part.write_csv(file, include_header=number == 0)


def write_parquet(path: Path, rows: int, folder: Path) -> None:
    """The same in a Parquet file."""
    parts = []
    for number, part in enumerate(_parts(rows)):
        parts.append(folder / f"part{number:03}.parquet")
        part.write_parquet(parts[-1])
    pl.scan_parquet(parts).sink_parquet(path)
    for file in parts:
        file.unlink()
