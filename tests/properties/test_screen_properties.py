"""What must hold for any screen: a better guide never worsens a gene, p-values are bounded by their null."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfsagg import screen

shapes = st.lists(st.integers(1, 5), min_size=2, max_size=6)
alphas = st.sampled_from([0.05, 0.2, 0.5, 1.0])


@st.composite
def screens(draw):
    """Genes, scores without ties, and the place that one guide moves to."""
    sizes = draw(shapes)
    genes = np.repeat(np.arange(len(sizes)), sizes)
    scores = np.array(draw(st.permutations(range(len(genes)))), dtype=float)
    guide = draw(st.integers(0, len(genes) - 1))
    better = scores.copy()
    better[guide] -= draw(st.integers(0, len(genes))) + 0.5
    return genes, scores, better, guide


@settings(max_examples=120, deadline=None)
@given(screens(), alphas, st.sampled_from(["guides", "uniform"]))
def test_a_better_guide_never_worsens_its_gene(drawn, alpha, null):
    genes, scores, better, guide = drawn
    gene = genes[guide]
    before, after = (
        screen(values, genes, side="low", alpha=alpha, null=null).of_side("low")
        for values in (scores, better)
    )
    slack = 1e-12
    assert after.log_rho[gene] <= before.log_rho[gene] + slack
    assert after.log_p_values[gene] <= before.log_p_values[gene] + slack
