"""Write the reference pages in docs/reference from the specs: ``python tools/reference.py``."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from statistical_tests import STATISTICAL_TESTS

from pyfsagg import ensemble  # noqa: F401  # adds the rankings without labels
from pyfsagg._base.registry import Registry, Spec
from pyfsagg._base.settings import Settings, Task
from pyfsagg._run.execution import Checks, Execution
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.committees.rules import VOTING_RULES
from pyfsagg.ensemble.settings import Precision
from pyfsagg.evaluation import Protocol
from pyfsagg.filters._base import FILTERS
from pyfsagg.rank_order.elimination import ELIMINATIONS
from pyfsagg.stability_measures._base import STABILITY_MEASURES
from pyfsagg.unsupervised.registry import UNSUPERVISED_METHODS
from pyfsagg_papers.comparisons.run import COMPARISONS  # which has them all

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
Column = tuple[str, Callable[[Any], str]]


class Page(NamedTuple):
    """One kind of method: title, registry, the text above the table, and its columns."""

    title: str
    registry: Registry[Any] | list[Any]
    text: str
    columns: tuple[Column, ...]

    @property
    def specs(self) -> list[Any]:
        """The entries; plug-ins that happen to be installed are not among them."""
        return self.registry if isinstance(self.registry, list) else self.registry.own()


def direction(spec: Spec) -> str:
    return "larger" if spec.higher_is_better else "smaller"


NAMES: tuple[Column, ...] = (
    ("Name", lambda spec: f'<span id="{spec.name.replace("_", "-")}"></span>`{spec.name}`'),
    ("Aliases", lambda spec: ", ".join(f"`{alias}`" for alias in spec.aliases)),
    ("What it is", lambda spec: spec.summary),
)
VALUES: tuple[Column, ...] = (
    ("Formula", lambda spec: f"`{spec.formula}`"),
    ("Range", lambda spec: spec.bounds),
    ("Direction", direction),
    ("Ties", lambda spec: spec.ties),
)
SOURCE: tuple[Column, ...] = (("Source", lambda spec: spec.source),)
OPTIONS: Column = ("Options", lambda spec: ", ".join(f"`{name}`" for name in spec.options))

PAGES = {
    "filters": Page(
        "Filters",
        FILTERS,
        "Scores of features, for `wam`, `bam` and `influence`. X is the feature, Y the target, n the "
        "number of rows (their weights count).",
        (
            *NAMES,
            *VALUES,
            ("Targets", lambda spec: ", ".join(spec.targets)),
            ("Sparse tables", lambda spec: "yes" if spec.sparse else "no"),
            ("Counts levels", lambda spec: "yes" if spec.counts_levels else "no"),
            ("Adjusts for", lambda spec: spec.adjusts),
            *SOURCE,
        ),
    ),
    "aggregators": Page(
        "Aggregators",
        AGGREGATORS,
        "For `aggregate` and the ensembles. s_i and r_i are the score and the rank of an item in list i of "
        "m, p is the number of items, N the size of the universe. A list of weight k counts k times, and m "
        "is the sum of the weights. Range and direction are those of the published statistic. Items of "
        "`aggregate` are tied if the difference of their scores can be rounding: if it is at most m ε of the "
        "mean size of the terms, ε = 2.2e-16, or 1e-12 of it for Markov chains and `fpcps`. The order "
        "of the lists then changes no rank, except with `best_go_first`, whose lists have turns, and of two "
        "opposite lists with `fpcps`.",
        (
            *NAMES,
            ("Reads", lambda spec: spec.input),
            *VALUES,
            OPTIONS,
            ("Weights", lambda spec: spec.takes_weights),
            ("Unranked list of k", lambda spec: spec.unranked),
            *SOURCE,
        ),
    ),
    "stability_measures": Page(
        "Stability measures",
        STABILITY_MEASURES,
        "Agreement of resamples, for `stability`. i (or s) and v are two of m resamples, l_i and V_i the "
        "scores and the subset of n_i features of one, I the number of common features of two subsets, j "
        "one of p features, r_sj its rank, h_j the number of subsets with it, q the sum of all h_j.",
        (
            *NAMES,
            ("Compares", lambda spec: spec.kind),
            *VALUES,
            ("Chance-corrected", lambda spec: "yes" if spec.corrected_for_chance else "no"),
            ("Needs", lambda spec: ", ".join(f"`{name}`" for name in spec.needs)),
            *SOURCE,
        ),
    ),
    "statistical_tests": Page(
        "Statistical tests",
        STATISTICAL_TESTS,
        "Functions of `pyfsagg.statistics`, for conditions (methods) on the same subjects (data sets, "
        "folds) or for independent groups. n is the number of subjects or values, k that of conditions or "
        "groups, x_ij the value of subject i under condition j, r_ij its rank within the subject, d_i and "
        "s_d the differences of two conditions and their standard deviation. Direction: the values that "
        "speak against the hypothesis.",
        (
            NAMES[0],
            ("Function", lambda spec: f"`{spec.function}`"),
            NAMES[2],
            ("Hypothesis", lambda spec: spec.null),
            VALUES[0],
            VALUES[1],
            ("Direction", lambda spec: spec.evidence),
            VALUES[3],
            ("Distribution", lambda spec: spec.distribution),
            *SOURCE,
        ),
    ),
    "eliminations": Page(
        "Eliminations in rank-order space",
        ELIMINATIONS,
        "Methods of `rank_order.eliminate`. The formula is the criterion of a feature f among the remaining "
        "features F; the better it is, the longer a feature is kept.",
        (
            *NAMES,
            *VALUES,
            ("Options", lambda spec: ", ".join(f"`{name}`" for name in spec.settings.names())),
            *SOURCE,
        ),
    ),
    "voting_rules": Page(
        "Voting rules",
        VOTING_RULES,
        "For `vote` and `committee`. A_v is the selection of voter v, w_v its weight (1 by default), f a "
        "feature, k_v the number of elected features in A_v, x_v the load of v (0 at first). Scores within "
        "1e-10 of the larger one are tied.",
        (
            *NAMES,
            *VALUES,
            ("Proportional", lambda spec: "yes" if spec.proportional else "no"),
            *SOURCE,
        ),
    ),
    "unsupervised_methods": Page(
        "Rankings without labels",
        UNSUPERVISED_METHODS,
        "Methods of `unsupervised.rank_unsupervised`, also filters. x is the feature.",
        (*NAMES, *VALUES, OPTIONS, *SOURCE),
    ),
    "comparisons": Page(
        "Comparisons with R",
        COMPARISONS,
        "Computed on both sides by `pyfsagg cross-check`.",
        (
            NAMES[0],
            ("Package", lambda spec: spec.package),
            NAMES[2],
            ("Here", lambda spec: f"`{spec.ours}`"),
            ("In R", lambda spec: f"`{spec.theirs}`"),
            ("Tolerance", lambda spec: f"{spec.tolerance.limit:g} {spec.tolerance.scale}"),
            ("Difference", lambda spec: spec.departs.reason if spec.departs else ""),
        ),
    ),
}


def markdown(page: Page) -> str:
    """The page of one kind; plug-ins that happen to be installed are not on it."""
    rows = [[heading for heading, _ in page.columns], ["---"] * len(page.columns)]
    rows += [
        [shown(spec) for _, shown in page.columns]
        for spec in sorted(page.specs, key=lambda spec: spec.name)
    ]
    table = "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in rows)
    return (
        f"# {page.title}\n\n<!-- Written by tools/reference.py from the specs; do not edit. -->\n\n"
        f"{page.text}\n\n{table}\n"
    )


R_HELP = FOLDER.parents[1] / "r_bridge" / "pyfsaggr" / "man" / "settings.Rd"
R_GROUPS: dict[str, type[Settings]] = {
    "What is read, and how": Task,
    "What wam() and bam() compute beside the resamples": Checks,
    "How a run is executed": Execution,
    'precision, a list that says when n_resamples = "auto" of wam() and bam() stops': Precision,
    "How evaluate() divides the rows": Protocol,
}
R_OTHERS = {
    "filter_params, aggregator_params": "named lists of options; for bam() and evaluate() "
    "filter_params may have one list for each filter, such as list(mrmr = list(n_features = 100L)): so "
    "many features are selected one by one, the others keep the criterion of the last step",
    "normalize": 'scores of columns that differ in their levels: "against_noise" compares them with those of '
    'shuffled targets, "auto" does so where it matters, "none" never; for bam() "per_resample" and '
    '"per_feature" are the ranges that are brought to 0..1',
    "resampling_params": "a named list of the options of the resampling plan, such as "
    "list(fraction = 0.8); see list_methods('resampling')",
    "baselines": 'for evaluate(): what the methods are compared with, "all_features" and "random_subsets"',
    "save, report": "a folder into which the result is written, for load_result() and Python; a file for its "
    "page (HTML)",
    "groups": "group (subject, batch) of each row: a resample, or a side of a division, has all rows "
    "of a group or none",
    "weights": "weight of each row, which is one unit: whole numbers",
    "counts": "how many equal samples each row stands for: whole numbers; not together with weights",
    "row_indices": "a matrix with a row for each resample that holds row numbers (from 1), to repeat "
    "a run made elsewhere",
    "ranking_rows": "for evaluate() with rankings: the rows on which they were made, as numbers (from 1) or "
    "TRUE and FALSE; classifiers are tested on other rows",
}
R_FORMALS = ("n_folds", "progress", "protocol")
"""Settings that are arguments of their own in R, or that R cannot give."""


def r_help() -> str:
    """The help page of the settings for R, from the fields of the settings."""
    items = [("Resamples and methods", list(R_OTHERS.items()))]
    for title, group in R_GROUPS.items():
        fields = [field for field in dataclasses.fields(group) if field.name not in R_FORMALS]
        shown = [(field.name, _in_r(field)) for field in fields if field.name not in R_OTHERS]
        items.append((title, shown))
    sections = "\n".join(
        f"\\section{{{_rd(title)}}}{{\n\\describe{{\n"
        + "\n".join(f"\\item{{\\code{{{_rd(name)}}}}}{{{_rd(text)}}}" for name, text in rows)
        + "\n}\n}"
        for title, rows in items
    )
    return (
        "% Written by tools/reference.py from the fields of the settings; do not edit.\n"
        "\\name{settings}\n\\alias{settings}\n\\title{Settings of a run}\n\\description{\n"
        "Settings that \\code{\\link{wam}()}, \\code{\\link{bam}()}, \\code{\\link{influence}()} and "
        "\\code{\\link{evaluate}()} take by their names, beside the arguments of their own. A name that "
        "is not known is an error.\n}\n" + sections + "\n"
    )


def _in_r(field: dataclasses.Field[Any]) -> str:
    default = field.default
    if default is None or isinstance(default, bool):
        said = "NULL" if default is None else str(default).upper()
    elif isinstance(default, (int, float)):
        said = f"{default:.5g}"
    else:
        said = f'"{default}"' if isinstance(default, str) else ""
    choices = field.metadata["choices"]
    among = f": {', '.join(choices)}" if choices else ""
    text = field.metadata["help"].replace("null=permutation", 'null = "permutation"')
    return f"{text}{among}" + (f" (default: {said})" if said else "")


def _rd(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("{", "\\{").replace("}", "\\}")


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / f"{name}.md").write_text(markdown(page), encoding="utf-8")
    R_HELP.write_text(r_help(), encoding="utf-8")


if __name__ == "__main__":
    main()
