"""Statements of the papers, recomputed from their printed tables and from our own runs."""
