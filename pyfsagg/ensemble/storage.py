"""Where the score matrices of a run are kept."""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.blocks import row_blocks
from pyfsagg.exceptions import OutputError, ParameterError

__all__ = ["MatrixStore"]


class MatrixStore:
    """Score matrices in memory, or in unnamed files of a folder.

    The files are mapped into memory, so that a matrix is an ordinary array in both cases.  They vanish
    with the arrays, and with the process however that ends.

    Parameters
    ----------
    folder : path, optional
        An existing folder, preferably on a disk; without it matrices are kept in memory.

    Raises
    ------
    ParameterError
        If there is no such folder.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        if folder is not None and not Path(folder).is_dir():
            raise ParameterError(f"scratch must be an existing folder, got {str(folder)!r}")
        self._folder = folder
        self.on_disk = folder is not None
        self._maps: list[mmap.mmap] = []

    def matrix(self, shape: tuple[int, int]) -> NDArray[np.float64]:
        """A new matrix, its cells not set.

        Raises
        ------
        OutputError
            If the folder has no room for it.
        """
        if self._folder is None:
            return np.empty(shape)
        size = shape[0] * shape[1] * 8
        try:
            with tempfile.TemporaryFile(dir=self._folder) as file:
                _reserve(file.fileno(), size)
                mapped = mmap.mmap(file.fileno(), size)
        except OSError as error:
            raise OutputError(
                f"scratch={str(self._folder)!r} cannot take a score matrix of "
                f"{size / 1e6:,.0f} MB: {error.strerror}; name a folder with more room"
            ) from None
        self._maps.append(mapped)
        return np.frombuffer(mapped, dtype=np.float64).reshape(shape)

    def columns(self, matrix: NDArray[np.float64], columns: slice) -> NDArray[np.float64]:
        """A copy of some columns; of a mapped matrix only a part is held in memory meanwhile."""
        part = np.empty((matrix.shape[0], columns.stop - columns.start))
        for rows in row_blocks(matrix.shape):
            part[rows] = matrix[rows, columns]
            self.release()
        return part

    def release(self) -> None:
        """Give back the memory of what was read and written; the files keep the contents."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for mapped in self._maps:
                mapped.madvise(mmap.MADV_DONTNEED)


def _reserve(file: int, size: int) -> None:
    """Claim `size` bytes now: a mapped file that finds the disk full later would end the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
        return
    chunk = bytes(2**20)
    for start in range(0, size, len(chunk)):
        os.write(file, chunk[: size - start])
