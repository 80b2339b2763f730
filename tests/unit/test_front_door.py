"""`pyfsagg.rank`, what notebooks show, what Tab offers, and words of other packages."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import pyfsagg
from pyfsagg._base.spellings import answers_spellings
from pyfsagg.exceptions import (
    DataError,
    InputTypeError,
    ParameterError,
    PyfsaggWarning,
    UnknownNameError,
)
from pyfsagg.for_r.calls import unknown_argument

WINE = pyfsagg.load_dataset("wine")
FEW = {"n_resamples": 10, "random_state": 0, "n_jobs": 1}


def test_rank_is_bam_or_wam_of_a_table_that_was_checked(tmp_path: Path) -> None:
    frame = WINE.X.assign(kind=WINE.y)
    frame.to_csv(tmp_path / "wine.csv", index=False)
    plain = pyfsagg.bam(WINE.X, WINE.y, **FEW)
    path = str(tmp_path / "wine.csv")
    for X, y in ((WINE.X, WINE.y), (frame, "kind"), (path, "kind"), ("wine", None)):
        found = pyfsagg.rank(X, y, **FEW)
        np.testing.assert_array_equal(found.scores, plain.scores)
    one = pyfsagg.rank(frame, "kind", filters="chi_squared", **FEW)
    other = pyfsagg.wam(WINE.X, WINE.y, filter="chi_squared", **FEW)
    np.testing.assert_array_equal(one.scores, other.scores)
    for column, values in {"id": range(178), "copy": WINE.y}.items():
        with pytest.raises(DataError, match=f"'{column}'; drop it from X; to accept it: accept"):
            pyfsagg.rank(frame.assign(**{column: values}), "kind", **FEW)
    accepted = pyfsagg.rank(frame.assign(id=range(178)), "kind", accept=["row_number"], **FEW)
    assert "id" in accepted.feature_names
    with pytest.warns(PyfsaggWarning, match=r"\[constant\] constant or empty: 'flat'"):
        pyfsagg.rank(frame.assign(flat=1.0), "kind", **FEW)


def test_rank_takes_groups_times_and_rows_without_a_target() -> None:
    subject = np.arange(178) // 2
    frame = WINE.X.assign(kind=WINE.y, subject=subject)
    by_name = pyfsagg.rank(frame, "kind", groups="subject", **FEW)
    plan = pyfsagg.resampling.GroupedBootstrap(subject)
    planned = pyfsagg.bam(WINE.X, WINE.y, resampling=plan, **FEW)
    np.testing.assert_array_equal(by_name.scores, planned.scores)
    with pytest.raises(
        ParameterError, match="groups and resampling='subsample' do not belong together"
    ):
        pyfsagg.rank(WINE.X, WINE.y, groups=subject, resampling="subsample")
    holes = WINE.y.where(np.arange(178) > 2)
    with pytest.raises(DataError, match="missing_target"):
        pyfsagg.rank(WINE.X, holes, **FEW)
    found = pyfsagg.rank(WINE.X, holes, accept=["missing_target"], **FEW)
    assert found.data["n_samples"] == 175
    rng = np.random.default_rng(0)
    times = pd.DataFrame({"time": rng.integers(1, 99, 178), "status": rng.integers(0, 2, 178)})
    both = WINE.X.join(times)
    cox = {"task": "survival", "filters": "cox_score", **FEW}
    np.testing.assert_array_equal(
        pyfsagg.rank(both, ("time", "status"), **cox).scores,
        pyfsagg.rank(WINE.X, times, **cox).scores,
    )


def test_arguments_of_other_packages_are_answered() -> None:
    for function, name, meant in (
        (pyfsagg.rank, "seed", "random_state"),
        (pyfsagg.wam, "n_bootstraps", "n_resamples"),
        (pyfsagg.bam, "target", "y"),
        (pyfsagg.bam, "n_resample", "n_resamples"),
        (pyfsagg.rank, "cores", "n_jobs"),
        (pyfsagg.rank, "top", "n_features_to_select"),
    ):
        told = rf"{function.__name__}\(\) has no argument '{name}'; did you mean '{meant}'\?"
        with pytest.raises(InputTypeError, match=told):
            function(WINE.X, **{name: 1})
    for name, example in (("alpha", "fdr=0.1"), ("top", "10"), ("max_false", "max_false=1")):
        told = rf"'{name}'; that is chosen afterwards, for instance result.select\({example}\)"
        for function in (pyfsagg.bam, *((pyfsagg.rank,) if name != "top" else ())):
            with pytest.raises(InputTypeError, match=told):
                function(WINE.X, WINE.y, **{name: 1})
    with pytest.raises(InputTypeError, match=r"has no argument 'qqq'; it has: X, y, "):
        pyfsagg.wam(WINE.X, WINE.y, qqq=1)
    with pytest.raises(DataError, match="a value for each row of X, got 'kind'"):
        pyfsagg.wam(WINE.X.assign(kind=WINE.y), "kind")

    known = ["filters", "n_resamples", "seed", "always"]
    for name, meant in (("random_state", "seed"), ("rng", "seed"), ("n_boot", "n_resamples")):
        assert f"{name!r}; did you mean {meant!r}?" in str(unknown_argument(name, known))

    @answers_spellings
    def outer() -> None:
        def inner() -> None:
            """A function without arguments."""

        inner(seed=2)

    with pytest.raises(TypeError, match=r"inner\(\) got an unexpected keyword argument 'seed'"):
        outer()


def test_what_is_no_filter_is_refused_and_an_estimator_is_one() -> None:
    for filters, error in ((True, InputTypeError), (3.0, InputTypeError), ([], ParameterError)):
        with pytest.raises(error, match="filters"):
            pyfsagg.rank(WINE.X, WINE.y, filters=filters)
    tree = DecisionTreeClassifier(random_state=0)
    alone, listed = (
        pyfsagg.rank(WINE.X, WINE.y, filters=filters, checks="none", **FEW)
        for filters in (tree, [tree])
    )
    np.testing.assert_array_equal(alone.scores, listed.scores)


def test_filters_of_other_packages_are_answered() -> None:
    known = pyfsagg.list_methods("filters").index
    assert "information_gain" in known
    for given in ("mutual_info_classif", "Mutual-Info"):
        with pytest.raises(UnknownNameError, match="did you mean 'information_gain'"):
            pyfsagg.wam(WINE.X, WINE.y, filter=given)
    with pytest.raises(UnknownNameError, match="no filter is a model"):
        pyfsagg.wam(WINE.X, WINE.y, filter="boruta")
    said = str(UnknownNameError("filter", "anova", ["anova_f"]))
    assert said.count("did you mean 'anova_f'") == 1
    assert "did you mean" not in str(UnknownNameError("filter", "anova", ["chi_squared"]))


def test_notebooks_show_the_answer_and_tab_what_a_user_needs() -> None:
    result = pyfsagg.rank(WINE.X, WINE.y, **FEW)
    page = result._repr_html_()
    assert page.startswith("<p><b>")
    assert page.count("<tr") == 12  # two of heads, ten of features
    assert "<script" not in page
    odd = pyfsagg.aggregate([["<i>", "b"], ["b", "<i>"]])
    assert "<i>" not in odd._repr_html_()
    offered = {name for name in dir(result) if not name.startswith("_")}
    assert {"select", "plot", "report", "to_frame", "save"} <= offered
    assert not offered & {"load", "checked", "setup"}
    assert len(offered) <= 31


def test_a_paragraph_for_a_paper() -> None:
    result = pyfsagg.rank(WINE.X, WINE.y, filters="chi_squared", aggregator="stuart", **FEW)
    text = result.methods_text()
    assert "\n" not in text
    parts = ("13 features of 178 samples", "chi squared", "10 resamples", "(Stuart et al., 2003)")
    assert all(part in text for part in parts)
    assert result.selection().reason.rstrip(".") in text
    assert f"pyfsagg {pyfsagg.__version__}" in text
    assert text.endswith("the seed 0.")
    text = result.methods_text(result.selection(3))
    assert "The best 3 of 13 features were selected, a number fixed" in text
