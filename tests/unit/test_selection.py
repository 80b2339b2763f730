"""How many features: shuffled targets beside a run, the proposal, and where each feature stands."""

import itertools

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg import Checks
from pyfsagg.ensemble.data import ShuffledTargets
from pyfsagg.ensemble.null import excess_over_noise
from pyfsagg.ensemble.selection import knee_of
from pyfsagg.exceptions import ParameterError

WINE = pyfsagg.load_dataset("wine")


def table(signal, n=80, p=10, seed=0):
    """Two classes; the first two features differ between them by `signal` standard deviations."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :2] += signal * y[:, np.newaxis]
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(p)]), y


def fitted(X, y, n_resamples: int = 60, **options) -> pyfsagg.EnsembleResult:
    given = {"filter": "fit_criterion", "random_state": 0, **options}
    return pyfsagg.wam(X, y, n_resamples=n_resamples, **given)


@pytest.fixture(scope="module")
def found() -> pyfsagg.EnsembleResult:
    return fitted(*table(2.0), random_state=1)


@pytest.fixture(scope="module")
def nothing() -> pyfsagg.EnsembleResult:
    X, y = table(0.0, seed=3)
    filters = ["fit_criterion", "chi_squared"]
    return pyfsagg.bam(X, y, filters=filters, n_resamples=40, random_state=1)


# --- the proposal ----------------------------------------------------------------------------
def test_what_has_signal_is_proposed_and_noise_is_not(found: pyfsagg.EnsembleResult) -> None:
    chosen = found.selection()
    assert set(chosen.names) == {"x0", "x1"}
    assert chosen.number == chosen.compared == 2
    assert chosen.n_noise == 0
    assert chosen.reason == (
        "2 of 10 features are proposed: all that score above what 19 shuffled targets reach."
    )
    assert found.select() == found.select("auto") == list(chosen.names)
    assert found.get_support().tolist() == [True, True, *[False] * 8]
    assert chosen.frame["status"].to_dict() == dict(found.to_frame()["status"])
    assert set(chosen.frame["status"].iloc[2:]) == {"noise"}


def test_an_empty_proposal_is_an_answer(nothing: pyfsagg.EnsembleResult) -> None:
    chosen = nothing.selection()
    assert chosen.names == ()
    assert nothing.select() == []
    assert not nothing.get_support().any()
    assert chosen.reason == (
        "No feature is proposed: none of 10 features scores above what 19 shuffled targets reach."
    )
    assert chosen.compared == 3  # a quarter, rounded up
    assert "are still reported for the best 3 features" in chosen.sentences[1]
    assert set(chosen.frame["status"]) == {"noise"}


def test_frequencies_reach_down_to_the_last_selected_feature(tmp_path) -> None:
    """A column of many words is first, with any target, so that it may not be selected."""
    X, y = table(1.5, n=120)
    words = np.random.default_rng(0).integers(0, 70, len(X))
    X.insert(0, "note", [f"word {each}" for each in words])
    result = pyfsagg.wam(X, y, filter="chi_squared", n_resamples=40, random_state=0)
    chosen = result.selection()
    assert chosen.frame.index[0] == "note"
    assert chosen.frame["status"].iloc[0] == "noise"
    assert (set(chosen.names), chosen.compared) == ({"x0", "x1"}, 3)
    # Of the best two of all features one is always the column of words.
    of_two = result.to_frame(2)["selection_frequency"]
    assert min(of_two[["x0", "x1"]]) < 0.8
    shares = result.to_frame()["selection_frequency"]
    assert (shares == result.to_frame(3)["selection_frequency"]).all()
    assert (shares[["x0", "x1"]] >= 0.9).all()
    assert (chosen.frame["selection_frequency"] == shares).all()
    said = "1 of the best 3 is not selected; frequencies and stability are reported for the best 3."
    assert chosen.sentences[-1] == said
    page = result.to_html()
    assert said in page
    assert "the feature among their best 3." in page
    assert said in " ".join(result.summary_text().split())
    # A number that is asked for takes the first ones, whatever they are.
    assert result.selection(2).compared == 2


def test_everything_after_an_empty_proposal_works(nothing, found, tmp_path):
    folder = nothing.save(tmp_path / "run")
    assert (folder / "selected.txt").read_text() == ""
    ranking = pd.read_csv(folder / "ranking.csv")
    assert not ranking["selected"].any()
    assert set(ranking["status"]) == {"noise"}
    again = pyfsagg.load_result(folder)
    assert again.selection().sentences == nothing.selection().sentences
    page = nothing.to_html()
    assert "No feature is selected." in page
    assert "none of 10 features scores above" in page
    assert "No feature is proposed" in nothing.summary_text()
    for kind in ("ranking", "scores", "agreement", "convergence"):
        nothing.plot(kind)
    assert not nothing.compare(found)["selected_1"].any()
    assert nothing.between_sample_stability().to_frame().shape[0]
    assert len(nothing.clusters())


def test_the_number_of_the_user_stays_and_noise_is_marked(found: pyfsagg.EnsembleResult) -> None:
    chosen = found.selection(4)
    assert chosen.number == 4
    assert chosen.n_noise == 2
    like_noise = [name for name in chosen.names if name not in ("x0", "x1")]
    assert chosen.sentences == (
        "The best 4 of 10 features are selected, as requested.",
        f"2 of the 4 selected score like noise: {like_noise[0]} and {like_noise[1]}.",
    )
    assert found.selection(1).sentences == ("The best 1 of 10 features is selected, as requested.",)
    assert found.selection(0.4).names == chosen.names


def test_all_of_the_selected_may_be_noise(nothing: pyfsagg.EnsembleResult) -> None:
    best = nothing.select(2)
    assert nothing.selection(2).sentences[1] == (
        f"All 2 selected score like noise: {best[0]} and {best[1]}."
    )
    assert nothing.selection(1).sentences[1] == f"It scores like noise: {best[0]}."


def test_statuses_go_by_frequency_and_noise() -> None:
    result = pyfsagg.wam(WINE.X, WINE.y, n_resamples=60, random_state=0)
    frame = result.selection(5).frame
    for row in frame.itertuples():
        above = result.shuffled.above[result.feature_names.index(row.Index)]
        often = row.selection_frequency
        if not above:
            expected = "noise"
        elif row.selected and often >= 0.8:
            expected = "firm"
        else:
            expected = "borderline" if row.selected or often > 0.2 else "out"
        assert row.status == expected
    assert {"firm", "borderline", "out"} <= set(frame["status"])


def test_another_word_is_refused(found: pyfsagg.EnsembleResult) -> None:
    with pytest.raises(ParameterError, match="'auto'"):
        found.select("best")


def test_a_limit_on_false_selections_takes_the_place_of_a_proposal() -> None:
    result = fitted(*table(3.0), resampling="complementary_pairs")
    control = result.error_control(max_false=1)
    view = result._options_in_force({"max_false": 1.0})
    assert result.select(max_false=1.0) == control.selected != []
    assert result.selection(max_false=1.0).reason == control.sentences[0]
    assert result._texts(view)["selected.txt"].split() == control.selected
    both = result._options_in_force({"max_false": 1.0, "n_features_to_select": 5})
    assert len(result._texts(both)["selected.txt"].split()) == 5
    assert "error_control" in result._record(both)
    with pytest.raises(ParameterError, match="give one of them"):
        result.select(5, max_false=1.0)


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
        explained = 1 - min(within) / total
        assert knee_of(scores) == (best if explained > 0.75 else None)


@pytest.mark.parametrize(
    "scores",
    [
        np.arange(30.0)[::-1],  # evenly falling
        np.arange(31.0)[::-1],
        np.ones(8),
        np.array([3.0, 2.0, 0.1, 0.0]),  # too few
        np.array([np.inf, 3.0, 2.0, 1.0, 0.5]),
    ],
)
def test_where_there_is_no_knee(scores: np.ndarray) -> None:
    assert knee_of(scores) is None


def test_the_knee_takes_the_best_of_those_above_noise() -> None:
    rng = np.random.default_rng(3)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 12))
    X[:, :3] += 4.0 * y[:, np.newaxis]
    X[:, 3:8] += 1.6 * y[:, np.newaxis]
    result = fitted(X, y, 50)
    assert result.shuffled.above[:8].all()
    chosen = result.selection()
    assert set(chosen.names) == {"x0", "x1", "x2"}
    assert chosen.reason == (
        "3 of 12 features are proposed: their scores are a group above those that follow (the knee of "
        f"the scores). {result.shuffled.above.sum()} score above what 19 shuffled targets reach."
    )


# --- shuffled targets ------------------------------------------------------------------------
@pytest.mark.parametrize("method", [pyfsagg.wam, pyfsagg.bam])
def test_they_change_no_bit_of_the_ranking_and_no_worker_changes_them(method) -> None:
    X, y = table(1.0)
    options = {"n_resamples": 30, "random_state": 5}
    without = method(X, y, checks=Checks(shuffles=0), **options)
    one, two = (method(X, y, n_jobs=jobs, **options) for jobs in (1, 2))
    for name in ("combined", "scores", "ranking", "halves"):
        np.testing.assert_array_equal(getattr(without, name), getattr(one, name))
    for name in ("excess", "largest"):
        np.testing.assert_array_equal(getattr(one.shuffled, name), getattr(two.shuffled, name))
    pd.testing.assert_frame_equal(one.shuffled.stability, two.shuffled.stability)
    assert without.shuffled is None
    assert "shuffles" not in without.parameters
    assert one.parameters["shuffles"] == {"n_shuffles": 19, "n_resamples": 2}


@pytest.mark.parametrize(("m", "r"), [(1, 1), (2, 2), (149, 2), (150, 3), (500, 10), (600, 10)])
def test_a_shuffled_target_takes_a_fiftieth_of_the_resamples(m: int, r: int) -> None:
    result = fitted(*table(1.0, n=24, p=3), m, checks=Checks(0, 2))
    assert result.shuffled.n_resamples == r
    assert result.shuffled.n_shuffles == 2


def test_halves_that_belong_together_stay_together() -> None:
    result = fitted(*table(1.0), 150, resampling="complementary_pairs")
    assert result.shuffled.n_resamples == 4


def test_the_scores_are_those_of_runs_with_the_shuffled_target(monkeypatch) -> None:
    """What is computed at once for all shuffled targets is what a run with each of them gives."""
    from pyfsagg.ensemble import null as module

    X, y = table(1.0, n=40, p=5)
    targets = []
    made = module.shuffled_target

    def kept(*args):
        targets.append(made(*args))
        return targets[-1]

    seen = {}
    compare = module.excess_over_noise

    def compared(observed, shuffled):
        seen.update(observed=observed, shuffled=shuffled)
        return compare(observed, shuffled)

    monkeypatch.setattr(module, "shuffled_target", kept)
    monkeypatch.setattr(module, "excess_over_noise", compared)
    options = {"filters": ["information_gain", "chi_squared"], "random_state": 3}
    result = pyfsagg.bam(X, y, n_resamples=100, checks=Checks(0, 3), **options)
    for k, target in enumerate(targets):
        assert sorted(target.codes) == sorted(y)
        one = pyfsagg.bam(X, target, n_resamples=2, checks="none", **options)
        for label, matrix in one.score_matrices.items():
            np.testing.assert_array_equal(seen["shuffled"][label][k], matrix.mean(axis=0))
            expected = result.score_matrices[label][:2].mean(axis=0)
            np.testing.assert_array_equal(seen["observed"][label], expected)
    assert len({tuple(target.codes) for target in targets}) == 3


def test_a_filter_that_looks_at_other_features_does_not_judge() -> None:
    X, y = table(1.0)
    options = {"n_resamples": 20, "random_state": 2}
    alone = pyfsagg.wam(X, y, filter="fit_criterion", **options).shuffled
    both = pyfsagg.bam(X, y, filters=["fit_criterion", "mrmr"], **options).shuffled
    np.testing.assert_array_equal(alone.excess, both.excess)
    assert "mrmr" in both.stability.index


def test_the_order_of_the_rows_does_not_matter() -> None:
    X, y = table(1.0)
    rows = np.random.default_rng(1).permutation(len(y))
    options = {"filter": "information_gain", "n_resamples": 20, "random_state": 2}
    one = pyfsagg.wam(X, y, **options).shuffled
    two = pyfsagg.wam(X.iloc[rows].reset_index(drop=True), y[rows], **options).shuffled
    np.testing.assert_allclose(one.excess, two.excess, rtol=1e-12)
    np.testing.assert_allclose(one.largest, two.largest, rtol=1e-12)


@pytest.mark.parametrize(("task", "filter"), [("regression", "pearson"), ("survival", "cox_score")])
def test_numbers_and_times_are_shuffled_too(task: str, filter: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 8))
    y = X[:, 0] + 0.5 * rng.normal(size=100)
    target = y if task == "regression" else np.column_stack([np.exp(y), rng.random(100) < 0.8])
    result = pyfsagg.wam(X, target, filter=filter, task=task, n_resamples=30, random_state=0)
    assert result.shuffled.above.tolist() == [True, *[False] * 7]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"y": None, "filter": "frcm"}, "there is no target"),
        ({"filter": "frcm"}, "the filters do not use the target"),
        (
            {"resampling": pyfsagg.resampling.GroupedBootstrap(np.repeat(np.arange(20), 4))},
            "rows of one group belong together and cannot be shuffled one by one",
        ),
        (
            {"resampling": pyfsagg.resampling.Bootstrap(sample_weight=np.repeat([1, 2], 40))},
            "rows with weights stand for several samples and cannot be shuffled one by one",
        ),
        (
            {"resampling": pyfsagg.resampling.Rows(np.tile(np.arange(80), (4, 1)))},
            "the rows of the resamples were given, and it is not known how they were drawn",
        ),
    ],
)
def test_why_there_are_none(options: dict, reason: str) -> None:
    X, y = table(1.0)
    options = {"y": y, **options}
    result = fitted(X, options.pop("y"), 4, **options)
    assert result.shuffled is None
    assert result.parameters["shuffles"] == {"reason": reason}
    assert result.selection().reason.endswith(f"without shuffled targets: {reason}.")
    assert "noise" not in set(result.selection().frame["status"])


def test_features_that_were_not_seen_are_a_reason() -> None:
    result = fitted(*table(1.0), resampling=pyfsagg.resampling.FeatureSubspace(0.3))
    reason = result.parameters["shuffles"]["reason"]
    assert reason == "the first 2 resamples did not see all features"


def test_a_feature_that_scores_high_whatever_the_target_is_not_favoured() -> None:
    """A column with many levels has a high chi-squared on noise, and hides no feature with signal."""
    X, y = table(1.1, n=120, p=6)
    X["levels"] = pd.Categorical(np.arange(120) // 2)
    result = pyfsagg.wam(X, y, filter="chi_squared", n_resamples=60, random_state=0)
    names = np.array(result.feature_names)
    assert result.select(1) == ["levels"]
    assert {"x0", "x1"} <= set(names[result.shuffled.above])
    assert "levels" not in result.select("auto")


def test_the_excess_by_hand() -> None:
    observed = {"a": np.array([9.0, 1.0]), "b": np.array([5.0, 5.0])}
    shuffled = {
        "a": np.array([[2.0, 3.0], [1.0, 2.0]]),
        "b": np.array([[5.0, 5.0], [5.0, 5.0]]),  # says nothing
    }
    # Medians 2 and 2; largest 7, 1 and 0, of which the median is 1; the mean with zeros.
    expected = np.array([[7.0, -1.0], [0.0, 1.0], [-1.0, 0.0]]) / 2.0
    np.testing.assert_array_equal(excess_over_noise(observed, shuffled), expected)


def test_the_true_target_has_no_privilege() -> None:
    """Whichever of the targets counts as the true one, each has the same excess."""
    rng = np.random.default_rng(0)
    scores = {name: rng.exponential(size=(6, 4)) for name in "ab"}
    whole = [
        excess_over_noise(
            {name: each[first] for name, each in scores.items()},
            {name: np.delete(each, first, axis=0) for name, each in scores.items()},
        )[0]
        for first in range(6)
    ]
    usual = excess_over_noise(
        *({n: each[of] for n, each in scores.items()} for of in (0, slice(1, 6)))
    )
    np.testing.assert_allclose(np.stack(whole), usual, rtol=1e-12)


@pytest.mark.parametrize(("n", "place"), [(1, 1), (10, 1), (19, 1), (38, 1), (39, 2), (199, 10)])
def test_the_level_of_noise(n: int, place: int) -> None:
    largest = np.random.default_rng(0).permutation(np.arange(float(n)))
    noise = ShuffledTargets(
        2, np.array([n - place, n - place + 0.5, -1.0]), largest, pd.DataFrame()
    )
    assert noise.level == n - place
    assert noise.above.tolist() == [False, True, False]  # a tie is noise
    assert noise.false_alarms == place / (n + 1)


def test_the_reference_is_the_mean_of_the_measures() -> None:
    X, y = table(1.0)
    filters = ["fit_criterion", "spearman"]
    options = {"filters": filters, "checks": Checks(pairs=0), "random_state": 0}
    result = pyfsagg.bam(X, y, n_resamples=500, **options)
    noise, true = result.shuffled.stability, result.stability()
    assert noise.index.tolist() == true.index.tolist()
    assert noise.columns.tolist() == true.columns.tolist()
    assert noise.notna().all(axis=None)
    assert (noise["pearson"] < true["pearson"]).all()
    few = fitted(X, y).shuffled.stability
    assert "asd" not in few  # it depends on the number of resamples


def test_a_resumed_run_has_the_same(tmp_path) -> None:
    X, y = table(1.0)
    options = {"n_resamples": 30, "random_state": 5}
    execution = pyfsagg.Execution(checkpoint=tmp_path / "kept")
    first, second = (pyfsagg.bam(X, y, execution=execution, **options) for _ in range(2))
    alone = pyfsagg.bam(X, y, **options)
    for one, two in itertools.combinations((first, second, alone), 2):
        np.testing.assert_array_equal(one.shuffled.excess, two.shuffled.excess)


def test_measures_of_shuffled_targets_are_told(found: pyfsagg.EnsembleResult) -> None:
    text = found.summary_text()
    assert "with shuffled target" in text
    assert "19 targets with shuffled rows in 2 resamples" in text
    assert "In brackets: with shuffled targets." in found.to_html()


def test_a_selector_can_leave_the_number_open() -> None:
    X, y = table(2.0)
    selector = pyfsagg.WithinAggregationSelector(
        "fit_criterion", n_features_to_select="auto", n_resamples=30, random_state=1
    ).fit(X, y)
    assert selector.get_support().tolist() == [True, True, *[False] * 8]
    fixed = pyfsagg.WithinAggregationSelector("fit_criterion", n_resamples=30, random_state=1)
    assert fixed.fit(X, y).result_.shuffled is None
