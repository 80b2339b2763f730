"""``pyfsagg influence``: how the aggregator influences the stability of the ranking."""

import argparse
from typing import Any

import pyfsagg
from pyfsagg._base.settings import Task
from pyfsagg._base.validation import n_selected
from pyfsagg._command import flags
from pyfsagg._command.results import compute_and_save, name_of_table
from pyfsagg._command.tables import is_data_set, is_saved, load_table, origin
from pyfsagg.exceptions import ParameterError

DESCRIPTION = """\
Rank the features of a table in each fold of a stratified cross-validation by each aggregator,
from the same scores, and measure how far the rankings of the folds agree.

With --lists: split ranked lists or judges into halves many times, and compare the results of
both halves by each aggregator: which one agrees more with itself than the first one?
"""
EPILOG = """\
examples:
  pyfsagg influence table.csv --target class
  pyfsagg influence table.csv --target class --filters mrmr --aggregator-param gm.shift=minimum
  pyfsagg influence table.csv --target class --method bam --folds 10 --n-resamples 200 --seed 1
  pyfsagg influence --lists votes.csv --absent unknown --aggregators mean_rank,median_rank,rra
  pyfsagg influence --lists judges/*.txt --universe 500
"""
OF_LISTS = ("universe", "absent", "scores", "lower_is_better")  # flags that belong to lists


def add_commands(commands: Any) -> None:
    text = "compare aggregators by the stability of the ranking over folds"
    add = flags.Flags.of(commands, "influence", _influence, text, DESCRIPTION, EPILOG)
    add.table(target_required=False, nargs="?")
    text = "instead of a table: files of names, best first, or one matrix, as for pyfsagg aggregate"
    add("--lists", nargs="+", metavar="FILE", help=text)
    add("--universe", type=int, metavar="N", help="number of items that each list could contain")
    add.absent()
    add.switch("--scores", help="the matrix of lists contains scores; larger = better")
    add.switch("--lower-is-better", help="the same, smaller = better")
    add.choice("--method", ("wam", "bam"), "each filter alone (wam), or all combined (bam)")
    add.names("--filters", help="(default: information_gain; with --method bam: ig,su,mrmr,cs)")
    add.filters(("per_resample", "per_feature"))
    text = "(default: am,gm,l2,stuart,rra; of lists: rra,mean_rank,median_rank,…; the first is the default)"
    add.names("--aggregators", help=text)
    text = "option of an aggregator, for instance gm.shift=minimum (may be repeated)"
    add.settings("--aggregator-param", metavar="AGGREGATOR.NAME=VALUE", help=text)
    text = "or splits of lists (default: %(default)s)"
    add("--n-folds", "--folds", dest="folds", type=int, default=100, metavar="F", help=text)
    text = "bootstraps in each training part"
    add.number("-n", "--n-resamples", default=1000, metavar="M", text=text)
    add.names("--measures", help="(default: spearman,jaccard,canberra)")
    add.size(" (default: %(default)s)", default=0.25)
    add.seed("folds and bootstraps")
    add.work()
    add.output("pyfsagg-influence")


def _influence(options: argparse.Namespace) -> None:
    from pyfsagg.aggregator_influence.experiments import THESIS_AGGREGATORS
    from pyfsagg.aggregator_influence.result import THESIS_MEASURES, with_options
    from pyfsagg.ensemble.scoring import USUAL_FILTERS
    from pyfsagg.stability_measures._base import STABILITY_MEASURES

    if options.lists:
        return _of_lists(options)
    if options.table is None:
        raise ParameterError("give a table, or ranked lists by --lists FILE …")
    for name in OF_LISTS:
        if getattr(options, name):
            raise ParameterError(f"--{name.replace('_', '-')} belongs to --lists")
    if not is_data_set(options.table):
        flags.require_target(options.target, options.filters, "--filters")
    specs = [STABILITY_MEASURES.get(name) for name in options.measures or THESIS_MEASURES]
    if needy := [spec.name for spec in specs if "similarity" in spec.needs]:
        raise ParameterError(
            f"the measure {needy[0]!r} needs a matrix of feature similarities; use another"
        )
    aggregator_params = flags.assignments(options.aggregator_param)
    for name, values in aggregator_params.items():
        if not isinstance(values, dict):
            raise ParameterError(
                f"--aggregator-param {name}: name its aggregator, as in NAME.{name}=VALUE"
            )
    table = load_table(options, flags.target_columns(options))
    size = options.n_features_to_select
    n_selected(size, table.X.shape[1], "--n-features-to-select")  # refuse before the work is done
    default = USUAL_FILTERS if options.method == "bam" else ("information_gain",)
    aggregators = with_options(options.aggregators or THESIS_AGGREGATORS, aggregator_params)

    def compute(progress: Any) -> Any:
        return pyfsagg.influence(
            table.X,
            table.y,
            filter=options.filters or list(default),
            filter_params=flags.assignments(options.filter_param),
            **flags.given(options, "method", "normalize", "n_resamples"),
            aggregators=aggregators,
            n_folds=options.folds,
            task=Task.from_flags(options),
            **flags.at_work(options, progress),
        )

    measures = list(dict.fromkeys(spec.name for spec in specs))
    view = {"measures": measures, "n_features_to_select": size, **table.view}
    compute_and_save(options, compute, unit="fold", view=view, messages=table.lines)


def _of_lists(options: argparse.Namespace) -> None:
    from pyfsagg.aggregator_influence.experiments import LIST_AGGREGATORS
    from pyfsagg.aggregator_influence.result import with_options
    from pyfsagg.cli._rankings import rankings_of

    if options.table is not None or options.target is not None:
        raise ParameterError("--lists replaces a table and its --target")
    measure, *more = options.measures or ["spearman"]
    if more:
        raise ParameterError("--measures names one measure for --lists")
    how: dict[str, Any] = {
        "universe": options.universe,
        "absent": options.absent,
        "matrix": "scores" if options.scores or options.lower_is_better else "ranks",
        "higher_is_better": not options.lower_is_better,
    }
    how = {name: value for name, value in how.items() if value is not None}
    code = ", ".join(f"{name}={value!r}" for name, value in how.items())
    if is_saved(options.lists):
        flags.refuse_flags_of_lists(options, *OF_LISTS)
        table = rankings_of(options.lists)
        reading = [f"lists = pyfsagg.load_result({options.lists[0]!r})"]
    else:
        table = rankings_of(options.lists, **how)
        reading = [f"lists = pyfsagg.Rankings.from_files({options.lists!r}, {code})"]
    params = flags.assignments(options.aggregator_param)
    aggregators = with_options(options.aggregators or LIST_AGGREGATORS, params)
    drawn = {"n_splits": options.folds, "random_state": options.seed}
    name = name_of_table(options.lists[0]) if len(options.lists) == 1 else None
    compute_and_save(
        options,
        lambda _: pyfsagg.aggregator_influence.influence_of_lists(
            table, aggregators, measure=measure, **drawn
        ),
        view=origin(options.lists, reading, name),
    )
