"""The report of a screen: what was found on each side, by which guides, and how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from pyfsagg._base.checks import check_integer, check_real
from pyfsagg._base.words import (
    count,
    enumerate_names,
    number,
    numbers,
    plural,
    probabilities,
    ranks,
)
from pyfsagg._page.closing import closing, settings_groups, software
from pyfsagg._page.page import Block, Column, Page, Section, Table, Text
from pyfsagg._run.picture import picture
from pyfsagg._version import __version__
from pyfsagg.screens._plot import (
    plot_gene_ranks,
    plot_guides,
    plot_p_value_quantiles,
    plot_volcano,
)
from pyfsagg.screens._result import INDEPENDENT, WAYS, Screen

__all__ = ["screen_page"]

MOST_ROWS = 500
MOST_DRAWN = 15
NULLS = {
    "guides": "Each p-value is the exact chance that a gene with as many guides gets so small a ρ if "
    "the guides of this screen are dealt to genes at random: what all permutations together would "
    "give, ties included.",
    "uniform": "Each p-value is the exact chance of so small a ρ for a gene with as many guides whose "
    "percentiles are independent uniform numbers.",
    "controls": "Each p-value is the exact chance of so small a ρ if the guides of the gene are drawn "
    "from the pool of the controls and its own guides.",
}
ORIGINS = {
    "p-values of the guides": "was taken from the p-values of the guides",
    "the default": "is the default",
}
REFERENCES = [
    (
        "Method",
        "Li et al. (2014). MAGeCK enables robust identification of essential genes from genome-scale "
        "CRISPR/Cas9 knockout screens. Genome Biology 15, 554",
    ),
    ("q-values", "Storey, Taylor, Siegmund (2004). JRSS B 66, 187–205"),
]


def screen_page(
    result: Screen,
    *,
    top: int = 10,
    fdr: float = 0.05,
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
) -> Page:
    """The report of a screen as a page for :func:`pyfsagg._page.page.write_page`.

    Parameters
    ----------
    result : Screen
    top : int
        How many of the best genes of a side the text names.
    fdr : float
        Limit of the false discovery rate.
    command, data_name, reading
        As in :data:`pyfsagg._run.result.ORIGIN`.

    Returns
    -------
    Page
        At most 500 genes of each side are listed.

    Raises
    ------
    ParameterError
        If `top` is below 1, or `fdr` outside (0, 1].
    """
    top = check_integer("top", top, low=1)
    check_real("fdr", fdr, low=0.0, high=1.0, low_open=True)
    view = result.full_view({"top": top, "fdr": fdr, "reading": reading})
    sections = [
        Section("summary", "Summary", _summary(result, top, fdr)),
        Section("pictures", "Effect and evidence", _pictures(result, fdr), short="Pictures"),
    ]
    sections += [
        Section(side, f"{WAYS[side].capitalize()} genes", _side(result, side, fdr))
        for side in result.sides
    ]
    sections += [
        Section("trust", "How far to trust the p-values", _trust(result), short="Trust"),
        *closing(
            settings_groups(result, words={"alpha": _alphas(result)}),
            [software(__version__), *REFERENCES],
            command=command,
            code=result.code(view),
        ),
    ]
    title = f"Screen: {data_name}" if data_name else "Screen"
    subtitle = f"{plural(len(result.genes), 'gene')}, {plural(len(result.guides), 'guide')}"
    return Page(title, subtitle, sections)


def _alphas(result: Screen) -> str:
    return ", ".join(f"{side}: {each.alpha:.4g}" for side, each in result.sides.items())


def _summary(result: Screen, top: int, fdr: float) -> list[Block]:
    sizes = result.n_guides
    few, many = int(sizes.min()), int(sizes.max())
    span = f"{count(few)} to {count(many)}" if few < many else count(few)
    blocks: list[Block] = [
        Text(
            f"{plural(len(result.guides), 'guide')} were ranked by score, and "
            f"{plural(len(result.genes), 'gene')} of {span} guides tested by α-RRA: whether more "
            f"guides of a gene are at the top than expected by chance."
        )
    ]
    for side in result.sides:
        found = result.select(side, fdr)
        best = [result.genes[g] for g in result.order(side)[:top]]
        blocks.append(
            Text(
                Markup(
                    "<b>{}:</b> {} with a false discovery rate of at most {}. The best {}: {}."
                ).format(
                    WAYS[side].capitalize(),
                    plural(len(found), "gene"),
                    f"{fdr:g}",
                    count(len(best)),
                    enumerate_names(best, most=top),
                )
            )
        )
    return [*blocks, *(Text(remark, quiet=True) for remark in result.remarks)]


def _pictures(result: Screen, fdr: float) -> list[Block]:
    return [
        picture(
            "Volcano",
            "volcano",
            plot_volcano,
            result,
            fdr=fdr,
            label="Points: genes by their median effect and their p-value",
            caption=f"Each gene by the median {result.effect_name} of its guides and the smaller of its "
            "p-values. Coloured: within the limit of the false discovery rate on that side.",
        ),
        picture(
            "Genes by rank",
            "ranks",
            plot_gene_ranks,
            result,
            label="Points: p-values of the genes by rank, for each side",
            caption="p-values of the genes, best first. A steep start and a flat rest: few genes stand out.",
        ),
        picture(
            "p-values against chance",
            "quantiles",
            plot_p_value_quantiles,
            result,
            label="Points: sorted p-values against those of uniform numbers, for each side",
            caption="Sorted p-values against those of chance. Genes without an effect lie on the line, or "
            "below it if p-values are discrete; if most genes lie above it, the null does not fit "
            "(guides of a gene that are not independent).",
        ),
    ]


def _side(result: Screen, side: str, fdr: float) -> list[Block]:
    drawn = min(MOST_DRAWN, len(result.genes))
    return [
        picture(
            f"Guides of the {drawn} most {WAYS[side]} genes",
            f"guides-{side}",
            plot_guides,
            result,
            side=side,
            n=drawn,
            label=f"Points: guides of the {drawn} best genes by {result.effect_name}",
            caption="Point: a guide, filled if it counts (its percentile is at most α). Bar: median of the "
            "gene. Band: 90 % of all guides. Right: p-value.",
        ),
        _genes(result, side, fdr),
    ]


def _genes(result: Screen, side: str, fdr: float) -> Table:
    frame = result.to_frame(side)
    shown = frame.head(MOST_ROWS)
    word = "score" if result.log_fold_changes is None else "lfc"
    tinted = int((shown[f"{side}_fdr"] <= fdr).sum())
    counted = [
        f"{c} of {n}" for c, n in zip(shown[f"{side}_counted"], shown["guides"], strict=True)
    ]
    columns: list[tuple[Column, list[str]]] = [
        (Column("Rank"), ranks(shown[f"{side}_rank"])),
        (Column("Gene", numeric=False), [str(name) for name in shown.index]),
        (Column("Guides that count"), counted),
        (Column("ρ"), probabilities(shown[f"{side}_rho"])),
        (Column("p-value"), probabilities(shown[f"{side}_p_value"])),
        (Column("FDR"), probabilities(shown[f"{side}_fdr"])),
        (Column("q-value"), probabilities(shown[f"{side}_q_value"])),
        (Column("Median"), numbers(shown[f"median_{word}"])),
        (Column("Second best"), numbers(shown[f"{side}_second_best_{word}"])),
        (Column("Mean of those that count"), numbers(shown[f"{side}_alpha_mean_{word}"])),
    ]
    hidden = len(frame) - len(shown)
    more = f"{count(hidden)} more genes are in genes.csv. " if hidden else ""
    limit = f"; those within an FDR of {fdr:g} are tinted" if tinted else ""
    return Table.of_columns(
        f"Genes by the p-value of this side, best first{limit}.",
        columns,
        Markup(
            "{}<b>ρ</b>: smallest Beta probability of the percentiles that count. <b>FDR</b>: "
            "p-values adjusted over the genes of this side (Benjamini–Hochberg). <b>q-value</b>: the "
            "same, times the estimated share of genes without an effect ({}). <b>Median, second best, "
            "mean</b>: {}s of the guides; the second best in the direction of this side."
        ).format(more, number(result.of_side(side).null_share), result.effect_name),
        header=1,
        tinted=tinted,
        find="gene",
    )


def _trust(result: Screen) -> list[Block]:
    null = str(result.parameters.get("null", "guides"))
    smallest = ", ".join(
        f"{probabilities(pd.Series([each.p_values.min()]))[0]} ({side})"
        for side, each in result.sides.items()
    )
    return [
        Text(f"{NULLS[null]} Smallest: {smallest}."),
        Text(INDEPENDENT),
        Text(
            f"α ({_alphas(result)}) {ORIGINS.get(result.parameters['alpha_from'], 'was given')}. "
            "Guides beyond α do not count, except for the best one of a gene."
        ),
    ]
