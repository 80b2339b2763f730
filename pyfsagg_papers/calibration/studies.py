"""Designs on several studies with signs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import log_ndtr, ndtr
from scipy.stats import chi2

from pyfsagg import Rankings, aggregate, studies
from pyfsagg.statistics import adjust_p_values
from pyfsagg_papers.calibration.design import ALPHA, Claim, calibrated

N_ITEMS, N_REAL, N_ARTEFACTS, BLOCK = 2000, 100, 100, 20
OF_STUDIES = "items with an effect of one sign in at least two studies"
NUMBER = 3


def _deviates(rng: np.random.Generator, m: int, correlation: float = 0.4) -> np.ndarray:
    """Normal deviates (m, 2000) of null items, correlated in blocks of 20 within a study."""
    shared = np.repeat(rng.standard_normal((m, N_ITEMS // BLOCK)), BLOCK, axis=1)
    own = rng.standard_normal((m, N_ITEMS))
    return np.asarray(np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * own)


def tables_of(z: np.ndarray) -> dict[str, pd.DataFrame]:
    """A table for each study: gene, log fold change and two-sided p-value."""
    p = 2.0 * ndtr(-np.abs(z))
    genes = [f"g{j}" for j in range(z.shape[1])]
    return {
        f"study{i}": pd.DataFrame({"gene": genes, "logFC": row, "PValue": p[i]})
        for i, row in enumerate(z)
    }


WAYS = {
    "adafilter": "studies(p_adjust='adafilter')",
    "bounded": "studies(p_adjust='adafilter_bounded')",
    "bh": "studies(p_adjust='bh')",
    "ranks": "studies(evidence='ranks')",
    "fisher": "Fisher's method of two-sided p-values, Benjamini-Hochberg",
    "stouffer": "Stouffer's method with signs, Benjamini-Hochberg",
    "rra": "RRA of the significant up and down lists, Benjamini-Hochberg",
}


def _level(name: str, of: str = OF_STUDIES) -> Claim:
    return Claim(name, "level", ALPHA, (0.0, 0.065), of)


@calibrated(
    "studies",
    *(
        _level(f"{WAYS[way]}.adjusted_p_value (share of false items)")
        for way in ("adafilter", "bounded", "bh", "ranks")
    ),
    *(
        Claim(f"{WAYS[way]}: share of false items", "reference", ALPHA, of=OF_STUDIES)
        for way in ("fisher", "stouffer", "rra")
    ),
    _level(
        "Studies.at_least (share of 3 and more that are less)",
        "items found in the given number of studies",
    ),
    *(Claim(f"{text}: real items", "power", 1.0, of=OF_STUDIES) for text in WAYS.values()),
    designs=[
        {"m": m, "carried": carried, "artefact": artefact}
        for m, carried, artefact in (
            (3, 2, False),
            (3, 2, True),
            (3, 3, False),
            (5, 2, True),
            (5, 4, False),
            (5, 4, True),
            (8, 3, True),
            (8, 6, True),
        )
    ],
    runs=400,
)  # fmt: skip
def studies_with_an_artefact(
    rng: np.random.Generator, m: int, carried: int, artefact: bool
) -> tuple[float, ...]:
    """Studies of 2,000 genes, correlated in blocks of 20; 100 are shifted by 3.5 standard errors, half of
    them down, each in the given number of studies. One study may be an artefact: it shares no real
    gene, and 100 others are shifted by 8 in it. A gene that is real in fewer than two studies is false.
    Alternatives are included."""
    z = _deviates(rng, m)
    number = np.zeros(N_ITEMS, dtype=int)
    number[:N_REAL] = carried
    sign = np.where(np.arange(N_REAL) % 2, -1.0, 1.0)
    for gene in range(N_REAL):
        z[rng.permutation(m - artefact)[:carried], gene] += 3.5 * sign[gene]
    if artefact:
        hit = N_REAL + rng.permutation(N_ITEMS - N_REAL)[:N_ARTEFACTS]
        z[-1, hit] += 8.0 * rng.choice([-1.0, 1.0], N_ARTEFACTS)
    tables, half = tables_of(z), ndtr(-np.abs(z))
    adaptive = studies(tables, p_adjust="adafilter")
    found = {"adafilter": adaptive, "bounded": replace(adaptive, p_adjust="adafilter_bounded")}
    found["bh"] = replace(adaptive, p_adjust="bh")
    found["ranks"] = studies(tables, evidence="ranks")
    chosen = {way: one.adjusted_p_values <= ALPHA for way, one in found.items()}
    fisher = chi2.sf(-2.0 * np.log(2.0 * half).sum(axis=0), 2 * m)
    stouffer = 2.0 * ndtr(-np.abs(z.sum(axis=0)) / np.sqrt(m))
    chosen["fisher"] = adjust_p_values(fisher, "bh") <= ALPHA
    chosen["stouffer"] = adjust_p_values(stouffer, "bh") <= ALPHA
    chosen["rra"] = _by_lists(z, half)
    false = {way: (one & (number < 2)).sum() / max(one.sum(), 1) for way, one in chosen.items()}
    many = found["adafilter"].at_least() >= NUMBER
    beyond = (many & (number < NUMBER)).sum() / max(many.sum(), 1)
    return (*false.values(), beyond, *(float(one[:N_REAL].mean()) for one in chosen.values()))


def _by_lists(z: np.ndarray, half: np.ndarray) -> np.ndarray:
    """What RRA finds in lists of the genes with p of at most 0.05, one of up and one of down genes each."""
    chosen = np.zeros(N_ITEMS, dtype=bool)
    for sign in (1.0, -1.0):
        lists = []
        for row, p in zip(sign * z, half, strict=True):
            listed = np.flatnonzero((row > 0.0) & (2.0 * p <= ALPHA))
            lists.append([f"g{j}" for j in listed[np.argsort(p[listed])]])
        frame = aggregate(Rankings.from_lists(lists, universe=N_ITEMS), "rra").to_frame()
        for name in frame.index[frame["adjusted_p_value"] <= ALPHA]:
            chosen[int(str(name)[1:])] = True
    return chosen


@calibrated(
    "studies",
    _level("studies(p_values).p_value"),
    _level("studies(ranks).p_value"),
    designs=[{"m": m, "min_studies": r} for m in (2, 3, 5, 10) for r in (1, 2, 3, 5) if r <= m],
    runs=200,
)
def one_study_too_few(rng: np.random.Generator, m: int, min_studies: int) -> tuple[float, ...]:
    """2,000 genes, each with an overwhelming effect in all but one of the required number of studies,
    which differ between genes (by ranks: a tenth of the genes): share of p-values of at most 0.05."""
    z = _deviates(rng, m, 0.0)
    strong = rng.random((m, N_ITEMS)).argsort(axis=0) < min_studies - 1
    by_p = studies(tables_of(z + 20.0 * strong), min_studies=min_studies)
    few = rng.random(N_ITEMS) < 0.1
    by_rank = studies(tables_of(z + 20.0 * strong * few), min_studies=min_studies, evidence="ranks")
    least = few if min_studies > 1 else np.ones(N_ITEMS, dtype=bool)
    return float((by_p.p_values <= ALPHA).mean()), float((by_rank.p_values[least] <= ALPHA).mean())


SHARED = "Studies.pairs.shared"


@calibrated(
    "studies",
    _level(f"{SHARED} (any pair of independent studies)", "independent studies"),
    Claim(f"{SHARED} (the pair with common samples)", "power", 1.0, of="two studies that share samples"),
    Claim(f"{SHARED} (all pairs with common samples)", "power", 1.0, of="studies that all share samples"),
    designs=[
        {"m": m, "truth": truth, "common": common}
        for m, shares in ((2, (0.5, 1.0)), (3, (0.5, 1.0)), (5, (0.5,)))
        for truth in ("none", "sparse", "graded")
        for common in shares
    ],
    runs=100,
)  # fmt: skip
def studies_with_common_samples(
    rng: np.random.Generator, m: int, truth: str, common: float
) -> tuple[float, ...]:
    """Studies of 2,000 genes, correlated in blocks of 20: no gene is real, 5 % are clearly, or all are, in
    degrees (effects with half of the variance of the errors). Independent studies should not be
    reported to share samples. Then the first two share a part of their errors, as cohorts with this
    share of common samples do, and then all studies do, as several analyses of one data set."""
    z = _deviates(rng, m)
    effects = np.zeros(N_ITEMS)
    if truth == "sparse":
        effects[:N_REAL] = 4.0 * rng.choice([-1.0, 1.0], N_REAL)
    elif truth == "graded":
        effects = np.sqrt(0.5) * rng.standard_normal(N_ITEMS)
    all_share = np.sqrt(common) * _deviates(rng, 1) + np.sqrt(1.0 - common) * z
    two_share = z.copy()
    two_share[1] = common * z[0] + np.sqrt(1.0 - common**2) * z[1]
    first = studies(tables_of(z + effects))
    alone, pair, everyone = (
        replace(first, log_p=log_ndtr([-(errors + effects), errors + effects])).pairs()["shared"]
        for errors in (z, two_share, all_share)
    )
    return float(alone.any()), float(pair.iloc[0]), float(everyone.mean())
