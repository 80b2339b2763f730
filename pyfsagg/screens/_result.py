"""What a screen leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Booleans, Floats, adjust_p_values
from pyfsagg._base.fields import Part, stored
from pyfsagg._base.validation import check_choice, check_real
from pyfsagg._base.words import count, numbers, plural, probabilities, ranks
from pyfsagg._kernels.order_statistics import log_group_p, log_group_rho, log_weighted_p
from pyfsagg._report.page import Block, PageColumn, PageTable, Text
from pyfsagg._run.result import Recorded, Selecting, records
from pyfsagg.ranks import rank_scores

SideName = Literal["low", "high"]
DEFAULT_ALPHA = 0.05
GUIDE_P = 0.25  # as MAGeCK's gene-test-fdr-threshold, by which it chooses alpha from the p-values of guides
LEAST_SHARE = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class Side(Part):
    """Results of a screen for one side, for G genes and n guides."""

    alpha: float  # guides up to this percentile count
    percentiles: Floats  # (n,) of the guides, in (0, 1); the best has the smallest
    counted: NDArray[np.int64]  # (G,) how many guides of a gene count
    # (G,) Natural logarithms, which do not underflow.
    log_rho: Floats
    log_p_values: Floats
    adjusted_p_values: Floats  # (G,) Benjamini–Hochberg over the genes of this side
    q_values: Floats  # (G,) the same times `null_share`
    null_share: float  # Storey's estimate of the share of genes without an effect, in (0, 1]

    @property
    def rho(self) -> Floats:
        """ρ (G,): smaller = better; 0 below 1e-308."""
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(self.log_rho))

    @property
    def p_values(self) -> Floats:
        """p-values (G,); 0 below 1e-308."""
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(self.log_p_values))

    @property
    def ranking(self) -> Floats:
        """Ranks of the genes by p-value (G,), 1 = best; equal ones share the average."""
        return rank_scores(-self.log_p_values)


def score_side(
    percentiles: Floats,
    guide: NDArray[np.int64],
    starts: NDArray[np.int64],
    members: NDArray[np.int64],
    *,
    alpha: float,
    null: str,
    controls: Booleans,
    weights: Floats | None,
) -> Side:
    """One side of a screen, from the percentile, the guide and the weight of each row."""
    sizes = np.diff(starts)
    gene = np.repeat(np.arange(len(sizes)), sizes)
    tested = percentiles[members]
    log_rho, counted = log_group_rho(tested[np.lexsort((tested, gene))], starts, alpha)
    if weights is not None:
        log_p = log_weighted_p(log_rho, starts, weights[members], alpha)
    else:  # against a pool and the guides of the gene that are not in it, or uniform numbers without one
        pool = controls if controls.any() else np.full(len(guide), null == "guides")
        first = np.unique(guide, return_index=True)[1]  # a guide in several genes is one ball
        balls = np.sort(percentiles[first][pool[first]])
        order = np.lexsort((log_rho, sizes))  # equal ones side by side
        outside = ~pool[members] & pool.any()
        place = np.repeat(np.argsort(order), sizes)[outside]
        own = tested[outside][np.argsort(place, kind="stable")]
        ends = np.searchsorted(np.sort(place), np.arange(len(sizes) + 1)).astype(np.int64)
        log_p = np.empty_like(log_rho)
        log_p[order] = log_group_p(log_rho[order], sizes[order], alpha, balls, own, ends)
    with np.errstate(under="ignore"):
        p = np.exp(log_p)
    adjusted = adjust_p_values(p, "bh")
    share = storey(p)
    return Side(alpha, percentiles, counted, log_rho, log_p, adjusted, share * adjusted, share)


def storey(p_values: Floats) -> float:
    """Storey's estimate of the share of true hypotheses, (1 + #{p > 1/2}) / (G/2), at most 1; the 1
    keeps the false discovery rate with few genes (Storey, Taylor and Siegmund 2004)."""
    return min(1.0, (1.0 + float((p_values > 0.5).sum())) / (0.5 * len(p_values)))


def estimate_alpha(p_values: Floats | None) -> float:
    """α out of the p-values of guides: the share of at most 0.25; 0.05 if that is 0.01 or less."""
    if p_values is None:
        return DEFAULT_ALPHA
    known = p_values[~np.isnan(p_values)]
    share = float((known <= GUIDE_P).mean()) if len(known) else 0.0
    return share if share > LEAST_SHARE else DEFAULT_ALPHA


WAYS = {"low": "depleted", "high": "enriched"}
"""Names of the sides: low scores are those of depleted guides."""

INDEPENDENT = (
    "The p-values assume independent guides of a gene without an effect; with common off-targets they "
    "are too small."
)


@dataclass(frozen=True, eq=False, repr=False)
class Screen(Selecting, Recorded):
    """Genes of a screen, G of them tested, out of n guides.

    Attributes
    ----------
    genes : tuple of str
        The tested genes, in the order of the screen.
    n_guides : ndarray of int (G,)
    sides : dict of str to Side
        ``"low"`` (depleted) and ``"high"`` (enriched), those that were tested.
    guides : tuple of str
        The n guides that have a score; one in several genes is there for each.
    gene_of : ndarray of int (n,)
        Position in `genes` of the gene of each guide; −1 if it was not tested.
    scores : ndarray (n,)
        The mean of the replicates, if there are any.
    log_fold_changes : ndarray (n,) or None
    controls : ndarray of bool (n,)
    guide_weights : ndarray (n,) or None
        Mean 1 in each gene.
    remarks : tuple of str
    parameters, data, versions : dict
        Settings (with the α of each side), data and software versions.

    See Also
    --------
    screen : Makes one.

    Notes
    -----
    Shown with `top`, how many of the best genes of a side (10 by default), `fdr`, the limit of the
    false discovery rate (0.05), and `genes`, whose guides the page shows among all guides.  Pictures:
    ``"volcano"``, ``"ranks"``, ``"guides"``, ``"genes"`` (the guides of named genes among all guides),
    ``"p_values"``.
    """

    _kind: ClassVar[str] = "screen"
    _noun: ClassVar[str] = "screen"
    _selectable: ClassVar[str] = "genes"
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({"top": 10, "fdr": 0.05, "genes": ()})

    genes: tuple[str, ...] = field(metadata=stored(array=True))
    n_guides: NDArray[np.int64]
    sides: Mapping[str, Side] = field(metadata=stored(names="{part}_{}"))
    guides: tuple[str, ...] = field(metadata=stored(array=True))
    gene_of: NDArray[np.int64]
    scores: Floats
    log_fold_changes: Floats | None
    controls: Booleans
    guide_weights: Floats | None = None
    remarks: tuple[str, ...] = field(
        default=(),
        metadata=stored(
            write=lambda remarks: [*remarks, INDEPENDENT],
            read=lambda remarks: tuple(text for text in remarks if text != INDEPENDENT),
        ),
    )

    @property
    def _effect_name(self) -> str:
        """What the effects of guides are: log fold changes, or scores where there are none."""
        return "score" if self.log_fold_changes is None else "log fold change"

    @property
    def _effects(self) -> Floats:
        """The effect of each guide (n,)."""
        return self.scores if self.log_fold_changes is None else self.log_fold_changes

    def of_side(self, side: str) -> Side:
        """One side."""
        check_choice("side", side, self.sides)
        return self.sides[side]

    def _order(self, side: str | None = None) -> NDArray[np.intp]:
        """Positions of the genes, best first on a side, or on their better one; ties by ρ."""
        sides = list(self.sides.values()) if side is None else [self.of_side(side)]
        log_p = np.min([one.log_p_values for one in sides], axis=0)
        return np.lexsort((np.min([one.log_rho for one in sides], axis=0), log_p))

    def select(self, side: str, fdr: float = 0.05) -> list[str]:
        """Genes whose Benjamini–Hochberg adjusted p-value of a side is at most `fdr`, best first.

        `side` is ``"low"`` or ``"high"``, and `fdr` in (0, 1].
        """
        limit = check_real("fdr", fdr, low=0.0, high=1.0, low_open=True)
        adjusted = self.of_side(side).adjusted_p_values
        return [self.genes[g] for g in self._order(side) if adjusted[g] <= limit]

    @cached_property
    def _columns(self) -> dict[str, Any]:
        """The columns of :meth:`to_frame`, in the order of the screen."""
        known = (self.gene_of >= 0) & ~np.isnan(self._effects)
        gene, values, G = self.gene_of[known], self._effects[known], len(self.genes)
        word = "score" if self.log_fold_changes is None else "lfc"
        n = np.bincount(gene, minlength=G)
        starts, in_order = np.cumsum(n) - n, values[np.lexsort((values, gene))]

        def at(place: NDArray[np.int64], least: int) -> Floats:
            """The effect at a place of each gene, from 0; NaN where fewer than `least` are known."""
            out = np.full(G, np.nan)
            out[n >= least] = in_order[(starts + place)[n >= least]]
            return out

        median = (at((n - 1) // 2, 1) + at(n // 2, 1)) / 2.0
        columns: dict[str, Any] = {"guides": self.n_guides, f"median_{word}": median}
        for name, side in self.sides.items():
            counts = side.percentiles[known] <= side.alpha * (1.0 + 1e-12)
            size = np.bincount(gene[counts], minlength=G)
            total = np.bincount(gene[counts], weights=values[counts], minlength=G)
            columns |= {
                f"{name}_rank": side.ranking,
                f"{name}_rho": side.rho,
                f"{name}_counted": side.counted,
                f"{name}_p_value": side.p_values,
                f"{name}_log10_p_value": side.log_p_values / np.log(10.0),
                f"{name}_fdr": side.adjusted_p_values,
                f"{name}_q_value": side.q_values,
                f"{name}_second_best_{word}": at(np.ones_like(n) if name == "low" else n - 2, 2),
                f"{name}_alpha_mean_{word}": np.where(
                    size > 0, total / np.maximum(size, 1), np.nan
                ),
            }
        return columns

    def to_frame(self, side: str | None = None) -> pd.DataFrame:
        """One row per gene, best first on `side`, or on the better side of each gene.

        Columns: ``guides`` (how many), ``median_lfc`` (``median_score`` without log fold changes) and
        for each side, after its name: ``rank``, ``rho``, ``counted`` (guides up to α), ``p_value``
        with ``log10_p_value``, which does not underflow, ``fdr`` (Benjamini–Hochberg), ``q_value``
        (Storey), ``second_best_lfc`` (of the guides in the direction of the side; NaN with one guide)
        and ``alpha_mean_lfc`` (of those that count; NaN if none does).
        """
        frame = pd.DataFrame(self._columns, index=pd.Index(self.genes, name="gene"))
        return frame.iloc[self._order(side)]

    def guide_frame(self) -> pd.DataFrame:
        """One row per guide, in the order of the screen.

        Columns: ``gene`` (empty if it was not tested), ``score``, ``log_fold_change``, ``control``,
        ``weight`` if there are weights, and the ``percentile`` of each side, after its name, divided by
        the weight.
        """
        names = np.array([*self.genes, ""])
        columns: dict[str, Any] = {"gene": names[self.gene_of], "score": self.scores}
        if self.log_fold_changes is not None:
            columns["log_fold_change"] = self.log_fold_changes
        columns["control"] = self.controls
        if self.guide_weights is not None:
            columns["weight"] = self.guide_weights
        for name, side in self.sides.items():
            columns[f"{name}_percentile"] = side.percentiles
        return pd.DataFrame(columns, index=pd.Index(self.guides, name="guide"))

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        record = super()._record(view)
        for name, side in record["sides"].items():
            side["genes_within_fdr"] = len(self.select(name, view["fdr"]))
        best = {name: self.to_frame(name).head(view["top"]).reset_index() for name in self.sides}
        return {
            **record,
            "best": {name: records(frame) for name, frame in best.items()},
            "tables": {"genes.csv": "every gene", "guides.csv": "every guide"},
        }

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"genes.csv": self.to_frame(), "guides.csv": self.guide_frame()}

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return [f'result.to_frame("{side}").head({view["top"]})' for side in self.sides]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        few, many = int(self.n_guides.min()), int(self.n_guides.max())
        span = f"{count(few)} to {count(many)}" if few < many else count(few)
        facts: list[Block] = []
        for name, side in self.sides.items():
            text = Markup(
                "<b>{}</b> ({} scores, α = {:.4g}): {} with a false discovery rate of at most {:g}."
            )
            selected = plural(len(self.select(name, view["fdr"])), "gene")
            best = self.to_frame(name).head(view["top"])
            columns = [
                (PageColumn("Gene", numeric=False), [str(gene) for gene in best.index]),
                (PageColumn("Rank"), ranks(best[f"{name}_rank"])),
                (PageColumn("Guides"), counted_of(best, name)),
                (PageColumn("ρ"), probabilities(best[f"{name}_rho"])),
                (PageColumn("P-value"), probabilities(best[f"{name}_p_value"])),
                (PageColumn("FDR"), probabilities(best[f"{name}_fdr"])),
                (PageColumn(f"Median {self._effect_name}"), numbers(best.iloc[:, 1])),
            ]
            caption = f"The best {plural(len(best), f'{WAYS[name]} gene')}."
            facts += [
                Text(text.format(WAYS[name].capitalize(), name, side.alpha, selected, view["fdr"])),
                PageTable.of_columns(caption, columns),
            ]
        return [
            *facts,
            Text(
                f"{plural(len(set(self.guides)), 'guide')} were ranked by score, and "
                f"{plural(len(self.genes), 'gene')} of {span} guides tested by α-RRA (null: "
                f"{self.parameters.get('null', 'guides')}): whether more guides of a gene are at the top "
                "than expected by chance."
            ),
            *(Text(remark, quiet=True) for remark in (*self.remarks, INDEPENDENT)),
        ]

    def __repr__(self) -> str:
        best = "; ".join(
            f"{name}: {', '.join(self.genes[g] for g in self._order(name)[:3])}"
            for name in self.sides
        )
        return (
            f"Screen({plural(len(self.genes), 'gene')}, {plural(len(self.guides), 'guide')}; "
            f"best {best})"
        )


def counted_of(genes: pd.DataFrame, side: str) -> list[str]:
    """How many of the guides of each gene count on a side, in words."""
    return [f"{c} of {n}" for c, n in zip(genes[f"{side}_counted"], genes["guides"], strict=True)]
