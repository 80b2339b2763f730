"""pyfsagg: ensemble feature selection, rank aggregation and selection stability.

The verbs, the settings that they share and the rooms stand in ``__init__.pyi``; everything else lives in its
room.  They are imported when they are first used, so ``import pyfsagg`` itself costs nothing.
"""

import lazy_loader

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__.remove("__version__")


def __getattr__(name: str) -> object:
    """A public name, or a room whose verb has not been used yet, such as ``committees``."""
    from importlib import import_module, util  # not for every import of the package

    if name in __all__ or name.startswith("_") or util.find_spec(f"{__name__}.{name}") is None:
        return _public(name)
    return import_module(f"{__name__}.{name}")
