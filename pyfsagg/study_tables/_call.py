"""From tables of differential expression, one per study, to what the studies find together."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy

from pyfsagg._base.arithmetic import ADJUSTMENTS, Floats
from pyfsagg._base.digest import digest
from pyfsagg._base.identifiers import about_spellings, without_version
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.remarks import warn
from pyfsagg._base.validation import check_choice, check_integer, one_nan
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._message import Message, Param, Phrase, Remedy, Use
from pyfsagg._table.frames import pandas_frame
from pyfsagg.datasets import read_table
from pyfsagg.exceptions import DataError, InputTypeError, UnknownNameError
from pyfsagg.ranks import rank_scores
from pyfsagg.study_tables._result import ADAPTIVE, Studies

KNOWN = {
    "item": (
        *("gene", "symbol", "genesymbol", "genename", "name", "names", "geneid", "ensembl"),
        *("targetid", "id", "item", "probe", "probeid", "row"),
    ),
    "effect": (
        *("log2foldchange", "logfc", "log2fc", "avglog2fc", "logfoldchanges", "lfc", "effect"),
        "beta",
    ),
    "p_value": ("pvalue", "pval", "pvals", "p"),
    "statistic": ("stat", "t", "z", "wald", "zscore", "statistic"),
    "standard_error": ("lfcse", "se", "seb", "stderr", "standarderror"),
}
"""Columns without case and signs, of DESeq2, edgeR, limma, sleuth, Seurat and scanpy, the likeliest first."""
LARGEST_Z = 37.0  # beyond, a p-value is 0
CUT = 0.5  # chosen: a table without p-values above this is no whole table
OPPOSED = 0.05
"""Chosen: share of statistics without the sign of their effect, above which they are of other tests."""

UNDIRECTED = (
    "The p-values of a likelihood-ratio or F test of several coefficients have no direction: give the "
    "tests of one contrast, or combine the items, ranked by p-value, with ",
    Phrase("aggregate", "pyfsagg.aggregate"),
)


def _one_by_one(tables: Any, study: str | None) -> dict[str, pd.DataFrame]:
    """One table for each study, by its name."""
    paths = isinstance(tables, (list, tuple))
    if paths and all(isinstance(one, (str, os.PathLike)) for one in tables):
        stems = [Path(path).name.partition(".")[0] for path in tables]
        names = stems if len(set(stems)) == len(stems) else list(map(str, tables))
        tables = dict(zip(names, tables, strict=True))
    one = not isinstance(tables, Mapping)
    given = {str(name): _frame(table) for name, table in ({"": tables} if one else tables).items()}
    if one != (study is not None):
        raise DataError(
            "one long table needs ",
            Param("study"),
            ", the column of its studies, and several tables have none",
        )
    if study is None:
        return given
    if study not in given[""]:
        raise UnknownNameError("study column", study, map(str, given[""].columns))
    return {str(name): part for name, part in given[""].groupby(study, sort=False)}


def _frame(table: Any) -> pd.DataFrame:
    frame = read_table(str(table)) if isinstance(table, (str, os.PathLike)) else pandas_frame(table)
    if isinstance(frame, pd.DataFrame):
        return frame
    raise InputTypeError(
        Param("tables"), f" must be data frames or files, got {type(frame).__name__}"
    )


def _evidence_of(
    frame: pd.DataFrame,
    label: str,
    given: Mapping[str, str | None],
    by_rank: bool,
    duplicates: str,
    strip_version: bool,
) -> pd.DataFrame:
    """Log p-values up and down, effect and standard error of one study, by item."""
    found = {role: _find(frame, role, name, label) for role, name in given.items()}
    item = found.pop("item")
    if item is None and isinstance(frame.index, pd.RangeIndex):
        raise _not_found("item", "names of items", label, frame)
    value = {role: _numbers(frame[name], label) if name else None for role, name in found.items()}
    effect, p, statistic = value["effect"], value["p_value"], value["statistic"]
    if effect is not None and statistic is not None:
        _check_signs(effect, statistic, p, found, label)
    sign = statistic if effect is None else effect
    if sign is None:
        raise _not_found("effect", "effects with signs, such as log fold changes", label, frame)
    if p is None and (statistic is None or not by_rank):
        raise _not_found("p_value", "p-values that are not adjusted", label, frame)
    rows = pd.DataFrame({"sign": sign, "p": np.nan if p is None else p})
    rows["size"] = np.abs(sign if statistic is None else statistic)
    rows["effect"] = np.nan if effect is None else effect
    rows["standard_error"] = _standard_errors(rows, value["standard_error"])
    names = map(_text, (frame.index if item is None else frame[item]).tolist())
    rows.index = pd.Index(map(without_version, names) if strip_version else names)
    known = rows["sign"].notna() & rows["size" if p is None else "p"].notna()
    rows = rows[known & (rows.index != "")]
    twice = rows.index.duplicated()
    if twice.any() and duplicates == "error":
        many, first = plural(int(twice.sum()), "row"), rows.index[twice][0]
        remedy = Remedy("keep one row for each, or the first one with ", Use(duplicates="first"))
        raise DataError(f"{many} of {label!r} repeat a name, the first {first!r}", remedy)
    rows = rows[~twice]
    return rows.assign(**_log_p(rows, p is not None, by_rank, label))


def _log_p(rows: pd.DataFrame, known: bool, by_rank: bool, label: str) -> dict[str, Floats]:
    """One-sided p-values of both directions: those of the study, or places among its items."""
    p, sign = rows["p"].to_numpy(), rows["sign"].to_numpy()
    if known:
        if not len(p) or p.min() < 0.0 or p.max() > 1.0:
            raise DataError(f"p-values of {label!r} must be known and between 0 and 1")
        if p.max() < CUT:
            warn(
                f"no p-value of {label!r} is above {p.max():.3g}: its table seems to contain only "
                "significant items, which would count too much; give the whole table",
                stacklevel=4,
            )
    if by_rank:
        with np.errstate(divide="ignore"):
            size = np.where(p > 0.0, -np.log(p), 750.0 * known + rows["size"])
        signed = np.sign(sign) * size
        return {
            way: np.log(rank_scores(signed, "max", higher_is_better=way == "up") / len(p))
            for way in ("up", "down")
        }
    half = np.where(sign == 0.0, 0.5, np.maximum(0.5 * p, 1e-308))
    with_sign, other = np.log(half), np.log1p(-half)
    up = sign > 0.0
    return {"up": np.where(up, with_sign, other), "down": np.where(up, other, with_sign)}


def _standard_errors(rows: pd.DataFrame, given: Floats | None) -> Any:
    """Standard errors of the effects: those given, or those that belong to the p-values; NaN if unknown."""
    if given is not None:
        return given
    z = np.minimum(-scipy.special.ndtri(0.5 * rows["p"].clip(0.0, 1.0)), LARGEST_Z)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.abs(rows["effect"]) / z


def _find(frame: pd.DataFrame, role: str, name: str | None, label: str) -> str | None:
    """The column of a role: the one given, or the one of a known name."""
    if name is None:
        plain = {
            re.sub("[^a-z0-9]", "", str(column).lower()): column for column in frame.columns[::-1]
        }
        return next((plain[known] for known in KNOWN[role] if known in plain), None)
    if name in frame:
        return name
    raise UnknownNameError(f"{role} column (of {label!r})", name, map(str, frame.columns))


def _check_signs(
    effect: Floats, statistic: Floats, p: Floats | None, names: Mapping[str, Any], label: str
) -> None:
    """Refuse effects whose sign is not that of the test: those of one contrast of several, beside a
    likelihood ratio or F. A χ² of one degree of freedom is the square of a deviate, and has the sign."""
    with np.errstate(invalid="ignore"):
        known = (effect != 0.0) & (statistic != 0.0) & ~np.isnan(effect + statistic)
        unlike = (np.sign(effect) != np.sign(statistic)) & known
    if unlike.sum() <= OPPOSED * known.sum():
        return
    unsigned = bool((statistic[known] > 0.0).all())
    if unsigned and p is not None and _of_one_deviate(statistic[known], p[known]):
        return
    what = f"has the other one in {unlike.sum():,} of {known.sum():,} rows"
    raise DataError(
        f"the sign of {names['effect']!r} in {label!r} is not that of its test: the statistic "
        f"{names['statistic']!r} {'is never negative' if unsigned else what}. ",
        *UNDIRECTED,
        ". If it tests one coefficient, leave its column out",
    )


def _of_one_deviate(statistic: Floats, p: Floats) -> bool:
    """Whether p-values are those of |z|, or of z² (χ² with one degree of freedom)."""
    told = p > 0.0
    z = statistic[told]
    deviates = (2.0 * scipy.special.ndtr(-z), scipy.special.chdtrc(1.0, z))
    with np.errstate(divide="ignore"):
        return any(np.allclose(np.log(one), np.log(p[told]), rtol=0.01) for one in deviates)


def _not_found(role: str, what: str, label: str, frame: pd.DataFrame) -> DataError:
    known = enumerate_names(list(map(str, frame.columns)))
    remedy = Remedy("name the column with ", Param(role))
    parts = [f"{label!r} has no column that is known to contain {what}; it has {known}", remedy]
    if role == "effect" and {"F", "LR"} & set(frame.columns):
        parts += [". ", *UNDIRECTED]
    return DataError(*parts)


def _numbers(column: pd.Series[Any], label: str) -> Floats:
    values = pd.to_numeric(column, errors="coerce")
    if (wrong := values.isna() & column.notna()).any():
        raise DataError(
            f"the column {column.name!r} of {label!r} contains {column[wrong].iloc[0]!r}, not a number"
        )
    return one_nan(values.to_numpy(dtype=np.float64, na_value=np.nan))


def _text(item: Any) -> str:
    if item is None or item is pd.NA or item != item:
        return ""
    return str(int(item) if isinstance(item, float) and item.is_integer() else item).strip()


@repeatable
def studies(
    tables: Mapping[str, Any] | Sequence[str | PathLike[str]] | Any,
    *,
    item: str | None = None,
    effect: str | None = None,
    p_value: str | None = None,
    statistic: str | None = None,
    standard_error: str | None = None,
    study: str | None = None,
    min_studies: int = 2,
    evidence: Literal["p_values", "ranks"] = "p_values",
    p_adjust: str = "adafilter",
    duplicates: Literal["error", "first"] = "error",
    strip_version: bool = False,
) -> Studies:
    """Items with an effect of the same sign in at least `min_studies` studies.

    Each study is a table with a row per item, such as the differential expression of all genes.  Up and
    down are tested together.  For each item: in how many studies at least the effect is there, which
    studies carry it or speak against it, and what remains without each of them.

    Parameters
    ----------
    tables : dict of study to data frame or file, sequence of files, or one long table
        Whole tables, not only what is significant in them.  Files are named after themselves.
    item, effect, p_value, statistic, standard_error : str, optional
        Columns; those of DESeq2, edgeR, limma, sleuth, Seurat and scanpy are known, and the index of a
        frame names its items.  `effect` (log fold change) gives the sign, `p_value` is two-sided and not
        adjusted.  A `statistic` with a sign can stand for both if ``evidence="ranks"``.  Likelihood-ratio
        and F tests of several coefficients have no sign, and are refused.
    study : str, optional
        Of one long table, the column that names the studies.
    min_studies : int
        r: an item is found if it is non-null, with one sign, in at least `min_studies` studies.
    evidence : {"p_values", "ranks"}
        What a study says of an item: its p-value, or its place among all items of the study divided by
        their number, which supposes nothing of the p-values but resolves much less.
    p_adjust : {"adafilter", "adafilter_bounded", "bh", "holm", "bonferroni"}
        Correction across items.  "adafilter" omits items of which fewer than r − 1 studies say
        anything, and finds far more at the same false discovery rate where most items are null in all
        studies; for r = 1 it is "bh".  It has a statistic of its own, so its adjusted p-value can be below
        the p-value; "adafilter_bounded" is the larger of the two.
    duplicates : {"error", "first"}
        Refuse an item that a study names twice, or keep its first row with a known value.  If the rows are
        sorted by p-value that is the smallest of several, which is too small.
    strip_version : bool
        Cut the versions of identifiers of Ensembl and RefSeq (``ENSG00000141510.18``), so that tables of
        different releases match.

    Returns
    -------
    Studies

    Raises
    ------
    DataError
        For fewer than two studies, no common item, columns that are not found, a p-value outside of 0 to
        1, effects that do not have the sign of their statistic.

    Warns
    -----
    PyfsaggWarning
        If a table holds small p-values only, if names differ in version, case or blanks only, or if studies
        seem to share samples (:meth:`Studies.pairs`).

    See Also
    --------
    aggregate : Ranked lists without signs.
    screen : Guides of a CRISPR screen.

    Notes
    -----
    The p-value of an item is that of "non-null in fewer than r studies": of the one-sided p-values of a
    direction the best r − 1 are omitted, and Fisher's method tests the rest.  Whatever these r − 1
    studies say, an artefact included, they alone make no item.  It is doubled for the two directions.
    With independent studies and valid p-values it is valid, and exact if r − 1 studies have an
    overwhelming effect and the others none.

    References
    ----------
    Benjamini and Heller (2008), Biometrics 64, 1215; Wang, Gui, Su, Sabatti and Owen (2022), Annals of
    Statistics 50, 1890 (adaFilter).

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=(3, 200))
    >>> z[:2, 0] += 6.0  # the first gene is up in two studies of three
    >>> tables = {
    ...     name: pd.DataFrame({"gene": np.arange(200), "stat": row, "pvalue": np.exp(-(row**2) / 2)})
    ...     for name, row in zip("abc", z)
    ... }
    >>> found = studies(tables)
    >>> found.select(), found.to_frame()["carried_by"].iloc[0]
    (['0'], 'a, b')
    """
    call = Call.of(studies, data=("tables",))
    check_choice("evidence", evidence, ("p_values", "ranks"))
    check_choice("p_adjust", p_adjust, (*ADAPTIVE, *ADJUSTMENTS))
    check_choice("duplicates", duplicates, ("error", "first"))
    columns = {"item": item, "effect": effect, "p_value": p_value, "statistic": statistic}
    columns["standard_error"] = standard_error
    frames = {
        name: _evidence_of(frame, name, columns, evidence == "ranks", duplicates, strip_version)
        for name, frame in _one_by_one(tables, study).items()
    }
    if len(frames) < 2:
        raise DataError("at least two studies are needed, got one")
    items = [frame.index.tolist() for frame in frames.values()]
    names = list(dict.fromkeys(chain.from_iterable(items)))
    alike = Message("name the items alike in all tables")
    versions = Message("cut the versions with ", Use(strip_version=True))
    spelled = about_spellings(items, versions, alike)
    if len(names) == sum(map(len, frames.values())):
        first = [f"{frame.index[0]!r} in {name!r}" for name, frame in frames.items()]
        raise DataError(
            f"no item is in two studies; the first names are {enumerate_names(first, 3)}",
            Remedy(spelled[0] if spelled else alike),
        )
    for said in spelled:
        warn(said, stacklevel=2)
    up, down, effects, errors = (
        np.stack([frame[what].reindex(names).to_numpy() for frame in frames.values()])
        for what in ("up", "down", "effect", "standard_error")
    )
    check_integer("min_studies", min_studies, low=1, high=len(frames))
    log_p = np.stack([up, down])
    settings = {"min_studies": min_studies, "evidence": evidence, "p_adjust": p_adjust}
    settings |= {"duplicates": duplicates, "strip_version": strip_version}
    sizes = {"n_studies": len(frames), "n_items": len(names)}
    found = Studies(
        names=tuple(names),
        studies=tuple(frames),
        log_p=log_p,
        effects=effects,
        standard_errors=errors,
        min_studies=min_studies,
        p_adjust=p_adjust,
        parameters={**settings, "call": call.record()},
        data={**sizes, "sha256": digest([*names, "", *frames], log_p)},
    )
    if shared := found._warning():
        warn(*shared, stacklevel=2)
    return found
