"""One table of cases: every method by the doors of Python, the terminal and R.

Each door leaves a saved folder, and a digest of what it holds is compared.  ``python doors.py FOLDER`` runs
what R has saved in it by the door of Python on another environment, that of R, and compares both there.
"""

import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pyfsagg

LISTS = [["a", "b", "c", "d"], ["b", "a", "e"], ["c", "b", "a", "d", "e"], ["e", "b"]]
BALLOTS = [["a", "b"], ["b", "c", "d"], ["a", "d"], ["b"], ["c", "e"]]


@dataclass(frozen=True)
class Case:
    """A method of a kind, the call of Python, the words of the terminal and the code of R."""

    kind: str
    method: str
    python: Callable[[Path], Any]
    terminal: str
    r: str

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.method}"


def write_inputs(folder: Path) -> None:
    """Numbers with ties and a column of few levels; classes; times with events; scores; lists."""
    rng = np.random.default_rng(8)
    X = pd.DataFrame(rng.normal(size=(40, 6)).round(1), columns=list("abcdef"))
    X["d"], X["e"] = rng.integers(0, 3, 40), rng.integers(0, 50, 40)
    y = np.where(X["a"] + X["d"] + rng.normal(size=40) > 1, "yes", "no")
    X.assign(class_=y).to_csv(folder / "classes.csv", index=False)
    time = np.exp(rng.normal(size=40) - 0.5 * X["a"]).round(2) + 0.01
    event = (rng.random(40) < 0.7).astype(int)
    X.assign(time=time, event=event).to_csv(folder / "times.csv", index=False)
    scores = pd.DataFrame(rng.gamma(2.0, size=(8, 6)).round(2), columns=list("abcdef"))
    scores.to_csv(folder / "scores.csv", index=False)
    scores.corr().abs().round(6).to_csv(folder / "similarity.csv")
    scores.T.rename_axis("item").to_csv(folder / "items.csv")
    (folder / "lists.txt").write_text("\n".join(map(",".join, LISTS)) + "\n")
    (folder / "ballots.txt").write_text("\n".join(map(",".join, BALLOTS)) + "\n")


def _filter(method: str, targets: str) -> Case:
    survival = "classes" not in targets
    table = "times.csv" if survival else "classes.csv"
    target = ["time", "event"] if survival else "class_"

    def python(folder: Path) -> Any:
        frame = pd.read_csv(folder / table)
        run = {"n_resamples": 5, "random_state": 3, "filter": method}
        task = "survival" if survival else "classification"
        return pyfsagg.wam(
            frame.drop(columns=target), frame[target], task=task, checks="none", **run
        )

    words = "--target time --event event" if survival else "--target class_"
    terminal = f"rank {table} {words} --method wam --filter {method} --n-resamples 5 --seed 3"
    y = "survival::Surv(x$time, x$event)" if survival else "x$class_"
    drop = 'c("time", "event")' if survival else '"class_"'
    task = ', task = "survival"' if survival else ""
    r = (
        f'x <- utils::read.csv("{table}"); write_result(wam(x[setdiff(names(x), {drop})], {y}, '
        f'filter = "{method}", n_resamples = 5, seed = 3, pairs = 0, shuffles = 0{task}), OUT)'
    )
    return Case("filter", method, python, terminal + " --pairs 0 --shuffles 0", r)


def _aggregator(method: str, kind: str) -> Case:
    if kind == "scores":
        return Case(
            "aggregator",
            method,
            lambda folder: pyfsagg.aggregate(pd.read_csv(folder / "scores.csv"), method),
            f"aggregate items.csv --scores --method {method}",
            'items <- as.matrix(utils::read.csv("items.csv", row.names = 1)); '
            f'aggregate_lists(rank_table(items, input = "scores"), "{method}", save = OUT)',
        )
    code = ", ".join(f"c({', '.join(map(json.dumps, each))})" for each in LISTS)
    return Case(
        "aggregator",
        method,
        lambda folder: pyfsagg.aggregate(LISTS, method),
        f"aggregate lists.txt --format lines --method {method}",
        f'aggregate_lists(list({code}), "{method}", save = OUT)',
    )


def _stability(measure: str, needs: tuple[str, ...]) -> Case:
    similar = "similarity" in needs

    def python(folder: Path) -> Any:
        similarity = pd.read_csv(folder / "similarity.csv", index_col=0) if similar else None
        scores = pd.read_csv(folder / "scores.csv")
        return pyfsagg.stability(scores, measures=[measure], similarity=similarity, random_state=0)

    more = " --similarity similarity.csv" if similar else ""
    matrix = 'as.matrix(utils::read.csv("similarity.csv", row.names = 1))' if similar else "NULL"
    r = (
        f'stability(as.matrix(utils::read.csv("scores.csv")), "{measure}", '
        f"similarity = {matrix}, seed = 0, save = OUT)"
    )
    return Case(
        "stability", measure, python, f"stability scores.csv --measures {measure} --seed 0{more}", r
    )


def _elimination(method: str) -> Case:
    def python(folder: Path) -> Any:
        frame = pd.read_csv(folder / "classes.csv")
        X, y = frame.drop(columns="class_"), frame["class_"]
        return pyfsagg.rank_order.eliminate(X, y, method, random_state=0)

    return Case(
        "elimination",
        method,
        python,
        f"order classes.csv --target class_ --method {method} --seed 0",
        f'x <- utils::read.csv("classes.csv"); '
        f'eliminate_features(x[names(x) != "class_"], x$class_, "{method}", seed = 0, save = OUT)',
    )


def _vote(rule: str) -> Case:
    code = ", ".join(f"c({', '.join(map(json.dumps, each))})" for each in BALLOTS)
    return Case(
        "vote",
        rule,
        lambda folder: pyfsagg.vote(BALLOTS, rule),
        f"vote ballots.txt --rule {rule}",
        f'vote_features(list({code}), "{rule}", save = OUT)',
    )


def cases() -> list[Case]:
    """Every registered method that chooses by its name; those without a saved result are omitted."""
    filters, aggregators = map(pyfsagg.list_methods, ("filters", "aggregators"))
    measures = pyfsagg.list_methods("stability")["needs"]
    return [
        *map(_filter, filters.index, filters["targets"]),
        *(_aggregator(name, row["input"]) for name, row in aggregators.iterrows()),
        *map(_stability, measures.index, measures),
        *map(_elimination, pyfsagg.list_methods("eliminations").index),
        *map(_vote, pyfsagg.list_methods("voting_rules").index),
    ]


def one_of_each_kind() -> list[Case]:
    """The first method of each kind."""
    return [*{case.kind: case for case in reversed(cases())}.values()]


def digest(folder: Path) -> str:
    """Of the numbers and names of a saved result, bit by bit; not of versions, times and commands."""
    found = hashlib.sha256()
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as arrays:
            for key in sorted(arrays.files):
                values = arrays[key]
                if values.dtype.kind == "f":  # R's NA is a NaN with other bits
                    values = np.where(np.isnan(values), np.nan, values)
                found.update(key.encode() + values.dtype.str.encode() + values.tobytes())
    found.update(digest_of(pyfsagg.load_result(folder)).encode())
    return found.hexdigest()


def digest_of(result: Any) -> str:
    """Of the table of a result, bit by bit."""
    found = hashlib.sha256()
    frame = (result.to_frame() if hasattr(result, "to_frame") else result.table).reset_index()
    for name in frame.columns.drop("standard_error", errors="ignore"):  # which R asks for
        column = frame[name].to_numpy()
        found.update(str(name).encode())
        numbers = column.dtype.kind == "f"
        found.update(column.tobytes() if numbers else "\0".join(map(str, column)).encode())
    return found.hexdigest()


def main() -> None:
    """Compare what R has left in a folder with Python."""
    folder = Path(sys.argv[1])
    made = [case for case in cases() if (folder / "R" / case.name).is_dir()]
    for case in made:
        case.python(folder).save(folder / "python" / case.name)
    digests = {
        door: {case.name: digest(folder / door / case.name) for case in made}
        for door in ("python", "R")
    }
    (folder / "digests.json").write_text(json.dumps(digests))


if __name__ == "__main__":
    main()
