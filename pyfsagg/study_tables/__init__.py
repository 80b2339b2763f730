"""What several studies find together: differential-expression tables with signs.

>>> import pandas as pd, pyfsagg
>>> table = lambda p: pd.DataFrame({"gene": list("abc"), "logFC": [2.0, -1.0, 0.1], "PValue": p})
>>> pyfsagg.studies({"one": table([1e-6, 0.2, 0.9]), "two": table([1e-5, 0.3, 0.8])}).select()
['a']
"""

from pyfsagg._run.result import Renderer, register_renderer
from pyfsagg.study_tables._call import studies
from pyfsagg.study_tables._result import Studies

__all__ = ["Studies", "studies"]


@register_renderer("studies")
def _renderer() -> Renderer:
    from pyfsagg.study_tables._report import STUDIES_PLOTS, studies_page

    return Renderer(STUDIES_PLOTS, studies_page)
