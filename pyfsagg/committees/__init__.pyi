from .learners import committee as committee
from .result import Committee as Committee
from .result import vote as vote
from .rules import VOTING_RULES as VOTING_RULES
from .rules import Count as Count
from .rules import VotingRule as VotingRule
from .selection import LearnerSelection as LearnerSelection

__all__ = [
    "VOTING_RULES",
    "Committee",
    "Count",
    "LearnerSelection",
    "VotingRule",
    "committee",
    "vote",
]
