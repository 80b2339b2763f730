"""Every registered method has a formula that can be typeset."""

import importlib.util
import os
import xml.etree.ElementTree as ET

import pytest
from loading import tool

pytestmark = pytest.mark.thorough

SPECS = [
    pytest.param(spec, id=f"{kind}-{spec.name}")
    for kind, page in tool("reference").PAGES.items()
    if kind != "comparisons"
    for spec in page.registry.own()
]


@pytest.fixture(scope="module")
def converter():
    if not importlib.util.find_spec("latex2mathml"):
        if os.environ.get("PYFSAGG_REQUIRE_ALL") == "1":
            pytest.fail("PYFSAGG_REQUIRE_ALL=1, and latex2mathml is not installed")
        pytest.skip("the extra 'docs' is not installed")
    from latex2mathml.converter import convert

    return convert


@pytest.mark.parametrize("spec", SPECS)
def test_formula_is_typeset(converter, spec) -> None:
    written = converter(spec.latex, display="block")
    tree = ET.fromstring(written)
    shown = "".join(tree.itertext())
    assert shown.strip()
    assert "\\" not in shown, f"a command that is not known: {shown}"
    assert "$" not in shown
