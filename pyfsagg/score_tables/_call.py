"""The public call: a table of scores in, standings out."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from pyfsagg._base.registry import Call
from pyfsagg._base.validation import check_choice, check_flag, check_integer, check_real
from pyfsagg.score_tables._result import TESTS, WAYS, Standings
from pyfsagg.score_tables._table import ScoreTable, read_scores
from pyfsagg.statistics._base import check_confidence_level

MOST_SIGNED = 60
"""Methods up to which signed ranks are the default; each pair takes a millisecond."""


def standings(
    data: Any,
    *,
    method: str | None = None,
    dataset: str | None = None,
    value: str | None = None,
    replicate: str | None = None,
    higher_is_better: bool = True,
    by: str = "mean",
    test: str = "auto",
    test_train_ratio: float = 0.0,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> Standings:
    """Which places of a table of scores are real.

    Parameters
    ----------
    data : DataFrame, array, or a result of evaluate, evaluate_many or their compare
        A wide table has a row per data set (task, instance) and a column per method; one column of words,
        or the index, names the data sets.  Of a long table `method` and `value` name the columns.  Missing
        scores are holes.  A result brings its direction and what its folds share.
    method, value : str, optional
        Columns of a long table.
    dataset : str, optional
        The column of the data sets.  Rows of a wide table with the same data set are its replicates:
        instances, folds or seeds that are the same for all methods.
    replicate : str, optional
        The column of a long table that says which scores belong together across methods (the same fold,
        the same instance).  Without it, repeated scores of a method on a data set are independent of those of
        others, as seeds are.
    higher_is_better : bool
    by : {"mean", "rank"}
        Places by the mean score over data sets, or by the average rank within data sets.
    test : {"auto", "t", "wilcoxon"}
        Test of the pairs over data sets, with Holm's correction; auto is t for means and Wilcoxon's signed
        ranks for average ranks of up to 60 methods.
    test_train_ratio : float
        Test rows by training rows, if replicates are folds or repeated splits of the same rows, which
        depend on each other: 1/9 for ten folds.  0 for independent replicates.
    confidence_level : float
        Of all sets and intervals; 1 − `confidence_level` is the family-wise level of the pairs.
    random_state : int
        Seed of random signs and draws.

    Returns
    -------
    Standings
        Sets of places, pairs, groups that cannot be told apart, and what data sets and holes could change.

    Raises
    ------
    DataError
        For fewer than two methods, a method without any score, text among the scores, two values for one
        replicate, or methods that share no data set.

    See Also
    --------
    pyfsagg.statistics.rank_confidence : The sets alone, also for estimates with known errors.

    Notes
    -----
    Two questions are kept apart.  *Data sets like these*: would the places be the same on other data sets
    of the kind?  The data sets are the sample; fewer than 8 are too few to answer.  *These data sets*: would
    they be the same with other instances, folds or seeds?  The replicates of each cell are the sample.

    With holes, means are those of an additive fit of methods and data sets, pairs are compared on the data
    sets that both have, and sets are made of pairs (Holm).

    Sources: Mogstad et al. (2024) for the sets; Demšar (2006) for average ranks; Skillings and Mack (1981)
    for holes; Nadeau and Bengio (2003) for folds.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(0).normal(size=(12, 3))
    >>> result = standings(noise + [2.0, 0.0, 0.0])
    >>> result.may_be_first
    ['method 1']
    >>> result.groups()
    [['method 1'], ['method 2', 'method 3']]
    """
    settings: dict[str, Any] = {}
    call = Call.of(standings, locals(), data=("data",))
    if hasattr(data, "_scores"):  # a result of this package that holds a table of scores
        data, settings = data._scores()
    flag = check_flag("higher_is_better", settings.get("higher_is_better", higher_is_better))
    check_choice("by", by, WAYS)
    check_choice("test", test, TESTS)
    ratio = settings.get("test_train_ratio", test_train_ratio)
    ratio = check_real("test_train_ratio", ratio, low=0.0)
    level = check_confidence_level("confidence_level", confidence_level)
    seed = check_integer("random_state", random_state, low=0)
    columns = {"method": method, "dataset": dataset, "value": value, "replicate": replicate}
    columns |= {name: settings[name] for name in columns if name in settings}
    table = read_scores(data, **columns, test_train_ratio=ratio)
    if settings.get("df") is not None:
        table = replace(table, df=min(table.df, settings["df"]))
    if test == "auto":
        few = len(table.methods) <= MOST_SIGNED
        test = "wilcoxon" if by == "rank" and few else "t"
    return Standings(
        methods=table.methods,
        datasets=table.datasets,
        cells=table.cells,
        replicates=table.replicates,
        within=table.within,
        df=table.df,
        paired=table.paired,
        higher_is_better=flag,
        by=by,
        test=test,
        confidence_level=level,
        random_state=seed,
        parameters={
            "higher_is_better": flag,
            "by": by,
            "test": test,
            "test_train_ratio": ratio,
            "confidence_level": level,
            "random_state": seed,
            "call": call.record(),
        },
        data={
            "n_methods": len(table.methods),
            "n_datasets": len(table.datasets),
            "sha256": _hash(table),
        },
    )


def _hash(table: ScoreTable) -> str:
    """SHA-256 of the names, the cells and the replicates."""
    digest = hashlib.sha256("\0".join((*table.methods, "", *table.datasets)).encode())
    digest.update((table.cells + 0.0).tobytes())
    digest.update(table.replicates.tobytes())
    return digest.hexdigest()
