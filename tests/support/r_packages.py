"""R for the tests that need it: a skip that is a failure where nothing may be missing."""

from __future__ import annotations

import os

import pytest

from pyfsagg.exceptions import MissingDependencyError
from r_bridge._packages import PACKAGES
from r_bridge._session import require


def need(*packages: str) -> None:
    """Skip the module without R and `packages`; with PYFSAGG_REQUIRE_ALL=1 let it fail.

    Packages that Debian does not have may be missing always.
    """
    try:
        for name in packages:
            require(name)
    except MissingDependencyError as reason:
        from_debian = all(name not in PACKAGES or PACKAGES[name].debian for name in packages)
        if os.environ.get("PYFSAGG_REQUIRE_ALL") == "1" and from_debian:
            raise
        pytest.skip(f"R is not available: {reason}", allow_module_level=True)
