"""A census-like table with the paper's domain sizes (Table XII), of any length; nobody in it exists.

Ages thin out towards the top, education goes with age, occupation with education and gender, income with all of
them, and most people live in few of the birthplaces: enough for the algorithms to have the work that real data give.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

QUASI_IDENTIFIERS = ("Age", "Gender", "Education", "Birthplace")
DOMAINS = {"Age": 79, "Gender": 2, "Education": 17, "Birthplace": 57, "Occupation": 50, "Income": 50}
Numbers = npt.NDArray[np.float64]


def census(rows: int, *, seed: int = 1) -> pl.DataFrame:
    """Rows of whole numbers from 0, as many of each attribute as the paper's tables have."""
    random = np.random.default_rng(seed)
    age = random.beta(1.6, 2.4, rows) * DOMAINS["Age"]
    gender = random.random(rows) < 0.52
    education = random.normal(9.0 - np.abs(age - 22) / 16, 3.0)
    birthplace = random.zipf(1.35, rows) % DOMAINS["Birthplace"]
    occupation = education * 1.6 + gender * 6 + random.normal(6, 9, rows)
    income = 8 + education * 1.3 + np.minimum(age, 45) * 0.3 - gender * 3 + random.normal(0, 7, rows)
    columns = {
        "Age": age,
        "Gender": gender,
        "Education": education,
        "Birthplace": birthplace,
        "Occupation": _folded(occupation, DOMAINS["Occupation"]),
        "Income": _folded(income, DOMAINS["Income"]),
    }
    return pl.DataFrame(
        {name: np.clip(values, 0, DOMAINS[name] - 1).astype(np.int64) for name, values in columns.items()}
    )


def _folded(values: Numbers, domain: int) -> Numbers:
    """Values beyond the ends are folded back into the domain, so that no end gathers all of them."""
    period = 2.0 * domain
    rest = np.mod(values, period)
    return np.minimum(rest, period - rest)
