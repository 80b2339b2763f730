"""The public call: tables of several studies in, what they find together out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal

from pyfsagg._base.arithmetic import ADJUSTMENTS
from pyfsagg._base.registry import Call
from pyfsagg._base.validation import check_choice, check_integer
from pyfsagg.replication._reading import read_evidence
from pyfsagg.replication._result import Studies


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
    adjust: str = "adafilter",
    duplicates: Literal["error", "first"] = "error",
) -> Studies:
    """Items with an effect of the same sign in at least so many studies.

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
        adjusted.  A `statistic` with a sign can stand for both if ``evidence="ranks"``.
    study : str, optional
        Of one long table, the column that names the studies.
    min_studies : int
        r: an item is found if it is non-null, with one sign, in at least so many studies.
    evidence : {"p_values", "ranks"}
        What a study says of an item: its p-value, or its place among all items of the study divided by
        their number, which supposes nothing of the p-values but resolves much less.
    adjust : {"adafilter", "bh", "holm", "bonferroni"}
        Correction across items.  "adafilter" leaves out items of which fewer than r − 1 studies say
        anything, and finds far more at the same false discovery rate where most items are null in all
        studies; for r = 1 it is "bh".
    duplicates : {"error", "first"}
        Refuse an item that a study names twice, or keep its first row.  If the rows are sorted by p-value
        that is the smallest of several, which is too small.

    Returns
    -------
    Studies

    Raises
    ------
    DataError
        For fewer than two studies, no common item, columns that are not found, a p-value outside of 0 to 1.

    Warns
    -----
    PyfsaggWarning
        If a table holds small p-values only.

    See Also
    --------
    aggregate : Ranked lists without signs.
    screen : Guides of a CRISPR screen.

    Notes
    -----
    The p-value of an item is that of "non-null in fewer than r studies": of the one-sided p-values of a
    direction the best r − 1 are left out, and Fisher's method tests the rest.  Whatever these r − 1
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
    call = Call.of(studies, locals(), data=("tables",))
    check_choice("evidence", evidence, ("p_values", "ranks"))
    check_choice("adjust", adjust, ("adafilter", *ADJUSTMENTS))
    check_choice("duplicates", duplicates, ("error", "first"))
    columns = {
        "item": item,
        "effect": effect,
        "p_value": p_value,
        "statistic": statistic,
        "standard_error": standard_error,
    }
    found = read_evidence(tables, columns, study, evidence == "ranks", duplicates)
    check_integer("min_studies", min_studies, low=1, high=len(found.studies))
    digest = hashlib.sha256("\0".join((*found.names, "", *found.studies)).encode())
    digest.update(found.log_p.tobytes())
    return Studies(
        names=found.names,
        studies=found.studies,
        log_p=found.log_p,
        effects=found.effects,
        standard_errors=found.standard_errors,
        min_studies=min_studies,
        adjust=adjust,
        parameters={
            "min_studies": min_studies,
            "evidence": evidence,
            "adjust": adjust,
            "duplicates": duplicates,
            "call": call.record(),
        },
        data={
            "n_studies": len(found.studies),
            "n_items": len(found.names),
            "sha256": digest.hexdigest(),
        },
    )
