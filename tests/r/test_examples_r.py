"""The examples in the documentation of the bridge, where the packages they need are installed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import r_bridge
from pyfsagg.exceptions import MissingDependencyError
from r_bridge._packages import PACKAGES
from r_bridge._session import require

pytestmark = pytest.mark.r

NEEDED = {
    "association": ["mRMRe"],
    "correlation": ["stats"],
    "entropy": ["FSelectorRcpp"],
    "mutual_information": ["praznik"],
    "rank_aggregation": ["RobustRankAggreg"],
    "stability": ["stabm"],
    "statistics": ["afex", "rstatix"],
}
MODULES = [
    module.name.removeprefix("r_bridge.")
    for module in pkgutil.walk_packages(r_bridge.__path__, "r_bridge.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, request: pytest.FixtureRequest) -> None:
    import os

    for package in NEEDED.get(name, []):
        try:
            require(package)
        except MissingDependencyError as reason:
            if os.environ.get("PYFSAGG_REQUIRE_ALL") == "1" and PACKAGES[package].debian:
                raise
            pytest.skip(str(reason))
    module = importlib.import_module(f"r_bridge.{name}")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testmod(module, optionflags=flags)
    assert failed == 0
    assert tried > 0 or name not in NEEDED
