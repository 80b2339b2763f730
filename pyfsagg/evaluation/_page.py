"""The report of an evaluation: what was done, what was found, which differences are real."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from pyfsagg._base.checks import check_real
from pyfsagg._base.words import enumerate_names, plural, readable
from pyfsagg._page.closing import closing, settings_groups, target_words
from pyfsagg._page.page import (
    Block,
    Page,
    Section,
    Text,
)
from pyfsagg._run.picture import picture
from pyfsagg.evaluation._page_tables import (
    average_sections,
    best_table,
    failure_sections,
    optimism_sections,
    pair_table,
    value_table,
)
from pyfsagg.evaluation._plot import (
    plot_accuracy,
    plot_p_values,
    plot_win_tie_loss,
)
from pyfsagg.evaluation.comparison import Comparison
from pyfsagg.evaluation.protocol import PROTOCOLS
from pyfsagg.evaluation.result import Evaluation
from pyfsagg.exceptions import InputTypeError

__all__ = ["evaluation_page"]

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
    alpha: float = 0.05,
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
) -> Page:
    """The report of an evaluation as a page for :func:`pyfsagg._page.page.write_page`.

    Parameters
    ----------
    result : Evaluation
    alpha : float
        Significance level of the tests.
    command, data_name, reading
        As in :data:`pyfsagg._run.result.ORIGIN`.

    Returns
    -------
    Page
        At most 2,000 means are listed.

    Raises
    ------
    ParameterError
        If `alpha` is out of range.
    InputTypeError
        If `result` is not an evaluation.

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
    check_real("alpha", alpha, low=0.0, high=1.0, low_open=True)
    data = result.data
    subtitle = (
        f"{plural(data['n_samples'], 'sample')}, {plural(data['n_features'], 'feature')}, "
        f"{target_words(data)}; "
        f"{plural(len(result.methods), 'method')}, "
        f"{plural(len(result.classifiers), _words(result)[0])}"
    )
    comparison, reason = result.default_comparison(alpha)
    sections = [
        Section("summary", "Summary", _summary(result, comparison)),
        Section("curves", "Features kept", _curves(result)),
        *average_sections(result),
        *optimism_sections(result),
        Section("differences", "Differences", _differences(comparison, reason)),
        *failure_sections(result),
        Section("values", "All values", [value_table(result)]),
        *closing(
            settings_groups(result),
            REFERENCES,
            command=command,
            code=result.code(result.full_view({"reading": reading})),
        ),
    ]
    title = f"Evaluation of {data_name}" if data_name else "Evaluation"
    return Page(title, subtitle, sections)


def _words(result: Evaluation) -> tuple[str, str]:
    """What the models of a result are called, and what they do."""
    kinds = {"numeric": ("regressor", "predict"), "survival": ("model", "predict survival")}
    return kinds.get(str(result.data.get("target_kind")), ("classifier", "classify"))


def _summary(result: Evaluation, comparison: Comparison | None) -> list[Block]:
    parameters = result.parameters
    model, does = _words(result)
    sizes = result.cells["n_features"][result.cells["kind"] != "baseline"].unique()
    shown = enumerate_names([f"{size:,}" for size in sorted(sizes)])
    blocks: list[Block] = [
        Text(
            f"How well do {enumerate_names([readable(name) for name in result.classifiers])} "
            f"{does} when only the best {shown} of "
            f"{result.data['n_features']:,} features are kept? "
            f"Features were ranked by {enumerate_names([readable(m) for m in result.methods])}."
        )
    ]
    repeats = parameters["n_repeats"]
    times = f", repeated {repeats} times with another division of the rows" if repeats > 1 else ""
    blocks += [
        Text(
            f"Protocol “{name}”: {PROTOCOLS[name]} ({parameters['n_folds']} stratified "
            f"folds{times}). Folds are the same for all methods and "
            f"{model}s."
        )
        for name in result.protocols
    ]
    blocks += [Text(f"Take care: {remark}.") for remark in result.remarks]
    if result.n_failed:
        blocks.append(Text(f"Take care: {result.failure_sentence}."))
    blocks.append(best_table(result))
    if comparison is not None and "corrected_t" in comparison.tests:
        verdict = comparison.sentences["corrected_t"]
        blocks.append(Text(f"Compared: {comparison.what}. {verdict}"))
    return blocks


def _curves(result: Evaluation) -> list[Block]:
    def first_panel(protocol: str, metric: str) -> Axes:
        return plot_accuracy(result, protocol=protocol, metric=metric)[0]

    return [
        picture(
            f"{readable(metric).capitalize()}, {protocol} protocol",
            f"{protocol}-{metric}",
            first_panel,
            *(protocol, metric),
            label=f"Lines: {readable(metric)} against the share of the features kept, a panel for "
            "each classifier, a line for each method",
            caption="Mean over folds; bands are one standard error. Grey: no selection (dashed), "
            "range and mean of random subsets (area), single filters (dotted), where run.",
        )
        for protocol in result.protocols
        for metric in result.metrics
    ]


def _differences(comparison: Comparison | None, reason: str) -> list[Block]:
    if comparison is None:
        return [Text(f"No tests were made: {reason}.")]
    blocks: list[Block] = [Text(f"Compared: {comparison.what}.")]
    blocks += [Text(sentence) for sentence in comparison.sentences.values()]
    if "corrected_t" in comparison.tests:
        blocks.append(pair_table(comparison))
    blocks += [Text(remark, quiet=True) for remark in comparison.remarks]
    pictures: Sequence[tuple[str, Any, str, str]] = (
        (
            "corrected_t",
            plot_p_values,
            "P-values of all pairs",
            "Corrected t tests with Holm’s correction; the darker, the clearer the difference.",
        ),
        (
            "win_tie_loss",
            plot_win_tie_loss,
            "Wins, ties and losses",
            f"{comparison.subjects.capitalize()} in which the method of the row is better than, as "
            "good as, and worse than that of the column.",
        ),
    )
    for name, draw, title, caption in pictures:
        if name in comparison.tests:
            label = f"{title} of {enumerate_names([str(c) for c in comparison.values.columns])}"
            blocks.append(picture(title, name, draw, comparison, label=label, caption=caption))
    return blocks
