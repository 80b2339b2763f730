"""The cross-check, in Python and from the outside."""

import numpy as np
import pandas as pd
import pytest
from html_pages import Page
from r_packages import need

from pyfsagg import load_dataset
from pyfsagg.exceptions import (
    DataError,
    MissingDependencyError,
    OutputError,
    ParameterError,
    UnknownNameError,
)
from pyfsagg_papers import CrossCheck, cross_check, list_comparisons
from pyfsagg_papers.comparisons import base, run
from pyfsagg_papers.comparisons.base import (
    VERDICTS,
    Case,
    Comparison,
    Departure,
    Tolerance,
)
from pyfsagg_papers.comparisons.filters import _complete, _has_idle_cut
from pyfsagg_papers.comparisons.page import plot_differences
from pyfsagg_rpy2.packages import PACKAGES
from pyfsagg_rpy2.session import RError, require

pytestmark = pytest.mark.r
need("RobustRankAggreg", "afex", "rstatix")

WINE = load_dataset("wine")
DEBIAN = ["RobustRankAggreg", "afex", "rstatix", "stats"]


@pytest.fixture(scope="module")
def result() -> CrossCheck:
    """All packages that are installed, on the embedded data."""
    return cross_check(n_resamples=3)


def test_a_cut_of_two_samples_of_one_class_is_idle_whatever_r_left_out_before_them() -> None:
    """Found on penguins (palmerpenguins): the sample that R leaves out below them is of another class."""
    column = pd.Series([1.0, 2, 3, 4, 5, 6, 7, np.nan])
    for classes, cuts, idle in (
        ("aabccdd?", [2.5, 4.5], False),
        ("aabccdd?", [2.5, 4.5, 6.5], True),
        ("aaabccc?", [3.5, 5.5, 6.5], True),
        ("aaadcbb?", [3.5, 6.5], False),  # three below it
        ("aaaacbb?", [4.5, 6.5], True),
        ("aaaabcb?", [4.5, 6.5], False),
        ("aaaaaab?", [], False),
    ):
        assert _has_idle_cut(column, pd.Series(list(classes)), np.array(cuts)) is idle


def test_everything_agrees_or_differs_as_documented(result: CrossCheck) -> None:
    frame = result.to_frame()
    assert result.agrees
    assert set(frame["verdict"]) <= {"agrees", "differs as documented", "no case"}
    assert set(DEBIAN) <= set(result.packages)
    assert set(result.packages) | set(result.missing) == set(PACKAGES)
    documented = frame.index[frame["verdict"] == "differs as documented"]
    assert {"rra_exact_many", "stuart_some_tens", "stuart_hundreds"} <= set(documented)
    without = frame["verdict"] == "no case"
    assert without.sum() <= 2  # what a package lacks that another one needs; no idle cut met
    assert (frame.loc[~without, "n_values"] > 0).all()
    # Not by luck of a wide tolerance: nearly all differences are at the rounding of numbers.
    agreeing = frame[frame["verdict"] == "agrees"]
    assert (agreeing["largest"] <= agreeing["tolerance"]).all()
    assert (agreeing["largest"] < 1e-9).mean() > 0.9


def test_many_lists_are_the_only_ones_for_which_stuart_may_differ(result: CrossCheck) -> None:
    frame = result.to_frame()
    assert frame.loc["stuart_few", "verdict"] == "agrees"
    assert frame.loc["stuart_few", "largest"] < 1e-8
    assert frame.loc["stuart_hundreds", "n_beyond"] > frame.loc["stuart_hundreds", "n_values"] / 2
    assert "alternating sign" in frame.loc["stuart_hundreds", "note"]


def test_save_load_and_repr(result: CrossCheck, tmp_path) -> None:
    folder = result.save(tmp_path / "check")
    assert sorted(path.name for path in folder.iterdir()) == ["cross_check.csv", "run.json"]
    back = CrossCheck.load(folder)
    assert back.to_json() == result.to_json()
    assert repr(back) == repr(result)
    table = pd.read_csv(folder / "cross_check.csv", index_col="name")
    assert table["verdict"].tolist() == result.to_frame()["verdict"].tolist()
    with pytest.raises(OutputError, match="not empty"):
        result.save(folder)
    with pytest.raises(OutputError, match=r"run\.json is missing"):
        CrossCheck.load(tmp_path)
    (folder / "run.json").write_text('{"kind": "wam", "schema": 1}')
    with pytest.raises(OutputError, match="its record is 'wam' of schema 1"):
        CrossCheck.load(folder)


def test_page_shows_every_comparison_and_the_reasons(result: CrossCheck, tmp_path) -> None:
    page = Page(result.report(tmp_path / "report.html", command="cross-check").read_text())
    for outcome in result.outcomes:
        assert outcome.quantity in page.words
        assert outcome.reason in page.words
        if outcome.verdict == "differs as documented":
            assert outcome.note in page.words
    for hint in result.missing.values():
        assert hint in page.words
    assert f"with R {result.versions['R']}" in page.words
    assert "svg" in page.tags
    assert result._page().sections[0].id == "summary"


def test_picture_shows_differences_and_tolerances(result: CrossCheck) -> None:
    ax = plot_differences(result)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["tolerance", "agrees", "differs as documented"]
    shown = [each for each in result.outcomes if each.largest is not None]
    assert len(ax.get_yticks()) == len(shown)


def test_comparisons_are_listed_with_a_name_that_fits_and_a_reason() -> None:
    table = list_comparisons()
    assert set(table["package"]) == set(PACKAGES)
    assert not table.duplicated(["package", "quantity"]).any()
    assert table["quantity"].str.len().max() <= 60
    assert table["reason"].str.len().min() > 20
    assert (table["tolerance"] >= 0).all()
    assert set(table["scale"]) == {"absolute", "relative"}


# ---------------------------------------------------------------------------------------------
# verdicts
# ---------------------------------------------------------------------------------------------
def one(monkeypatch: pytest.MonkeyPatch, cases, **options: object) -> object:
    """The outcome of a comparison made for the test."""
    tolerance = Tolerance(1e-6, "absolute", "for this test")
    made = Comparison(
        name="made",
        package="stats",
        summary="made",
        ours="a",
        theirs="b",
        tolerance=tolerance,
        cases=cases,
        **options,
    )
    monkeypatch.setattr(run, "COMPARISONS", [made])
    return cross_check(["stats"], X=WINE.X, y=WINE.y, n_resamples=3)


def test_a_difference_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = lambda _: [Case("same", [1, 2], [1, 2]), Case("off", [1.0, 2.0], [1.0, 2.1])]  # noqa: E731
    found = one(monkeypatch, cases)
    (outcome,) = found.outcomes
    assert outcome.verdict == "disagrees"
    assert not found.agrees
    assert (outcome.n_cases, outcome.n_values, outcome.n_beyond) == (2, 4, 1)
    assert outcome.worst == "off"
    assert outcome.largest == pytest.approx(0.1)
    assert "the largest in: off" in outcome.note


def test_a_value_that_one_side_lacks_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = lambda _: [Case("gap", [1.0, np.nan, np.nan], [1.0, 2.0, np.nan])]  # noqa: E731
    (outcome,) = one(monkeypatch, cases).outcomes
    assert outcome.verdict == "disagrees"
    assert outcome.n_beyond == 1
    assert "1 values are defined on one side only" in outcome.note


def test_a_documented_difference_has_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = lambda _: [Case("some", np.arange(10.0), np.r_[99.0, np.arange(1.0, 10.0)])]  # noqa: E731
    known = Departure("a known cause", at_most=0.1)
    (outcome,) = one(monkeypatch, cases, departs=known).outcomes
    assert (outcome.verdict, outcome.note) == ("differs as documented", "a known cause")
    (outcome,) = one(monkeypatch, cases, departs=Departure("a", at_most=0.05)).outcomes
    assert outcome.verdict == "disagrees"
    same = lambda _: [Case("none", [1.0], [1.0])]  # noqa: E731
    (outcome,) = one(monkeypatch, same, departs=known).outcomes
    assert (outcome.verdict, outcome.note) == ("agrees", "")


def test_errors_of_r_and_of_the_data_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(error: Exception):
        def cases(_: object):
            yield Case("first", [1.0], [1.0])
            raise error

        return cases

    found = one(monkeypatch, fails(RError("R: Error in f(x) : it\n  cannot")))
    assert found.outcomes[0].verdict == "R failed"
    assert found.outcomes[0].note == "R: Error in f(x) : it cannot"
    assert not found.agrees
    found = one(monkeypatch, fails(DataError("a gap")))
    assert (found.outcomes[0].verdict, found.agrees) == ("no case", True)
    found = one(monkeypatch, fails(MissingDependencyError("igraph is missing")))
    assert (found.outcomes[0].verdict, found.outcomes[0].note) == ("no case", "igraph is missing")
    found = one(monkeypatch, lambda _: [])
    assert (found.outcomes[0].verdict, found.outcomes[0].largest) == ("no case", None)
    with pytest.raises(RuntimeError, match="shapes"):
        one(monkeypatch, lambda _: [Case("wrong", [1.0], [1.0, 2.0])])


def test_relative_differences_have_a_floor() -> None:
    relative = Tolerance(1e-6, "relative", "for this test", floor=0.5)
    found = relative.differences(
        np.array([1.1, 0.1, 0.0, np.inf]), np.array([1.0, 0.0, 0.0, np.inf])
    )
    np.testing.assert_allclose(found, [0.1, 0.2, 0.0, 0.0])
    bare = Tolerance(1e-6, "relative", "for this test")
    assert bare.differences(np.array([1.0]), np.array([0.0]))[0] == np.inf
    assert set(VERDICTS) >= {"agrees", "disagrees"}
    assert base.SAME.limit == 0.0


# ---------------------------------------------------------------------------------------------
# arguments
# ---------------------------------------------------------------------------------------------
def test_own_table_and_row_numbers() -> None:
    rows = np.random.default_rng(0).integers(0, len(WINE.X), (3, 150))
    found = cross_check(["stats"], X=WINE.X, y=WINE.y, name="mine", row_indices=rows)
    assert found.agrees
    assert found.data["mine"]["n_resamples"] == 3
    assert found.parameters["row_indices"]
    assert found.versions.keys() >= {"R", "stats", "rpy2", "pyfsagg", "numpy"}
    # Two classes are needed for the correlation with the class; wine has three.
    assert found.to_frame().loc["spearman_with_class", "verdict"] == "no case"


def test_a_table_without_a_complete_column_is_no_case_for_praznik() -> None:
    gaps = WINE.X.iloc[:, :3].mask(np.eye(len(WINE.X), 3, dtype=bool))
    for rows in (WINE.X.iloc[:, :3], gaps):
        found = run._material(rows, WINE.y, "mine", None, 3, 0)
        assert len(list(_complete(found))) == (rows is not gaps)


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'stabm'"):
        cross_check(["stabn"])
    with pytest.raises(ParameterError, match="at least one package"):
        cross_check([])
    with pytest.raises(ParameterError, match="X and y go together"):
        cross_check(X=WINE.X)
    with pytest.raises(ParameterError, match="row_indices belong to a table"):
        cross_check(row_indices=[[0, 1]])
    with pytest.raises(ParameterError, match="at least 3 resamples"):
        cross_check(X=WINE.X, y=WINE.y, row_indices=[[0, 1]])
    with pytest.raises(ParameterError, match="n_resamples"):
        cross_check(n_resamples=2)
    with pytest.raises(DataError, match="one class only"):
        cross_check(X=WINE.X, y=pd.Series(["a"] * len(WINE.X)))


def test_packages_that_are_missing_are_left_out_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(*absent: str) -> None:
        def require_some(name: str) -> None:
            if name in absent:
                raise MissingDependencyError(name)
            require(name)

        monkeypatch.setattr(run, "require", require_some)

    without("praznik")
    with pytest.raises(MissingDependencyError, match=r"in R: install\.packages\('praznik'\)"):
        cross_check(["praznik"])
    without(*(name for name in PACKAGES if name != "RobustRankAggreg"))
    found = cross_check(X=WINE.X, y=WINE.y, n_resamples=3)
    assert found.packages == ["RobustRankAggreg"]
    assert set(found.missing) == set(PACKAGES) - {"RobustRankAggreg"}
    without(*PACKAGES)
    with pytest.raises(MissingDependencyError, match="nothing can be compared"):
        cross_check()
