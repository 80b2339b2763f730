"""An unsupervised ranking as one page: what was found, the consensus, the spectrum, the classes."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from pyfsagg._base.words import count, enumerate_names, plural
from pyfsagg._page.closing import closing, settings_groups, software
from pyfsagg._page.page import (
    Block,
    Column,
    Page,
    Section,
    Table,
    Text,
)
from pyfsagg._run.picture import picture
from pyfsagg.unsupervised._plot import (
    plot_borda_curve,
    plot_clustering_curve,
    plot_consensus,
    plot_spectrum,
)
from pyfsagg.unsupervised.result import ConsensusRanking

__all__ = ["unsupervised_page"]

FIRST = 10  # features that the summary names
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
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
) -> Page:
    """Put the page together.

    Parameters
    ----------
    result : ConsensusRanking
    rule : "mean_plus_sd", int or float
        The selection.
    command, data_name, reading
        As in :data:`pyfsagg._run.result.ORIGIN`.

    Returns
    -------
    Page
    """
    selected = result.selected(rule)
    samples = result.data["n_samples"]
    sections = [
        Section("summary", "Summary", [Text(_summary(result, rule, selected))]),
        Section("ranking", "Ranking", [_ranking(result, rule, len(selected))]),
        Section("spectrum", "Spectrum of the scores", [_spectrum(result, rule)]),
    ]
    if result.consensus is not None:
        sections.append(Section("consensus", "Consensus of the clusterings", [_consensus(result)]))
    if result.curves:
        sections.append(Section("classes", "Against the classes", _against_classes(result)))
    view = result.full_view({"rule": rule, "reading": reading})
    sections += closing(
        settings_groups(result, first=[("Method", result.method)], last=[("Selection", str(rule))]),
        [software(result.versions["pyfsagg"]), (result.method, REFERENCES[result.method])],
        command=command,
        code=result.code(view),
    )
    return Page(
        f"Feature ranking without labels{': ' + data_name if data_name else ''}",
        f"{result.method}: {len(selected)} of {result.n_features} features selected; {samples} "
        "samples",
        sections,
    )


def _summary(result: ConsensusRanking, rule: str | float | int, selected: Sequence[str]) -> Markup:
    """What is selected, by what, and how far that can be trusted."""
    names = enumerate_names(list(selected), most=FIRST) if selected else "none"
    return Markup("<b>{} of {} selected:</b> {}. {}").format(
        count(len(selected)),
        plural(result.n_features, "feature"),
        names,
        f"The features of {plural(result.data['n_samples'], 'sample')} were ranked by {result.method}, "
        f"without labels; they are selected by the rule {rule}. Such a ranking shows which features follow "
        "the structure of the data, not which separate classes; it has no interval, because there were no "
        "resamples.",
    )


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
    caption = (
        "Scores of all features from the best to the worst. The dashed line is the mean plus one "
        "standard deviation."
    )
    about = {"label": "Sorted scores", "caption": caption}
    return picture("Spectrum of the scores", "spectrum", plot_spectrum, result, rule=rule, **about)


def _consensus(result: ConsensusRanking) -> Block:
    caption = (
        "Share of the clusterings that put two samples into one cluster, from white (never) to "
        "dark (always); samples in the order of average linkage."
    )
    about = {"label": "Consensus matrix in cluster order", "caption": caption}
    return picture("Consensus matrix", "consensus", plot_consensus, result, **about)


def _against_classes(result: ConsensusRanking) -> list[Block]:
    blocks: list[Block] = [Text("The classes were used here only, not for the ranking.")]
    curve, borda = result.curves.get("clustering_curve"), result.curves.get("borda_curve")
    if curve is not None:
        for measure, name in (
            ("nmi", "Normalised mutual information"),
            ("ari", "Adjusted Rand index"),
        ):
            about = {
                "label": f"{name} by number of features",
                "caption": "k-means on the best features; mean and standard deviation over trials.",
            }
            draw = plot_clustering_curve
            blocks.append(picture(name, measure, draw, curve, measure=measure, **about))
    if borda is not None:
        label = "Mean Borda value of the best"
        caption = (
            "Mean Borda value of the best features in a ranking by correlation ratio with the "
            "classes; dashed: a random ranking."
        )
        about = {"label": label, "caption": caption}
        blocks.append(picture("Mean Borda value", "borda", plot_borda_curve, borda, **about))
    return blocks
