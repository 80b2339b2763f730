"""One small result of every kind, by its name."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

import pyfsagg
from pyfsagg.aggregation import aggregate, compare_aggregations, list_agreement
from pyfsagg.rank_order import eliminate, make_planted_orders
from pyfsagg.screens import screen
from pyfsagg.stability_measures import stability
from pyfsagg.unsupervised import rank_unsupervised

WINE = pyfsagg.load_dataset("wine")
SCORES = np.linspace(0, 1, 10) + 0.4 * np.random.default_rng(2).random((20, 10))
ORDERS = make_planted_orders(3, 10, n_extraneous=2, random_state=0)
GUIDES = np.random.default_rng(1).standard_normal(80) - 4.0 * (np.arange(80) < 4)
STUDIES = {
    name: pd.DataFrame({"gene": [f"g{j}" for j in range(40)], "t": z, "p": 2 * ndtr(-np.abs(z))})
    for name, z in zip(
        "abc", np.random.default_rng(6).normal(size=(3, 40)) + 5 * (np.arange(40) < 2), strict=True
    )
}
LISTS = [["a", "b", "c"], ["b", "a"], ["b", "d", "a"]]
RESULTS: dict[str, Callable[[], Any]] = {
    "aggregation": lambda: aggregate(LISTS, "rra"),
    "comparison of aggregations": lambda: compare_aggregations(LISTS, ["rra", "borda"]),
    "agreement": lambda: list_agreement(LISTS),
    "stability": lambda: stability(
        SCORES, n_features_to_select=3, compare=SCORES[:9, ::-1], random_state=0
    ),
    "evaluation": lambda: pyfsagg.evaluate(
        WINE.X,
        WINE.y,
        methods=["ig", "su"],
        classifiers="nb",
        thresholds=[0.3],
        n_resamples=5,
        random_state=2,
    ),
    "influence": lambda: influence(),
    "standings": lambda: influence().compare(),
    "standings by metrics": lambda: pyfsagg.standings(influence()),
    "committee": lambda: pyfsagg.vote(
        [["a", "b"], ["b"], ["c", "b"]], performance=[0.9, 0.5, 0.7], feature_names=list("abcd")
    ),
    "studies": lambda: pyfsagg.studies(STUDIES),
    "influence of lists": lambda: pyfsagg.aggregator_influence.influence_of_lists(
        SCORES[:7], n_splits=3, random_state=0
    ),
    "screen": lambda: screen(GUIDES, np.repeat([f"g{i}" for i in range(20)], 4)),
    "elimination": lambda: eliminate(ORDERS.X, ORDERS.y, "spoilers", random_state=0),
    "unsupervised": lambda: rank_unsupervised(WINE.X, "laplacian_score"),
    "ensemble": lambda: pyfsagg.wam(WINE.X, WINE.y, n_resamples=20, random_state=0),
    "ensemble with a limit": lambda: pyfsagg.wam(
        WINE.X, WINE.y, resampling="complementary_pairs", n_resamples=40, random_state=0
    ),
}


def influence() -> Any:
    return pyfsagg.influence(
        WINE.X, WINE.y, aggregators=["am", "gm"], n_folds=4, n_resamples=6, random_state=0
    )
