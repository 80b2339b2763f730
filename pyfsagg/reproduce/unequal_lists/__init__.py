"""Gene lists of unequal quality: the comparison of aggregators by Wang et al. (2022)."""
