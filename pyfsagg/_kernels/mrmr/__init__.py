"""Greedy selection by mutual information between columns."""
