"""Reports of an elimination in rank-order space, and of the paper's experiments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from pyfsagg._base.selection import n_selected
from pyfsagg._base.words import count, enumerate_names, number, plural
from pyfsagg._page.closing import closing, settings_groups, software
from pyfsagg._page.page import (
    Block,
    Column,
    Page,
    Section,
    Table,
    Text,
)
from pyfsagg._run.picture import picture
from pyfsagg._version import __version__
from pyfsagg.rank_order._plot import plot_elimination, title_of
from pyfsagg.rank_order._result import Elimination
from pyfsagg.rank_order.methods import ELIMINATIONS

__all__ = ["PAPER", "elimination_page"]

MOST_ROWS = 500
PAPER = (
    "Slotta, D. J., Vergara, J. P. C., Ramakrishnan, N., Heath, L. S. Algorithms for Feature "
    "Selection in Rank-Order Spaces. 2005"
)


def elimination_page(
    result: Elimination,
    *,
    size: float | int = 0.25,
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
) -> Page:
    """The report of an elimination as a page for :func:`pyfsagg._page.page.write_page`.

    Parameters
    ----------
    result : Elimination
    size : int or float
        How many features are selected, or which fraction of them.
    command, data_name, reading
        As in :data:`pyfsagg._run.result.ORIGIN`.

    Returns
    -------
    Page
        At most 500 features are listed.

    Raises
    ------
    ParameterError
        If `size` is not from 1 to the number of features.

    Examples
    --------
    >>> from pyfsagg.rank_order import eliminate, make_planted_orders
    >>> data = make_planted_orders(3, 10, n_extraneous=2, random_state=0)
    >>> elimination_page(eliminate(data.X, data.y, "spoilers"), size=3).title
    'Elimination by Spoilers'
    """
    size = n_selected(size, result.n_features, "size")
    view = result.full_view({"size": size, "reading": reading})
    sections = [
        Section("summary", "Summary", [Text(_summary(result, size))]),
        Section("path", "Along the path", _pictures(result)),
        Section("features", "Features", [_features(result, size)]),
        *closing(
            settings_groups(result, first=[("Method", title_of(result.method))]),
            references(),
            command=command,
            code=result.code(view),
        ),
    ]
    name = title_of(result.method)
    title = f"Elimination by {name}" + (f": {data_name}" if data_name else "")
    return Page(title, plural(result.n_features, "feature"), sections)


def _summary(result: Elimination, size: int) -> str:
    loss = result.divergence[result.n_features - size]
    zero = result.size_by_divergence(0.0)
    accuracy = ""
    if result.accuracy is not None and not np.isnan(result.accuracy[result.n_features - size]):
        share = result.accuracy[result.n_features - size]
        accuracy = f" Naive Bayes on their orders is right in {share:.1%} (cross-validated)."
    return Markup(
        "Each sample was read as an order of its features, and features were removed one by one. "
        "<b>The last {} kept:</b> {}. Their orders lose {} nats about the class against those of "
        "all features; nothing is lost down to {}.{}"
    ).format(
        count(size),
        enumerate_names(result.select(size), most=20),
        number(float(loss)),
        plural(zero, "feature"),
        accuracy,
    )


def _pictures(result: Elimination) -> list[Block]:
    blocks: list[Block] = []
    captions = {
        "divergence": "Information on the class in the orders of all features that is lost in "
        "the orders of the remaining features.",
        "accuracy": "Share of samples classified correctly by naive Bayes on the orders of all "
        "pairs of the features left, each sample by the other folds. The features were chosen on "
        "all samples, so that the curve is too good for new ones.",
    }
    for measure, caption in captions.items():
        if measure == "accuracy" and result.accuracy is None:
            continue
        band = "" if result.baseline is None else " Grey: random subsets, mean and 95 % of them."
        blocks.append(
            picture(
                f"{measure.title()} along the path",
                measure,
                plot_elimination,
                result,
                measure=measure,
                label=f"Line: {measure} against the number of features kept",
                caption=caption + band,
            )
        )
    return blocks


def _features(result: Elimination, size: int) -> Table:
    shown = result.to_frame().iloc[::-1].head(MOST_ROWS)
    columns = [
        Column("Rank"),
        Column("Feature", numeric=False),
        Column("Criterion"),
        Column("Divergence (nats)"),
    ]
    cells = [
        [count(rank) for rank in shown["rank"].tolist()],
        shown["feature"].tolist(),
        ["–" if np.isnan(value) else f"{value:.6g}" for value in shown["criterion"]],
        [number(value) for value in shown["divergence"].tolist()],
    ]
    if result.accuracy is not None:
        columns.append(Column("Accuracy"))
        cells.append(["–" if np.isnan(value) else f"{value:.1%}" for value in shown["accuracy"]])
    hidden = result.n_features - len(shown)
    more = f" {count(hidden)} more are in removal.csv." if hidden else ""
    criterion = ""
    if result.method in ELIMINATIONS:  # a saved result may come from a package that is absent here
        weighed = ELIMINATIONS.get(result.method).criterion.lower()
        criterion = f"Criterion: {weighed}, when the feature was removed. "
    return Table(
        f"Features, the one kept longest first; the {count(size)} selected are tinted.",
        columns,
        list(zip(*cells, strict=True)),
        f"{criterion}Divergence and accuracy are those of the feature and all above it.{more}",
        header=1,
        tinted=size,
        find="feature",
    )


def references() -> list[tuple[str, str]]:
    """What to cite."""
    return [software(__version__), ("Methods", PAPER)]
