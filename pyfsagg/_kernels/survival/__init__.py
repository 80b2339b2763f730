"""Loops for times of which some are censored."""
