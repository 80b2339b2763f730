"""Figure 1 of the consensus affinity paper."""

import pandas as pd
import pytest

from pyfsagg.exceptions import UnknownNameError
from pyfsagg_papers import clustering_curves
from pyfsagg_papers.tables.frcm import mean_over_sizes


def test_the_mean_leaves_the_whole_table_out() -> None:
    columns = {"dataset": "a", "method": ["frcm"] * 3 + ["frmv"] * 3, "size": [1, 2, 3] * 2}
    curves = pd.DataFrame({**columns, "nmi": [0.2, 0.4, 1.0, 0.1, 0.6, 1.0]})
    found = mean_over_sizes(curves).loc["a"]
    assert (found["frcm"], found["frmv"]) == pytest.approx((0.3, 0.35))
    assert found["best"] == "frmv"


def test_curves_on_wine() -> None:
    curves = clustering_curves("wine", quick=True, n_jobs=2)
    assert len(curves) == 4 * 13
    whole = curves[curves["size"] == 13]["nmi"]
    assert whole.max() - whole.min() == pytest.approx(0.0, abs=1e-12)  # all features are the same
    assert whole.iloc[0] > 0.8


def test_other_data_sets_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown data set of figure 1 'ionosphere'"):
        clustering_curves(["ionosphere"])
