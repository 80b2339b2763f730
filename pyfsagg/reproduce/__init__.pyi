from .all_papers.result import Reproduction as Reproduction
from .all_papers.run import reproduce_all as reproduce_all
from .shipped import list_shipped_runs as list_shipped_runs
from .shipped import shipped_readings as shipped_readings
from .shipped import shipped_run as shipped_run
from .shipped import shipped_stuart as shipped_stuart
from .statements.claims import claim_variants as claim_variants
from .statements.claims import claims as claims
from .stuart.experiment import stuart_finding as stuart_finding
from .stuart.result import StuartFinding as StuartFinding
from .tables.comparison import cells as cells
from .tables.comparison import coverage as coverage
from .tables.comparison import table as table
from .tables.frcm import clustering_curves as clustering_curves
from .tables.readings import best_readings as best_readings
from .tables.readings import readings as readings

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
