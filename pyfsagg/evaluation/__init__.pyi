from .classifiers import list_classifiers as list_classifiers
from .comparison import Comparison as Comparison
from .learners import named_learners as named_learners
from .many import EvaluationSet as EvaluationSet
from .many import evaluate_many as evaluate_many
from .metrics import list_metrics as list_metrics
from .protocol import Protocol as Protocol
from .protocols import evaluate as evaluate
from .regressors import list_regressors as list_regressors
from .result import Evaluation as Evaluation
from .survival_models import list_survival_models as list_survival_models
from .thresholds import weighted_average_accuracy as weighted_average_accuracy

__all__ = [
    "Comparison",
    "Evaluation",
    "EvaluationSet",
    "Protocol",
    "evaluate",
    "evaluate_many",
    "list_classifiers",
    "list_metrics",
    "list_regressors",
    "list_survival_models",
    "named_learners",
    "weighted_average_accuracy",
]
