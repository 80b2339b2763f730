"""What people write out of habit: names of other packages, answered with ours."""

import difflib
import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar, cast

from pyfsagg.exceptions import InputTypeError

F = TypeVar("F", bound=Callable[..., Any])

ARGUMENTS = {
    "random_state": ("seed", "random_seed", "rng"),
    "n_jobs": ("jobs", "cores", "workers", "n_cores", "num_workers"),
    "n_resamples": (
        *("n_bootstraps", "n_bootstrap", "n_boot", "bootstraps", "b", "m", "n_iterations"),
        "n_repeats",
    ),
    "confidence_level": ("alpha", "confidence", "level", "conf_level"),
    "fdr": ("alpha", "q", "q_value", "max_fdr"),
    "n_features_to_select": ("threshold", "k", "top", "n_features", "n_select"),
    "filters": ("filter", "methods", "scorers", "score_func"),
    "filter": ("method", "scorer", "score_func"),
    "y": ("target", "labels"),
    "X": ("data", "table", "x"),
    "groups": ("group", "subjects"),
    "task": ("regression", "problem"),
    "universe": ("n", "n_items", "background"),
    "method": ("aggregator", "how"),
}
"""Arguments, and what they are called elsewhere."""
LATER = {"n_features_to_select": "10", "fdr": "fdr=0.1", "max_false": "max_false=1"}
"""What is not said to a run, but to the selection from its result."""

UNEXPECTED = re.compile(r"(\w+)\(\) got an unexpected keyword argument '(\w+)'")


def answers_spellings(function: F) -> F:
    """The function; an unknown argument is an error that names the nearest one.

    Examples
    --------
    >>> @answers_spellings
    ... def draw(*, random_state=None):
    ...     return random_state
    >>> draw(seed=1)
    Traceback (most recent call last):
    pyfsagg.exceptions.InputTypeError: draw() has no argument 'seed'; did you mean 'random_state'?
    """

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except TypeError as error:
            found = UNEXPECTED.search(str(error))
            own = error.__traceback__ is not None and error.__traceback__.tb_next is None
            if found is None or not own:
                raise
            raise other_argument(function, found[2]) from None

    return cast(F, called)


def other_argument(function: Callable[..., Any], name: str) -> InputTypeError:
    """The error of an argument that a function does not have."""
    parameters = inspect.signature(function).parameters.values()
    known = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
    meant = [ours for ours in known if name.lower() in ARGUMENTS.get(ours, ())]
    close = meant or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"did you mean {close[0]!r}?" if close else f"it has: {', '.join(known)}"
    for later, example in LATER.items():
        if not meant and (name == later or name.lower() in ARGUMENTS.get(later, ())):
            hint = f"that is chosen afterwards, for instance result.select({example})"
    return InputTypeError(f"{function.__name__}() has no argument {name!r}; {hint}")
