"""The guides of a screen as they are given, checked and in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.checks import real_array
from pyfsagg._base.remarks import warn
from pyfsagg._base.types import Floats
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._table.frames import pandas_series
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError

__all__ = ["Guides", "find_controls", "read_guides"]


@dataclass(frozen=True, eq=False)
class Guides:
    """n guides, in the order in which they were given.

    Attributes
    ----------
    names : ndarray of str (n,)
    gene : ndarray of int (n,)
        Position of the gene of each guide in `gene_names`.
    gene_names : ndarray of str
        In the order of first appearance.
    scores : ndarray (n,)
    log_fold_changes : ndarray (n,) or None
    p_values : dict of side to ndarray (n,)
    """

    names: NDArray[np.str_]
    gene: NDArray[np.int64]
    gene_names: NDArray[np.str_]
    scores: Floats
    log_fold_changes: Floats | None
    p_values: dict[str, Floats]

    def keep(self, chosen: NDArray[np.bool_]) -> Guides:
        """Some of the guides, and the genes that they have."""
        old, gene = np.unique(self.gene[chosen], return_inverse=True)
        lfc = self.log_fold_changes
        return replace(
            self,
            names=self.names[chosen],
            gene=gene.astype(np.int64),
            gene_names=self.gene_names[old],
            scores=self.scores[chosen],
            log_fold_changes=None if lfc is None else lfc[chosen],
            p_values={side: p[chosen] for side, p in self.p_values.items()},
        )


def read_guides(
    scores: Any,
    genes: Any,
    guides: Any,
    log_fold_changes: Any,
    p_values: Any,
    sides: tuple[str, ...],
) -> Guides:
    """Check what is given of the guides.

    Raises
    ------
    DataError
        For arguments of different lengths, a guide without a gene, twice, or in two genes, an
        infinite score, or a p-value outside [0, 1].
    """
    values = _numbers("scores", scores)
    n = len(values)
    if n == 0:
        raise DataError("no guide was given; a screen needs the score and the gene of each guide")
    if guides is None:
        index = getattr(scores, "index", None)
        named = isinstance(scores, pd.Series) and not isinstance(index, pd.RangeIndex)
        guides = index if named else [f"guide{i + 1}" for i in range(n)]
    names = _texts("guides", guides, n)
    labels = _texts("genes", genes, n)
    codes, gene_names = pd.factorize(labels)
    found = Guides(
        names,
        codes.astype(np.int64),
        np.asarray(gene_names, dtype=np.str_),
        values,
        None if log_fold_changes is None else _numbers("log_fold_changes", log_fold_changes, n),
        _p_values(p_values, n, sides),
    )
    _check_names(found)
    infinite = np.isinf(values)
    if infinite.any():
        raise DataError(
            f"the score of the guide {str(names[infinite][0])!r} is infinite; give a finite number"
        )
    return found


def _numbers(what: str, given: Any, n: int | None = None) -> Floats:
    """One finite, infinite or missing number per guide."""
    given = real_array(what, pandas_series(given))
    try:
        values = np.asarray(
            given.to_numpy(dtype=np.float64, na_value=np.nan)
            if isinstance(given, pd.Series)
            else given,
            dtype=np.float64,
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError(f"{what} must be one number per guide ({error})") from None
    if values.ndim != 1:
        raise DataError(f"{what} must be one number per guide, got shape {values.shape}")
    if n is not None and len(values) != n:
        raise DataError(f"{what} has {len(values)} values for {plural(n, 'guide')}")
    return values


def _texts(what: str, given: Any, n: int) -> NDArray[np.str_]:
    """One name per guide."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputTypeError(f"{what} must be one name per guide, got {given!r}")
    column = pd.Series(list(pandas_series(given)), dtype=object)
    if len(column) != n:
        raise DataError(f"{what} has {len(column)} names for {plural(n, 'guide')}")
    texts = column.where(column.notna(), "").astype(str).str.strip()
    blank = np.flatnonzero((texts == "").to_numpy())
    if len(blank):
        raise DataError(
            f"{what}: {plural(len(blank), 'guide')} of {n:,} without a name, the first in place "
            f"{blank[0] + 1}; every guide needs a {what[:-1]}, controls too"
        )
    return np.asarray(texts, dtype=np.str_)


def _p_values(given: Any, n: int, sides: tuple[str, ...]) -> dict[str, Floats]:
    """p-values of the guides for each side."""
    if given is None:
        return {}
    if isinstance(given, (tuple, list)) and len(given) == 2 and np.ndim(given[0]) == 1:
        columns = dict(zip(("low", "high"), given, strict=True))
    elif len(sides) == 1:
        columns = {sides[0]: given}
    else:
        raise ParameterError(
            "p_values must be a pair, those that a guide is low and those that it is high "
            "(one-sided each); with side='low' or side='high' those of that side alone"
        )
    found = {side: _numbers(f"p_values ({side})", columns[side], n) for side in sides}
    for p in found.values():
        outside = (p < 0.0) | (p > 1.0)
        if outside.any():
            raise DataError(f"a p-value of a guide is {p[outside][0]:g}; p-values lie from 0 to 1")
    return found


def _check_names(found: Guides) -> None:
    first: dict[str, int] = {}
    for i, name in enumerate(found.names.tolist()):
        j = first.setdefault(name, i)
        if j == i:
            continue
        genes = [str(found.gene_names[found.gene[at]]) for at in (j, i)]
        if genes[0] != genes[1]:
            raise DataError(
                f"the guide {name!r} is in two genes, {genes[0]!r} and {genes[1]!r}; its score "
                "would count twice: give it to one of them, or leave it out"
            )
        raise DataError(
            f"the guide {name!r} of the gene {genes[0]!r} is given twice; keep one score per guide"
        )


def find_controls(
    found: Guides, guides: Iterable[str] | None, genes: Iterable[str] | None
) -> NDArray[np.bool_]:
    """Which guides are controls.

    Raises
    ------
    DataError
        If controls are named and the screen holds none of them.
    """
    is_control = np.zeros(len(found.names), dtype=bool)
    for what, named, known in (
        ("control_guides", guides, found.names),
        ("control_genes", genes, found.gene_names[found.gene]),
    ):
        if named is None:
            continue
        given = [named] if isinstance(named, str) else named
        wanted = [name for name in (str(each).strip() for each in given) if name]
        if not wanted:
            raise DataError(f"{what} names no control; leave it out to test against all guides")
        here = np.isin(known, wanted)
        absent = sorted(set(wanted) - set(known[here].tolist()))
        if not here.any():
            raise DataError(
                f"no guide of the screen is a control: {what} names {enumerate_names(wanted, 3)}, "
                f"and the screen holds {enumerate_names(sorted(set(known.tolist())), 3)}; give "
                f"names as they are in the screen"
            )
        if absent:
            warn(
                f"{len(absent):,} of {len(set(wanted)):,} names in {what} are not in the screen: "
                f"{enumerate_names(absent, 3)}",
                stacklevel=4,
            )
        is_control |= here
    return is_control
