"""Genes of CRISPR screens out of ranked guides: α-RRA with exact p-values.

>>> import pyfsagg
>>> found = pyfsagg.screen([-3.0, -2.5, 0.1, 0.2, 0.3, 1.0], list("aabbcc"), alpha=0.4)
>>> found.to_frame("low").index.tolist()
['a', 'b', 'c']
"""

from pyfsagg._run.result import Face, shown_by
from pyfsagg.screens._call import screen
from pyfsagg.screens._result import Screen

__all__ = ["Screen", "screen"]


@shown_by("screen")
def _face() -> Face:
    from pyfsagg.screens._report import SCREEN_PLOTS, screen_page

    return Face(SCREEN_PLOTS, screen_page)
