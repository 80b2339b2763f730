"""Published results beside recomputed ones."""

from pyfsagg.reproduce.all_papers import reproduce_all
from pyfsagg.reproduce.claims import claim_variants, claims
from pyfsagg.reproduce.curves import clustering_curves
from pyfsagg.reproduce.reading_search import best_readings, readings
from pyfsagg.reproduce.reproduction import Reproduction
from pyfsagg.reproduce.shipped import (
    list_shipped_runs,
    shipped_readings,
    shipped_run,
    shipped_stuart,
)
from pyfsagg.reproduce.stuart import stuart_finding
from pyfsagg.reproduce.stuart_result import StuartFinding
from pyfsagg.reproduce.tables import cells, coverage, table

__all__ = [
    "Reproduction",
    "StuartFinding",
    "best_readings",
    "cells",
    "claim_variants",
    "claims",
    "clustering_curves",
    "coverage",
    "list_shipped_runs",
    "readings",
    "reproduce_all",
    "shipped_readings",
    "shipped_run",
    "shipped_stuart",
    "stuart_finding",
    "table",
]
