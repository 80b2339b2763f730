"""Partitions, affinities and spectra."""
