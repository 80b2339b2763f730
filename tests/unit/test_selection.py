"""How many features: shuffled targets beside a run, the proposal, and where each feature stands."""

import numpy as np
import pandas as pd
import pytest
from two_classes import table

import pyfsagg
from pyfsagg.ensemble.selection import knee_of
from pyfsagg.exceptions import ParameterError

WINE = pyfsagg.load_dataset("wine")


def fitted(X, y, n_resamples: int = 60, **options) -> pyfsagg.ensemble.EnsembleResult:
    given = {"filter": "fit_criterion", "random_state": 0, **options}
    return pyfsagg.wam(X, y, n_resamples=n_resamples, **given)


@pytest.fixture(scope="module")
def found() -> pyfsagg.ensemble.EnsembleResult:
    return fitted(*table(2.0), random_state=1)


@pytest.fixture(scope="module")
def nothing() -> pyfsagg.ensemble.EnsembleResult:
    X, y = table(0.0, seed=3)
    filters = ["fit_criterion", "chi_squared"]
    return pyfsagg.bam(X, y, filters=filters, n_resamples=40, random_state=1)


# --- the proposal ----------------------------------------------------------------------------
def test_what_has_signal_is_proposed_and_noise_is_not(
    found: pyfsagg.ensemble.EnsembleResult,
) -> None:
    chosen = found.selection()
    assert set(chosen.names) == {"x0", "x1"}
    assert chosen.number == chosen.compared == 2
    assert chosen.n_indistinct == 0
    assert chosen.reason.startswith(
        "2 of 10 features score above what 999 shuffled targets reach (family-wise error 0.05). With other "
    )
    assert chosen.reason.endswith(found.permutation.repetition)
    assert found.select() == found.select("auto") == list(chosen.names)
    assert found.get_support().tolist() == [True, True, *[False] * 8]
    assert chosen.frame["status"].to_dict() == dict(found.to_frame()["status"])
    assert set(chosen.frame["status"].iloc[2:]) == {"indistinct"}
    kept = chosen.record()
    statuses = {"firm": 2, "borderline": 0, "out": 0, "indistinct": 8}
    assert kept == {
        **{"number": 2, "compared": 2, "n_indistinct": 0, "statuses": statuses},
        **{"reason": chosen.reason, "sentences": list(chosen.sentences)},
    }
    assert "n_columns" not in found.to_frame()


def test_an_empty_proposal_is_an_answer(nothing: pyfsagg.ensemble.EnsembleResult) -> None:
    chosen = nothing.selection()
    assert chosen.names == ()
    assert nothing.select() == []
    assert not nothing.get_support().any()
    assert chosen.reason.startswith(
        "No feature is proposed: none of 10 features can be distinguished from noise, which does not show"
    )
    nearest = nothing.permutation.to_frame().index[0]
    assert f"(at most 0.05 is needed): {nearest} (" in chosen.reason
    within = nothing.permutation.limited("fdr", 0.1).selected
    assert chosen.reason.endswith(
        f"a false discovery rate of 0.1 (fdr), which allows some errors, would select {len(within)}."
    )
    assert chosen.compared == 3  # a quarter, rounded up
    assert "are still reported for the best 3 features" in chosen.sentences[1]
    assert set(chosen.frame["status"]) == {"indistinct"}


def test_frequencies_reach_down_to_the_last_selected_feature(tmp_path) -> None:
    """A column of many words is first, with any target, so it may not be selected."""
    X, y = table(1.5, n=120)
    words = np.random.default_rng(0).integers(0, 70, len(X))
    X.insert(0, "note", [f"word {each}" for each in words])
    result = pyfsagg.wam(
        X, y, filter="chi_squared", n_resamples=40, normalize="none", random_state=0
    )
    chosen = result.selection()
    assert chosen.frame.index[0] == "note"
    assert chosen.frame["status"].iloc[0] == "indistinct"
    assert (set(chosen.names), chosen.compared) == ({"x0", "x1"}, 3)
    # Of the best two of all features one is always the column of words.
    of_two = result.to_frame(result.selection(2))["selection_frequency"]
    assert min(of_two[["x0", "x1"]]) < 0.8
    shares = result.to_frame()["selection_frequency"]
    assert (shares == result.to_frame(result.selection(3))["selection_frequency"]).all()
    assert (shares[["x0", "x1"]] >= 0.9).all()
    assert (chosen.frame["selection_frequency"] == shares).all()
    said = "1 of the best 3 is not selected; frequencies and stability are reported for the best 3."
    assert chosen.sentences[-1] == said
    page = result.to_html()
    assert said in page
    assert "has the feature among its best 3." in page
    assert said in " ".join(result.summary_text().split())
    # A number that is asked for takes the first ones, whatever they are.
    assert result.selection(2).compared == 2


def test_everything_after_an_empty_proposal_works(nothing, found, tmp_path):
    folder = nothing.save(tmp_path / "run")
    assert (folder / "selected.txt").read_text() == ""
    ranking = pd.read_csv(folder / "ranking.csv")
    assert not ranking["selected"].any()
    assert set(ranking["status"]) == {"indistinct"}
    again = pyfsagg.load_result(folder)
    assert again.selection().sentences == nothing.selection().sentences
    page = nothing.to_html()
    assert "No feature is selected." in page
    assert "none of 10 features can be distinguished from noise" in page
    assert "No feature is proposed" in nothing.summary_text()
    for kind in ("ranking", "scores", "agreement", "convergence"):
        nothing.plot(kind)
    assert not nothing.compare(found)["selected_1"].any()
    assert nothing.between_sample_stability().to_frame().shape[0]
    assert len(nothing.clusters())


def test_the_number_of_the_user_stays_and_others_are_marked(
    found: pyfsagg.ensemble.EnsembleResult, nothing: pyfsagg.ensemble.EnsembleResult
) -> None:
    chosen = found.selection(4)
    assert chosen.number == 4
    assert chosen.n_indistinct == 2
    others = [name for name in chosen.names if name not in ("x0", "x1")]
    assert chosen.sentences == (
        "The best 4 of 10 features are selected, as requested.",
        "2 of the 4 selected are not distinguishable from noise at a family-wise error of 0.05: "
        f"{others[0]} and {others[1]}.",
    )
    assert found.selection(1).sentences == ("The best 1 of 10 features is selected, as requested.",)
    assert found.selection(0.4).names == chosen.names
    # All of the selected may be indistinct.
    best = nothing.select(2)
    told = "not distinguishable from noise at a family-wise error of 0.05"
    both = f"All 2 selected are {told}: {best[0]} and {best[1]}."
    assert nothing.selection(2).sentences[1] == both
    assert nothing.selection(1).sentences[1] == f"It is {told}: {best[0]}."


def test_statuses_go_by_frequency_and_noise() -> None:
    X = WINE.X.assign(noise=np.random.default_rng(0).normal(size=len(WINE.X)))
    result = pyfsagg.wam(X, WINE.y, n_resamples=60, random_state=0)
    frame = result.selection(5).frame
    for row in frame.itertuples():
        above = result.permutation.above[result.feature_names.index(row.Index)]
        often = row.selection_frequency
        if not above:
            expected = "indistinct"
        elif row.selected and often >= 0.8:
            expected = "firm"
        else:
            expected = "borderline" if row.selected or often > 0.2 else "out"
        assert row.status == expected
    assert set(frame["status"]) == {"firm", "borderline", "indistinct", "out"}


def test_a_limit_on_false_selections_takes_the_place_of_a_proposal() -> None:
    result = fitted(*table(3.0), resampling="complementary_pairs")
    control = result.selection(max_false=1).control
    view = result._options_in_force({"max_false": 1.0})
    assert result.select(max_false=1.0) == control.selected != []
    assert result.selection(max_false=1.0).reason == control.sentences[0]
    assert result._texts(view)["selected.txt"].split() == control.selected
    both = result._options_in_force({"max_false": 1.0, "n_features_to_select": 5})
    assert len(result._texts(both)["selected.txt"].split()) == 5
    assert "error_control" in result._record(both)
    for given, message in (({"max_false": 1.0}, "give one of them"), ({}, "'auto'")):
        with pytest.raises(ParameterError, match=message):
            result.select(5 if given else "best", **given)


# --- the knee --------------------------------------------------------------------------------
def test_the_knee_is_the_best_split_into_two_groups() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores = np.sort(np.concatenate([rng.normal(5, 1, 4), rng.normal(0, 1, 8)]))[::-1]
        total = ((scores - scores.mean()) ** 2).sum()
        within = [
            sum(((part - part.mean()) ** 2).sum() for part in (scores[:k], scores[k:]))
            for k in range(1, len(scores))
        ]
        best = int(np.argmin(within)) + 1
        expected = best if 1 - min(within) / total > 0.75 else None
        for power in (0, 1020, -1040):
            assert knee_of(np.ldexp(scores, power)) == expected
    assert knee_of(np.array([9.0, 9.0, 1.0, 1.0, 1.0, 0.5])) == 2
    for n in (30, 31):  # evenly falling
        assert knee_of(np.arange(n)[::-1] * 1.0) is None
    # Without differences, too few, or not finite.
    for none in (np.ones(8), [3.0, 2.0, 0.1, 0.0], [np.inf, 3.0, 2.0, 1.0, 0.5]):
        assert knee_of(np.array(none)) is None


def test_the_knee_takes_the_best_of_those_above_noise() -> None:
    rng = np.random.default_rng(3)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 12))
    X[:, :3] += 4.0 * y[:, np.newaxis]
    X[:, 3:8] += 1.6 * y[:, np.newaxis]
    result = fitted(X, y, 50)
    assert result.permutation.above.tolist() == [True] * 8 + [False] * 4
    assert set(result.select()) == {f"x{j}" for j in range(8)}  # a giant hides nothing
    chosen = result.selection("knee")
    assert set(chosen.names) == {"x0", "x1", "x2"}
    assert chosen.reason == (
        "3 are selected: their scores are a group above those that follow (the knee of the scores). 8 of 12 "
        "features score above what 999 shuffled targets reach (family-wise error 0.05)."
    )
