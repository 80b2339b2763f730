"""What the pages of this room share: the papers, heads of columns, and the end of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyfsagg._page.closing import THESIS, named_settings, software
from pyfsagg._page.closing import closing as last_sections
from pyfsagg._page.page import Column, Records, Section
from pyfsagg._version import __version__
from pyfsagg.rank_order._page import PAPER as ORDERS

__all__ = ["PAPERS", "closing", "numbers", "run_settings", "words"]

PAPERS = {
    "thesis": THESIS,
    "fpcps": (
        "A. Filchenkov, V. Dolganov, I. Smetannikov (2015). PCA-based algorithm for constructing "
        "ensembles of feature ranking filters. ESANN"
    ),
    "frcm": (
        "S. Zhang, H.-S. Wong, Y. Shen, D. Xie (2012). A new unsupervised feature ranking method for "
        "gene expression data based on consensus affinity. IEEE/ACM TCBB"
    ),
    "orders": ORDERS,
}
"""What to cite for each paper."""


def words(*titles: str) -> list[Column]:
    """Columns of text."""
    return [Column(title, numeric=False) for title in titles]


def numbers(*titles: str) -> list[Column]:
    """Columns of numbers."""
    return [Column(title) for title in titles]


def run_settings(record: Mapping[str, Any]) -> Section:
    """How a run was made, and with which software."""
    run = dict(record)
    versions = run.pop("versions", {})
    groups = [
        ("Run", named_settings(run)),
        ("Software", [(name, str(version)) for name, version in versions.items()]),
    ]
    return Section("settings", "Settings", [Records("How it was run.", groups)])


def closing(
    command: str | None, papers: Iterable[str], more: Iterable[tuple[str, str]] = ()
) -> list[Section]:
    """The last sections of a page: the command that repeats it, and what to cite."""
    cited = [(paper, PAPERS[paper]) for paper in dict.fromkeys(map(str, papers))]
    return last_sections([], [software(__version__), *cited, *more], command=command)
