"""``pyfsagg stability``: how far resamples agree."""

import argparse
from dataclasses import replace
from typing import Any

import pyfsagg
from pyfsagg._base.validation import check_integer
from pyfsagg._command.flags import Flags, given, thresholds
from pyfsagg._command.results import compute_and_save, name_of_table
from pyfsagg._command.tables import origin
from pyfsagg.exceptions import ParameterError

DESCRIPTION = """\
Measure how stable scores, rankings or selections are over resamples.

SOURCE is one of
  a folder         a run saved by pyfsagg rank, or another result with rankings or selections
  a table          one row per resample, one column per feature: scores (larger = more important),
                   ranks (1 = most important) or 0/1 selections; a first column of labels is skipped
  a table of names one column per resample, with the names that it selected
  files of names   one file per resample, one name per line
"""
EPILOG = """\
examples:
  pyfsagg stability pyfsagg-rank
  pyfsagg stability scores.csv --n-features-to-select 10 --measures nogueira,spearman --interval bootstrap
  pyfsagg stability fold*.txt --n-features 2000 --output agreement
  pyfsagg stability run-a --compare run-b
"""
FORMS = ("auto", "run", "matrix", "lists", "columns", "lines")


def add_commands(commands: Any) -> None:
    text = "measure how far selections, rankings or scores agree"
    add = Flags.of(commands, "stability", _stability, text, DESCRIPTION, EPILOG)
    add("sources", nargs="+", metavar="SOURCE", help="folder, table, or lists; - is standard input")
    add("--format", choices=FORMS, default="auto", help="what SOURCE is (default: see above)")
    text = "what the cells of a table are; auto: ranks if every row is a ranking from 1, selections if all "
    text += "cells are 0 or 1, scores otherwise"
    add.choice("--input", ("auto", "scores", "ranks", "sets"), text)
    add("--filter", metavar="NAME", help="one filter of a saved run (default: all combined)")
    add.switch("--transpose", help="the rows of a table are features, named in the first column")
    add.names("--measures", help="(default: all that apply)")
    add.size("--n-features-to-select", " (default: 0.25, and whole lists)")
    add("--n-features", type=int, metavar="P", help="features to choose from, for lists")
    text = "table of feature similarities from 0 to 1, or GMT file of sets that share features"
    add("--similarity", metavar="FILE", help=text)
    add.choice("--interval", ("jackknife", "bootstrap", "none"), "intervals over resamples")
    add("--confidence-level", type=float, default=0.95, help="(default: %(default)s)")
    add.number("--n-boot", default=1000, metavar="B", text="bootstraps")
    text = "ties at the cut: the mean over all orders, or the first columns as in published results"
    add.choice("--ties", ("random", "first"), text)
    add.seed("all random draws")
    text = "subset sizes of the curve (default: 10%%, 20%%, … of the features)"
    add("--sizes", type=thresholds, metavar="K,K", help=text)
    text = "a second SOURCE: test that both selections are equally stable"
    add("--compare", nargs="+", metavar="OTHER", help=text)
    add.switch("--paired", help="with --compare: row i of both is from the same resample")
    add.output("pyfsagg-stability")


def _stability(options: argparse.Namespace) -> None:
    from pyfsagg.cli._rankings import read_resamples, read_similarity

    if options.n_features is not None:
        check_integer("--n-features", options.n_features, low=1)
    resamples = read_resamples(options.sources, options, "data")
    other = read_resamples(options.compare, options, "compare") if options.compare else None
    if options.paired and other is None:
        raise ParameterError("--paired belongs to --compare")
    pair: dict[str, Any] = {}
    if other is not None:
        pair = {"compare": other.data, "names": [resamples.name, other.name]}
    similarity = None
    if options.similarity:
        similarity = read_similarity(options.similarity, resamples.features)
    of_lists, size = resamples.form == "lists", options.n_features_to_select
    size = resamples.n_features_to_select or (0.25 if size is None else size)

    def compute(progress: Any) -> Any:
        report = pyfsagg.stability(
            resamples.data,
            options.measures,
            **pair,
            similarity=similarity,
            n_features_to_select=size,
            interval=None if options.interval == "none" else options.interval,
            **given(options, "n_features", "input", "paired", "confidence_level"),
            **given(options, "n_boot", "sizes", "ties"),
            random_state=options.seed,
        )
        chosen = not of_lists and report.parameters["input"] == "sets"
        if chosen and options.n_features_to_select is not None:
            raise ParameterError(
                "--n-features-to-select belongs to scores, ranks and lists; these are selections"
            )
        sources = list(map(name_of_table, options.sources))
        data = {"sources": sources, "form": resamples.form, "filter": options.filter}
        parameters = {**report.parameters, "similarity": options.similarity}
        return replace(report, parameters=parameters, data={**data, **report.data})

    code = [*resamples.code, *(other.code if other else [])]
    files = [*options.sources, *(options.compare or [])]
    if similarity is not None:
        files.append(options.similarity)
        code.append(f"similarity = pyfsagg.datasets.read_table({options.similarity!r})")
        if options.similarity.lower().endswith(".gmt"):
            code[-1] = "# similarity: membership_similarity of the sets in " + options.similarity
        elif similarity.index.name is not None:
            code.append("similarity = similarity.set_index(similarity.columns[0])")
    compute_and_save(options, compute, view=origin(files, code, resamples.name))
