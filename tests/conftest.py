"""What holds for the whole suite."""

from __future__ import annotations

import gc


def pytest_collection_finish() -> None:
    """Thousands of collected tests live as long as the process: garbage is not looked for among them."""
    gc.collect()
    gc.freeze()
