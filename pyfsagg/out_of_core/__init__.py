"""Rankings of tables that do not fit into memory, from counts that are collected piece by piece."""

from pyfsagg._base.memory import memory_limit
from pyfsagg.out_of_core.ranking import rank_out_of_core

__all__ = ["memory_limit", "rank_out_of_core"]
