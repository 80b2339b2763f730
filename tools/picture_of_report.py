"""Draw the picture of the README and the site: ``python tools/picture_of_report.py``; needs Chromium."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pyfsagg

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "_static" / "report.png"
BROWSER = (
    *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def main() -> None:
    """The first screen of the report of a run on the wine data."""
    from PIL import Image

    wine = pyfsagg.load_dataset("wine")
    result = pyfsagg.rank(wine.X, wine.y, n_resamples=1000, random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        page, shot = Path(folder, "report.html"), Path(folder, "shot.png")
        result.report(page, data_name="wine")
        own = [
            f"--user-data-dir={folder}/browser",
            "--window-size=1280,700",
            f"--screenshot={shot}",
        ]
        subprocess.run([*BROWSER, *own, page.as_uri()], check=True, capture_output=True)
        with Image.open(shot) as image:
            image.convert("L").quantize(16).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
