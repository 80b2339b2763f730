"""The page of an experiment of the paper on rank orders."""

from __future__ import annotations

from pyfsagg._base.words import plural
from pyfsagg._page.page import Block, Page, Records, Section, Table, Text
from pyfsagg._run.picture import picture
from pyfsagg.reproduce._page import closing, words
from pyfsagg.reproduce.orders._plot import plot_panel
from pyfsagg.reproduce.orders.experiment import Experiment

__all__ = ["experiment_page"]


def experiment_page(experiment: Experiment, *, command: str | None = None) -> Page:
    """The report of an experiment: its curves, and which statements of the paper hold.

    Parameters
    ----------
    experiment : Experiment
    command : str, optional
        The arguments of the ``pyfsagg`` command that repeat it.

    Returns
    -------
    Page
    """
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
        Section("findings", "Findings", [Table("Statements, one by one.", heads, rows, header=1)]),
        Section("settings", "Settings", [Records("How it was run.", [("Experiment", settings)])]),
    ]
    sections += closing(command, ["orders"])
    return Page(f"{experiment.title} ({experiment.name})", "Rank-order spaces", sections)


def _panel_caption(experiment: Experiment) -> str:
    if experiment.baseline is not None:
        return "Grey: random subsets, mean and 95 % of them."
    return f"Means over {plural(experiment.parameters['n_repeats'], 'generated data set')}."
