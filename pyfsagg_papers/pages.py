"""What the pages of all rooms share: the papers, heads of columns, and the end of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyfsagg import __version__
from pyfsagg.extending import PageColumn, Records, Section, named_settings, number, software
from pyfsagg.extending import closing as last_sections

MISSING = "–"

PAPERS = {
    "thesis": (
        "R. E. Salman (2022). Bootstrap-based Aggregations and their Stability in Feature Selection. "
        "Master’s thesis, American University of Sharjah"
    ),
    "fpcps": (
        "A. Filchenkov, V. Dolganov, I. Smetannikov (2015). PCA-based algorithm for constructing "
        "ensembles of feature ranking filters. ESANN"
    ),
    "frcm": (
        "S. Zhang, H.-S. Wong, Y. Shen, D. Xie (2012). A new unsupervised feature ranking method for "
        "gene expression data based on consensus affinity. IEEE/ACM TCBB"
    ),
    "orders": (
        "Slotta, D. J., Vergara, J. P. C., Ramakrishnan, N., Heath, L. S. Algorithms for Feature "
        "Selection in Rank-Order Spaces. 2005"
    ),
}
"""What to cite for each paper."""


def words(*titles: str) -> list[PageColumn]:
    """Columns of text."""
    return [PageColumn(title, numeric=False) for title in titles]


def numbers(*titles: str) -> list[PageColumn]:
    """Columns of numbers."""
    return [PageColumn(title) for title in titles]


def percentage(share: float) -> str:
    """A share from 0 to 1 in per cent, without the sign."""
    return number(100.0 * share, 1)


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
