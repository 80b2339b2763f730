"""The examples in the documentation of the bridge, where the packages they need are installed."""

import doctest
import importlib
import inspect
import pkgutil

import pytest
from r_packages import need

import pyfsagg_rpy2

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
    module.name.removeprefix("pyfsagg_rpy2.")
    for module in pkgutil.walk_packages(pyfsagg_rpy2.__path__, "pyfsagg_rpy2.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    need(*NEEDED.get(name, []))
    module = importlib.import_module(f"pyfsagg_rpy2.{name}")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testmod(module, optionflags=flags)
    assert failed == 0
    assert (tried > 0) == (">>>" in inspect.getsource(module))
