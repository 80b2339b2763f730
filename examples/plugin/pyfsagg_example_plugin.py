"""A filter and a stability measure that pyfsagg finds by the entry points of this package."""

import numpy as np

from pyfsagg.extending import SetPairs, StabilitySpec, function_filter


def class_range(X, y, sample_weight, *, power=1.0):
    """Range of the class means over the range of the feature, to some power."""
    present = sample_weight > 0
    means = np.array(
        [
            np.average(X[y == c], axis=0, weights=sample_weight[y == c])
            for c in np.unique(y[present])
        ]
    )
    whole = np.ptp(X[present], axis=0)
    return (
        np.divide(np.ptp(means, axis=0), whole, out=np.zeros(X.shape[1]), where=whole > 0) ** power
    )


CLASS_RANGE = function_filter(
    class_range,
    name="class_range",
    aliases=("range_of_means",),
    summary="range of the class means over the range of the feature",
    formula="(max_c mean_c - min_c mean_c) / (max x - min x)",
    bounds="[0, 1]",
    source="an example",
)


def simpson(shared, left, right, p):
    """Overlap of subsets of sizes `left` and `right`; NaN, undefined, where one is empty."""
    return shared / np.minimum(left, right)


SIMPSON = StabilitySpec(
    name="simpson",
    aliases=("overlap_coefficient",),
    summary="mean overlap coefficient",
    formula="mean over pairs of I / min(n_i, n_v)",
    bounds="[0, 1]",
    source="an example",
    kind="sets",
    bind=SetPairs(simpson),
    chance=SetPairs(simpson).chance,
)
