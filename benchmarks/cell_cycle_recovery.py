"""How many known cell-cycle genes stand among the best of each aggregator.

    python benchmarks/cell_cycle_recovery.py cell_cycle_lists.json

The file holds the data set ``cellCycleKO`` of the R package RobustRankAggreg (GPL-2, not copied here) as
JSON: ``gl``, twelve ranked lists of genes from knock-outs in yeast; ``N``, how many genes could have
been listed; ``ref``, the known cell-cycle genes.  Writes ``cell_cycle_recovery.json`` beside this script.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from _timing import write_json

from pyfsagg import Rankings
from pyfsagg.aggregation._base import AGGREGATORS

DEPTHS = (10, 25, 50, 100, 150, 200, 300, 400, 500, 750, 1000)


def main() -> None:
    data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    table = Rankings.from_lists(data["gl"], universe=data["N"])
    known = set(data["ref"])
    is_known = np.array([name in known for name in table.items])
    found = {}
    for spec in AGGREGATORS.own():
        if spec.input != "ranks":
            continue
        order = np.argsort(-spec.bind()(table).scores, kind="stable")
        found[spec.name] = np.cumsum(is_known[order])[np.array(DEPTHS) - 1].tolist()
    document = {
        "lists": table.n_lists,
        "listed": table.n_items,
        "universe": data["N"],
        "known": len(known),
        "known_listed": int(is_known.sum()),
        "depths": list(DEPTHS),
        "found": found,
    }
    write_json(Path(__file__).with_suffix(".json"), document)


if __name__ == "__main__":
    main()
