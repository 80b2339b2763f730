"""The packages that Debian does not have: their values where installed, a clear message elsewhere."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from r_packages import need

from pyfsagg import load_dataset
from pyfsagg.exceptions import MissingDependencyError, UnknownNameError
from pyfsagg_papers.comparisons.material import embedded_material
from pyfsagg_rpy2 import association, correlation, entropy, mutual_information, stability
from pyfsagg_rpy2.packages import PACKAGES, install_hint
from pyfsagg_rpy2.session import RError, r_versions, require

pytestmark = pytest.mark.r
need("stats")

GOLDEN = Path(__file__).parents[1] / "golden" / "data"
IONOSPHERE = load_dataset("ionosphere")
X, Y = IONOSPHERE.X, IONOSPHERE.y
CALLS = {
    "FSelectorRcpp": lambda: entropy.information_gain(X, Y),
    "praznik": lambda: mutual_information.mutual_information(X, Y),
    "stabm": lambda: stability.stability([[0, 1], [1, 2]], n_features=4),
    "mRMRe": lambda: association.association_matrix(X[["V3", "V4"]]),
}


def installed(name: str) -> bool:
    try:
        require(name)
    except MissingDependencyError:
        return False
    return True


def only_with(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not installed(name), reason=f"the R package {name} is not installed")


@pytest.mark.parametrize("name", CALLS)
def test_a_missing_package_is_named_with_what_installs_it(name: str) -> None:
    if installed(name):
        assert r_versions(name).keys() == {"R", name}
        CALLS[name]()
        return
    with pytest.raises(MissingDependencyError) as caught:
        CALLS[name]()
    assert str(caught.value) == (
        f"the R package {name!r} is not installed; in R: install.packages({name!r})"
    )


def test_hints_name_the_debian_package_where_there_is_one() -> None:
    for package in PACKAGES.values():
        assert ("apt-get install " + package.debian in install_hint(package.name)) == bool(
            package.debian
        )


@only_with("FSelectorRcpp")
def test_fselectorrcpp() -> None:
    expected = pd.read_csv(GOLDEN / "ionosphere_entropy_filters.csv").set_index("feature")
    for kind in ("infogain", "gainratio", "symuncert"):
        found = entropy.information_gain(X, Y, type=kind)
        np.testing.assert_allclose(found, expected.loc[found.index, kind], rtol=1e-12)
    cuts = json.loads((GOLDEN / "ionosphere_mdl_cutpoints.json").read_text())
    for name, found in entropy.cut_points(X, Y).items():
        np.testing.assert_allclose(found, np.atleast_1d(cuts[name]), rtol=0, atol=1e-12)
    intervals = entropy.discretize(X, Y)
    assert "V2" not in intervals  # constant
    assert len(intervals["V3"].cat.categories) == len(cuts["V3"]) + 1
    codes = np.searchsorted(cuts["V3"], X["V3"])
    np.testing.assert_array_equal(intervals["V3"].cat.codes, codes)


@only_with("FSelectorRcpp")
def test_where_ties_make_a_difference_r_gives_our_value_for_another_order_of_the_rows() -> None:
    table = embedded_material(10).tables[1]
    ours = table.scores("information_gain", mdl="fselectorrcpp")
    differing = 0
    for row, (_, X, y, _) in zip(ours, table.resamples(), strict=True):
        theirs = entropy.information_gain(X, y)
        for j in np.flatnonzero(np.abs(row - theirs) > 1e-9):
            differing += 1
            one = X.iloc[:, [j]]
            orders = (np.random.default_rng(i).permutation(len(X)) for i in range(100))
            values = [
                entropy.information_gain(
                    one.iloc[order].reset_index(drop=True), y.iloc[order].reset_index(drop=True)
                ).iloc[0]
                for order in orders
            ]
            assert np.isclose(values, row[j], rtol=0, atol=1e-9).any()
            assert np.isclose(values, theirs.iloc[j], rtol=0, atol=1e-9).any()
    assert differing > 0


@only_with("praznik")
def test_praznik() -> None:
    expected = json.loads((GOLDEN / "ionosphere_mutual_information.json").read_text())
    found = mutual_information.mutual_information(X, Y)
    np.testing.assert_allclose(found[list(expected)], list(expected.values()), atol=1e-12)
    order = json.loads((GOLDEN / "ionosphere_mrmr.json").read_text())
    scores = mutual_information.mrmr(X, Y)
    assert list(scores.index) == order["order"]
    np.testing.assert_allclose(scores, order["score"], atol=1e-12)
    assert list(mutual_information.mrmr(X, Y, n_features=3).index) == order["order"][:3]
    matrix = mutual_information.mutual_information_matrix(X)
    assert list(matrix.index) == list(matrix.columns) == list(X.columns)
    with pytest.raises(RError, match="R: "):
        mutual_information.mutual_information(X.assign(V3=np.nan), Y)


@only_with("stabm")
def test_stabm() -> None:
    cases = json.loads((GOLDEN / "stability_sets.json").read_text())
    for case in cases:
        sets = [[feature - 1 for feature in row] for row in case["features"]]
        for measure in stability.MEASURES:
            found = stability.stability(sets, measure, n_features=case["p"])
            assert found == pytest.approx(case["values"][measure.capitalize()], abs=1e-12)
    with pytest.raises(UnknownNameError, match="did you mean 'nogueira'"):
        stability.stability([[0], [1]], "nogeira", n_features=3)


@only_with("mRMRe")
def test_mrmre() -> None:
    table = X[["V3", "V4", "V5"]].assign(good=Y == "good")
    found = association.association_matrix(table)
    expected = -0.5 * np.log(1.0 - table.astype(float).corr().to_numpy() ** 2 + np.eye(4))
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(found.to_numpy()[off], expected[off], rtol=1e-9)
    order = association.mrmr(table, "good", n_features=2)
    assert order[0] == found["good"].drop("good").idxmax()
    with pytest.raises(UnknownNameError, match="column"):
        association.mrmr(table, "bad", n_features=2)


def test_base_r() -> None:
    values = np.random.default_rng(0).normal(size=(3, 20))
    np.testing.assert_allclose(correlation.correlations(values), np.corrcoef(values), rtol=1e-12)
    np.testing.assert_array_equal(correlation.rank([3.0, 1.0, 1.0]), [3.0, 1.5, 1.5])
    manhattan = correlation.distances([[1.0, 2.0], [2.0, 4.0]], method="manhattan")
    np.testing.assert_array_equal(manhattan, [[0.0, 3.0], [3.0, 0.0]])
    np.testing.assert_allclose(correlation.adjust([0.01, 0.04], method="holm"), [0.02, 0.04])
    assert correlation.chi_squared([[10, 0], [0, 10]]) == pytest.approx(20.0)
    with pytest.raises(RError, match="R: "):
        correlation.chi_squared([[-1, 2], [3, 4]])
