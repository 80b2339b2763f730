"""Protocols: folds, leakage, the cache, failures, rankings that are given, and bad input."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import pyfsagg
from pyfsagg import Task, bam, evaluate, exceptions, load_dataset, wam
from pyfsagg.evaluation import cells
from pyfsagg.evaluation.cells import draw_parts, take_rows
from pyfsagg.evaluation.protocol import Protocol
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, PyfsaggWarning
from pyfsagg.extending import as_table, check_target

WINE = load_dataset("wine")
IONO = load_dataset("ionosphere")
QUICK = {"classifiers": ["naive_bayes"], "thresholds": [0.25, 0.5], "baselines": []}
QUICK |= {"n_resamples": 10, "random_state": 1}


def evaluated(rankings=None, X=WINE.X, y=WINE.y, **options):
    return evaluate(X, y, rankings, **{**QUICK, **options})


def parts_of(X, y, protocols, seed=4, **options):
    table = as_table(X)
    target = check_target(y, table.n_samples)
    return table, target, draw_parts(table, target, Protocol(protocols, **options), seed)


# -- rows -----------------------------------------------------------------------------------------
def test_thesis_rows_rank_or_test_and_follow_the_rows() -> None:
    _, target, (part,) = parts_of(IONO.X, IONO.y, ["thesis"])
    tested = np.concatenate([fold.test for fold in part.folds])
    assert sorted([*part.rank_rows, *tested]) == list(range(351))
    share = np.bincount(target.codes[tested]) / np.bincount(target.codes)
    assert np.abs(share - 1 / 3).max() < 0.01
    for fold in part.folds:
        assert not set(fold.train) & set(fold.test)
        assert set(fold.train) | set(fold.test) == set(tested)
    order = np.random.default_rng(0).permutation(178)

    _, _, (straight,) = parts_of(WINE.X, WINE.y, ["thesis"])
    _, _, (other,) = parts_of(WINE.X.iloc[order], WINE.y.iloc[order], ["thesis"])
    for one, two in zip(straight.folds, other.folds, strict=True):
        assert one.test.tolist() == order[two.test].tolist()


@pytest.mark.parametrize(
    ("sizes", "share", "tested"), [([50, 3, 10], 0.95, [48, 2, 9]), ([50, 5, 10], 0.4, [20, 2, 4])]
)
def test_every_class_is_ranked_however_small_it_is(sizes: Any, share: float, tested: Any) -> None:
    y = np.repeat([0, 1, 2], sizes)
    X = np.random.default_rng(0).normal(size=(len(y), 4))
    _, target, (part,) = parts_of(X, y, ["thesis"], test_size=share, n_folds=2)
    assert np.bincount(target.codes[part.rank_rows]).tolist() == np.subtract(sizes, tested).tolist()


def test_rows_of_the_nested_and_the_leaky_protocol() -> None:
    _, target, parts = parts_of(IONO.X, IONO.y, ["nested"])
    assert len(parts) == 5
    assert sorted(np.concatenate([part.folds[0].test for part in parts])) == list(range(351))
    for part in parts:
        assert set(part.rank_rows) == set(part.folds[0].train)
    sizes = [np.bincount(target.codes[part.folds[0].test], minlength=2) for part in parts]
    assert np.ptp(sizes, axis=0).max() <= 1
    assert np.ptp(np.sum(sizes, axis=1)) <= 1
    _, _, parts = parts_of(IONO.X, IONO.y, ["nested", "leaky"])
    for part, fold in zip(parts[:5], parts[5].folds, strict=True):
        assert np.array_equal(part.folds[0].test, fold.test)
    assert len(parts[5].rank_rows) == 351
    _, _, parts = parts_of(IONO.X, IONO.y, ["thesis"], n_repeats=2)
    assert set(parts[0].rank_rows) != set(parts[1].rank_rows)  # repeats divide the rows anew


def test_result_does_not_depend_on_the_order_of_the_rows_or_the_workers() -> None:
    order = np.random.default_rng(1).permutation(178)
    options = {"thresholds": [3], "methods": ["su"], "metrics": ["accuracy", "log_loss"]}
    options["classifiers"] = ["random_forest", "logistic_regression"]
    one = evaluated(n_jobs=1, **options).cells
    pd.testing.assert_frame_equal(one, evaluated(n_jobs=2, **options).cells, check_exact=True)
    other = evaluated(X=WINE.X.iloc[order], y=WINE.y.iloc[order], **options).cells
    pd.testing.assert_frame_equal(one, other)


# -- cells ----------------------------------------------------------------------------------------
def test_a_cell_is_what_one_would_compute_by_hand() -> None:
    found = evaluated(methods=["su", "bam"], protocol="nested")
    cells = found.cells[found.cells["threshold"] == 0.5].set_index(["method", "fold"])["value"]
    table, target, parts = parts_of(WINE.X, WINE.y, ["nested"], seed=1)
    for part in parts:
        fold = part.folds[0]
        own, labels = take_rows(table, target, part.rank_rows)
        options = {"n_resamples": 10, "random_state": part.seed(1)}
        for name, ranking in (
            ("symmetric_uncertainty", wam(own, labels, filter="su", **options)),
            ("bam", bam(own, labels, **options)),
        ):
            values = table.values[:, [table.feature_names.index(f) for f in ranking.select(0.5)]]
            model = GaussianNB().fit(values[fold.train], target.codes[fold.train])
            expected = model.score(values[fold.test], target.codes[fold.test])
            assert cells[name, fold.number] == pytest.approx(expected, abs=1e-12)


def test_each_different_set_of_features_is_fitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    original = cells.fit_one

    def counting(work, fit):
        calls.append((fit.features, fit.pool, fit.fold))
        return original(work, fit)

    monkeypatch.setattr(cells, "fit_one", counting)
    found = evaluated(
        methods={"one": "ig", "again": "ig", "other": "chi_squared"},
        protocol=["nested", "leaky"],
        baselines=["all_features", "random_subsets"],
        thresholds=[3, 13],
    )
    assert len(calls) == len(set(calls)) == found.parameters["n_fits"]
    assert len(calls) < len(found.cells) / 2
    cell = ["protocol", "threshold", "fold"]
    wide = found.cells.query("kind == 'method'").pivot_table("value", cell, "method")
    assert (wide["one"] == wide["again"]).all()
    # All features are the same set, whoever asks.
    whole = found.cells.query("n_features == 13").groupby("fold")["value"].nunique()
    assert (whole == 1).all()
    # And the values are those of a run on its own.
    together = evaluated(methods=["ig", "su", "mrmr"])
    own = together.cells.query("method == 'symmetric_uncertainty'").reset_index(drop=True)
    pd.testing.assert_frame_equal(own, evaluated(methods=["su"]).cells)


def test_baselines_their_labels_and_the_progress() -> None:
    told = []
    found = evaluated(
        methods=["su/mean_rank"],
        baselines=["all_features", "random_subsets", "single_filters"],
        protocol=pyfsagg.evaluation.Protocol("both", n_random=3),
        execution=pyfsagg.Execution(progress=lambda *step: told.append(step)),
    )
    done, totals = zip(*told, strict=True)
    assert list(done) == sorted(done)
    assert set(totals) == {done[-1]}
    assert found.methods == ["symmetric_uncertainty/mean_rank"]
    single = "symmetric_uncertainty (single)"
    assert found._baselines == [single, "all features", "random subsets"]
    counts = found.cells.groupby("method").size()
    assert counts["all features"] == 2 * 5
    assert counts["random subsets"] == 2 * 2 * 5 * 3


def test_methods_and_columns_of_every_kind() -> None:
    ensemble = {"filters": ["ig", "su"], "aggregator": "median", "normalize": "per_feature"}
    found = evaluated(
        methods={
            "function": lambda X, y: X.std(axis=0),
            "pair": lambda X, y: (X.max(axis=0), None),
            "estimator": DecisionTreeClassifier(max_depth=3),
            "options": ensemble,
            "one": {"filter": "chi_squared", "filter_params": {"bins": 5}},
            "other bins": {"filter": "chi_squared", "filter_params": {"bins": 20}},
        }
    )
    assert found._n_failed == 0
    assert found.cells["value"].notna().all()
    assert found.parameters["methods"]["one"]["filter_params"] == {"chi_squared": {"bins": 5}}
    X = WINE.X.iloc[:, :4].copy()
    X.iloc[::7, 1] = np.nan
    noise = np.random.default_rng(3).random(178)
    X["word"] = np.where(noise < 0.3, "no", np.where(WINE.y == "class_0", "x", "y"))
    X.loc[::11, "word"] = None
    found = evaluated(X=X, methods=["ig", "su"], classifiers=["svm", "nb", "lr"])
    assert found.cells["value"].min() > 0.3


# -- leakage --------------------------------------------------------------------------------------


def test_noise_is_chance_when_selection_is_nested_and_is_not_when_it_leaks() -> None:
    X, y = np.random.default_rng(11).normal(size=(60, 400)), np.repeat([0, 1], 30)
    difference = lambda X, y: np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))  # noqa: E731
    protocol = ["thesis", "nested", "leaky"]
    found = evaluated(
        X=X, y=y, methods={"d": difference}, protocol=protocol, thresholds=[10], random_state=0
    )
    # Number of rows classified correctly: the folds of a protocol test each row once.
    right = found.cells.assign(n=lambda f: f["value"] * np.where(f["protocol"] == "thesis", 4, 12))
    right = right.groupby("protocol")["n"].sum()
    limits = {n: stats.binom.interval(0.9999, n, 0.5) for n in (20, 60)}
    assert limits[60][0] <= right["nested"] <= limits[60][1]
    assert limits[20][0] <= right["thesis"] <= limits[20][1]
    assert right["leaky"] > limits[60][1]
    bias = found.optimism()["leaky_minus_nested"].item()
    assert bias == pytest.approx((right["leaky"] - right["nested"]) / 60)


def test_methods_never_see_the_test_rows() -> None:
    seen: list[np.ndarray] = []

    def spy(X, y):
        seen.append(np.sort(X[:, 0]).copy())
        return X.std(axis=0)

    X = np.column_stack([np.arange(60.0), np.random.default_rng(0).normal(size=(60, 3))])
    y = np.tile([0, 1], 30)
    evaluated(X=X, y=y, methods={"spy": spy}, protocol="both", thresholds=[2])
    _, _, parts = parts_of(X, y, ["thesis", "nested"], seed=1)
    for rows, part in zip(seen, parts, strict=True):
        assert rows.tolist() == sorted(part.rank_rows.astype(float))
        assert not any(set(rows) & set(fold.test.astype(float)) for fold in part.folds)


# -- rankings that are given ----------------------------------------------------------------------
def test_a_ranking_of_the_whole_table_is_refused_or_repeated_in_the_folds() -> None:
    given = {"su": wam(WINE.X, WINE.y, filter="su", n_resamples=10, random_state=0)}
    for protocol in ("thesis", "both"):
        with pytest.raises(ParameterError, match=r"on the whole table.*protocol='nested'"):
            evaluated(given, protocol=protocol)
    nested = evaluated(given, protocol="nested")  # without a warning, which would be an error
    leaky = evaluated(given, methods=["cs"], protocol="leaky")
    own = evaluated(methods=["su"], protocol="nested")
    assert set(nested.cells["kind"]) == {"ranking"}
    assert nested.cells["value"].tolist() == own.cells["value"].tolist()
    assert leaky.parameters["rankings"]["su"]["leakage"] == "certain"
    assert leaky.compare().what.endswith("leaky protocol; the rankings have seen the test rows")


def test_rankings_with_and_without_known_rows() -> None:
    with pytest.warns(PyfsaggWarning, match="leakage cannot be excluded"):
        found = evaluated({"names": list(WINE.X.columns), "ranks": np.arange(1, 14)})
    wide = found.cells.pivot_table(index=["threshold", "fold"], columns="method", values="value")
    assert (wide["names"] == wide["ranks"]).all()
    assert found.compare().what.endswith("; names, ranks may have seen the test rows")
    rows = np.arange(0, 178, 2)
    result = wam(WINE.X.iloc[rows], WINE.y.iloc[rows], n_resamples=5, random_state=0)
    rankings = {"ig": result, "names": result.select(13)}
    found = evaluated(rankings, protocol=pyfsagg.evaluation.Protocol(ranking_rows=rows))
    assert found.parameters["rankings"]["ig"]["leakage"] == "excluded"
    assert found.parameters["rankings"]["names"]["leakage"] == "declared"
    mask = np.isin(np.arange(178), rows)
    again = evaluated({"ig": result}, protocol=pyfsagg.evaluation.Protocol(ranking_rows=mask))
    own = found.cells.query("method == 'ig'").reset_index(drop=True)
    pd.testing.assert_frame_equal(own, again.cells)


def test_features_that_a_run_dropped_come_last() -> None:
    X = WINE.X.assign(constant=1.0)[["constant", *WINE.X.columns]]
    result = wam(X, WINE.y, n_resamples=5, task=Task(drop_near_zero_variance=True), random_state=0)
    assert result.data["dropped_features"] == ["constant"]
    found, without = (
        evaluated(ranking, X=X, thresholds=[13], protocol="leaky")
        for ranking in (result, {"wam": [*result.select(13), "constant"]})
    )
    assert found.cells["value"].tolist() == without.cells["value"].tolist()


def test_rankings_and_protocols_that_do_not_fit_the_table_are_refused() -> None:
    for ranking, error, message in (
        (["alcohol"], DataError, "omits 12 of 13 features"),
        ([*WINE.X.columns, "alcohol"], DataError, "names the feature 'alcohol' twice"),
        ([*WINE.X.columns, "colour"], DataError, "'colour', which the table does not have"),
        ([1, 2, 3], DataError, "one rank for each of the 13 features"),
        ([np.nan] * 13, DataError, "missing or infinite ranks"),
        ("alcohol", InputTypeError, "must be an EnsembleResult"),
        ([1, "a"], DataError, "neither names nor numbers"),
    ):
        with pytest.raises(error, match=message):
            evaluated({"mine": ranking})
    for options, error, message in (
        ({"protocol": []}, ParameterError, "protocol must be one of"),
        ({"metrics": []}, ParameterError, "at least one"),
        ({"n_folds": 1}, ParameterError, "n_folds must be a whole number of at least 2"),
        ({"n_repeats": 0}, ParameterError, "n_repeats"),
        ({"test_size": 1.0}, ParameterError, "test_size"),
        ({"methods": ["su", "symmetric_uncertainty"]}, ParameterError, "given twice"),
        ({"methods": ["gainn"]}, exceptions.UnknownNameError, "unknown filter 'gainn'"),
        ({"methods": ["su/meen"]}, exceptions.UnknownNameError, "unknown aggregator 'meen'"),
        ({"methods": {"a": {"filter": "su", "n_resamples": 3}}}, ParameterError, "same for all"),
        ({"methods": {"a": {"aggregator": "am"}}}, ParameterError, "either filter"),
        ({"methods": {"a": {"filters": ["su"]}}}, ParameterError, "at least two filters"),
        ({"methods": {"a": {"filters": ["su", "su"]}}}, ParameterError, "names a filter twice"),
        ({"methods": {"a": 3}}, InputTypeError, "the method 'a' must be the name of a filter"),
        ({"methods": {"all features": "su"}}, ParameterError, "duplicate label 'all features'"),
        ({"ranking_rows": [0, 1]}, ParameterError, "belongs to rankings"),
    ):
        given = {"methods": ["ig"], **options}
        own = {
            name: given.pop(name) for name in pyfsagg.evaluation.Protocol.names() if name in given
        }
        with pytest.raises(error, match=message):
            evaluated(**given, protocol=pyfsagg.evaluation.Protocol(**own))
    for rows, message in (
        ([0, 0], "different positions"),
        ([178], "different positions"),
        ([0.5], "boolean mask"),
        (np.ones(178, dtype=bool), "178 of 178 rows"),
    ):
        with pytest.raises(ParameterError, match=message):
            evaluated(
                {"a": [*WINE.X.columns]}, protocol=pyfsagg.evaluation.Protocol(ranking_rows=rows)
            )
    own = wam(WINE.X, WINE.y, filter=lambda X, y, w: X.std(axis=0), n_resamples=3, random_state=0)
    for rankings, error, message in (
        ({"mine": [*WINE.X]}, ParameterError, "'mine' cannot be repeated inside the folds"),
        ({"own": own}, ParameterError, r"cannot be repeated inside folds.*<lambda>"),
        ([*WINE.X], InputTypeError, "mapping of label to ranking"),
    ):
        with pytest.raises(error, match=message):
            evaluated(rankings, protocol="nested")


# -- failures -------------------------------------------------------------------------------------
class FailsOnSome(ClassifierMixin, BaseEstimator):
    """Refuses tables with three columns; otherwise the most frequent class."""

    def fit(self, X, y):
        if X.shape[1] == 3:
            raise ValueError("three columns are too many\nfor me")
        warnings.warn("not so sure", UserWarning, stacklevel=1)
        self.classes_, counts = np.unique(y, return_counts=True)
        self.best_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.best_)


def test_what_fails_is_named_and_the_rest_goes_on() -> None:
    options = {"thresholds": [2, 3], "classifiers": {"weak": FailsOnSome(), "nb": "nb"}}
    with pytest.warns(PyfsaggWarning, match="10 of 40 cells failed.*weak in 10"):
        found = evaluated(methods=["ig", "su"], **options)
    failed = found.cells[found.cells["status"] == "failed"]
    assert set(failed["classifier"]) == {"weak"}
    assert set(failed["n_features"]) == {3}
    assert set(failed["message"]) == {"ValueError: three columns are too many"}
    assert failed["value"].isna().all()
    warned = found.cells[found.cells["status"] == "warned"]
    assert set(warned["message"]) == {"not so sure"}
    summary = found.summary().set_index(["method", "classifier", "n_features"])
    assert summary.loc[("information_gain", "weak", 3), ["n", "n_failed"]].tolist() == [0, 5]
    wacc = found.weighted_average_accuracy().set_index(["method", "classifier"])
    assert wacc.loc[("information_gain", "weak"), ["n", "n_missing"]].tolist() == [0, 5]
    assert wacc.loc[("information_gain", "nb"), ["n", "n_missing"]].tolist() == [5, 0]
    with pytest.raises(DataError, match="5 of 5 folds are omitted"):
        found.compare()
    assert (found.compare(classifier="nb").replicates == 5).all()
    options = {"classifiers": ["svm"], "metrics": ["accuracy", "log_loss"]}
    with pytest.warns(PyfsaggWarning, match="no probabilities"):
        found = evaluated(methods=["ig"], **options)
    states = set(zip(found.cells["metric"], found.cells["status"], strict=True))
    assert states == {("accuracy", "ok"), ("log_loss", "failed")}
    with pytest.raises(DataError, match=r"the method 'mine' failed on 1.* rows: ZeroDivisionError"):
        evaluated(methods={"mine": lambda X, y: 1 / 0})


# -- bad input ------------------------------------------------------------------------------------
def test_a_class_smaller_than_the_folds_is_named() -> None:
    y = np.array(["a"] * 90 + ["b"] * 80 + ["rare"] * 8)
    with pytest.raises(DataError, match=r"class 'rare' has 3 row\(s\) in the part.*5 folds"):
        evaluated(y=y, methods=["ig"])
    with pytest.raises(DataError, match=r"class 'rare' has 8 row\(s\) in the table.*9 folds"):
        evaluated(y=y, methods=["ig"], protocol=pyfsagg.evaluation.Protocol("nested", n_folds=9))
    y[-7:] = "b"
    with pytest.raises(DataError, match=r"class 'rare' has 0 row\(s\) in the part"):
        evaluated(y=y, methods=["ig"])
