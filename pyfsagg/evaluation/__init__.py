"""What selected features are worth to classifiers, and which differences are real."""

from pyfsagg.evaluation.classifiers import list_classifiers
from pyfsagg.evaluation.comparison import Comparison
from pyfsagg.evaluation.many import EvaluationSet, evaluate_many
from pyfsagg.evaluation.metrics import list_metrics
from pyfsagg.evaluation.protocols import evaluate
from pyfsagg.evaluation.regressors import list_regressors
from pyfsagg.evaluation.result import Evaluation
from pyfsagg.evaluation.thresholds import weighted_average_accuracy

__all__ = [
    "Comparison",
    "Evaluation",
    "EvaluationSet",
    "evaluate",
    "evaluate_many",
    "list_classifiers",
    "list_metrics",
    "list_regressors",
    "weighted_average_accuracy",
]
