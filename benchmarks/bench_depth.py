"""How far rankings by mRMR to a depth differ from full ones, on real wide tables.

    PYFSAGG_DATA=folder python benchmarks/bench_depth.py --output benchmarks/depth.json

For each data set and depth: the share of the k best features of the aggregate that is the same, the rank
correlation of the two aggregates, and the stability of the k best and of all ranks at either depth.
The first features of a selection are the same by definition, which is checked.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from _timing import print_table, skip, write_json

import pyfsagg
from pyfsagg import wam
from pyfsagg.filters import information_selection
from pyfsagg.stability_measures.measure import measure_stability

DATASETS = ("golub", "nutt_2003_v1", "tomlins_2006", "madelon")
TOPS = (10, 25)


def run(X: Any, y: Any, depth: int | str, m: int) -> tuple[Any, float]:
    start = time.process_time()
    params = {"n_features": depth}
    found = wam(X, y, filter="mrmr", filter_params=params, n_resamples=m, random_state=0)
    return found, (time.process_time() - start) / m


def measure(name: str, depths: list[int], m: int) -> list[dict[str, Any]]:
    data = pyfsagg.load_dataset(name)
    X, y = data.X, data.y
    full, full_seconds = run(X, y, "all", m)
    order = information_selection(X, y, criterion="mrmr").order
    rows = []
    for depth in depths:
        short, seconds = run(X, y, depth, m)
        assert (
            information_selection(X, y, criterion="mrmr", n_features=depth).order == order[:depth]
        ).all()
        row: dict[str, Any] = {"data": name, "n": len(X), "p": X.shape[1], "depth": depth}
        for k in TOPS:
            common = set(full.select(k)) & set(short.select(k))
            row[f"same of {k}"] = len(common)
            for label, found in (("full", full), ("depth", short)):
                jaccard = measure_stability(
                    found.combined, "jaccard", n_features_to_select=k, input="scores"
                )
                row[f"jaccard {k}, {label}"] = float(jaccard)
        row["spearman"] = float(np.corrcoef(full.ranking, short.ranking)[0, 1])
        for label, found in (("full", full), ("depth", short)):
            ranks = measure_stability(found.combined, "spearman", input="scores")
            row[f"spearman of resamples, {label}"] = float(ranks)
        row["CPU s, full"], row["CPU s, depth"] = full_seconds, seconds
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="*", default=DATASETS)
    parser.add_argument("--depths", nargs="*", type=int, default=[50, 100, 200])
    parser.add_argument("--resamples", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help="one data set, few resamples")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    if "PYFSAGG_DATA" not in os.environ:
        skip("PYFSAGG_DATA names no folder of data sets")
    if options.quick:
        options.datasets, options.depths, options.resamples = ["nutt_2003_v1"], [100], 3
    rows = [
        row for name in options.datasets for row in measure(name, options.depths, options.resamples)
    ]
    print_table(rows)
    write_json(options.output, {"resamples": options.resamples, "rows": rows})


if __name__ == "__main__":
    main()
