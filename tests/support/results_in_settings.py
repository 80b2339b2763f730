"""Results of every kind in the settings in which they tell something else: ``SETTINGS[kind][setting]``.

A setting makes a result, and says how it is viewed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from results_of_all_kinds import GUIDES, LISTS, ORDERS, SCORES, STUDIES, WINE
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import pyfsagg
from pyfsagg import Checks, Rankings, Task
from pyfsagg.aggregation import aggregate, compare_aggregations, list_agreement
from pyfsagg.aggregator_influence import influence_of_lists
from pyfsagg.evaluation import Protocol
from pyfsagg.rank_order import eliminate
from pyfsagg.resampling import Bootstrap
from pyfsagg.screens import screen
from pyfsagg.stability_measures import stability
from pyfsagg.unsupervised import rank_unsupervised

Make = Callable[[], Any]
View = dict[str, Any]

# --- ensembles: 80 rows of two classes, 40 features, of which some tell the class apart ---------
Y = np.arange(80) % 2
NOISE = np.random.default_rng(0).normal(size=(80, 40))
X = NOISE + np.r_[np.linspace(2.0, 0.3, 9), np.zeros(31)] * Y[:, np.newaxis]
FEW: dict[str, Any] = {"filter": "spearman", "n_resamples": 20, "random_state": 0}
QUICK = FEW | {"checks": "none"}
CHECKED = FEW | {"checks": Checks(pairs=20, shuffles=199)}
TIME = np.exp(NOISE[:, 0] - X[:, 1])
SURVIVAL = pd.DataFrame({"time": TIME, "event": (np.arange(80) % 3 > 0).astype(int)})
NAMED = pd.DataFrame(X[:, :8], columns=list("abcdefgh"))
COPIES = NAMED.assign(
    c=NAMED["a"] + 0.01 * NAMED["h"], d=-NAMED["a"] + 0.02 * NAMED["g"], f=0.0
).assign(f=lambda frame: frame["f"].where(frame.index > 0, 1.0))
GROUPS = {"first": ["a", "b", "c"], "second": ["d", "e"], "third": ["f"]}


def ensemble(n: int = 40, rows: int = 80, y: Any = Y, **settings: Any) -> Any:
    return pyfsagg.wam(X[:rows, :n], y[:rows], **(CHECKED | settings))


ENSEMBLES: dict[str, tuple[Make, View]] = {
    "some above noise": (ensemble, {}),
    "all above noise": (lambda: pyfsagg.wam(X[:, :3], Y, **CHECKED), {}),
    "one of many": (ensemble, {"n_features_to_select": 1}),
    "more than are listed": (ensemble, {"n_features_to_select": 33}),
    "a share": (ensemble, {"n_features_to_select": 0.3}),
    "all of them": (ensemble, {"n_features_to_select": 40}),
    "the knee": (ensemble, {"n_features_to_select": "knee"}),
    "max_false": (ensemble, {"max_false": 1.0}),
    "fdr": (ensemble, {"fdr": 0.1}),
    "one feature above noise": (lambda: pyfsagg.wam(np.c_[9 * Y + X[:, 0], NOISE], Y, **CHECKED), {}),
    "without checks": (lambda: pyfsagg.wam(X, Y, **QUICK), {}),
    "without checks, two": (lambda: pyfsagg.wam(X, Y, **QUICK), {"n_features_to_select": 2}),
    "complementary pairs": (
        lambda: pyfsagg.wam(X, Y, **QUICK | {"resampling": "complementary_pairs"}),
        {"max_false": 2.0},
    ),
    "enough resamples": (
        lambda: pyfsagg.wam(X + 6 * Y[:, np.newaxis] * (np.arange(40) < 3), Y, **QUICK),
        {"n_features_to_select": 3},
    ),
    "numeric target, in bins": (
        lambda: pyfsagg.wam(
            X, X[:, 0], task=Task("regression", target_bins=3), **QUICK | {"filter": "su"}
        ),
        {"n_features_to_select": 2},
    ),
    "survival": (
        lambda: pyfsagg.wam(X, SURVIVAL, task="survival", **CHECKED | {"filter": "cox_score"}),
        {},
    ),
    "named data and a command": (
        ensemble,
        {"data_name": "table.csv", "command": ["rank", "table.csv", "--target", "class"]},
    ),
}  # fmt: skip
OF_NOISE: dict[str, tuple[Make, View]] = {
    "noise": (lambda: pyfsagg.wam(NOISE[:, :12], Y, **CHECKED), {}),
    "noise with a limit": (lambda: pyfsagg.wam(NOISE[:, :12], Y, **CHECKED), {"max_false": 0.1}),
    "few rows": (lambda: ensemble(5, 6), {}),
    "too few for the features": (lambda: ensemble(40, 10), {}),
    "few shuffles": (lambda: ensemble(5, checks=Checks(pairs=2, shuffles=9)), {}),
}  # fmt: skip
OF_FEW: dict[str, tuple[Make, View]] = {
    "checked": (lambda: pyfsagg.wam(NAMED, Y, **CHECKED), {}),
    "one resample": (lambda: pyfsagg.wam(NAMED, Y, **QUICK | {"n_resamples": 1}), {}),
    "minimum": (lambda: pyfsagg.wam(NAMED, Y, **QUICK | {"aggregator": "minimum"}), {}),
    "robust rank aggregation": (lambda: pyfsagg.wam(NAMED, Y, **QUICK | {"aggregator": "rra"}), {}),
    "no target": (lambda: pyfsagg.wam(NAMED, None, **QUICK | {"filter": "variance"}), {}),
    "weights": (
        lambda: pyfsagg.wam(
            NAMED, Y, **CHECKED | {"resampling": Bootstrap(sample_weight=1.0 + np.arange(80) % 3)}
        ),
        {},
    ),
    "counts": (
        lambda: pyfsagg.wam(
            NAMED, Y, **CHECKED | {"resampling": Bootstrap(counts=1 + np.arange(80) % 2)}
        ),
        {},
    ),
    "adjusted": (lambda: pyfsagg.wam(NAMED, Y, task=Task(adjust=["h"]), **CHECKED), {}),
    "always in": (lambda: pyfsagg.wam(NAMED, Y, task=Task(always=["a", "h"]), **QUICK), {}),
    "near copies": (lambda: pyfsagg.wam(COPIES, Y, **CHECKED), {}),
    "dropped": (lambda: pyfsagg.wam(COPIES, Y, task=Task(drop_near_zero_variance=True), **QUICK), {}),
    "groups": (lambda: pyfsagg.wam(NAMED, Y, task=Task(feature_groups=GROUPS), **CHECKED), {}),
    "missing values": (lambda: pyfsagg.wam(NAMED.mask(NAMED > 2), Y, **QUICK), {}),
    "levels": (
        lambda: pyfsagg.wam(
            NAMED.assign(b=np.arange(80) % 7, g=np.arange(80) % 3), Y, **CHECKED | {"filter": "chi2"}
        ),
        {},
    ),
    "ties": (
        lambda: pyfsagg.wam(NAMED.assign(d=NAMED["c"], e=NAMED["c"]), Y, **QUICK),
        {"n_features_to_select": 4},
    ),
    "several filters": (
        lambda: pyfsagg.bam(
            NAMED, Y, filters=["ig", "su", "mrmr"], n_resamples=20, random_state=0,
            filter_params={"mrmr": {"n_features": 3}}, checks="none",
        ),
        {"n_features_to_select": 2},
    ),
    "a function as filter": (
        lambda: pyfsagg.wam(NAMED, Y, **QUICK | {"filter": own_filter}),
        {},
    ),
}  # fmt: skip


def own_filter(X: Any, y: Any, sample_weight: Any) -> Any:
    """The variance of each column."""
    return np.asarray(X).var(axis=0)


# --- lists --------------------------------------------------------------------------------------
MANY = [list(np.random.default_rng(i).permutation(30).astype(str)) for i in range(12)]
SAME = [list("abcdefghijkl")] * 4
BALLOTS = [["a", "b"], ["b"], ["c", "b"], [], ["a", "b", "c"]]

AGGREGATIONS: dict[str, tuple[Make, View]] = {
    "one significant": (
        lambda: aggregate(Rankings.from_lists([["a", "b"], ["a", "c"], ["a", "d"]], 1000)),
        {},
    ),
    "several significant": (lambda: aggregate(SAME), {"top": 3}),
    "not adjusted": (lambda: aggregate(SAME), {"adjusted": False}),
    "universe": (lambda: aggregate(Rankings.from_lists(LISTS, 50), "stuart", p_adjust="holm"), {}),
    "many lists": (lambda: aggregate(MANY, "mean_rank"), {"top": 5}),
    "kemeny": (lambda: aggregate(LISTS, "kemeny"), {"top": 1}),
    "one list": (lambda: aggregate([["a", "b"]], "borda"), {}),
    "weights": (lambda: aggregate(LISTS, "borda", list_weights=[1, 2, 0.5]), {}),
    "scores": (lambda: aggregate(SCORES, "arithmetic_mean"), {}),
    "scores by ranks": (lambda: aggregate(SCORES, "rra"), {}),
    "absent unknown": (
        lambda: aggregate(Rankings.from_lists(LISTS, absent="unknown"), "borda"),
        {},
    ),
    "learned": (lambda: aggregate(MANY, "birra"), {}),
    "of an ensemble": (lambda: aggregate(pyfsagg.wam(NAMED, Y, **QUICK), "rra"), {}),
}
COMPARISONS: dict[str, tuple[Make, View]] = {
    "three": (lambda: compare_aggregations(MANY, ["borda", "mc4", "stuart"]), {"top": 2}),
}
AGREEMENTS: dict[str, tuple[Make, View]] = {
    "all agree": (lambda: list_agreement(SAME), {}),
    "two lists": (lambda: list_agreement(MANY[:2], distance=2, pilot=5), {}),
    "ends early": (
        lambda: list_agreement(
            [[*"abcdefghij", *each[10:]] for each in MANY[:3]], distance=3, pilot=4
        ),
        {},
    ),
    "of scores": (lambda: list_agreement(SCORES[:3], persistence=0.9), {}),
}
COMMITTEES: dict[str, tuple[Make, View]] = {
    "no performance": (lambda: pyfsagg.vote(BALLOTS, feature_names=list("abcdef")), {}),
    "performance of some": (
        lambda: pyfsagg.vote(BALLOTS, performance=[0.8, 0.6, 0.9, 0.5, np.nan]), {},
    ),
    "knee": (
        lambda: pyfsagg.vote(
            [["a"], ["a", "b"], list("abcd")], performance=[0.5, 0.8, 0.9], feature_names=list("abcdef")
        ),
        {},
    ),
    "weighted by performance": (
        lambda: pyfsagg.vote(BALLOTS, performance=[0.8, 0.6, 0.9, 0.5, 0.7], voter_weights="performance"),
        {},
    ),
    "given weights and learners": (
        lambda: pyfsagg.vote(
            BALLOTS, voter_weights=[1, 2, 1, 1, 3], learners=["lr", "lr", "svm", "svm", "lr"], size=2
        ),
        {},
    ),
    "proportional": (lambda: pyfsagg.vote(BALLOTS, "phragmen"), {}),
    "many features": (lambda: pyfsagg.vote([each[:20] for each in MANY]), {}),
    "one voter": (lambda: pyfsagg.vote([["a"]]), {}),
    "of learners": (
        lambda: pyfsagg.committee(
            WINE.X, WINE.y, {"tree": DecisionTreeClassifier(random_state=0)}, n_resamples=3, random_state=0
        ),
        {},
    ),
}  # fmt: skip


# --- stability ----------------------------------------------------------------------------------
RANKED = np.random.default_rng(4).normal(size=(10, 12)) + np.linspace(2, 0, 12)
SETS = (RANKED.argsort(axis=1).argsort(axis=1) > 7).astype(int)
STABILITIES: dict[str, tuple[Make, View]] = {
    "one measure": (lambda: stability(RANKED, "jaccard", random_state=0), {}),
    "one with an interval": (
        lambda: stability(RANKED, "nogueira", n_features_to_select=4, random_state=0), {},
    ),
    "bootstrap": (
        lambda: stability(
            RANKED, ["nogueira", "spearman"], interval="bootstrap", n_boot=50, random_state=0,
            confidence_level=0.9,
        ),
        {},
    ),
    "no interval": (lambda: stability(RANKED, interval=None, random_state=0), {}),
    "sets": (lambda: stability(SETS, random_state=0), {}),
    "lists": (lambda: stability(LISTS, n_features=6, random_state=0), {}),
    "ties": (lambda: stability(RANKED.round(), n_features_to_select=5, random_state=0), {}),
    "all the same": (lambda: stability(np.tile(RANKED[0], (5, 1)), random_state=0), {}),
    "two resamples": (lambda: stability(RANKED[:2], random_state=0), {}),
    "paired": (
        lambda: stability(RANKED, "nogueira", compare=RANKED[:, ::-1], paired=True, random_state=0), {},
    ),
    "compared, too few": (
        lambda: stability(RANKED[:3], compare=RANKED[:2], names=["old", "new"], random_state=0), {},
    ),
    "similarity": (
        lambda: stability(RANKED, similarity=np.abs(np.corrcoef(RANKED.T)), random_state=0), {},
    ),
    "curve": (lambda: stability(RANKED, sizes=[2, 4, 6], random_state=0), {}),
}  # fmt: skip


# --- evaluations, influence and standings -------------------------------------------------------
EVALUATED: dict[str, Any] = {"n_resamples": 4, "random_state": 0, "classifiers": ["nb"]}


def scores(means: Any, holes: Any = (), rows: int = 12) -> pd.DataFrame:
    values = np.random.default_rng(4).normal(size=(rows, len(means))) * 0.05 + np.array(means)
    for hole in holes:
        values[hole] = np.nan
    names = list("abcdefghijkl")[: len(means)]
    return pd.DataFrame(values, columns=names, index=[f"d{i}" for i in range(rows)])


def replicated(sets: int) -> Any:
    rng = np.random.default_rng(3)
    rows = [
        (f"d{i}", name, k, mean + 0.1 * rng.normal())
        for i in range(sets)
        for name, mean in (("a", 0.9), ("b", 0.5), ("c", 0.48))
        for k in range(6)
    ]
    columns = {"dataset": "dataset", "method": "method", "value": "score", "replicate": "replicate"}
    table = pd.DataFrame(rows, columns=["dataset", "method", "replicate", "score"])
    return pyfsagg.standings(table, **columns)


EVALUATIONS: dict[str, tuple[Make, View]] = {
    "both protocols": (
        lambda: pyfsagg.evaluate(
            WINE.X, WINE.y, methods=["ig", "anova_f"], n_features_to_select=[2, 5],
            protocol=Protocol("both", n_folds=3), **EVALUATED,
        ),
        {"confidence_level": 0.9},
    ),
    "rankings of the user": (
        lambda: pyfsagg.evaluate(
            WINE.X, WINE.y, {"by name": list(WINE.X.columns)}, n_features_to_select=[0.2, 1.0], baselines=[],
            metrics=["accuracy", "mcc"], **EVALUATED,
        ),
        {},
    ),
    "numeric target": (
        lambda: pyfsagg.evaluate(
            NAMED, X[:, 0], methods=["pearson"], n_features_to_select=[0.5], task="regression", n_resamples=4,
            classifiers={"tree": DecisionTreeRegressor(random_state=0)}, random_state=0,
        ),
        {},
    ),
}  # fmt: skip
INFLUENCES: dict[str, tuple[Make, View]] = {
    "other measures": (
        lambda: pyfsagg.influence(
            WINE.X, WINE.y, aggregators=["am", "rra", "borda"], filter=["ig", "chi2"], n_folds=3,
            n_resamples=4, random_state=0,
        ),
        {"measures": ("nogueira", "canberra", "pearson"), "n_features_to_select": 3},
    ),
}  # fmt: skip
STANDINGS: dict[str, tuple[Make, View]] = {
    "no place": (lambda: pyfsagg.standings(scores([0.5] * 5)), {}),
    "some": (lambda: pyfsagg.standings(scores([0.9, 0.7, 0.68, 0.4, 0.1])), {"top": 3}),
    "two leaders": (lambda: pyfsagg.standings(scores([0.9, 0.9, 0.5, 0.5, 0.1])), {}),
    "all": (
        lambda: pyfsagg.standings(scores([0.9, 0.7, 0.5, 0.3, 0.1]), confidence_level=0.9), {},
    ),
    "by rank": (lambda: pyfsagg.standings(scores([0.9, 0.7, 0.5, 0.5]), by="rank"), {}),
    "smaller is better": (
        lambda: pyfsagg.standings(scores([0.9, 0.7, 0.5]), higher_is_better=False, rope=0.1), {},
    ),
    "holes": (lambda: pyfsagg.standings(scores([0.9, 0.7, 0.5, 0.5, 0.1], [(3, 1), (5, 4)])), {}),
    "many classes": (
        lambda: pyfsagg.standings(scores(np.linspace(9, 0, 12).tolist())), {},
    ),
    "few data sets": (lambda: pyfsagg.standings(scores([0.9, 0.7, 0.5], rows=4)), {}),
    "one data set": (lambda: pyfsagg.standings(scores([0.9, 0.7, 0.5], rows=1)), {}),
    "two data sets": (lambda: pyfsagg.standings(scores([0.9, 0.7], rows=2)), {}),
    "signs": (lambda: pyfsagg.standings(scores([0.9, 0.7, 0.5]), test="signs"), {}),
    "replicates, few": (lambda: replicated(4), {}),
    "replicates": (lambda: replicated(10), {}),
}  # fmt: skip


# --- studies, screens, eliminations and rankings without labels ---------------------------------
EFFECTS = {
    name: pd.DataFrame(
        {"gene": table["gene"], "effect": 0.3 * table["t"], "se": 0.3, "p": table["p"]}
    ).iloc[: 40 - 5 * i]
    for i, (name, table) in enumerate(STUDIES.items())
}
GENES = np.repeat([f"g{i}" for i in range(20)], 4)
STUDY_TABLES: dict[str, tuple[Make, View]] = {
    "two of them": (lambda: pyfsagg.studies({name: STUDIES[name] for name in "ab"}), {"top": 2}),
    "effects": (
        lambda: pyfsagg.studies(EFFECTS, item="gene", effect="effect", standard_error="se"), {},
    ),
    "by ranks": (lambda: pyfsagg.studies(STUDIES, evidence="ranks"), {"fdr": 0.2}),
    "in all": (lambda: pyfsagg.studies(STUDIES, min_studies=3, p_adjust="bh"), {}),
    "copies": (
        lambda: pyfsagg.studies({"a": STUDIES["a"], "copy": STUDIES["a"], "c": STUDIES["c"]}), {},
    ),
    "nothing": (
        lambda: pyfsagg.studies(
            {name: table.assign(t=table["t"].clip(-1, 1), p=0.5) for name, table in STUDIES.items()}
        ),
        {},
    ),
    "a conflict": (
        lambda: pyfsagg.studies(STUDIES | {"d": STUDIES["c"].assign(t=-STUDIES["c"]["t"])}), {},
    ),
}  # fmt: skip
SCREENS: dict[str, tuple[Make, View]] = {
    "one side": (lambda: screen(GUIDES, GENES, side="low"), {"top": 3}),
    "nothing": (lambda: screen(GUIDES[10:], GENES[10:]), {"fdr": 0.01}),
    "controls": (
        lambda: screen(GUIDES, GENES, control_genes=["g18", "g19"], alpha=0.2), {"genes": ("g0", "g3")},
    ),
    "effects and p-values": (
        lambda: screen(
            GUIDES, GENES, log_fold_changes=GUIDES / 2,
            p_values=(np.linspace(0.001, 1, 80), np.linspace(1, 0.001, 80)),
        ),
        {},
    ),
    "missing, few guides": (
        lambda: screen(np.where(np.arange(80) == 7, np.nan, GUIDES), GENES, missing="drop", min_guides=4),
        {"fdr": 0.9},
    ),
    "weights": (
        lambda: screen(GUIDES, GENES, guide_weights=1 + np.arange(80) % 2, null="uniform"), {},
    ),
    "replicates": (lambda: screen(GUIDES, GENES, replicates=[GUIDES, GUIDES[::-1]]), {}),
}  # fmt: skip
SMALL = ORDERS.X[:, :7] if isinstance(ORDERS.X, np.ndarray) else ORDERS.X.iloc[:, :7]
ELIMINATIONS: dict[str, tuple[Make, View]] = {
    method: (lambda method=method: eliminate(SMALL, ORDERS.y, method, random_state=0), {})
    for method in ("cdv", "greedy_kl", "koller_sahami")
} | {
    "accuracy": (
        lambda: eliminate(SMALL, ORDERS.y, accuracy=True, n_folds=3, random_state=0),
        {"n_features_to_select": 2},
    ),
    "always": (lambda: eliminate(SMALL, ORDERS.y, always=[0], random_state=0), {"n_features_to_select": 1}),
    "weights": (
        lambda: eliminate(SMALL, ORDERS.y, sample_weight=1 + np.arange(len(SMALL)) % 2, random_state=0), {},
    ),
}  # fmt: skip
UNLABELLED: dict[str, tuple[Make, View]] = {
    "frcm": (
        lambda: rank_unsupervised(WINE.X, "frcm", n_clusterings=10, random_state=0),
        {"n_features_to_select": 3},
    ),
    "frmv": (lambda: rank_unsupervised(WINE.X, "frmv", n_clusterings=10, random_state=0), {}),
    "svd_entropy": (
        lambda: rank_unsupervised(WINE.X, "svd_entropy"),
        {"n_features_to_select": 0.5},
    ),
    "two features": (
        lambda: rank_unsupervised(NAMED[["a", "b"]], "laplacian_score", standardize="none"),
        {"n_features_to_select": 1},
    ),
}
LISTS_APART: dict[str, tuple[Make, View]] = {
    "few": (
        lambda: influence_of_lists(MANY, ["borda", "rra"], measure="kendall", n_splits=2, random_state=0), {},
    ),
}  # fmt: skip

SETTINGS: dict[str, dict[str, tuple[Make, View]]] = {
    "aggregation": AGGREGATIONS,
    "comparison of aggregations": COMPARISONS,
    "agreement": AGREEMENTS,
    "stability": STABILITIES,
    "evaluation": EVALUATIONS,
    "influence": INFLUENCES,
    "standings": STANDINGS,
    "committee": COMMITTEES,
    "studies": STUDY_TABLES,
    "influence of lists": LISTS_APART,
    "screen": SCREENS,
    "elimination": ELIMINATIONS,
    "unsupervised": UNLABELLED,
    "ensemble": ENSEMBLES,
    "ensemble of noise": OF_NOISE,
    "ensemble of few features": OF_FEW,
}
