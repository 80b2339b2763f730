"""The R packages that the bridge can call: what for, and where they come from.

One table, read by the messages about missing packages and by the cross-check.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RPackage:
    """An R package that the bridge calls.

    Attributes
    ----------
    name : str
        Its name in R.
    purpose : str
        What is compared with it.
    debian : str
        The Debian or Ubuntu package that holds it; empty if there is none.
    reference : str
        The version with which pyfsagg was compared last.
    """

    name: str
    purpose: str
    debian: str
    reference: str


PACKAGES = {
    package.name: package
    for package in (
        RPackage("stats", "ranks, correlations, tests", "r-base-core", "4.2.2"),
        RPackage("RobustRankAggreg", "rank aggregation", "r-cran-robustrankaggreg", "1.2.1"),
        RPackage("afex", "repeated-measures analysis of variance", "r-cran-afex", "1.2.1"),
        RPackage("rstatix", "analysis of variance, effect sizes", "r-cran-rstatix", "0.7.2"),
        RPackage("FSelectorRcpp", "entropy filters, MDL discretisation", "", "0.3.13"),
        RPackage("praznik", "mutual information, mRMR", "", "11.0.0"),
        RPackage("stabm", "stability of selections", "", "1.2.2"),
        RPackage("mRMRe", "correlation and association matrices", "", "2.1.2"),
    )
}


def install_hint(name: str) -> str:
    """How to install an R package, in one line.

    Examples
    --------
    >>> install_hint("praznik")
    "in R: install.packages('praznik')"
    >>> install_hint("afex")
    "on Debian or Ubuntu: apt-get install r-cran-afex; elsewhere, in R: install.packages('afex')"
    """
    in_r = f"in R: install.packages({name!r})"
    known = PACKAGES.get(name)
    if known is None or not known.debian:
        return in_r
    return f"on Debian or Ubuntu: apt-get install {known.debian}; elsewhere, {in_r}"
