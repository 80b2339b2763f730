"""One table of cases: every function of R that takes numbers, with `NA`, and that of Python with NaN.

``python missing_numbers.py FOLDER`` runs the side of Python on the files of the folder.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pyfsagg
from pyfsagg import error_control, rank_order, statistics, unsupervised

RUN = "n_resamples = 5, seed = 1, pairs = 0, shuffles = 0"
START = {"n_resamples": 5, "random_state": 1, "checks": "none"}


class Inputs:
    """The numbers of the files: a table with classes `X`, `y`; scores of lists by items `s`."""

    def __init__(self, folder: Path) -> None:
        self.X = pd.read_csv(folder / "table.csv")
        self.y = self.X.pop("class_")
        self.s = pd.read_csv(folder / "scores.csv")
        self.ranks = self.s.rank(axis=1, ascending=False)
        self.v = self.s.to_numpy()[0]
        self.tables = {
            f"t{k}": pd.DataFrame({"item": self.s.columns, "p": row, "e": row - 0.5})
            for k, row in enumerate(self.s.to_numpy()[:3])
        }


R_INPUTS = """
X <- utils::read.csv("table.csv"); y <- factor(X$class_); X$class_ <- NULL
s <- as.matrix(utils::read.csv("scores.csv"))
v <- unname(s[1, ]); items <- t(s); ranks <- t(apply(-s, 1, rank, na.last = "keep"))
tables <- lapply(c(t0 = 1, t1 = 2, t2 = 3), function(k) {
  data.frame(item = colnames(s), p = unname(s[k, ]), e = unname(s[k, ]) - 0.5)
})
"""


def write_inputs(folder: Path) -> None:
    """Numbers with missing ones, and extremes before these; short, so all readers give the same bits."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame((rng.normal(size=(41, 5)).round(2) + 0.001).round(3), columns=list("abcde"))
    y = np.where(X["a"] + rng.normal(size=41) > 0, "yes", "no")
    X = X.mask(rng.random(X.shape) < 0.15)
    X.iloc[0], X.iloc[1], X.iloc[-1, 1:4] = -4.5, 4.5, np.nan
    X.assign(class_=y).to_csv(folder / "table.csv", index=False)
    s = pd.DataFrame(rng.integers(1, 100, (7, 6)) / 100, columns=list("abcdef"))
    s = s.mask(rng.random(s.shape) < 0.15)
    s.iloc[0] = [0.001, 0.7, np.nan, 0.2, 0.3, 0.999]
    s.iloc[-1, :2] = np.nan
    s.to_csv(folder / "scores.csv", index=False)


Python = Callable[[Inputs], Any]
CASES: dict[str, tuple[str, Python]] = {
    # runs
    "wam": (
        f'wam(X, y, "chi_squared", {RUN})$scores',
        lambda i: pyfsagg.wam(i.X, i.y, filter="chi_squared", **START).scores,
    ),
    "bam": (
        f'bam(X, y, c("chi_squared", "gain_ratio"), {RUN})$scores',
        lambda i: pyfsagg.bam(i.X, i.y, filters=["chi_squared", "gain_ratio"], **START).scores,
    ),
    "feature_groups": (
        f'wam(X, y, {RUN}, feature_groups = list(g = c("a", "b")), group_score = "max")$scores',
        lambda i: pyfsagg.wam(
            i.X, i.y, task=pyfsagg.Task(feature_groups={"g": ["a", "b"]}, group_score="max"), **START
        ).scores,
    ),
    "evaluate": (
        'evaluate(X, y, "chi_squared", "naive_bayes", 0.5, n_folds = 2, n_resamples = 3, '
        "seed = 1)$cells$value",
        lambda i: pyfsagg.evaluate(
            i.X, i.y, methods=["chi_squared"], classifiers=["naive_bayes"], n_features_to_select=[0.5],
            protocol=pyfsagg.evaluation.Protocol(protocol="nested", n_folds=2), n_resamples=3, random_state=1,
        ).cells["value"],
    ),
    "permute_target": (
        'permute_target(X, y, 19, seed = 1, filter = "chi_squared", n_resamples = 5)',
        lambda i: pyfsagg.ensemble.permute_target(
            i.X, i.y, shuffles=19, random_state=1, filter="chi_squared", n_resamples=5
        ),
    ),
    "score_features": (
        'score_features(X, y, "chi_squared")',
        lambda i: pyfsagg.filters.chi_squared(i.X, i.y),
    ),
    # one table
    "discretize": (
        'discretize(X, y, "equal_width")$cutpoints',
        lambda i: list(pyfsagg.discretization.discretize(i.X, i.y, method="equal_width").cutpoints.values()),
    ),
    "near_zero_variance": ("near_zero_variance(X)", lambda i: pyfsagg.filters.near_zero_variance(i.X)),
    "eliminate_features": (
        "eliminate_features(X, y, missing = 'unknown', seed = 1)",
        lambda i: rank_order.eliminate(i.X, i.y, missing="unknown", random_state=1).to_frame(),
    ),
    "laplacian_score": ("laplacian_score(X)", lambda i: unsupervised.laplacian_score(i.X)),
    "svd_entropy": ("svd_entropy(X)", lambda i: unsupervised.svd_entropy(i.X)),
    "rank_unsupervised": (
        'rank_unsupervised(X, "laplacian_score")',
        lambda i: unsupervised.rank_unsupervised(i.X, "laplacian_score"),
    ),
    "frcm": ("frcm(X, seed = 1)", lambda i: unsupervised.frcm(i.X, random_state=1).scores),
    "frmv": ("frmv(X, seed = 1)", lambda i: unsupervised.frmv(i.X, random_state=1).scores),
    # tests of a table of scores
    "bayesian_t_tests": (
        "bayesian_t_tests(X, 0.1, 0.1, missing = 'drop')",
        lambda i: statistics.bayesian_t_tests(
            i.X, rope=0.1, test_train_ratio=0.1, missing="drop"
        ),
    ),
    "critical_difference": (
        "critical_difference(X, missing = 'drop')",
        lambda i: statistics.critical_difference(i.X, missing="drop"),
    ),
    "nemenyi": ("nemenyi(X, missing = 'drop')", lambda i: statistics.nemenyi(i.X, missing="drop")),
    "win_tie_loss": (
        "win_tie_loss(X, missing = 'drop')",
        lambda i: statistics.win_tie_loss(i.X, missing="drop"),
    ),
    "nemenyi of gaps": ("nemenyi(X)", lambda i: statistics.nemenyi(i.X)),
    "standings": ("standings(X)", lambda i: pyfsagg.standings(i.X)),
    "rank_confidence": (
        "rank_confidence(v, standard_errors = rep(1, 6))",
        lambda i: statistics.rank_confidence(i.v, standard_errors=np.ones(6)),
    ),
    # numbers alone
    "calibrate_selection": (
        "calibrate_selection(s)", lambda i: error_control.calibrate_selection(i.s)
    ),
    "weighted_average_accuracy": (
        "weighted_average_accuracy(v[-1], c(.1, .2, .3, .4, .5))",
        lambda i: pyfsagg.evaluation.weighted_average_accuracy(i.v[1:], [0.1, 0.2, 0.3, 0.4, 0.5]),
    ),
    "pareto_front": (
        "pareto_front(v, rev(v))", lambda i: pyfsagg.stability_measures.pareto_front(i.v, i.v[::-1])
    ),
    "vote_features": (
        'vote_features(list("a", c("a", "b"), "b", "c", "a", "b"), performance = v)',
        lambda i: pyfsagg.vote(
            [["a"], ["a", "b"], ["b"], ["c"], ["a"], ["b"]], performance=i.v
        ).to_frame(),
    ),
    "screen_genes": (
        'screen_genes(as.vector(items), rep(c("g", "h", "i"), each = 14), missing = "drop")',
        lambda i: pyfsagg.screen(
            i.s.to_numpy().ravel(), np.repeat(["g", "h", "i"], 14), missing="drop"
        ).to_frame(),
    ),
    "studies": (
        'studies(tables, item = "item", effect = "e", p_value = "p")',
        lambda i: pyfsagg.studies(i.tables, item="item", effect="e", p_value="p").to_frame(),
    ),
    # lists
    **{
        f"aggregate_lists {method} of {kind}": (
            f'aggregate_lists(rank_table({data}, input = "{kind}"), "{method}")',
            lambda i, method=method, read=read: pyfsagg.aggregate(read(i), method).to_frame(),
        )
        for kind, data, read, methods in (
            ("scores", "items", lambda i: pyfsagg.Rankings.from_scores(i.s),
             ("minimum", "maximum", "l2_norm", "arithmetic_mean", "robust_rank_aggregation")),
            ("ranks", "t(ranks)", lambda i: pyfsagg.Rankings.from_ranks(i.ranks),
             ("minimum_rank", "borda")),
            ("normalized", "items", lambda i: pyfsagg.Rankings.from_normalized_ranks(i.s),
             ("minimum_rank", "robust_rank_aggregation")),
        )
        for method in methods
    },
    "aggregate_ranks": (
        'with(aggregate_ranks(rmat = items, method = "min"), Score[order(Name)])',
        lambda i: np.nanmin(i.s, axis=0),
    ),
    "compare_aggregations": (
        'compare_aggregations(rank_table(items, input = "scores"), c("minimum", "borda"))',
        lambda i: pyfsagg.aggregation.compare_aggregations(
            pyfsagg.Rankings.from_scores(i.s), ["minimum", "borda"]
        ).to_frame(),
    ),
    "permutation_p_values": (
        'permutation_p_values(rank_table(items, input = "scores"), "minimum", n_permutations = 9, seed = 1)',
        lambda i: pyfsagg.aggregation.permutation_p_values(
            pyfsagg.Rankings.from_scores(i.s), "minimum", n_permutations=9, random_state=1
        ).to_frame(),
    ),
    "check_universe": (
        'check_universe(rank_table(items, input = "scores"))',
        lambda i: pyfsagg.aggregation.check_universe(pyfsagg.Rankings.from_scores(i.s)),
    ),
    "influence_of_lists": (
        'influence_of_lists(rank_table(items, input = "scores"), c("minimum", "borda"), '
        "n_splits = 3, seed = 1)",
        lambda i: pyfsagg.aggregator_influence.influence_of_lists(
            pyfsagg.Rankings.from_scores(i.s), ["minimum", "borda"], n_splits=3, random_state=1
        ).to_frame(),
    ),
    # collections
    **{
        name: (f"{name}(s)", lambda i, name=name: getattr(pyfsagg.stability_measures, name)(i.s))
        for name in ("adequacy", "feature_stability", "nogueira", "stability_curve", "stability")
    },
    "nogueira_test": ("nogueira_test(s)", lambda i: pyfsagg.stability_measures.nogueira(i.s).test()),
    "between_sample_stability": (
        "between_sample_stability(s, s)",
        lambda i: pyfsagg.stability_measures.between_sample_stability(i.s, i.s),
    ),
}  # fmt: skip
"""Code of R, and the same in Python.  What refuses missing numbers does so on both sides."""

WITHOUT = {
    "list_methods", "load_dataset", "make_planted_orders", "pfer_bound",
    "membership_similarity", "list_agreement",  # no numbers that may be missing
    "read_feature_table",  # read by Python on both sides
    "martingale_residuals",  # of times, which no function takes with missing ones
    "clustering_curve", "integrated_path", "compare_aggregators",
}  # fmt: skip
"""Functions of `CALLS` without a case."""

R_NUMBERS = """
numbers <- function(found) {
  if (inherits(found, "pyfsagg_result")) found <- as.data.frame(found)
  if (is.data.frame(found)) found <- Filter(is.numeric, as.list(found))
  as.list(sprintf("%a", as.double(unlist(found, use.names = FALSE))))
}
show <- function(code) tryCatch(numbers(suppressWarnings(eval(str2lang(code)))), pyfsagg_error = function(e) {
  paste("refused:", class(e)[1], conditionMessage(e))
})
"""


def numbers_of(found: Any) -> list[str]:
    """All numbers of an answer, exactly; those of a table column by column."""
    if hasattr(found, "to_frame") and not isinstance(found, (pd.DataFrame, pd.Series)):
        found = found.to_frame()
    if isinstance(found, pd.DataFrame):
        found = [found[name] for name in found.select_dtypes("number")]
    if isinstance(found, (list, tuple)):
        return [number for part in found for number in numbers_of(part)]
    return [float(number).hex() for number in np.ravel(np.asarray(found, dtype=float), order="F")]


def main() -> None:
    """The answers of Python as JSON."""
    import warnings

    warnings.simplefilter("ignore")
    inputs = Inputs(Path(sys.argv[1]))
    answers: dict[str, Any] = {}
    for name, (_, python) in CASES.items():
        try:
            answers[name] = numbers_of(python(inputs))
        except pyfsagg.exceptions.PyfsaggError as error:
            answers[name] = f"refused: {error}"
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
