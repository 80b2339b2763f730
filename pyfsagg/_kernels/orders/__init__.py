"""Rank orders: elimination, divergence and centres."""
