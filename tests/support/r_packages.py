"""R for the tests that need it: a skip that is a failure where nothing may be missing."""

import os

import pytest

from pyfsagg.exceptions import MissingDependencyError
from pyfsagg_rpy2.packages import PACKAGES
from pyfsagg_rpy2.session import require


def need(*packages: str) -> None:
    """Skip the module or the test without `packages`; with PYFSAGG_REQUIRE_ALL=1 let it fail.

    A package that Debian does not have may be missing always; R itself, and the others, may not.
    """
    for name in packages:
        try:
            require(name)
        except MissingDependencyError as reason:
            from_debian = name not in PACKAGES or PACKAGES[name].debian
            if os.environ.get("PYFSAGG_REQUIRE_ALL") == "1" and from_debian:
                raise
            pytest.skip(f"R is not available: {reason}", allow_module_level=True)
