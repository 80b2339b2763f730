"""R packages from Python through rpy2.

Needs R, rpy2 (``pip install pyfsagg[r]``) and the R package in question; without them a function
raises :class:`~pyfsagg.exceptions.MissingDependencyError`, whose message says what to install.
``pyfsagg_papers.cross_check`` compares pyfsagg with what these functions return.

======================  ==========================  ===============================================
Module                  R packages                  What
======================  ==========================  ===============================================
``rank_aggregation``    RobustRankAggreg            ``aggregate_ranks``, ``rank_matrix``
``statistics``          stats, afex, rstatix        analysis of variance, t, Wilcoxon, Friedman tests
``correlation``         base, stats                 ranks, correlations, distances, ``p.adjust``
``entropy``             FSelectorRcpp               information gain and its relatives, MDL cuts
``mutual_information``  praznik                     mutual information, mRMR
``association``         mRMRe                       mutual information from correlations, mRMR
``stability``           stabm                       stability of selections
``session``             –                           the R that is started, errors, versions
``conversion``          –                           values between NumPy, pandas and R
======================  ==========================  ===============================================
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
