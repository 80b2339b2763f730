from .many import EvaluationSet as EvaluationSet
from .many import evaluate_many as evaluate_many
from .protocol import Protocol as Protocol
from .protocols import evaluate as evaluate
from .result import Evaluation as Evaluation
from .thresholds import weighted_average_accuracy as weighted_average_accuracy

__all__ = [
    "Evaluation",
    "EvaluationSet",
    "Protocol",
    "evaluate",
    "evaluate_many",
    "weighted_average_accuracy",
]
