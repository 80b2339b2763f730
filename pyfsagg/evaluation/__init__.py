"""What selected features are worth to classifiers, and which differences are real.

The public names stand in ``__init__.pyi``; most of them bring scikit-learn along, and are imported
when they are first used.
"""

import lazy_loader

from pyfsagg._run.result import Face, shown_by

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


@shown_by("evaluation")
def _face() -> Face:
    from pyfsagg.evaluation._report import EVALUATION_PLOTS, evaluation_page

    return Face(EVALUATION_PLOTS, evaluation_page)
