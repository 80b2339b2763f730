"""Entropy of columns that are cut anew in every resample."""
