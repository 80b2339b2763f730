"""Pictures of a screen and its page."""

import numpy as np
import pytest
from html_pages import Page

from pyfsagg import screen
from pyfsagg.exceptions import ParameterError
from pyfsagg.extending import set_aside
from pyfsagg.screens._report import (
    plot_gene_ranks,
    plot_guides,
    plot_p_value_quantiles,
    plot_volcano,
)


def made(hits=30, n_genes=600, **options):
    rng = np.random.default_rng(3)
    genes = np.repeat([f"g<{i}>" for i in range(n_genes)], 4)
    scores = rng.standard_normal(len(genes)) - 4.0 * (np.arange(len(genes)) < 4 * hits)
    return screen(scores, genes, **options)


@pytest.fixture(scope="module")
def found():
    return made()


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_volcano_counts_what_it_colours(found):
    ax = plot_volcano(found, n=3)
    hits = len(found.select("low"))
    assert 20 <= hits <= 35
    labels = ax.get_legend_handles_labels()[1]
    assert labels == [f"depleted, FDR ≤ 0.05: {hits}", f"others: {600 - hits}"]
    (low, others) = ax.get_lines()
    assert len(low.get_xdata()) <= hits
    assert len(others.get_xdata()) <= 600 - hits
    assert low.get_ydata().min() > 2.0
    named = set(texts(ax))
    assert named <= {f"g<{i}>" for i in range(600)}
    assert named & set(found.to_frame("low").index[:3])
    assert texts(plot_volcano(found, n=0)) == []
    assert plot_volcano(made(hits=0)).get_legend_handles_labels()[1] == ["no gene with FDR ≤ 0.05"]
    with pytest.raises(ParameterError, match="fdr"):
        plot_volcano(found, fdr=0.0)


def test_ranks_fall(found):
    ax = plot_gene_ranks(found)
    assert ax.get_xscale() == "log"
    for line in ax.get_lines():
        assert (np.diff(line.get_ydata()) <= 0).all()
        assert line.get_xdata()[0] == 1.0
    assert ax.get_legend_handles_labels()[1] == ["depleted", "enriched"]


def test_guides_of_the_best_genes(found):
    ax = plot_guides(found, side="low", n=5)
    best = found.to_frame("low").index[:5].tolist()
    assert [label.get_text() for label in ax.get_yticklabels()] == best
    counted, other = ax.get_lines()[1:3]
    assert len(counted.get_xdata()) == found.to_frame("low")["low_counted"].head(5).sum()
    assert len(counted.get_xdata()) + len(other.get_xdata()) == 20
    assert len(texts(ax)) == 6  # five p-values and their heading
    assert plot_guides(found).get_title("left") == "Guides of the 15 most depleted genes"
    with pytest.raises(ParameterError, match="side must be one of"):
        plot_guides(made(side="high"), side="low")


def test_quantiles_lie_on_the_diagonal_under_the_null():
    ax = plot_p_value_quantiles(made(hits=0))
    for line in ax.get_lines()[1:]:
        x, y = line.get_xdata(), line.get_ydata()
        assert np.abs(x - y)[x < 1.0].max() < 0.15


def test_kinds_of_pictures(found):
    assert found.plot().get_ylabel() == "−log10 of the p-value"
    assert found.plot("guides", side="high").get_title("left").endswith("most enriched genes")
    with pytest.raises(ParameterError, match="'volcano', 'ranks', 'guides', 'genes', 'p_values'"):
        found.plot("heat")


def test_page(found):
    page = Page(found.to_html(top=4, data_name="a & b"))
    assert page.headings[0] == "h1"
    assert "Screen: a & b" in page.words
    hits = found.select("low")
    assert f"Depleted (low scores, α = 0.05): {len(hits)} genes with a false" in page.words
    assert "the limit of all permutations" in page.words
    assert "α (low: 0.05, high: 0.05) is the default." in page.words
    assert page.tags.count("svg") == 5
    tinted = [cells for style, cells in page.rows if style == "selected"]
    assert {cells[1].strip() for cells in tinted} >= set(hits)
    assert "100 more genes are in genes.csv" in page.words
    alone = Page(made(side="high").to_html())
    assert "Depleted" not in alone.words
    assert alone.tags.count("svg") == 4


@pytest.mark.usefixtures("composed")
@pytest.mark.parametrize(
    ("null", "said"), [("uniform", "independent and uniform"), (None, "those of the controls")]
)
def test_page_says_where_p_values_come_from(null, said):
    options = {"control_genes": "g<2?>"} if null is None else {"null": null}
    with set_aside():  # that there are few controls
        result = made(n_genes=40, hits=1, **options)
    assert said in Page(result.to_html()).words
