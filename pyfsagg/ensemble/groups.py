"""Features that belong together: groups of columns, and features that are nearly copies of each other."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats, Indices, Integers, row_blocks
from pyfsagg._base.memory import require_memory
from pyfsagg._base.validation import as_array, check_choice, check_real
from pyfsagg._base.words import count, enumerate_names, readable
from pyfsagg._message import Param, Remedy, Use
from pyfsagg._report.page import Block, PageColumn, PageTable
from pyfsagg._table.columns import Kind
from pyfsagg._table.frames import open_frame
from pyfsagg._table.table import AnyTable, Table, as_table, varies
from pyfsagg.ensemble.data import Copies, Grouped, Ranked
from pyfsagg.ensemble.run import Run
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.stability_measures import curves, similarity_adjusted

# Groups of columns.


UNEQUAL = 2  # chosen: ratio of the numbers of columns above which two features differ in size
MOST_GROUPS = 100
MOST_COLUMNS = 12
WAYS = {"joint": "as levels", "max": "largest", "mean": "mean"}

_SIZES_MATTER = {
    "joint": "groups are read as one nominal column ({}), and without any relation to the target a group "
    "with many combinations of values scores higher than one with few, as columns with many levels do",
    "max": "the score of a group is the largest of its columns ({}), and without any relation to the target "
    "the largest of many scores is larger than that of few, so large groups are selected first",
    "mean": "the score of a group is the mean of its columns ({}), and without any relation to the target "
    "means of few scores differ more than means of many, so single columns are selected more often than "
    "groups of ten",
}


def about_groups(result: Grouped) -> str:
    """Whether the scores of groups depend on their sizes, in words; empty if they do not."""
    sizes = [len(result.groups.get(name, (name,))) for name in result.feature_names]
    scored: dict[str, list[str]] = {}
    for label, ways in (result.parameters.get("group_scores") or {}).items():
        for way in ways:
            if way == "joint" and result.parameters["group_score"] != "joint":
                continue  # the nominal columns that the groups encode
            scored.setdefault(way, []).append(label)
    if not scored or max(sizes) < UNEQUAL * min(sizes):
        return ""
    reasons = (_SIZES_MATTER[way].format(enumerate_names(labels)) for way, labels in scored.items())
    return (
        f"Features have {count(min(sizes))} to {count(max(sizes))} columns, and their scores are not "
        f"comparable: {'; '.join(reasons)}."
    )


def table_of_groups(result: Grouped) -> dict[str, pd.DataFrame]:
    """The groups as a file that ``feature_groups`` reads; none without groups."""
    rows = [(column, name) for name, columns in result.groups.items() for column in columns]
    if not rows:
        return {}
    return {"groups.csv": pd.DataFrame(rows, columns=["column", "group"]).set_index("column")}


def group_blocks(result: Grouped, ranked: Iterable[str]) -> list[Block]:
    """A table of the groups, in the order of the features `ranked`; none without groups."""
    groups = result.groups
    if not groups:
        return []
    listed = [name for name in ranked if name in groups]
    first = listed[:MOST_GROUPS]
    named = [enumerate_names(groups[name], MOST_COLUMNS) for name in first]
    columns = [
        (PageColumn("Group", numeric=False), first),
        (PageColumn("Columns"), [count(len(groups[name])) for name in first]),
        (PageColumn("Which", numeric=False, sortable=False), named),
    ]
    for label, ways in (result.parameters.get("group_scores") or {}).items():
        way = {name: WAYS[how] for how, names in ways.items() for name in names}
        title = PageColumn(f"Score, {readable(label)}", numeric=False)
        columns.append((title, [way.get(name, "as it is") for name in first]))
    more = len(listed) - len(first)
    rest = f" {count(more)} more groups are in groups.csv and result.groups." if more else ""
    note = (
        "A group is ranked and selected as one feature. As levels: it is read as one nominal column, whose "
        "levels are the combinations of its values. Largest, mean: of the scores of its columns."
        + rest
    )
    caption = "Groups of columns, most important first."
    return [PageTable.of_columns(caption, columns, note, header=1)]


# Nearly copies.


SIMILARITIES = ("pearson", "spearman")
SIMILARITY, LEAST = "pearson", 0.9  # chosen, a customary limit: what a run looks for by default
MOST_FEATURES = 2_000
MOST_PRODUCTS = 2e10
"""Features, and products of cells (n p²), up to which a run looks for copies: a few seconds."""

FACTOR_MISSING = 4  # matrix products with missing values, where there is one without
SPLIT_CLUSTER, SPLIT_GAP = 0.5, 0.2
"""Copies split the vote: at least one is selected in half of the resamples or more, and in a fifth of
all resamples more than the best of them alone (chosen: a note to a reader, no decision depends on it)."""

MOST_TOLD = 3


def find_copies(run: Run) -> Copies | None:
    """What a run looks for unasked, among columns alone; None for a sparse table and one too large."""
    table, groups = run.table, run.groups
    if groups is not None and isinstance(table, Table):
        alone = np.flatnonzero(groups.sizes == 1)
        names = tuple(groups.names[j] for j in alone)
        table = replace(table.take(groups.columns_of(alone)), feature_names=names)
    if not isinstance(table, Table) or not 0 < table.n_features <= MOST_FEATURES:
        return None
    products = table.n_samples * table.n_features**2
    if products * (FACTOR_MISSING if np.isnan(table.values).any() else 1) > MOST_PRODUCTS:
        return None
    matrix = absolute_correlations(table, SIMILARITY, run.row_weights)
    return Copies(SIMILARITY, LEAST, _groups(matrix, table.feature_names, LEAST))


def absolute_correlations(
    table: Table, similarity: str = SIMILARITY, weights: NDArray[Any] | None = None
) -> Floats:
    """|r| or |rho| of all pairs of columns, (p, p); 0 if under half of the rows are known in both."""
    w = np.ones(table.n_samples) if weights is None else as_array("weights", weights, np.float64)
    matrix = np.zeros((table.n_features, table.n_features))
    # By name, so neither sums nor ties between similarities depend on the order of the columns.
    by_name = np.argsort(np.array(table.feature_names, dtype=object), kind="stable")
    used = [j for j in by_name if table.kinds[j] != Kind.NOMINAL and varies(table.column(j)[w > 0])]
    if len(used) > 1:
        # In one array, as a tall table is most of what there is; cells that are missing take three more.
        copies = 4 if np.isnan(table.values).any() else 1
        what = f"the correlations of {len(used):,} columns of {table.n_samples:,} rows"
        needed = 8.0 * copies * table.n_samples * len(used)
        require_memory(needed, what, "take fewer rows or columns")
        values = np.empty((table.n_samples, len(used)))
        for place, j in enumerate(used):
            values[:, place] = _standard(table.column(j), w, similarity)
        known, root = ~np.isnan(values), np.sqrt(w)[:, np.newaxis]
        if known.all():
            values *= root
            found = values.T @ values / w.sum()
        else:
            there = known * root
            x = np.where(known, values, 0.0) * root
            n = there.T @ there
            with np.errstate(divide="ignore", invalid="ignore"):
                mean = (x.T @ there) / n  # of the row's feature where that of the column is known
                square = ((x * np.where(known, values, 0.0)).T @ known) / n - mean**2
                found = (x.T @ x / n - mean * mean.T) / np.sqrt(square * square.T)
            enough = (n >= w.sum() / 2) & (square > 1e-12) & (square.T > 1e-12)
            found = np.where(enough, found, 0.0)
        # Twelve decimals: what differs by rounding only is equal.
        found = np.minimum(np.abs(found).round(12), 1.0)
        matrix[np.ix_(used, used)] = np.maximum(found, found.T)
    np.fill_diagonal(matrix, 1.0)
    return matrix


def _standard(column: Floats, weights: Floats, similarity: str) -> Floats:
    """The known cells, or their ranks, with mean 0 and variance 1 over the weighted rows."""
    known = ~np.isnan(column)
    cells, w = column[known], weights[known]
    if similarity == "spearman":
        _, level = np.unique(cells, return_inverse=True)
        sizes = np.bincount(level, weights=w)
        cells = (np.cumsum(sizes) - sizes / 2)[level]
    else:
        cells = cells / np.abs(cells).max()  # no overflow in squares
    cells = cells - np.average(cells, weights=w)
    out = np.full(column.shape, np.nan)
    # The spread may be lost to rounding, for instance of 1e16 and 1e16 + 2.
    spread = np.sqrt(np.average(cells**2, weights=w))
    out[known] = cells / spread if spread > 0 else 0.0
    return out


def _groups(matrix: Floats, names: Sequence[str], least: float) -> tuple[tuple[str, ...], ...]:
    """Clusters of two or more with similarities of at least `least`: complete linkage, ties by name."""
    order = sorted(range(len(names)), key=lambda j: names[j])
    near = matrix >= least
    np.fill_diagonal(near, False)
    order = [j for j in order if near[j].any()]
    if not order:
        return ()
    from scipy.cluster.hierarchy import fcluster, linkage  # heavy, and rarely needed
    from scipy.spatial.distance import squareform

    distance = 1.0 - matrix[np.ix_(order, order)]
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), method="complete")
    label = fcluster(tree, 1.0 - least + 1e-12, criterion="distance")
    groups: dict[int, list[int]] = {}
    for j, cluster in zip(order, label, strict=True):
        groups.setdefault(int(cluster), []).append(j)
    return tuple(
        tuple(names[j] for j in members) for members in groups.values() if len(members) > 1
    )


def clusters_of_run(
    data: Ranked, k: int, X: Any = None, similarity: Any = None, min_similarity: float | None = None
) -> pd.DataFrame:
    """The table of :meth:`pyfsagg.ensemble.EnsembleResult.clusters`, where `k` features are selected."""
    if X is None and similarity is None and min_similarity is None:
        if data.checked.copies is None:
            raise DataError(
                "this run did not look for copies (it does for tables in memory that are not sparse, ",
                f"with at most {MOST_FEATURES} features)",
                Remedy("give the table X, or ", Param("similarity"), " as a matrix"),
            )
        return _frame(data, data.checked.copies, k)
    least = LEAST if min_similarity is None else min_similarity
    least = check_real("min_similarity", least, low=0.0, high=1.0, low_open=True)
    if similarity is None or isinstance(similarity, str):
        word = SIMILARITY if similarity is None else similarity
        check_choice("similarity", word, SIMILARITIES)
        if X is None:
            raise ParameterError(
                Use(similarity=word),
                " is computed from the table, which a result does not keep",
                Remedy("give ", Param("X")),
            )
        if data.groups:
            remedy = "give ", Param("similarity"), f" as a matrix of the {data.n_features} features"
            raise DataError("the similarity of groups of columns is not defined", Remedy(*remedy))
        matrix = absolute_correlations(_table_of(data, X), word)
    else:
        word = "matrix"
        if X is not None:
            raise ParameterError(Param("similarity"), " is a matrix already", Remedy("leave out X"))
        matrix, _ = similarity_adjusted.check_similarity(similarity, data.feature_names, "clusters")
        if len(matrix) != data.n_features:
            raise DataError(
                Param("similarity"),
                f" has {len(matrix)} features and the result {data.n_features}",
                Remedy("give one row and column for each"),
            )
    copies = Copies(word, float(least), _groups(matrix, data.feature_names, least))
    return _frame(data, copies, k)


def _table_of(data: Ranked, X: Any) -> Table:
    """The features of the result in a table that holds them."""
    frame = None if isinstance(X, AnyTable) else open_frame(X)
    columns = [] if frame is None else list(frame.names)
    nominal = [  # recorded as texts; what names no column is a position
        int(column) if column not in columns and column.isdigit() else column
        for column in data.parameters.get("nominal") or ()
    ]
    table = as_table(X if frame is None else frame, nominal=nominal)
    place = {name: j for j, name in enumerate(table.feature_names)}
    missing = [name for name in data.feature_names if name not in place]
    if missing:
        remedy = Remedy("give the table of the run, with the same names")
        raise DataError(Param("X"), f" has no column {missing[0]!r}", remedy)
    return table.take(np.array([place[name] for name in data.feature_names], dtype=np.intp))


_CLUSTER_COLUMNS = (
    "cluster", "members", "size", "rank", "frequency", "largest_frequency", "splits_vote", "note",
)  # fmt: skip


def _frame(data: Ranked, copies: Copies, k: int) -> pd.DataFrame:
    names = data.feature_names
    place = {name: j for j, name in enumerate(names)}
    together = {name for members in copies.clusters for name in members}
    groups = [
        np.array(sorted(place[name] for name in members), dtype=np.intp)
        for members in (*copies.clusters, *((name,) for name in names if name not in together))
    ]
    groups = [group[np.argsort(data.ranking[group], kind="stable")] for group in groups]
    groups.sort(key=lambda group: (data.ranking[group[0]], group[0]))
    sign = {"pearson": "|r|", "spearman": "|rho|"}.get(copies.similarity, "similarity")
    rows = []
    for group, (frequency, alone) in zip(groups, _frequencies(data, groups, k), strict=True):
        members = tuple(names[j] for j in group)
        best, note = float(alone.max()), ""
        split = len(group) > 1 and frequency >= SPLIT_CLUSTER and frequency - best >= SPLIT_GAP
        if split:
            low, high = f"{alone.min():.0%}", f"{best:.0%}"
            note = (
                f"{enumerate_names(members)} are nearly copies ({sign} at least "
                f"{copies.min_similarity:g}) and split the vote: each is selected in "
                f"{low if low == high else f'{low} to {high}'} of the resamples, at least one of them in "
                f"{frequency:.0%}."
            )
        rank = float(data.ranking[group[0]])
        rows.append((members[0], members, len(group), rank, frequency, best, split, note))
    return pd.DataFrame(rows, columns=_CLUSTER_COLUMNS).set_index("cluster")


def _frequencies(data: Ranked, groups: Sequence[Indices], k: int) -> list[tuple[float, Floats]]:
    """By group: the share of the resamples that saw one which select a member, and that of each member."""
    scores = data.combined
    seen, alone = np.zeros(scores.shape[1]), np.zeros(scores.shape[1])
    any_seen, any_selected = np.zeros(len(groups)), np.zeros(len(groups))
    for rows in row_blocks(scores.shape):
        known = ~np.isnan(scores[rows])
        share = curves.select_seen(scores[rows], k)[1]
        seen += known.sum(axis=0)
        alone += share.sum(axis=0)
        tied = (share > 0) & (share < 1)
        n_tied = tied.sum(axis=1)
        left_out = n_tied - np.rint(np.where(tied, share, 0.0).sum(axis=1))
        for g, group in enumerate(groups):
            any_seen[g] += known[:, group].any(axis=1).sum()
            one = (
                share[:, group[0]]
                if len(group) == 1
                else _at_least_one(share[:, group], n_tied, left_out)
            )
            any_selected[g] += one.sum()
    return [
        (float(any_selected[g] / any_seen[g]), alone[group] / seen[group])
        for g, group in enumerate(groups)
    ]


def _at_least_one(share: Floats, n_tied: Integers, left_out: Floats) -> Floats:
    """Share of the orders of ties with a selected column, for each row: of `n_tied` features `left_out`
    are not selected, so none of c is with probability ∏ (left_out − i) / (n_tied − i), i < c."""
    members = ((share > 0) & (share < 1)).sum(axis=1)
    none = np.ones(len(share))
    for i in range(int(members.max(initial=0))):
        affected = members > i
        none[affected] *= np.maximum(left_out[affected] - i, 0.0) / (n_tied[affected] - i)
    return np.where((share == 1).any(axis=1), 1.0, 1.0 - none)


def about_copies(data: Ranked, k: int) -> str:
    """Sentences on the clusters whose members split the vote; empty if there are none."""
    if data.checked.copies is None or not data.checked.copies.clusters:
        return ""
    frame = clusters_of_run(data, k)
    notes = [note for note in frame["note"] if note]
    if len(notes) > MOST_TOLD:
        notes = [*notes[:MOST_TOLD], f"So do {len(notes) - MOST_TOLD} more: see result.clusters()."]
    return " ".join(notes)
