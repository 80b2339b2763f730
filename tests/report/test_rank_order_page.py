"""Reports of eliminations and of the paper's experiments."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pyfsagg._report.page import Picture, render_page
from pyfsagg.exceptions import ParameterError
from pyfsagg.extending import PageTable
from pyfsagg.rank_order import eliminate, make_planted_orders
from pyfsagg.rank_order.naive_bayes import random_subset_baseline
from pyfsagg_papers.orders.experiment import Experiment, Finding
from pyfsagg_papers.orders.figures import experiment_page

DATA = make_planted_orders(3, 10, n_extraneous=4, random_state=1)
X = DATA.X.rename(columns={"planted_1": "<b>one</b>"})


@pytest.fixture(scope="module")
def result():
    return eliminate(X, DATA.y, "spoilers", accuracy=True, random_state=0)


def test_elimination_page(result) -> None:
    band = random_subset_baseline(X, DATA.y, max_size=7, n_subsets=5)
    banded = replace(result, baseline=band)
    page = banded._page(n_features_to_select=3, data_name="a table", command="order x")
    html = render_page(page)
    assert "&lt;b&gt;one&lt;/b&gt;" in html
    assert "<b>one</b>" not in html
    assert "pyfsagg order x" in html
    assert page.title == "Elimination by Spoilers: a table"
    blocks = [block for section in page.sections for block in section.blocks]
    assert sum(isinstance(block, Picture) for block in blocks) == 2
    table = next(block for block in blocks if isinstance(block, PageTable))
    assert [row[1] for row in table.rows] == result.select(7)
    assert [row[0] for row in table.rows] == [str(rank) for rank in range(1, 8)]
    assert table.tinted == 3
    share = result.accuracy[-3]
    assert f"{share:.1%} (cross-validated)" in html
    with pytest.raises(ParameterError, match="n_features_to_select"):
        result._page(n_features_to_select=8)


def test_page_without_accuracy() -> None:
    page = eliminate(X, DATA.y, "cdv")._page(n_features_to_select=2)
    blocks = [block for section in page.sections for block in section.blocks]
    assert sum(isinstance(block, Picture) for block in blocks) == 1
    (repeat,) = (section for section in page.sections if section.id == "repeat")
    assert not any("pyfsagg order" in getattr(block, "code", "") for block in repeat.blocks)


def test_experiment_page(result) -> None:
    curve = result.to_frame()[["size", "divergence", "accuracy"]]
    curve = curve.assign(method="spoilers", removed=np.arange(7))
    curves = pd.concat([curve.assign(panel=panel) for panel in ("first", "second")])
    findings = (Finding("one thing", True, "1 > 0"), Finding("another", False, "1 < 0"))
    found = Experiment("figure-8", "Orders", "accuracy", curves, None, findings, {"n_repeats": 2})
    page = experiment_page(found, command="reproduce orders --figure 8")
    html = render_page(page)
    assert "1 of 2 statements" in html
    blocks = [block for section in page.sections for block in section.blocks]
    assert [block.title for block in blocks if isinstance(block, Picture)] == ["first", "second"]
    table = next(block for block in blocks if isinstance(block, PageTable))
    assert [row[0] for row in table.rows] == ["holds", "does not hold"]
