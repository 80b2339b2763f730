"""An unsupervised ranking as one page: what was found, the consensus, the spectrum, the classes."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from pyfsagg._draw.svg import inline_svg
from pyfsagg._page.page import (
    Block,
    Code,
    Column,
    Enumeration,
    Page,
    Picture,
    Records,
    Section,
    Table,
    Text,
    write_page,
)
from pyfsagg.unsupervised import ConsensusRanking
from pyfsagg.unsupervised._plot import (
    plot_borda_curve,
    plot_clustering_curve,
    plot_consensus,
    plot_spectrum,
)
from pyfsagg.unsupervised.registry import UNSUPERVISED_METHODS

__all__ = ["unsupervised_page", "write_unsupervised_report"]

REFERENCES = {
    "frcm": "Zhang, Wong, Shen and Xie (2012), feature ranking by consensus affinity, IEEE/ACM TCBB.",
    "frmv": "Hong, Kwong, Chang and Ren (2008), feature ranking from multiple views, Pattern "
    "Recognition Letters.",
    "laplacian_score": "He, Cai and Niyogi (2005), Laplacian score for feature selection, NIPS.",
    "svd_entropy": "Varshavsky, Gottlieb, Linial and Horn (2006), unsupervised feature filtering, "
    "Bioinformatics.",
}


def unsupervised_page(
    result: ConsensusRanking,
    *,
    rule: str | float | int = "mean_plus_sd",
    curve: pd.DataFrame | None = None,
    borda: pd.DataFrame | None = None,
    command: str = "",
    data_name: str = "",
) -> Page:
    """Put the page together.

    Parameters
    ----------
    result : ConsensusRanking
    rule : "mean_plus_sd", int or float
        The selection.
    curve, borda : DataFrame, optional
        Results of ``clustering_curve`` and ``borda_curve``, if classes are known.
    command : str
        The command that made the result.
    data_name : str
        What the data are called.

    Returns
    -------
    Page
    """
    selected = result.selected(rule)
    samples = result.data["n_samples"]
    sections = [
        Section("ranking", "Ranking", [_ranking(result, rule, len(selected))]),
        Section("spectrum", "Spectrum of the scores", [_spectrum(result, rule)]),
    ]
    if result.consensus is not None:
        sections.append(Section("consensus", "Consensus of the clusterings", [_consensus(result)]))
    if curve is not None or borda is not None:
        sections.append(Section("classes", "Against the classes", _against_classes(curve, borda)))
    sections.append(Section("settings", "How it was made", _settings(result, rule, command)))
    return Page(
        f"Feature ranking without labels{': ' + data_name if data_name else ''}",
        f"{result.method}: {len(selected)} of {result.n_features} features selected; {samples} "
        "samples",
        sections,
    )


def write_unsupervised_report(
    result: ConsensusRanking,
    path: str | os.PathLike[str],
    *,
    rule: str | float | int = "mean_plus_sd",
    curve: pd.DataFrame | None = None,
    borda: pd.DataFrame | None = None,
    command: str = "",
    data_name: str = "",
) -> Path:
    """Write the page of :func:`unsupervised_page` to a file.

    Parameters
    ----------
    result, rule, curve, borda, command, data_name
        As in :func:`unsupervised_page`.
    path : path
        The HTML file; an existing one is replaced.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    page = unsupervised_page(
        result, rule=rule, curve=curve, borda=borda, command=command, data_name=data_name
    )
    return write_page(page, path)


def _ranking(result: ConsensusRanking, rule: str | float | int, n_selected: int) -> Block:
    frame = result.to_frame(rule)
    rows = [
        (str(name), f"{row.rank:g}", f"{row.score:.5g}", "yes" if row.selected else "no")
        for name, row in zip(frame.index, frame.itertuples(), strict=True)
    ]
    return Table(
        "All features, best first",
        [Column("Feature", False), Column("Rank"), Column("Score"), Column("Selected", False)],
        rows,
        note="Larger scores are more important; equal scores share their mean rank.",
        tinted=n_selected,
        find="feature",
    )


def _spectrum(result: ConsensusRanking, rule: str | float | int) -> Block:
    svg = inline_svg(
        lambda: plot_spectrum(result, rule=rule), prefix="spectrum", label="Sorted scores"
    )
    caption = (
        "Scores of all features from the best to the worst. The dashed line is the mean plus one "
        "standard deviation."
    )
    return Picture("Spectrum of the scores", svg, caption)


def _consensus(result: ConsensusRanking) -> Block:
    svg = inline_svg(
        lambda: plot_consensus(result),
        prefix="consensus",
        label="Consensus matrix in cluster order",
    )
    caption = (
        "Share of the clusterings that put two samples into one cluster, from white (never) to "
        "dark (always); samples in the order of average linkage."
    )
    return Picture("Consensus matrix", svg, caption)


def _against_classes(curve: pd.DataFrame | None, borda: pd.DataFrame | None) -> list[Block]:
    blocks: list[Block] = [Text("The classes were used here only, not for the ranking.")]
    if curve is not None:
        known = curve
        for measure, name in (("nmi", "Normalised mutual information"), ("ari", "Rand index")):
            svg = inline_svg(
                lambda measure=measure: plot_clustering_curve(known, measure=measure),  # type: ignore[misc]
                prefix=measure,
                label=f"{name} by number of features",
            )
            caption = "k-means on the best features; mean and standard deviation over trials."
            blocks.append(Picture(name, svg, caption))
    if borda is not None:
        points = borda
        svg = inline_svg(
            lambda: plot_borda_curve(points), prefix="borda", label="Mean Borda value of the best"
        )
        caption = (
            "Mean Borda value of the best features in a ranking by correlation ratio with the "
            "classes; dashed: a random ranking."
        )
        blocks.append(Picture("Mean Borda value", svg, caption))
    return blocks


def _settings(result: ConsensusRanking, rule: str | float | int, command: str) -> list[Block]:
    parameters = [(name, str(value)) for name, value in result.parameters.items() if name != "call"]
    data = [(name, str(value)) for name, value in result.data.items()]
    groups = [("Method", [("method", result.method), ("rule", str(rule))])]
    groups += [("Parameters", parameters), ("Data", data)]
    blocks: list[Block] = [Records("Settings of this run", groups)]
    if command:
        blocks.append(Code(f"pyfsagg {command}"))
    if result.method in UNSUPERVISED_METHODS:  # its package may be absent where a result is loaded
        source = REFERENCES.get(result.method, UNSUPERVISED_METHODS.get(result.method).source)
        blocks.append(Enumeration([(result.method, source)]))
    return blocks
