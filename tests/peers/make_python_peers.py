"""Writes tests/peers/data/python_peers.json: what other Python packages return for drawn input.

In an environment of its own, with the packages of `PEERS` and without pyfsagg:

    python tests/peers/make_python_peers.py

Every case holds its input and the values, rounded to nothing: no test needs the peers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

PEERS = ("abcvoting", "baycomp", "lifelines", "pingouin", "ranx", "robustrankaggregpy",
         "scikit-learn", "scikit-posthocs", "scikit-survival", "scipy")  # fmt: skip
DATA = Path(__file__).parent / "data" / "python_peers.json"


def abcvoting(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """All winning committees of random approval profiles."""
    from abcvoting import abcrules
    from abcvoting.preferences import Profile

    for _ in range(60):
        n_candidates = int(rng.integers(3, 8))
        size = int(rng.integers(1, n_candidates))
        ballots = [
            sorted(map(int, np.flatnonzero(rng.random(n_candidates) < 0.45)))
            for _ in range(rng.integers(2, 9))
        ]
        profile = Profile(n_candidates)
        profile.add_voters(ballots)
        winning = {
            rule: [sorted(map(int, each)) for each in abcrules.compute(rule, profile, size)]
            for rule in ("av", "sav", "seqpav", "seqphragmen")
        }
        yield {"ballots": ballots, "n": n_candidates, "size": size, "winning": winning}


def baycomp(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Correlated Bayesian t test of two columns of accuracies: above, equivalent, below."""
    from baycomp import CorrelatedTTest

    for _ in range(20):
        n, runs = int(rng.integers(4, 12)), 1
        a, b = rng.normal(0.8, 0.05, size=(2, n)).round(4)
        found = CorrelatedTTest.probs(a, b, rope=0.01, runs=runs)
        yield {"a": a.tolist(), "b": b.tolist(), "rope": 0.01, "p": list(map(float, found))}


def lifelines(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Log-rank statistic of two groups without ties of times."""
    from lifelines.statistics import logrank_test

    for _ in range(15):
        n = int(rng.integers(12, 40))
        time = rng.permutation(n) + 1.0
        event = rng.random(n) < 0.7
        group = np.arange(n) % 2
        found = logrank_test(
            *(time[group == g] for g in (0, 1)), event[group == 0], event[group == 1]
        )
        yield {
            "time": time.tolist(),
            "event": event.tolist(),
            "group": group.tolist(),
            "statistic": float(found.test_statistic),
        }


def pingouin(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Repeated measures, Friedman, one-way, Welch, paired t and Wilcoxon of one table."""
    import pingouin as pg

    for number in range(10):
        n, k = int(rng.integers(6, 14)), int(rng.integers(3, 6))
        table = (rng.normal(size=(n, k)) + rng.normal(size=(n, 1)) + 0.3 * np.arange(k)).round(3)
        if number % 3 == 2:
            table = table.round(1)
        long = pd.DataFrame(table).melt(ignore_index=False).reset_index()
        long.columns = ["subject", "condition", "value"]
        roles = {"data": long, "dv": "value", "within": "condition", "subject": "subject"}
        anova = pg.rm_anova(**roles, correction=True, effsize="ng2").iloc[0]
        friedman = pg.friedman(**roles).iloc[0]
        wide = pd.DataFrame(table)
        values = {
            "rm_f": anova["F"],
            "rm_p": anova.get("p_unc", anova.get("p-unc")),
            "rm_p_gg": anova.get("p_GG_corr", anova.get("p-GG-corr")),
            "rm_ng2": anova["ng2"],
            "gg": pg.epsilon(wide, correction="gg"),
            "hf": pg.epsilon(wide, correction="hf"),
            "mauchly_w": pg.sphericity(wide)[1],
            "friedman_q": friedman["Q"],
            "kendall_w": friedman["W"],
            "one_way_f": pg.anova(data=long, dv="value", between="condition").iloc[0]["F"],
            "welch_f": pg.welch_anova(data=long, dv="value", between="condition").iloc[0]["F"],
        }
        paired = pg.ttest(table[:, 0], table[:, 1], paired=True).iloc[0]
        values["t"] = paired["T"]
        values["t_p"] = paired.get("p_val", paired.get("p-val"))
        signed = pg.wilcoxon(
            table[:, 0], table[:, 1], method="exact" if number % 3 != 2 else "auto"
        )
        if number % 3 != 2:  # the others have ties, which pingouin breaks by errors of rounding
            values["rank_biserial"] = signed.iloc[0]["RBC"]
            values["wilcoxon_p"] = signed.iloc[0].get("p_val", signed.iloc[0].get("p-val"))
        yield {"table": table.tolist(), "values": {key: float(v) for key, v in values.items()}}


def ranx(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Fusion of runs that contain other items: reciprocal ranks of lists; largest, smallest, … of scores."""
    from ranx import Run, fuse

    for _ in range(15):
        items = [f"d{j}" for j in range(int(rng.integers(5, 12)))]
        runs = []
        for _ in range(int(rng.integers(2, 5))):
            held = rng.permutation(items)[: rng.integers(3, len(items) + 1)]
            scores = rng.permutation(len(items))[: len(held)] + 1.0
            runs.append(dict(zip(map(str, held), map(float, scores), strict=True)))
        fused = {
            method: dict(
                fuse([Run({"q": dict(run)}) for run in runs], norm=None, method=method)["q"]
            )
            for method in ("rrf", "max", "min", "med", "anz", "isr", "bordafuse")
        }
        yield {
            "runs": runs,
            "fused": {m: {k: float(v) for k, v in each.items()} for m, each in fused.items()},
        }


def robustrankaggregpy(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """`aggregate_ranks` of lists of unequal length over a universe."""
    from robustrankaggregpy.aggregate_ranks import aggregate_ranks

    for _ in range(12):
        items = [f"g{j}" for j in range(int(rng.integers(5, 15)))]
        lists = [
            list(map(str, rng.permutation(items)[: rng.integers(2, len(items) + 1)]))
            for _ in range(int(rng.integers(2, 7)))
        ]
        found = {}
        for method in ("rra", "stuart", "geom-mean", "median", "min", "mean"):
            scores = aggregate_ranks(lists, ranked_elements=len(items), method=method)
            found[method] = {str(name): float(score) for name, score in scores.items()}
        yield {"lists": lists, "n": len(items), "scores": found}


def scikit_learn(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Mutual information and chi-squared of nominal columns."""
    from scipy.stats import chi2_contingency
    from sklearn.metrics import mutual_info_score

    for _ in range(15):
        n = int(rng.integers(20, 60))
        levels = int(rng.integers(2, 9))
        x, y = rng.integers(0, levels, n), rng.integers(0, int(rng.integers(2, 4)), n)
        y[:2] = 0, 1
        table = pd.crosstab(x, y).to_numpy()
        yield {
            "x": x.tolist(),
            "y": y.tolist(),
            "mutual_information": float(mutual_info_score(x, y)),
            "chi_squared": float(chi2_contingency(table, correction=False)[0])
            if min(table.shape) > 1
            else 0.0,
        }


def scikit_posthocs(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """p-values of Nemenyi's test after Friedman's."""
    from scikit_posthocs import posthoc_nemenyi_friedman

    for number in range(10):
        table = rng.normal(size=(int(rng.integers(5, 15)), int(rng.integers(3, 7)))).round(
            3 if number % 2 else 0
        )
        p = posthoc_nemenyi_friedman(table).to_numpy()
        yield {"table": table.tolist(), "p": p[np.triu_indices(table.shape[1], 1)].tolist()}


def scikit_survival(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Concordance of a risk with censored times, ties of risk included."""
    from sksurv.metrics import concordance_index_censored

    for _ in range(15):
        n = int(rng.integers(8, 40))
        time = rng.exponential(size=n).round(2) + 0.01
        event = rng.random(n) < 0.6
        event[0] = True
        risk = rng.normal(size=n).round(1)
        found = concordance_index_censored(event, time, risk)[0]
        yield {
            "time": time.tolist(),
            "event": event.tolist(),
            "risk": risk.tolist(),
            "concordance": float(found),
        }


def main() -> None:
    made: tuple[Callable[[np.random.Generator], Iterator[dict[str, Any]]], ...]
    made = (abcvoting, baycomp, lifelines, pingouin, ranx, robustrankaggregpy, scikit_learn,
            scikit_posthocs, scikit_survival)  # fmt: skip
    cases = {each.__name__: list(each(np.random.default_rng(17))) for each in made}
    record = {"versions": {name: version(name) for name in PEERS}, "cases": cases}
    DATA.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
