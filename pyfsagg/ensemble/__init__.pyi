from .larger_samples import ExpectedReplication as ExpectedReplication
from .larger_samples import expected_replication as expected_replication
from .methods import bam as bam
from .methods import permute_target as permute_target
from .methods import rank as rank
from .methods import wam as wam
from .result import EnsembleResult as EnsembleResult
from .selection import Selection as Selection
from .selectors import BetweenAggregationSelector as BetweenAggregationSelector
from .selectors import WithinAggregationSelector as WithinAggregationSelector
from .settings import Precision as Precision

__all__ = [
    "BetweenAggregationSelector",
    "EnsembleResult",
    "ExpectedReplication",
    "Precision",
    "Selection",
    "WithinAggregationSelector",
    "bam",
    "expected_replication",
    "permute_target",
    "rank",
    "wam",
]
