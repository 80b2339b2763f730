"""What a run is made of: a hash of its data, a digest of each row, versions, the machine's code."""

import hashlib
import os
import platform
from functools import cache
from importlib.metadata import version
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.digest import digest
from pyfsagg._table.table import AnyTable
from pyfsagg._table.target import Target
from pyfsagg._version import __version__


def data_hash(table: AnyTable, target: Target | None) -> str:
    """SHA-256 of names, kinds, cell values and target: the identity of the data of a run."""
    more: list[Any] = []
    if target is not None and target.kind != "none":
        more += target.parts
        if target.kind == "classes":
            more.append(map(str, target.classes))
    if target is not None and target.adjusters is not None:
        more.append(data_hash(target.adjusters.table, None))
    if target is not None and target.always is not None:
        more.append("\0always" + data_hash(target.always, None))
    columns = (table.column(j) + 0.0 for j in range(table.n_features))  # a copy of all may not fit
    return digest([*table.feature_names, ""], table.kinds, columns, *more)


def row_digests(table: AnyTable) -> NDArray[np.uint64]:
    """A 64-bit digest of each row (n_samples,), independent of the order of rows and columns."""
    if table in _ROW_DIGESTS:
        return _ROW_DIGESTS[table]
    digests = np.zeros(table.n_samples, dtype=np.uint64)
    for j, name in enumerate(table.feature_names):
        salt = np.frombuffer(hashlib.blake2b(name.encode(), digest_size=8).digest(), np.uint64)[0]
        cells = table.column(j) + 0.0  # -0.0 and 0.0 are one value
        digests += mix_bits(cells.view(np.uint64) ^ salt)
    _ROW_DIGESTS[table] = mix_bits(digests)
    return _ROW_DIGESTS[table]


_ROW_DIGESTS: WeakKeyDictionary[AnyTable, NDArray[np.uint64]] = WeakKeyDictionary()
"""Digests of tables that are looked through, and that resamples are drawn from again and again."""


def mix_bits(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Finaliser of the splitmix64 generator: every input bit reaches every output bit."""
    bits = bits ^ (bits >> np.uint64(30))
    bits = bits * np.uint64(0xBF58476D1CE4E5B9)
    bits = bits ^ (bits >> np.uint64(27))
    bits = bits * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


_version = cache(version)


def versions() -> dict[str, str]:
    """Versions of everything that computes the numbers."""
    packages = ("numpy", "pandas", "scipy", "scikit-learn", "numba")
    own = {"pyfsagg": __version__, "python": platform.python_version()}
    return {**own, **{package: _version(package) for package in packages}}


@cache
def arithmetic() -> dict[str, str]:
    """What decides on the last digits of a sum: linear algebra, processor, environment variables."""
    import llvmlite.binding  # type: ignore[import-untyped]
    import scipy.linalg  # noqa: F401 - brings its own linear algebra
    from numba import config
    from threadpoolctl import threadpool_info

    blas = {
        f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')}".strip()
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    }
    processor = config.CPU_NAME or llvmlite.binding.get_host_cpu_name()  # type: ignore[attr-defined]
    try:  # the instructions beyond its least that NumPy takes on this processor
        simd = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    except (KeyError, TypeError):
        simd = []
    disabled = os.environ.get("NPY_DISABLE_CPU_FEATURES", "").replace(",", " ").split()
    return {
        "linear algebra": ", ".join(sorted(blas)),
        "numba": " ".join(filter(None, (processor, os.environ.get("NUMBA_CPU_FEATURES")))),
        "numpy": " ".join([*map(str, simd), *(f"-{name}" for name in sorted(disabled))]),
        "machine": platform.machine(),
    }
