"""How good a ranking without labels is, once labels are known."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from pyfsagg._base.arithmetic import Floats, RandomState, TableLike, TargetLike
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.validation import as_array, check_integer, check_list, resolve_seed
from pyfsagg._message import NAN, Param
from pyfsagg._run.checkpoint import Piece, kept_seed, open_checkpoint, resume_tasks
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._run.parallel import one_thread
from pyfsagg._table.identity import data_hash, versions
from pyfsagg._table.table import Table
from pyfsagg._table.target import check_target
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import rank_scores
from pyfsagg.unsupervised.clusterings import check_numbers
from pyfsagg.unsupervised.result import ConsensusRanking


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
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Classes; used for the comparison only.
    rankings : mapping of name to ConsensusRanking or scores (n_features,)
    sizes : iterable of int
        Numbers of features, for instance ``range(20, 2001, 20)``.
    n_trials : int
        Runs of k-means (k-means++) for each size, with different seeds.
    n_clusters : int, optional
        Clusters of k-means; the number of classes by default.
    n_init : int
        Starts of each run, of which the best counts.
    standardize : {"none", "center", "z_score", "min_max"}
        Scale of the features.
    random_state : None, int or NumPy generator
        Seed; a fresh one is drawn and recorded when None.
    n_jobs : int, optional
        Threads; no number depends on it.
    execution : Execution, optional
        :class:`pyfsagg.Execution`: checkpoint and progress of the points.  There are no scratch files.

    Returns
    -------
    DataFrame
        One row per method, size and trial: ``method``, ``size``, ``trial``, ``n_features``,
        ``nmi`` (normalised by the geometric mean of the entropies), ``ari``.  Its ``attrs`` hold the
        ``seed``, and the ``call`` that repeats it.

    See Also
    --------
    rank_unsupervised : One ranking.

    Notes
    -----
    Figures 1 and 2 of Zhang and others (2012); NMI after Strehl and Ghosh (2002).

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
        n_trials = check_integer("n_trials", n_trials, low=1)
        n_init = check_integer("n_init", n_init, low=1)
        k = target.n_classes if n_clusters is None else n_clusters
        k = check_integer("n_clusters", k, low=2, high=table.n_samples)
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
        return _rows(setting, tasks, n_jobs, execution, call)


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
            nmi, ari = agreement_with_classes(values, self.codes, self.k, self.n_init, draw)
            row = {"method": name, "size": d, "trial": t, "n_features": d, "nmi": nmi, "ari": ari}
            rows.append(row)
        return {"rows": np.array(json.dumps(rows))}


def _rows(
    setting: _Curve,
    items: Sequence[tuple[str, int]],
    n_jobs: int | None,
    execution: Execution,
    call: Call,
) -> pd.DataFrame:
    """The rows of all points, in their order, with the call that repeats them."""
    identity: dict[str, Any] = {}
    if execution.checkpoint is not None:
        parts = {part.name: getattr(setting, part.name) for part in fields(setting)}
        parts["data"] = data_hash(parts.pop("table"), None)
        identity = {"kind": "points", **parts, "versions": versions()}
    keys = [f"points {item}" for item in items]
    rows: list[dict[str, Any]] = []
    with (
        one_thread("blas"),
        open_checkpoint(execution.checkpoint, identity) as checkpoint,
        progress_sink(execution.progress, len(items), "point") as advance,
    ):
        pieces = resume_tasks(checkpoint, keys, _Curve.point, setting, items, n_jobs=n_jobs)
        for done, piece in enumerate(pieces, 1):
            rows += json.loads(str(piece["rows"]))
            advance(done)
    frame = pd.DataFrame(rows)
    frame.attrs = {"seed": setting.seed, "call": call.record()}
    return frame


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


def agreement_with_classes(
    values: Floats, codes: Any, k: int, n_init: int, seed: int
) -> tuple[float, float]:
    """NMI and ARI between the classes and the clusters of k-means."""
    with one_thread("openmp"):
        model = KMeans(n_clusters=k, n_init=n_init, random_state=seed)
        clusters = model.fit_predict(np.ascontiguousarray(values))
    nmi = normalized_mutual_info_score(codes, clusters, average_method="geometric")
    return float(nmi), float(adjusted_rand_score(codes, clusters))
