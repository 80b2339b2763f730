"""``pyfsagg aggregate`` and ``agreement``: ranked lists into one ranking, and how deep they agree."""

from __future__ import annotations

import argparse
import textwrap
from dataclasses import replace
from typing import Any

import pyfsagg
from pyfsagg._base.remarks import warn
from pyfsagg._base.settings import names_of
from pyfsagg._base.validation import check_integer
from pyfsagg._command.flags import (
    Flags,
    assignments,
    given,
    one_or_several,
    refuse_flags_of_lists,
)
from pyfsagg._command.results import compute_and_save, name_of_table
from pyfsagg._command.tables import is_saved, origin, require_column
from pyfsagg.exceptions import ParameterError

DESCRIPTION = """\
Combine ranked lists into one ranking, and write it with a report.

Forms of lists (gzipped files are unpacked):
  a folder         a saved result that has rankings: a run, a committee, an aggregation
  files of names   one file per list, one name per line, best first
  files of tables  one file per list; --ids names the column of names, --by that of the scores
  matrix           one CSV or TSV file (or standard input): a row per item, a column per list; the
                   first column, or that of --ids, has the items, the cells have ranks (1 = best),
                   or scores with --scores; an empty cell is missing
  columns          --format columns: one CSV or TSV file whose columns are lists of names
  lines            --format lines: one file, each line a list, names between tabs or commas
in addition to files of names, columns or lines:
  unranked         --unranked FILE ...: one file per list, one name per line, in no order
if items are groups of scored members:
  members          --item COLUMN --member-score COLUMN: one table with a row per member, such as
                   guides of genes; the k-th list has the k-th best member of each group
"""
EPILOG = """\
examples:
  pyfsagg aggregate screen*.txt --universe 20000
  pyfsagg aggregate drugz.txt bagel.txt --ids GENE --universe 18000
  pyfsagg aggregate study*.csv --ids gene --by p_value --lower-is-better --universe 20000
  pyfsagg aggregate p_values.csv --ids gene --lower-is-better --exact --output consensus
  pyfsagg aggregate votes.txt --format lines --method borda
  pyfsagg aggregate lists/*.txt.gz --methods rra,stuart,mean_rank --top 20
  pyfsagg aggregate screens/*.txt --unranked hits/*.txt --method maic --universe 20000
  pyfsagg aggregate guides.csv --item gene --member-score z --method stuart
  zcat ranks.tsv.gz | pyfsagg aggregate - --json --quiet
"""
AGREEMENT_DESCRIPTION = """\
Find how far down ranked lists agree: for each pair, the place down to which most items of
one list are within DISTANCE places of their place in the other (the moderate-deviation rule of
Hall and Schimek). The report also has rank-biased overlap, with its limits if the lists have
different lengths. Lists are given as for pyfsagg aggregate.
"""
AGREEMENT_EPILOG = """\
example:
  pyfsagg agreement lists.csv --format columns --distance 6 --pilot 10
"""
RRA = "robust_rank_aggregation"
REVERSED_BELOW = -0.5  # chosen: rank correlation with the result below which a list is suspicious
ENOUGH_ITEMS = 10
MOST_FILES = 30  # that the report spells out
RUN_FILE = "run.json"
ASK_THE_LISTS = (
    "Which aggregator agrees most with itself on such lists? pyfsagg influence --lists FILE … compares "
    "the results of each for two halves of the lists."
)
LIST_FLAGS = (
    *("unranked", "format", "ids", "header", "scores", "reverse", "ties", "universe"),
    *("absent", "by", "best_first"),
)
"""Flags that say how files of lists are read."""


def add_commands(commands: Any) -> None:
    text = "combine ranked lists into one ranking"
    add = Flags.of(commands, "aggregate", _aggregate, text, DESCRIPTION, EPILOG)
    _add_input_flags(add)
    add.column("--item", help="the group of each row (member) of a table")
    add.column("--member-score", help="score of each row; larger = better, or --lower-is-better")
    _add_method_flags(add)
    add.output("pyfsagg-aggregate")

    text = "how deep ranked lists agree"
    add = Flags.of(commands, "agreement", _agreement, text, AGREEMENT_DESCRIPTION, AGREEMENT_EPILOG)
    _add_input_flags(add)
    add.number("--distance", default=6, metavar="D", text="places")
    text = "places examined in one step"
    add.number("--pilot", default=10, metavar="N", text=text)
    text = "of rank-biased overlap: the first 1/(1 - P) places have most of the weight"
    add.number("--persistence", default=0.98, metavar="P", text=text)
    add.seed("random ties")
    add.output("pyfsagg-agreement")


def _add_input_flags(add: Flags) -> None:
    """Flags for the form of the lists."""
    add("files", nargs="*", metavar="FILE", help="lists, or one matrix; - is standard input")
    text = "lists of names in no order, which are tied at their mean rank"
    add("--unranked", nargs="+", default=[], metavar="FILE", help=text)
    text = "form of the lists; auto: a single CSV, TSV or - is a matrix, anything else lists"
    add.choice("--format", ("auto", "lists", "columns", "lines", "matrix"), text)
    add.column("--ids", help="the column of a table with the names of the items")
    add.column("--by", help="the column by which tables with --ids are ranked; larger = better")
    text = "lists and tables are best first, even if their order does not look like a ranking"
    add.switch("--best-first", help=text)
    add.switch("--header", help="skip the first line of each file of names")
    text = "refuse a name that occurs twice in a list, or keep its best place"
    add.choice("--duplicates", ("error", "first"), text)
    add.switch("--scores", help="the matrix contains scores; larger = better")
    add.switch("--lower-is-better", help="scores, or --by, such as p-values; smaller = better")
    add.names("--reverse", default=[], help="lists of scores with the opposite direction")
    rules = ("average", "min", "max", "ordinal", "random")
    add("--ties", choices=rules, help="ranks of equal scores (default: average)")
    text = "number of items that could have been listed, or one per list as A,B,… "
    text += "(default: the number of different names); p-values are adjusted over all of them"
    add("--universe", type=one_or_several(int, "whole numbers"), metavar="N", help=text)
    add.absent()


def _add_method_flags(add: Flags) -> None:
    text = "weight of each list: a CSV or TSV file with the names of the lists (of files without "
    text += "their endings) in the first column and numbers in the second, or the numbers themselves as "
    text += "2,1,… in the order of the lists; a list of weight 2 counts as two lists"
    add("--list-weights", metavar="FILE", help=text)
    add("--method", metavar="NAME", help=f"(default: {RRA})")
    add.names("--methods", help="several methods to compare; the first is the result")
    add.switch("--exact", help="exact p-values of robust rank aggregation")
    text = "for robust rank aggregation: largest share of the universe that a list can contain, "
    text += "one number or one per list; only ranks up to it count"
    add("--cutoff", type=one_or_several(float, "numbers"), metavar="SHARE", help=text)
    text = "option of a method, for instance mc4.damping=0.1 (may be repeated)"
    add.settings("--param", metavar="METHOD.NAME=VALUE", help=text)
    text = "correction of p-values across all items of the universe"
    add.choice("--p-adjust", ("bh", "holm", "bonferroni", "none"), text)
    text = "p-values from B tables with relabelled items, for any method"
    add("--permutations", type=int, metavar="B", help=text)
    text = "sources of the lists (default: all different); lists of one source are permuted "
    text += "together"
    add.names("--sources", metavar="A,A,B", help=text)
    add.seed("permutations and random ties")
    add("--top", type=int, default=10, metavar="K", help="best items to show (default: 10)")


def _aggregate(options: argparse.Namespace) -> None:
    from pyfsagg.aggregation.about_lists import advise

    methods, params = _methods(options)
    table = _read(options)
    shown = {"top": min(options.top, table.n_items), "adjusted": options.p_adjust != "none"}
    view = {**shown, **_origin_of_lists(options)}
    compute_and_save(options, lambda _: _compute(options, table, methods, params), view=view)
    if options.quiet or options.json:
        return
    # Which aggregator is measured to find more in lists of this kind, if there is a measurement.
    advice = advise(table, methods[0])
    if (
        advice is None
        and table.n_lists > 5
        and (table.absent == "unknown" or not table.missing.any())
    ):
        advice = ASK_THE_LISTS
    if advice is not None:
        print("\n" + textwrap.fill(advice, 88))


def _agreement(options: argparse.Namespace) -> None:
    table = _read_list_files(options)
    how = given(options, "distance", "pilot", "persistence")
    origins = _origin_of_lists(options)
    compute_and_save(
        options, lambda _: pyfsagg.aggregation.list_agreement(table, **how), view=origins
    )


def _origin_of_lists(options: argparse.Namespace) -> dict[str, Any]:
    """Where lists come from, as :data:`pyfsagg._run.result.ORIGIN` has it."""
    files = [*options.files, *options.unranked]
    weights = _weights(getattr(options, "list_weights", None))
    weighing = [] if weights is None else [f"table = table.weighted({weights!r})"]
    of_weights = [options.list_weights] if isinstance(weights, dict) else []
    name = name_of_table(files[0]) if len(files) == 1 else None
    return origin([*files, *of_weights], [*_reading_code(options), *weighing], name)


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """How lists are read, as arguments of :meth:`pyfsagg.Rankings.from_files` that are no defaults."""
    settings = {
        "universe": options.universe,
        "absent": options.absent,
        "format": options.format if options.format != "auto" else None,
        "ids": options.ids,
        "by": options.by,
        "best_first": options.best_first or None,
        "header": options.header or None,
        "duplicates": options.duplicates if options.duplicates != "error" else None,
        "matrix": "scores" if _wants_scores(options) else None,
        "higher_is_better": False if options.lower_is_better else None,
        "ties": options.ties,
        "random_state": options.seed if options.ties == "random" else None,
    }
    return {name: value for name, value in settings.items() if value is not None}


def _wants_scores(options: argparse.Namespace) -> bool:
    return bool(options.scores or (options.lower_is_better and not options.by) or options.reverse)


def _reading_code(options: argparse.Namespace) -> list[str]:
    """Lines of code that read the lists."""
    arguments = "".join(f", {name}={value!r}" for name, value in _settings(options).items())
    if getattr(options, "item", None):
        better = ", higher_is_better=False" if options.lower_is_better else ""
        return [
            f"members = pyfsagg.datasets.read_table({options.files[0]!r})",
            f"table = pyfsagg.Rankings.from_groups(members[{options.member_score!r}], "
            f"members[{options.item!r}]{better})",
        ]
    if is_saved(options.files):
        return [f"table = pyfsagg.Rankings.of(pyfsagg.load_result({options.files[0]!r}))"]
    lines = ["files = [", *(f"    {file!r}," for file in options.files), "]"]
    if len(options.files) > MOST_FILES:
        lines = [
            "import json",
            "from pathlib import Path",
            "",
            f"# all {len(options.files):,} files, as they are recorded beside this report",
            f'files = json.loads(Path("{RUN_FILE}").read_text(encoding="utf-8"))["data"]["files"]',
        ]
    if options.unranked:
        lines += ["unranked = [", *(f"    {file!r}," for file in options.unranked), "]"]
        arguments += ", unranked=unranked"
    lines.append(f"table = pyfsagg.Rankings.from_files(files{arguments})")
    if options.reverse:
        lines.append(f"table = table.reversed({options.reverse!r})")
    return lines


def _methods(options: argparse.Namespace) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Names of the methods, the one of the result first, and their options."""
    from pyfsagg.aggregation._base import AGGREGATORS

    if options.method and options.methods:
        raise ParameterError("--method names one method, --methods several; give one of the two")
    if options.sources and not options.permutations:
        raise ParameterError("--sources belongs to --permutations; say how many, such as 1000")
    if options.permutations is not None:
        check_integer("--permutations", options.permutations, low=1)
    check_integer("--top", options.top, low=1)
    methods = [AGGREGATORS.get(name).name for name in options.methods or [options.method or RRA]]
    params: dict[str, dict[str, Any]] = {}
    for name, values in assignments(options.param).items():
        if not isinstance(values, dict):
            if len(methods) > 1:
                raise ParameterError(
                    f"--param {name}: name its method, for instance {methods[0]}.{name}=…"
                )
            name, values = methods[0], {name: values}
        params.setdefault(AGGREGATORS.get(name).name, {}).update(values)
    for flag, option in (("exact", "exact"), ("cutoff", "top_cutoff")):
        value = getattr(options, flag)
        if value is None or value is False:
            continue
        if RRA not in methods:
            raise ParameterError(f"--{flag} belongs to {RRA}, and the method is {methods[0]}")
        params.setdefault(RRA, {})[option] = value
    return methods, params


def _read_list_files(options: argparse.Namespace) -> pyfsagg.Rankings:
    """The lists that the flags name."""
    from pyfsagg.cli._rankings import rankings_of

    if is_saved(options.files):
        refuse_flags_of_lists(options, *LIST_FLAGS)
        return rankings_of(options.files)
    if options.ties and not _wants_scores(options):
        raise ParameterError("--ties belongs to --scores: ranks and lists already have their ties")
    table = rankings_of(options.files, unranked=options.unranked, **_settings(options))
    if _wants_scores(options) and table.scores is None:
        raise ParameterError(
            "--scores, --lower-is-better and --reverse belong to a matrix; lists of names are best "
            "first and contain no scores"
        )
    if options.reverse:
        table = table.reversed(options.reverse)
    return table


def _read(options: argparse.Namespace) -> pyfsagg.Rankings:
    """Lists, or groups as items from a table of their members."""
    if not (options.item or options.member_score):
        table = _read_list_files(options).weighted(_weights(options.list_weights))
        if table.n_lists == 1:
            warn("a single list was given: its own order is the result", stacklevel=1)
        return table
    if not (options.item and options.member_score):
        raise ParameterError("--item and --member-score belong together; give both")
    refuse_flags_of_lists(
        options, *LIST_FLAGS, "list_weights", because="--item takes a table of members"
    )
    if len(options.files) != 1:
        raise ParameterError(f"--item takes one table of members, got {len(options.files)} files")
    members = pyfsagg.datasets.read_table(options.files[0])
    require_column(members, "item", options.item)
    require_column(members, "member-score", options.member_score)
    scores, groups = members[options.member_score], members[options.item]
    return pyfsagg.Rankings.from_groups(scores, groups, not options.lower_is_better)


def _weights(given: str | None) -> dict[str, float] | list[float] | None:
    """Weights by the name of the list, from a file, or in the order of the lists."""
    if given is None:
        return None
    try:
        return [float(part) for part in names_of(given)]
    except ValueError:
        pass
    from pyfsagg.ranks._files import read_weight_file

    return read_weight_file(given)


def _compute(
    options: argparse.Namespace,
    table: pyfsagg.Rankings,
    methods: list[str],
    params: dict[str, dict[str, Any]],
) -> pyfsagg.aggregation.Aggregation:
    from pyfsagg.aggregation._base import AGGREGATORS

    of_scores = [name for name in methods if AGGREGATORS.get(name).input == "scores"]
    if of_scores and table.scores is None:
        raise ParameterError(
            f"{of_scores[0]} combines scores: give a matrix with --scores, or use a method of ranks: "
            f"{', '.join(spec.name for spec in AGGREGATORS if spec.input == 'ranks')}"
        )
    p_adjust = "bh" if options.p_adjust == "none" else options.p_adjust
    of_several = {}
    if options.methods:
        comparison = pyfsagg.aggregation.compare_aggregations(
            table, methods, p_adjust=p_adjust, method_params=params
        )
        result = replace(comparison.results[0], others=comparison.results[1:])
        of_several["compared"] = comparison.parameters["call"]
    else:
        if unused := [name for name in params if name not in methods]:
            message = f"--param is given for {unused[0]}, and the method is {methods[0]}"
            raise ParameterError(message)
        result = pyfsagg.aggregate(
            table, methods[0], p_adjust=p_adjust, **params.get(methods[0], {})
        )
    permutation = None
    if options.permutations:
        how = {
            "groups": options.sources,
            "n_permutations": options.permutations,
            "p_adjust": p_adjust,
        }
        how |= {"random_state": options.seed, **params.get(methods[0], {})}
        permutation = pyfsagg.aggregation.permutation_p_values(table, methods[0], **how)
    parameters = {
        "methods": methods,
        "options": params,
        "universe": options.universe,
        "absent": options.absent,
        "weights": None if table.weights is None else table.weights.tolist(),
        "scores": table.scores is not None,
        **given(options, "lower_is_better", "reverse"),
        "ties": table.ties if table.scores is not None else None,
        **given(options, "duplicates", "header", "format", "ids", "by", "best_first"),
        **given(options, "p_adjust", "permutations"),
        **given(options, "sources", "seed"),
        "top": min(options.top, table.n_items),
        "call": result.parameters["call"],
        **of_several,
    }
    loose = {"unranked": options.unranked} if options.unranked else {}
    data = {"files": options.files, **loose, **result.data}
    lists = result.lists()  # one that runs against all others may be sorted worst first
    against = lists[(lists["spearman"] < REVERSED_BELOW) & (lists["items"] >= ENOUGH_ITEMS)]
    for name, correlation in against["spearman"].items():
        text = f"the list {name!r} runs against the result (Spearman {correlation:.2f}); make sure "
        warn(text + "that it is best first", stacklevel=1)
    return replace(result, permutation=permutation, parameters=parameters, data=data)
