"""Within- and between-aggregation: resamples, filters and an aggregator chained into a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pyfsagg._run.result import shown_by
from pyfsagg.ensemble.bam import bam
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.wam import wam
from pyfsagg.filters import list_filters

if TYPE_CHECKING:
    from pyfsagg._page.page import Page

__all__ = ["EnsembleResult", "bam", "list_filters", "wam"]

# The selectors are in pyfsagg.ensemble.selectors: they need scikit-learn, and a run does not.


def _pictures() -> Mapping[str, Callable[..., Any]]:
    from pyfsagg.ensemble._plot import ENSEMBLE_PLOTS

    return ENSEMBLE_PLOTS


def _page(result: EnsembleResult, **options: Any) -> Page:
    from pyfsagg.ensemble._page import ensemble_page

    return ensemble_page(result, **options)


shown_by("ensemble", pictures=_pictures, page=_page)
