"""What an unsupervised ranking leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import ArrayLike

from pyfsagg._base.arithmetic import Booleans, Floats, Indices
from pyfsagg._base.fields import stored
from pyfsagg._base.validation import as_array, n_selected
from pyfsagg._base.words import count, enumerate_names, lines_of, numbers, plural, ranks
from pyfsagg._message import Got, Param
from pyfsagg._report.page import Block, PageColumn, PageTable, Text
from pyfsagg._run.result import Recorded, Selecting
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.unsupervised.clusterings import Labels

MEAN_PLUS_SD = "mean_plus_sd"
FIRST = 10  # features that the summary names


def mean_plus_sd(scores: ArrayLike) -> Booleans:
    """Mark scores above their mean plus one standard deviation (ddof 1), or else the best (Varshavsky
    and others 2006; Zhang and others 2012, Table 2)."""
    values = as_array("scores", scores, np.float64)
    if values.ndim != 1 or values.size < 2 or not np.isfinite(values).all():
        needs = " must be at least two finite numbers in one dimension, got the shape "
        raise DataError(Param("scores"), f"{needs}{values.shape}")
    chosen: Booleans = values > values.mean() + values.std(ddof=1)
    if not chosen.any():
        chosen[np.argmax(values)] = True
    return chosen


@dataclass(frozen=True, eq=False)
class ConsensusRanking(Selecting, Recorded):
    """Ranking of features without labels.

    Attributes
    ----------
    method : str
        ``"frcm"``, ``"frmv"``, ``"laplacian_score"`` or ``"svd_entropy"``.
    feature_names : tuple of str
    scores : ndarray (n_features,)
        Larger = more important.
    ranking : ndarray (n_features,)
        Ranks of `scores`, 1 = most important; ties get average ranks.
    consensus : ndarray (n_samples, n_samples) or None
        Share of the clusterings that put two samples into one cluster.
    labels : ndarray of int32 (n_clusterings, n_samples) or None
        The clusterings.
    parameters, data, versions : dict
        Settings of the ranking (with the seed that repeats it), data and software versions;
        ``sha256`` is the hash of the table as it was scored, after `standardize`.
    curves : dict of str to DataFrame
        Comparison with known classes, ``"clustering_curve"`` and ``"borda_curve"``.

    See Also
    --------
    rank_unsupervised : Makes one.

    Notes
    -----
    Shown with a `n_features_to_select`, the selection (``"mean_plus_sd"`` by default).  Pictures:
    ``"spectrum"`` (the sorted scores with the cut) and ``"consensus"`` (the consensus matrix in cluster
    order).
    """

    _kind: ClassVar[str] = "unsupervised"
    _noun: ClassVar[str] = "ranking"
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({"n_features_to_select": MEAN_PLUS_SD})

    method: str
    feature_names: tuple[str, ...] = field(metadata=stored(key="features"))
    scores: Floats
    ranking: Floats
    consensus: Floats | None
    labels: Labels | None
    curves: Mapping[str, pd.DataFrame] = field(default_factory=dict, metadata=stored(file="{}.csv"))

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def cut(self) -> float:
        """Mean plus standard deviation of the scores: the bound of the rule of that name."""
        return float(self.scores.mean() + self.scores.std(ddof=1))

    def order(self) -> Indices:
        """Positions of the features, best first; ties in the order of the columns."""
        return np.argsort(self.ranking, kind="stable")

    def _support(self, n_features_to_select: str | float | int = MEAN_PLUS_SD) -> Booleans:
        """Boolean mask (n_features,) of the features that :meth:`select` names."""
        if isinstance(n_features_to_select, str):
            if n_features_to_select != MEAN_PLUS_SD:
                raise ParameterError(
                    Param("n_features_to_select"),
                    f" must be {MEAN_PLUS_SD!r}, a number of features or a fraction of them",
                    Got(n_features_to_select),
                )
            return mean_plus_sd(self.scores)
        size = n_selected(n_features_to_select, self.n_features, "n_features_to_select")
        mask = np.zeros(self.n_features, dtype=np.bool_)
        mask[self.order()[:size]] = True
        return mask

    def select(self, n_features_to_select: str | float | int = MEAN_PLUS_SD) -> list[str]:
        """Names of the informative features, best first.

        Parameters
        ----------
        n_features_to_select : "mean_plus_sd", int or float
            Scores above mean plus standard deviation (``"mean_plus_sd"``), a number of features,
            or a fraction of them (rounded up).
        """
        mask = self._support(n_features_to_select)
        return [self.feature_names[j] for j in self.order() if mask[j]]

    def to_frame(self, n_features_to_select: str | float | int = MEAN_PLUS_SD) -> pd.DataFrame:
        """One row per feature, best first: ``rank``, ``score``, ``selected``."""
        mask = self._support(n_features_to_select)
        columns = {"rank": self.ranking, "score": self.scores, "selected": mask}
        frame = pd.DataFrame(columns, index=pd.Index(self.feature_names, name="feature"))
        return frame.iloc[self.order()]

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        rule = view["n_features_to_select"]
        return {
            **super()._record(view),
            "ranking": self.to_frame(rule).reset_index().to_dict("records"),
            "n_features_to_select": rule,
            "cut": self.cut,
            "selected": self.select(rule),
        }

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"ranking.csv": self.to_frame(view["n_features_to_select"]), **super()._tables(view)}

    def _texts(self, view: Mapping[str, Any]) -> dict[str, str]:
        return {"selected.txt": lines_of(self.select(view["n_features_to_select"]))}

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return [f"selected = result.select({view['n_features_to_select']!r})"]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        rule = view["n_features_to_select"]
        selected = self.select(rule)
        names = enumerate_names(selected, most=FIRST) if selected else "none"
        best = self.to_frame(rule).loc[selected[:FIRST]]
        table = PageTable.of_columns(
            "The first of them.",
            [
                (PageColumn("Feature", numeric=False), [str(name) for name in best.index]),
                (PageColumn("Rank"), ranks(best["rank"])),
                (PageColumn("Score"), numbers(best["score"])),
            ],
        )
        numbers_of = count(len(selected)), plural(self.n_features, "feature")
        return [
            Text(Markup("<b>Selected {} of {}:</b> {}.").format(*numbers_of, names)),
            *([table] if selected else []),
            Text(
                f"The features of {plural(self.data['n_samples'], 'sample')} were ranked by {self.method}, "
                f"without labels (scale: {self.parameters['standardize']}); they are selected by the rule "
                f"{rule}. Such a ranking shows which features follow the structure of the data, not "
                "which separate classes. It has no interval, because there are no resamples."
            ),
        ]

    def __repr__(self) -> str:
        best = ", ".join(self.feature_names[j] for j in self.order()[:3])
        return (
            f"ConsensusRanking({self.method}: {self.n_features} features, "
            f"{int(self._support().sum())} above mean + SD; best: {best})"
        )
