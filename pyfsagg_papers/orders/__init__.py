"""Figures 7 to 13 of the rank-order paper, repeated, and what the paper states of them."""
