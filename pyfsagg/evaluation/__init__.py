"""What selected features are worth to classifiers, and which differences are real.

The public names stand in ``__init__.pyi``; most of them bring scikit-learn along, and are imported
when they are first used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import lazy_loader

from pyfsagg._run.result import shown_by

if TYPE_CHECKING:
    from pyfsagg._page.page import Page
    from pyfsagg.evaluation.result import Evaluation

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def _pictures() -> Mapping[str, Callable[..., Any]]:
    from pyfsagg.evaluation._plot import EVALUATION_PLOTS

    return EVALUATION_PLOTS


def _page(result: Evaluation, **options: Any) -> Page:
    from pyfsagg.evaluation._page import evaluation_page

    return evaluation_page(result, **options)


shown_by("evaluation", pictures=_pictures, page=_page)
