"""Counts of codes by class, and the filters that need nothing else."""
