"""pyfsagg: ensemble feature selection, rank aggregation and selection stability.

The public names stand in ``__init__.pyi``, each with the room that it comes from.  They are imported
when they are first used, so ``import pyfsagg`` itself costs nothing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
