"""Data sets by name: embedded, from a local folder, from scikit-learn; and table files."""

from pyfsagg.datasets._check import check_table
from pyfsagg.datasets._description import describe_datasets
from pyfsagg.datasets._files import is_sparse_file, read_sparse_table, read_table, split_target
from pyfsagg.datasets._loaders import Dataset, list_datasets, load_dataset, load_published

__all__ = [
    "Dataset",
    "check_table",
    "describe_datasets",
    "is_sparse_file",
    "list_datasets",
    "load_dataset",
    "load_published",
    "read_sparse_table",
    "read_table",
    "split_target",
]
