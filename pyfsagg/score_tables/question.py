"""From a table of scores to standings: how the table is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base import remarks
from pyfsagg._base.arithmetic import Floats, content_order, levelled
from pyfsagg._base.digest import digest
from pyfsagg._base.memory import require_memory
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.validation import (
    as_array,
    check_choice,
    check_flag,
    check_integer,
    check_real,
    is_column,
)
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._message import Param
from pyfsagg._table.frames import frame_of_array, pandas_frame
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.score_tables._metrics import MetricStandings
from pyfsagg.score_tables._result import TESTS, WAYS, Standings
from pyfsagg.statistics._base import check_confidence_level, read_numbers

LARGEST = 1e140


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Fields of :class:`Standings`: `within` is None if a data set of all methods lacks replicates, `df` the
    fewest degrees of freedom of a method (Satterthwaite); `paired` replicates are the same for all."""

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: Floats
    replicates: NDArray[np.int64]
    within: Floats | None
    df: float
    paired: bool
    test_train_ratio: float


def read_scores(
    data: Any,
    *,
    method: str | None,
    dataset: str | None,
    value: str | None,
    replicate: str | None,
    test_train_ratio: float,
) -> ScoreTable:
    """A wide table (a column per method) or a long one (`method` and `value` name columns)."""
    frame = pandas_frame(data)
    if not isinstance(frame, pd.DataFrame):
        array = as_array("data", frame)
        if array.ndim != 2:
            must = f" must have two dimensions, got an array of shape {array.shape}"
            raise DataError(Param("data"), must)
        names = [f"method {j + 1}" for j in range(array.shape[1])]
        frame = frame_of_array(array, columns=names)
    if (method is None) != (value is None):
        raise ParameterError(
            "the columns of the methods and of their values belong together: name both for a long "
            "table, neither for a wide one (a column per method)"
        )
    if method is None or value is None:
        if replicate is not None:
            column = " names a column of a long table; of a wide one each row is a replicate of all methods"
            raise ParameterError(Param("replicate"), column)
        return _wide(frame, dataset, test_train_ratio)
    return _long(frame, method, dataset, value, replicate, test_train_ratio)


def named_column(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    if not is_column(name, frame.columns):
        raise UnknownNameError("column", name, map(str, frame.columns))
    found = frame[name]
    if isinstance(found, pd.DataFrame):
        raise DataError(f"the table has more than one column {name!r}; give each its own name")
    return found


def labels_of(column: pd.Series[Any]) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Position of each label in the order of its first appearance, and the labels."""
    if bool(column.isna().any()):
        row = int(np.flatnonzero(column.isna())[0]) + 1
        raise DataError(f"the column {column.name!r} has no label in row {row}; fill it in")
    codes, labels = pd.factorize(column.astype(str))
    return np.asarray(codes, dtype=np.intp), tuple(map(str, labels))


def _wide(frame: pd.DataFrame, dataset: str | None, ratio: float) -> ScoreTable:
    if dataset is None:
        numeric = pd.api.types.is_numeric_dtype
        words = [name for name, kind in frame.dtypes.items() if not numeric(kind)]
        column = frame[words[0]] if len(words) == 1 else pd.Series([None])
        if column.notna().all() and pd.to_numeric(column, errors="coerce").isna().any():
            dataset = str(words[0])
            frame = frame.rename(columns={words[0]: dataset})
    if dataset is None or is_column(dataset, frame.columns):
        frame, dataset = _without_labels(frame, dataset)
    if dataset is not None:
        codes, datasets = labels_of(named_column(frame, dataset))
        frame = frame.drop(columns=[dataset])
    else:
        named = not isinstance(frame.index, pd.RangeIndex)
        datasets = tuple(map(str, frame.index if named else range(1, len(frame) + 1)))
        codes, datasets = labels_of(pd.Series(datasets, name="data set"))
    methods = tuple(map(str, frame.columns))
    if len(set(methods)) < len(methods):
        twice = next(name for name in methods if methods.count(name) > 1)
        raise DataError(f"the table has more than one column {twice!r}; give each its own name")
    hint = "; of a wide table all columns but that of the data sets are methods"
    columns = [read_numbers(frame[name], str(name), hint) for name in frame.columns]
    rows = np.column_stack(columns) if columns else np.empty((len(frame), 0))
    return score_table(rows, codes, datasets, methods, ratio)


ROW_LABEL = re.compile(
    r"(.*[ _.-])?(folds?|splits?|seeds?|runs?|repeats?|repetitions?|resamples?|replicates?|iterations?|iter"
    r"|trials?|tasks?|instances?|data[ _.-]?sets?|id|idx|index|row)([ _.-]?(id|no|nr|number|\d+))?"
    r"|unnamed: ?\d+|",
    re.IGNORECASE,
)
"""Names of columns of whole numbers that are names of rows and no method."""

FEWEST_COUNTED, FEWEST_SHUFFLED = 4, 8
"""Fewest rows for which a column that numbers them, in any order, does not do so by chance."""


def _without_labels(frame: pd.DataFrame, dataset: str | None) -> tuple[pd.DataFrame, str | None]:
    """A wide table without the columns that only number its rows, and the column of the data sets: one of
    these if neither `dataset` nor the index names them."""
    whole = [j for j in range(frame.shape[1]) if _is_whole(frame.iloc[:, j])]
    names = [str(name) for name in frame.columns]
    labels = [j for j in whole if ROW_LABEL.fullmatch(_to_parts(names[j])) and names[j] != dataset]
    if frame.shape[1] - len(labels) - (dataset is not None) < 2:
        return frame, dataset  # they are all that is compared
    if dataset is None and not pd.api.types.is_string_dtype(frame.index):
        chosen = _names_of_rows(frame, labels, whole)
        if chosen is not None:
            dataset = names[chosen]
            labels = [j for j in labels if j != chosen]
            frame = frame.rename(columns={frame.columns[chosen]: dataset})
            remarks.warn(
                f"the column {dataset!r} numbers the rows and is read as the names of the data sets; rename "
                "it if it is a method",
                stacklevel=5,
            )
    if labels:
        dropped = enumerate_names([repr(names[j]) for j in labels])
        remarks.warn(
            f"omitted, because they only number the rows: {dropped}; rename what is a method",
            stacklevel=5,
        )
    return frame.iloc[:, [j for j in range(frame.shape[1]) if j not in labels]], dataset


def _names_of_rows(frame: pd.DataFrame, labels: list[int], whole: list[int]) -> int | None:
    """The column of whole numbers that names the rows: one called so, or one that counts them beside
    fractions."""
    if labels:
        clear = [j for j in labels if frame.iloc[:, j].is_unique]
        # An index that was written with the table says less than a fold.
        bare = [j for j in clear if re.fullmatch(r"(?i)unnamed.*|index|", str(frame.columns[j]))]
        clear, unclear = [j for j in clear if j not in bare] or bare, labels
    else:
        alone = len(whole) == 1
        fewest = FEWEST_SHUFFLED if alone else None
        unclear = [j for j in whole if _counts(frame.iloc[:, j], fewest)]
        unclear = unclear if len(unclear) == 1 else []  # where several do, these are scores
        clear = [j for j in unclear if alone and _counts(frame.iloc[:, j], None)]
    if clear or not unclear or frame.shape[1] < 3:
        return clear[0] if clear else None
    raise DataError(
        f"the column {str(frame.columns[unclear[0]])!r} seems to number the rows; name it with ",
        Param("dataset"),
        " if it does (rows with the same number are then replicates of one data set), or drop it; if it is a "
        "method, add a column of words that names the rows",
    )


def _to_parts(name: str) -> str:
    """A name whose words are apart: CVSplit, datasetId."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.strip())


def _is_whole(column: pd.Series[Any]) -> bool:
    """Whether a column has whole numbers, and no gap."""
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return False
    return bool(column.notna().all()) and bool((column % 1 == 0).all())


def _counts(column: pd.Series[Any], fewest_shuffled: int | None) -> bool:
    """Whether a column of whole numbers has 0 to n − 1, or 1 to n: in order, or in any from some rows on."""
    n, first = len(column), int(column.min())
    if fewest_shuffled is not None and n >= fewest_shuffled:
        column = column.sort_values()
    return (
        n >= FEWEST_COUNTED
        and first in (0, 1)
        and np.array_equal(column, np.arange(first, first + n))
    )


def _long(
    frame: pd.DataFrame,
    method: str,
    dataset: str | None,
    value: str,
    replicate: str | None,
    ratio: float,
) -> ScoreTable:
    if dataset is None and replicate is None:
        needs = " is missing: a long table needs the column of the data sets"
        raise ParameterError(Param("dataset"), needs)
    columns, methods = labels_of(named_column(frame, method))
    numbers = read_numbers(named_column(frame, value), str(value))
    single = pd.Series(["all rows"] * len(frame), name="data set", index=frame.index)
    codes, datasets = labels_of(single if dataset is None else named_column(frame, dataset))
    if replicate is None:
        cell = pd.Series(codes * len(methods) + columns)
        order = np.lexsort((numbers, cell))  # that of the rows does not match them
        number = cell.iloc[order].groupby(cell).cumcount().sort_index().to_numpy()
    else:
        number, labels = labels_of(named_column(frame, replicate))
        cell = pd.Series((codes * len(labels) + number) * len(methods) + columns)
        if bool(cell.duplicated().any()):
            at = int(np.flatnonzero(cell.duplicated())[0])
            raise DataError(
                f"data set {datasets[codes[at]]!r} has two values of {methods[columns[at]]!r} for "
                f"replicate {labels[number[at]]!r}; one is allowed"
            )
    row, position = np.unique(np.column_stack([codes, number]), axis=0, return_inverse=True)
    rows = np.full((len(row), len(methods)), np.nan)
    rows[np.ravel(position), columns] = numbers
    return score_table(
        rows, row[:, 0].astype(np.intp), datasets, methods, ratio, paired=replicate is not None
    )


def score_table(
    rows: Floats,
    codes: NDArray[np.intp],
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    ratio: float = 0.0,
    *,
    paired: bool = True,
    most_df: float | None = None,
) -> ScoreTable:
    """From rows (N, p), each a replicate of the data set of its code; `most_df` limits its `df`."""
    T, p = len(datasets), len(methods)
    if p < 2:
        raise DataError(f"standings compare methods, and the table has {plural(p, 'method')}")
    empty = np.isnan(rows).all(axis=0)
    if empty.any():
        raise DataError(f"the method {methods[empty.argmax()]!r} has no score at all; drop it")
    largest = float(np.nanmax(np.abs(rows)))
    if largest > LARGEST or 0.0 < largest < 1.0 / LARGEST:
        raise DataError(
            f"the largest score is {largest:g}, whose square cannot be computed with; divide all scores by a "
            "constant"
        )
    rows, codes = _in_order(rows, codes)
    starts = np.searchsorted(codes, np.arange(T))
    known = ~np.isnan(rows)
    replicates = np.add.reduceat(known.astype(np.int64), starts, axis=0)
    if len(rows) == T:
        cells = rows
    else:
        sums = np.add.reduceat(np.where(known, rows, 0.0), starts, axis=0)
        cells = np.divide(sums, replicates, out=np.full((T, p), np.nan), where=replicates > 0)
        sizes = np.maximum.reduceat(np.where(known, np.abs(rows), 0.0), starts, axis=0)
        error = (replicates * sizes).max(axis=1, keepdims=True) * np.finfo(np.float64).eps
        cells = levelled(cells, error)
    within, df = None, np.nan
    complete = np.asarray((replicates > 0).all(axis=1))
    if complete.any() and bool((replicates[complete] > 1).all()):
        kept = np.flatnonzero(complete)[content_order(cells[complete])]
        place = np.empty(T, dtype=np.intp)
        place[kept] = np.arange(kept.size)
        used = complete[codes]
        rows, codes = _in_order(rows[used], place[codes[used]])
        within, df = _within(rows - cells[kept][codes], codes, replicates[kept], ratio, paired)
        df = df if most_df is None else min(df, most_df)
    keep = np.asarray((replicates > 0).any(axis=1))
    names = tuple(name for name, one in zip(datasets, keep, strict=True) if one)
    return ScoreTable(methods, names, cells[keep], replicates[keep], within, df, paired, ratio)


def _in_order(rows: Floats, codes: NDArray[np.intp]) -> tuple[Floats, NDArray[np.intp]]:
    """Rows by their codes, and of one code by their contents: sums do not depend on the order given, not
    even in the last digit."""
    order = content_order(rows)
    order = order[np.argsort(codes[order], kind="stable")]
    return rows[order], codes[order]


def _within(
    residuals: Floats,
    codes: NDArray[np.intp],
    replicates: NDArray[np.int64],
    ratio: float,
    paired: bool,
) -> tuple[Floats | None, float]:
    """Covariance of the means over common data sets, from residuals of replicates: a mean of n has variance
    (1/n + `ratio`) s², with test rows by training rows of folds (Nadeau and Bengio 2003), else 0."""
    of_datasets = np.unique(codes)
    T = of_datasets.size
    n = replicates.astype(np.float64)
    squares = np.zeros((T, residuals.shape[1]))
    known = ~np.isnan(residuals)
    residuals = np.where(known, residuals, 0.0)
    np.add.at(squares, np.searchsorted(of_datasets, codes), residuals**2)
    n = n[of_datasets]
    variances = squares / (n - 1.0) * (1.0 / n + ratio) / T**2
    total = variances.sum(axis=0)
    shares = (variances**2 / (n - 1.0)).sum(axis=0)
    df = np.divide(total**2, shares, out=np.full_like(total, np.inf), where=shares > 0.0).min()
    df = float(min(df, (n - 1.0).sum(axis=0).min()))
    if not paired:
        return np.diag(total), df
    if not known.all():
        return None, np.nan  # a covariance needs the same replicates of all methods
    size = n[np.searchsorted(of_datasets, codes), 0]
    weighted = residuals * np.sqrt((1.0 / size + ratio) / (size - 1.0))[:, None] / T
    return weighted.T @ weighted, df


MOST_SIGNED = 60  # methods up to which signed ranks are the default; each pair takes a millisecond


@dataclass(frozen=True)
class StandingsOptions:
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
        self,
        table: ScoreTable,
        *,
        higher_is_better: bool,
        call: Call | None = None,
        **description: Any,
    ) -> Standings:
        """The standings of a table; `description` are fields that describe it."""
        p = len(table.methods)
        require_memory(310 * p * (p - 1), f"the pairs of {p:,} methods", "take fewer methods")
        few = p <= MOST_SIGNED
        test = "wilcoxon" if self.by == "rank" and few else "t"
        options = replace(self, test=test) if self.test == "auto" else self
        asked_for = {"higher_is_better": higher_is_better, **asdict(options)}
        names = [*table.methods, "", *table.datasets]
        sha256 = digest(names, table.cells + 0.0, table.replicates)
        repeated = {} if call is None else {"call": call.record()}
        return Standings(
            **vars(table),
            **asked_for,
            **description,
            parameters={**asked_for, "test_train_ratio": table.test_train_ratio, **repeated},
            data={"n_methods": p, "n_datasets": len(table.datasets), "sha256": sha256},
        )

    def each(
        self,
        metrics: Sequence[str],
        make: Callable[[StandingsOptions, str, Call | None], Standings],
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
        sha256 = digest("".join(one.data["sha256"] for one in of))
        return MetricStandings(
            metrics=tuple(metrics),
            of=of,
            confidence_level=self.confidence_level,
            parameters={**of[0].parameters, **own, **repeated},
            data={**of[0].data, "n_metrics": len(of), "sha256": sha256},
        )


@repeatable
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
    """Places of methods in a table of scores, and which differences between them are real.

    Parameters
    ----------
    data : DataFrame, array, result of evaluate, evaluate_many or influence, or mapping
        A wide table has a row per data set (task, instance) and a column per method; one column of words,
        or the index, names the data sets.  A column of whole numbers that only numbers the rows
        (``CV_split``) is no method: without other names it names them, which a warning says.  For a long
        table `method` and `value` name the columns.  Scores may be missing.  A result includes its direction
        and the dependence of its folds.  A mapping of names to results has a result per data set, a mapping
        of names to tables a table per metric.
    method, value : str, optional
        Columns of a long table.
    dataset : str, optional
        The column of the data sets.  Rows of a wide table with the same data set are its replicates:
        instances, folds or seeds that are the same for all methods.
    replicate : str, optional
        The column of a long table that matches scores across methods (the same fold, the same instance).
        Without it, repeated scores of a method on a data set are independent of those of other methods, as
        seeds are.
    metric : str, optional
        The column with the metric of each row.  Sets and pairs hold simultaneously for all metrics.
    higher_is_better : bool, or mapping of metric to bool
    by : {"mean", "rank"}
        Places by the mean score over data sets, or by the average rank within data sets.
    test : {"auto", "t", "wilcoxon", "signs"}
        Test of the pairs over data sets, with Holm's correction; auto is t for means and Wilcoxon's signed
        ranks for average ranks of up to 60 methods.  "signs" enumerates all signs of the differences, for
        up to 16 data sets.
    test_train_ratio : float
        Test rows divided by training rows, if replicates are dependent because they are folds or repeated
        splits of the same rows: 1/9 for ten folds.  0 for independent replicates.
    rope : float, optional
        Largest difference of no practical importance: pairs get the probabilities that the first is worse,
        equivalent and better, by a flat prior.
    confidence_level : float
        Level of all sets and intervals; 1 − `confidence_level` is the family-wise level of the pairs.
    random_state : int
        Seed of random signs and draws.

    Returns
    -------
    Standings or MetricStandings
        Sets of places, pairs, groups without significant differences, and the influence of single data sets
        and missing scores; with several metrics, for each of them, with their agreement.

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
    Two questions are distinguished.  *Data sets like these*: would the places be the same on other data sets
    like these?  The data sets are the sample; fewer than 8 are too few to answer.  *These data sets*: would
    they be the same with other instances, folds or seeds?  The replicates of each cell are the sample.

    With missing scores, means come from an additive fit of methods and data sets, pairs are compared on their
    common data sets, and sets are made from pairs (Holm).

    Up to 16 data sets Wilcoxon's test is exact, conditional on ties.  The test of all methods is
    Friedman's, exact for 3 or 4 methods on up to 16 data sets or 5 on up to 9, by Iman and Davenport's F for
    more, and the test of Skillings and Mack with missing scores.

    Sources: Mogstad et al. (2024) for the sets; Demšar (2006) for average ranks; Skillings and Mack (1981)
    for missing scores; Nadeau and Bengio (2003) for folds; Benavoli et al. (2017) for `rope`.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(0).normal(size=(12, 3))
    >>> result = standings(noise + [2.0, 0.0, 0.0])
    >>> result.may_be_first
    ['method 1']
    >>> result.cliques()
    [['method 1'], ['method 2', 'method 3']]
    """
    call = Call.of(standings, data=("data",))
    options = StandingsOptions(by, test, rope, confidence_level, random_state)
    ratio = check_real("test_train_ratio", test_train_ratio, low=0.0)
    columns = {"method": method, "dataset": dataset, "value": value, "replicate": replicate}
    several = isinstance(data, Mapping) and bool(data)
    first = next(iter(data.values())) if several else data
    if hasattr(first, "_standings"):  # results of this package
        if given := [name for name, column in {**columns, "metric": metric}.items() if column]:
            own = " names a column of a table; a result brings its own"
            raise ParameterError(Param(given[0]), own)
        opened: Any = type(first)._standings_together if several else type(first)._standings
        found: Standings | MetricStandings = opened(data, options, call)
        return found
    if several:
        if metric is not None:
            each = " names a column; of several tables each is a metric"
            raise ParameterError(Param("metric"), each)
        tables = {str(name): one for name, one in data.items()}
    elif metric is not None:
        frame = pandas_frame(data)
        if not isinstance(frame, pd.DataFrame):
            raise ParameterError(Param("metric"), " names a column, and an array has none")
        codes, names = labels_of(named_column(frame, metric))
        rest = frame.drop(columns=[metric])
        tables = {name: rest[codes == code] for code, name in enumerate(names)}
    else:
        flag = check_flag("higher_is_better", higher_is_better)
        table = read_scores(data, **columns, test_train_ratio=ratio)
        return options.of(table, higher_is_better=flag, call=call)
    how: dict[str, Any] = {**columns, "test_train_ratio": ratio}
    read = {name: read_scores(one, **how) for name, one in tables.items()}
    higher = _directions(higher_is_better, list(read))

    def make(one: StandingsOptions, name: str, call: Call | None) -> Standings:
        return one.of(read[name], higher_is_better=higher[name], call=call)

    return options.each(list(read), make, call)


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
