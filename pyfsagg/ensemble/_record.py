"""The record of a run in words: its settings, the code that repeats it, and what to cite."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from typing import Any

from pyfsagg._base.words import enumerate_names, plural, readable, setting
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.filters import FILTERS

__all__ = ["THESIS", "named_settings", "python_snippet", "references", "settings"]

Rows = list[tuple[str, str]]

THESIS = (
    "R. E. Salman (2022). Bootstrap-based Aggregations and their Stability in Feature Selection. "
    "Master’s thesis, American University of Sharjah"
)
NAMES = {
    "method": "Method",
    "filters": "Filters",
    "filter_params": "Parameters of the filters",
    "normalize": "Normalisation of the scores",
    "binning": "Binning of numbers",
    "bins": "Bins of a number",
    "aggregator": "Aggregator",
    "aggregator_params": "Parameters of the aggregator",
    "aggregators": "Aggregators",
    "n_folds": "Folds",
    "n_resamples": "Resamples",
    "resampling": "Resampling plan",
    "resampling_params": "Parameters of the plan",
    "out_of_core": "Read in pieces",
    "excluded": "Columns left out",
    "weighted": "Sample weights",
    "drop_near_zero_variance": "Near-zero-variance features dropped",
    "seed": "Seed",
    "target": "Target",
    "target_kind": "Kind of target",
    "task": "Task",
    "target_bins": "Bins of a numeric target",
    "n_samples": "Samples",
    "n_features": "Features",
    "class_counts": "Samples per class",
    "dropped_features": "Dropped features",
    "sha256": "SHA-256 of the data",
}


def settings(result: EnsembleResult, threshold: float | int) -> list[tuple[str, Rows]]:
    """Everything that is recorded of a run, in groups of (name, value)."""
    kind = "a number of features" if isinstance(threshold, int) else "a fraction of the features"
    method = [("Method", result.method.upper()), *named_settings(result.parameters)]
    return [
        ("Method", [*method, ("Selection threshold", f"{threshold} ({kind})")]),
        ("Data", named_settings(result.data)),
        ("Software", [(name, str(version)) for name, version in result.versions.items()]),
    ]


def named_settings(record: Any) -> Rows:
    """Known settings first, in the order of `NAMES`; then whatever else there is."""
    known = [name for name in NAMES if name in record]
    others = [name for name in record if name not in NAMES]
    return [
        (NAMES.get(name, readable(str(name))), setting(record[name])) for name in [*known, *others]
    ]


def target_words(data: Mapping[str, Any]) -> str:
    """The target of a run, to follow "12 samples"."""
    kind = data.get("target_kind", "classes")
    if kind == "none":
        return "without a target"
    if kind == "numeric":
        return f"with the numeric target {data['target']}"
    counts = [f"{label}: {size:,}" for label, size in data["class_counts"].items()]
    return f"in {plural(len(counts), 'class')} ({enumerate_names(counts)})"


def python_snippet(result: EnsembleResult, threshold: float | int) -> str:
    """Python code that repeats the run, given the table and the labels."""
    if result.parameters.get("out_of_core"):
        return _out_of_core_snippet(result, threshold)
    parameters, data = result.parameters, result.data
    placeholders = {
        label: _placeholder(label, position)
        for position, label in enumerate(result.score_matrices)
        if label not in FILTERS
    }
    filters = [placeholders.get(label, repr(label)) for label in result.score_matrices]
    arguments: dict[str, str] = {}
    chosen = parameters["filter_params"]
    if result.method == "wam":
        arguments["filter"] = filters[0]
        if chosen:
            arguments["filter_params"] = repr(next(iter(chosen.values())))
    else:
        arguments["filters"] = f"[{', '.join(filters)}]"
        if chosen:
            arguments["filter_params"] = repr(dict(chosen))
        arguments["normalize"] = repr(parameters["normalize"])
    arguments |= _shared_arguments(result)
    kind = data.get("target_kind", "classes")
    values = {"classes": "labels", "numeric": "numbers"}.get(kind)
    lines = [
        "import pyfsagg",
        "",
        f"# X: table of {plural(data['n_samples'], 'sample')} and "
        f"{plural(result.n_features + len(data['dropped_features']), 'feature')}",
        *([f"# y: {values}, called {data['target']!r}"] if values else []),
        *(f"# {name}: your own function or estimator" for name in placeholders.values()),
        f"result = pyfsagg.{result.method}(",
        "    X,",
        *(["    y,"] if values else []),
        *(f"    {name}={value}," for name, value in arguments.items()),
        ")",
        f"selected = result.select({threshold!r})",
    ]
    return "\n".join(lines)


def _out_of_core_snippet(result: EnsembleResult, threshold: float | int) -> str:
    """Python code that repeats a run over a table that is read in pieces."""
    parameters, data = result.parameters, result.data
    arguments = {
        "filters": list(result.score_matrices),
        "binning": parameters["binning"],
        "bins": parameters["bins"],
    }
    if result.method == "bam":
        arguments["normalize"] = parameters["normalize"]
    arguments["aggregator"] = parameters["aggregator"]
    if parameters["aggregator_params"]:
        arguments["aggregator_params"] = dict(parameters["aggregator_params"])
    arguments["n_resamples"] = parameters["n_resamples"]
    if parameters["nominal"]:
        arguments["nominal"] = parameters["nominal"]
    if parameters["excluded"]:
        arguments["exclude"] = parameters["excluded"]
    arguments["random_state"] = parameters["seed"]
    lines = [
        "import pyfsagg",
        "",
        f"# folder: Parquet files with {plural(data['n_samples'], 'row')} and "
        f"{plural(result.n_features, 'feature')}",
        "result = pyfsagg.rank_out_of_core(",
        "    folder,",
        f"    {data['target']!r},",
        *(f"    {name}={value!r}," for name, value in arguments.items()),
        ")",
        f"selected = result.select({threshold!r})",
    ]
    return "\n".join(lines)


def _shared_arguments(result: EnsembleResult) -> dict[str, str]:
    """Arguments that both methods take; those at their neutral value are left out."""
    parameters = result.parameters
    arguments = {"aggregator": repr(parameters["aggregator"])}
    if parameters["aggregator_params"]:
        arguments["aggregator_params"] = repr(dict(parameters["aggregator_params"]))
    if parameters["resampling"] == "row_indices":
        arguments["row_indices"] = "row_indices"
    else:
        arguments["n_resamples"] = repr(parameters["n_resamples"])
        arguments["resampling"] = repr(parameters["resampling"])
    if parameters["resampling_params"]:
        arguments["resampling_params"] = repr(dict(parameters["resampling_params"]))
    if parameters["resampling"] == "grouped_bootstrap":
        arguments["groups"] = "groups"
    if parameters["weighted"]:
        arguments["sample_weight"] = "sample_weight"
    if parameters["drop_near_zero_variance"]:
        arguments["drop_near_zero_variance"] = "True"
    if parameters.get("task", "classification") != "classification":
        arguments["task"] = repr(parameters["task"])
        arguments["target_bins"] = repr(parameters["target_bins"])
    return arguments | {"random_state": repr(parameters["seed"])}


def _placeholder(label: str, position: int) -> str:
    """A name for a filter that is not registered."""
    usable = label.isidentifier() and not keyword.iskeyword(label)
    return label if usable else f"my_filter_{position + 1}"


def references(result: EnsembleResult) -> Rows:
    """What to cite, as (what for, where it comes from)."""
    aggregator = AGGREGATORS.get(result.parameters["aggregator"])
    own = "not part of pyfsagg: cite the source of your own function or estimator"
    return [
        ("Software", f"The pyfsagg developers. pyfsagg, version {result.versions['pyfsagg']}"),
        (f"{result.method.upper()} and the stability of resamples", f"{THESIS} (“thesis” below)"),
        *(
            (
                f"Filter {readable(label)}",
                FILTERS.get(label).source if label in FILTERS else own,
            )
            for label in result.score_matrices
        ),
        (f"Aggregator {readable(aggregator.name)}", aggregator.source),
    ]
