"""What somebody learns from a release who knows everybody's quasi-identifiers, the algorithm, and l (section 2).

For small tables the answer is exact (`disclosure_risk`), by enumerating what the table may have been.
"""

from __future__ import annotations

from .outcomes import KNOWN, Algorithm, Choices, Instance, deterministic, randomized
from .risk import DisclosureRisk, PersonRisk, credibility, disclosure_risk

__all__ = [
    "KNOWN",
    "Algorithm",
    "Choices",
    "DisclosureRisk",
    "Instance",
    "PersonRisk",
    "credibility",
    "deterministic",
    "disclosure_risk",
    "randomized",
]
