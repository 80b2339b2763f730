"""JMI, DISR, JMIM, NJMIM, CMIM, MIM and Kendall's transformation against praznik 11.0.0 (R 4.2.2).

Written by make_information_r.R.  praznik adds up logarithms, whose rounding may part features that are
equally good; here they are equal, and the first column is selected.  Orders are compared until that happens.
"""

from typing import Any

import numpy as np
import pytest
from golden import stored, typed

from pyfsagg.extending import as_table, check_target
from pyfsagg.filters import information_selection
from pyfsagg.filters.information import PREPARE

VALUES = stored("information_r.json")
PARTED = {
    ("own", "range_ends", "mim"),
    ("own", "mixed", "jmi"),
    ("own", "mixed", "jmim"),
    *(("kendall", "range_ends", name) for name in PREPARE),
    ("kendall_number", "range_ends", "mrmr"),
}
"""Where praznik's rounding decides between equally good features (`range_ends` has many copies)."""


def compare(found: list[str], scores: Any, expected: dict[str, Any], parted: bool) -> None:
    size = len(expected["order"])
    differ = [k for k in range(size) if found[k] != expected["order"][k]]
    assert bool(differ) == parted
    # At the first difference the criterion is the same: the two features are tied.
    end = differ[0] + 1 if parted else size
    np.testing.assert_allclose(scores[:end], expected["score"][:end], rtol=0, atol=1e-12)
    assert (np.abs(scores[size:]) < 1e-12).all()  # where praznik stops, nothing is left


@pytest.mark.parametrize("criterion", ["jmi", "disr", "jmim", "njmim", "cmim", "mim"])
@pytest.mark.parametrize("name", list(VALUES["own"]))
def test_order_and_scores_are_those_of_praznik(name: str, criterion: str) -> None:
    X, y = typed(name)
    frame = information_selection(X, y, criterion=criterion, binning="praznik").to_frame()
    expected = VALUES["own"][name][criterion]
    parted = ("own", name, criterion) in PARTED
    compare(list(frame.index), frame["score"].to_numpy(), expected, parted)


@pytest.mark.parametrize("criterion", list(PREPARE))
@pytest.mark.parametrize("name", ["sonar", "range_ends"])
@pytest.mark.parametrize("kind", ["kendall", "kendall_number"])
def test_pairs_of_rows_are_those_of_praznik(kind: str, name: str, criterion: str) -> None:
    X, y = typed(name)
    if kind == "kendall_number":
        X, y = X.iloc[:, 1:], X.iloc[:, 0]
    table = as_table(X)
    target = check_target(y, len(X), task="classification" if kind == "kendall" else "regression")
    depth = min(12, table.n_features)
    scorer = PREPARE[criterion](table, target, binning="kendall", n_features=depth)
    scores, orders = scorer.select(np.ones((1, len(X)), dtype=np.uint16), target.codes[np.newaxis])
    names = [table.feature_names[j] for j in orders[0]]
    parted = (kind, name, criterion) in PARTED
    compare(names, scores[0, orders[0]], VALUES[kind][name][criterion], parted)
