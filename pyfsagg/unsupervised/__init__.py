"""Feature ranking without labels: by consensus affinity, and by the methods it competes with.

The public names stand in ``__init__.pyi``; most of them bring scikit-learn along, and are imported
when they are first used.
"""

import lazy_loader

from pyfsagg._run.result import Renderer, register_renderer

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


@register_renderer("unsupervised")
def _renderer() -> Renderer:
    from pyfsagg.unsupervised._report import UNSUPERVISED_PLOTS, unsupervised_page

    return Renderer(UNSUPERVISED_PLOTS, unsupervised_page)
