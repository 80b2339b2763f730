"""Gene lists of unequal quality: the comparison of aggregators by Wang et al. (2022)."""

from __future__ import annotations

from pyfsagg.extending import Face, shown_by


@shown_by("gene_lists")
def _face_of_gene_lists() -> Face:
    from pyfsagg_papers.lists.page import gene_lists_page

    return Face({}, lambda found, view: gene_lists_page(found, command=view["command"]))


@shown_by("aggregator_choice")
def _face_of_aggregator_choice() -> Face:
    from pyfsagg_papers.lists.page import aggregator_choice_page

    return Face({}, lambda found, view: aggregator_choice_page(found, command=view["command"]))
