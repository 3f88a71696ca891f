"""What a release is still worth: COUNT queries as in section 4.1, and the measures of the field.

from pellucid.utility import evaluate

evaluation = evaluate("patients.csv", "published.csv", quasi_identifiers=["age", "zipcode"], sensitive="disease")
print(evaluation.errors.workload)
"""

from __future__ import annotations

from .comparison import Comparison, compare
from .evaluation import Errors, Evaluation, evaluate

__all__ = ["Comparison", "Errors", "Evaluation", "compare", "evaluate"]
