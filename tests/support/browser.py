"""A headless Chromium that is told what to do through two pipes; one process opens many pages.

Scripts of a test run in a page whatever its policy allows, so pages are opened as they are.
"""

import base64
import importlib.util
import json
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from html_pages import chromium, missing

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync --mute-audio "
    "--disable-dev-shm-usage --disable-extensions --remote-debugging-pipe"
)
SECONDS = 240


class Browser:
    """Commands and events of the DevTools protocol, for one tab at a time."""

    def __init__(self, profile: Path) -> None:
        (from_us, to_browser), (from_browser, to_us) = os.pipe(), os.pipe()
        # The browser reads commands from file 3 and writes answers to file 4.
        line = f'exec "$@" 3<&{from_us} 4>&{to_us}'
        self.process = subprocess.Popen(
            ["bash", "-c", line, "-", chromium(), *FLAGS.split(), f"--user-data-dir={profile}"],
            pass_fds=(from_us, to_us),
            stderr=subprocess.DEVNULL,
        )
        os.close(from_us)
        os.close(to_us)
        self._write = os.fdopen(to_browser, "wb", buffering=0)
        self._read = os.fdopen(from_browser, "rb", buffering=0)
        self._buffer = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []
        self.session: str | None = None

    def close(self) -> None:
        """End the browser."""
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(SECONDS)
        finally:
            self.process.kill()
            self._write.close()
            self._read.close()

    def call(self, method: str, **arguments: Any) -> dict[str, Any]:
        """The answer of the browser to a command."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": arguments}
        if self.session:
            message["sessionId"] = self.session
        self._write.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                found: dict[str, Any] = answer["result"]
                return found
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._read.fileno(), 1 << 20)
            if not part:
                raise RuntimeError("the browser has gone")
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def wait(self, event: str) -> None:
        """Wait until an event has arrived since the list was emptied."""
        while not any(each.get("method") == event for each in self.events):
            self.events.append(self._next())

    # -----------------------------------------------------------------------------------------
    # a page
    # -----------------------------------------------------------------------------------------
    @contextmanager
    def page(self, file, width=1280, *, media="screen", scheme="light"):
        """Open a file at a width; telephones (below 500 pixels) have touch and no mouse."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        phone = width < 500
        for name in ("Page", "Runtime", "Log"):
            self.call(f"{name}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=844 if phone else 900,
                  deviceScaleFactor=1, mobile=phone)  # fmt: skip
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)
        self.events.clear()
        self.call("Page.navigate", url=file.as_uri())
        self.wait("Page.loadEventFired")
        try:
            yield self
        finally:
            self.session = None
            self.call("Target.closeTarget", targetId=target)

    def run(self, script: str) -> Any:
        """The value of an expression in the page, a promise's when it is kept."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True,
                           returnByValue=True)  # fmt: skip
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def complaints(self) -> list[str]:
        """What the page wrote to the console, and what the browser had to say about it."""
        texts = []
        for event in self.events:
            if event.get("method") == "Runtime.consoleAPICalled":
                texts.append(str(event["params"]["args"]))
            elif event.get("method") == "Runtime.exceptionThrown":
                texts.append(str(event["params"]["exceptionDetails"]["text"]))
            elif event.get("method") == "Log.entryAdded":
                texts.append(str(event["params"]["entry"]["text"]))
        return texts

    def pdf(self, file: Path) -> bytes:
        """The page as it is printed on A4."""
        data = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69,
                         printBackground=True, preferCSSPageSize=True)["data"]  # fmt: skip
        file.write_bytes(base64.b64decode(data))
        return file.read_bytes()

    def mouse(self, x: float, y: float) -> None:
        """Move the mouse to a place of the window."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def tap(self, x: float, y: float) -> None:
        """Touch a place of the window with a finger."""
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def key(self, name: str) -> None:
        """Press a key, such as Tab, Escape or ArrowRight."""
        codes = {"Tab": 9, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode=codes[name])  # fmt: skip


def axe() -> str:
    """The script of axe-core."""
    found = importlib.util.find_spec("axe_core_python")
    if found is not None and found.submodule_search_locations:
        return (Path(found.submodule_search_locations[0]) / "axe.min.js").read_text("utf-8")
    missing("axe-core-python is not installed")
