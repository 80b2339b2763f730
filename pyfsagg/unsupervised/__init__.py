"""Feature ranking without labels: by consensus affinity, and by the methods it competes with.

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
    from pyfsagg.unsupervised.result import ConsensusRanking

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def _pictures() -> Mapping[str, Callable[..., Any]]:
    from pyfsagg.unsupervised._plot import UNSUPERVISED_PLOTS

    return UNSUPERVISED_PLOTS


def _page(result: ConsensusRanking, **options: Any) -> Page:
    from pyfsagg.unsupervised._page import unsupervised_page

    return unsupervised_page(result, **options)


shown_by("unsupervised", pictures=_pictures, page=_page)
