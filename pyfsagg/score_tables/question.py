"""From a table of scores to standings: what the table does not say itself is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd

from pyfsagg._base.registry import Call
from pyfsagg._base.validation import check_choice, check_flag, check_integer, check_real
from pyfsagg._message import Param
from pyfsagg._table.frames import pandas_frame
from pyfsagg.exceptions import ParameterError
from pyfsagg.score_tables._metrics import MetricStandings
from pyfsagg.score_tables._result import TESTS, WAYS, Standings
from pyfsagg.score_tables._table import ScoreTable, labels_of, named_column, read_scores
from pyfsagg.statistics._base import check_confidence_level

MOST_SIGNED = 60
"""Methods up to which signed ranks are the default; each pair takes a millisecond."""


@dataclass(frozen=True)
class Question:
    """How standings are made of a table, as in :func:`standings`; it is checked when it is made."""

    by: str = "mean"
    test: str = "auto"
    rope: float | None = None
    confidence_level: float = 0.95
    random_state: int = 0

    def __post_init__(self) -> None:
        check_choice("by", self.by, WAYS)
        check_choice("test", self.test, ("auto", *TESTS))
        if self.rope is not None:
            check_real("rope", self.rope, low=0.0)
        check_confidence_level("confidence_level", self.confidence_level)
        check_integer("random_state", self.random_state, low=0)

    def of(
        self, table: ScoreTable, *, higher_is_better: bool, call: Call | None = None, **told: Any
    ) -> Standings:
        """The standings of a table; `told` are fields that say what it is about."""
        few = len(table.methods) <= MOST_SIGNED
        test = "wilcoxon" if self.by == "rank" and few else "t"
        asked = replace(self, test=test) if self.test == "auto" else self
        asked_for = {"higher_is_better": higher_is_better, **asdict(asked)}
        repeated = {} if call is None else {"call": call.record()}
        return Standings(
            methods=table.methods,
            datasets=table.datasets,
            cells=table.cells,
            replicates=table.replicates,
            within=table.within,
            df=table.df,
            paired=table.paired,
            test_train_ratio=table.ratio,
            **asked_for,
            **told,
            parameters={**asked_for, "test_train_ratio": table.ratio, **repeated},
            data={
                "n_methods": len(table.methods),
                "n_datasets": len(table.datasets),
                "sha256": _hash(table),
            },
        )

    def each(
        self,
        metrics: Sequence[str],
        make: Callable[[Question, str, Call | None], Standings],
        call: Call | None = None,
    ) -> Standings | MetricStandings:
        """Standings by one metric, or by several at levels that keep the stated one together (Bonferroni)."""
        if len(metrics) == 1:
            return make(self, metrics[0], call)
        level = 1.0 - (1.0 - self.confidence_level) / len(metrics)
        of = tuple(make(replace(self, confidence_level=level), name, None) for name in metrics)
        higher = {name: one.higher_is_better for name, one in zip(metrics, of, strict=True)}
        repeated = {} if call is None else {"call": call.record()}
        own = {"higher_is_better": higher, "confidence_level": self.confidence_level}
        sha256 = hashlib.sha256("".join(one.data["sha256"] for one in of).encode())
        return MetricStandings(
            metrics=tuple(metrics),
            of=of,
            confidence_level=self.confidence_level,
            parameters={**of[0].parameters, **own, **repeated},
            data={**of[0].data, "n_metrics": len(of), "sha256": sha256.hexdigest()},
        )


def _hash(table: ScoreTable) -> str:
    """SHA-256 of the names, the cells and the replicates."""
    digest = hashlib.sha256("\0".join((*table.methods, "", *table.datasets)).encode())
    digest.update((table.cells + 0.0).tobytes())
    digest.update(table.replicates.tobytes())
    return digest.hexdigest()


def standings(
    data: Any,
    *,
    method: str | None = None,
    dataset: str | None = None,
    value: str | None = None,
    replicate: str | None = None,
    metric: str | None = None,
    higher_is_better: bool | Mapping[str, bool] = True,
    by: str = "mean",
    test: str = "auto",
    test_train_ratio: float = 0.0,
    rope: float | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> Standings | MetricStandings:
    """Which places of a table of scores are real.

    Parameters
    ----------
    data : DataFrame, array, result of evaluate, evaluate_many or influence, or mapping
        A wide table has a row per data set (task, instance) and a column per method; one column of words,
        or the index, names the data sets.  Of a long table `method` and `value` name the columns.  Missing
        scores are holes.  A result brings its direction and what its folds share.  A mapping of names to
        results has a result per data set, one of names to tables a table per metric.
    method, value : str, optional
        Columns of a long table.
    dataset : str, optional
        The column of the data sets.  Rows of a wide table with the same data set are its replicates:
        instances, folds or seeds that are the same for all methods.
    replicate : str, optional
        The column of a long table that says which scores belong together across methods (the same fold,
        the same instance).  Without it, repeated scores of a method on a data set are independent of those of
        others, as seeds are.
    metric : str, optional
        The column that says by which metric a row was scored.  All sets and pairs of all metrics hold
        together.
    higher_is_better : bool, or mapping of metric to bool
    by : {"mean", "rank"}
        Places by the mean score over data sets, or by the average rank within data sets.
    test : {"auto", "t", "wilcoxon", "signs"}
        Test of the pairs over data sets, with Holm's correction; auto is t for means and Wilcoxon's signed
        ranks for average ranks of up to 60 methods.  "signs" goes through all signs of the differences, for
        up to 16 data sets.
    test_train_ratio : float
        Test rows by training rows, if replicates are folds or repeated splits of the same rows, which
        depend on each other: 1/9 for ten folds.  0 for independent replicates.
    rope : float, optional
        Differences up to here do not matter: pairs get the probabilities that the first is worse, equivalent
        and better, by a flat prior.
    confidence_level : float
        Of all sets and intervals; 1 − `confidence_level` is the family-wise level of the pairs.
    random_state : int
        Seed of random signs and draws.

    Returns
    -------
    Standings or MetricStandings
        Sets of places, pairs, groups that cannot be told apart, and what data sets and holes could change;
        of several metrics, those of each and how they agree.

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

    Up to 16 data sets Wilcoxon's test is exact, with ties given these.  The test of all methods is
    Friedman's, exact where its arrangements are few enough to go through (3 or 4 methods on up to 16 data
    sets, 5 on up to 9), by Iman and Davenport's F for more, and that of Skillings and Mack with holes.

    Sources: Mogstad et al. (2024) for the sets; Demšar (2006) for average ranks; Skillings and Mack (1981)
    for holes; Nadeau and Bengio (2003) for folds; Benavoli et al. (2017) for `rope`.

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
    call = Call.of(standings, locals(), data=("data",))
    asked = Question(by, test, rope, confidence_level, random_state)
    ratio = check_real("test_train_ratio", test_train_ratio, low=0.0)
    columns = {"method": method, "dataset": dataset, "value": value, "replicate": replicate}
    several = isinstance(data, Mapping) and bool(data)
    first = next(iter(data.values())) if several else data
    if hasattr(first, "_standings"):  # results of this package
        if given := [name for name, column in {**columns, "metric": metric}.items() if column]:
            raise ParameterError(
                Param(given[0]), " names a column of a table; a result brings its own"
            )
        found: Standings | MetricStandings = (
            type(first)._standings_together(data, asked, call)
            if several
            else data._standings(asked, call)
        )
        return found
    if several:
        if metric is not None:
            raise ParameterError(
                Param("metric"), " names a column; of several tables each is a metric"
            )
        tables = {str(name): one for name, one in data.items()}
    elif metric is not None:
        tables = _divided(data, metric)
    else:
        flag = check_flag("higher_is_better", higher_is_better)
        table = read_scores(data, **columns, test_train_ratio=ratio)
        return asked.of(table, higher_is_better=flag, call=call)
    read = {
        name: read_scores(one, **columns, test_train_ratio=ratio) for name, one in tables.items()
    }
    higher = _directions(higher_is_better, list(read))
    return asked.each(
        list(read),
        lambda one, name, call: one.of(read[name], higher_is_better=higher[name], call=call),
        call,
    )


def _divided(data: Any, metric: str) -> dict[str, Any]:
    """The table of each metric."""
    frame = pandas_frame(data)
    if not isinstance(frame, pd.DataFrame):
        raise ParameterError(Param("metric"), " names a column, and an array has none")
    codes, names = labels_of(named_column(frame, metric))
    rest = frame.drop(columns=[metric])
    return {name: rest[codes == code] for code, name in enumerate(names)}


def _directions(higher: bool | Mapping[str, bool], metrics: list[str]) -> dict[str, bool]:
    if not isinstance(higher, Mapping):
        return dict.fromkeys(metrics, check_flag("higher_is_better", higher))
    if set(higher) != set(metrics):
        raise ParameterError(
            Param("higher_is_better"),
            f" must say True or False for each of the metrics {', '.join(metrics)}, got "
            f"{', '.join(map(str, higher))}",
        )
    return {name: check_flag("higher_is_better", higher[name]) for name in metrics}
