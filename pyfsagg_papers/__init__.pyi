from .all_papers.result import Reproduction as Reproduction
from .all_papers.run import reproduce_all as reproduce_all
from .calibration.run import Calibration as Calibration
from .calibration.run import calibrate as calibrate
from .comparisons.run import CrossCheck as CrossCheck
from .comparisons.run import cross_check as cross_check
from .comparisons.run import list_comparisons as list_comparisons
from .lists.choice import AggregatorChoice as AggregatorChoice
from .lists.choice import aggregator_choice as aggregator_choice
from .lists.gene_lists import GeneListComparison as GeneListComparison
from .lists.gene_lists import gene_lists as gene_lists
from .published import load_published as load_published
from .shipped import list_shipped_runs as list_shipped_runs
from .shipped import shipped_aggregator_choice as shipped_aggregator_choice
from .shipped import shipped_calibration as shipped_calibration
from .shipped import shipped_gene_lists as shipped_gene_lists
from .shipped import shipped_laplacian_search as shipped_laplacian_search
from .shipped import shipped_readings as shipped_readings
from .shipped import shipped_run as shipped_run
from .shipped import shipped_stuart as shipped_stuart
from .statements.claims import claim_variants as claim_variants
from .statements.claims import claims as claims
from .stuart.experiment import stuart_finding as stuart_finding
from .stuart.result import StuartFinding as StuartFinding
from .tables.comparison import cells as cells
from .tables.comparison import coverage as coverage
from .tables.comparison import evidence as evidence
from .tables.comparison import table as table
from .tables.experiments import EXPERIMENTS as EXPERIMENTS
from .tables.frcm import clustering_curves as clustering_curves
from .tables.page import plot_cells as plot_cells
from .tables.page import plot_coverage as plot_coverage
from .tables.page import plot_readings as plot_readings
from .tables.readings import READINGS as READINGS
from .tables.readings import best_readings as best_readings
from .tables.readings import readings as readings

__all__ = [
    "EXPERIMENTS",
    "READINGS",
    "AggregatorChoice",
    "Calibration",
    "CrossCheck",
    "GeneListComparison",
    "Reproduction",
    "StuartFinding",
    "aggregator_choice",
    "best_readings",
    "calibrate",
    "cells",
    "claim_variants",
    "claims",
    "clustering_curves",
    "coverage",
    "cross_check",
    "evidence",
    "gene_lists",
    "list_comparisons",
    "list_shipped_runs",
    "load_published",
    "plot_cells",
    "plot_coverage",
    "plot_readings",
    "readings",
    "reproduce_all",
    "shipped_aggregator_choice",
    "shipped_calibration",
    "shipped_gene_lists",
    "shipped_laplacian_search",
    "shipped_readings",
    "shipped_run",
    "shipped_stuart",
    "stuart_finding",
    "table",
]
