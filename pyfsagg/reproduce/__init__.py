"""Published results beside recomputed ones.

Sub-rooms, from the ground up: ``published`` (printed cells), ``records`` (how results are kept),
``statements`` (what the papers claim), ``stuart`` (what the printed Stuart column measured),
``orders`` (figures of the rank-order paper), ``tables`` (every printed cell beside our repetitions),
``all_papers`` (everything at once), ``shipped`` (runs that come with the package) and ``commands``.
Each has its pictures in ``_plot`` and its report in ``_page``.

The public names stand in ``__init__.pyi`` and are imported when they are first used, so that the
command line starts without them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
