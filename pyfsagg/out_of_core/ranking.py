"""Rankings of tables that are read in two passes: ranges first, then counts of all resamples."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.registry import Call
from pyfsagg._base.validation import check_choice, check_integer, check_list, resolve_seed
from pyfsagg._kernels.entropy_scores import OUTPUTS
from pyfsagg._message import Param, Remedy
from pyfsagg._run.checkpoint import kept_seed, open_checkpoint
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._table.identity import versions
from pyfsagg.ensemble.core import Recipe
from pyfsagg.ensemble.data import RunSetup
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.trust import needs_own_scores
from pyfsagg.exceptions import ParameterError
from pyfsagg.filters._base import FILTERS
from pyfsagg.out_of_core.counting import Coding
from pyfsagg.out_of_core.passes import StreamedRun, check_two_classes, open_run
from pyfsagg.ranks import rank_scores

DEFAULT_FILTERS = ("information_gain", "symmetric_uncertainty", "chi_squared")
BINNINGS = ("equal_width", "equal_frequency")
MOST_BINS = 1000


def rank_out_of_core(
    source: Any,
    target: str,
    *,
    filters: str | Sequence[str] = DEFAULT_FILTERS,
    binning: str = "equal_width",
    bins: int = 10,
    normalize: str = "per_resample",
    aggregator: str = "arithmetic_mean",
    aggregator_params: Mapping[str, Any] | None = None,
    n_resamples: int = 200,
    nominal: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> EnsembleResult:
    """Rank the features of a table that is larger than memory.

    The table is read twice.  The first pass finds the range of every numeric column, which is cut
    into bins, and the levels of the others; the second counts every feature by code and class in
    all resamples of a Poisson bootstrap.  All filters are computed from these counts.
    One filter is aggregated over the resamples as by :func:`pyfsagg.wam`, several as by
    :func:`pyfsagg.bam`.

    Parameters
    ----------
    source : path or Dask frame
        A folder of Parquet files (all below it, in the order of their names, all with the same
        columns), or one Parquet file.
    target : str
        Column with the classes.
    filters : str or sequence of str
        One or more of ``information_gain``, ``gain_ratio``, ``symmetric_uncertainty``,
        ``chi_squared``, ``cramers_v`` and ``value_difference_metric`` (two classes).
    binning : {"equal_width", "equal_frequency"}
        How numeric and integer columns are cut, once for the whole table: at
        min + k·(max − min)/bins, or at quantiles.  These are told to 1/65 536 of the range by a
        histogram, which takes one more pass; columns with far outliers are better transformed
        first.  A value that equals a cut belongs below it.
    bins : int
        Into how many parts.  Boolean, text and dictionary columns keep their levels.  A missing
        value (null or NaN) is a level of its own.
    normalize, aggregator, aggregator_params
        As in :func:`pyfsagg.bam`.
    n_resamples : int
        Number of resamples.
    nominal : sequence of str, optional
        Columns whose numbers are levels.
    exclude : sequence of str
        Columns that are neither features nor target.
    random_state : None, int or NumPy generator
        Seed; a fresh one is drawn and recorded when None.
    n_jobs : int, optional
        Workers, as in joblib.  Each takes whole row groups, so that one file of one row group
        is the work of one.
    execution : Execution, optional
        :class:`pyfsagg.Execution`.  Columns that do not fit into its memory limit (or that of
        :func:`pyfsagg.memory_limit`, or else 2 GB more than the process holds already) are dealt with in
        groups, one pass for each.  The checkpoint, which a Dask frame cannot have, keeps finished counts;
        the passes before them are made again.  Progress counts rows, once for each pass.

    Returns
    -------
    EnsembleResult
        It does not depend on how the rows are divided into files and row groups, on the number of
        workers, or on the limit.

    See Also
    --------
    wam, bam : The same for a table in memory.

    Notes
    -----
    No pairs of halves are drawn in addition, and no targets are shuffled: the stability between samples
    and what noise reaches are computed in memory only (:meth:`EnsembleResult.between_sample_stability`,
    :meth:`EnsembleResult.selection`).

    In memory, ``resampling="poisson_bootstrap"`` draws the same weights: on the binned table, with
    all columns nominal, :func:`pyfsagg.wam` and :func:`pyfsagg.bam` give the same bits.

    Examples
    --------
    >>> import tempfile
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for k in range(2):
    ...         part = data.X.assign(cultivar=data.y).iloc[100 * k : 100 * (k + 1)]
    ...         part.to_parquet(f"{folder}/part-{k}.parquet")
    ...     result = pyfsagg.rank_out_of_core(folder, "cultivar", n_resamples=50, random_state=0)
    >>> result.select(3)
    ['flavanoids', 'color_intensity', 'proline']
    """
    arguments = dict(locals())
    labels = _filter_labels(filters)
    check_choice("binning", binning, BINNINGS)
    check_integer("bins", bins, low=2, high=MOST_BINS)
    check_integer("n_resamples", n_resamples, low=1)
    check_choice("normalize", normalize, ("per_resample", "per_feature"))
    recipe = Recipe.of(aggregator, aggregator_params, normalize)
    execution = Execution._without_scratch("rank_out_of_core", execution)
    checkpoint = execution.checkpoint
    seed = resolve_seed(kept_seed(checkpoint, random_state))
    with execution.limited():
        run = open_run(source, target, nominal, exclude, n_jobs)
    if checkpoint is not None and run.source.files is None:
        raise ParameterError(
            f"a checkpoint cannot tell whether {run.source.name} has changed; write it to Parquet files"
        )
    run.check_memory(bins, n_resamples, checkpoint is not None)
    n_passes = 2 if binning == "equal_width" else 3
    with progress_sink(execution.progress, n_passes * run.source.n_rows, "row") as report:
        report(0)
        codings = run.ranges_and_levels(bins, report)
        check_two_classes(codings[-1], labels)
        if binning == "equal_frequency":
            codings = run.quantiles(codings, report)
        before = (n_passes - 1) * run.source.n_rows
        # What the counts depend on; the filters and the aggregator are not part of it.
        identity = {
            "kind": "rank_out_of_core",
            "binning": binning,
            "bins": bins,
            "columns": [f"{coding.column.name}: {coding.column.kind.name}" for coding in codings],
            "data": [run.source.files, codings],
            "n_resamples": n_resamples,
            "seed": seed,
            "versions": versions(),
        }
        with open_checkpoint(checkpoint, identity) as finished:
            matrices, plain_scores, digests = run.scores(
                codings, labels, n_resamples, seed, lambda done: report(before + done), finished
            )
    call = Call.of(rank_out_of_core, arguments, data=("source", "target"), random_state=seed)
    several = len(labels) > 1
    settings = {
        "filters": labels,
        "filter_params": {},
        "n_resamples": n_resamples,
        "resampling": "poisson_bootstrap",
        "resampling_params": {},
        "binning": binning,
        "bins": bins,
        "out_of_core": True,
        "pairs": {
            "reason": "it read the table in pieces, where rows are drawn by a Poisson bootstrap only; "
            "rank a part of the rows in memory for that"
        },
        "shuffles": {
            "reason": "it read the table in pieces, where each target needs passes of its own; rank a part "
            "of the rows in memory for that"
        },
        "weighted": False,
        "nominal": None if nominal is None else list(nominal),
        "excluded": list(exclude),
        "drop_near_zero_variance": False,
        "task": "classification",
        "seed": seed,
        **({"normalize": normalize} if several else {}),
        "aggregator": recipe.aggregator,
        "aggregator_params": recipe.options,
        "call": call.record(),
    }
    names = tuple(coding.column.name for coding in codings[:-1])
    data = _data_record(run, codings, digests)
    centred = needs_own_scores(RunSetup.of(settings, data))
    combined = recipe.combine(matrices, names)
    scores = recipe.aggregate(combined, names)
    return EnsembleResult(
        method="bam" if several else "wam",
        feature_names=names,
        score_matrices=matrices,
        combined=combined,
        scores=scores,
        ranking=rank_scores(scores),
        parameters=settings,
        data=data,
        versions=versions(),
        own_scores=recipe.combine(plain_scores, names)[0] if centred else None,
        halves=None,
        permutation=None,
        copies=None,
        noise_halves=None,
    )


def _filter_labels(filters: str | Sequence[str]) -> list[str]:
    """Names of filters that work by counts, each once."""
    labels: list[str] = []
    for item in [filters] if isinstance(filters, str) else check_list("filters", filters):
        label = FILTERS.get(item).name
        if label not in OUTPUTS:
            raise ParameterError(
                f"the filter {label!r} needs the table in memory; out of core there are "
                f"{', '.join(OUTPUTS)}"
            )
        if label in labels:
            raise ParameterError(f"the filter {label!r} is given twice")
        labels.append(label)
    if not labels:
        raise ParameterError(Param("filters"), " is empty", Remedy("name at least one filter"))
    return labels


def _data_record(
    run: StreamedRun, codings: list[Coding], digests: NDArray[np.uint64]
) -> dict[str, Any]:
    """What the data are; the hash is that of names, kinds, levels and digests of all columns."""
    identity = [
        [coding.column.name, int(coding.column.kind), list(map(str, coding.labels)), int(digest)]
        for coding, digest in zip(codings, digests, strict=True)
    ]
    target = codings[-1]
    return {
        "sha256": hashlib.sha256(json.dumps(identity).encode()).hexdigest(),
        "n_samples": run.source.n_rows,
        "n_features": len(codings) - 1,
        "target": target.column.name,
        "target_kind": "classes",
        "class_counts": dict(zip(map(str, target.labels), target.counts, strict=True)),
        "dropped_features": [],
    }
