"""``pyfsagg influence``: how the aggregator influences the stability of the ranking."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pyfsagg._command.flags import (
    Flags,
    add_filter_flags,
    add_output_flags,
    add_table_flags,
    add_work_flags,
    assignments,
    require_target,
    target_columns,
)
from pyfsagg._command.results import keep_result
from pyfsagg._command.tables import load_table
from pyfsagg.exceptions import ParameterError

if TYPE_CHECKING:
    from pyfsagg.aggregator_influence import InfluenceResult


DESCRIPTION = """\
Rank the features of a table in every fold of a stratified cross-validation, once with each
aggregator, and measure how far the rankings of the folds agree. The scores of a fold are computed
once and shared by all aggregators.
"""
EPILOG = """\
examples:
  pyfsagg influence table.csv --target class
  pyfsagg influence table.csv --target class --filters mrmr --aggregator-param gm.shift=minimum
  pyfsagg influence table.csv --target class --method bam --folds 10 --n-resamples 200 --seed 1
"""


def add_commands(commands: Any) -> None:
    parser = commands.add_parser(
        "influence",
        help="compare aggregators by the stability of the ranking over folds",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    add_table_flags(parser, target_required=False)
    add = Flags(parser)
    add.choice("--method", ("wam", "bam"), "every filter by itself (wam), or all combined (bam)")
    add.names("--filters", help="(default: information_gain; with --method bam: ig,su,mrmr,cs)")
    add_filter_flags(parser, ("per_resample", "per_feature"))
    add.names("--aggregators", help="(default: am,gm,l2,stuart,rra)")
    text = "option of an aggregator, for instance gm.shift=minimum (may be repeated)"
    add.settings("--aggregator-param", metavar="AGGREGATOR.NAME=VALUE", help=text)
    shown = "(default: %(default)s)"
    add("--n-folds", "--folds", dest="folds", type=int, default=100, metavar="F", help=shown)
    text = "bootstraps inside each training part"
    add.number("-n", "--n-resamples", default=1000, metavar="M", text=text)
    add.names("--measures", help="(default: spearman,jaccard,canberra)")
    add.size("--n-features-to-select", " (default: %(default)s)", default=0.25)
    add.seed("folds and bootstraps")
    add_work_flags(parser)
    add_output_flags(parser, "pyfsagg-influence")
    parser.set_defaults(run=_influence)


def _influence(options: argparse.Namespace) -> None:
    from pyfsagg._base.settings import Task
    from pyfsagg._base.validation import n_selected
    from pyfsagg._run.execution import Execution
    from pyfsagg.aggregator_influence import influence
    from pyfsagg.aggregator_influence.cross_validation import THESIS_AGGREGATORS, with_options
    from pyfsagg.aggregator_influence.result import THESIS_MEASURES
    from pyfsagg.ensemble.methods import DEFAULT_FILTERS
    from pyfsagg.stability_measures import STABILITY_MEASURES

    require_target(options.target, options.filters)
    specs = [STABILITY_MEASURES.get(name) for name in options.measures or THESIS_MEASURES]
    for spec in specs:
        if "similarity" in spec.needs:
            raise ParameterError(
                f"the measure {spec.name!r} needs a matrix of feature similarities; take another"
            )
    aggregator_params = assignments(options.aggregator_param)
    for name, values in aggregator_params.items():
        if not isinstance(values, dict):
            raise ParameterError(
                f"--aggregator-param {name}: name its aggregator, as in NAME.{name}=VALUE"
            )
    table = load_table(options, target_columns(options))
    size = options.n_features_to_select
    n_selected(size, table.X.shape[1], "--n-features-to-select")  # refuse before the work is done
    default = DEFAULT_FILTERS if options.method == "bam" else ("information_gain",)
    aggregators = with_options(options.aggregators or THESIS_AGGREGATORS, aggregator_params)

    def compute(progress: Any) -> InfluenceResult:
        return influence(
            table.X,
            table.y,
            filter=options.filters or list(default),
            filter_params=assignments(options.filter_param),
            method=options.method,
            normalize=options.normalize,
            aggregators=aggregators,
            n_folds=options.folds,
            n_resamples=options.n_resamples,
            task=Task.from_flags(options),
            random_state=options.seed,
            n_jobs=options.jobs,
            execution=Execution.from_flags(options, progress=progress),
        )

    measures = list(dict.fromkeys(spec.name for spec in specs))
    shown = {"measures": measures, "n_features_to_select": size}
    keep_result(options, compute, unit="fold", view={**shown, **table.view}, said=table.lines)
