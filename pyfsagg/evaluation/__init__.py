"""What selected features are worth to classifiers, and which differences are real.

The public names stand in ``__init__.pyi``; most of them bring scikit-learn along, and are imported
when they are first used.
"""

import lazy_loader

from pyfsagg._run.result import Renderer, register_renderer

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


@register_renderer("evaluation")
def _renderer() -> Renderer:
    from pyfsagg.evaluation._report import EVALUATION_PLOTS, evaluation_page

    return Renderer(EVALUATION_PLOTS, evaluation_page)
