"""Gene lists of unequal quality: the comparison of aggregators by Wang et al. (2022)."""

from __future__ import annotations

from pyfsagg.extending import Renderer, register_renderer


@register_renderer("gene_lists")
def _renderer_of_gene_lists() -> Renderer:
    from pyfsagg_papers.lists.page import gene_lists_page

    return Renderer({}, lambda found, view: gene_lists_page(found, command=view["command"]))


@register_renderer("aggregator_choice")
def _renderer_of_aggregator_choice() -> Renderer:
    from pyfsagg_papers.lists.page import aggregator_choice_page

    return Renderer({}, lambda found, view: aggregator_choice_page(found, command=view["command"]))
