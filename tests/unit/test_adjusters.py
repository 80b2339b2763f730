"""Scores beside columns that everybody knows, and shuffled targets that leave these alone."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy import stats

import pyfsagg
from pyfsagg import Task, wam
from pyfsagg._table.table import orthonormal
from pyfsagg._table.target import read_target
from pyfsagg.ensemble import permute_target
from pyfsagg.ensemble.null import Nulls, Shuffling
from pyfsagg.ensemble.run import set_up_run
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.evaluation import Protocol
from pyfsagg.evaluation.cells import draw_parts
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import FILTERS, as_table
from pyfsagg.filters.adjusted import Residuals, RiskModel, RiskSets
from pyfsagg.resampling import Bootstrap, GroupedBootstrap, Rows

N = 90


def table(seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Three unequal batches that go with two classes and shift x1 to x3; x0 differs within batches."""
    rng = np.random.default_rng(seed)
    batch = np.repeat([0, 1, 2], [45, 30, 15])
    y = (rng.random(N) < np.array([0.25, 0.6, 0.8])[batch]).astype(int)
    X = pd.DataFrame(rng.normal(size=(N, 6))).add_prefix("x")
    X[["x1", "x2", "x3"]] += 2.0 * batch[:, np.newaxis]
    X["x0"] += 1.3 * y
    X["x5"] = X["x5"].round()
    X["age"] = np.round(40 + 10 * rng.normal(size=N) + 5 * y, 1)
    X["batch"] = pd.Categorical.from_codes(batch, ["a", "b", "c"])
    return X, y


X, Y = table()
CODES = X["batch"].cat.codes.to_numpy()
FEATURES = X.columns[:6]
BATCHED = X.drop(columns="age")
BOTH = ["age", "batch"]


def whole(
    filter: Any, adjust: Any, X: Any = X, y: Any = Y, task: str = "classification", **more: Any
) -> Any:
    """A run on the table itself."""
    how = {"task": Task(task, adjust=adjust), "resampling": Rows([list(range(len(y)))])}
    return wam(X, y, filter=filter, checks="none", **{**how, **more})


def scored(*args: Any, **more: Any) -> Any:
    return whole(*args, **more).scores


def nulls_of(adjust: list[str], frame: Any = X, y: Any = Y, plan: Any = None) -> tuple[Nulls, Any]:
    """The shuffled targets of a run."""
    ensemble = Ensemble(["anova_f"], n_resamples=2, resampling=plan or Bootstrap())
    run = set_up_run(frame, y, ensemble, random_state=0, task=Task(adjust=adjust))
    return Nulls(run), run


def shuffled(X: Any, y: Any = Y, adjust: Any = None, filter: str = "anova_f") -> Any:
    task = Task(adjust=adjust)
    return permute_target(X, y, filter=filter, task=task, random_state=0, shuffles=199)


# --- what is adjusted for --------------------------------------------------------------------
def test_adjusting_columns_are_no_features_and_are_told() -> None:
    result, by_position = whole("anova_f", BOTH), whole("anova_f", [6, 7])
    assert result.feature_names == tuple(FEATURES)
    assert result.data["adjusters"] == {"age": "a number", "batch": "3 levels"}
    assert result.parameters["adjust"] == BOTH
    told = "adjusted for age (a number) and batch (3 levels): anova f by a model"
    assert told in result.methods_text()
    np.testing.assert_array_equal(by_position.scores, result.scores)
    assert by_position.data["sha256"] == result.data["sha256"]
    assert whole("anova_f", ["batch"], BATCHED).data["sha256"] != result.data["sha256"]
    assert "within the strata of their levels" in whole("auc", "batch", BATCHED).methods_text()


@pytest.mark.parametrize(
    ("column", "nominal", "levels"),
    [
        (pd.Series(Y), None, True),
        (pd.Series(Y).astype(bool), None, True),
        (pd.Series(CODES.astype(int)), ["known"], True),
        (pd.Series(np.arange(N) % 17), None, False),
        (pd.Series(np.where(CODES == 2, None, "m"), dtype=object), None, True),
    ],
)
def test_what_counts_as_levels(column: pd.Series, nominal: Any, levels: bool) -> None:
    frame = X[FEATURES].assign(known=column)
    task = Task(nominal=nominal, adjust=["known"])
    adjusters = read_target(task, as_table(frame, nominal=task.nominal), Y)[1].adjusters
    assert adjusters is not None
    assert adjusters.nominal.tolist() == [levels]
    assert adjusters.by_numbers is not levels
    part = adjusters.take(np.arange(5, 12))  # where there may be fewer values
    assert part.nominal.tolist() == [levels]


def test_a_missing_value_is_a_level_and_no_number_and_codes_are_told_apart() -> None:
    some = X.assign(batch=X["batch"].where(CODES != 2), age=X["age"].where(X["age"] > 35))
    known = read_target(Task(adjust=["batch"]), as_table(some.drop(columns="age")), Y)[1].adjusters
    assert known is not None
    assert known.n_strata == 3
    with pytest.raises(DataError, match="'age' has missing values"):
        whole("anova_f", ["age"], some)
    told = "contains 3 whole numbers and counts as a number; if they are codes, name it in nominal"
    with pytest.warns(match=told):
        whole("anova_f", ["code"], X[FEATURES].assign(code=CODES.astype(int)))


@pytest.mark.parametrize(
    ("adjust", "error", "message"),
    [
        (["nobody"], ParameterError, "adjust names the column 'nobody'"),
        ([], DataError, "adjust names no column"),
        (list(X.columns), DataError, "leaves none to be scored"),
        (["row"], DataError, "tell all 90 rows apart"),
    ],
)
def test_what_cannot_be_adjusted_for(
    adjust: list[str], error: type[Exception], message: str
) -> None:
    frame = X.assign(row=[f"r{i}" for i in range(N)]) if adjust == ["row"] else X
    with pytest.raises(error, match=message):
        whole("anova_f", adjust, frame)


def test_a_filter_without_a_model_names_those_that_have_one() -> None:
    able = "spearman, car_score, anova_f, welch_t; or cut the numbers into levels"
    for filter in ("information_gain", lambda X, y, w: X.T @ w):
        with pytest.raises(DataError, match=f"numbers such as 'age'. Filters that do: {able}"):
            whole(filter, ["batch", "age"])
    able = "Filters that do: pearson, f_statistic, mrmr_correlation, spearman"
    with pytest.raises(DataError, match=able):
        whole("mim", ["age"], X[[*FEATURES, "age"]], np.arange(N), "regression")
    with pytest.raises(ParameterError, match="learners do not adjust"):
        pyfsagg.committee(X, Y, "lr", task=Task(adjust=["batch"]))


# --- strata ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "filter", ["mim", "auc", "symmetric_uncertainty", "chi_squared", "kruskal_wallis"]
)
def test_by_strata_is_the_mean_or_sum_over_strata(filter: str) -> None:
    features = X[[*FEATURES, "batch"]]
    found = whole(filter, ["batch"], features).score_matrices[filter][0]
    expected = np.zeros(6)
    for code in range(3):
        rows = np.flatnonzero(code == CODES)
        alone = whole(filter, None, features[FEATURES].iloc[rows], Y[rows])
        scores = alone.score_matrices[filter][0]
        expected += scores * (1.0 if FILTERS.get(filter).within == "sum" else len(rows) / N)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("filter", ["chi_squared", "cramers_v", "symmetric_uncertainty"])
def test_strata_of_sparse_tables_are_those_of_dense_ones(filter: str) -> None:
    values = np.where(X[FEATURES].abs() > 0.7, X[FEATURES].round(1), 0.0)
    values[::7, 2] = np.nan
    codes = np.column_stack([values, CODES])
    task = Task(nominal=[6], adjust=[6])
    how: dict[str, Any] = {"filter": filter, "n_resamples": 12, "random_state": 0, "task": task}
    dense, sparse = (wam(table, Y, **how) for table in (codes, scipy.sparse.csr_array(codes)))
    matrices = dense.score_matrices[filter], sparse.score_matrices[filter]
    np.testing.assert_array_equal(*matrices)
    assert dense.permutation is not None
    assert sparse.permutation is not None
    assert sparse.permutation.unit == "rows within strata"


@pytest.mark.parametrize("binning", ["equal_width", "praznik", "kendall"])
def test_numbers_are_cut_and_compared_within_strata(binning: str) -> None:
    """The mean over strata, weighted by their rows, or pairs of rows."""
    table, y = X[[*FEATURES, "batch"]], Y
    if binning == "praznik":  # whose number of bins follows from the rows, here the most of all
        keep = np.flatnonzero(CODES < 2)
        table, y = table.iloc[keep], Y[keep]
    params = {"binning": binning}
    found = scored("mim", ["batch"], table, y, filter_params=params)
    codes, parts, sizes = table["batch"].cat.codes.to_numpy(), [], []
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        features = table[FEATURES].iloc[rows]
        parts.append(scored("mim", None, features, y[rows], filter_params=params))
        sizes.append(len(rows) * (len(rows) - 1) if binning == "kendall" else len(rows))
    expected = np.average(parts, axis=0, weights=sizes)
    np.testing.assert_allclose(found, expected, atol=1e-11)


def test_conditional_information_is_that_of_the_counts() -> None:
    """I(X; Y | Z) = H(X, Z) + H(Y, Z) - H(X, Y, Z) - H(Z)."""

    def entropy(*columns: Any) -> float:
        counts = pd.Series(zip(*columns, strict=True)).value_counts()
        return float(stats.entropy(counts))

    levels = X[["x5"]].astype(int).assign(other=np.arange(N) % 4, batch=X["batch"])
    found = scored("mim", ["batch"], levels)
    for j, x in enumerate((levels["x5"], levels["other"])):
        expected = entropy(x, CODES) + entropy(Y, CODES) - entropy(x, Y, CODES) - entropy(CODES)
        assert found[j] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("filter", ["mim", "mrmr", "jmi", "cmim", "chi_squared", "auc", "anova_f"])
def test_each_of_several_resamples_is_scored_as_alone(filter: str) -> None:
    rows = np.random.default_rng(7).integers(N, size=(3, N)).tolist()
    params: tuple[Any, ...] = ({"n_features": 1}, {}) if FILTERS.get(filter).begins else ({},)
    for own in params:
        how = {"filter_params": own, "normalize": "none"}
        several = scored_matrix(filter, BATCHED, Rows(rows), **how)
        alone = [scored_matrix(filter, BATCHED, Rows([one]), **how)[0] for one in rows]
        np.testing.assert_allclose(several, alone, rtol=1e-12)


def scored_matrix(filter: str, frame: Any, rows: Rows, **how: Any) -> Any:
    return whole(filter, ["batch"], frame, resampling=rows, **how).score_matrices[filter]


def test_functions_and_models_see_one_stratum_at_a_time() -> None:
    seen = []

    def gap(X: Any, y: Any, sample_weight: Any) -> Any:
        seen.append(len(y))
        return np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))

    found = scored(gap, ["batch"], X[[*FEATURES, "batch"]])
    values = X[FEATURES].to_numpy()
    parts = [c == CODES for c in range(3)]
    expected = sum(rows.mean() * gap(values[rows], Y[rows], None) for rows in parts)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert seen[:3] == [45, 30, 15]


@pytest.mark.parametrize(
    "filter", ["chi_squared", "anova_f", "welch_t", "auc", "spearman", "cox_score", "pearson"]
)
def test_weights_are_repeated_rows(filter: str) -> None:
    rng = np.random.default_rng(3)
    weight = rng.integers(0, 4, N)
    task = {"cox_score": "survival", "pearson": "regression"}.get(filter, "classification")
    number = np.round(rng.exponential(size=N) + 0.1, 1)
    y: Any = {"survival": np.column_stack([number, Y]), "regression": number}.get(task, Y)
    adjust = ["batch"] if filter in ("chi_squared", "auc") else ["batch", "age"]
    features = X[[*FEATURES, *adjust]]
    rows = np.repeat(np.arange(N), weight)
    weighted = scored(filter, adjust, features, y, task, resampling=Rows([rows.tolist()]))
    repeated = scored(filter, adjust, features.iloc[rows].reset_index(drop=True), y[rows], task)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-9)


# --- models ----------------------------------------------------------------------------------
@pytest.mark.parametrize("filter", ["anova_f", "welch_t", "spearman"])
def test_missing_cells_leave_their_rows_out_for_the_feature(filter: str) -> None:
    gaps = X.assign(x2=X["x2"].where(X["x4"] > -0.5))
    found, known = scored(filter, BOTH, gaps), np.flatnonzero(gaps["x2"].notna())
    alone = scored(filter, BOTH, X.iloc[known], Y[known])
    assert found[2] == pytest.approx(alone[2], rel=1e-10)
    assert found[0] == pytest.approx(scored(filter, BOTH)[0], rel=1e-10)
    rare = X["x0"].where(np.isin(np.arange(N), [0, 1]))
    two_known_rows_of_one_batch = scored(filter, ["batch"], BATCHED.assign(x0=rare))
    assert two_known_rows_of_one_batch[0] == 0.0


@pytest.mark.parametrize("filter", ["anova_f", "welch_t", "spearman"])
def test_what_the_adjusters_say_wholly_scores_nothing(filter: str) -> None:
    copies = X.assign(x1=3.0 - 2.0 * X["age"], x2=(CODES == 1).astype(float), x3=1e8 + X["age"])
    scores = scored(filter, BOTH, copies)
    assert scores[2] == 0.0
    if filter != "spearman":
        assert scores[[1, 3]].tolist() == [0.0, 0.0]
    explained = whole(filter, ["age", "batch", "same"], X.assign(same=Y))
    assert explained.scores.tolist() == [0.0] * 6


def test_without_anything_to_adjust_for_the_models_are_the_plain_filters() -> None:
    """A column of levels that never go together with anything leaves one degree of freedom less."""
    flat = X[FEATURES].assign(level=["m", "f"] * (N // 2))
    adjusted, plain = scored("welch_t", ["level"], flat), scored("welch_t", None, X[FEATURES])
    np.testing.assert_allclose(adjusted, plain, rtol=0.15)
    task, features = Task(adjust=["level"]), flat.assign(level="m")
    table, target = read_target(task, as_table(features, nominal=task.nominal), Y)
    one = FILTERS.get("welch_t").prepare
    exact = one(table, target)(np.ones((1, N), np.uint16), target.codes[np.newaxis])
    np.testing.assert_allclose(exact["welch_t"][0], plain, rtol=1e-12)
    f = scored("anova_f", None, X[FEATURES])
    np.testing.assert_allclose(exact["anova_f"][0], f, rtol=1e-12)


def test_survival_at_large_and_with_a_useless_column() -> None:
    rng = np.random.default_rng(5)
    y = np.column_stack([rng.integers(1, 6, N), rng.random(N) < 0.6])
    constant = X.assign(x1=CODES * 1.0, x2=7.0 + (np.arange(N) < 0))
    scores = scored("cox_score", BOTH, constant, y, "survival")
    assert scores[1] == scores[2] == 0.0
    assert (scores[[0, 3, 4, 5]] > 0.0).all()
    apart = X[FEATURES].assign(age=1000.0 * y[:, 0])  # a number that orders all times
    assert np.isfinite(scored("cox_score", ["age"], apart, y, "survival")).all()


def test_mrmr_by_partial_correlation() -> None:
    adjusters = read_target(Task(adjust=BOTH), as_table(X), Y)[1].adjusters
    assert adjusters is not None
    noise = np.random.default_rng(1).normal(size=N)
    number = 0.1 * X["age"].to_numpy() + CODES + X["x0"].to_numpy() + noise
    basis = orthonormal(adjusters.design)
    left = X[FEATURES].to_numpy() - basis @ (basis.T @ X[FEATURES].to_numpy())
    y = number - basis @ (basis.T @ number)
    found = scored("mrmr_correlation", BOTH, X, number, "regression")
    expected = scored("mrmr_correlation", None, pd.DataFrame(left), y, "regression")
    np.testing.assert_allclose(found, expected, atol=1e-12)


# --- shuffles --------------------------------------------------------------------------------
def test_rows_exchange_targets_within_strata() -> None:
    """The shuffles do not depend on the order of the rows."""
    nulls, run = nulls_of(["batch"], BATCHED)
    shuffling = nulls.shuffling
    assert shuffling.unit == "rows within strata"
    drawn = np.stack([shuffling.rows(0, k) for k in range(40)])
    assert (CODES[drawn] == CODES).all()
    assert (np.sort(drawn, axis=1) == np.arange(N)).all()
    assert (drawn != drawn[0]).any(axis=0).all()
    taken = run.target.take(drawn[3])
    np.testing.assert_array_equal(taken.adjusters.strata, run.target.adjusters.strata)
    order = np.random.default_rng(1).permutation(N)
    other, _ = nulls_of(["batch"], BATCHED.iloc[order].reset_index(drop=True), Y[order])
    rows = other.shuffling.rows(4, 7)
    np.testing.assert_array_equal(Y[order][rows], Y[shuffling.rows(4, 7)][order])


@pytest.mark.parametrize(
    ("filter", "role"), [("chi_squared", "adjust"), ("mrmr", "always"), ("mrmr", "groups")]
)
def test_rows_that_differ_beside_the_features_alone_have_an_order_of_their_own(
    filter: str, role: str
) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (60, 3))).add_prefix("x")  # eight kinds of rows
    y = (frame["x0"] + rng.normal(size=60) > 0.5).to_numpy()
    site = rng.choice(["u", "v", "w"], 60)
    rows = rng.permutation(60)
    found = []
    for order in (np.arange(60), rows):
        X = frame.iloc[order].reset_index(drop=True)
        how: dict[str, Any] = {"resampling": GroupedBootstrap(site[order])}
        if role != "groups":
            X, how = X.assign(site=site[order]), {"task": Task(**{role: ["site"]})}
        result = wam(X, y[order], filter=filter, n_resamples=20, random_state=0, **how)
        assert result.permutation is not None
        found.append((result.scores, result.permutation.p_values))
    np.testing.assert_allclose(*found, rtol=1e-12)


def test_evaluations_divide_rows_by_what_is_adjusted_for_too() -> None:
    rng = np.random.default_rng(1)
    features = as_table(pd.DataFrame(rng.integers(0, 2, (40, 2))).add_prefix("x"))
    y, site = rng.integers(0, 2, 40), rng.integers(0, 3, 40).astype(float)
    rows = rng.permutation(40)
    seen = []
    for order in (np.arange(40), rows):
        frame = pd.DataFrame(features.values[order]).assign(site=site[order].astype(str))
        table, target = read_target(Task(adjust=["site"]), as_table(frame), y[order])
        (part,) = draw_parts(table, target, Protocol("leaky", n_folds=4, n_repeats=1), 0)
        seen.append([sorted(site[order][fold.test].tolist()) for fold in part.folds])
    assert seen[0] == seen[1]


def test_groups_exchange_targets_with_groups_of_the_same_strata() -> None:
    subject = np.repeat(np.arange(N // 3), 3)
    y = Y[::3][subject]
    site = np.where(subject < 12, "n", "s")
    visit = np.where(np.arange(N) % 3 == 0, "first", "later")
    frame = X[FEATURES].assign(site=site, visit=visit)
    shuffling = nulls_of(["site", "visit"], frame, y, GroupedBootstrap(subject))[0].shuffling
    assert shuffling.unit == "groups within strata"
    for k in range(20):
        rows = shuffling.rows(1, k)
        assert (site[rows] == site).all()
        assert all(len(set(y[rows][subject == s])) == 1 for s in range(N // 3))
    within = (np.arange(N) % 3 > 0).astype(int)  # before and after, in each subject
    frame = frame.drop(columns="visit")
    shuffling = nulls_of(["site"], frame, within, GroupedBootstrap(subject))[0].shuffling
    assert shuffling.unit == "rows within groups and strata"
    assert (subject[shuffling.rows(0, 1)] == subject).all()


@pytest.mark.parametrize("design", ["pairs", "subjects in sites", "visits of subjects"])
def test_every_reference_uses_the_shuffles_of_the_design(
    design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proposal, p-values and max-T from the whole table, and halves without signal."""
    subject = np.arange(N) // (2 if design == "pairs" else 3)
    site = np.where(subject < 18, "n", "s")
    y = Y[::3][subject] if design == "subjects in sites" else np.arange(N) % 2
    frame = X[FEATURES].assign(site=site, pair=[f"p{s}" for s in subject])
    frame["x0"] += 1.5 * y
    adjust = "pair" if design == "pairs" else "site"
    plan = Bootstrap() if design == "pairs" else GroupedBootstrap(subject)
    drawn: list[np.ndarray] = []
    rows_of = Shuffling.rows
    monkeypatch.setattr(Shuffling, "rows", lambda *call: drawn.append(rows_of(*call)) or drawn[-1])
    how = {"task": Task(adjust=adjust), "resampling": plan, "n_resamples": 20, "random_state": 0}
    result = wam(frame[[*FEATURES, adjust]], y, filter="anova_f", **how)
    test = result.permutation
    units = {"pairs": "rows within strata", "subjects in sites": "groups within strata"}
    assert test.unit == units.get(design, "rows within groups and strata")
    assert len(drawn) > test.n_permutations  # those of halves, too
    for rows in drawn:
        assert (site[rows] == site).all()
        if design == "subjects in sites":
            assert all(len(set(y[rows][subject == s])) == 1 for s in range(N // 3))
        else:
            assert (subject[rows] == subject).all()
    assert list(result.selection().names) == ["x0"]
    assert test.family_wise_p_values[0] <= 0.05


def test_why_targets_cannot_be_shuffled() -> None:
    subject = np.repeat(np.arange(N // 3), 3)
    y, plan = Y[::3][subject], GroupedBootstrap(subject)
    assert "'age'" not in nulls_of(["age"])[0].reason
    varies = nulls_of(["age"], X.drop(columns="batch"), y, plan)[0]
    assert "varies within groups" in varies.reason
    constant = X[FEATURES].assign(age=np.repeat(X["age"].to_numpy()[::3], 3))
    assert nulls_of(["age"], constant, y, plan)[0].reason == ""
    classes = nulls_of(["same"], X[FEATURES].assign(same=np.where(Y == 1, "u", "v")))[0]
    assert classes.reason == "rows can hardly be shuffled within their strata"


def test_above_noise_is_above_what_the_batch_says() -> None:
    before, after = shuffled(X[FEATURES]), shuffled(BATCHED, adjust=["batch"])
    assert {"x0", "x1", "x2", "x3"} <= set(before.select())
    assert after.select() == ["x0"]
    assert (after.unit, after.strata, after.cleared) == ("rows within strata", ("batch",), ())
    assert "rows within strata (batch) are exchangeable" in after.supposed
    assert "beyond what batch tells of the target" in after.supposed
    counted = shuffled(BATCHED, adjust=["batch"], filter="chi_squared")
    assert counted.judges == ("chi_squared", "kruskal_wallis")
    assert counted.select() == ["x0"]


def test_adjusting_numbers_go_with_the_target() -> None:
    both = shuffled(X, adjust=BOTH)
    assert both.select() == ["x0"]
    assert (both.strata, both.cleared) == (("batch",), ("age",))
    assert "cleared of age by a linear model of each feature," in both.supposed
    nulls, run = nulls_of(BOTH)
    design, cleared = run.target.adjusters.design, nulls.residualised.table.values
    np.testing.assert_allclose(design.T @ cleared, 0.0, atol=1e-9 * N)
    weights, labels = np.ones((1, N), np.uint16), run.target.codes[np.newaxis]
    own = nulls.residualised.filters[0].scores(weights, labels)["anova_f"]
    np.testing.assert_allclose(own, run.filters[0].scores(weights, labels)["anova_f"], rtol=1e-9)


def test_a_paired_design_is_a_paired_test() -> None:
    """Beside the pairs, F is the square of the paired t."""
    rng = np.random.default_rng(2)
    pair, y = np.arange(60) // 2, np.arange(60) % 2
    values = rng.normal(size=(60, 3)) + 5 * rng.normal(size=30)[pair][:, np.newaxis]
    values[:, 0] += 0.8 * y
    frame = pd.DataFrame(values).add_prefix("x").assign(pair=[f"p{k}" for k in pair])
    found = scored("anova_f", ["pair"], frame, y)
    expected = stats.ttest_rel(values[y == 1], values[y == 0]).statistic ** 2
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert shuffled(frame, y, ["pair"]).select() == ["x0"]


# --- everywhere ------------------------------------------------------------------------------
def test_a_run_is_kept_repeated_and_the_same_with_any_number_of_workers(tmp_path: Any) -> None:
    options = {"filters": ["anova_f", "spearman"], "task": Task(adjust=BOTH), "random_state": 1}
    one, two = (pyfsagg.bam(X, Y, n_jobs=jobs, n_resamples=20, **options) for jobs in (1, 2))
    np.testing.assert_array_equal(one.scores, two.scores)
    one.save(tmp_path / "kept")
    kept = pyfsagg.load_result(tmp_path / "kept")
    assert (kept.permutation.strata, kept.permutation.cleared) == (("batch",), ("age",))
    assert kept.methods_text() == one.methods_text()
    assert one.parameters["adjust"] == BOTH
    assert "Adjustment" in one.report(tmp_path / "page.html").read_text()


def test_a_bootstrap_may_miss_a_stratum() -> None:
    small = X.iloc[:50][[*FEATURES, "batch"]]  # five rows of the second batch
    for filter in ("auc", "anova_f", "kruskal_wallis", "mrmr"):
        how = {"resampling": "bootstrap", "n_resamples": 60, "random_state": 0}
        result = whole(filter, ["batch"], small, Y[:50], **how)
        assert np.isfinite(result.score_matrices[filter]).all()


def test_evaluate_influence_and_groups_of_columns_rank_beside_the_adjusters() -> None:
    how = {"task": Task(adjust=["batch"]), "n_resamples": 5, "random_state": 0}
    found = pyfsagg.evaluate(
        BATCHED, Y, methods={"f": {"filter": "anova_f"}}, classifiers="naive_bayes", thresholds=[1],
        protocol=pyfsagg.evaluation.Protocol("nested", n_folds=3), **how,
    )  # fmt: skip
    assert found.data["n_features"] == 6
    rules = ["am", "mean_rank"]
    by_fold = pyfsagg.influence(BATCHED, Y, filter="anova_f", aggregators=rules, n_folds=3, **how)
    assert by_fold.feature_names == tuple(FEATURES)
    best = [scores.argmax(axis=1) for scores in by_fold.scores.values()]
    assert (np.concatenate(best) == 0).mean() > 0.5
    how["task"] = Task(adjust=["batch"], feature_groups={"many": ["x1", "x2", "x3"]})
    result = wam(BATCHED, Y, filter="anova_f", **how)
    assert result.feature_names == ("x0", "many", "x4", "x5")
    assert result.select(1) == ["x0"]


@pytest.mark.parametrize("efron", [False, True])
def test_the_partial_likelihood_by_its_definition(efron: bool) -> None:
    time = np.array([3.0, 1.0, 3.0, 2.0, 5.0, 3.0, 2.0, 4.0])
    event = np.array([True, True, True, True, False, False, True, True])
    linear = np.random.default_rng(0).normal(size=8)
    expected = linear[event].sum()
    for moment in np.unique(time[event]):
        at_risk = np.exp(linear[time >= moment]).sum()
        dying = np.exp(linear[(time == moment) & event])
        for k in range(dying.size):
            expected -= np.log(at_risk - (k / dying.size * dying.sum() if efron else 0.0))
    survival: Any = SimpleNamespace(time=time, event=event)
    sets = RiskSets.of(survival, np.arange(8), np.ones(8), efron)
    model = RiskModel.of(sets, linear[sets.rows])
    assert model.log_likelihood(linear[sets.rows]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_adjusters_say_in_full_leaves_zeros(sign: float) -> None:
    rng = np.random.default_rng(1)
    design = np.column_stack([np.ones(9), rng.normal(3.0, 1.0, (9, 2))])
    rows = Residuals.of(rng.normal(size=(9, 2)), design, np.ones(9))
    told, own = sign * design @ [1.0, 2.0, 3.0], rng.normal(size=9)
    found = rows.residuals(np.column_stack([told, own]))
    assert found[:, 0].tolist() == [0.0] * 9
    left = own - design @ np.linalg.lstsq(design, own, rcond=None)[0]
    np.testing.assert_allclose(found[:, 1], left, atol=1e-12)
    basis = orthonormal(np.column_stack([design, design.sum(axis=1), np.zeros(9)]))
    assert basis.shape == (9, 3)  # without what others add up to
    np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-12)
    assert orthonormal(np.zeros((5, 2))).shape == (5, 0)
