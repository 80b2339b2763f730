"""The report of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence

from pyfsagg._base.validation import check_real
from pyfsagg._base.words import number, plural, readable
from pyfsagg._report.closing import closing, settings_groups, target_words
from pyfsagg._report.drawing import picture
from pyfsagg._report.page import Block, Page, PageColumn, PageTable, Section, heads
from pyfsagg.evaluation._plot import plot_accuracy
from pyfsagg.evaluation.result import Evaluation
from pyfsagg.exceptions import InputTypeError
from pyfsagg.score_tables._report import difference_blocks

MOST_ROWS = 2000


def average_sections(result: Evaluation) -> list[Section]:
    """Weighted averages in the form of thesis table 4.3."""
    if min(result.parameters["thresholds"]) == 1.0:
        return []
    metric = result.metrics[0]
    frame = result.weighted_average_accuracy()
    labels = [str(name) for name in frame["method"].unique()]
    rows = []
    for (protocol, classifier), part in frame.groupby(["protocol", "classifier"], sort=False):
        values = part.set_index("method")["wacc"].reindex(labels)
        rows.append(
            [readable(str(classifier)), str(protocol), *(number(value, 4) for value in values)]
        )
    words = ("Classifier", "Protocol")
    table = PageTable(
        f"Weighted average {readable(metric)}",
        [*heads(words, words), *(PageColumn(readable(name)) for name in labels)],
        rows,
        note="Mean over thresholds below 100 %, weighted by the share of features left out: "
        "Σ W·Acc / Σ W with W = 1 − k (thesis, equation 4.1).",
    )
    return [Section("averages", "Weighted averages", [table])]


def optimism_sections(result: Evaluation) -> list[Section]:
    others = [name for name in result.protocols if name != "nested"]
    if "nested" not in result.protocols or not others:
        return []
    frame = result.optimism()
    frame = frame[frame["kind"] != "baseline"]
    columns = [*result.protocols, *(f"{name}_minus_nested" for name in others)]
    means = frame.groupby(["method", "classifier"], sort=False)[columns].mean().reset_index()
    rows = [
        [
            *(readable(str(row[name])) for name in ("method", "classifier")),
            *(number(float(row[name]), 4) for name in columns),
        ]
        for row in means.to_dict("records")
    ]
    words = ("Method", "Classifier")
    differences = [f"{name} − nested" for name in others]
    table = PageTable(
        f"Mean {readable(result.metrics[0])} over thresholds, by protocol",
        heads([*words, *result.protocols, *differences], words),
        rows,
        note="The nested protocol ranks features inside each training fold and has no "
        "selection bias. The thesis protocol trains classifiers on fewer rows, so that its difference is "
        "not selection bias alone; the leaky protocol has the same folds, and its difference is.",
    )
    return [Section("optimism", "Optimism", [table])]


def failure_sections(result: Evaluation) -> list[Section]:
    """Cells without a value, and warnings of classifiers."""
    cells = result.cells[result.cells["status"] != "ok"]
    if cells.empty:
        return []
    kinds = ["classifier", "metric", "status", "message"]
    counts = cells.groupby(kinds, sort=False).size().rename("n").reset_index()
    rows = [
        [readable(str(classifier)), readable(str(metric)), str(status), str(message), f"{n:,}"]
        for classifier, metric, status, message, n in counts.itertuples(index=False)
    ]
    words = ("Classifier", "Metric", "Status", "Message")
    table = PageTable(
        "Cells that failed or were warned of",
        heads([*words, "Cells"], words),
        rows[:MOST_ROWS],
        note="A failed cell has no value; means are over the others, and folds with a failed cell "
        "are left out of the tests.",
    )
    return [Section("failures", "Failures", [table])]


def value_table(result: Evaluation) -> PageTable:
    summary = result.summary()
    shown = summary.head(MOST_ROWS)
    rows = [
        [
            readable(str(row["method"])),
            readable(str(row["classifier"])),
            str(row["protocol"]),
            f"{row['n_features']}",
            readable(str(row["metric"])),
            number(float(row["mean"]), 4),
            number(float(row["sd"]), 4),
            f"{row['n']}",
        ]
        for row in shown.to_dict("records")
    ]
    hidden = len(summary) - len(shown)
    return PageTable(
        "Mean and standard deviation over folds",
        heads(
            ("Method", "Classifier", "Protocol", "Features", "Metric", "Mean", "SD", "Folds"),
            words=("Method", "Classifier", "Protocol", "Metric"),
        ),
        rows,
        note=f"{hidden:,} more rows are in summary.csv." if hidden else "",
        find="row",
    )


REFERENCES = (
    (
        "Thesis protocol and weighted average accuracy",
        "R. E. Salman (2022). Bootstrap-based Aggregations and their Stability in Feature "
        "Selection. Master’s thesis, American University of Sharjah",
    ),
    (
        "Nested and leaky protocol",
        "C. Ambroise and G. J. McLachlan (2002). Selection bias in gene extraction on the basis of "
        "microarray gene-expression data. PNAS 99",
    ),
    (
        "Corrected t tests",
        "C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning "
        "52; R. R. Bouckaert and E. Frank (2004). Evaluating the replicability of significance tests "
        "for comparing learning algorithms. PAKDD",
    ),
    (
        "Bayesian correlated t tests",
        "A. Benavoli, G. Corani, J. Demšar and M. Zaffalon (2017). Time for a change: a tutorial for "
        "comparing multiple classifiers through Bayesian analysis. JMLR 18",
    ),
)


def evaluation_page(
    result: Evaluation,
    *,
    confidence_level: float = 0.95,
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
) -> Page:
    """The report of an evaluation as a page for :func:`pyfsagg._report.page.write_page`.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.evaluate(
    ...     data.X, data.y, methods=["ig", "su"], classifiers="naive_bayes", thresholds=[0.3],
    ...     n_resamples=5, random_state=0,
    ... )
    >>> evaluation_page(result, data_name="wine").title
    'Evaluation of wine'
    """
    if not isinstance(result, Evaluation):
        raise InputTypeError(
            f"this report is made of an Evaluation, got {type(result).__name__}; evaluate returns one"
        )
    check_real("confidence_level", confidence_level, low=0.0, high=1.0, low_open=True)
    data = result.data
    subtitle = (
        f"{plural(data['n_samples'], 'sample')}, {plural(data['n_features'], 'feature')}, "
        f"{target_words(data)}; "
        f"{plural(len(result.methods), 'method')}, "
        f"{plural(len(result.classifiers), result._models[0])}"
    )
    comparison, _ = result._default_comparison(confidence_level)
    sections = [
        Section("summary", "Summary", result._facts({"confidence_level": confidence_level})),
        Section("curves", "Features kept", _curves(result)),
        *average_sections(result),
        *optimism_sections(result),
        *(
            [Section("differences", "Differences", difference_blocks(comparison))]
            if comparison is not None
            else []
        ),
        *failure_sections(result),
        Section("values", "All values", [value_table(result)]),
        *closing(
            settings_groups(result),
            REFERENCES,
            command=command,
            code=result._code(result._options_in_force({"reading": reading})),
        ),
    ]
    title = f"Evaluation of {data_name}" if data_name else "Evaluation"
    return Page(title, subtitle, sections)


def _curves(result: Evaluation) -> list[Block]:
    return [
        picture(
            f"{readable(metric).capitalize()}, {protocol} protocol",
            f"{protocol}-{metric}",
            lambda **chosen: plot_accuracy(result, **chosen)[0],
            protocol=protocol,
            metric=metric,
            label=f"Lines: {readable(metric)} against the share of the features kept, a panel for "
            "each classifier, a line for each method",
            caption="Mean over folds; bands are one standard error. Grey: no selection (dashed), "
            "range and mean of random subsets (area), single filters (dotted), where run.",
        )
        for protocol in result.protocols
        for metric in result.metrics
    ]
