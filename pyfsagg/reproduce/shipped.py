"""Runs that come with the package, so that their results can be read without hours of work."""

from __future__ import annotations

import pandas as pd

from pyfsagg._validation import check_choice
from pyfsagg.datasets._loaders import data_folder
from pyfsagg.reproduce.reproduction import Reproduction

__all__ = ["SIZES", "shipped_readings", "shipped_run"]

SIZES = ("full", "quick")


def shipped_run(size: str = "full") -> Reproduction:
    """A run of :func:`reproduce_all` that was kept, with its machine, versions, seed and date.

    Parameters
    ----------
    size : {"full", "quick"}
        With the settings of the papers, or with few resamples, folds and repetitions.

    Returns
    -------
    Reproduction

    Raises
    ------
    ParameterError
        For another size.

    Examples
    --------
    >>> run = shipped_run("quick")
    >>> run.record["quick"]
    True
    """
    check_choice("size", size, SIZES)
    return Reproduction.load(data_folder() / "validation" / f"{size}.json")


def shipped_readings() -> pd.DataFrame:
    """The cells of :func:`readings` that were kept, quick settings.

    Examples
    --------
    >>> "standard" in set(shipped_readings()["reading"])
    True
    """
    return pd.read_csv(
        data_folder() / "validation" / "readings.csv", keep_default_na=False, na_values=[""]
    )
