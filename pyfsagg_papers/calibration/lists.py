"""Designs on ranked lists and screens, and on the verdicts on printed values."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

from pyfsagg.aggregation import aggregate, check_universe, permutation_p_values
from pyfsagg.ranks import Rankings
from pyfsagg.screens import Screen, screen
from pyfsagg_papers.calibration.design import ALPHA, Claim, Kind, calibrated, scores_of_lists
from pyfsagg_papers.tables.comparison import likelihood_ratio, prediction_limits

# -------------------------------------------------------------------------------------------------
# p-values of aggregated lists under the null: no item is better than another in any list
# -------------------------------------------------------------------------------------------------

OF_LISTS = "independent lists, in random order under the null"


def _level(name: str) -> Claim:
    return Claim(name, "level", ALPHA, (0.0, 0.065), of=OF_LISTS)


@calibrated(
    "lists",
    _level("aggregate(rra).p_value"),
    _level("aggregate(rra, exact).p_value"),
    _level("aggregate(mean_p_value).p_value"),
    designs=[
        {"m": m, "zeros": zeros} for m in (3, 5, 10, 30, 100) for zeros in (0.0, 0.5, 0.9)
    ],
    runs=400,
)  # fmt: skip
def level_of_full_lists(rng: np.random.Generator, m: int, zeros: float) -> tuple[float, ...]:
    """Lists of 50 items by random scores, a share of which is zero: share of p-values of at most 0.05."""
    table = Rankings.from_scores(scores_of_lists(rng, m, 50, zeros))
    found = (
        aggregate(table, "rra"),
        aggregate(table, "rra", exact=True),
        aggregate(table, "mean_p_value"),
    )
    return tuple(float(np.mean(each.to_frame()["p_value"] <= ALPHA)) for each in found)


@calibrated(
    "lists",
    _level("aggregate(rra).adjusted_p_value (any of all items)"),
    _level("aggregate(rra, exact).adjusted_p_value (any of all items)"),
    designs=[
        {"lengths": "3 x 50", "universe": 20_000},
        {"lengths": "5 x 20", "universe": 20_000},
        {"lengths": "10, 50, 200, 1000", "universe": 20_000},
        {"lengths": "10 x 100", "universe": 20_000},
        {"lengths": "5 x 50", "universe": 2000},
    ],
    runs=1000,
)
def family_of_top_lists(rng: np.random.Generator, lengths: str, universe: int) -> tuple[float, ...]:
    """Truncated lists drawn at random from the universe, without true items: how often any item has an
    adjusted p-value (Benjamini–Hochberg) of at most 0.05."""
    if " x " in lengths:
        count, length = map(int, lengths.split(" x "))
        sizes = [length] * count
    else:
        sizes = [int(size) for size in lengths.split(", ")]
    lists = [[f"g{i}" for i in rng.choice(universe, size, replace=False)] for size in sizes]
    table = Rankings.from_lists(lists, universe=universe)
    return tuple(
        float((aggregate(table, "rra", exact=exact).to_frame()["adjusted_p_value"] <= ALPHA).any())
        for exact in (False, True)
    )


@calibrated(
    "lists",
    Claim(
        "aggregate(rra).adjusted_p_value (false discovery rate)",
        "level",
        ALPHA,
        (0.0, 0.065),
        of=OF_LISTS,
    ),
    designs=[{"m": 5, "length": 50, "real": 8}, {"m": 10, "length": 200, "real": 30}],
    runs=500,
)
def false_discoveries_of_top_lists(
    rng: np.random.Generator, m: int, length: int, real: int
) -> tuple[float, ...]:
    """Truncated lists of 20,000 items; a true item is in the first half of a list with probability 0.7,
    the rest is drawn at random: share of false items among those with an adjusted p-value of at most
    0.05."""
    lists = []
    for _ in range(m):
        held = np.flatnonzero(rng.random(real) < 0.7)
        others = real + rng.choice(20_000 - real, length - len(held), replace=False)
        half = length // 2
        first = rng.permutation(np.r_[held, others[: max(half - len(held), 0)]])
        names = np.r_[first, others[max(half - len(held), 0) :]]
        lists.append([f"g{i}" for i in names])
    frame = aggregate(Rankings.from_lists(lists, universe=20_000), "rra").to_frame()
    found = frame.index[frame["adjusted_p_value"] <= ALPHA]
    false = sum(int(str(name)[1:]) >= real for name in found)
    return (false / max(len(found), 1),)


# -------------------------------------------------------------------------------------------------
# a universe that is larger than what the lists come from
# -------------------------------------------------------------------------------------------------

OF_LOWER_PARTS = "lists from the given universe, independent below their upper halves"
DEPTHS = (0.5, 0.75)


def _universe(kind: Kind) -> tuple[Claim, ...]:
    judged: dict[str, Any] = {"accept": (0.0, 0.065)} if kind == "level" else {}
    return tuple(
        Claim(
            f"check_universe.p_value (top_share={depth})", kind, ALPHA, of=OF_LOWER_PARTS, **judged
        )
        for depth in DEPTHS
    )


def _rejected(table: Rankings) -> list[float]:
    return [float(check_universe(table, top_share=depth).p_value <= ALPHA) for depth in DEPTHS]


def _half_common(rng: np.random.Generator, lists: int, length: int, pool: int, common: int) -> Any:
    """Lists out of a pool whose upper halves have so many items in common, in any order."""
    drawn = []
    for _ in range(lists):
        rest = common + rng.permutation(pool - common)[: length - common]
        half = length // 2 - common
        top = rng.permutation(np.r_[np.arange(common), rest[:half]])
        drawn.append([f"g{j}" for j in (*top, *rest[half:])])
    return drawn


@calibrated(
    "universe",
    *_universe("level"),
    designs=[
        {"lists": 5, "length": 50, "universe": 2000, "common": 0},
        {"lists": 5, "length": 50, "universe": 2000, "common": 20},
        {"lists": 5, "length": 20, "universe": 500, "common": 0},
        {"lists": 10, "length": 100, "universe": 20_000, "common": 0},
        {"lists": 3, "length": 300, "universe": 600, "common": 0},
        {"lists": 5, "length": 100, "universe": 500, "common": 50},
    ],
    runs=1200,
)
def universe_as_stated(
    rng: np.random.Generator, lists: int, length: int, universe: int, common: int
) -> tuple[float, ...]:
    """Lists drawn at random from the universe, some with items that are in the upper half of all lists:
    how often the universe is called too large."""
    drawn = _half_common(rng, lists, length, universe, common)
    return tuple(_rejected(Rankings.from_lists(drawn, universe=universe)))


@calibrated(
    "universe",
    *_universe("power"),
    Claim("check_universe.pool_upper", "coverage", 0.95, (0.93, 1.0), of=OF_LOWER_PARTS),
    Claim(
        "aggregate(rra).adjusted_p_value (any of all items, universe too large)",
        "reference",
        ALPHA,
        of="items of a common pool, none of them true",
    ),
    designs=[
        {"lists": lists, "length": length, "pool": pool, "universe": 2000}
        for lists, length, pool in (
            (5, 50, 300),
            (3, 50, 300),
            (5, 20, 300),
            (5, 50, 1000),
            (5, 100, 1000),
        )
    ],
    runs=300,
)
def common_pool(
    rng: np.random.Generator, lists: int, length: int, pool: int, universe: int
) -> tuple[float, ...]:
    """Lists drawn at random from a pool that is smaller than the universe: how often this is detected,
    coverage of the upper limit of the pool, and how often any item has an adjusted p-value of at most
    0.05, although none is true."""
    table = Rankings.from_lists(_half_common(rng, lists, length, pool, 0), universe=universe)
    result = aggregate(table, "rra")
    upper = None if result.universe_check is None else result.universe_check.pool_upper
    found = float((result.to_frame()["adjusted_p_value"] <= ALPHA).any())
    return (*_rejected(table), float(upper is None or upper >= pool), found)


@calibrated(
    "universe",
    *(
        Claim(
            f"check_universe.p_value (top_share={depth}, real items)",
            "reference",
            ALPHA,
            of="lists with true items below the upper halves",
        )
        for depth in DEPTHS
    ),
    designs=[
        {"real": 20, "length": 50},
        {"real": 100, "length": 50},
        {"real": 20, "length": 200},
        {"real": 100, "length": 200},
    ],
    runs=300,
)
def graded_real_items(rng: np.random.Generator, real: int, length: int) -> tuple[float, ...]:
    """Five lists of the best of 2,000 items by noisy scores; the true effects fall from two standard
    deviations to none: how often the correct universe is called too large, because common items extend
    below the upper halves of the lists."""
    shift = np.zeros(2000)
    shift[:real] = np.linspace(2.0, 0.0, real)
    orders = [np.argsort(-(shift + rng.normal(size=2000)))[:length] for _ in range(5)]
    return tuple(
        _rejected(
            Rankings.from_lists([[f"g{j}" for j in order] for order in orders], universe=2000)
        )
    )


# -------------------------------------------------------------------------------------------------
# permutation p-values of aggregated lists under the null
# -------------------------------------------------------------------------------------------------

OF_SOURCES = "independent sources of lists"
UNIVERSE = 300


def _level_of_sources(name: str) -> Claim:
    return Claim(name, "level", ALPHA, (0.0, 0.065), of=OF_SOURCES)


@calibrated(
    "permutations",
    _level_of_sources("permutation_p_values.p_values"),
    _level_of_sources("permutation_p_values.adjusted_p_values (any item)"),
    _level_of_sources("permutation_p_values.family_wise_p_values (any item)"),
    designs=[
        {"sources": 5, "copies": copies, "length": length, "method": method}
        for copies, length in ((1, 30), (1, 300), (4, 30))
        for method in ("rra", "mean_rank")
    ],
    runs=200,
)
def unrelated_sources(
    rng: np.random.Generator, sources: int, copies: int, length: int, method: str
) -> tuple[float, ...]:
    """Five sources with independent orders of 300 items, and truncated lists of each, which are near
    copies if there are several: share of p-values of at most 0.05, and how often any adjusted one is.
    99 permutations."""
    lists, groups = [], []
    for source in range(sources):
        worth = rng.standard_normal(UNIVERSE)
        for _ in range(copies):
            order = np.argsort(worth + 0.3 * rng.standard_normal(UNIVERSE))
            lists.append([f"g{i}" for i in order[:length]])
            groups.append(source)
    table = Rankings.from_lists(lists, universe=UNIVERSE)
    found = permutation_p_values(table, method, groups=groups, n_permutations=99, random_state=rng)
    return (
        float((found.p_values <= ALPHA).sum() / UNIVERSE),
        float((found.adjusted_p_values <= ALPHA).any()),
        float((found.family_wise_p_values <= ALPHA).any()),
    )


# -------------------------------------------------------------------------------------------------
# p-values and false discovery rates of genes in screens, out of the ranks of their guides
# -------------------------------------------------------------------------------------------------

OF_GENES = "genes with independent guides, ranked at random under the null"
TAIL = 0.001
TIED = (
    "null='uniform' ignores ties: with many guides at one average rank its p-values are too small; use "
    "null='guides' or ties='last'"
)
CORRELATED = (
    "guides of a gene that are correlated without an effect (common off-targets or seed) make p-values "
    "too small"
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
    "screen",
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
    """1,000 genes without an effect and random scores of guides, in some designs half of them tied: share
    of p-values of at most 0.05 and 0.001."""
    genes = _guides_per_gene(rng, 1000, guides)
    scores = _tied(rng.standard_normal(len(genes)), ties)
    found = (
        screen(scores, genes, side="low", alpha=alpha),
        screen(scores, genes, side="low", alpha=alpha, null="uniform"),
        screen(scores, genes, side="low", alpha=alpha, null="uniform", ties="last"),
    )
    return tuple(value for each in found for value in _reached(each))


@calibrated(
    "screen",
    *_levels("screen(control_genes)"),
    designs=[{"guides": g, "controls": c} for g in ("4", "1 to 10") for c in (20, 100, 1000)],
    runs=400,
)
def level_against_controls(
    rng: np.random.Generator, guides: str, controls: int
) -> tuple[float, ...]:
    """200 genes without an effect, 300 depleted genes, and control guides: share of p-values of at most
    0.05 and 0.001 among the genes without an effect."""
    genes = _guides_per_gene(rng, 500, guides)
    scores = rng.standard_normal(len(genes)) - 1.5 * (genes >= 200)
    labels = [*(f"g{gene}" for gene in genes), *["control"] * controls]
    given = np.r_[scores, rng.standard_normal(controls)]
    found = screen(given, labels, side="low", alpha=0.25, control_genes=["control"])
    null = np.array([name[0] == "g" and int(name[1:]) < 200 for name in found.genes])
    p = found.of_side("low").p_values[null]
    return float(np.mean(p <= ALPHA)), float(np.mean(p <= TAIL))


@calibrated(
    "screen",
    *_levels("screen(alpha of the guides' p-values)"),
    designs=[{"guides": guides} for guides in ("4", "1 to 10")],
    runs=200,
)
def level_with_estimated_alpha(rng: np.random.Generator, guides: str) -> tuple[float, ...]:
    """1,000 genes without an effect, α from the p-values of the guides: share of p-values of at most 0.05
    and 0.001."""
    genes = _guides_per_gene(rng, 1000, guides)
    scores = rng.standard_normal(len(genes))
    return _reached(screen(scores, genes, side="low", p_values=ndtr(scores)))


@calibrated(
    "screen",
    *_levels("screen(correlated guides)", CORRELATED),
    designs=[{"correlation": each} for each in (0.05, 0.2)],
    runs=200,
)
def level_of_correlated_guides(rng: np.random.Generator, correlation: float) -> tuple[float, ...]:
    """1,000 genes of four correlated guides without an effect: share of p-values of at most 0.05 and
    0.001."""
    genes = _guides_per_gene(rng, 1000, "4")
    common = rng.standard_normal(1000)[genes]
    own = rng.standard_normal(len(genes))
    scores = np.sqrt(correlation) * common + np.sqrt(1.0 - correlation) * own
    return _reached(screen(scores, genes, side="low", alpha=0.25))


@calibrated(
    "screen",
    Claim("screen.fdr (any gene)", "level", ALPHA, (0.0, 0.065), of=OF_GENES),
    Claim("screen.q_value (any gene)", "level", ALPHA, (0.0, 0.065), of=OF_GENES),
    designs=[{"guides": guides} for guides in ("4", "1 to 10")],
    runs=1000,
)
def family_of_genes(rng: np.random.Generator, guides: str) -> tuple[float, float]:
    """500 genes without an effect: how often any false discovery rate (Benjamini–Hochberg) or q-value
    (Storey) is at most 0.05."""
    genes = _guides_per_gene(rng, 500, guides)
    side = screen(rng.standard_normal(len(genes)), genes, side="low").of_side("low")
    return (
        float((side.adjusted_p_values <= ALPHA).any()),
        float((side.q_values <= ALPHA).any()),
    )


@calibrated(
    "screen",
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
    """1,000 genes and 500 control guides; the real genes are depleted by 3 standard deviations, each of
    their guides with the given probability, and α is from the p-values of the guides: share of genes
    without an effect among those found at 0.05, and share of the real ones found."""
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


@calibrated(
    "screen",
    Claim("screen(controls).fdr", "level", ALPHA, (0.0, 0.055), of=OF_GENES),
    Claim("screen(controls).fdr (share of the real ones)", "power", ALPHA),
    designs=[{"controls": controls} for controls in (1, 5, 10, 20, 50, 100, 500)],
    runs=100,
)
def few_controls(rng: np.random.Generator, controls: int) -> tuple[float, float]:
    """1,000 genes of four guides, 20 of them depleted by 3 standard deviations, and few or many control
    guides: share of genes without an effect among those found at 0.05, and share of the real ones found."""
    genes = _guides_per_gene(rng, 1000, "4")
    scores = np.r_[
        rng.standard_normal(len(genes)) - 3.0 * (genes < 20), rng.standard_normal(controls)
    ]
    labels = [*map(str, genes), *["control"] * controls]
    given: dict[str, Any] = {"side": "low", "p_values": ndtr(scores), "control_genes": "control"}
    found = screen(scores, labels, **given)
    adjusted = found.of_side("low").adjusted_p_values
    chosen = [int(found.genes[j]) for j in np.flatnonzero(adjusted <= ALPHA)]
    false = float(np.mean([gene >= 20 for gene in chosen])) if chosen else 0.0
    return false, sum(gene < 20 for gene in chosen) / 20


# -------------------------------------------------------------------------------------------------
# verdicts on printed values: limits of their own kind, and values of other data sets
# -------------------------------------------------------------------------------------------------

OF_DRAWS = "further draws (splits, folds, trials) on the same data"
N_OTHERS = 9
CALLED = 10.0


@calibrated(
    "verdicts",
    Claim("reproduce.table(inside)", "coverage", 0.95, (0.93, 0.97), of=OF_DRAWS),
    Claim("reproduce.evidence(ratio of 10) of another cell", "level", 0.1, (0.0, 0.1), of=OF_DRAWS),
    Claim("reproduce.evidence(ratio of 10) of its own cell", "power", 0.0, of=OF_DRAWS),
    Claim("share of other values inside", "reference", 0.0, of=OF_DRAWS),
    designs=[
        {"repetitions": repetitions, "behind": behind, "between": between}
        for repetitions, behind in ((3, 1), (10, 1), (40, 40))
        for between in (0.0, 1.0, 10.0)
    ],
    runs=20_000,
)
def printed_values(
    rng: np.random.Generator, repetitions: int, behind: int, between: float
) -> tuple[float, ...]:
    """Ten cells of a table of normal draws; their means differ by `between` standard deviations. A printed
    value is the mean of `behind` draws, ours are single draws. A printed value is judged by the limits
    of its own cell and of another one."""
    centres = between * rng.standard_normal(N_OTHERS + 1)
    printed = centres + rng.standard_normal(N_OTHERS + 1) / np.sqrt(behind)
    draws = centres[0] + rng.standard_normal(repetitions)
    own = (repetitions, float(draws.mean()), float(draws.std(ddof=1)))
    lower, upper = prediction_limits(own, behind, 0.0)
    held = (printed >= lower) & (printed <= upper)
    # The value of another cell, taken for that of the first one; its own is then among the others.
    others = np.concatenate([printed[:1], printed[2:]])
    mistaken = likelihood_ratio(float(printed[1]), others, own, behind, 0.0)
    right = likelihood_ratio(float(printed[0]), printed[1:], own, behind, 0.0)
    return (
        float(held[0]),
        float(mistaken >= CALLED),
        float(right >= CALLED),
        float(held[1:].mean()),
    )


SHARED = (
    "a gene without an effect is found if it shares guides with one that has an effect; p-values of genes "
    "without shared guides keep their level"
)


@calibrated(
    "screen",
    *_levels("screen(replicates)"),
    *_levels("screen(replicates as guides)", CORRELATED),
    Claim("screen(replicates).fdr (share of the real ones)", "power", ALPHA),
    Claim("screen(mean of the replicates).fdr (share of the real ones)", "power", ALPHA),
    Claim("screen(one replicate).fdr (share of the real ones)", "power", ALPHA),
    designs=[
        {"replicates": number, "correlation": correlation}
        for number in (2, 4)
        for correlation in (0.0, 0.5)
    ],
    runs=200,
)
def level_of_replicates(
    rng: np.random.Generator, replicates: int, correlation: float
) -> tuple[float, ...]:
    """1,000 genes of four guides without an effect in several replicates with correlated scores: share of
    p-values of at most 0.05 and 0.001, with replicates and with each replicate as a guide. Then 20
    genes are depleted by 2 standard deviations: share found."""
    genes = _guides_per_gene(rng, 1000, "4")
    common, own = rng.standard_normal(len(genes)), rng.standard_normal((replicates, len(genes)))
    scores = np.sqrt(correlation) * common + np.sqrt(1.0 - correlation) * own
    how: dict[str, Any] = {"side": "low", "alpha": 0.25}
    joint = screen(scores[0], genes, replicates=list(scores[1:]), **how)
    many = screen(scores.ravel(), np.tile(genes, replicates), **how)
    levels = (value for each in (joint, many) for value in _reached(each))
    scores -= 2.0 * (genes < 20)
    joint = screen(scores[0], genes, replicates=list(scores[1:]), **how)
    others = (screen(one, genes, **how) for one in (scores.mean(axis=0), scores[0]))
    return (*levels, *map(_share_found, (joint, *others)))


def _share_found(found: Screen) -> float:
    """Of the first 20 genes, the share within a false discovery rate of 0.05."""
    return float(np.mean(found.of_side("low").adjusted_p_values[:20] <= ALPHA))


@calibrated(
    "screen",
    *_levels("screen(guide_weights)"),
    Claim("screen(guide_weights, mixed genes).p_value", "level", ALPHA, (0.0, 0.055), of=OF_GENES),
    Claim("screen(guide_weights).fdr (share of the real ones)", "power", ALPHA),
    Claim("screen(no weights).fdr (share of the real ones)", "power", ALPHA),
    designs=[{"weights": weights} for weights in ("true", "useless")],
    runs=300,
)
def level_of_weights(rng: np.random.Generator, weights: str) -> tuple[float, ...]:
    """1,000 genes of four guides without an effect, half of the guides of weight 3 and half of weight 1:
    share of p-values of at most 0.05 and 0.001, and of at most 0.05 among genes with both weights. Then
    20 genes are depleted by 3 standard deviations if a guide works, with probability 0.9 or 0.2, as the
    weights indicate, or not ("useless"): share found with and without weights."""
    genes = _guides_per_gene(rng, 1000, "4")
    good = rng.random(len(genes)) < 0.5
    works = rng.random(len(genes)) < np.where(good, 0.9, 0.2)
    scores = rng.standard_normal(len(genes))
    told = good if weights == "true" else rng.permutation(good)
    how: dict[str, Any] = {"side": "low", "alpha": 0.25, "null": "uniform"}
    null = screen(scores, genes, guide_weights=1.0 + 2.0 * told, **how)
    number = np.bincount(genes, told)
    mixed = null.of_side("low").p_values[(number > 0) & (number < 4)]
    scores -= 3.0 * (works & (genes < 20))
    weighted = screen(scores, genes, guide_weights=1.0 + 2.0 * told, **how)
    plain = screen(scores, genes, **how)
    return (
        *_reached(null),
        float(np.mean(mixed <= ALPHA)),
        _share_found(weighted),
        _share_found(plain),
    )


@calibrated(
    "screen",
    *_levels("screen(shared_guides='each')"),
    Claim("screen(shared_guides='each').fdr (any gene)", "level", ALPHA, (0.0, 0.065), of=OF_GENES),
    Claim(
        "screen(shared_guides='each', partner is real).p_value",
        "level",
        ALPHA,
        (0.0, 0.055),
        OF_GENES,
        SHARED,
    ),
    designs=[{"shared": shared} for shared in (1, 3)],
    runs=500,
)
def level_of_shared_guides(rng: np.random.Generator, shared: int) -> tuple[float, ...]:
    """500 pairs of genes with four guides, some of them shared, without an effect: share of p-values of at
    most 0.05 and 0.001, and how often any false discovery rate is at most 0.05. Then the first 20 genes
    are depleted by 3 standard deviations: share of p-values of at most 0.05 among their partners, whose
    other guides have no effect."""
    first = np.repeat(np.arange(500), 4)
    second = 500 + first
    names = np.r_[np.arange(2000), 2000 + np.arange(2000)]
    common = np.arange(2000) % 4 < shared
    names[2000:][common] = names[:2000][common]
    null = rng.standard_normal(4000)
    genes, values = np.r_[first, second], null[names]
    how: dict[str, Any] = {"guides": names, "side": "low", "alpha": 0.25, "shared_guides": "each"}
    found = screen(values, genes, **how).of_side("low")
    real = np.isin(names, names[:80])
    with_real = screen(values - 3.0 * real, genes, **how).of_side("low")
    return (
        float(np.mean(found.p_values <= ALPHA)),
        float(np.mean(found.p_values <= TAIL)),
        float((found.adjusted_p_values <= ALPHA).any()),
        float(np.mean(with_real.p_values[500:520] <= ALPHA)),
    )
