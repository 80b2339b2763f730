"""What an estimator is, told without scikit-learn, which takes long to import."""

from __future__ import annotations

from typing import Any


def last_step(estimator: Any) -> Any:
    """The last step of a Pipeline; any other estimator itself."""
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else estimator


def is_survival_model(estimator: Any) -> bool:
    """Whether an estimator is fitted to events with times, as ours and those of scikit-survival are."""
    last = last_step(estimator)
    bases = [base.__name__ for base in type(last).__mro__]
    return hasattr(last, "survival_at") or "SurvivalAnalysisMixin" in bases
