"""p-values and false discovery rates of genes in screens, out of the ranks of their guides."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

from pyfsagg.reproduce.calibration._row import ALPHA, Claim, calibrated
from pyfsagg.screens import Screen, screen

OF_GENES = "genes whose guides are independent and, if nothing is there, ranked at random"
TAIL = 0.001
TIED = (
    "null='uniform' knows of no ties: with many guides on one average rank its p-values are too small; "
    "take null='guides' or ties='last'"
)
CORRELATED = (
    "guides of a gene that are correlated without an effect of the gene (common off-targets, common "
    "seed) make p-values too small"
)


def _levels(name: str, caution: str = "") -> tuple[Claim, Claim]:
    return (
        Claim(f"{name}.p_value", "level", ALPHA, (0.0, 0.055), of=OF_GENES, caution=caution),
        Claim(f"{name}.p_value (tail)", "level", TAIL, (0.0, 0.0012), of=OF_GENES, caution=caution),
    )


def _guides_per_gene(rng: np.random.Generator, n_genes: int, guides: str) -> np.ndarray:
    """The gene of each guide; "4" of each, or "1 to 10" at random."""
    sizes = np.full(n_genes, 4) if guides == "4" else rng.integers(1, 11, n_genes)
    return np.repeat(np.arange(n_genes), sizes)


def _tied(scores: np.ndarray, ties: str) -> np.ndarray:
    """Half of the scores as one: those in the middle, or the smallest."""
    if ties == "none":
        return scores
    low, high = np.quantile(scores, (0.25, 0.75) if ties == "middle half" else (0.0, 0.5))
    return np.where((scores >= low) & (scores <= high), low, scores)


def _reached(found: Screen) -> tuple[float, float]:
    p = found.of_side("low").p_values
    return float(np.mean(p <= ALPHA)), float(np.mean(p <= TAIL))


@calibrated(
    *_levels("screen(null='guides')"),
    *_levels("screen(null='uniform')", TIED),
    *_levels("screen(null='uniform', ties='last')"),
    designs=[
        {"guides": guides, "alpha": alpha, "ties": ties}
        for guides in ("4", "1 to 10")
        for alpha, ties in (
            (0.05, "none"),
            (0.05, "middle half"),
            (0.25, "none"),
            (0.25, "middle half"),
            (0.25, "front half"),
        )
    ],
    runs=200,
)
def level_of_genes(
    rng: np.random.Generator, guides: str, alpha: float, ties: str
) -> tuple[float, ...]:
    """1,000 genes without an effect, their guides scored at random, in some designs half of them with
    one score: share of genes with p-values of at most 0.05, and of at most 0.001."""
    genes = _guides_per_gene(rng, 1000, guides)
    scores = _tied(rng.standard_normal(len(genes)), ties)
    found = (
        screen(scores, genes, side="low", alpha=alpha),
        screen(scores, genes, side="low", alpha=alpha, null="uniform"),
        screen(scores, genes, side="low", alpha=alpha, null="uniform", ties="last"),
    )
    return tuple(value for each in found for value in _reached(each))


@calibrated(
    *_levels("screen(control_genes)"),
    designs=[{"guides": g, "controls": c} for g in ("4", "1 to 10") for c in (20, 100, 1000)],
    runs=400,
)
def level_against_controls(
    rng: np.random.Generator, guides: str, controls: int
) -> tuple[float, ...]:
    """200 genes without an effect and 300 genes that are depleted, beside control guides: share of the
    genes without an effect with p-values of at most 0.05, and of at most 0.001."""
    genes = _guides_per_gene(rng, 500, guides)
    scores = rng.standard_normal(len(genes)) - 1.5 * (genes >= 200)
    labels = [*(f"g{gene}" for gene in genes), *["control"] * controls]
    given = np.r_[scores, rng.standard_normal(controls)]
    found = screen(given, labels, side="low", alpha=0.25, control_genes=["control"])
    null = np.array([name[0] == "g" and int(name[1:]) < 200 for name in found.genes])
    p = found.of_side("low").p_values[null]
    return float(np.mean(p <= ALPHA)), float(np.mean(p <= TAIL))


@calibrated(
    *_levels("screen(alpha of the guides' p-values)"),
    designs=[{"guides": guides} for guides in ("4", "1 to 10")],
    runs=200,
)
def level_with_estimated_alpha(rng: np.random.Generator, guides: str) -> tuple[float, ...]:
    """1,000 genes without an effect, α taken from the p-values of the guides: share of genes with
    p-values of at most 0.05, and of at most 0.001."""
    genes = _guides_per_gene(rng, 1000, guides)
    scores = rng.standard_normal(len(genes))
    return _reached(screen(scores, genes, side="low", p_values=ndtr(scores)))


@calibrated(
    *_levels("screen(correlated guides)", CORRELATED),
    designs=[{"correlation": each} for each in (0.05, 0.2)],
    runs=200,
)
def level_of_correlated_guides(rng: np.random.Generator, correlation: float) -> tuple[float, ...]:
    """1,000 genes of four guides without an effect, whose guides are correlated inside a gene: share of
    genes with p-values of at most 0.05, and of at most 0.001."""
    genes = _guides_per_gene(rng, 1000, "4")
    common = rng.standard_normal(1000)[genes]
    own = rng.standard_normal(len(genes))
    scores = np.sqrt(correlation) * common + np.sqrt(1.0 - correlation) * own
    return _reached(screen(scores, genes, side="low", alpha=0.25))


@calibrated(
    Claim("screen.fdr (any gene)", "level", ALPHA, (0.0, 0.065), of=OF_GENES),
    Claim("screen.q_value (any gene)", "level", ALPHA, (0.0, 0.065), of=OF_GENES),
    designs=[{"guides": guides} for guides in ("4", "1 to 10")],
    runs=1000,
)
def family_of_genes(rng: np.random.Generator, guides: str) -> tuple[float, float]:
    """500 genes without an effect: how often any has a false discovery rate (Benjamini-Hochberg), or a
    q-value (Storey), of at most 0.05."""
    genes = _guides_per_gene(rng, 500, guides)
    side = screen(rng.standard_normal(len(genes)), genes, side="low").of_side("low")
    return (
        float((side.adjusted_p_values <= ALPHA).any()),
        float((side.q_values <= ALPHA).any()),
    )


@calibrated(
    Claim("screen.fdr", "level", ALPHA, (0.0, 0.055), of=OF_GENES),
    Claim("screen.q_value", "level", ALPHA, (0.0, 0.055), of=OF_GENES),
    Claim("screen(controls).fdr", "level", ALPHA, (0.0, 0.055), of=OF_GENES),
    Claim("screen.fdr (share of the real ones)", "power", ALPHA),
    Claim("screen.q_value (share of the real ones)", "power", ALPHA),
    Claim("screen(controls).fdr (share of the real ones)", "power", ALPHA),
    designs=[
        {"guides": guides, "real": real, "working": working}
        for guides in ("4", "1 to 10")
        for real in (20, 200)
        for working in (0.5, 1.0)
    ],
    runs=300,
)
def false_discoveries(
    rng: np.random.Generator, guides: str, real: int, working: float
) -> tuple[float, ...]:
    """1,000 genes beside 500 control guides; the real genes are depleted by 3 standard deviations, each
    of their guides with the given probability, and α is taken from the p-values of the guides. Share
    of genes without an effect among those found at 0.05, and share of the real ones found."""
    genes = _guides_per_gene(rng, 1000, guides)
    hit = (genes < real) & (rng.random(len(genes)) < working)
    scores = np.r_[rng.standard_normal(len(genes)) - 3.0 * hit, rng.standard_normal(500)]
    labels = np.r_[genes, 1000 + np.arange(500)]  # each control guide a gene of its own
    given: dict[str, Any] = {"side": "low", "p_values": ndtr(scores)}
    plain = screen(scores, labels, **given).of_side("low")
    names = [str(label) for label in labels[labels >= 1000]]
    against = screen(scores, labels, control_genes=names, **given).of_side("low")
    false, found = [], []
    for adjusted in (plain.adjusted_p_values, plain.q_values, against.adjusted_p_values):
        chosen = np.flatnonzero(adjusted <= ALPHA)
        false.append(float(np.mean(chosen >= real)) if len(chosen) else 0.0)
        found.append(float((chosen < real).sum() / real))
    return (*false, *found)
