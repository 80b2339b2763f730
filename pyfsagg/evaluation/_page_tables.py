"""The tables of the report of an evaluation."""

from __future__ import annotations

import pandas as pd

from pyfsagg._base.words import number, readable
from pyfsagg._page.page import Column, Section, Table
from pyfsagg.evaluation.comparison import Comparison
from pyfsagg.evaluation.metrics import METRICS
from pyfsagg.evaluation.result import ALL_FEATURES, RANDOM_SUBSETS, Evaluation

__all__ = [
    "average_sections",
    "best_table",
    "failure_sections",
    "optimism_sections",
    "pair_table",
    "value_table",
]

MOST_ROWS = 2000


def best_table(result: Evaluation) -> Table:
    """For each protocol and classifier the best cell, beside all features and random subsets."""
    metric = result.metrics[0]
    better = METRICS.get(metric).higher_is_better
    summary = result.summary()
    summary = summary[summary["metric"] == metric]
    baselines = [name for name in result.baselines if name in (ALL_FEATURES, RANDOM_SUBSETS)]
    rows = []
    for protocol in result.protocols:
        for classifier in result.classifiers:
            own = summary[(summary["protocol"] == protocol) & (summary["classifier"] == classifier)]
            found = own[own["kind"] != "baseline"].dropna(subset=["mean"])
            fewer = found[found["threshold"] < 1.0]
            found = found if fewer.empty else fewer
            if found.empty:
                continue
            best = found.sort_values("mean", ascending=not better, kind="stable").iloc[0]
            rows.append(
                [
                    readable(classifier),
                    protocol,
                    number(best["mean"]),
                    readable(str(best["method"])),
                    f"{best['n_features']}",
                    *(_baseline_cell(own, name, int(best["n_features"])) for name in baselines),
                ]
            )
    return Table(
        f"Best mean {readable(metric)} of each classifier",
        [
            Column("Classifier", numeric=False),
            Column("Protocol", numeric=False),
            Column("Best"),
            Column("Method", numeric=False),
            Column("Features"),
            *(Column(name.capitalize()) for name in baselines),
        ],
        rows,
        note="Among thresholds below 100 %. The best of many cells is too good an estimate of what it "
        "would reach on new data. Random subsets have the same number of features.",
    )


def _baseline_cell(cells: pd.DataFrame, label: str, n_features: int) -> str:
    own = cells[cells["method"] == label]
    if label == RANDOM_SUBSETS:
        own = own[own["n_features"] == n_features]
    return number(float(own["mean"].iloc[0])) if len(own) else number(float("nan"))


def average_sections(result: Evaluation) -> list[Section]:
    """Weighted averages in the form of thesis table 4.3."""
    if min(result.parameters["thresholds"]) == 1.0:
        return []
    metric = result.metrics[0]
    frame = result.weighted_average_accuracy()
    labels = [str(name) for name in frame["method"].unique()]
    rows = []
    for (protocol, classifier), own in frame.groupby(["protocol", "classifier"], sort=False):
        values = own.set_index("method")["wacc"]
        rows.append(
            [
                readable(str(classifier)),
                str(protocol),
                *(number(float(values.get(name, float("nan"))), 4) for name in labels),
            ]
        )
    table = Table(
        f"Weighted average {readable(metric)}",
        [
            Column("Classifier", numeric=False),
            Column("Protocol", numeric=False),
            *(Column(readable(name)) for name in labels),
        ],
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
            readable(str(row["method"])),
            readable(str(row["classifier"])),
            *(number(float(row[name]), 4) for name in columns),
        ]
        for row in means.to_dict("records")
    ]
    heads = [*result.protocols, *(f"{name} − nested" for name in others)]
    table = Table(
        f"Mean {readable(result.metrics[0])} over thresholds, by protocol",
        [
            Column("Method", numeric=False),
            Column("Classifier", numeric=False),
            *map(Column, heads),
        ],
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
        [
            readable(str(row["classifier"])),
            readable(str(row["metric"])),
            str(row["status"]),
            str(row["message"]),
            f"{row['n']:,}",
        ]
        for row in counts.to_dict("records")
    ]
    heads = ("Classifier", "Metric", "Status", "Message")
    table = Table(
        "Cells that failed or were warned of",
        [*(Column(head, numeric=False) for head in heads), Column("Cells")],
        rows[:MOST_ROWS],
        note="A failed cell has no value; means are over the others, and folds with a failed cell "
        "are left out of the tests.",
    )
    return [Section("failures", "Failures", [table])]


def value_table(result: Evaluation) -> Table:
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
    return Table(
        "Mean and standard deviation over folds",
        [
            Column("Method", numeric=False),
            Column("Classifier", numeric=False),
            Column("Protocol", numeric=False),
            Column("Features"),
            Column("Metric", numeric=False),
            Column("Mean"),
            Column("SD"),
            Column("Folds"),
        ],
        rows,
        note=f"{hidden:,} more rows are in summary.csv." if hidden else "",
        find="row",
    )


def pair_table(comparison: Comparison) -> Table:
    """Difference, interval, adjusted p and, if there are some, posterior probabilities of each pair."""
    found = comparison.tests["corrected_t"]
    share = f"{100 * found.confidence:.3g} %"
    columns = [
        Column("Pair", numeric=False),
        *(Column(title) for title in ("Difference", "Lower", "Upper", "Adjusted p")),
    ]
    rows = [
        [
            f"{readable(row['group1'])} − {readable(row['group2'])}",
            *(number(row[name], 4) for name in ("estimate", "lower", "upper", "p_adjusted")),
        ]
        for row in found.to_frame().to_dict("records")
    ]
    note = (
        f"Mean difference with its {share} interval over other tables of this size, for this pair "
        "alone."
    )
    if "bayesian_t" in comparison.tests:
        posterior = comparison.tests["bayesian_t"]
        columns += [Column("P(below)"), Column("P(equivalent)"), Column("P(above)")]
        for row, chances in zip(rows, posterior.to_frame().to_dict("records"), strict=True):
            row += [number(chances[name]) for name in ("p_below", "p_equivalent", "p_above")]
        note += (
            f" P: probabilities that the difference is below −{posterior.rope:g}, within "
            f"±{posterior.rope:g} (the methods are equivalent in practice), and above; flat prior, "
            "not corrected for the number of pairs."
        )
    return Table("Differences of all pairs", columns, rows, note=note, header=0)
