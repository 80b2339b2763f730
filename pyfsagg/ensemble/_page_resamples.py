"""Were the resamples enough, and how stable is which size: two sections of the page of a run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.words import (
    count,
    number,
    plural,
)
from pyfsagg._page.page import Block, Text
from pyfsagg._run.picture import picture
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.exceptions import DataError
from pyfsagg.stability_measures import (
    adequacy_curve,
    stability_curve,
)
from pyfsagg.stability_measures._page import curve_picture
from pyfsagg.stability_measures._plot import plot_adequacy

__all__ = ["adequacy_blocks", "size_block"]

Floats = NDArray[np.float64]

MOST_REPEATS = 200
REPEATED_CELLS = 20_000_000
"""Cells of score matrices that a report aggregates again, so that large runs stay quick."""

ENOUGH = 0.05
"""Share of the selection that a repetition may replace when resamples count as enough."""


def adequacy_blocks(result: EnsembleResult, k: int) -> list[Block]:
    """Was the number of resamples enough?  In words and numbers, with the curve."""
    m = result.n_resamples
    if m < 2:
        return [Text("One resample says nothing about what another one would have given.")]
    n_boot = MOST_REPEATS
    again: Callable[[Floats], Floats] | None = None
    if result.parameters["aggregator"] != "arithmetic_mean":
        # All but the mean are computed again for every repetition.
        n_boot = int(np.clip(REPEATED_CELLS // result.combined.size, 20, MOST_REPEATS))
        again = result.reaggregate
    extreme = result.aggregates_extremes
    by = "halves" if extreme else "bootstrap"
    sizes = [size for size in (25 * 2**i for i in range(40)) if size < m]
    try:
        curve = adequacy_curve(
            result.combined,
            [*sizes, m],
            top=k,
            aggregator=again,
            by=by,
            n_boot=n_boot,
            random_state=result.seed,
        )
    except DataError as reason:
        return [Text(f"This cannot be measured here: {reason}.")]
    last = curve.iloc[-1]
    replaced = 1.0 - float(last["expected_top_overlap"])
    verdict = (
        f"{count(m)} were enough"
        if replaced <= ENOUGH
        else f"{count(m)} were not enough: draw more, or select another number of features, at a "
        "gap between the scores"
    )
    repetition = (
        "One resample can decide the value of a feature here, so that two runs of half the size are "
        f"compared. Another {plural(m // 2, 'resample')}"
        if extreme
        else f"Another {plural(m, 'resample')}"
    )
    how = (
        f"{count(n_boot // 2)} splits of the resamples into halves"
        if extreme
        else f"{count(n_boot)} bootstraps of the resamples"
    )
    text = (
        f"{repetition} of the same data would replace "
        f"{number(100 * replaced, 1)} % of the {plural(k, 'selected feature')} on average, and change "
        f"the selection at all with probability {number(last['probability_top_changes'], 2)}. The "
        f"ranks would move by {number(last['expected_rank_move'], 2)} on average; the two rankings "
        f"would have a Kendall correlation of {number(last['expected_kendall'], 3)}. If at most "
        f"{100 * ENOUGH:g} % of the selection may depend on chance, {verdict}. This is about a "
        f"repetition on these data with another seed, not of another sample. (Estimated by "
        f"{how}.)"
    )
    label = "Lines: expected agreement of two repetitions against the number of resamples"
    caption = (
        "How well the results of two independent repetitions would agree, if each had so many "
        f"resamples: Kendall correlation of the rankings, and share of the best {count(k)} that both "
        "select. This is about the randomness of the resamples only, given these data."
    )
    about = {"label": label, "caption": caption}
    drawn = picture("Agreement of two repetitions", "adequacy", plot_adequacy, curve, **about)
    return [Text(text), drawn]


def size_block(result: EnsembleResult) -> Block:
    """Stability of the best k features against k, with the level of chance."""
    try:
        curve = stability_curve(result.combined, input="scores", random_state=result.seed)
    except DataError as reason:
        return Text(f"This curve is not available: {reason}.")
    if curve["value"].isna().all():
        return Text("This curve is not available: the measures are undefined at every size.")
    return curve_picture(curve)
