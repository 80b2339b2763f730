"""Every public name of Python: by which function of R it is reached, or why not."""

import inspect
import re
from pathlib import Path

import pytest

import pyfsagg
from pyfsagg.extending import FILTERS
from pyfsagg.for_r.calls import CALLS

NAMESPACE = Path(__file__).parents[2] / "r_bridge" / "pyfsaggr" / "NAMESPACE"
EXPORTED = set(re.findall(r"^export\((.+)\)$", NAMESPACE.read_text(encoding="utf-8"), re.MULTILINE))
ROOMS = (
    "aggregation", "aggregator_influence", "committees", "datasets", "discretization", "ensemble",
    "error_control", "filters", "out_of_core", "plotting", "rank_order", "resampling",
    "stability_measures", "statistics", "unsupervised",
)  # fmt: skip

REACHED = {
    "adjust_p_values": "aggregate_ranks",  # its p_adjust, by stats::p.adjust
    "bam": "bam",
    "committee": "committee",
    "check_table": "check_table",
    "control_errors": "error_control",
    "draw_resamples": "draw_resamples",
    "evaluate": "evaluate",
    "expected_replication": "expected_replication",
    "influence": "aggregator_influence",
    "information_selection": "score_features",
    "load_result": "load_result",
    "permute_target": "permute_target",
    "rank_out_of_core": "rank_out_of_core",
    "score_features": "score_features",
    "wam": "wam",
}
"""Functions that R has a function of its own for, with other arguments than Python's."""

NOT_REACHED = {
    "rank": "wam() and bam(), whose tables check_table() reads: rank() would hide that of base",
    "memory_limit": "a context; in R the setting memory_limit of a run",
    "read_sparse_table": "Matrix::readMM(), and sparse matrices of the package Matrix",
    "friedman": "stats::friedman.test()",
    "one_way_anova": "stats::oneway.test() and stats::aov()",
    "pairwise_tests": "stats::pairwise.t.test(), stats::pairwise.wilcox.test(); compare_methods() for folds",
    "rank_biserial_paired": "of packages for effect sizes, such as rstatix and effectsize",
    "rank_biserial_unpaired": "as above",
    "rm_anova": "stats::aov() with an Error() term, and the package afex",
    "sphericity_test": "stats::mauchly.test()",
    "wilcoxon": "stats::wilcox.test()",
}
"""Why R has no such function."""


def public_functions():
    """Dotted names of public functions; classes are results, settings, plans or estimators."""
    for name in pyfsagg.__all__:
        if inspect.isfunction(getattr(pyfsagg, name)):
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
    if room == "filters" and name in FILTERS:
        return "score_features"
    for in_r, called in CALLS.items():
        python = called.function
        if python == dotted or python.rpartition(".")[2] == name:
            return in_r
    return REACHED.get(name)


@pytest.mark.parametrize("dotted", sorted(public_functions()))
def test_a_public_function_is_reached_from_r_or_it_is_said_why_not(dotted: str) -> None:
    name = dotted.rpartition(".")[2]
    if name in NOT_REACHED:
        assert NOT_REACHED[name]
        return
    by = reached_by(dotted)
    assert by is not None, (
        f"R does not reach {dotted}: add it to CALLS of pyfsagg/for_r/calls.py and run "
        "tools/r_functions.py, or say here why not"
    )
    assert by in EXPORTED, f"{by}, which reaches {dotted}, is not exported by the R package"


def test_every_function_that_calls_one_of_python_is_exported() -> None:
    assert set(CALLS) <= EXPORTED
    for called in CALLS.values():
        assert callable(called.python)


PACKAGE = NAMESPACE.parent
EXAMPLES = "".join(
    page.read_text(encoding="utf-8").partition("\\examples{")[2]
    for page in sorted((PACKAGE / "man").glob("*.Rd"))
)
TESTS = "".join(
    file.read_text(encoding="utf-8") for file in (PACKAGE / "tests" / "testthat").glob("test-*.R")
)


def test_every_function_of_r_has_an_example_and_a_test() -> None:
    for name in sorted(EXPORTED):
        assert re.search(rf"\b{name}\(", EXAMPLES), "add an example to its help page"
        assert re.search(rf"\b{name}\b", TESTS), "add a test in r_bridge/pyfsaggr/tests/testthat"


def test_no_reason_is_left_over() -> None:
    names = {dotted.rpartition(".")[2] for dotted in public_functions()}
    assert set(NOT_REACHED) <= names
    assert set(REACHED) <= names
