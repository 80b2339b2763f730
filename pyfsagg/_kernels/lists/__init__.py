"""Aggregation of ranked lists: order statistics and Markov chains."""
