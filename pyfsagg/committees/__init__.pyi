from .learners import committee as committee
from .result import Committee as Committee
from .result import vote as vote
from .selection import LearnerSelection as LearnerSelection

__all__ = [
    "Committee",
    "LearnerSelection",
    "committee",
    "vote",
]
