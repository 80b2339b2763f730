"""Data sets by name: embedded, from a local folder, from scikit-learn; and table files."""

from pyfsagg.datasets._checked import check_table
from pyfsagg.datasets._loaders import (
    Dataset,
    load_dataset,
    read_sparse_table,
    read_table,
)

__all__ = ["Dataset", "check_table", "load_dataset", "read_sparse_table", "read_table"]
