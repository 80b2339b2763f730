"""Times of which some are censored: how they are read, and what ranks features by them."""

import itertools
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

import pyfsagg
from pyfsagg.exceptions import DataError, ParameterError, PyfsaggWarning
from pyfsagg.extending import FILTERS, as_table, check_target, data_hash
from pyfsagg.filters.survival import prepare_concordance
from pyfsagg.resampling import draw_resamples

RNG = np.random.default_rng(5)
N = 40
X = pd.DataFrame(
    {
        "normal": RNG.normal(size=N),
        "whole": RNG.integers(0, 4, N),
        "flag": RNG.random(N) < 0.3,
        "shifted": 1e8 + RNG.normal(size=N),
        "group": np.where(RNG.random(N) < 0.5, "a", "b"),
    }
)
TIME = RNG.integers(1, 15, N).astype(float)
EVENT = RNG.random(N) < 0.6
TIME = np.where(X["normal"] > 0, np.ceil(TIME / 5), TIME)
Y = pd.DataFrame({"time": TIME, "status": EVENT.astype(int)})
NUMBERS = X.assign(group=(X["group"] == "b")).to_numpy(dtype=float)
ROWS = RNG.integers(0, N, (4, N))
BY_RESIDUALS = ("pearson", "f_statistic", "spearman", "mrmr_correlation")
COUNTS = np.stack([np.bincount(rows, minlength=N) for rows in ROWS])
ONCE = pyfsagg.resampling.Rows(np.arange(N)[np.newaxis])


def run(name: str, rows: np.ndarray = ROWS, **more: object) -> np.ndarray:
    plan = pyfsagg.resampling.Rows(rows)
    return pyfsagg.wam(X, Y, filter=name, task="survival", resampling=plan, **more).combined


# --- by definition ---------------------------------------------------------------------------
def residuals_by_definition(time: np.ndarray, event: np.ndarray) -> np.ndarray:
    """Each event by itself: the k-th of d at a time meets the others to the share 1 - k / d."""
    expected = np.zeros(len(time))
    for t in np.unique(time[event]):
        dying = event & (time == t)
        d = dying.sum()
        for k in range(d):
            at_risk = (time >= t) - k / d * dying
            expected += at_risk / at_risk.sum()
    return event - expected


def score_by_definition(x: np.ndarray, time: np.ndarray, event: np.ndarray, efron: bool) -> float:
    score, variance = 0.0, 0.0
    x = x - x.mean()
    for t in np.unique(time[event]):
        dying = event & (time == t)
        d = dying.sum()
        for k in range(d):
            at_risk = (time >= t) - (k / d if efron else 0.0) * dying
            share = at_risk / at_risk.sum()
            score += x[dying].mean() - share @ x
            variance += share @ x**2 - (share @ x) ** 2
    return score**2 / variance


def concordance_by_definition(x: np.ndarray, time: np.ndarray, event: np.ndarray) -> float:
    told, pairs = 0.0, 0
    for i, j in itertools.permutations(range(len(x)), 2):
        if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j])):
            pairs += 1
            told += 1.0 if x[i] < x[j] else 0.5 if x[i] == x[j] else 0.0
    return max(told, pairs - told) / pairs


def test_residuals_are_those_of_the_definition_on_repeated_rows() -> None:
    for counts in (np.ones(N, dtype=int), *COUNTS):
        rows = np.repeat(np.arange(N), counts)
        found = pyfsagg.filters.martingale_residuals(Y, sample_weight=counts)
        expected = residuals_by_definition(TIME[rows], EVENT[rows])
        np.testing.assert_allclose(found[rows], expected, rtol=0, atol=1e-13)
        assert found @ counts == pytest.approx(0.0, abs=1e-12)


def test_scores_are_those_of_the_definitions_on_the_drawn_rows() -> None:
    by_ties = [run("cox_score", filter_params={"ties": ties}) for ties in ("efron", "breslow")]
    of_pairs = run("concordance")
    for r, rows in enumerate(ROWS):
        for j in range(X.shape[1]):
            column = NUMBERS[rows, j], TIME[rows], EVENT[rows]
            for found, efron in zip(by_ties, (True, False), strict=True):
                expected = score_by_definition(*column, efron)
                assert found[r, j] == pytest.approx(expected, rel=1e-6 if j == 3 else 1e-10)
            assert of_pairs[r, j] == pytest.approx(concordance_by_definition(*column), rel=1e-12)
    rows = RNG.integers(0, N, (21, N))  # more than are counted together
    together = run("concordance", rows)
    for r in range(len(rows)):
        np.testing.assert_array_equal(together[[r]], run("concordance", rows[[r]]))


@pytest.mark.parametrize("times", [1, 1_000, 3_000, 60_000])
def test_concordance_of_rows_that_count_often(times: int) -> None:
    weights = times * np.vstack([np.ones(N, dtype=int), COUNTS % 2, COUNTS[::-1] % 2])
    table, target = as_table(X), check_target(Y, N, task="survival")
    found = prepare_concordance(table, target)(weights, target.codes[np.newaxis, :])["concordance"]
    for scores, counts in zip(found, weights // times, strict=True):
        rows = np.repeat(np.arange(N), counts)
        for j in range(X.shape[1]):
            expected = concordance_by_definition(NUMBERS[rows, j], TIME[rows], EVENT[rows])
            assert scores[j] == pytest.approx(expected, rel=1e-12)


def test_concordance_of_more_than_four_thousand_million_rows() -> None:
    often = 65_535
    n = 2**32 // often + 2
    time, event = np.repeat([2.0, 1.0], [n // 3, n - n // 3]), np.ones(n)
    flag = np.arange(n) % 2 == np.arange(n) % 5 // 4
    flags, y = np.column_stack([flag, ~flag]), np.column_stack([time, event])
    found = pyfsagg.filters.concordance(flags, y, sample_weight=np.full(n, often))
    early, late = flag[n // 3 :].mean(), flag[: n // 3].mean()
    share = late * (1 - early) + 0.5 * (late * early + (1 - late) * (1 - early))
    assert found[0] == pytest.approx(max(share, 1 - share), rel=1e-12)


@pytest.mark.parametrize("name", BY_RESIDUALS)
def test_filters_of_numbers_explain_the_residuals_of_each_resample(name: str) -> None:
    """Those that count explain bins of the residuals of all rows."""
    for found, rows in zip(run(name), ROWS, strict=True):
        residuals = residuals_by_definition(TIME[rows], EVENT[rows]).round(12)
        options = {"filter": name, "task": "regression", "resampling": ONCE}
        alone = pyfsagg.wam(X.iloc[rows], residuals, **options)
        np.testing.assert_allclose(found, alone.combined[0], rtol=1e-9, atol=1e-12)
    residuals, plan = pyfsagg.filters.martingale_residuals(Y), pyfsagg.resampling.Rows(ROWS)
    alone = pyfsagg.wam(X, residuals, filter="ig", task="regression", resampling=plan)
    np.testing.assert_array_equal(run("information_gain"), alone.combined)


@pytest.mark.parametrize(
    "name", [*BY_RESIDUALS, *(spec.name for spec in FILTERS if spec.targets == ("survival",))]
)
def test_a_row_that_is_drawn_twice_counts_as_one_that_stands_twice(name: str) -> None:
    repeated = X.iloc[ROWS[0]], Y.iloc[ROWS[0]]
    alone = pyfsagg.wam(*repeated, filter=name, task="survival", resampling=ONCE)
    np.testing.assert_allclose(run(name)[0], alone.combined[0], rtol=1e-9, atol=1e-12)


def test_a_feature_that_tells_nothing_scores_lowest() -> None:
    flat = X.assign(flat=2.5, late=np.where(TIME.max() == TIME, 0.0, 1.0))
    assert pyfsagg.filters.cox_score(flat, Y)[-2] == 0.0
    assert pyfsagg.filters.concordance(flat, Y)[-2] == 0.5
    # Among those at risk at the only event, the first feature is constant.
    early = {"time": [1, 2, 3, 4, 5], "event": [0, 1, 0, 0, 0]}
    cells = np.array([[9.0, 1.0], [1.0, 2.0], [1.0, 3.0], [1.0, 4.0], [1.0, 5.0]])
    first, second = pyfsagg.filters.cox_score(cells, pd.DataFrame(early))
    assert (first, second > 0) == (0.0, True)
    rows = np.vstack([np.resize(np.flatnonzero(~EVENT), N), np.arange(N)])  # without an event
    for name, lowest in (("cox_score", 0.0), ("concordance", 0.5), ("pearson", 0.0)):
        assert (run(name, rows)[0] == lowest).all()


def test_scores_do_not_change_with_units_or_direction() -> None:
    names = ["normal", "whole"]
    turned = X[names] * [-1e200, 1e-200]
    for score in (pyfsagg.filters.cox_score, pyfsagg.filters.concordance):
        np.testing.assert_allclose(score(turned, Y), score(X[names], Y), rtol=1e-12)


# --- how times are given ---------------------------------------------------------------------
def structured(event_first: bool) -> np.ndarray:
    fields = [("cens", bool), ("days", float)]
    found = np.empty(N, dtype=fields if event_first else fields[::-1])
    found["cens"], found["days"] = EVENT, TIME
    return found


GIVEN: dict[str, Callable[[], object]] = {
    "frame": lambda: Y,
    "booleans": lambda: pd.DataFrame({"days": TIME.astype(int), "died": EVENT}),
    "nullable": lambda: pd.DataFrame(
        {"days": pd.array(TIME, "Float64"), "died": pd.array(EVENT, "boolean")}
    ),
    "array": lambda: np.column_stack([TIME, EVENT]),
    "objects": lambda: np.array(list(zip(TIME, EVENT, strict=True)), dtype=object),
    "rows": lambda: list(zip(TIME.tolist(), EVENT.tolist(), strict=True)),
    "two arrays": lambda: (TIME, EVENT),
    "event first": lambda: structured(True),
    "time first": lambda: structured(False),
    "polars": lambda: pytest.importorskip("polars").DataFrame({"t": TIME, "e": EVENT}),
}


@pytest.mark.parametrize("kind", GIVEN)
def test_every_way_to_give_times_is_the_same_target(kind: str) -> None:
    table = as_table(X)
    found = check_target(GIVEN[kind](), N, task="survival")
    assert data_hash(table, found) == data_hash(table, check_target(Y, N, task="survival"))
    assert found.kind == "survival"
    assert found.event_count == {"n_events": int(EVENT.sum())}


def test_the_target_is_called_by_its_columns_and_a_saved_run_repeats(tmp_path) -> None:
    result = pyfsagg.wam(X, Y, filter="cox", task="survival", n_resamples=4, random_state=0)
    assert result.data["target"] == "time, status"
    assert result.data["target_kind"] == "survival"
    assert result.data["n_events"] == EVENT.sum()
    assert result.data["class_counts"] == {}
    assert result.parameters["call"]["arguments"]["task"] == "'survival'"
    assert pyfsagg.load_result(result.save(tmp_path / "run")).data == result.data


def changed(**columns: object) -> pd.DataFrame:
    return Y.assign(**columns)


BAD = {
    "one column": (TIME, "has times and events, and y has the shape"),
    "late entry": (np.column_stack([TIME - 1, TIME, EVENT]), r"left truncation.*not supported"),
    "interval": (changed(status=np.where(EVENT, 3, 0)), "interval censoring are not supported"),
    "three kinds": (
        changed(status=np.arange(N) % 3),
        r"got 0, 1, 2\. Say which value is the event",
    ),
    "1 and 3": (changed(status=2 * EVENT + 1), r"must be 0 \(censored\) or 1"),
    "words": (changed(status=np.where(EVENT, "dead", "alive")), "got 'alive', 'dead'"),
    "negative": (changed(time=TIME - 2), r"negative in \d+ rows \(the smallest is -1\)"),
    "infinite": (changed(time=np.where(TIME > 9, np.inf, TIME)), "infinite"),
    "no time": (changed(time=np.where(TIME > 9, np.nan, TIME)), r"time 'time' is missing \(NaN\)"),
    "no event": (changed(status=np.where(EVENT, np.nan, 0)), r"event 'status' is missing"),
    "dates": (changed(time=pd.Timestamp("2020-01-01")), "times must be numbers"),
    "all censored": (changed(status=0), "every row is censored"),
    "exchanged": (Y[["status", "time"]], "the time comes first"),
    "one time": (changed(time=3.0, status=1), "is known to outlive another"),
    "last event": (changed(status=TIME.max() == TIME), "is known to outlive another"),
    "too short": (Y.iloc[1:], "inconsistent lengths"),
    "four columns": (np.ones((N, 4)), "has two columns"),
    "none": (None, "the target y is None"),
}


@pytest.mark.parametrize("kind", BAD)
def test_times_that_cannot_be_used_are_refused(kind: str) -> None:
    given, message = BAD[kind]
    with pytest.raises(DataError, match=message):
        pyfsagg.wam(X, given, filter="cox_score", task="survival", n_resamples=2)


def test_a_time_of_0_is_a_time() -> None:
    """Values of coxph, residuals() and concordance() of R's survival; only the order of times counts."""
    time, event = [0, 0, 0, 1, 2, 2, 4, 5, 7, 9], [1, 0, 1, 1, 1, 0, 0, 1, 1, 1]
    x = np.array([[3.5, 1, 4, 2.5, 2.6, 0.3, 2, 1.2, -1, 0], np.arange(10)]).T
    y = np.column_stack([time, event])
    np.testing.assert_allclose(pyfsagg.filters.cox_score(x, y)[:1], [8.21246887079308], rtol=1e-12)
    np.testing.assert_allclose(
        pyfsagg.filters.concordance(x, y)[:1], [1 - 0.0666666666666667], rtol=1e-12
    )
    expected = [
        *(0.844444444444444, -0.211111111111111, 0.844444444444444, 0.646031746031746),
        *(0.479365079365079, -0.520634920634921, -0.520634920634921, 0.146031746031746),
        *(-0.353968253968254, -1.353968253968254),
    ]
    residuals = pyfsagg.filters.martingale_residuals(y)
    np.testing.assert_allclose(residuals, expected, rtol=0, atol=1e-14)
    from_0 = changed(time=TIME - TIME.min())
    options = {"task": "survival", "n_resamples": 2, "random_state": 0}
    for name in (spec.name for spec in FILTERS.own() if "survival" in spec.targets):
        both = [pyfsagg.wam(NUMBERS, times, filter=name, **options).scores for times in (Y, from_0)]
        np.testing.assert_array_equal(*both)


def test_check_says_what_a_run_would_refuse() -> None:
    """The two judge a target by one rule; a word of the check stands for the refusal."""
    said = dict.fromkeys(("three kinds", "interval", "1 and 3", "words"), "event_codes")
    said |= {"infinite": "infinite", "no time": "missing_target", "no event": "missing_target"}
    for kind, (y, _) in BAD.items():
        if isinstance(y, pd.DataFrame) and len(y) == N:
            found = pyfsagg.datasets.check_table(X, y, task="survival")
            stops = {each.code for each in found.findings if each.severity == "stop"}
            assert said.get(kind, "unusable_target") in stops, kind
            with pytest.raises(DataError):
                found.require(["all"] if "missing_target" not in stops else [])
    found = pyfsagg.datasets.check_table(X, changed(time=TIME - 2), task="survival")
    assert [str(each) for each in found.findings] == [
        "[unusable_target] the time 'time' is negative in 10 rows (the smallest is -1); times run from the "
        "start of the observation: drop these rows, or count from an earlier start"
    ]
    assert pyfsagg.datasets.check_table(X, changed(time=TIME - 1), task="survival").findings == ()


def test_events_coded_as_in_r() -> None:
    options = {"filter": "cox_score", "task": "survival", "n_resamples": 3, "random_state": 0}
    with pytest.warns(PyfsaggWarning, match=r"1 means censored and 2 the event"):
        found = pyfsagg.wam(X, changed(status=1.0 + EVENT), **options)
    same = pyfsagg.wam(X, Y, **options)
    assert (found.scores == same.scores).all()
    looked = pyfsagg.datasets.check_table(X, changed(status=EVENT + 1), task="survival")
    assert looked.n_events == EVENT.sum()


def test_filters_and_targets_that_do_not_go_together() -> None:
    for y, filter, task, message in (
        (Y, "vdm", "survival", r"does not read times and events\. Filters for survival"),
        (EVENT, "cox_score", "classification", "'cox_score' ranks by a number or by survival"),
        (TIME, "cox_score", "regression", "'cox_score' ranks by classes"),
        (Y, DecisionTreeClassifier(), "survival", "does not read times"),
    ):
        with pytest.raises(DataError, match=message):
            pyfsagg.wam(X, y, filter=filter, task=task, n_resamples=2)
    with pytest.raises(ParameterError, match="ties must be one of 'efron', 'breslow'"):
        pyfsagg.filters.cox_score(X, Y, ties="exact")
    with pytest.raises(DataError, match="missing values"):
        pyfsagg.filters.cox_score(X.assign(whole=np.nan), Y)
    with pytest.raises(DataError, match="nominal with 3 levels"):
        pyfsagg.filters.concordance(X.assign(group=np.resize(["a", "b", "c"], N)), Y)


# --- ensembles -------------------------------------------------------------------------------
def test_stratified_plans_keep_the_number_of_events() -> None:
    table, target = as_table(X), check_target(Y, N, task="survival")

    def events(plan: str, n_resamples: int) -> np.ndarray:
        drawn = draw_resamples(table, target, plan, n_resamples=n_resamples, seed=0)
        return drawn.weights[:, EVENT].sum(axis=1)

    assert (events("stratified_bootstrap", 5) == EVENT.sum()).all()
    assert (events("complementary_pairs", 6) == EVENT.sum() // 2).all()
    assert np.ptp(EVENT.sum() - events("k_fold", 5)) <= 1


def test_plans_that_events_do_not_allow() -> None:
    few = changed(status=(np.arange(N) == 0).astype(int))
    few.loc[0, "time"] = 1.0
    for y, plan, number, error, message in (
        (few, "complementary_pairs", 2, DataError, "would contain no event"),
        (Y, "k_fold", 30, DataError, "need at least 30 events"),
        (Y, "balanced_bootstrap", 2, ParameterError, "no classes"),
    ):
        how = {"filter": "cox_score", "task": "survival", "n_resamples": number}
        with pytest.raises(error, match=message):
            pyfsagg.wam(X, y, resampling=plan, **how)


def test_the_order_of_rows_and_of_workers_changes_nothing() -> None:
    options = {"filters": ["cox_score", "concordance", "pearson", "ig"], "task": "survival"}
    options |= {"n_resamples": 20, "random_state": 3}
    found = pyfsagg.bam(X, Y, **options)
    mixed = RNG.permutation(N)
    again = pyfsagg.bam(X.iloc[mixed], Y.iloc[mixed], n_jobs=2, **options)
    np.testing.assert_allclose(found.scores, again.scores, rtol=1e-10)
    assert found.select(1) == ["normal"]
    assert found.checked.halves is not None


def test_a_function_sees_events_and_times_and_a_regressor_residuals() -> None:
    seen = []

    def own(X, y, sample_weight):
        seen.append(y)
        residuals = pyfsagg.filters.martingale_residuals(y, sample_weight=sample_weight)
        return np.abs(np.cov(X.T, residuals, fweights=sample_weight.astype(int))[-1, :-1])

    run(own)
    assert seen[0].dtype.names == ("event", "time")
    np.testing.assert_array_equal(seen[0]["time"], TIME)
    np.testing.assert_array_equal(seen[0]["event"], EVENT)
    found = run(Ridge())
    for scores, rows in zip(found, ROWS, strict=True):
        residuals = residuals_by_definition(TIME[rows], EVENT[rows])
        expected = np.abs(Ridge().fit(NUMBERS[rows], residuals).coef_)
        np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-12)


def test_survival_goes_through_selectors_influence_and_shuffled_targets() -> None:
    how = {"task": "survival", "random_state": 0}
    by, rules = pyfsagg.ensemble.WithinAggregationSelector, ["am", "mean_rank"]
    selector = by("cox_score", n_features_to_select=1, n_resamples=10, **how)
    assert selector.fit(X, Y).get_feature_names_out().tolist() == ["normal"]
    sizes = {"n_folds": 4, "n_resamples": 4}
    found = pyfsagg.influence(X, Y, filter="cox_score", aggregators=rules, **sizes, **how)
    assert found.table().shape[1] == 2
    test = pyfsagg.ensemble.permute_target(X, Y, filter="cox_score", shuffles=39, **how)
    assert test.to_frame()["p_value"].idxmin() == "normal"


# --- the look before a run -------------------------------------------------------------------
def test_check_table_reads_times_and_finds_their_copies() -> None:
    frame = pd.concat([X, Y], axis=1).assign(months=TIME / 30, dead=EVENT)
    found = pyfsagg.datasets.check_table(frame, target=["time", "status"], task="survival")
    copies = [each.columns for each in found.findings if each.code == "target_copy"]
    assert {name for columns in copies for name in columns} == {"months", "dead"}
    assert f"events: {EVENT.sum()}; the other times are censored" in found.facts
    assert found.record()["n_events"] == EVENT.sum()
    good = pyfsagg.datasets.check_table(X, Y, task="survival")
    assert not [each for each in good.findings if each.severity == "stop"]
    gaps = Y.assign(status=np.where(np.arange(N) < 2, np.nan, Y["status"]))
    findings = pyfsagg.datasets.check_table(X, gaps, task="survival").findings
    (missing,) = (each for each in findings if each.code == "missing_target")
    assert "'time, status' is missing (NaN) in 2 of 40 rows" in missing.sentence
