"""Groups of columns without any relation to the target: are large ones selected before small ones?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pyfsagg._base.task import Task
from pyfsagg._run.beside import Checks
from pyfsagg.ensemble import wam
from pyfsagg.reproduce.calibration._row import Claim, calibrated

N_ROWS, N_GROUPS, N_SELECTED = 80, 20, 5
NO_PREFERENCE = 0.5
OF_NOISE = "features unrelated to the target; 0.5: no preference"


def _large_among_selected(
    X: pd.DataFrame, groups: dict[str, list[str]], filter: str, score: str, seed: int
) -> float:
    """Share of the selected groups that are called large; NaN if all scores are equal."""
    result = wam(
        X,
        np.arange(len(X)) % 2,
        filter=filter,
        n_resamples=10,
        checks=Checks(pairs=0),
        task=Task(feature_groups=groups, group_score=score),
        random_state=seed,
    )
    if np.ptp(result.scores) == 0.0:
        return float("nan")
    return float(np.mean([name.startswith("large") for name in result.select(N_SELECTED)]))


def _layers(rng: np.random.Generator, sizes: tuple[int, int]) -> dict[str, np.ndarray]:
    """Normal noise for each of twenty groups, half of them of each size, in random order."""
    names = [f"{what} {j}" for what in ("small", "large") for j in range(N_GROUPS // 2)]
    columns = {"small": sizes[0], "large": sizes[1]}
    return {
        names[j]: rng.standard_normal((N_ROWS, columns[names[j].split()[0]]))
        for j in rng.permutation(N_GROUPS)
    }


def _share_of_layers(
    rng: np.random.Generator, sizes: tuple[int, int], filter: str, score: str
) -> float:
    cells = _layers(rng, sizes)
    groups = {name: [f"{name}: {k}" for k in range(own.shape[1])] for name, own in cells.items()}
    labels = [column for own in groups.values() for column in own]
    X = pd.DataFrame(np.hstack(list(cells.values())), columns=labels)
    return _large_among_selected(X, groups, filter, score, int(rng.integers(2**31)))


@calibrated(
    Claim("Task(feature_groups): large groups among the selected", "reference", NO_PREFERENCE,
          of=OF_NOISE),
    designs=[
        {"group_score": score, "columns": columns, "filter": filter}
        for score in ("max", "mean")
        for filter in ("spearman", "chi_squared")
        for columns in (2, 10)
    ],
    runs=100,
)  # fmt: skip
def unequal_layers(
    rng: np.random.Generator, group_score: str, columns: int, filter: str
) -> tuple[float, ...]:
    """Noise of 80 rows: ten groups of one column, and ten of `columns` columns. Five of the twenty are
    selected by 10 bootstraps; the share of large groups among them."""
    return (_share_of_layers(rng, (1, columns), filter, group_score),)


@calibrated(
    Claim("Task(feature_groups): groups of equal size", "bias", 0.0, (-0.06, 0.06),
          "the chance of a group to be selected"),
    designs=[
        {"group_score": score, "columns": 5, "filter": "spearman"} for score in ("max", "mean")
    ],
    runs=200,
)  # fmt: skip
def equal_layers(
    rng: np.random.Generator, group_score: str, columns: int, filter: str
) -> tuple[float, ...]:
    """As above with twenty groups of equal size, ten of which are called large: the share of these among
    the selected, minus one half."""
    return (_share_of_layers(rng, (columns, columns), filter, group_score) - NO_PREFERENCE,)


@calibrated(
    Claim("Task(feature_groups): large one-hot blocks among the selected", "reference", NO_PREFERENCE,
          of=OF_NOISE),
    designs=[
        {"filter": filter, "group_score": score}
        for filter in ("information_gain", "symmetric_uncertainty", "chi_squared", "cramers_v")
        for score in ("auto", "max")
    ],
    runs=100,
)  # fmt: skip
def unequal_blocks(rng: np.random.Generator, filter: str, group_score: str) -> tuple[float, ...]:
    """Nominal noise of 80 rows, one-hot encoded: ten variables of two levels, and ten of eight. Five of the
    twenty blocks are selected by 10 bootstraps; the share of those of eight levels among them. Joint scores
    ("auto") are those of the nominal columns."""
    blocks = {}
    for j in rng.permutation(N_GROUPS):
        large = j >= N_GROUPS // 2
        levels = rng.integers(0, 8 if large else 2, N_ROWS)
        name = f"{'large' if large else 'small'} {j}"
        blocks[name] = pd.get_dummies(pd.Series(levels), prefix=name)
    groups = {name: list(map(str, block)) for name, block in blocks.items()}
    X = pd.concat(list(blocks.values()), axis=1)
    return (_large_among_selected(X, groups, filter, group_score, int(rng.integers(2**31))),)
