"""Learners as voters: selections over resamples, and the order of the features by a voting rule.

The public names stand in ``__init__.pyi``, and are imported when they are first used.

>>> import pyfsagg
>>> pyfsagg.vote([["a", "b"], ["a"], ["c", "a"]]).ranking["votes"].to_dict()
{'a': 3, 'b': 1, 'c': 1}
"""

import lazy_loader

from pyfsagg._run.result import Renderer, register_renderer

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


@register_renderer("committee")
def _renderer() -> Renderer:
    from pyfsagg.committees._report import COMMITTEE_PLOTS, committee_page

    return Renderer(COMMITTEE_PLOTS, committee_page)
