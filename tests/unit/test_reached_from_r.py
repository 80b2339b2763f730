"""Every public name of Python: by which function of R it is reached, or why not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pyfsagg
from pyfsagg.for_r._words import in_r_words
from pyfsagg.for_r.calls import CALLS

NAMESPACE = Path(__file__).parents[2] / "r_bridge" / "pyfsaggr" / "NAMESPACE"
EXPORTED = set(re.findall(r"^export\((.+)\)$", NAMESPACE.read_text(encoding="utf-8"), re.MULTILINE))
ROOMS = (
    "aggregation", "error_control", "plotting", "rank_order", "reproduce", "statistics", "unsupervised"
)  # fmt: skip

REACHED = {
    "adjust_p_values": "aggregate_ranks",  # its adjust, by stats::p.adjust
    "bam": "bam",
    "chi_squared": "score_features",
    "committee": "committee",
    "check_table": "check_table",
    "concordance": "score_features",
    "control_errors": "error_control",
    "cox_score": "score_features",
    "elimination_scores": "wam",  # as filter
    "evaluate": "evaluate",
    "fit_criterion": "score_features",
    "gain_ratio": "score_features",
    "influence": "aggregator_influence",
    "information_gain": "score_features",
    "list_aggregators": "list_aggregators",
    "list_agreement": "list_agreement",
    "list_filters": "list_filters",
    "list_resampling_plans": "list_resampling_plans",
    "list_stability_measures": "list_stability_measures",
    "load_result": "load_result",
    "mrmr": "score_features",
    "permute_target": "permute_target",
    "rank_out_of_core": "rank_out_of_core",
    "screen": "screen_genes",
    "spearman": "score_features",
    "stability_table": "stability",
    "symmetric_uncertainty": "score_features",
    "value_difference_metric": "score_features",
    "vote": "vote_features",
    "wam": "wam",
    "write_report": "write_report",
}
"""Functions that R has a function of its own for, with other arguments than Python's."""

NOT_REACHED = {
    "as_rank_table": "R's functions read lists of names and rank_table() themselves",
    "memory_limit": "a context; in R the setting memory_limit of a run",
}
"""Why R has no such function."""


def public_functions() -> Iterator[str]:
    """Dotted names of public functions; classes are results, settings, plans or estimators."""
    for name in pyfsagg.__all__:
        if name[0].islower() and name not in ROOMS:
            yield name
    for room in ROOMS:
        yield from (
            f"{room}.{name}" for name in getattr(pyfsagg, room).__all__ if name[0].islower()
        )


def reached_by(dotted: str) -> str | None:
    """The function of R that reaches one of Python."""
    room, _, name = dotted.rpartition(".")
    if room == "plotting" or name.startswith("plot_"):
        return "write_picture"
    if room == "reproduce":
        return "reproduce"
    for in_r, called in CALLS.items():
        python = called.function
        if python == dotted or (room in ("", "aggregation") and python.rpartition(".")[2] == name):
            return in_r
    return REACHED.get(name)


@pytest.mark.parametrize("dotted", sorted(public_functions()))
def test_a_public_function_is_reached_from_r_or_it_is_said_why_not(dotted: str) -> None:
    name = dotted.rpartition(".")[2]
    if name in NOT_REACHED:
        assert NOT_REACHED[name]
        return
    module = getattr(pyfsagg.aggregation, name, None) if dotted.startswith("aggregation.") else None
    if type(module).__name__ == "module":
        return
    by = reached_by(dotted)
    assert by is not None, (
        f"R does not reach {dotted}: add it to CALLS of pyfsagg/for_r/calls.py with a function in "
        "r_bridge/pyfsaggr/R, or say here why not"
    )
    assert by in EXPORTED, f"{by}, which reaches {dotted}, is not exported by the R package"


def test_every_function_that_calls_one_of_python_is_exported() -> None:
    assert set(CALLS) <= EXPORTED
    for called in CALLS.values():
        assert callable(called.python)


def test_no_reason_is_left_over() -> None:
    names = {dotted.rpartition(".")[2] for dotted in public_functions()}
    assert set(NOT_REACHED) <= names
    assert set(REACHED) <= names


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("give checks=Checks(pairs=30), or more resamples", "give pairs = 30, or more resamples"),
        (
            "filter_params={'mrmr': {'n_features': 100}}: about 9 seconds",
            "filter_params = list(mrmr = list(n_features = 100)): about 9 seconds",
        ),
        ("with task=pyfsagg.Task(feature_groups=groups)", "with feature_groups = groups"),
        ("random_state=0 was given", "seed = 0 was given"),
        ("execution=Execution(scratch='FOLDER') keeps them", 'scratch = "FOLDER" keeps them'),
        ("which sets do not give; pass n_features=", "which sets do not give; give n_features"),
        ("say which: decimal=',' or decimal='.'", 'say which: decimal = "," or decimal = "."'),
        (
            "the sign: scores * np.sign(log_fold_changes)",
            "the sign: scores * sign(log_fold_changes)",
        ),
        ("declare them: RankTable.from_scores", 'declare them: rank_table(x, input = "scores")'),
        ("at least two filters, got ['mrmr']", "at least two filters, got 'mrmr'"),
        ("must be a string, got ['rra', 'mean']", "must be a string, got c('rra', 'mean')"),
        ("holds object values; task='regression'", 'holds text; task = "regression"'),
    ],
)
def test_messages_are_in_the_words_of_r(message: str, said: str) -> None:
    assert in_r_words(message) == said
