"""A hospital table that the program makes up: nobody in it exists.

It has what makes real tables hard to publish: people who stand out by age and place, diseases that depend on age
and sex, and some diseases that are rare.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

__all__ = ["QUASI_IDENTIFIERS", "hospital"]

QUASI_IDENTIFIERS = ("age", "sex", "zipcode")


class _Disease(NamedTuple):
    name: str
    share: float
    age: float
    """The age at which it is most common, and how far most patients are from it."""
    spread: float
    women: float = 0.5


_DISEASES = (
    _Disease("heart failure", 10, 78, 10),
    _Disease("pneumonia", 9, 68, 24),
    _Disease("hip fracture", 6, 81, 9, 0.72),
    _Disease("stroke", 8, 74, 12),
    _Disease("atrial fibrillation", 8, 72, 11),
    _Disease("sepsis", 6, 70, 17),
    _Disease("gallstones", 7, 55, 16, 0.62),
    _Disease("appendicitis", 6, 25, 13),
    _Disease("asthma", 5, 22, 20, 0.55),
    _Disease("diabetes", 7, 58, 18),
    _Disease("kidney infection", 5, 45, 24, 0.8),
    _Disease("kidney stones", 5, 49, 14, 0.35),
    _Disease("depression", 5, 42, 16, 0.62),
    _Disease("alcohol withdrawal", 3, 47, 12, 0.25),
    _Disease("breast cancer", 4, 63, 12, 0.99),
    _Disease("prostate cancer", 4, 69, 8, 0.0),
    _Disease("epilepsy", 3, 35, 24),
    _Disease("multiple sclerosis", 2, 39, 10, 0.72),
    _Disease("tuberculosis", 1, 41, 17, 0.35),
    _Disease("HIV", 1, 41, 12, 0.22),
)
_TOWN = {10115: 5, 10117: 4, 10119: 4, 10178: 3, 10243: 9, 10245: 8, 10247: 8, 10249: 6, 10315: 7, 10317: 5}
_VILLAGES = {10318: 2, 10319: 2, 10365: 1, 10367: 1, 10369: 1}


def hospital(patients: int = 4_000, *, seed: int = 2010) -> pl.DataFrame:
    """One row per patient; the same table for the same seed."""
    random = np.random.default_rng(seed)
    shares = np.array([disease.share for disease in _DISEASES])
    disease = random.choice(len(_DISEASES), patients, p=shares / shares.sum())
    age = random.normal([_DISEASES[d].age for d in disease], [_DISEASES[d].spread for d in disease])
    women = random.random(patients) < [_DISEASES[d].women for d in disease]
    places = _TOWN | _VILLAGES
    weights = np.array(list(places.values()), dtype=float)
    return pl.DataFrame(
        {
            "patient": [f"P{number:06}" for number in random.permutation(patients)],
            "age": np.clip(np.abs(age), 0, 99).astype(np.int64),
            "sex": np.where(women, "female", "male"),
            "zipcode": random.choice(list(places), patients, p=weights / weights.sum()),
            "disease": [_DISEASES[d].name for d in disease],
        }
    )
