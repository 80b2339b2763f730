"""The report and the pictures of a screen."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from pyfsagg._base.arithmetic import Booleans, Floats
from pyfsagg._base.validation import check_integer, check_real
from pyfsagg._base.words import count, number, numbers, plural, probabilities, ranks
from pyfsagg._message import Got, Param
from pyfsagg._report import drawing
from pyfsagg._report.closing import Report, settings_groups, software
from pyfsagg._report.page import Block, PageColumn, PageTable, Section, Text
from pyfsagg._version import __version__
from pyfsagg.exceptions import ParameterError
from pyfsagg.screens._result import INDEPENDENT, WAYS, Screen

COLOURS = {"low": drawing.BLUE, "high": drawing.ORANGE}
CELLS = (320, 200)  # of a picture: two points in one of them cannot be distinguished
LABEL = 16  # characters of a gene name beside a point


def plot_volcano(result: Screen, *, fdr: float = 0.05, n: int = 8, ax: Axes | None = None) -> Axes:
    """Effect of each gene against its p-value."""
    check_real("fdr", fdr, low=0.0, high=1.0, low_open=True)
    n = check_integer("n", n, low=0)
    effect = result.to_frame().iloc[:, 1].loc[list(result.genes)].to_numpy()
    evidence = np.max([_evidence(result, name) for name in result.sides], axis=0)
    ax = drawing.new_axes(ax, 4.2)
    ax.set_xlabel(f"Median {result._effect_name} of the guides")
    ax.set_ylabel("−log10 of the p-value")
    known = effect[~np.isnan(effect)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    room = 0.06 * (high - low) or 1.0
    ax.set_xlim(low - room, high + room)
    ax.set_ylim(0.0, 1.08 * max(1.0, float(evidence.max())))

    def dots(chosen: Booleans, colour: str, label: str, size: float) -> None:
        genes = [result.genes[g] for g in np.flatnonzero(chosen)]
        _dots(ax, effect[chosen], evidence[chosen], colour, label, genes, size=size)

    selected = np.zeros(len(effect), dtype=bool)
    for name, side in result.sides.items():
        hit = side.adjusted_p_values <= fdr
        selected |= hit
        if hit.any():
            dots(hit, COLOURS[name], f"{WAYS[name]}, FDR ≤ {fdr:g}: {hit.sum():,}", 5.0)
    rest = f"others: {(~selected).sum():,}" if selected.any() else f"no gene with FDR ≤ {fdr:g}"
    dots(~selected, drawing.GREY, rest, 3.0)
    best = np.unique([result._order(name)[:n] for name in result.sides])
    best = best[np.argsort(-evidence[best], kind="stable")]
    shown = np.flatnonzero(selected) if selected.any() else best
    names = [result.genes[g] for g in best]
    _name_points(ax, effect[best], evidence[best], names, (effect[shown], evidence[shown]))
    title = f"{len(result.genes):,} genes: effect and evidence"
    return drawing.finished(ax, title, grid="y", columns=3)


def plot_gene_ranks(result: Screen, *, n: int = 8, ax: Axes | None = None) -> Axes:
    """p-values of the genes by rank, a curve for each side."""
    n = check_integer("n", n, low=0)
    ax = drawing.new_axes(ax, 3.8)
    ax.set_xscale("log")
    ax.set_xlabel("Rank of the gene")
    ax.set_ylabel("−log10 of the p-value")
    G = len(result.genes)
    places = np.arange(1.0, G + 1.0)
    curves = {name: _evidence(result, name)[result._order(name)] for name in result.sides}
    ax.set_xlim(0.8, max(2.0, G * 1.2))
    ax.set_ylim(0.0, 1.08 * max(1.0, *(float(curve[0]) for curve in curves.values())))
    for name, curve in curves.items():
        genes = [result.genes[g] for g in result._order(name)]
        _dots(ax, places, curve, COLOURS[name], WAYS[name], genes, size=4.0)
    everywhere = (np.tile(places, len(curves)), np.concatenate(list(curves.values())))
    best = [result.genes[g] for name in curves for g in result._order(name)[:n]]
    tops = np.concatenate([curve[:n] for curve in curves.values()])
    _name_points(ax, np.tile(places[:n], len(curves)), tops, best, everywhere)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.xaxis.set_minor_locator(NullLocator())
    return drawing.finished(ax, f"{G:,} genes by p-value", grid="y")


def plot_guides(
    result: Screen, *, side: str | None = None, n: int = 15, ax: Axes | None = None
) -> Axes:
    """The guides of the best genes of a side."""
    name = next(iter(result.sides)) if side is None else side
    of_side = result.of_side(name)
    best = result._order(name)[: check_integer("n", n, low=1)]
    effects = result._effects
    ax, places = drawing.feature_rows(ax, [result.genes[g] for g in best], 1.5, 0.26)
    low, middle, high = np.nanquantile(effects, (0.05, 0.5, 0.95))
    ax.axvspan(low, high, color=drawing.GREY, alpha=0.13, linewidth=0, label="90 % of all guides")
    ax.axvline(middle, color=drawing.GREY, linewidth=0.8)
    counted = of_side.percentiles <= of_side.alpha * (1.0 + 1e-12)
    row_of = np.full(len(result.genes) + 1, -1)
    row_of[best] = places
    rows = row_of[result.gene_of]
    for chosen, face, label in (
        (counted, COLOURS[name], f"guide up to α = {of_side.alpha:.3g}"),
        (~counted, "white", "other guide"),
    ):
        shown = (rows >= 0) & chosen & ~np.isnan(effects)
        points = (effects[shown], rows[shown], "o")
        ax.plot(*points, color=COLOURS[name], mfc=face, ms=5.0, mew=0.9, label=label)
    texts = probabilities(of_side.p_values[best])
    for row, (gene, text) in enumerate(zip(best.tolist(), texts, strict=True)):
        of_gene = effects[result.gene_of == gene]
        if not np.isnan(of_gene).all():
            median = np.nanmedian(of_gene)
            ax.vlines(median, row - 0.34, row + 0.34, color=drawing.INK, linewidth=1.6)
        drawing.write_at_right(ax, row, text)
    drawing.write_at_right(ax, -1, "p-value")
    ax.set_xlabel(f"{result._effect_name.capitalize()} of a guide")
    ax.set_ylim(top=-1.5)
    return drawing.finished(ax, f"Guides of the {len(best)} most {WAYS[name]} genes", grid="x")


def plot_genes_among_all(
    result: Screen, *, genes: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """The guides of some genes (by default the three best ones) below the histogram of all guides."""
    names = [result.genes[g] for g in result._order()[:3]] if genes is None else list(genes)
    if isinstance(genes, str) or not names:
        raise ParameterError(Param("genes"), " must be a list of names", Got(genes))
    unknown = [name for name in names if name not in result.genes]
    if unknown:
        raise ParameterError(f"{unknown[0]!r} is not a tested gene")
    effects = result._effects
    ax, _ = drawing.feature_rows(ax, names, 2.4, 0.3)
    _, first = np.unique(result.guides, return_index=True)  # a guide in several genes is one
    known = effects[first][~np.isnan(effects[first])]
    counts, edges = np.histogram(known, bins=60)
    below = -4.0 * counts / counts.max() - 0.6
    label = f"all {len(known):,} guides"
    ax.stairs(below, edges, baseline=-0.6, color=drawing.GREY, fill=True, alpha=0.5, label=label)
    for row, gene in enumerate(names):
        mine = result.gene_of == result.genes.index(gene)
        colours = np.full(mine.sum(), drawing.INK, dtype=object)
        for name, side in result.sides.items():
            colours[side.percentiles[mine] <= side.alpha * (1.0 + 1e-12)] = COLOURS[name]
        ax.vlines(effects[mine], row - 0.36, row + 0.36, colors=colours.tolist(), linewidth=1.6)
    for name in result.sides:
        ax.plot([], [], color=COLOURS[name], linewidth=1.6, label=f"counts as {WAYS[name]}")
    ax.plot([], [], color=drawing.INK, linewidth=1.6, label="others")
    ax.set_xlabel(f"{result._effect_name.capitalize()} of a guide")
    ax.set_ylim(len(names) - 0.4, -4.8)
    return drawing.finished(ax, "Guides of the genes among all guides", grid="x", columns=4)


def plot_p_value_quantiles(result: Screen, *, ax: Axes | None = None) -> Axes:
    """Sorted p-values against those of uniform numbers (a quantile plot)."""
    ax = drawing.new_axes(ax, 4.0)
    G = len(result.genes)
    expected = -np.log10((np.arange(G) + 0.5) / G)
    end = float(expected[0])
    ax.plot([0.0, end], [0.0, end], color=drawing.INK, linewidth=1.0, label="chance")
    ax.set_xlim(-0.03 * end, 1.05 * end)
    top = max(float(_evidence(result, name).max()) for name in result.sides)
    ax.set_ylim(-0.03 * max(top, end), 1.05 * max(top, end))
    for name in result.sides:
        observed = _evidence(result, name)
        order = np.argsort(-observed, kind="stable")
        genes = [result.genes[g] for g in order]
        _dots(ax, expected, observed[order], COLOURS[name], WAYS[name], genes, size=4.0)
    ax.set_xlabel("Expected −log10 of the p-value")
    ax.set_ylabel("Observed")
    return drawing.finished(ax, f"p-values of {G:,} genes", grid="both")


def _evidence(result: Screen, side: str) -> Floats:
    """−log10 of the p-values of a side, without a minus before 0."""
    return np.asarray(0.0 - result.sides[side].log_p_values / np.log(10.0))


def _dots(
    ax: Axes, x: Floats, y: Floats, colour: str, label: str, genes: Sequence[str], *, size: float
) -> None:
    """Points of genes; of those that would hide one another one is drawn, so pages stay small."""
    known = np.flatnonzero(~np.isnan(x))
    if len(known):
        cells = np.round(_in_axes(ax, x[known], y[known]) * CELLS).astype(np.int64)
        _, first = np.unique(cells, axis=0, return_index=True)
        known = np.sort(known[first])
    alpha = 0.55 if colour == drawing.GREY else 0.85
    look: dict[str, Any] = {"color": colour, "ms": size, "mew": 0, "alpha": alpha}
    (drawn,) = ax.plot(x[known], y[known], "o", label=label, **look)
    drawing.name_points(drawn, [genes[place] for place in known.tolist()])


def _name_points(
    ax: Axes, x: Floats, y: Floats, names: Sequence[str], others: tuple[Floats, Floats]
) -> None:
    """Names of points, if there is room that hides none of the `others`."""
    taken = _in_axes(ax, *others)
    boxes: list[tuple[float, float, float]] = []
    for (at_x, at_y), name in zip(_in_axes(ax, x, y).tolist(), names, strict=True):
        text = drawing.feature_label(name, LABEL)
        width = 0.02 + 0.0125 * len(text)
        for start in (at_x + 0.008, at_x - 0.008 - width):
            end = start + width
            inside = (taken[:, 0] > start) & (taken[:, 0] < end)
            hides = inside & (np.abs(taken[:, 1] - at_y) < 0.02)
            meets = any(
                abs(at_y - other_y) < 0.05 and start < other_end and other_start < end
                for other_start, other_end, other_y in boxes
            )
            if np.isnan(at_x) or start < 0.0 or end > 1.0 or hides.any() or meets:
                continue
            boxes.append((start, end, at_y))
            by, side = (5, "left") if start > at_x else (-5, "right")
            look = {"xycoords": "axes fraction", "ha": side, "va": "center"}
            drawing.write_beside(ax, text, (at_x, at_y), (by, 0), **look)
            break


def _in_axes(ax: Axes, x: Floats, y: Floats) -> Floats:
    """Points (k, 2) as shares of the width and the height of the axes."""
    points = ax.transData.transform(np.column_stack([x, y]))
    return np.asarray(ax.transAxes.inverted().transform(points), dtype=np.float64)


SCREEN_PLOTS: dict[str, Callable[..., Axes]] = {
    "volcano": plot_volcano,
    "ranks": plot_gene_ranks,
    "guides": plot_guides,
    "genes": plot_genes_among_all,
    "p_values": plot_p_value_quantiles,
}
MOST_ROWS = 500
MOST_DRAWN = 15
NULLS = {
    "guides": "Each p-value is the exact probability that a gene with as many guides has such a small ρ "
    "if the guides of this screen are assigned to genes at random: the limit of all permutations, ties "
    "included.",
    "uniform": "Each p-value is the exact probability of such a small ρ for a gene with as many guides "
    "whose percentiles are independent and uniform.",
    "controls": "Each p-value is the exact probability of such a small ρ if the guides of the gene are "
    "drawn from those of the controls and of the gene.",
}
ORIGINS = {
    "p-values of the guides": "was taken from the p-values of the guides",
    "the default": "is the default",
}
REFERENCES = {
    "Method": "Li et al. (2014). MAGeCK enables robust identification of essential genes from genome-scale "
    "CRISPR/Cas9 knockout screens. Genome Biology 15, 554",
    "q-values": "Storey, Taylor, Siegmund (2004). JRSS B 66, 187–205",
}


def screen_page(result: Screen, view: Mapping[str, Any]) -> Report:
    """The report of a screen."""
    check_integer("top", view["top"], low=1)
    fdr = check_real("fdr", view["fdr"], low=0.0, high=1.0, low_open=True)
    pictures = _pictures(result, fdr, view["genes"])
    sections = [Section("pictures", "Effect and evidence", pictures, short="Pictures")]
    drawn = min(MOST_DRAWN, len(result.genes))
    for side, way in ((side, WAYS[side]) for side in result.sides):
        guides = drawing.picture(
            f"Guides of the {drawn} most {way} genes",
            f"guides-{side}",
            plot_guides,
            result,
            side=side,
            n=drawn,
            label=f"Points: guides of the {drawn} best genes by {result._effect_name}",
            caption="Point: a guide, filled if it counts (its percentile is at most α). Bar: median of the "
            "gene. Band: 90 % of all guides. Right: p-value.",
        )
        blocks: list[Block] = [guides, _genes(result, side, fdr)]
        sections.append(Section(side, f"{way.capitalize()} genes", blocks))
    smallest = ", ".join(
        f"{probabilities([side.p_values.min()])[0]} ({name})" for name, side in result.sides.items()
    )
    alphas = ", ".join(f"{name}: {side.alpha:.4g}" for name, side in result.sides.items())
    origin = ORIGINS.get(result.parameters["alpha_from"], "was given")
    texts = [
        f"{NULLS[str(result.parameters.get('null', 'guides'))]} Smallest: {smallest}.",
        INDEPENDENT,
        f"α ({alphas}) {origin}. Guides beyond α do not count, except for the best one of a gene.",
    ]
    trust = list(map(Text, texts))
    sections.append(Section("trust", "How far to trust the p-values", trust, short="Trust"))
    subtitle = f"{plural(len(result.genes), 'gene')}, {plural(len(result.guides), 'guide')}"
    settings = settings_groups(result, words={"alpha": alphas})
    references = [software(__version__), *REFERENCES.items()]
    return Report(("Screen", "Screen: {}"), subtitle, sections, settings, references)


def _pictures(result: Screen, fdr: float, genes: Sequence[str]) -> list[Block]:
    pictures: list[Block] = []
    if genes:
        named = drawing.picture(
            "Guides of named genes",
            "genes",
            plot_genes_among_all,
            result,
            genes=list(genes),
            label="Ticks: guides of the named genes, below the histogram of all guides",
            caption="Tick: a guide of the gene, coloured if it counts on that side. Above: the "
            "distribution of all guides.",
        )
        pictures.append(named)
    return [
        *pictures,
        drawing.picture(
            "Volcano",
            "volcano",
            plot_volcano,
            result,
            fdr=fdr,
            label="Points: genes by their median effect and their p-value",
            caption=f"Each gene by the median {result._effect_name} of its guides and the smaller of its "
            "p-values. Coloured: within the limit of the false discovery rate on that side.",
        ),
        drawing.picture(
            "Genes by rank",
            "ranks",
            plot_gene_ranks,
            result,
            label="Points: p-values of the genes by rank, for each side",
            caption="p-values of the genes, best first. A steep start and a flat rest mean that few "
            "genes stand out.",
        ),
        drawing.picture(
            "p-values against chance",
            "quantiles",
            plot_p_value_quantiles,
            result,
            label="Points: sorted p-values against those of uniform numbers, for each side",
            caption="Sorted p-values against uniform quantiles. Genes without an effect lie on the "
            "line, or below it if p-values are discrete. If most genes lie above it, the null does "
            "not fit (dependent guides of a gene).",
        ),
    ]


def _genes(result: Screen, side: str, fdr: float) -> PageTable:
    frame = result.to_frame(side)
    shown = frame.head(MOST_ROWS)
    word = "score" if result.log_fold_changes is None else "lfc"
    tinted = int((shown[f"{side}_fdr"] <= fdr).sum())
    pairs = zip(shown[f"{side}_counted"], shown["guides"], strict=True)
    counted = [f"{c} of {n}" for c, n in pairs]
    columns: list[tuple[PageColumn, list[str]]] = [
        (PageColumn("Rank"), ranks(shown[f"{side}_rank"])),
        (PageColumn("Gene", numeric=False), [str(name) for name in shown.index]),
        (PageColumn("Guides that count"), counted),
        (PageColumn("ρ"), probabilities(shown[f"{side}_rho"])),
        (PageColumn("p-value"), probabilities(shown[f"{side}_p_value"])),
        (PageColumn("FDR"), probabilities(shown[f"{side}_fdr"])),
        (PageColumn("q-value"), probabilities(shown[f"{side}_q_value"])),
        (PageColumn("Median"), numbers(shown[f"median_{word}"])),
        (PageColumn("Second best"), numbers(shown[f"{side}_second_best_{word}"])),
        (PageColumn("Mean of those that count"), numbers(shown[f"{side}_alpha_mean_{word}"])),
    ]
    hidden = len(frame) - len(shown)
    more = f"{count(hidden)} more genes are in genes.csv. " if hidden else ""
    limit = f"; those within an FDR of {fdr:g} are tinted" if tinted else ""
    note = Markup(
        "{}<b>ρ</b>: smallest Beta probability of the percentiles that count. <b>FDR</b>: "
        "p-values adjusted over the genes of this side (Benjamini–Hochberg). <b>q-value</b>: the "
        "same, times the estimated share of genes without an effect ({}). <b>Median, second best, "
        "mean</b>: {}s of the guides; the second best in the direction of this side."
    ).format(more, number(result.of_side(side).null_share), result._effect_name)
    caption = f"Genes by the p-value of this side, best first{limit}."
    return PageTable.of_columns(caption, columns, note, header=1, tinted=tinted, find="gene")
