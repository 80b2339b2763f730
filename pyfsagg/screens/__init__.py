"""Genes of CRISPR screens out of ranked guides: α-RRA with exact p-values.

>>> import pyfsagg
>>> found = pyfsagg.screen([-3.0, -2.5, 0.1, 0.2, 0.3, 1.0], list("aabbcc"), alpha=0.4)
>>> found.to_frame("low").index.tolist()
['a', 'b', 'c']
"""

from pyfsagg._run.result import Renderer, register_renderer
from pyfsagg.screens._call import screen
from pyfsagg.screens._result import Screen

__all__ = ["Screen", "screen"]


@register_renderer("screen")
def _renderer() -> Renderer:
    from pyfsagg.screens._report import SCREEN_PLOTS, screen_page

    return Renderer(SCREEN_PLOTS, screen_page)
