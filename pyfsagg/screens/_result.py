"""What a screen leaves behind."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.checks import check_choice, check_real
from pyfsagg._base.types import Floats
from pyfsagg._base.words import number, plural, ranks
from pyfsagg._run.result import Arrays, Result, Saved, records
from pyfsagg._table.identity import versions
from pyfsagg.screens.effects import alpha_mean, median, second_best
from pyfsagg.screens.scoring import Side

__all__ = ["WAYS", "Screen"]

WAYS = {"low": "depleted", "high": "enriched"}
"""Names of the sides: low scores are those of depleted guides."""

OF_SIDE = tuple(each.name for each in fields(Side) if each.name not in ("alpha", "null_share"))
INDEPENDENT = (
    "The p-values assume that the guides of a gene are independent of one another if the gene does "
    "nothing; with common off-targets they are too small."
)


@dataclass(frozen=True, eq=False, repr=False)
class Screen(Result):
    """Genes of a screen, G of them tested, out of n guides.

    Attributes
    ----------
    genes : tuple of str
        The tested genes, in the order of the screen.
    n_guides : ndarray of int (G,)
    sides : dict of str to Side
        ``"low"`` (depleted) and ``"high"`` (enriched), those that were tested.
    guides : tuple of str
        The n guides that have a score.
    gene_of : ndarray of int (n,)
        Position in `genes` of the gene of each guide; −1 if it was not tested.
    scores : ndarray (n,)
    log_fold_changes : ndarray (n,) or None
    controls : ndarray of bool (n,)
    remarks : tuple of str
    parameters, data, versions : dict
        Settings (with the α of each side), data and software versions.

    Notes
    -----
    Shown with `top`, how many of the best genes of a side (10 by default), and `fdr`, the limit of
    the false discovery rate (0.05).  Pictures: ``"volcano"``, ``"ranks"``, ``"guides"``,
    ``"p_values"``.
    """

    kind: ClassVar[str] = "screen"
    noun: ClassVar[str] = "screen"
    options: ClassVar[Mapping[str, Any]] = MappingProxyType({"top": 10, "fdr": 0.05})

    genes: tuple[str, ...]
    n_guides: NDArray[np.int64]
    sides: Mapping[str, Side]
    guides: tuple[str, ...]
    gene_of: NDArray[np.int64]
    scores: Floats
    log_fold_changes: Floats | None
    controls: NDArray[np.bool_]
    remarks: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)

    @property
    def effect_name(self) -> str:
        """What the effects of guides are: log fold changes, or scores where there are none."""
        return "score" if self.log_fold_changes is None else "log fold change"

    @property
    def effects(self) -> Floats:
        """The effect of each guide (n,)."""
        return self.scores if self.log_fold_changes is None else self.log_fold_changes

    def of_side(self, side: str) -> Side:
        """One side.

        Raises
        ------
        ParameterError
            If that side was not tested.
        """
        check_choice("side", side, self.sides)
        return self.sides[side]

    def order(self, side: str | None = None) -> NDArray[np.intp]:
        """Positions of the genes, best first on a side, or on their better one; ties by ρ."""
        found = list(self.sides.values()) if side is None else [self.of_side(side)]
        log_p = np.min([each.log_p_values for each in found], axis=0)
        log_rho = np.min([each.log_rho for each in found], axis=0)
        return np.lexsort((log_rho, log_p))

    def select(self, side: str, fdr: float = 0.05) -> list[str]:
        """Genes whose Benjamini–Hochberg adjusted p-value of a side is at most `fdr`, best first.

        Parameters
        ----------
        side : {"low", "high"}
        fdr : float
            In (0, 1].
        """
        limit = check_real("fdr", fdr, low=0.0, high=1.0, low_open=True)
        adjusted = self.of_side(side).adjusted_p_values
        return [self.genes[g] for g in self.order(side) if adjusted[g] <= limit]

    @cached_property
    def _columns(self) -> dict[str, Any]:
        """The columns of :meth:`to_frame`, in the order of the screen."""
        tested = self.gene_of >= 0
        gene, values, G = self.gene_of[tested], self.effects[tested], len(self.genes)
        word = "score" if self.log_fold_changes is None else "lfc"
        columns: dict[str, Any] = {
            "guides": self.n_guides,
            f"median_{word}": median(values, gene, G),
        }
        for name, side in self.sides.items():
            counted = side.percentiles[tested] <= side.alpha * (1.0 + 1e-12)
            columns |= {
                f"{name}_rank": side.ranking,
                f"{name}_rho": side.rho,
                f"{name}_counted": side.counted,
                f"{name}_p_value": side.p_values,
                f"{name}_log10_p_value": side.log_p_values / np.log(10.0),
                f"{name}_fdr": side.adjusted_p_values,
                f"{name}_q_value": side.q_values,
                f"{name}_second_best_{word}": second_best(values, gene, G, low=name == "low"),
                f"{name}_alpha_mean_{word}": alpha_mean(values, gene, G, counted),
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
        return frame.iloc[self.order(side)]

    def guide_frame(self) -> pd.DataFrame:
        """One row per guide, in the order of the screen.

        Columns: ``gene`` (empty if it was not tested), ``score``, ``log_fold_change``, ``control`` and
        the ``percentile`` of each side, after its name.
        """
        names = np.array([*self.genes, ""])
        columns: dict[str, Any] = {"gene": names[self.gene_of], "score": self.scores}
        if self.log_fold_changes is not None:
            columns["log_fold_change"] = self.log_fold_changes
        columns["control"] = self.controls
        for name, side in self.sides.items():
            columns[f"{name}_percentile"] = side.percentiles
        return pd.DataFrame(columns, index=pd.Index(self.guides, name="guide"))

    # -----------------------------------------------------------------------------------------
    # how it is kept and shown
    # -----------------------------------------------------------------------------------------
    def own_record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "sides": {
                name: {
                    "alpha": side.alpha,
                    "null_share": side.null_share,
                    "genes_within_fdr": len(self.select(name, view["fdr"])),
                }
                for name, side in self.sides.items()
            },
            "remarks": [*self.remarks, INDEPENDENT],
            "best": {
                name: records(self.to_frame(name).head(view["top"]).reset_index())
                for name in self.sides
            },
            "tables": {"genes.csv": "every gene", "guides.csv": "every guide"},
        }

    def arrays(self) -> Arrays:
        arrays: dict[str, NDArray[Any]] = {
            "genes": np.asarray(self.genes),
            "n_guides": self.n_guides,
            "guides": np.asarray(self.guides),
            "gene_of": self.gene_of,
            "scores": self.scores,
            "controls": self.controls,
        }
        if self.log_fold_changes is not None:
            arrays["log_fold_changes"] = self.log_fold_changes
        for name, side in self.sides.items():
            arrays |= {f"{name}_{part}": getattr(side, part) for part in OF_SIDE}
        return arrays

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"genes.csv": self.to_frame(), "guides.csv": self.guide_frame()}

    @classmethod
    def made_of(cls, saved: Saved) -> Self:
        document, arrays = saved.document, saved.arrays
        sides = {
            name: Side(
                alpha=each["alpha"],
                null_share=each["null_share"],
                **{part: arrays[f"{name}_{part}"] for part in OF_SIDE},
            )
            for name, each in document["sides"].items()
        }
        return cls(
            genes=tuple(arrays["genes"].tolist()),
            n_guides=arrays["n_guides"],
            sides=sides,
            guides=tuple(arrays["guides"].tolist()),
            gene_of=arrays["gene_of"],
            scores=arrays["scores"],
            log_fold_changes=arrays.get("log_fold_changes"),
            controls=arrays["controls"],
            remarks=tuple(text for text in document["remarks"] if text != INDEPENDENT),
            parameters=document["parameters"],
            data=document["data"],
            versions=document["versions"],
        )

    def lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return [f'result.to_frame("{side}").head({view["top"]})' for side in self.sides]

    def sentences(self, fdr: float) -> list[str]:
        """The results in sentences."""
        said = []
        for name, side in self.sides.items():
            found = self.select(name, fdr)
            said.append(
                f"{WAYS[name].capitalize()} ({name} scores, α = {side.alpha:.4g}): "
                f"{plural(len(found), 'gene')} with a false discovery rate of at most {fdr:g}."
            )
        return said

    def paragraphs(self, view: Mapping[str, Any]) -> list[str]:
        parts = [
            f"{plural(len(self.genes), 'gene')} tested, {plural(len(self.guides), 'guide')}; "
            f"null: {self.parameters.get('null', 'guides')}"
        ]
        for name, said in zip(self.sides, self.sentences(view["fdr"]), strict=True):
            best = self.to_frame(name).head(view["top"])
            columns = {
                "rank": ranks(best[f"{name}_rank"]),
                "guides": [
                    f"{counted} of {n}"
                    for counted, n in zip(best[f"{name}_counted"], best["guides"], strict=True)
                ],
                "rho": [f"{value:.3g}" for value in best[f"{name}_rho"]],
                "p-value": [f"{value:.3g}" for value in best[f"{name}_p_value"]],
                "FDR": [f"{value:.2g}" for value in best[f"{name}_fdr"]],
                f"median {self.effect_name}": [number(value) for value in best.iloc[:, 1]],
            }
            parts.append(f"{said}\n{pd.DataFrame(columns, index=best.index).to_string()}")
        remarks = (*self.remarks, INDEPENDENT)
        return [*parts, *(textwrap.fill(text, 88) for text in remarks)]

    def __repr__(self) -> str:
        best = "; ".join(
            f"{name}: {', '.join(self.genes[g] for g in self.order(name)[:3])}"
            for name in self.sides
        )
        return (
            f"Screen({plural(len(self.genes), 'gene')}, {plural(len(self.guides), 'guide')}; "
            f"best {best})"
        )
