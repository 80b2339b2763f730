"""Standings of two tables beside what other packages print of them.

``standings_tables.json``: accuracies of five classifiers on 30 data sets (García and Herrera 2008), and
table 4.3 of the thesis, averaged over classifiers. By rstatix: paired t tests, Wilcoxon's tests and
Friedman's test; by afex the repeated-measures analysis of variance (Greenhouse and Geisser); by scikit-
posthocs Nemenyi's p-values; by autorank average ranks, the critical difference and Friedman's test; by
scmamp, which does not count ties, its χ² and Iman and Davenport's F. rstatix rounds p-values to three
digits.
"""

import numpy as np
import pandas as pd
import pytest
from golden import stored

import pyfsagg
from pyfsagg.statistics import critical_difference, friedman, nemenyi, rm_anova, wilcoxon
from pyfsagg_papers import load_published

KNOWN = stored("standings_tables.json")


TABLES = {
    "classifiers": pd.DataFrame(KNOWN["scores"], KNOWN["datasets"], KNOWN["methods"]),
    "thesis": load_published("4.3").drop(columns="classifier").groupby("dataset").mean(),
}


@pytest.mark.parametrize("name", TABLES)
def test_pairs_are_those_of_rstatix(name: str) -> None:
    table, known = TABLES[name], KNOWN[name]
    found = pyfsagg.standings(table).pairs().set_index(["method1", "method2"])
    for row in known["rstatix_t"]:
        pair = found.loc[(row["group1"], row["group2"])]
        theirs = [row[key] for key in ("estimate", "conf.low", "conf.high", "statistic", "df")]
        ours = pair[["difference", "lower", "upper", "t", "df"]].to_numpy(dtype=float)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
        assert pair["p"] == pytest.approx(row["p"], rel=0.011, abs=6e-4)
    signed = pyfsagg.standings(table, test="wilcoxon").pairs().set_index(["method1", "method2"])
    compared = 0
    for row in known["rstatix_wilcoxon"]:
        x, y = (table[row[key]] for key in ("group1", "group2"))
        gaps = np.abs((x - y).round(10))
        if np.unique(gaps).size == gaps.size and gaps.min() > 0.0:
            # R takes differences that are equal but for rounding for different ones.
            compared += 1
            assert wilcoxon(x, y, decimals=10).method == "exact"
            pair = signed.loc[(row["group1"], row["group2"])]
            assert pair["p"] == pytest.approx(row["p"], rel=0.011, abs=6e-4)
    assert compared == {"classifiers": 1, "thesis": 9}[name]


@pytest.mark.parametrize("name", TABLES)
def test_ranks_and_global_tests(name: str) -> None:
    table, known = TABLES[name], KNOWN[name]
    result = pyfsagg.standings(table)
    ranks = result.to_frame()["average_rank"].to_dict()
    assert ranks == pytest.approx(known["autorank"]["mean_ranks"])
    cd = critical_difference(table).critical_difference
    assert cd == pytest.approx(known["autorank"]["cd"], rel=2e-5)  # theirs is read from a table
    frame = nemenyi(table).to_frame()
    names = list(table.columns)
    for row in frame.itertuples():
        theirs = known["posthocs_nemenyi"][names.index(row.group1)][names.index(row.group2)]
        assert row.p == pytest.approx(theirs, abs=1e-9)
    ours = friedman(table)
    assert ours.statistic == pytest.approx(known["rstatix_friedman"]["statistic"])
    assert ours.p_value == pytest.approx(known["autorank"]["p"])
    assert result._global_test.p_value == ours.f_p_value
    # Without the correction for ties: 12 / (n k (k + 1)) Σ R² − 3 n (k + 1), and F of it.
    n, k = table.shape
    sums = np.array([ranks[one] for one in names]) * n
    plain = 12.0 / (n * k * (k + 1)) * (sums**2).sum() - 3.0 * n * (k + 1)
    assert plain == pytest.approx(known["scmamp"]["friedman_statistic"])
    f = (n - 1) * plain / (n * (k - 1) - plain)
    assert f == pytest.approx(known["scmamp"]["iman_statistic"])
    anova = rm_anova(table)
    assert anova.f == pytest.approx(known["afex"]["F"], rel=1e-9)
    assert anova.p_greenhouse_geisser == pytest.approx(known["afex"]["Pr(>F)"], rel=1e-9)


def test_nothing_is_certain_in_the_tables_of_the_thesis() -> None:
    result = pyfsagg.standings(TABLES["thesis"])
    assert len(result.may_be_first) == 5
    assert not result.pairs()["apart"].any()
    board = load_published("4.4")
    board = board[board["measure"].isin(["pearson", "spearman", "canberra"])]
    columns = {"method": "method", "dataset": "dataset", "value": "value", "metric": "measure"}
    higher = {"pearson": True, "spearman": True, "canberra": False}
    several = pyfsagg.standings(board, **columns, higher_is_better=higher)
    assert len(several.may_be_first) == 5
    assert several.agreement()["opposite"].tolist() == [0, 0, 0]
