"""pellucid publishes tables about people so that even somebody who knows the program cannot tell who has what.

    import pellucid

    release = pellucid.anonymize("patients.csv", quasi_identifiers=["age", "zipcode"], sensitive="disease",
                                 diversity=8, identifier="name")
    release.write("published.csv")

It implements "Transparent Anonymization" (Xiao, Tao, Koudas, TODS 2010).
"""

from . import trees
from .errors import (
    CheckFailedError,
    HierarchyError,
    MicrodataError,
    MissingExtraError,
    NoResultError,
    NotEligibleError,
    PellucidError,
    PolicyError,
    SourceError,
    TargetError,
)
from .hierarchies import Hierarchy
from .inspection import Inspection, inspect
from .policy import Policy
from .release import Release, Written, anonymize
from .sources import Database, File
from .verify import Check
from .version import __version__

__all__ = [
    "Check",
    "CheckFailedError",
    "Database",
    "File",
    "Hierarchy",
    "HierarchyError",
    "Inspection",
    "MicrodataError",
    "MissingExtraError",
    "NoResultError",
    "NotEligibleError",
    "PellucidError",
    "Policy",
    "PolicyError",
    "Release",
    "SourceError",
    "TargetError",
    "Written",
    "__version__",
    "anonymize",
    "inspect",
    "trees",
]
