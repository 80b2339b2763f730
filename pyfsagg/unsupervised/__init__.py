"""Feature ranking without labels: by consensus affinity, and by the methods it competes with.

The public names stand in ``__init__.pyi``; most of them bring scikit-learn along, and are imported
when they are first used.
"""

import lazy_loader

from pyfsagg._run.result import Face, shown_by

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


@shown_by("unsupervised")
def _face() -> Face:
    from pyfsagg.unsupervised._report import UNSUPERVISED_PLOTS, unsupervised_page

    return Face(UNSUPERVISED_PLOTS, unsupervised_page)
