"""Published results beside recomputed ones."""

from pyfsagg.reproduce.claims import claim_variants, claims

__all__ = ["claim_variants", "claims"]
