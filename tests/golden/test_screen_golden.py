"""Genes of MAGeCK's second demo against what it printed of them; data/PROVENANCE.md says from where."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from golden import DATA

from pyfsagg import screen
from pyfsagg.exceptions import PyfsaggWarning

ALPHA = (0.05, 26 / 2550)
SIDES = {"low": "neg", "high": "pos"}


@pytest.fixture(scope="module")
def printed() -> pd.DataFrame:
    return pd.read_csv(DATA / "mageck_demo2_genes.csv.gz", index_col="id")


def run(**options):
    guides = pd.read_csv(DATA / "mageck_demo2_guides.csv.gz")
    with pytest.warns(PyfsaggWarning, match="guides of 'CTRL' seem to be controls"):
        return screen(
            guides["score"] * np.sign(guides["LFC"]),  # MAGeCK ranks by the signed score
            guides["Gene"],
            guides=guides["sgrna"],
            log_fold_changes=guides["LFC"],
            p_values=(guides["p.low"], guides["p.high"]),
            **options,
        )


@pytest.fixture(scope="module")
def uniform(printed) -> pd.DataFrame:
    return run(alpha=ALPHA, null="uniform").to_frame().loc[printed.index]


@pytest.mark.parametrize("side", SIDES)
def test_every_gene_score_is_met(uniform, printed, side):
    theirs = printed[f"{SIDES[side]}|score"]
    assert len(theirs) == 2356
    # five printed digits
    np.testing.assert_allclose(uniform[f"{side}_rho"], theirs, rtol=5e-5)
    assert uniform[f"{side}_counted"].tolist() == printed[f"{SIDES[side]}|goodsgrna"].tolist()
    assert uniform["guides"].tolist() == printed["num"].tolist()


def test_median_log_fold_changes_are_met(uniform, printed):
    np.testing.assert_allclose(uniform["median_lfc"], printed["neg|lfc"], rtol=0, atol=1.01e-4)


@pytest.mark.parametrize("side", SIDES)
def test_permutation_p_values_are_met_within_their_error(uniform, printed, side):
    theirs, ours = printed[f"{SIDES[side]}|p-value"], uniform[f"{side}_p_value"]
    # p = (hits + 1/2) / B; the smallest printed one bounds the number B of random genes below
    n_permuted = 100 * len(printed)
    error = np.sqrt(ours * (1.0 - ours) / n_permuted) + 0.5 / n_permuted + 5e-6
    pairs = pd.DataFrame({"ours": ours, "z": (theirs - ours) / error}).drop_duplicates()
    assert len(pairs) == 28
    assert pairs["z"].abs().max() < 4.0
    assert abs(float(np.median(theirs / ours)) - 1.0) < 0.003


def test_ties_are_part_of_the_exact_p_value(printed):
    """1,020 genes share a printed p of 0.268 because half of the guides share one score; dealt at
    random, every second gene with one guide is that good."""
    found = run(alpha=ALPHA).to_frame().loc[printed.index]
    block = printed["neg|p-value"] == 0.26846
    assert block.sum() == 1020
    guides = pd.read_csv(DATA / "mageck_demo2_guides.csv.gz")
    signed = guides["score"] * np.sign(guides["LFC"])
    share = float((signed <= signed.value_counts().index[0]).mean())
    np.testing.assert_allclose(found.loc[block, "low_p_value"], share, rtol=1e-12)
    assert share > 0.5


def test_alpha_of_the_guides_p_values():
    found = run()
    assert found.of_side("high").alpha == pytest.approx(0.010196, abs=5e-7)
    assert found.of_side("low").alpha == 89 / 2550
    assert found.parameters["alpha_from"] == "p-values of the guides"


def test_the_page_on_screens_quotes_what_was_measured(uniform, printed):
    root = Path(__file__).parents[2]
    text = " ".join((root / "docs" / "screens.md").read_text(encoding="utf-8").split())
    bench = json.loads((root / "benchmarks" / "screen.json").read_text(encoding="utf-8"))
    floor, seconds = bench["floor"], {case["null"]: case["s"] for case in bench["cases"]}
    n = floor["genes at the floor"]
    found = run(alpha=ALPHA).to_frame().loc[printed.index]
    block = found.loc[printed["neg|p-value"] == 0.26846, "low_p_value"]
    for quoted in (
        f"({len(printed):,} genes, 2,550 guides)",
        f"there are {uniform['low_p_value'].nunique()} different ones on each side",
        f"{len(block):,} genes have the printed p-value 0.26846",
        f"the exact p-value is {block.iloc[0]:.3f}",
        f"{n} genes are better than all of {floor['random genes']:,} random genes",
        f"{floor['different exact p']} different ones, from {floor['smallest exact p']:.1e} to "
        f"{floor['largest exact p']:.1e}",
        f"need {seconds['guides']:.1f} s against all guides and {seconds['1,000 controls']:.1f} s "
        "against controls",
    ):
        assert quoted in text
