"""The public call: the scores of guides and their genes in, genes with exact p-values out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.calls import Call
from pyfsagg._base.checks import check_choice, check_integer, check_real
from pyfsagg._base.remarks import warn
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.screens._input import Guides, find_controls, read_guides
from pyfsagg.screens._result import Screen
from pyfsagg.screens.scoring import Side, SideName, estimate_alpha, score_side

__all__ = ["screen"]

SIDES: dict[str, tuple[SideName, ...]] = {
    "both": ("low", "high"),
    "low": ("low",),
    "high": ("high",),
}
SINGLE = "their p-values say where that guide stands, and no other guide confirms it"
LARGE_TIE = 0.01


def screen(
    scores: Any,
    genes: Any,
    *,
    guides: Any = None,
    log_fold_changes: Any = None,
    p_values: Any = None,
    side: Literal["both", "low", "high"] = "both",
    alpha: float | tuple[float, float] | None = None,
    null: Literal["guides", "uniform"] = "guides",
    control_guides: Iterable[str] | None = None,
    control_genes: Iterable[str] | None = None,
    ties: Literal["average", "last"] = "average",
    min_guides: int = 1,
    missing: Literal["error", "drop"] = "error",
) -> Screen:
    """Genes of a CRISPR screen by α-RRA, robust rank aggregation of their guides, with exact p-values.

    Guides are ranked by score, once with the smallest in front (side ``"low"``, depleted guides) and
    once with the largest (``"high"``, enriched ones), and a rank becomes the percentile
    u = (rank − 1/2)/n of n guides.  Of the sorted percentiles of a gene those up to α count, and the
    first one always does; ρ is the smallest P(Beta(k, m − k + 1) ≤ u_(k)) over the k that count, m
    the number of guides of the gene (Li et al. 2014, the RRA of MAGeCK).  Small ρ = many guides in
    front.

    Parameters
    ----------
    scores : array-like (n_guides,)
        One score per guide; small = low side, large = high side.  A p-value can serve as a score, for
        one side (``side="low"``: small in front).  The index of a Series names the guides.
    genes : array-like (n_guides,)
        The gene of each guide.  Genes may have different numbers of guides.
    guides : array-like (n_guides,), optional
        Names of the guides.
    log_fold_changes : array-like (n_guides,), optional
        Effects of the guides, NaN where unknown; the scores are used if there are none.
    p_values : pair of array-like (n_guides,), optional
        One-sided p-values of the guides, (low, high), which are used only to choose α; of one side if
        `side` names one.
    side : {"both", "low", "high"}
    alpha : float or pair of float, optional
        Percentile in (0, 1] up to which guides count; a pair is (low, high).  By default the share of
        guides whose p-value of that side is at most 0.25, and 0.05 if that share is 0.01 or less
        or no p-values are given.
    null : {"guides", "uniform"}
        The null distribution without controls: *guides* are assigned to the genes at random, without
        replacement, or their percentiles are *uniform*.  See Notes.
    control_guides, control_genes : iterable of str, optional
        Guides without an effect (all guides of the genes), which are then the null distribution.
    ties : {"average", "last"}
        Guides of equal score share the average, or the last, of their places.
    min_guides : int
        Genes with fewer guides are not tested; their guides keep their places.
    missing : {"error", "drop"}
        Refuse guides without a score, or leave them out (the result gives their number).

    Returns
    -------
    Screen

    Raises
    ------
    DataError
        For a guide twice or in two genes, a guide without a gene, a missing (``missing="error"``) or
        infinite score, arguments of different lengths, no control found, or no gene with
        `min_guides` guides.
    ParameterError
        For `alpha` outside (0, 1], controls with ``null="uniform"``, or an unknown choice.

    Warns
    -----
    PyfsaggWarning
        If some controls are not in the screen, or scores look as if they had lost their sign.

    Notes
    -----
    *Exact p-value.*  P(ρ of a random gene with m guides ≤ ρ) is the chance that for some k at least k
    of m places are up to b_k, where b_1 is the ρ quantile of Beta(1, m) and b_k = min(α, the ρ
    quantile of Beta(k, m − k + 1)).  It is summed over the first such k by a recursion of positive
    terms.  No permutation is drawn, so that there is no smallest p-value.

    - ``null="guides"``: the places are m of those of all guides of this screen.  The p-value is that of
      all permutations of the guides together.  Discrete ranks and ties are taken into account, so
      that P(p ≤ x) ≤ x for every x if guides are unrelated to genes.
    - ``null="uniform"``: the places are independent uniform numbers, as in the permutations of
      MAGeCK.  The best of n guides then has p = 1/(2n) where chance gives 1/n, which matters in the
      far tail only; ties on the average rank make it too small without bound: if half of the guides share one
      score in front, each has p = 0.25.  Take ``ties="last"`` or ``null="guides"`` then.
    - controls: the places are m of those of the C controls and of the gene's own guides together, so
      that P(p ≤ x) ≤ x if the gene is a control in disguise.  No p-value is below
      1/binomial(C + m, m), so that few controls resolve small p-values only coarsely.

    All assume that the guides of a gene without an effect are independent of each other.
    Guides that share off-targets or a seed sequence are not: p-values are then too small.

    *A better guide never worsens its gene*: neither ρ nor the p-value, if no scores are tied (a guide
    that joins or leaves a tie moves the places of the others).  A p-value against controls may become
    larger when ρ becomes smaller, because the pool holds the guide as well.

    References
    ----------
    Li et al. (2014), Genome Biology 15, 554; Kolde et al. (2012), Bioinformatics 28, 573; Storey,
    Taylor and Siegmund (2004), JRSS B 66, 187.

    Examples
    --------
    >>> scores = [-3.0, -2.5, -2.0, 0.1, 0.2, -0.1, 0.4, 0.3, 1.0]
    >>> found = screen(scores, list("aaabbbccc"), alpha=0.4)
    >>> found.to_frame("low")["low_p_value"].round(4).to_dict()
    {'a': 0.0119, 'b': 0.881, 'c': 1.0}
    """
    call = Call.of(screen, locals(), data=("scores", "genes"))
    sides = SIDES[check_choice("side", side, SIDES)]
    check_choice("null", null, ("guides", "uniform"))
    check_choice("ties", ties, ("average", "last"))
    check_choice("missing", missing, ("error", "drop"))
    check_integer("min_guides", min_guides, low=1)
    with_controls = control_guides is not None or control_genes is not None
    if with_controls and null == "uniform":
        raise ParameterError(
            "null='uniform' and controls exclude each other; leave null out to test against controls"
        )
    given = read_guides(scores, genes, guides, log_fold_changes, p_values, sides)
    found, dropped = _without_missing(given, missing)
    _warn_of_lost_signs(found, sides)
    controls = np.zeros(len(found.names), dtype=bool)
    if with_controls:
        controls = find_controls(found, control_guides, control_genes)
    alphas = _alphas(alpha, sides, found)
    sizes = np.bincount(found.gene)
    tested = sizes >= min_guides
    if not tested.any():
        raise DataError(
            f"no gene has {plural(min_guides, 'guide')}; the most that a gene has is {sizes.max()}: "
            "lower min_guides"
        )
    members = np.flatnonzero(tested[found.gene])
    members = members[np.argsort(found.gene[members], kind="stable")]
    starts = np.r_[0, np.cumsum(sizes[tested])].astype(np.int64)
    results: dict[str, Side] = {
        name: score_side(
            found.scores,
            starts,
            members.astype(np.int64),
            side=name,
            alpha=alphas[name],
            ties=ties,
            null=null,
            controls=controls,
        )
        for name in sides
    }
    return Screen(
        genes=tuple(found.gene_names[tested].tolist()),
        n_guides=sizes[tested],
        sides=results,
        guides=tuple(found.names.tolist()),
        gene_of=np.where(tested, np.cumsum(tested) - 1, -1)[found.gene],
        scores=found.scores,
        log_fold_changes=found.log_fold_changes,
        controls=controls,
        remarks=(
            *_remarks(found, tested, sizes, dropped, null, ties, with_controls),
            *_none_counts(results, len(found.names)),
        ),
        parameters={
            "side": side,
            "alpha": alphas,
            "alpha_from": _source(alpha, found),
            "null": "controls" if with_controls else null,
            "ties": ties,
            "min_guides": min_guides,
            "missing": missing,
            "call": call.record(),
        },
        data={
            "n_guides": len(found.names),
            "n_genes": len(found.gene_names),
            "n_controls": int(controls.sum()),
            "guides_without_score": dropped,
            "sha256": _hash(found),
        },
    )


def _without_missing(given: Guides, missing: str) -> tuple[Guides, int]:
    """The guides that have a score, and how many have none."""
    absent = np.isnan(given.scores)
    if not absent.any():
        return given, 0
    if missing == "error":
        raise DataError(
            f"{plural(int(absent.sum()), 'guide')} of {len(absent):,} without a score, the first "
            f"is {str(given.names[absent][0])!r}; leave them out with missing='drop'"
        )
    if absent.all():
        raise DataError("no guide has a score")
    return given.keep(~absent), int(absent.sum())


def _warn_of_lost_signs(found: Guides, sides: tuple[str, ...]) -> None:
    """Both sides are wanted, log fold changes have both signs, and scores have one."""
    lfc = found.log_fold_changes
    if lfc is None or len(sides) < 2:
        return
    if (found.scores >= 0.0).all() and (found.scores > 1.0).any() and (lfc < 0.0).any():
        warn(
            "no score is below 0 although log fold changes are: small scores are the low side. If "
            "the scores measure strength without direction, give them the sign of the log fold change: "
            "scores * np.sign(log_fold_changes)",
            stacklevel=3,
        )


def _alphas(alpha: Any, sides: tuple[str, ...], found: Guides) -> dict[str, float]:
    """α of each side."""
    if alpha is None:
        return {name: estimate_alpha(found.p_values.get(name)) for name in sides}
    pair = list(alpha) if isinstance(alpha, (tuple, list, np.ndarray)) else [alpha] * len(sides)
    if len(pair) != len(sides):
        raise ParameterError(
            f"alpha must be one number or one for each side ({', '.join(sides)}), got {alpha!r}"
        )
    return {
        name: check_real("alpha", value, low=0.0, high=1.0, low_open=True)
        for name, value in zip(sides, pair, strict=True)
    }


def _source(alpha: Any, found: Guides) -> str:
    if alpha is not None:
        return "given"
    return "p-values of the guides" if found.p_values else "the default"


def _remarks(
    found: Guides,
    tested: NDArray[np.bool_],
    sizes: NDArray[np.int64],
    dropped: int,
    null: str,
    ties: str,
    with_controls: bool,
) -> tuple[str, ...]:
    """What a reader has to know of the guides, and of ties."""
    remarks = []
    if dropped:
        remarks.append(f"{plural(dropped, 'guide')} without a score left out.")
    if not tested.all():
        names = found.gene_names[~tested].tolist()
        remarks.append(
            f"{plural(len(names), 'gene')} with too few guides not tested: "
            f"{enumerate_names(names, 5)}."
        )
    single = int((sizes[tested] == 1).sum())
    if single:
        remarks.append(f"{plural(single, 'gene')} of {tested.sum():,} with one guide: {SINGLE}.")
    _, counts = np.unique(found.scores, return_counts=True)
    if counts.max() > max(1.0, LARGE_TIE * len(found.scores)):
        remark = f"{counts.max():,} of {plural(len(found.scores), 'guide')} share one score"
        if null == "uniform" and ties == "average" and not with_controls:
            remark += ": with null='uniform' and average ranks p-values may be too small for it"
        remarks.append(remark + ".")
    return tuple(remarks)


def _none_counts(sides: Mapping[str, Side], n: int) -> list[str]:
    """Sides on which α lets no guide count, as in screens of few guides."""
    return [
        f"No guide counts on the {name} side: α = {side.alpha:g} is before the first of "
        f"{plural(n, 'guide')}, and p-values go by the best guide of a gene alone; raise alpha."
        for name, side in sides.items()
        if side.percentiles.min() > side.alpha * (1.0 + 1e-12)
    ]


def _hash(found: Guides) -> str:
    """SHA-256 of guides, genes, scores, log fold changes and p-values."""
    digest = hashlib.sha256("\0".join(found.names.tolist()).encode())
    digest.update("\0".join(found.gene_names.tolist()).encode())
    digest.update(found.gene.tobytes())
    digest.update((found.scores + 0.0).tobytes())
    parts: Mapping[str, Any] = {"lfc": found.log_fold_changes, **found.p_values}
    for name, values in parts.items():
        if values is not None:
            digest.update(name.encode() + (values + 0.0).tobytes())
    return digest.hexdigest()
