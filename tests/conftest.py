"""What holds for the whole suite."""

from __future__ import annotations

import gc

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those of R begin: the longest are among them, and the worker that has them installs packages once."""
    items.sort(key=lambda item: item.get_closest_marker("r") is None)


def pytest_collection_finish() -> None:
    """Thousands of collected tests live as long as the process: garbage is not looked for among them."""
    gc.collect()
    gc.freeze()
