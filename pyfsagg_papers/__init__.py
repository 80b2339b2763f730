"""Published results beside recomputed ones: a package that builds on the public names of pyfsagg.

Rooms: ``tables`` (every printed cell beside our repetitions), ``statements`` (what the papers claim),
``orders`` (figures of the rank-order paper), ``stuart`` (what the printed Stuart column measured),
``lists`` (gene lists of unequal quality), ``calibration`` (what p-values, intervals and bounds keep),
``all_papers`` (everything at once), ``comparisons`` (pyfsagg beside R packages) and ``commands``, which
``pyfsagg reproduce`` and ``pyfsagg cross-check`` come from.  Files that all share: ``published``
(printed cells), ``records`` (how results are kept), ``pages`` and ``shipped`` (runs that come along).

The public names stand in ``__init__.pyi`` and are imported when they are first used, so that the
command line starts without them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
