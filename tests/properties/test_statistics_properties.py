"""What holds for the tests of pyfsagg.statistics whatever the data."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pyfsagg.exceptions import DataError
from pyfsagg.statistics import friedman, pairwise_tests, rm_anova, wilcoxon

# Eighths are exact in binary: ties and zeros occur, and rounding errors do not.
EIGHTHS = st.integers(-40, 40).map(lambda i: i / 8)
BLOCKS = st.tuples(st.integers(3, 8), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=EIGHTHS)
)
quick = settings(max_examples=40, deadline=None)


def finite_or_explained(frame, *absent):
    """A missing number has a note beside it, or is in a column that the test does not fill."""
    for _, row in frame.drop(columns=list(absent)).iterrows():
        missing = [value for value in row if isinstance(value, float) and np.isnan(value)]
        assert not missing or row["note"] != ""


@quick
@given(BLOCKS)
def test_rm_anova_has_no_bare_nan(values):
    try:
        result = rm_anova(values)
    except DataError:
        assume(False)
    finite_or_explained(result.to_frame())
    k = values.shape[1]
    assert 1 / (k - 1) - 1e-9 <= result.sphericity.greenhouse_geisser <= 1
    assert result.sphericity.huynh_feldt >= result.sphericity.greenhouse_geisser - 1e-9
    assert 0 <= result.p_value <= 1
    low, high = result.generalized_eta_squared_interval
    assert 0 <= low <= high <= 1


@quick
@given(BLOCKS, st.integers(-5, 5), st.sampled_from([0.25, 1.0, 8.0]), st.randoms())
def test_rm_anova_invariances(values, shift, factor, random):
    """Order of subjects and conditions, levels of subjects, and the unit do not matter."""
    try:
        expected = rm_anova(values).to_frame().iloc[0]
    except DataError:
        assume(False)
    rows, columns = list(range(values.shape[0])), list(range(values.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    changed = factor * (values[rows][:, columns] + shift)
    found = rm_anova(changed).to_frame().iloc[0]
    names = [
        "f",
        "p",
        "gg_epsilon",
        "p_gg",
        "p_hf",
        "ges",
        "ges_upper",
        "partial_eta_squared_upper",
    ]
    before, after = expected[names].astype(float), found[names].astype(float)
    np.testing.assert_allclose(after, before, rtol=1e-6, atol=1e-9)
    levels = rm_anova(values + np.arange(values.shape[0])[:, None])
    assert levels.f == pytest.approx(expected["f"], rel=1e-6, abs=1e-9)


@quick
@given(arrays(np.float64, st.integers(3, 12), elements=EIGHTHS))
def test_signed_rank_is_symmetric(differences):
    up, down = wilcoxon(differences), wilcoxon(-differences)
    assert up.p_value == pytest.approx(down.p_value)
    assert up.estimate == -down.estimate
    assert up.interval == (-down.interval[1], -down.interval[0])
    assert up.interval[0] <= up.estimate <= up.interval[1]
    assert 0 <= up.p_value <= 1
    finite_or_explained(up.to_frame(), "z")
    above = wilcoxon(differences, alternative="greater").p_value
    assert above == pytest.approx(wilcoxon(-differences, alternative="less").p_value)


@quick
@given(BLOCKS)
def test_friedman_depends_on_ranks_only(values):
    try:
        expected = friedman(values)
    except DataError:
        assume(False)
    assert friedman(np.exp(values)).statistic == pytest.approx(expected.statistic)
    assert sum(expected.average_ranks) == pytest.approx(values.shape[1] * (values.shape[1] + 1) / 2)
    assert 0 <= expected.kendall_w <= 1
    finite_or_explained(expected.to_frame())


@quick
@given(BLOCKS, st.sampled_from(["t", "wilcoxon"]), st.booleans(), st.booleans())
def test_pairwise_tests_have_no_bare_nan(values, test, paired, pooled):
    try:
        given = values if paired else dict(enumerate(values.T))
        frame = pairwise_tests(given, test=test, paired=paired, pooled=pooled).to_frame()
    except DataError:
        assume(False)
    finite_or_explained(frame, *(["df"] if test == "wilcoxon" else []))
    assert (frame["p_adjusted"] >= frame["p"] - 1e-12).all()
    assert (frame["effect_lower"] <= frame["effect_size"] + 1e-9).all()
    assert (frame["effect_size"] <= frame["effect_upper"] + 1e-9).all()
