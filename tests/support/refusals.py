"""Many calls that are refused, each with its error."""

from typing import Any

import pytest


def refused(
    call: Any, *cases: tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]
) -> None:
    """Every call with these arguments and options raises this error, with such a message."""
    for arguments, options, error, message in cases:
        with pytest.raises(error, match=message):
            call(*arguments, **options)
