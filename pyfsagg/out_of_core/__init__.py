"""Rankings of tables that do not fit into memory, from counts that are collected piece by piece."""

from pyfsagg.out_of_core.ranking import rank_out_of_core

__all__ = ["rank_out_of_core"]
