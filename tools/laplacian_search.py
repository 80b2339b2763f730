"""Search for the reading of the Laplacian score that gives the printed numbers of selected features.

    PYFSAGG_DATA=… python tools/laplacian_search.py       # writes data/validation/laplacian_search.json

Table 2 of the consensus affinity paper says how many features of four data sets have a Laplacian score
above mean plus standard deviation.  The score leaves the graph of the samples open.  Every combination of
what `AXES` lists is tried; only the numbers of features are looked at, no label.  The file holds the axes
and, for each data set, the numbers in the order of their product;
`reproduce.shipped_laplacian_search` reads it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn.preprocessing import normalize

from pyfsagg import load_dataset
from pyfsagg._base.arithmetic import Floats
from pyfsagg.unsupervised.clusterings import check_numbers
from pyfsagg.unsupervised.rankings import score_on_graph
from pyfsagg.unsupervised.result import mean_plus_sd
from pyfsagg_papers.published import printed_cells
from pyfsagg_papers.records import record

FILE = Path(__file__).resolve().parents[1] / "data" / "validation" / "laplacian_search.json"

AXES: dict[str, list[Any]] = {
    "scale": ["none", "center", "z_score", "min_max"],
    "metric": ["euclidean", "cosine", "correlation", "cityblock"],
    "neighbours": [2, 3, 4, 5, 6, 7, 8, 10, 15],
    "edges": ["either chose the other", "both chose", "half for each that chose"],
    "own neighbour": [False, True],
    "weights": [
        "1",
        "cosine similarity",
        "heat, half the mean square of edges",
        "heat, mean square of edges",
        "heat, twice the mean square of edges",
        "heat, mean square of all pairs",
    ],
    "direction": ["small", "large"],
}
"""What is varied, slowest first.  The scale and the metric are those in which neighbours are found."""

_OF_EDGES = {AXES["weights"][2]: 0.5, AXES["weights"][3]: 1.0, AXES["weights"][4]: 2.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=FILE, help="(default: %(default)s)")
    options = parser.parse_args()
    started = time.monotonic()
    sizes = {}
    for name in printed_sizes():
        sizes[name] = list(numbers_of_features(load_dataset(name).X))
        print(f"{name}: {len(sizes[name])} numbers, {time.monotonic() - started:.0f} s", flush=True)
    document = {
        "record": {**record(), "seconds": round(time.monotonic() - started)},
        "axes": AXES,
        "sizes": sizes,
    }
    options.output.write_text(json.dumps(document) + "\n", encoding="utf-8")


def printed_sizes() -> dict[str, int]:
    """The printed number of features of each data set."""
    cells = printed_cells("frcm_2")
    own = cells[(cells["row"] == "laplacian_score") & (cells["measure"] == "n_features")]
    return {str(name): int(value) for name, value in zip(own["dataset"], own["value"], strict=True)}


def numbers_of_features(X: Any, axes: dict[str, list[Any]] = AXES) -> Iterator[int]:
    """How many features each combination of `axes` selects, in the order of their product."""
    table = check_numbers(X, standardize="z_score")  # the score itself does not depend on the scale
    for scale, metric in itertools.product(axes["scale"], axes["metric"]):
        values = check_numbers(X, standardize=scale).values
        distances = cdist(values, values, metric)
        unit = normalize(values)
        similarity = unit @ unit.T
        for chosen, edges, own in itertools.product(
            axes["neighbours"], axes["edges"], axes["own neighbour"]
        ):
            joined = neighbours(distances, chosen, edges)
            for weights in axes["weights"]:
                graph = joined * edge_weights(distances, similarity, joined > 0, weights)
                if own:
                    graph = graph + np.eye(len(graph))
                scores = score_on_graph(table, csr_matrix(graph))
                for direction in axes["direction"]:
                    sign = 1.0 if direction == "small" else -1.0
                    yield int(mean_plus_sd(sign * scores).sum())


def neighbours(distances: Floats, chosen: int, edges: str) -> Floats:
    """Whether samples are joined (n, n), symmetric: 0, 1, or a half where one chose the other."""
    apart = distances.copy()
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :chosen]
    found = np.zeros_like(distances)
    np.put_along_axis(found, nearest, 1.0, axis=1)
    if edges == AXES["edges"][0]:
        return np.maximum(found, found.T)
    if edges == AXES["edges"][1]:
        return np.minimum(found, found.T)
    return (found + found.T) / 2.0


def edge_weights(distances: Floats, similarity: Floats, joined: Any, weights: str) -> Floats:
    """Weights (n, n) that the edges would have."""
    if weights == AXES["weights"][0]:
        return np.ones_like(distances)
    if weights == AXES["weights"][1]:
        return similarity
    squared = np.square(distances)
    off = ~np.eye(len(distances), dtype=bool)
    if weights in _OF_EDGES and joined.any():
        width = _OF_EDGES[weights] * squared[joined].mean()
    else:
        width = squared[off].mean()
    found: Floats = np.exp(-squared / width)
    return found


if __name__ == "__main__":
    main()
