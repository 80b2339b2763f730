"""Values of other Python packages against ours, written by `make_python_peers.py` with their versions.

A number agrees to `TOLERANCE`; where a peer computes another quantity under the same name, the test says
which, and holds the relation of the two.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from golden import PEERS, stored

import pyfsagg
from pyfsagg import Rankings, aggregate, statistics

RECORD = stored("python_peers.json", PEERS)
CASES = RECORD["cases"]
TOLERANCE = 1e-9
INTEGRALS = 1e-6
"""Studentised ranges and other tails that both sides integrate."""


def twice(column: Any) -> pd.DataFrame:
    """A table of one column, twice: filters want two features."""
    return pd.DataFrame({"a": column, "b": column})


RULES = {
    "av": "approval",
    "sav": "satisfaction_approval",
    "seqpav": "sequential_proportional_approval",
    "seqphragmen": "phragmen",
}


@pytest.mark.parametrize("rule", RULES)
def test_a_committee_is_among_the_winning_ones_of_abcvoting(rule: str) -> None:
    for case in CASES["abcvoting"]:
        names = [f"c{j}" for j in range(case["n"])]
        ballots = [[names[j] for j in ballot] for ballot in case["ballots"]]
        found = pyfsagg.vote(ballots, RULES[rule], size=case["size"], feature_names=names)
        chosen = sorted(names.index(name) for name in found.select(case["size"]))
        assert chosen in case["winning"][rule], case


def test_posterior_of_two_methods_is_that_of_baycomp() -> None:
    for case in CASES["baycomp"]:
        folds = pd.DataFrame({"a": case["a"], "b": case["b"]})
        ratio = 1 / (len(folds) - 1)
        found = statistics.bayesian_t_tests(folds, rope=case["rope"], test_train_ratio=ratio)
        ours = found.to_frame()[["p_above", "p_equivalent", "p_below"]].to_numpy()[0]
        np.testing.assert_allclose(ours.astype(float), case["p"], atol=TOLERANCE)


def test_score_of_a_binary_feature_is_the_log_rank_statistic_of_lifelines() -> None:
    for case in CASES["lifelines"]:
        found = pyfsagg.filters.cox_score(
            twice(case["group"]), np.column_stack([case["time"], case["event"]])
        )
        np.testing.assert_allclose(found, case["statistic"], rtol=TOLERANCE)


def _of_tables(table: pd.DataFrame) -> dict[str, float]:
    repeated = statistics.rm_anova(table)
    friedman = statistics.friedman(table)
    between = table.melt(var_name="group")
    paired = statistics.pairwise_tests(table.iloc[:, :2]).to_frame().iloc[0]
    signed = (
        statistics.pairwise_tests(table.iloc[:, :2], test="wilcoxon", decimals=3).to_frame().iloc[0]
    )
    return {
        "rm_f": repeated.f,
        "rm_p": repeated.p_value,
        "rm_p_gg": repeated.p_greenhouse_geisser,
        "rm_ng2": repeated.generalized_eta_squared,
        "gg": repeated.sphericity.greenhouse_geisser,
        "hf": min(1.0, repeated.sphericity.huynh_feldt),  # the raw value may exceed 1, as in R
        "mauchly_w": repeated.sphericity.w,
        "friedman_q": friedman.statistic,
        "kendall_w": friedman.kendall_w,
        "one_way_f": statistics.one_way_anova(between, group="group", value="value").f,
        "welch_f": statistics.one_way_anova(between, group="group", value="value", welch=True).f,
        "t": paired["statistic"],
        "t_p": paired["p"],
        "rank_biserial": signed["effect_size"],
        "wilcoxon_p": signed["p"],
    }


@pytest.mark.parametrize("quantity", CASES["pingouin"][0]["values"])
def test_statistics_are_those_of_pingouin(quantity: str) -> None:
    for case in CASES["pingouin"]:
        if quantity not in case["values"]:
            continue  # a table of ties, which pingouin breaks by errors of rounding
        ours = _of_tables(pd.DataFrame(case["table"]).add_prefix("c"))[quantity]
        np.testing.assert_allclose(
            ours, case["values"][quantity], rtol=INTEGRALS, err_msg=str(case)
        )


FUSED = {"max": "maximum", "min": "minimum", "med": "median", "anz": "arithmetic_mean"}


@pytest.mark.parametrize("method", ["rrf", *FUSED])
def test_fusion_is_that_of_ranx(method: str) -> None:
    for case in CASES["ranx"]:
        if method == "rrf":
            lists = [sorted(run, key=run.get, reverse=True) for run in case["runs"]]
            found = aggregate(lists, "reciprocal_rank_fusion")
        else:
            found = aggregate(pd.DataFrame(case["runs"]), FUSED[method])
        ours = dict(zip(found.names, found.statistic, strict=True))
        assert ours == pytest.approx(case["fused"][method], abs=TOLERANCE)


AGGREGATED = {
    "rra": "robust_rank_aggregation",
    "stuart": "stuart",
    "geom-mean": "geometric_mean_rank",
    "median": "median_rank",
    "min": "minimum_rank",
    "mean": "mean_rank",
}


@pytest.mark.parametrize("method", AGGREGATED)
def test_aggregation_is_that_of_robustrankaggregpy(method: str) -> None:
    for case in CASES["robustrankaggregpy"]:
        table = Rankings.from_lists(case["lists"], universe=case["n"])
        found = aggregate(table, AGGREGATED[method])
        # Ranks there are shares of the number of items.
        values = {"rra": found.p_values, "stuart": found.statistic}.get(
            method, found.statistic / case["n"]
        )
        ours = dict(zip(found.names, values, strict=True))
        assert ours == pytest.approx(case["scores"][method], abs=TOLERANCE)


def test_information_and_chi_squared_are_those_of_scikit_learn_and_scipy() -> None:
    for case in CASES["scikit_learn"]:
        X, y = twice(pd.Categorical(case["x"])), np.array(case["y"]).astype(str)
        found = [pyfsagg.filters.information_gain(X, y)[0], pyfsagg.filters.chi_squared(X, y)[0]]
        expected = [case["mutual_information"], case["chi_squared"]]
        np.testing.assert_allclose(found, expected, atol=TOLERANCE)


def test_p_values_of_nemenyi_are_those_of_scikit_posthocs() -> None:
    for case in CASES["scikit_posthocs"]:
        found = statistics.nemenyi(case["table"]).to_frame()["p"]
        np.testing.assert_allclose(found.astype(float), case["p"], atol=INTEGRALS)


def test_concordance_is_that_of_scikit_survival() -> None:
    """Of the better direction, which the filter takes: max(c, 1 - c)."""
    for case in CASES["scikit_survival"]:
        y: Any = np.column_stack([case["time"], case["event"]])
        found = pyfsagg.filters.concordance(twice(case["risk"]), y)[0]
        assert found == pytest.approx(
            max(case["concordance"], 1 - case["concordance"]), abs=TOLERANCE
        )
