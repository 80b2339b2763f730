"""How good a ranking without labels is, once labels are known."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from pyfsagg._base.arithmetic import Booleans, Floats, RandomState, TableLike, TargetLike
from pyfsagg._base.memory import require_memory
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.validation import as_array, check_integer, check_list, is_word, resolve_seed
from pyfsagg._message import NAN, Got, Param
from pyfsagg._run.checkpoint import Piece, kept_seed, open_checkpoint, resume_tasks
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._run.parallel import one_thread
from pyfsagg._table.identity import data_hash, versions
from pyfsagg._table.table import Table
from pyfsagg._table.target import Target, check_target
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import rank_scores
from pyfsagg.unsupervised.clusterings import check_numbers, draw_clusterings
from pyfsagg.unsupervised.methods import rank_unsupervised
from pyfsagg.unsupervised.registry import UNSUPERVISED_METHODS
from pyfsagg.unsupervised.result import MEAN_PLUS_SD, ConsensusRanking

PCA = "pca"
OWN = tuple(spec.name for spec in UNSUPERVISED_METHODS.own())


@repeatable
def evaluate_rankings(
    X: TableLike,
    y: TargetLike,
    methods: Sequence[str] = (*OWN, PCA),
    *,
    n_features_to_select: str | float | int = MEAN_PLUS_SD,
    n_trials: int = 40,
    n_clusters: int | None = None,
    n_init: int = 10,
    n_clusterings: int = 100,
    clusterer: Any = "k_means",
    standardize: str = "z_score",
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> pd.DataFrame:
    """Cluster the samples on the features that each method selects, and compare with the classes.

    In each trial FRCM and FRMV share one new ensemble of clusterings, the other methods rank as
    always; then k-means (k-means++, best of `n_init` starts) is run on the selected features.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Classes; used for the comparison only.
    methods : sequence of str
        Names in ``pyfsagg.list_methods("unsupervised")``, and "pca" for as many leading principal
        components as FRCM selects features (or as there are).
    n_features_to_select : "mean_plus_sd", int or float
        As in :meth:`ConsensusRanking.selected`.
    n_trials : int
    n_clusters : int, optional
        Clusters of the final k-means; the number of classes by default.
    n_init : int
        Starts of the final k-means.  The paper does not state it; with 10 the row of principal
        components in its Table 2 is reproduced, with 1 the values are lower and more variable.
    n_clusterings, clusterer, standardize
        As in :func:`frcm`; the final k-means sees the same scale.
    random_state : None, int or NumPy generator
        Seed; a fresh one is drawn and recorded when None.
    n_jobs : int, optional
        Threads; trials are independent, and no number depends on it.
    execution : Execution, optional
        :class:`pyfsagg.Execution`: checkpoint and progress of the trials.  There are no scratch
        files.

    Returns
    -------
    DataFrame
        One row per trial and method: ``trial``, ``method``, ``n_features``, ``nmi`` (normalised by
        the geometric mean of the entropies), ``ari``.  Its ``attrs`` hold the ``seed``, and the
        ``call`` that repeats it.

    See Also
    --------
    clustering_curve : The same for growing numbers of features.
    rank_unsupervised : One ranking.

    Notes
    -----
    The protocol of Table 2 of Zhang and others (2012); NMI after Strehl and Ghosh (2002).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["a", "b"], 20)
    >>> X = rng.normal(size=(40, 6)) + np.outer(y == "a", [6.0, 6.0, 6.0, 0, 0, 0])
    >>> trials = evaluate_rankings(X, y, ["frcm"], n_features_to_select=3, n_trials=2, random_state=0)
    >>> trials[["n_features", "ari"]].to_numpy().tolist()
    [[3.0, 1.0], [3.0, 1.0]]
    """
    execution = Execution._without_scratch("evaluate_rankings", execution)
    with execution.limited():
        table = check_numbers(X, standardize=standardize)
        target = check_target(y, table.n_samples)
        n_trials, n_init, k = _checked(table, target, n_trials, n_init, n_clusters)
        require_memory(100 * n_trials, f"the rows of {n_trials:,} trials", "take fewer trials")
        methods = check_list("methods", methods)
        known = all(is_word(name, PCA) or name in UNSUPERVISED_METHODS for name in methods)
        if not known or not methods or (PCA in methods and "frcm" not in methods):
            names = ", ".join((*UNSUPERVISED_METHODS.names(), PCA))
            needs = (
                f" must be names from {names}, and 'pca' needs 'frcm' for its number of components"
            )
            raise ParameterError(Param("methods"), needs, Got(methods))
        methods = [PCA if name == PCA else UNSUPERVISED_METHODS.get(name).name for name in methods]
        seed = resolve_seed(kept_seed(execution.checkpoint, random_state))
        fixed = {
            name: rank_unsupervised(table, name, standardize="none").get_support(
                n_features_to_select=n_features_to_select
            )
            for name in methods
            if name != PCA and not UNSUPERVISED_METHODS.get(name).clusters
        }

        setting = _Trials(
            table=table,
            codes=target.codes,
            methods=tuple(methods),
            fixed=fixed,
            n_features_to_select=n_features_to_select,
            drawing={"n_clusterings": n_clusterings, "clusterer": clusterer},
            k=k,
            n_init=n_init,
            seed=seed,
        )
        name = "unsupervised.evaluate_rankings"
        call = Call.of(evaluate_rankings, name=name, random_state=seed)
        return _rows("trial", _Trials.trial, setting, range(n_trials), n_jobs, execution, call)


def _checked(
    table: Table, target: Target, n_trials: Any, n_init: Any, n_clusters: Any
) -> tuple[int, int, int]:
    """The numbers of trials, of starts of k-means, and of its clusters (that of the classes by default)."""
    k = target.n_classes if n_clusters is None else n_clusters
    return (
        check_integer("n_trials", n_trials, low=1),
        check_integer("n_init", n_init, low=1),
        check_integer("n_clusters", k, low=2, high=table.n_samples),
    )


@dataclass(frozen=True, eq=False)
class _Trials:
    """What the trials of an evaluation share."""

    table: Table
    codes: NDArray[np.int32]
    methods: tuple[str, ...]
    fixed: Mapping[str, Booleans]
    n_features_to_select: str | float | int
    drawing: Mapping[str, Any]
    k: int
    n_init: int
    seed: int

    def trial(self, t: int) -> Piece:
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(t,)))
        supports = dict(self.fixed)
        drawing = [name for name in self.methods if name != PCA and name not in self.fixed]
        if drawing:
            labels, _ = draw_clusterings(self.table, random_state=rng, n_jobs=1, **self.drawing)
        for name in drawing:
            rank = UNSUPERVISED_METHODS.get(name).load()
            ranking = rank(self.table, labels=labels, standardize="none", n_jobs=1)
            supports[name] = ranking.get_support(n_features_to_select=self.n_features_to_select)
        rows = []
        for name in self.methods:
            if name == PCA:
                values = _principal_components(self.table, int(supports["frcm"].sum()))
            else:
                values = self.table.values[:, supports[name]]
            draw = int(rng.integers(2**31 - 1))
            nmi, ari = _agreement(values, self.codes, self.k, self.n_init, draw)
            rows.append(
                {"trial": t, "method": name, "n_features": values.shape[1], "nmi": nmi, "ari": ari}
            )
        return {"rows": np.array(json.dumps(rows))}


def _rows(
    kind: str,
    function: Callable[[Any, Any], Piece],
    setting: Any,
    items: Sequence[Any],
    n_jobs: int | None,
    execution: Execution,
    call: Call,
) -> pd.DataFrame:
    """The rows of all items, in their order, with the call that repeats them."""
    identity: dict[str, Any] = {}
    if execution.checkpoint is not None:
        parts = {part.name: getattr(setting, part.name) for part in fields(setting)}
        parts["data"] = data_hash(parts.pop("table"), None)
        identity = {"kind": f"{kind}s", **parts, "versions": versions()}
    keys = [f"{kind}s {item}" for item in items]
    rows: list[dict[str, Any]] = []
    with (
        one_thread("blas"),
        open_checkpoint(execution.checkpoint, identity) as checkpoint,
        progress_sink(execution.progress, len(items), kind) as advance,
    ):
        pieces = resume_tasks(checkpoint, keys, function, setting, items, n_jobs=n_jobs)
        for done, piece in enumerate(pieces, 1):
            rows += json.loads(str(piece["rows"]))
            advance(done)
    frame = pd.DataFrame(rows)
    frame.attrs = {"seed": setting.seed, "call": call.record()}
    return frame


@repeatable
def clustering_curve(
    X: TableLike,
    y: TargetLike,
    rankings: Mapping[str, ConsensusRanking | ArrayLike],
    sizes: Iterable[int],
    *,
    n_trials: int = 40,
    n_clusters: int | None = None,
    n_init: int = 10,
    standardize: str = "z_score",
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> pd.DataFrame:
    """NMI and ARI of k-means on the best d features, for several d.

    Parameters
    ----------
    X, y, n_trials, n_clusters, n_init, standardize, random_state, n_jobs, execution
        As in :func:`evaluate_rankings`.
    rankings : mapping of name to ConsensusRanking or scores (n_features,)
    sizes : iterable of int
        Numbers of features, for instance ``range(20, 2001, 20)``.

    Returns
    -------
    DataFrame
        One row per method, size and trial: ``method``, ``size``, ``trial``, ``n_features``,
        ``nmi``, ``ari``; ``attrs`` as in :func:`evaluate_rankings`.

    See Also
    --------
    evaluate_rankings : The same for the features that each method selects.

    Notes
    -----
    Figures 1 and 2 of Zhang and others (2012).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["a", "b"], 20)
    >>> X = rng.normal(size=(40, 4)) + np.outer(y == "a", [6.0, 0, 0, 0])
    >>> curve = clustering_curve(X, y, {"mine": [4, 3, 2, 1]}, [1, 4], n_trials=2, random_state=0)
    >>> curve.loc[curve["size"] == 1, "nmi"].round(6).tolist()
    [1.0, 1.0]
    """
    execution = Execution._without_scratch("clustering_curve", execution)
    with execution.limited():
        table = check_numbers(X, standardize=standardize)
        target = check_target(y, table.n_samples)
        n_trials, n_init, k = _checked(table, target, n_trials, n_init, n_clusters)
        p = table.n_features
        counts = [check_integer("a size", d, low=1, high=p) for d in check_list("sizes", sizes)]
        if not rankings or not counts:
            raise ParameterError("rankings and sizes must not be empty")
        orders = {name: _order(name, ranking, table) for name, ranking in rankings.items()}
        seed = resolve_seed(kept_seed(execution.checkpoint, random_state))
        tasks = [(name, d) for name in orders for d in counts]

        setting = _Curve(table, target.codes, orders, n_trials, k, n_init, seed)
        data = ("X", "y", "rankings", "sizes")
        name = "unsupervised.clustering_curve"
        call = Call.of(clustering_curve, name=name, data=data, random_state=seed)
        return _rows("point", _Curve.point, setting, tasks, n_jobs, execution, call)


@dataclass(frozen=True, eq=False)
class _Curve:
    """What the points of a curve share."""

    table: Table
    codes: NDArray[np.int32]
    orders: Mapping[str, Any]
    n_trials: int
    k: int
    n_init: int
    seed: int

    def point(self, task: tuple[str, int]) -> Piece:
        name, d = task
        values = self.table.values[:, self.orders[name][:d]]
        rows = []
        for t in range(self.n_trials):
            # One seed per size and trial: methods differ in their features only.
            state = np.random.SeedSequence(self.seed, spawn_key=(d, t)).generate_state(1)[0]
            draw = int(state) % (2**31 - 1)
            nmi, ari = _agreement(values, self.codes, self.k, self.n_init, draw)
            row = {"method": name, "size": d, "trial": t, "n_features": d, "nmi": nmi, "ari": ari}
            rows.append(row)
        return {"rows": np.array(json.dumps(rows))}


def borda_curve(
    scores: ArrayLike, reference: ArrayLike, fractions: Iterable[float] = np.arange(1, 101) / 100
) -> pd.DataFrame:
    """Mean Borda value by a reference ranking of the best features of another (Zhang and others 2012,
    section 3.4 and figure 4)."""
    values = as_array("scores", scores, np.float64)
    known = as_array("reference", reference, np.float64)
    if values.ndim != 1 or values.shape != known.shape or values.size == 0:
        raise DataError(
            f"scores and reference must have one number per feature, got {values.shape} and "
            f"{known.shape}"
        )
    if np.isnan(values).any() or np.isnan(known).any():
        raise DataError("scores and reference must not have missing values (", NAN, ")")
    size = values.size
    shares = as_array("fractions", check_list("fractions", fractions), np.float64)
    if not (shares.size and shares.min() > 0.0 and shares.max() <= 1.0):
        raise ParameterError(Param("fractions"), " must lie above 0 and at most at 1")
    borda = size + 1.0 - rank_scores(known)
    running = np.cumsum(borda[np.argsort(-values, kind="stable")]) / np.arange(1, size + 1)
    counts = np.ceil(np.round(shares * size, 9)).astype(np.intp)
    return pd.DataFrame(
        {"fraction": shares, "n_features": counts, "mean_borda": running[counts - 1]}
    )


def _order(name: str, ranking: ConsensusRanking | ArrayLike, table: Table) -> Any:
    scores: Any = ranking
    if isinstance(ranking, ConsensusRanking):
        if set(ranking.feature_names) != set(table.feature_names):
            raise DataError(
                f"the ranking {name!r} is one of other features than those of the table"
            )
        place = {feature: at for at, feature in enumerate(ranking.feature_names)}
        scores = ranking.scores[[place[feature] for feature in table.feature_names]]
    scores = as_array(f"the ranking {name!r}", scores, np.float64)
    if scores.shape != (table.n_features,) or np.isnan(scores).any():
        raise DataError(
            f"the ranking {name!r} must have one score for each of {table.n_features} features, "
            f"got the shape {scores.shape} or missing scores"
        )
    return np.argsort(-scores, kind="stable")


def _principal_components(table: Table, n_components: int) -> Floats:
    centred = table.values - table.values.mean(axis=0)
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    width = min(n_components, int((singular > 1e-12 * singular[0]).sum()))
    components: Floats = left[:, :width] * singular[:width]
    return components


def _agreement(values: Floats, codes: Any, k: int, n_init: int, seed: int) -> tuple[float, float]:
    """NMI and ARI between the classes and the clusters of k-means."""
    with one_thread("openmp"):
        model = KMeans(n_clusters=k, n_init=n_init, random_state=seed)
        clusters = model.fit_predict(np.ascontiguousarray(values))
    nmi = normalized_mutual_info_score(codes, clusters, average_method="geometric")
    return float(nmi), float(adjusted_rand_score(codes, clusters))
