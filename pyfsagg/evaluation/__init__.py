"""What selected features are worth to classifiers, and which differences are real.

The public names stand in ``__init__.pyi``; most of them bring scikit-learn along, and are imported
when they are first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
