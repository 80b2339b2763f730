"""What the tests of stability share: one number, and similarities that fall with the distance of columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg.stability_measures.measure import measure_stability


def value(data: Any, measure: str, **options: Any) -> float:
    return measure_stability(data, measure, **options).value


def near(p: int, reach: float) -> NDArray[np.float64]:
    position = np.arange(p)
    return np.exp(-np.abs(position[:, None] - position) / reach)
