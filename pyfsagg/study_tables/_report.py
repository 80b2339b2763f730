"""The report and the pictures of several studies."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from pyfsagg._base.validation import check_integer, check_real
from pyfsagg._base.words import count, number, numbers, plural, whole_numbers, words
from pyfsagg._report import drawing
from pyfsagg._report.closing import Report, settings_groups, software
from pyfsagg._report.page import PageTable, Section
from pyfsagg._version import __version__
from pyfsagg.study_tables._result import NOMINAL, Studies

MOST_ROWS = 500
MOST_DRAWN = 20
REFERENCES = {
    "In at least r studies": "Benjamini, Heller (2008). Screening for partial conjunction hypotheses. "
    "Biometrics 64",
    "Adaptive filter": "Wang, Gui, Su, Sabatti, Owen (2022). Detecting multiple replicating signals using "
    "adaptive filtering procedures. Annals of Statistics 50, 1890",
}


def plot_study_evidence(result: Studies, *, n: int = MOST_DRAWN, ax: Axes | None = None) -> Axes:
    """The best items, with the evidence of each study: up to the right, down to the left."""
    best = result._order()[: check_integer("n", n, low=1)]
    ax, rows = drawing.feature_rows(ax, [result.names[j] for j in best], 1.6, 0.26)
    up, down = result.log_p[:, :, best]
    evidence = np.where(up <= down, -up, down) / np.log(10.0)
    for k, (name, values) in enumerate(zip(result.studies, evidence, strict=True)):
        shift = (k - (len(result.studies) - 1) / 2) * 0.6 / max(len(result.studies), 2)
        colour, marker = drawing.look(k)
        ax.plot(values, rows + shift, marker, color=colour, ms=5.0, alpha=0.8, mew=0, label=name)
    limit = -np.log10(NOMINAL)
    ax.axvspan(-limit, limit, color=drawing.GREY, alpha=0.13, linewidth=0)
    ax.set_xscale("symlog", linthresh=3.0)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{abs(value):g}"))
    ax.set_xlabel("down   ←   −log10 of the one-sided p-value of a study   →   up")
    lines, title = -(-len(result.studies) // 4), f"The best {plural(len(best), 'item')} by study"
    return drawing.finished(ax, title, grid="both", lines=lines)


STUDIES_PLOTS: dict[str, Callable[..., Axes]] = {"evidence": plot_study_evidence}


OF_PAIRS: dict[str, Any] = {
    "study": ("Study", words),
    "other": ("Other study", words),
    "common": ("Common items", whole_numbers),
    "both_tails": ("In both tails", whole_numbers),
    "expected": ("By chance", numbers),
    "correlation": ("Correlation", lambda values: [*map(number, values)]),
    "middle": ("In the middle", lambda values: [*map(number, values)]),
    "overlap": ("Common errors", lambda values: [*map(number, values)]),
    "shared": ("Shared samples?", lambda values: ["maybe" if one else "" for one in values]),
}


def studies_page(result: Studies, view: Mapping[str, Any]) -> Report:
    """The report on several studies."""
    check_integer("top", view["top"], low=1)
    fdr = check_real("fdr", view["fdr"], low=0.0, high=1.0, low_open=True)
    drawn = min(MOST_DRAWN, len(result.names))
    evidence = drawing.picture(
        "Evidence of each study for the best items",
        "evidence",
        plot_study_evidence,
        result,
        n=drawn,
        label=f"Points: evidence of each study for the {drawn} best items",
        caption="Point: a study. Right: up, left: down. Grey: one-sided p-values above 0.05.",
    )
    frame = result._pairs.sort_values("middle", ascending=False, kind="stable")
    pairs = PageTable.of_frame(
        "Pairs of studies, by their agreement in the middle.",
        frame,
        OF_PAIRS,
        "True effects make tails agree. In the middle 80 % of both studies most items are null: two "
        "studies may share samples, controls or an artefact if they agree there by 0.2 more than other "
        "pairs, or by 0.2 while their errors cancel. Common errors: correlation of the errors, from the "
        "differences of the normal deviates, whose variance does not depend on what is true.",
        find="study" if len(frame) > 30 else "",
    )
    sections = [
        Section("evidence", "Evidence by study", [evidence], short="Evidence"),
        Section("items", "Items", [_items(result, fdr)]),
        Section("pairs", "Pairs of studies", [pairs], short="Pairs"),
    ]
    titles = ("Several studies", "Several studies: {}")
    subtitle = f"{plural(len(result.studies), 'study')}, {plural(len(result.names), 'item')}"
    references = [software(__version__), *REFERENCES.items()]
    return Report(titles, subtitle, sections, settings_groups(result), references)


def _items(result: Studies, fdr: float) -> PageTable:
    frame = result.to_frame(fdr)
    shown = frame.head(MOST_ROWS)
    hidden = len(frame) - len(shown)
    more = f"{count(hidden)} more are in items.csv. " if hidden else ""
    return PageTable.of_frame(
        f"Items, best first; those with an adjusted p-value of at most {fdr:g} are tinted.",
        shown.reset_index(),
        result._columns,
        Markup(
            "{}<b>P-value</b>: of “in fewer than {} studies”, for the better sign. <b>Studies at "
            "least</b>: number of them, with a false discovery rate of at most {:g} each. <b>Carried by, "
            "against</b>: one-sided p-value of at most 0.05 with the sign of the item, or with the other. "
            "<b>Rests on</b>: the study whose omission weakens it most."
        ).format(more, result.min_studies, fdr),
        header=1,
        tinted=int((shown["adjusted_p_value"] <= fdr).sum()),
        find="item",
    )
