"""Values of R packages against ours: `make_r_peers.R` wrote them and says which versions.

Where a list is cut off, TopKLists puts all absent items at the place after its last one, and of MC1 and
MC2 takes two absent items for compared; so do we.
"""

import numpy as np
import pandas as pd
import pytest
from golden import DATA, PEERS, stored

from pyfsagg import aggregate
from pyfsagg.statistics import rank_confidence

RECORD = stored("r_peers.json", PEERS)
PISA = pd.read_csv(DATA / "pisa_2018_mathematics.csv")
CHAINS = {"mc1": {"definition": "lin"}, "mc2": {"definition": "lin"}, "mc3": {}}


@pytest.mark.parametrize("chain", CHAINS)
def test_chains_are_those_of_topklists(chain: str) -> None:
    for case in RECORD["chains"]:
        found = aggregate(case["lists"], chain, damping=0.15, **CHAINS[chain])
        ours = dict(zip(found.names, found.statistic, strict=True))
        assert ours == pytest.approx(case[chain], abs=1e-9), case


@pytest.mark.parametrize(("mean", "method"), [("mean", "mean_rank"), ("median", "median_rank"),
                                          ("geo.mean", "geometric_mean_rank")])  # fmt: skip
def test_means_of_ranks_are_those_of_topklists_for_full_lists(mean: str, method: str) -> None:
    """Of lists that are cut off, absent items have there the next place, here that of the universe."""
    for case in RECORD["chains"]:
        if case["full"]:
            found = aggregate(case["lists"], method)
            ours = dict(zip(found.names, found.statistic, strict=True))
            assert ours == pytest.approx(case["borda"][mean], abs=1e-9)


@pytest.mark.parametrize("sets", RECORD["sets"], ids=lambda s: f"{s['level']}-{s['simultaneous']}")
def test_sets_of_ranks_are_those_of_csranks(sets: dict) -> None:
    """Both draw errors, so a bound may differ by one place where a critical value is near."""
    scores = PISA.set_index("name")["score"]
    errors, level = PISA["error"], sets["level"]
    result = rank_confidence(scores, standard_errors=errors, confidence_level=level, n_draws=20_000)
    found = result.to_frame().loc[PISA["name"]]
    for side in ("lower", "upper"):
        ours = found[f"{side}_all" if sets["simultaneous"] else side].to_numpy()
        difference = np.abs(ours - np.array(sets[side]))
        assert difference.max() <= 1
        assert (difference > 0).sum() <= 4


@pytest.mark.parametrize("best", RECORD["best"], ids=lambda best: str(best["level"]))
def test_those_who_may_be_best_are_those_of_csranks(best: dict) -> None:
    scores = PISA.set_index("name")["score"]
    errors = PISA["error"]
    found = rank_confidence(scores, standard_errors=errors, confidence_level=best["level"])
    assert set(found.top(best["top"])) == set(best["found"])
