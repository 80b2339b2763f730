"""Published results beside recomputed ones."""

from pyfsagg.reproduce.claims import claim_variants, claims
from pyfsagg.reproduce.stuart import stuart_finding
from pyfsagg.reproduce.stuart_result import StuartFinding

__all__ = ["StuartFinding", "claim_variants", "claims", "stuart_finding"]
