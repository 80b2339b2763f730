"""Data sets by name: embedded, from a local folder, from scikit-learn; and table files."""

from pyfsagg.datasets._description import describe_datasets
from pyfsagg.datasets._files import read_table, split_target
from pyfsagg.datasets._loaders import Dataset, list_datasets, load_dataset, load_published

__all__ = [
    "Dataset",
    "describe_datasets",
    "list_datasets",
    "load_dataset",
    "load_published",
    "read_table",
    "split_target",
]
