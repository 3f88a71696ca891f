"""What somebody learns from a release who knows everybody's quasi-identifiers, the algorithm, and l (section 2).

For small tables the answer is exact (`disclosure_risk`), by enumerating what the table may have been. For large ones
the curator, who has the table, can sample it (`sampled_audit`).
"""

from __future__ import annotations

from .audit import Audit, PersonEstimate, sampled_audit
from .outcomes import KNOWN, Algorithm, Choices, Instance, deterministic, randomized
from .risk import DisclosureRisk, PersonRisk, credibility, disclosure_risk

__all__ = [
    "KNOWN",
    "Algorithm",
    "Audit",
    "Choices",
    "DisclosureRisk",
    "Instance",
    "PersonEstimate",
    "PersonRisk",
    "credibility",
    "deterministic",
    "disclosure_risk",
    "randomized",
    "sampled_audit",
]
