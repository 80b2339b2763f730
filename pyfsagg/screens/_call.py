"""The public call: scores of guides and their genes in, genes with exact p-values out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import comb
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.digest import digest
from pyfsagg._base.memory import require_memory
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.remarks import warn
from pyfsagg._base.validation import (
    check_choice,
    check_integer,
    check_list,
    check_real,
    one_nan,
    real_array,
)
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._kernels.order_statistics import MOST_WEIGHTED, log_stuart
from pyfsagg._message import Got, Message, Param, Phrase, Remedy, Use, named
from pyfsagg._table.frames import pandas_series
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.ranks import rank_scores
from pyfsagg.screens._result import Screen, Side, SideName, estimate_alpha, score_side


@dataclass(frozen=True, eq=False)
class Guides:
    """n rows, a guide and a gene each, as they were given; each array is of length n but for `gene_names`."""

    names: NDArray[np.str_]
    # The number of the guide: that of its first row, where it has several genes.
    guide: NDArray[np.int64]
    gene: NDArray[np.int64]  # positions in `gene_names`
    gene_names: NDArray[np.str_]  # in the order of first appearance
    scores: Floats  # their mean, if there are replicates
    replicates: Floats | None  # (n, R)
    weights: Floats | None  # mean 1 in each gene
    log_fold_changes: Floats | None
    p_values: dict[str, Floats]  # by side

    def rows(self, chosen: NDArray[np.bool_]) -> Guides:
        """Some of the rows, and the genes that these have."""
        kept: dict[str, Any] = {
            name: values if values is None else values[chosen]
            for name, values in vars(self).items()
            if name not in ("gene_names", "p_values")
        }
        genes, gene = np.unique(kept["gene"], return_inverse=True)
        guide = np.unique(kept["guide"], return_inverse=True)[1]
        kept |= {"gene": gene.astype(np.int64), "guide": guide.astype(np.int64)}
        p_values = {side: p[chosen] for side, p in self.p_values.items()}
        return Guides(**kept, gene_names=self.gene_names[genes], p_values=p_values)


def read_guides(
    scores: Any,
    genes: Any,
    guides: Any,
    log_fold_changes: Any,
    p_values: Any,
    sides: tuple[str, ...],
    replicates: Any,
    weights: Any,
) -> Guides:
    """The guides of the arguments of :func:`screen`, checked, but for guides that are there twice."""
    values = _numbers("scores", scores)
    n = len(values)
    if n == 0:
        raise DataError("no guide was given; a screen needs the score and the gene of each guide")
    require_memory(420 * n, f"a screen of {n:,} guides", "take fewer guides")
    if guides is None:
        index = getattr(scores, "index", None)
        named = isinstance(scores, pd.Series) and not isinstance(index, pd.RangeIndex)
        guides = index if named else [f"guide{i + 1}" for i in range(n)]
    names = _texts("guides", guides, n)
    labels = _texts("genes", genes, n)
    codes, gene_names = pd.factorize(labels)
    lfc = log_fold_changes
    effects = None if lfc is None else _numbers("log_fold_changes", lfc, n)
    trust = None
    if weights is not None:
        trust = _numbers("guide_weights", weights, n)
        if not (np.isfinite(trust) & (trust > 0.0)).all():
            raise DataError(Param("guide_weights"), " must be finite numbers above 0")
        trust = np.asarray(trust / (np.bincount(codes, trust) / np.bincount(codes))[codes])
    more = [] if replicates is None else check_list("replicates", replicates)
    all_scores = [values, *(_numbers("replicates", each, n) for each in more)]
    matrix = np.column_stack(all_scores)
    known = ~np.isnan(matrix)
    with np.errstate(invalid="ignore"):
        means = np.where(known, matrix, 0.0).sum(axis=1) / known.sum(axis=1)
    library = Guides(
        names=names,
        guide=pd.factorize(names)[0].astype(np.int64),
        gene=codes.astype(np.int64),
        gene_names=np.asarray(gene_names, dtype=np.str_),
        scores=means,
        replicates=matrix if len(all_scores) > 1 else None,
        weights=trust,
        log_fold_changes=effects,
        p_values=_p_values(p_values, n, sides),
    )
    infinite = np.isinf(matrix).any(axis=1)
    if infinite.any():
        raise DataError(
            f"the score of the guide {str(names[infinite][0])!r} is infinite; give a finite number"
        )
    return library


def _numbers(what: str, column: Any, n: int | None = None) -> Floats:
    """One finite, infinite or missing number per guide."""
    column = real_array(what, pandas_series(column))
    try:
        if isinstance(column, pd.Series):
            column = column.to_numpy(dtype=np.float64, na_value=np.nan)
        values = one_nan(np.asarray(column, dtype=np.float64))
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError(named(what), f" must be one number per guide ({error})") from None
    if values.ndim != 1:
        raise DataError(named(what), f" must be one number per guide, got shape {values.shape}")
    if n is not None and len(values) != n:
        raise DataError(named(what), f" has {len(values)} values for {plural(n, 'guide')}")
    return values


def _texts(what: str, names: Any, n: int) -> NDArray[np.str_]:
    """One name per guide."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputTypeError(named(what), " must be one name per guide", Got(names))
    column = pd.Series(list(pandas_series(names)), dtype=object)
    if len(column) != n:
        raise DataError(named(what), f" has {len(column)} names for {plural(n, 'guide')}")
    texts = column.where(column.notna(), "").astype(str).str.strip()
    blank = np.flatnonzero((texts == "").to_numpy())
    if len(blank):
        raise DataError(
            f"{what}: {plural(len(blank), 'guide')} of {n:,} without a name, the first in place "
            f"{blank[0] + 1}; every guide needs a {what[:-1]}, controls too"
        )
    return np.asarray(texts, dtype=np.str_)


def _p_values(p_values: Any, n: int, sides: tuple[str, ...]) -> dict[str, Floats]:
    """p-values of the guides for each side."""
    if p_values is None:
        return {}
    if isinstance(p_values, (tuple, list)) and len(p_values) == 2 and np.ndim(p_values[0]) == 1:
        columns = dict(zip(("low", "high"), p_values, strict=True))
    elif len(sides) == 1:
        columns = {sides[0]: p_values}
    else:
        raise ParameterError(
            Param("p_values"),
            " must be a pair of one-sided p-values, for low and for high guides; with ",
            Use(side="low"),
            " or ",
            Use(side="high"),
            " those of that side alone",
        )
    checked = {side: _numbers(f"p_values ({side})", columns[side], n) for side in sides}
    for p in checked.values():
        outside = (p < 0.0) | (p > 1.0)
        if outside.any():
            raise DataError(f"a p-value of a guide is {p[outside][0]:g}; p-values lie from 0 to 1")
    return checked


def without_twins(library: Guides, shared: str) -> tuple[Guides, int]:
    """The rows to rank, and how many guides are in several genes."""
    counts = np.bincount(library.guide)
    if counts.max() == 1:
        return library, 0
    pairs = np.unique(np.column_stack([library.guide, library.gene]), axis=0, return_counts=True)
    if (pairs[1] > 1).any():
        guide, gene = pairs[0][pairs[1] > 1][0]
        raise DataError(
            f"the guide {str(library.names[library.guide == guide][0])!r} of the gene ",
            f"{str(library.gene_names[gene])!r} is given twice; keep one score per guide",
        )
    several = counts > 1
    first = int(np.flatnonzero(several[library.guide])[0])
    rows = library.guide == library.guide[first]
    name, genes = str(library.names[first]), library.gene_names[library.gene[rows]].tolist()
    if shared == "error":
        raise DataError(
            f"the guide {name!r} is in {len(genes)} genes, {enumerate_names(genes, 3)}",
            Remedy("leave such guides out with ", Use(shared_guides="drop")),
            Remedy("count them for each of their genes with ", Use(shared_guides="each")),
        )
    if shared == "drop":
        kept = ~several[library.guide]
        if not kept.any():
            raise DataError("every guide is in several genes; none is left")
        return library.rows(kept), int(several.sum())
    for values in (library.scores, library.replicates, library.log_fold_changes):
        if values is not None:
            unlike = values != values[np.unique(library.guide, return_index=True)[1]][library.guide]
            unlike &= ~np.isnan(values)
            if unlike.any():
                at = int(np.flatnonzero(unlike if unlike.ndim == 1 else unlike.any(axis=1))[0])
                raise DataError(
                    f"the guide {str(library.names[at])!r} has another score in another gene; a guide "
                    "that is in several genes has one score"
                )
    return library, int(several.sum())


_CONTROLS = re.compile(
    r"(?i)(non|no)[ _-]?target.*|((neg\w*[ _-]?)?(control|ctrl)s?|scrambled?)([ _-]?\d+)?"
    r"|safe[ _-]?harbou?r.*|ntc?([ _-]\d+)?"
)
_BEGINNING = re.compile(r"^(?:\D+(?=\d)|.*[_ .-]|.*)")
"""What numbered names have in common, or those that differ in their last word."""
FEW_CONTROLS = 50
"""Of fewer control guides a user is warned.  Of 20 real genes of four guides, depleted by 3 standard
deviations, .02 are found with 10 control guides, .63 with 20, .93 with 50 and .95 with 100 (calibration,
`few_controls`)."""


def find_controls(
    library: Guides, guides: Iterable[str] | None, genes: Iterable[str] | None
) -> NDArray[np.bool_]:
    """Which guides are controls; genes that seem to be controls, and are tested themselves, are named."""
    is_control = np.zeros(len(library.names), dtype=bool)
    if guides is None and genes is None:
        usual = list(filter(_CONTROLS.fullmatch, library.gene_names.tolist()))
        if usual:
            _advise_controls(usual, library)
        return is_control
    for what, controls, known in (
        ("control_guides", guides, library.names),
        ("control_genes", genes, library.gene_names[library.gene]),
    ):
        if controls is None:
            continue
        controls = [controls] if isinstance(controls, str) else controls
        names = [name for name in (str(control).strip() for control in controls) if name]
        if not names:
            remedy = Remedy("drop it to test against all guides")
            raise DataError(named(what), " names no control", remedy)
        present, absent = _matching(names, known)
        if not present.any():
            raise DataError(
                "no guide of the screen is a control: ",
                named(what),
                f" names {enumerate_names(names, 3)}, but the screen contains ",
                f"{enumerate_names(sorted(set(known.tolist())), 3)}",
                Remedy("give names as they are in the screen, or patterns with *"),
            )
        if absent:
            warn(
                f"{len(absent):,} of {len(set(names)):,} names in ",
                named(what),
                f" are not in the screen: {enumerate_names(absent, 3)}",
                stacklevel=4,
            )
        is_control |= present
    return is_control


def _matching(names: Sequence[str], known: NDArray[np.str_]) -> tuple[NDArray[np.bool_], list[str]]:
    """Which of the known names are meant, and which of `names` mean none.  A name that is known is meant
    itself; another one with ``*``, ``?`` or ``[…]`` is a pattern of the shell, and case counts."""
    there = set(known.tolist())
    meant, absent = there & set(names), []
    for name in sorted(set(names) - there):
        of_pattern = [one for one in there if fnmatchcase(one, name)]
        meant.update(of_pattern)
        absent += [] if of_pattern else [name]
    return np.isin(known, list(meant)), absent


def _advise_controls(usual: list[str], library: Guides) -> None:
    """Say that genes of the usual names of controls are tested, and how to name all of them."""
    patterns = _patterns_of(usual, library.gene_names.tolist())
    many = int(np.isin(library.gene_names[library.gene], usual).sum())
    whose = repr(usual[0]) if len(usual) == 1 else f"{len(usual):,} genes such as {usual[0]!r}"
    as_what = "a gene" if len(usual) == 1 else "genes"
    use: object = Message("name them in a file, one per line, for ", Param("control_genes"))
    if patterns:
        use = Use(control_genes=patterns[0] if len(patterns) == 1 else patterns)
    warn(
        f"the guides of {whose} seem to be controls, and are tested as {as_what}; to test the others "
        f"against {plural(many, 'control guide')}: ",
        use,
        stacklevel=5,
    )


def _check_enough(n_controls: int, sizes: NDArray[np.int64]) -> None:
    """Say that a null of few control guides cannot give small p-values to genes of the usual size."""
    if n_controls >= FEW_CONTROLS:
        return
    n_guides = int(np.bincount(sizes).argmax())
    least = 1.0 / comb(n_controls + n_guides, n_guides)
    warn(
        f"the null distribution rests on {plural(n_controls, 'control guide')}: no gene with "
        f"{plural(n_guides, 'guide')} can have a p-value below {least:.1g}, and real genes are missed; "
        f"name at least {FEW_CONTROLS} control guides, or none to test against all guides",
        stacklevel=3,
    )


def _patterns_of(names: list[str], known: Sequence[str]) -> list[str]:
    """At most five names, or patterns of their beginnings, that mean these of the known names and no
    others; none if there are none."""
    if len(names) <= 3:
        return names
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(_BEGINNING.findall(name)[0], []).append(name)
    patterns = [alike[0] if len(alike) == 1 else f"{start}*" for start, alike in kinds.items()]
    meant = {name for name in known if any(fnmatchcase(name, pattern) for pattern in patterns)}
    return patterns if meant == set(names) and len(patterns) <= 5 else []


SIDES: dict[str, tuple[SideName, ...]] = {
    "both": ("low", "high"),
    "low": ("low",),
    "high": ("high",),
}
SINGLE = "their p-values depend on this guide alone"
LARGE_TIE = 0.01  # chosen: share of all guides in one tie, of which a user is told


@repeatable
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
    control_guides: str | Iterable[str] | None = None,
    control_genes: str | Iterable[str] | None = None,
    ties: Literal["average", "last"] = "average",
    min_guides: int = 1,
    missing: Literal["error", "drop"] = "error",
    replicates: Sequence[Any] | None = None,
    guide_weights: Any = None,
    shared_guides: Literal["error", "drop", "each"] = "error",
) -> Screen:
    """Genes of a CRISPR screen by α-RRA, robust rank aggregation of their guides, with exact p-values.

    Guides are ranked by score, once with the smallest first (side ``"low"``, depleted guides) and
    once with the largest (``"high"``, enriched ones), and a rank becomes the percentile
    u = (rank − 1/2)/n of n guides.  Of the sorted percentiles of a gene, the first and those up to α
    count; ρ is the smallest P(Beta(k, m − k + 1) ≤ u_(k)) over the k that count, where m is
    the number of guides of the gene (Li et al. 2014, the RRA of MAGeCK).  A small ρ means many guides
    near the top.

    Parameters
    ----------
    scores : array-like (n_guides,)
        One score per guide; small = low side, large = high side.  A p-value can serve as a score, for
        one side (``side="low"``).  The index of a Series names the guides.
    genes : array-like (n_guides,)
        The gene of each guide.  Genes may have different numbers of guides.
    guides : array-like (n_guides,), optional
        Names of the guides.
    log_fold_changes : array-like (n_guides,), optional
        Effects of the guides, NaN if unknown; by default the scores.
    p_values : pair of array-like (n_guides,), optional
        One-sided p-values of the guides, (low, high), or of the one `side`, used only to choose α.
    side : {"both", "low", "high"}
    alpha : float or pair of float, optional
        Percentile in (0, 1] up to which guides count; a pair is (low, high).  By default the share of
        guides whose p-value of that side is at most 0.25, and 0.05 if that share is 0.01 or less
        or no p-values are given.
    null : {"guides", "uniform"}
        The null distribution without controls: *guides* are assigned to the genes at random, without
        replacement, or their percentiles are *uniform*.  See Notes.
    control_guides, control_genes : str or iterable of str, optional
        Guides without an effect (all guides of the genes), which are then the null distribution: names, or
        patterns such as ``"NonTargeting*"``, in which ``*`` stands for any text, ``?`` for one character
        and ``[…]`` for one of several; case counts, and a name of the screen means itself.
    ties : {"average", "last"}
        Guides of equal score share the average, or the last, of their ranks.
    min_guides : int
        Genes with fewer guides are not tested; their guides keep their ranks.
    missing : {"error", "drop"}
        Refuse guides without a score, or drop them (the result gives their number).
    replicates : sequence of array-like (n_guides,), optional
        Scores of the guides in further replicates, or further pairs of treatment and control; NaN where
        a guide is missing.  A guide is then ranked by Stuart's Q of its percentiles in all of them.
    guide_weights : array-like (n_guides,), optional
        Prior trust in each guide, above 0, not derived from this screen.  Weights are scaled to mean 1
        within each gene, and the percentile of a guide is divided by its weight; with
        ``null="uniform"`` only, for genes of up to 16 guides.
    shared_guides : {"error", "drop", "each"}
        Refuse guides that are in several genes (one row each), drop them, or count them for each of
        their genes, with one rank among the guides.

    Returns
    -------
    Screen

    Raises
    ------
    DataError
        For a guide twice, or in two genes (``shared_guides="error"``), a guide without a gene, a
        missing (``missing="error"``) or infinite score, arguments of different lengths, no control
        found, or no gene with `min_guides` guides.

    Warns
    -----
    PyfsaggWarning
        If some controls are not in the screen, if there are fewer than 50 control guides, if genes that seem
        to be controls are tested, or if scores look as if they had lost their sign.

    See Also
    --------
    aggregate : Aggregates whole ranked lists, by robust rank aggregation among other methods.

    Notes
    -----
    *Exact p-value.*  P(ρ of a random gene with m guides ≤ ρ) is the chance that for some k at least k
    of m places are up to b_k, where b_1 is the ρ quantile of Beta(1, m) and b_k = min(α, the ρ
    quantile of Beta(k, m − k + 1)).  It is summed over the first such k by a recursion of positive
    terms.  No permutation is drawn, so there is no smallest p-value.

    - ``null="guides"``: the places are m of those of all guides of this screen.  The p-value is that of
      all permutations of the guides together.  Discrete ranks and ties are taken into account, so
      P(p ≤ x) ≤ x for every x if guides are unrelated to genes.
    - ``null="uniform"``: the places are independent uniform numbers, as in the permutations of
      MAGeCK.  The best of n guides then has p = 1/(2n) where chance gives 1/n, which matters in the
      far tail only; ties on the average rank make it too small without bound: if half of the guides share one
      score in front, each has p = 0.25.  Take ``ties="last"`` or ``null="guides"`` then.
    - controls: the places are m of those of the C controls and of the gene's own guides together, so
      P(p ≤ x) ≤ x if the gene is a control in disguise.  No p-value is below
      1/binomial(C + m, m), so few controls resolve small p-values only coarsely.

    - weights: the percentiles are independent and uniform before they are divided by the weights of
      this gene, so P(p ≤ x) ≤ x for each gene with any weights of the others (as for weighted
      p-values, Genovese, Roeder and Wasserman 2006).

    Replicates keep the null ``"guides"`` exact, however much they depend on each other: a guide is dealt to
    genes with all its replicates.

    All assume that the guides of a gene without an effect are independent of each other.
    Guides that share off-targets or a seed sequence are not: p-values are then too small.

    *A better guide never worsens its gene*: neither ρ nor the p-value, if no scores are tied (a guide
    that joins or leaves a tie moves the places of the others).  A p-value against controls may become
    larger when ρ becomes smaller, because the pool holds the guide as well.

    References
    ----------
    Li et al. (2014), Genome Biology 15, 554; Kolde et al. (2012), Bioinformatics 28, 573; Storey,
    Taylor and Siegmund (2004), JRSS B 66, 187; Genovese, Roeder and Wasserman (2006), Biometrika 93, 509.

    Examples
    --------
    >>> scores = [-3.0, -2.5, -2.0, 0.1, 0.2, -0.1, 0.4, 0.3, 1.0]
    >>> found = screen(scores, list("aaabbbccc"), alpha=0.4)
    >>> found.to_frame("low")["low_p_value"].round(4).to_dict()
    {'a': 0.0119, 'b': 0.881, 'c': 1.0}
    """
    call = Call.of(screen, data=("scores", "genes"))
    sides = SIDES[check_choice("side", side, SIDES)]
    check_choice("null", null, ("guides", "uniform"))
    check_choice("ties", ties, ("average", "last"))
    check_choice("missing", missing, ("error", "drop"))
    check_integer("min_guides", min_guides, low=1)
    with_controls = control_guides is not None or control_genes is not None
    if with_controls and null == "uniform":
        raise ParameterError(
            Use(null="uniform"),
            " and controls exclude each other",
            Remedy("leave null out to test against controls"),
        )
    check_choice("shared_guides", shared_guides, ("error", "drop", "each"))
    if guide_weights is not None and (with_controls or null != "uniform"):
        raise ParameterError(
            Param("guide_weights"), " need ", Use(null="uniform"), " and no controls"
        )
    given = (scores, genes, guides, log_fold_changes, p_values, sides, replicates, guide_weights)
    everything, n_shared = without_twins(read_guides(*given), shared_guides)
    library, dropped = _without_missing(everything, missing)
    lfc, unsigned = library.log_fold_changes, bool((library.scores >= 0.0).all())
    strong = unsigned and bool((library.scores > 1.0).any())
    if strong and len(sides) == 2 and lfc is not None and (lfc < 0.0).any():
        warn(
            "no score is below 0 although log fold changes are: small scores are the low side. ",
            "If the scores measure strength without direction, give them the sign of the log ",
            "fold change: ",
            Phrase("sign", "scores * np.sign(log_fold_changes)"),
            stacklevel=2,
        )
    controls = find_controls(library, control_guides, control_genes)
    alphas = _alphas(alpha, sides, library)
    origin = "p-values of the guides" if library.p_values else "the default"
    sizes = np.bincount(library.gene)
    tested = sizes >= min_guides
    if not tested.any():
        raise DataError(
            f"no gene has {plural(min_guides, 'guide')}; the most that a gene has is ",
            f"{sizes.max()}: lower ",
            Param("min_guides"),
        )
    if library.weights is not None and sizes[tested].max() > MOST_WEIGHTED:
        raise DataError(
            f"a gene has {sizes[tested].max()} guides; with ",
            Param("guide_weights"),
            f" a gene may have {MOST_WEIGHTED}",
        )
    if with_controls:
        others = np.setdiff1d(np.flatnonzero(tested), library.gene[controls])
        _check_enough(int(controls.sum()), sizes[others] if len(others) else sizes[tested])
    members = np.flatnonzero(tested[library.gene])
    members = members[np.argsort(library.gene[members], kind="stable")]
    starts = np.r_[0, np.cumsum(sizes[tested])].astype(np.int64)
    rows = (library.guide, starts, members.astype(np.int64))
    how: dict[str, Any] = {"null": null, "controls": controls, "weights": library.weights}
    results: dict[str, Side] = {
        name: score_side(percentiles(library, name, ties), *rows, alpha=alphas[name], **how)
        for name in sides
    }
    averaged = ties == "average" and null == "uniform"
    shared = (n_shared, shared_guides)
    remarks = _remarks(library, tested, results, dropped, shared, averaged)
    return Screen(
        genes=tuple(library.gene_names[tested].tolist()),
        n_guides=sizes[tested],
        sides=results,
        guides=tuple(library.names.tolist()),
        gene_of=np.where(tested, np.cumsum(tested) - 1, -1)[library.gene],
        scores=library.scores,
        log_fold_changes=library.log_fold_changes,
        controls=controls,
        guide_weights=library.weights,
        remarks=tuple(remarks),
        parameters={
            "side": side,
            "alpha": alphas,
            "alpha_from": origin if alpha is None else "given",
            "null": "controls" if with_controls else null,
            "ties": ties,
            "min_guides": min_guides,
            "missing": missing,
            "n_replicates": 1 if library.replicates is None else library.replicates.shape[1],
            "shared_guides": shared_guides,
            "call": call.record(),
        },
        data={
            "n_guides": int(library.guide.max()) + 1,
            "n_genes": len(library.gene_names),
            "n_controls": int(controls.sum()),
            "guides_without_score": dropped,
            "sha256": _hash(library),
        },
    )


def _without_missing(library: Guides, missing: str) -> tuple[Guides, int]:
    """The guides that have a score, and how many have none."""
    absent = np.isnan(library.scores)
    if not absent.any():
        return library, 0
    if missing == "error":
        raise DataError(
            f"{plural(int(absent.sum()), 'guide')} of {len(absent):,} without a score, the ",
            f"first is {str(library.names[absent][0])!r}",
            Remedy("drop them with ", Use(missing="drop")),
        )
    if absent.all():
        raise DataError("no guide has a score")
    return library.rows(~absent), int(absent.sum())


def percentiles(library: Guides, side: SideName, ties: str) -> Floats:
    """The percentile of each row on a side, from the place of its guide (with replicates, by Stuart's Q
    of its percentiles) and its weight."""
    _, first = np.unique(library.guide, return_index=True)
    rule: Literal["average", "max"] = "average" if ties == "average" else "max"
    high, values = side == "high", library.scores[first]
    if library.replicates is not None:
        each = library.replicates[first].T
        ranked = rank_scores(each, rule, higher_is_better=high)
        known = ~np.isnan(ranked)
        shares = np.sort((ranked - 0.5) / known.sum(axis=1, keepdims=True), axis=0).T
        values = log_stuart(np.ascontiguousarray(shares), known.sum(axis=0))
        high = False
    places = (rank_scores(values, rule, higher_is_better=high) - 0.5) / len(first)
    of_rows: Floats = places[library.guide]
    return of_rows if library.weights is None else np.minimum(1.0, of_rows / library.weights)


def _alphas(alpha: Any, sides: tuple[str, ...], library: Guides) -> dict[str, float]:
    """α of each side."""
    if alpha is None:
        return {name: estimate_alpha(library.p_values.get(name)) for name in sides}
    pair = list(alpha) if isinstance(alpha, (tuple, list, np.ndarray)) else [alpha] * len(sides)
    if len(pair) != len(sides):
        needs = f" must be one number or one for each side ({', '.join(sides)})"
        raise ParameterError(Param("alpha"), needs, Got(alpha))
    return {
        name: check_real("alpha", value, low=0.0, high=1.0, low_open=True)
        for name, value in zip(sides, pair, strict=True)
    }


def _remarks(
    library: Guides,
    tested: NDArray[np.bool_],
    sides: Mapping[str, Side],
    dropped: int,
    shared: tuple[int, str],
    averaged: bool,
) -> list[str]:
    """What a reader has to know of replicates, weights, guides in several genes (how many, and what is
    done with them) or omitted, genes with few guides, a large tie, and sides on which no guide counts;
    `averaged` if uniform ranks are the null and ties are averaged."""
    remarks = []
    if library.replicates is not None:
        remarks.append(
            f"Guides are placed by Stuart's Q of their percentiles in {library.replicates.shape[1]} "
            "replicates; scores are means."
        )
    if library.weights is not None:
        remarks.append(
            "Percentiles of guides are divided by their weights, which have mean 1 in each gene."
        )
    if shared[0]:
        done = "omitted" if shared[1] == "drop" else "counted for each, so these genes depend"
        remarks.append(f"In several genes: {plural(shared[0], 'guide')}, {done}.")
    if dropped:
        remarks.append(f"{plural(dropped, 'guide')} without a score omitted.")
    if not tested.all():
        names = library.gene_names[~tested].tolist()
        remarks.append(
            f"{plural(len(names), 'gene')} with too few guides not tested: "
            f"{enumerate_names(names, 5)}."
        )
    single = int((np.bincount(library.gene)[tested] == 1).sum())
    if single:
        remarks.append(f"{plural(single, 'gene')} of {tested.sum():,} with one guide: {SINGLE}.")
    guides = plural(len(library.scores), "guide")
    tie = np.unique(library.scores, return_counts=True)[1].max()
    if tie > max(1.0, LARGE_TIE * len(library.scores)):
        small = ": against uniform ranks, with ties averaged, p-values may be too small for it"
        remarks.append(f"{tie:,} of {guides} share one score{small if averaged else ''}.")
    return remarks + [
        f"No guide counts on the {name} side: α = {side.alpha:g} is before the first of {guides}, "
        "and p-values go by the best guide of a gene alone; raise alpha."
        for name, side in sides.items()
        if side.percentiles.min() > side.alpha * (1.0 + 1e-12)
    ]


def _hash(library: Guides) -> str:
    """SHA-256 of guides, genes, scores, log fold changes and p-values."""
    optional: Mapping[str, Any] = {
        "lfc": library.log_fold_changes,
        **library.p_values,
        "replicates": library.replicates,
        "weights": library.weights,
    }
    parts: list[Any] = [library.names.tolist(), library.gene_names.tolist(), library.gene]
    parts.append(library.scores + 0.0)
    for name, values in optional.items():
        parts += () if values is None else (name, values + 0.0)
    return digest(*parts)
