from .cells import weighted_average_accuracy as weighted_average_accuracy
from .learners import named_learners as named_learners
from .protocol import Protocol as Protocol
from .protocols import EvaluationSet as EvaluationSet
from .protocols import evaluate as evaluate
from .protocols import evaluate_many as evaluate_many
from .result import Evaluation as Evaluation

__all__ = [
    "Evaluation",
    "EvaluationSet",
    "Protocol",
    "evaluate",
    "evaluate_many",
    "named_learners",
    "weighted_average_accuracy",
]
