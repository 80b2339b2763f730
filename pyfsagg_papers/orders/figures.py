"""Figures 7 to 13 of the rank-order paper by name, drawn and reported."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pyfsagg.extending import (
    Block,
    Page,
    PageTable,
    Records,
    Section,
    Text,
    check_choice,
    check_integer,
    draw_paths,
    legend_above,
    new_axes,
    picture,
    plural,
    set_title,
)
from pyfsagg_papers.orders.experiment import Experiment, concordant_experiment, planted_experiment
from pyfsagg_papers.orders.genes import gene_experiment
from pyfsagg_papers.pages import closing, words
from pyfsagg_papers.records import Log, silent

# -------------------------------------------------------------------------------------------------
# the experiments behind figures 7 to 13 of the rank-order paper, by name
# -------------------------------------------------------------------------------------------------

REPEATS, QUICK_REPEATS = 5, 2

EXPERIMENTS: dict[str, Callable[[str, int, int, int | None, Log], Experiment]] = {
    "figure-7": planted_experiment,
    "figure-8": planted_experiment,
    "figure-9": concordant_experiment,
    "figure-10": concordant_experiment,
    "figure-11": gene_experiment,
    "figure-12": gene_experiment,
    "figure-13": gene_experiment,
}


def run_experiment(
    name: str,
    *,
    n_repeats: int = REPEATS,
    random_state: int = 0,
    n_jobs: int | None = None,
    log: Log | None = None,
) -> Experiment:
    """Repeat one figure of the paper."""
    check_choice("name", name, EXPERIMENTS)
    check_integer("n_repeats", n_repeats, low=1)
    return EXPERIMENTS[name](name, n_repeats, random_state, n_jobs, log or silent)


# -------------------------------------------------------------------------------------------------
# pictures of the experiments of the paper on rank orders
# -------------------------------------------------------------------------------------------------


def plot_experiment(experiment: Experiment) -> list[Axes]:
    """Curves of an experiment, one panel below the other on one figure."""
    panels = list(dict.fromkeys(experiment.curves["panel"]))
    figure = Figure(figsize=(6.4, 0.5 + 3.0 * len(panels)), layout="constrained")
    found = []
    for position, panel in enumerate(panels):
        ax = figure.add_subplot(len(panels), 1, position + 1)
        # The curves have the same colours in all panels: one legend is enough.
        found.append(plot_panel(experiment, panel, legend=position == 0, ax=ax))
    return found


def plot_panel(
    experiment: Experiment, panel: str, *, legend: bool = True, ax: Axes | None = None
) -> Axes:
    """The curves of one panel of an experiment."""
    check_choice("panel", panel, dict.fromkeys(experiment.curves["panel"]))
    ax = new_axes(ax, 3.4)
    curves = experiment.curves[experiment.curves["panel"] == panel]
    baseline = experiment.baseline
    if baseline is not None:
        baseline = baseline[baseline["panel"] == panel]
    paths = {str(method): path for method, path in curves.groupby("method", sort=False)}
    draw_paths(ax, paths, experiment.measure, baseline=baseline)
    set_title(ax, panel, above_legend=legend)
    if legend:
        legend_above(ax, columns=5)
    return ax


# -------------------------------------------------------------------------------------------------
# the page of an experiment of the paper on rank orders
# -------------------------------------------------------------------------------------------------


def experiment_page(experiment: Experiment, *, command: str | None = None) -> Page:
    """The report of an experiment: its curves, and which statements of the paper hold."""
    held = sum(finding.holds for finding in experiment.findings)
    pictures: list[Block] = []
    for position, panel in enumerate(dict.fromkeys(experiment.curves["panel"])):
        label = f"Lines: {experiment.measure} against the number of features kept, by method"
        caption = _panel_caption(experiment)
        pictures.append(
            picture(
                panel, f"panel{position}", plot_panel, experiment, panel,
                label=label, caption=caption,
            )
        )  # fmt: skip
    rows = [
        ["holds" if finding.holds else "does not hold", finding.statement, finding.evidence]
        for finding in experiment.findings
    ]
    heads = words("Here", "Statement", "Evidence")
    settings = [(name, str(value)) for name, value in experiment.parameters.items()]
    summary = f"{held} of {plural(len(rows), 'statement')} checked on these data hold."
    sections = [
        Section("summary", "Summary", [Text(summary)]),
        Section("curves", "Curves", pictures),
        Section(
            "findings", "Findings", [PageTable("Statements, one by one.", heads, rows, header=1)]
        ),
        Section("settings", "Settings", [Records("How it was run.", [("Experiment", settings)])]),
    ]
    sections += closing(command, ["orders"])
    return Page(f"{experiment.title} ({experiment.name})", "Rank-order spaces", sections)


def _panel_caption(experiment: Experiment) -> str:
    if experiment.baseline is not None:
        return "Grey: random subsets, mean and 95 % of them."
    return f"Means over {plural(experiment.parameters['n_repeats'], 'generated data set')}."
