"""Analyses of variance: bad input, special cases, agreement with statsmodels, intervals."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusals import refused
from scipy import integrate, special, stats

from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.statistics import one_way_anova, pairwise_tests, rm_anova, sphericity_test

SMALL = np.array([[45, 50, 55], [42, 42, 45], [36, 41, 43], [39, 35, 40], [51, 55, 59]], float)
NAMES = {"subject": "s", "condition": "c", "value": "v"}


def long_form(values):
    rows = [(f"s{i}", f"c{j}", v) for (i, j), v in np.ndenumerate(values)]
    return pd.DataFrame(rows, columns=["s", "c", "v"])


# --- repeated measures -----------------------------------------------------------------------


def test_sums_of_squares_add_up_and_do_not_depend_on_the_origin():
    result = rm_anova(SMALL)
    total = np.square(SMALL - SMALL.mean()).sum()
    assert result.ss_effect + result.ss_subjects + result.ss_error == pytest.approx(total)
    # An origin of 10⁹ costs nine digits of the data, and none in the sums.
    assert rm_anova(SMALL + 1e9).f == pytest.approx(result.f, rel=1e-7)


def test_two_conditions_is_the_paired_t_test():
    result = rm_anova(SMALL[:, :2])
    t = stats.ttest_rel(SMALL[:, 0], SMALL[:, 1])
    assert result.f == pytest.approx(t.statistic**2)
    assert result.p_value == pytest.approx(t.pvalue)
    assert result.p_greenhouse_geisser == result.p_huynh_feldt == result.p_value
    assert result.sphericity.w == result.sphericity.p_value == 1.0
    assert "two conditions" in result.to_frame()["note"].iloc[0]


@pytest.mark.parametrize(
    ("correction", "short"), [("greenhouse_geisser", "gg"), ("huynh_feldt", "hf")]
)
def test_sentence_goes_by_the_correction(correction, short):
    result = rm_anova(SMALL, sphericity_correction=correction)
    row = result.to_frame().iloc[0]
    epsilon, p = row[f"{short}_epsilon"], row[f"p_{short}"]
    assert f"ε = {epsilon:.3g}" in result.sentence
    assert f"p = {p:.3g}" in str(result)
    expected = stats.f.sf(result.f, epsilon * result.df_effect, epsilon * result.df_error)
    assert p == pytest.approx(expected)
    plain = rm_anova(SMALL, sphericity_correction="none").sentence
    assert "ε" not in plain
    assert f"p = {row['p']:.3g}" in plain


def test_sentence_tells_significant_from_not():
    assert "differ significantly at the 5 % level" in rm_anova(SMALL).sentence
    strict = rm_anova(SMALL, confidence_level=0.99).sentence
    assert re.search("no significant difference .* at the 1 % level", strict)


def test_huynh_feldt_above_one_is_used_as_one():
    # Contrasts of equal variance: sphericity holds exactly, and the estimate exceeds 1.
    values = np.kron(np.eye(3), [[1.0], [-1.0]]) + 0.01 * np.arange(3)
    result = rm_anova(values)
    assert result.sphericity.greenhouse_geisser == pytest.approx(1.0)
    assert result.sphericity.huynh_feldt > 1.0
    assert result.p_huynh_feldt == result.p_value


def test_mauchly_p_value_is_accurate_to_second_order():
    """Against the exact distribution of W, from its moments by Gil-Pelaez inversion."""

    def exact(log_w, n, k):
        q, df = k - 1, n - 1
        i = np.arange(1, q + 1)

        def characteristic(s):
            h = -1j * s
            of_roots = special.loggamma((df + 1 - i) / 2 + h) - special.loggamma((df + 1 - i) / 2)
            of_trace = special.loggamma(q * df / 2) - special.loggamma(q * df / 2 + q * h)
            return np.exp(q * h * np.log(q) + of_trace + np.sum(of_roots))

        def integrand(s):
            return (np.exp(1j * s * log_w) * characteristic(s)).imag / s

        parts = [(1e-12, 60), (60, 4000)]
        return 0.5 + sum(integrate.quad(integrand, *ab, limit=4000)[0] for ab in parts) / np.pi

    rng = np.random.default_rng(8)
    values = rng.normal(size=(40, 4)) * [1.0, 1.2, 1.5, 1.1]
    textbook, r = (sphericity_test(values, reading) for reading in ("textbook", "r"))
    limit = exact(np.log(textbook.w), 40, 4)
    # The textbook leaves an error of third order, R's coefficient one of second order.
    assert abs(textbook.p_value - limit) < 1e-6 < abs(r.p_value - limit) < 1e-5
    # For three conditions they agree.
    assert rm_anova(SMALL).sphericity == rm_anova(SMALL, mauchly="r").sphericity


def test_greenhouse_geisser_is_boxs_formula():
    covariance = np.cov(SMALL.T)
    k = 3
    centred = covariance - covariance.mean(0) - covariance.mean(1)[:, None] + covariance.mean()
    expected = np.trace(centred) ** 2 / ((k - 1) * np.square(centred).sum())
    assert rm_anova(SMALL).sphericity.greenhouse_geisser == pytest.approx(expected)


def test_fewer_subjects_than_conditions_or_two_that_agree_leave_mauchly_undefined():
    result = rm_anova(np.random.default_rng(0).normal(size=(4, 6)))
    assert np.isnan(result.sphericity.w)
    assert "at least 6 subjects" in result.to_frame()["note"].iloc[0]
    assert 1 / 5 <= result.sphericity.greenhouse_geisser <= 1
    assert np.isfinite([result.p_greenhouse_geisser, result.p_huynh_feldt]).all()
    assert json.loads(result.to_json())["rows"][0]["mauchly_w"] is None
    alike = rm_anova(np.column_stack([SMALL, SMALL[:, 0]])).sphericity
    assert np.isnan(alike.p_value)
    assert "constant" in alike.note


@pytest.mark.parametrize(
    ("sphericity_correction", "column"), [("greenhouse_geisser", "gg_epsilon"), ("none", None)]
)
def test_intervals_by_their_definition(sphericity_correction, column):
    values = np.random.default_rng(6).normal([0, 0.5, 1, 3], [1, 2, 1, 3], size=(12, 4))
    values += np.arange(12.0)[:, None] / 4
    result = rm_anova(values, sphericity_correction=sphericity_correction)
    epsilon = result.to_frame()[column].iloc[0] if column else 1.0
    df = epsilon * result.df_effect, epsilon * result.df_error
    total = result.df_effect + result.df_error + 1
    odds = [share / (1 - share) for share in result.partial_eta_squared_interval]
    for signal, tail in zip(odds, (0.975, 0.025), strict=True):
        noncentrality = epsilon * signal * total
        assert stats.ncf.cdf(result.f, *df, noncentrality) == pytest.approx(tail, abs=1e-8)
    # Variance of subjects and error over that of error: limits from the F distribution of subjects.
    f_subjects = (result.ss_subjects / 11) / (result.ss_error / 33)
    spread = 1 + result.ss_subjects / result.ss_error
    narrow, wide = 1 + f_subjects / stats.f.ppf([0.975, 0.025], 11, 33) / 3
    signal = result.ss_effect / result.ss_error
    distance = np.hypot(np.log([signal / odds[0], odds[1] / signal]),
                        np.log([wide / spread, spread / narrow]))  # fmt: skip
    limits = special.expit(np.log(signal / spread) + distance * [-1, 1])
    assert result.generalized_eta_squared_interval == pytest.approx(tuple(limits))


@pytest.mark.parametrize("confidence_level", [0.8, 0.95])
def test_intervals_hold_the_estimates_and_widen(confidence_level):
    values = np.random.default_rng(5).normal([0, 0.5, 1, 3], 1, size=(12, 4))
    result = rm_anova(values, confidence_level=confidence_level, sphericity_correction="none")
    wide = rm_anova(values, confidence_level=0.99, sphericity_correction="none")
    for name in ("generalized_eta_squared", "partial_eta_squared"):
        low, high = getattr(result, f"{name}_interval")
        assert 0 < low < getattr(result, name) < high < 1
        wider = getattr(wide, f"{name}_interval")
        assert wider[0] < low < high < wider[1]


# --- reading of the data ---------------------------------------------------------------------
def test_incomplete_blocks():
    long = LONG.iloc[1:]
    with pytest.raises(DataError, match=r"1 of 5 subjects.*'s0' in condition 'c0'.*'drop'"):
        rm_anova(long, **NAMES)
    dropped = rm_anova(long, **NAMES, missing="drop")
    assert dropped.n_dropped == 1
    assert dropped.f == pytest.approx(rm_anova(SMALL[1:]).f)
    assert "1 omitted for missing values" in dropped.sentence
    values = SMALL.copy()
    values[2, 1] = np.nan
    assert rm_anova(values, missing="drop").n_subjects == 4
    few, none = values.copy(), values.copy()
    few[1:4, 1], none[:, 1] = np.nan, np.nan
    drop, ignore = {"missing": "drop"}, {"missing": "ignore"}
    refused(
        rm_anova,
        ((few,), drop, DataError, r"2 complete subject.*3 with missing values"),
        ((none,), drop, DataError, r"'condition 2' has no value at all"),
        ((values,), ignore, ParameterError, "missing must be one of 'error', 'drop'"),
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (SMALL[:2], "2 complete subject"),
        (SMALL[:, :1], r"1 condition\(s\)"),
        (np.ones((4, 3)), "all differences are zero"),
        (np.repeat(SMALL[:, :1], 3, axis=1), "all differences are zero"),
        (0.1 * np.arange(5.0)[:, None] + 0.3 * np.arange(3.0), "no residual variation"),
        ([[1, 2, np.inf], *SMALL.tolist()], "infinite value in row 1"),
        ([1.0, 2.0], "two dimensions"),
        (np.zeros((0, 3)), "0 complete subject"),
        ([["a", 1], ["b", 2], ["c", 3]], "not a number"),
        (pd.DataFrame(SMALL, index=list("aabcd")), "more than once"),
    ],
)
def test_data_that_allow_no_test(data, message):
    with pytest.raises(DataError, match=message):
        rm_anova(data)


LONG = long_form(SMALL)
FACTORS = pd.concat([LONG.assign(classifier=name) for name in ("svm", "nb")])


@pytest.mark.parametrize(
    ("data", "columns", "error", "message"),
    [
        (LONG, {"condition": "cc"}, UnknownNameError, "condition column 'cc'; did you mean 'c'"),
        (LONG, {"subject": None}, ParameterError, "subject is missing"),
        (LONG, {"value": None}, ParameterError, "belong together"),
        (LONG, {"condition": "s"}, ParameterError, "three different columns"),
        (LONG.assign(s=["a", None, *"bcdefghijklmn"]), {}, DataError, "no label in row 2"),
        (LONG.assign(c=[1, "1", 2] * 5), {}, DataError, "both read '1'"),
        (
            pd.concat([LONG, LONG[:1]]),
            {},
            DataError,
            "'s0' has 2 values for condition 'c0'.*Average",
        ),
        (FACTORS, {}, DataError, r"'classifier'.*second factor is not supported"),
        *(
            (LONG, {role: ["a", "b"]}, ParameterError, f"{role} must be the name of one .*between")
            for role in NAMES
        ),
    ],
)
def test_columns_that_are_refused(data, columns, error, message):
    with pytest.raises(error, match=message):
        rm_anova(data, **NAMES | columns)


def test_order_of_the_conditions():
    """Of first appearance, or of the categories; unused categories are omitted."""
    long = LONG.iloc[::-1]
    ordered = long.assign(c=pd.Categorical(long["c"], ["c1", "unused", "c0", "c2"]))
    for data, expected in ((long, ["c2", "c2", "c1"]), (ordered, ["c1", "c1", "c0"])):
        assert pairwise_tests(data, **NAMES).to_frame()["group1"].tolist() == expected


def test_polars_frames():
    assert rm_anova(pl.DataFrame(LONG), **NAMES) == rm_anova(LONG, **NAMES)
    wide = pl.DataFrame(SMALL, schema=["a", "b", "c"])
    assert rm_anova(wide).f == pytest.approx(rm_anova(SMALL).f)


def test_options():
    for option, bad in (("sphericity_correction", "gg"), ("mauchly", "spss"),
                        ("confidence_level", 95), ("confidence_level", 1.0)):  # fmt: skip
        refused(rm_anova, ((SMALL,), {option: bad}, ParameterError, option))


# --- independent groups ----------------------------------------------------------------------
GROUPS = {"a": [6.0, 8, 4, 5], "b": [8.0, 12, 9], "c": [13.0, 9, 11, 8, 10]}


def test_one_way_shares_of_variance():
    result = one_way_anova(GROUPS)
    assert result.f == pytest.approx(stats.f_oneway(*GROUPS.values()).statistic)
    total, error = result.ss_effect + result.ss_error, result.ss_error / result.df_error
    assert result.eta_squared == pytest.approx(result.ss_effect / total)
    assert result.omega_squared == pytest.approx((result.ss_effect - 2 * error) / (total + error))
    low, high = result.eta_squared_interval
    assert 0 < low < result.omega_squared < result.eta_squared < high < 1


def test_one_way_forms_of_the_data_agree():
    rows = [(name, each) for name, sample in GROUPS.items() for each in sample]
    long = pd.DataFrame(rows, columns=["g", "v"])
    wide = pd.DataFrame({name: pd.Series(sample) for name, sample in GROUPS.items()})
    expected = one_way_anova(GROUPS)
    assert one_way_anova(long, group="g", value="v") == expected
    dropped = one_way_anova(wide, missing="drop")
    assert (dropped.f, dropped.n_dropped) == (expected.f, 3)
    single = one_way_anova({"a": [1, 2, 4], "b": [6]})  # a group of one
    assert single.p_value == pytest.approx(stats.f_oneway([1.0, 2, 4], [6.0]).pvalue)
    with pytest.raises(DataError, match=r"3 value\(s\) are missing, 1 of them in group 'a'"):
        one_way_anova(wide)


@pytest.mark.parametrize(
    ("data", "welch", "message"),
    [
        ({"a": [1, 1], "b": [1, 1]}, False, r"all 4 values are the same \(1\)"),
        ({"a": [1, 1], "b": [2, 2]}, False, "do not vary within any group"),
        ({"a": [1], "b": [2]}, False, "one value only"),
        ({"a": [1], "b": [2, 3]}, True, "'a' has one value"),
        ({"a": [1, 1], "b": [2, 3]}, True, "'a' has one value or values that do not vary"),
        ({"a": [1, 2]}, False, r"1 group\(s\)"),
        ({"a": [1, 2], "b": []}, False, "'b' has no value"),
    ],
)
def test_one_way_data_that_allow_no_test(data, welch, message):
    with pytest.raises(DataError, match=message):
        one_way_anova(data, welch=welch)
    with pytest.raises(ParameterError, match="more than one within factor"):
        one_way_anova(LONG, group=["c", "s"], value="v")


@pytest.mark.parametrize("unit", [1e-160, 1e-300, 1e150, 1e160, 1e300])
def test_anova_does_not_depend_on_the_unit(unit):
    values = np.random.default_rng(5).normal(size=(9, 4)) + np.array([0.0, 0.3, 0.5, 0.1])
    plain, found = rm_anova(values), rm_anova(values * unit)
    for name in ("f", "p_value", "p_greenhouse_geisser", "generalized_eta_squared"):
        assert getattr(found, name) == pytest.approx(getattr(plain, name), rel=1e-10), name
    limits = plain.generalized_eta_squared_interval
    assert found.generalized_eta_squared_interval == pytest.approx(limits, rel=1e-8)
    assert found.sphericity.p_value == pytest.approx(plain.sphericity.p_value, rel=1e-8)
    doubled = rm_anova(values * 2.0)
    assert (doubled.f, doubled.ss_effect) == (plain.f, 4.0 * plain.ss_effect)
