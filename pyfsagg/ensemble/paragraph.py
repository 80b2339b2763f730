"""The paragraph of a run for the methods section of a paper."""

from __future__ import annotations

from pyfsagg.ensemble.data import Ranked
from pyfsagg.ensemble.facts import _procedure
from pyfsagg.ensemble.selection import Auto, Limit, Wish, select_features

_CITED = {"robust_rank_aggregation": "Kolde et al., 2012", "stuart": "Stuart et al., 2003"}
"""Papers of aggregators that a reader may look for."""


def methods_paragraph(data: Ranked, wish: Wish) -> str:
    """What was done, how many features were selected and why, with seed and versions; one paragraph."""
    chosen = select_features(data, wish)
    sentences = _procedure(data)
    cited = _CITED.get(data.setup.recipe.aggregator)
    if cited:
        sentences[-1] = f"{sentences[-1].rstrip('.')} ({cited})."
    if isinstance(wish, (Auto, Limit)):
        sentences.append(f"{chosen.reason.rstrip('.')}.")
    else:
        sentences.append(
            f"The best {chosen.number:,} of {data.n_features:,} features were selected, a number "
            "that was fixed beforehand."
        )
    versions = data.versions
    sentences.append(
        f"The analysis was done with pyfsagg {versions['pyfsagg']} (Python {versions['python']}, NumPy "
        f"{versions['numpy']}) and the seed {data.seed}."
    )
    return " ".join(sentences)
