"""The command line as users type it, and a computer without R."""

import pytest
from terminal import command, process, pyfsagg, refused

from pyfsagg.exceptions import MissingDependencyError

__all__ = ["command", "process", "pyfsagg", "refused"]


@pytest.fixture
def no_r(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_r(name: str) -> object:
        raise MissingDependencyError("R is <not> here")

    monkeypatch.setattr("pyfsagg_rpy2.session.package", without_r)
