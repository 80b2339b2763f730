"""Scores against noise: what they are, when they are taken, and what they put right."""

from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg.ensemble.null import NoiseScale, kinds_of_features, score_shuffled
from pyfsagg.ensemble.run import set_up_run
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.error_control.permutation import evidence_against
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.resampling import Bootstrap, FeatureSubspace, GroupedBootstrap, Rows

PLAIN: dict[str, Any] = {"n_resamples": 40, "random_state": 3, "checks": "none"}


def unlike(n: int = 240, real: float = 0.4, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two binary columns that are related to two classes; two of 40 levels, two numbers that are not."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = pd.DataFrame({f"real{j}": rng.random(n) < 0.5 + real * (y - 0.5) for j in range(2)})
    X = X.astype(str)
    for j in range(2):
        X[f"levels{j}"] = rng.integers(0, 40, n).astype(str)
        X[f"number{j}"] = rng.standard_normal(n)
    return X, y


X, Y = unlike()


def by_definition(null: np.ndarray, score: float) -> float:
    """Minus the logarithm of the p-value of one score: counted below the tail, exponential above."""
    pool = np.sort(null.ravel())
    n_tail = min(max(20, min(250, len(pool) // 50)), len(pool) // 2)
    start = pool[len(pool) - n_tail - 1]
    tiny = 1e-9 * max(np.abs(pool).max(), abs(score))
    reached = (pool >= score - tiny).sum()
    if score <= start + tiny:
        return float(-np.log((1 + reached) / (1 + len(pool))))
    excess = pool[pool > start + tiny] - start
    tail = (len(excess) + 1) / (len(pool) + 1)
    tail *= (1 + (score - start) / excess.sum()) ** -len(excess)
    return float(-np.log(max(tail, reached / (len(pool) + 1))))


@pytest.mark.parametrize("filter", ["chi_squared", "mrmr"])
@pytest.mark.parametrize("plan", ["bootstrap", "complementary_pairs"])
def test_a_score_becomes_its_evidence_among_shuffled_columns_of_its_kind(filter, plan) -> None:
    raw = pyfsagg.wam(X, Y, filter=filter, normalize="none", resampling=plan, **PLAIN)
    read = pyfsagg.wam(X, Y, filter=filter, resampling=plan, **PLAIN)
    run = set_up_run(X, Y, Ensemble([filter], resampling=plan, n_resamples=40), random_state=3)
    scale = NoiseScale.of(run, 40)
    assert scale.n_shuffles == 20
    together = 2 if plan == "complementary_pairs" else 1
    assert scale.n_scored("resamples") == 20 * together
    null = score_shuffled(scale.nulls, 20, "resamples", progress=lambda *_: None)[filter]
    assert null.shape == (40 if plan == "complementary_pairs" else 20, 6)
    kinds = kinds_of_features(run, bins=10)
    assert len(set(kinds[[0, 1]])) == len(set(kinds[[3, 5]])) == 1
    for r in (0, 7, 39):
        for j in range(6):
            pool = null[:, kinds == kinds[j]]
            expected = by_definition(pool, raw.score_matrices[filter][r, j])
            assert read.score_matrices[filter][r, j] == pytest.approx(expected, rel=1e-12)
    np.testing.assert_array_equal(read.scores, read.score_matrices[filter].mean(axis=0))


@pytest.mark.parametrize("filter", ["chi_squared", "information_gain"])
def test_real_columns_of_two_levels_come_before_noise_of_forty(filter: str) -> None:
    assert set(pyfsagg.wam(X, Y, filter=filter, **PLAIN).select(2)) == {"real0", "real1"}
    published = pyfsagg.wam(X, Y, filter=filter, normalize="none", **PLAIN)
    assert set(published.select(2)) == {"levels0", "levels1"}


def test_several_filters_are_compared_with_noise_and_then_scaled() -> None:
    result = pyfsagg.bam(X, Y, **PLAIN)
    assert result.parameters["normalize"] == "against_noise"
    assert set(result.select(2)) == {"real0", "real1"}
    scaled = [
        (m - m.min(axis=1, keepdims=True)) / np.ptp(m, axis=1)[:, np.newaxis]
        for m in result.score_matrices.values()
    ]
    np.testing.assert_allclose(result.combined, np.mean(scaled, axis=0), rtol=1e-12)


LEVELS, NUMBERS = ["levels0", "levels1"], ["number0", "number1"]


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        (LEVELS + NUMBERS, {}, "against_noise"),
        (["real0", "levels0"], {}, "against_noise"),
        (NUMBERS, {}, "per_resample"),
        (["real0", "real1"], {}, "per_resample"),
        (LEVELS, {}, "per_resample"),
        (["flag", *NUMBERS], {}, "against_noise"),
        (["flag", *NUMBERS], {"filters": ["anova_f", "auc"]}, "per_resample"),
        (["flag", *NUMBERS], {"filters": ["anova_f", "chi_squared"]}, "against_noise"),
        (LEVELS + NUMBERS, {"resampling": Rows(np.arange(240)[np.newaxis])}, "per_resample"),
        (LEVELS + NUMBERS, {"resampling": "k_fold"}, "per_resample"),
        (LEVELS + NUMBERS, {"resampling": FeatureSubspace(0.5)}, "per_resample"),
        (LEVELS + NUMBERS, {"normalize": "per_resample"}, "per_resample"),
        (NUMBERS, {"normalize": "against_noise"}, "against_noise"),
    ],
)
def test_when_scores_are_compared_with_noise(columns, options, expected) -> None:
    X, y = unlike()
    X["levels1"] = X["levels0"].to_numpy()[::-1]  # as many levels
    X["flag"] = X["real0"] == "True"
    result = pyfsagg.bam(X[columns], y, **{**PLAIN, "n_resamples": 20, **options})
    assert result.parameters["normalize"] == expected


def test_why_they_cannot_be() -> None:
    for options, reason in (
        ({"resampling": Rows(np.arange(240)[np.newaxis])}, "row_indices does not draw rows"),
        ({"resampling": FeatureSubspace(0.5)}, "feature_subspace does not draw rows"),
        ({"resampling": GroupedBootstrap(np.arange(240) % 4 % 2)}, "2 groups with one target"),
        ({"filter": "variance"}, "the filters do not use the target"),
    ):
        X, y = unlike()
        with pytest.raises(ParameterError, match=reason) as caught:
            pyfsagg.wam(X[NUMBERS], y, **{**PLAIN, "normalize": "against_noise", **options})
        assert "against_noise" in str(caught.value)
    for run, other in ((pyfsagg.wam, "per_resample"), (pyfsagg.bam, "none")):
        with pytest.raises(ParameterError, match="normalize must be one of 'auto'"):
            run(X, y, normalize=other, **PLAIN)


def test_numbers_among_themselves_keep_their_order_in_each_resample() -> None:
    raw = pyfsagg.wam(X, Y, filter="mim", normalize="none", **PLAIN).score_matrices["mim"]
    read = pyfsagg.wam(X, Y, filter="mim", **PLAIN).score_matrices["mim"]
    for columns in ([0, 1], [2, 4], [3, 5]):
        differences = np.diff(raw[:, columns]), np.diff(read[:, columns])
        assert (np.sign(differences[1]) * np.sign(differences[0]) >= 0).all()


def test_workers_files_and_checkpoints_change_no_bit_and_progress_ends(tmp_path: Any) -> None:
    X, y = unlike(120)
    options = {**PLAIN, "checks": pyfsagg.Checks(pairs=6, shuffles=19)}
    once = pyfsagg.bam(X, y, **options)
    (tmp_path / "scratch").mkdir()
    files = pyfsagg.Execution(checkpoint=tmp_path / "kept", scratch=tmp_path / "scratch")
    for how in ({"n_jobs": 2}, {"execution": files}, {"execution": files}):
        again = pyfsagg.bam(X, y, **how, **options)
        for name in ("combined", "scores", "checked.halves", "checked.noise_halves"):
            of = attrgetter(name)
            np.testing.assert_array_equal(of(again), of(once))
    X, y = unlike(120)
    seen: list[tuple[int, int]] = []
    told = pyfsagg.Execution(progress=lambda *now: seen.append(now))
    pyfsagg.wam(X, y, n_resamples=60, random_state=0, execution=told)
    assert seen[-1][0] == seen[-1][1]
    assert all(done <= total for done, total in seen)


def test_halves_of_noise_do_not_agree_because_columns_have_many_levels() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"b{j}": rng.integers(0, 2, 120) for j in range(20)})
    X = X.assign(**{f"l{j}": rng.integers(0, 12, 120) for j in range(6)}).astype("category")
    y = rng.integers(0, 2, 120)
    options = {"filter": "chi_squared", "n_resamples": 60, "random_state": 0}
    runs = (pyfsagg.wam(X, y, normalize=how, **options) for how in ("none", "auto"))
    published, read = (run.between_sample_stability(run.selection(6)) for run in runs)
    assert published.estimates.loc["nogueira", "estimate"] > 0.6
    assert abs(read.estimates.loc["nogueira", "estimate"]) < 0.3


def test_rank_sets_and_weights() -> None:
    X, y = unlike(600)
    how = {"filter": "chi_squared", "n_resamples": 100, "random_state": 0, "checks": "none"}
    found = pyfsagg.wam(X, y, **how).rank_confidence(0.95).to_frame()
    assert set(found.index[found["upper"] <= 2]) == {"real0", "real1"}
    ranks = pyfsagg.wam(X, y, aggregator="mean_rank", **how)
    with pytest.raises(DataError, match="vary less than between samples"):
        ranks.rank_confidence(0.95)
    X, y = unlike(160)
    weights = np.random.default_rng(0).integers(1, 4, 160)
    for plan in (Bootstrap(counts=np.full(160, 2)), Bootstrap(sample_weight=weights)):
        result = pyfsagg.wam(X, y, filter="chi_squared", resampling=plan, **PLAIN)
        assert result.parameters["normalize"] == "against_noise"
        assert set(result.select(2)) == {"real0", "real1"}


def test_evaluations_and_selectors_rank_as_the_run_does() -> None:
    X, y = unlike()
    options = {"n_features_to_select": [2], "n_resamples": 20, "baselines": (), "random_state": 0}
    options["protocol"] = pyfsagg.evaluation.Protocol("nested", n_folds=3)
    run = pyfsagg.wam(X, y, filter="chi_squared", n_resamples=20, random_state=0, checks="none")
    published = {"filter": "chi_squared", "normalize": "none"}
    methods = {"default": "chi_squared", "published": published, "saved": run}
    found = pyfsagg.evaluate(X, y, methods=methods, classifiers=["naive_bayes"], **options)
    table = found.summary().set_index("method")["mean"]
    assert table["default"] > table["published"]
    assert table["saved"] == pytest.approx(table["default"])
    X, y = unlike()
    kinds: dict[str, Any] = {"n_features_to_select": 2, "n_resamples": 20, "random_state": 0}
    X = X.astype({name: "category" for name in X if "number" not in name})
    chosen = pyfsagg.ensemble.WithinAggregationSelector("chi_squared", **kinds).fit(X, y)
    assert list(X.columns[chosen.get_support()]) == ["real0", "real1"]
    other = pyfsagg.ensemble.WithinAggregationSelector(
        "chi_squared", normalize="none", **kinds
    ).fit(X, y)
    assert list(X.columns[other.get_support()]) == LEVELS


def test_what_is_read_and_how_many_null_scores_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Filters without a target stay, and those after them are read."""
    run = set_up_run(X, Y, Ensemble(["variance", "chi_squared"], n_resamples=4), random_state=3)
    scale = NoiseScale.of(run, 40)
    null, raw = np.random.default_rng(0).random((20, 6)), np.random.default_rng(1).random((4, 6))
    scale.null_scores["resamples"] = {"variance": null, "chi_squared": null}
    monkeypatch.setattr("pyfsagg.ensemble.null.ENOUGH", 10)
    matrices = {"variance": raw.copy(), "chi_squared": raw.copy()}
    scale.read(matrices, "resamples", SimpleNamespace(release=lambda: None))
    np.testing.assert_array_equal(matrices["variance"], raw)
    for columns in scale._kinds["chi_squared"]:
        expected = evidence_against(null[: 10 // len(columns), columns], raw[:, columns])
        np.testing.assert_array_equal(matrices["chi_squared"][:, columns], expected)


def test_numbers_of_unlike_shape_have_the_same_places_in_noise() -> None:
    """Bins of equal width tell more of a uniform column than of a skewed one, whatever the target."""
    places = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        even, skewed = rng.random((120, 4)), np.exp(2.0 * rng.standard_normal((120, 26)))
        table = pd.DataFrame(np.hstack([even, skewed])).add_prefix("x")
        words = {f"b{j}": rng.integers(0, 2, 120).astype(str) for j in range(4)}
        options = {**PLAIN, "n_resamples": 20}
        result = pyfsagg.wam(
            table.assign(**words), np.arange(120) % 2, filter="chi_squared", **options
        )
        places.append(result.to_frame()["rank"][[f"x{j}" for j in range(4)]].mean())
    assert 12.0 < np.mean(places) < 23.0  # 17.5 without preference, 1.7 is its standard error
