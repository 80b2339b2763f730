"""A call that is recorded repeats its result, bit for bit, whatever was said in it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans

import pyfsagg
from pyfsagg import Execution, Task, bam, influence, resampling, wam
from pyfsagg._base.registry import Call
from pyfsagg.ensemble import Precision
from pyfsagg.exceptions import ParameterError
from pyfsagg.out_of_core import rank_out_of_core
from pyfsagg.rank_order import RankOrderSelector, eliminate, make_planted_orders
from pyfsagg.resampling import GroupedBootstrap, Plan, Rows, Subsample
from pyfsagg.resampling.plan import PLANS
from pyfsagg.unsupervised import clustering_curve, frcm, frmv, rank_unsupervised

WINE = pyfsagg.load_dataset("wine")
X, Y = WINE.X, WINE.y
N = len(Y)
GROUPS = np.arange(N) // 3
WEIGHT = np.random.default_rng(1).integers(1, 3, N)
ROWS = np.random.default_rng(2).integers(0, N, (6, N))
NUMBERS = X["alcohol"].to_numpy()
ORDERS = make_planted_orders(3, 12, n_extraneous=5, random_state=1)


def repeat(record: dict[str, Any], data: dict[str, Any], **own: Any) -> Any:
    """What the code of a call gives that has been in a file; `own` must be all that it asks for."""
    call = Call.from_record(json.loads(json.dumps(record)))
    assert set(call.own) == set(own)
    space = {**data, **own}
    exec(compile(call.code(), "call", "exec"), space)
    return space["result"]


def assert_same_ensemble(found: Any, expected: Any) -> None:
    assert list(found.score_matrices) == list(expected.score_matrices)
    for label, matrix in expected.score_matrices.items():
        assert found.score_matrices[label].tobytes() == matrix.tobytes()
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert found.feature_names == expected.feature_names
    assert found.parameters == expected.parameters


# -- ensembles ------------------------------------------------------------------------------------
OWN = {"groups": GROUPS, "sample_weight": WEIGHT, "counts": WEIGHT, "indices": ROWS}
BY_DEFAULT = [spec.plan() for spec in PLANS if spec.name != "grouped_bootstrap"]
PLAN_CASES: list[tuple[Plan, str]] = [  # and the arrays of OWN that the code asks for
    *((plan, "") for plan in BY_DEFAULT),
    (resampling.Bootstrap(sample_weight=WEIGHT), "sample_weight"),
    (resampling.StratifiedBootstrap(sample_weight=WEIGHT), "sample_weight"),
    (Subsample(0.8), ""),
    (Subsample(0.8, sample_weight=WEIGHT), "sample_weight"),
    (Subsample(0.8, counts=WEIGHT), "counts"),
    (resampling.BalancedBootstrap(per_class=4), ""),
    (resampling.ComplementaryPairs(GROUPS), "groups"),
    (GroupedBootstrap(GROUPS), "groups"),
    (GroupedBootstrap(GROUPS, sample_weight=WEIGHT), "groups sample_weight"),
    (resampling.FeatureSubspace(0.7), ""),
    (resampling.LabelNoise(0.3), ""),
    (resampling.ValueNoise(0.4), ""),
    (Rows(ROWS), "indices"),
]


@pytest.mark.parametrize(
    ("plan", "own"), PLAN_CASES, ids=lambda each: each if isinstance(each, str) else each.name
)
def test_every_plan_can_be_handed_over_and_repeated(plan: Plan, own: str) -> None:
    result = wam(X, Y, filter="cs", resampling=plan, n_resamples=6, random_state=3, checks="none")
    assert result.n_resamples == 6
    assert result.parameters["resampling"] == plan.name
    assert result.parameters["resampling_params"] == plan.parameters()
    assert result.parameters["weighted"] == ("sample_weight" in own)
    assert result.parameters["counted"] == ("counts" in own)
    arrays = {name: OWN[name] for name in own.split()}
    assert_same_ensemble(repeat(result.parameters["call"], {"X": X, "y": Y}, **arrays), result)
    if plan in BY_DEFAULT:  # and its name says the same
        options = {"filter": "cs", "n_resamples": 6, "random_state": 3, "checks": "none"}
        by_name = wam(X, Y, resampling=plan.name, **options)
        assert by_name.scores.tobytes() == result.scores.tobytes()


def own_filter(X: Any, y: Any, sample_weight: Any) -> Any:
    return np.abs(np.asarray(X).T @ (sample_weight * (y == np.unique(y)[0])))


WAM_CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {
            **{"filter": "ig", "filter_params": {"mdl": "fselectorrcpp"}, "n_resamples": 5},
            **{"aggregator": "gm", "aggregator_params": {"shift": "minimum"}},
            "task": Task(nominal=["ash"], drop_near_zero_variance=True),
        },
        {},
    ),
    ({"n_resamples": Precision(max_change=0.3, top=4, maximum=200)}, {}),
    ({"n_resamples": "auto"}, {}),
    ({"filter": own_filter}, {"own_filter": own_filter}),
    ({"y": NUMBERS, "filter": "pearson", "task": "regression"}, {}),
    ({"y": NUMBERS, "task": Task("regression", target_bins=3)}, {}),
    ({"y": None, "filter": "laplacian_score"}, {}),
    ({"n_jobs": 2, "execution": Execution(progress=print)}, {}),
]


@pytest.mark.parametrize(("options", "own"), WAM_CASES)
@pytest.mark.parametrize("seed", [5, None])
def test_wam(options: dict[str, Any], own: dict[str, Any], seed: int | None) -> None:
    options = {"y": Y, "n_resamples": 4, "random_state": seed, **options}
    result = wam(X, **options)
    record = result.parameters["call"]
    assert record["data"] == (["X"] if options["y"] is None else ["X", "y"])
    assert not {"n_jobs", "execution"} & set(record["arguments"])
    assert_same_ensemble(repeat(record, {"X": X, "y": options["y"]}, **own), result)


def test_only_what_differs_is_said_and_survives_a_file(tmp_path: Path) -> None:
    record = wam(X, Y, n_resamples=4, random_state=1, aggregator="arithmetic_mean").parameters
    assert record["call"] == {
        "function": "wam",
        "data": ["X", "y"],
        "arguments": {"n_resamples": "4", "random_state": "1"},
        "own": {},
    }
    result = wam(X, Y, n_resamples=4, resampling=Rows(ROWS[:4]))
    back = pyfsagg.ensemble.EnsembleResult.load(result.save(tmp_path / "run"))
    assert back.parameters["call"] == result.parameters["call"]
    assert "# indices: as you gave it" in Call.from_record(back.parameters["call"]).code()


def test_bam_and_parameters_that_do_not_say_whose_they_are() -> None:
    options: dict[str, Any] = {"filters": ["ig", "mrmr", own_filter], "aggregator": "median"}
    options |= {"filter_params": {"ig": MDL, "mrmr": {"binning": "equal_width"}}, "n_resamples": 7}
    options |= {"normalize": "per_feature", "random_state": np.random.default_rng(4)}
    plan = GroupedBootstrap(GROUPS, sample_weight=WEIGHT)
    task = Task(drop_near_zero_variance=True, nominal=["ash"])
    result = bam(X, Y, resampling=plan, task=task, **options)
    own = {"groups": GROUPS, "sample_weight": WEIGHT, "own_filter": own_filter}
    assert_same_ensemble(repeat(result.parameters["call"], {"X": X, "y": Y}, **own), result)
    with pytest.raises(ParameterError):
        bam(X, Y, filters=["su", "ig"], filter_params=MDL, n_resamples=3)
    with pytest.raises(ParameterError, match="not among the filters"):
        wam(X, Y, filter="ig", filter_params={"mrmr": {"binning": "equal_width"}}, n_resamples=3)


@pytest.mark.parametrize("method", ["wam", "bam"])
def test_influence(method: str) -> None:
    options = {"filter": ["chi_squared", "pearson"], "filter_params": {"cs": {"bins": 4}}}
    options |= {"method": method, "normalize": "per_feature", "n_folds": 3, "n_resamples": 4}
    options |= {"aggregators": {"am": {}, "gm": {"shift": "minimum"}, "median": {}}}
    plan = Subsample(0.7, sample_weight=WEIGHT)
    task = Task("regression", target_bins=4, drop_near_zero_variance=True)
    result = influence(X, NUMBERS, resampling=plan, task=task, random_state=None, **options)
    found = repeat(result.parameters["call"], {"X": X, "y": NUMBERS}, sample_weight=WEIGHT)
    assert found.parameters == result.parameters
    assert list(found.scores) == list(result.scores)
    np.testing.assert_array_equal([*found.scores.values()], [*result.scores.values()])


# -- parameters of filters ------------------------------------------------------------------------
MDL = {"mdl": "fselectorrcpp"}
SPELLINGS = [MDL, {"information_gain": MDL}, {"ig": MDL}, {"infogain": MDL}]


@pytest.mark.parametrize("given", SPELLINGS)
def test_parameters_of_one_filter_flat_by_name_and_by_alias(given: dict[str, Any]) -> None:
    options = {"filter": "ig", "n_resamples": 4, "random_state": 0}
    result = wam(X, Y, filter_params=given, **options)
    assert result.parameters["filter_params"] == {"information_gain": MDL}
    assert (result.combined != wam(X, Y, **options).combined).any()
    np.testing.assert_array_equal(result.combined, wam(X, Y, filter_params=MDL, **options).combined)
    options |= {"aggregators": ["am"], "n_folds": 2}
    found, expected = (
        influence(X, Y, filter_params=params, **options) for params in (given, {"ig": MDL})
    )
    assert found.parameters["filter_params"] == {"information_gain": MDL}
    key = ("information_gain", "arithmetic_mean")
    np.testing.assert_array_equal(found.scores[key], expected.scores[key])


@pytest.mark.parametrize("given", SPELLINGS[1:])
def test_parameters_among_several_filters(given: dict[str, Any]) -> None:
    options = {"n_resamples": 4, "random_state": 0}
    result = bam(X, Y, filters=["su", "ig"], filter_params=given, **options)
    assert result.parameters["filter_params"] == {"information_gain": MDL}
    for name, params in (("information_gain", MDL), ("symmetric_uncertainty", {})):
        alone = wam(X, Y, filter=name, filter_params=params, **options)
        np.testing.assert_array_equal(result.score_matrices[name], alone.combined)


# -- the other rooms ------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", [6, None])
def test_rank_out_of_core(tmp_path: Path, seed: int | None) -> None:
    X.assign(kind=Y, number=np.arange(N)).to_parquet(tmp_path / "part.parquet", row_group_size=50)
    options: dict[str, Any] = {"filters": ["su", "gain_ratio"], "normalize": "per_feature"}
    options |= {"binning": "equal_frequency", "bins": 6, "nominal": ["ash"], "exclude": ["number"]}
    options |= {"aggregator": "gm", "aggregator_params": {"shift": 1.0}, "n_resamples": 9}
    execution = Execution(progress=lambda done, total: None)
    result = rank_out_of_core(
        tmp_path, "kind", random_state=seed, n_jobs=2, execution=execution, **options
    )
    record = result.parameters["call"]
    assert record["data"] == ["source", "target"]
    found = repeat(record, {"source": tmp_path, "target": "kind"})
    assert_same_ensemble(found, result)
    assert found.data == result.data


KOLLER_SAHAMI = {"method_params": {"blanket_size": 2, "partners": "informative"}, "n_folds": 4}
ELIMINATIONS: dict[str, dict[str, Any]] = {
    "cdv": {"method_params": {"center_distance": "relative"}, "accuracy": True},
    "koller_sahami": {**KOLLER_SAHAMI, "ties": "random", "accuracy": 3},
    "spoilers": {"tie_break": "random", "max_seconds": None},
    "greedy_kl": {"tie_break": "last", "ties": "ordinal", "n_jobs": 2},
}


@pytest.mark.parametrize("method", ELIMINATIONS)
@pytest.mark.parametrize("seed", [7, None])
def test_eliminate(method: str, seed: int | None) -> None:
    weight, table = np.resize([1, 2], len(ORDERS.y)), ORDERS.X.round(1)
    how = {"sample_weight": weight, "random_state": seed, **ELIMINATIONS[method]}
    result = eliminate(table, ORDERS.y, method, **how)
    data = {"X": table, "y": ORDERS.y}
    found = repeat(result.parameters["call"], data, sample_weight=weight)
    assert found.to_json() == result.to_json()
    assert isinstance(result.parameters["seed"], int)
    if seed is not None:
        assert result.parameters["seed"] == seed
    else:  # a seed that is left open is a fresh one
        again = eliminate(table, ORDERS.y, method, **how)
        assert again.parameters["seed"] != result.parameters["seed"]


@pytest.mark.parametrize("function", [frcm, frmv])
@pytest.mark.parametrize("seed", [8, None])
def test_consensus(function: Any, seed: int | None) -> None:
    options: dict[str, Any] = {"n_clusterings": 6, "feature_fraction": 0.4, "k_range": (3, 5)}
    options |= {"clusterer": KMeans(n_init=2), "standardize": "min_max"}
    if function is frmv:
        options |= {"aggregator": "median_rank", "association": "label_correlation"}
    result = function(X, random_state=seed, **options)
    found = repeat(result.parameters["call"], {"X": X}, KMeans=options["clusterer"])
    assert found.scores.tobytes() == result.scores.tobytes()
    assert found.parameters == result.parameters
    given = function(X, labels=result.labels, standardize="center")
    again = repeat(given.parameters["call"], {"X": X}, labels=result.labels)
    assert again.scores.tobytes() == given.scores.tobytes()
    assert "seed" not in given.parameters
    assert "random_state" not in given.parameters["call"]["arguments"]


def test_rankings_without_labels_and_eliminations_of_a_selector() -> None:
    for method, options in (
        ("laplacian_score", {"n_neighbors": 3, "bandwidth": "binary", "standardize": "center"}),
        ("laplacian_score", {}),
        ("svd_entropy", {"standardize": "min_max", "n_jobs": 2}),
        ("frcm", {"n_clusterings": 4, "random_state": 2}),
    ):
        result = rank_unsupervised(X, method, **options)
        found = repeat(result.parameters["call"], {"X": X})
        assert found.scores.tobytes() == result.scores.tobytes()
        assert found.parameters == result.parameters
        assert "n_jobs" not in result.parameters["call"]["arguments"]
    selector = RankOrderSelector(
        "koller_sahami", method_params={"blanket_size": 2}, tie_break="random"
    ).fit(ORDERS.X, ORDERS.y)
    found = repeat(selector.result_.parameters["call"], {"X": ORDERS.X, "y": ORDERS.y})
    np.testing.assert_array_equal(found.scores, selector.scores_)


def test_curves_of_clusterings_carry_their_call() -> None:
    told: list[tuple[int, int]] = []
    tell = Execution(progress=lambda *step: told.append(step))
    data = {"X": X, "y": Y, "rankings": {"given": np.arange(X.shape[1])}, "sizes": [1, 4]}
    curve = clustering_curve(*data.values(), n_trials=2, n_init=3, execution=tell)
    assert told == [(1, 2), (2, 2)]
    assert isinstance(curve.attrs["seed"], int)
    assert repeat(curve.attrs["call"], data).equals(curve)
    with pytest.raises(ParameterError, match="clustering_curve writes none"):
        clustering_curve(*data.values(), execution=Execution(scratch="."))
