"""The command line in a test, written as a user types it."""

import shlex


def words(line: str, *more: str) -> list[str]:
    """The arguments of a command: `line` is read as a shell would, `more` is taken as it is."""
    return [*shlex.split(line), *more]
