"""How a learner selects features: the settings."""

from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

from pyfsagg._base.settings import Settings, option
from pyfsagg._base.validation import check_integer, check_real, n_selected
from pyfsagg._message import Got, Param
from pyfsagg.exceptions import ParameterError

WAYS = ("importance", "sequential", "elimination")


def _size(text: str) -> int | float | str:
    """The text of a flag: a word, a count or a share."""
    if text.isalpha():
        return text
    return float(text) if "." in text else int(text)


@dataclass(frozen=True, eq=False)
class LearnerSelection(Settings):
    """How a learner selects features on the rows of a resample, by classes of scikit-learn.

    Parameters
    ----------
    by : {"importance", "sequential", "elimination"}
        *importance*: the features of largest importance or coefficient, of one fit
        (``SelectFromModel``); *elimination*: as often as needed, a fit and the features of smallest
        importance leave (``RFE``); *sequential*: the feature that helps most enters, by
        cross-validation (``SequentialFeatureSelector``), for learners without importances too.
    n_features : int, float or "auto"
        How many: a count, a share of all (rounded up), or what the class finds best: importances above
        their mean (``SelectFromModel``), the number of the best cross-validation (``RFECV``), or
        features as long as the cross-validated measure grows by `tolerance`.
    direction : {"forward", "backward"}
        Of a sequential selection: features enter, or leave.
    step : int or float
        Of an elimination: how many features leave at a time, or which share, below 1.
    folds : int
        Of the cross-validation inside the rows of the resample.  Copies of a row, and with a grouped
        plan rows of a group, are in one fold.
    tolerance : float
        Of a sequential selection with ``"auto"``, above 0: what the measure must grow by if a feature
        enters; what it may fall by if one leaves.

    Examples
    --------
    >>> LearnerSelection("elimination", n_features=5).changed()
    {'by': 'elimination', 'n_features': 5}
    """

    kind: ClassVar[str] = "selection"

    by: str = option("importance", choices=WAYS, help="how a learner selects features")
    n_features: int | float | str = option(
        0.25, metavar="K", read=_size, help="how many: a number, a share, or auto"
    )
    direction: str = option(
        "forward", choices=("forward", "backward"), help="of a sequential selection"
    )
    step: int | float = option(
        1, metavar="S", read=_size, help="features, or a share, that leave at a time"
    )
    folds: int = option(
        5, low=2, metavar="N", help="folds of the cross-validation inside a resample"
    )
    tolerance: float = option(
        0.001,
        above=0.0,
        metavar="T",
        help="smallest gain of the measure in a sequential selection",
    )

    def _check(self) -> None:
        if isinstance(self.n_features, str):
            if self.n_features != "auto":
                must = " must be a number, a share or 'auto'"
                raise ParameterError(Param("n_features"), must, Got(self.n_features))
        else:
            n_selected(self.n_features, 2**31, "n_features")
        if isinstance(self.step, Integral) and not isinstance(self.step, bool):
            check_integer("step", self.step, low=1)
        elif check_real("step", self.step, low=0.0, high=1.0, low_open=True) == 1.0:
            must = " must be a whole number or a share below 1, got 1.0"
            raise ParameterError(Param("step"), must)

    def count(self, p: int) -> int | None:
        """The number of features of p; None for "auto"."""
        if isinstance(self.n_features, str):
            return None
        return n_selected(self.n_features, p, "n_features")
