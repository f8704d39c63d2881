"""A headless Chromium for tests of pages, driven by its own driver over WebDriver (W3C), without any library.

Debian and Ubuntu have both programs in the packages ``chromium`` and ``chromium-driver``.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DRIVER = "chromedriver"
PHONE = {"width": 390, "height": 844, "pixelRatio": 2.0, "touch": True, "mobile": True}
START_SECONDS = 60
KEYS = {
    "ArrowLeft": "\ue012",
    "ArrowRight": "\ue014",
    "Home": "\ue011",
    "End": "\ue010",
    "PageDown": "\ue00f",
    " ": " ",
}
"""The code points by which WebDriver sends keys."""
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The name under which WebDriver hands out an element; the standard fixes it."""


def missing() -> str | None:
    """Return why there is no browser to test with, or None."""
    lacking = [] if any(map(shutil.which, BROWSERS)) else [BROWSERS[0]]
    lacking += [] if shutil.which(DRIVER) else [DRIVER]
    if not lacking:
        return None
    return f"no {' and no '.join(lacking)} here: apt-get install chromium chromium-driver"


class Browser:
    """A page in the browser."""

    def __init__(self, session: str) -> None:
        self._session = session

    def open(self, path: Path) -> None:
        """Open a file."""
        self._post("url", url=path.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        """Run the body of a function in the page and return what it returns."""
        return self._post("execute/sync", script=script, args=list(arguments))

    def click(self, selector: str) -> None:
        """Click what a selector of CSS finds; the driver refuses what cannot be seen or is covered."""
        self._post(f"element/{self._find(selector)}/click")

    def press(self, *keys: str, on: str = "body") -> None:
        """Press keys on an element."""
        self._post(f"element/{self._find(on)}/value", text="".join(KEYS[key] for key in keys))

    def text(self, selector: str) -> str:
        """Return the text of an element as it is seen."""
        return str(_call("GET", f"{self._session}/element/{self._find(selector)}/text"))

    def dark(self) -> None:
        """Prefer dark colours."""
        features = [{"name": "prefers-color-scheme", "value": "dark"}]
        self._post("goog/cdp/execute", cmd="Emulation.setEmulatedMedia", params={"features": features})

    def screenshot(self, path: Path) -> None:
        """Write what is seen as a picture."""
        path.write_bytes(base64.b64decode(_call("GET", f"{self._session}/screenshot")))

    def complaints(self) -> list[str]:
        """Return what the browser complained of since it was last asked: errors of scripts, requests refused."""
        return [entry["message"] for entry in self._post("se/log", type="browser")]

    def _find(self, selector: str) -> str:
        return str(self._post("element", using="css selector", value=selector)[ELEMENT])

    def _post(self, command: str, **values: Any) -> Any:
        return _call("POST", f"{self._session}/{command}", values)


@contextlib.contextmanager
def browser(*, phone: bool = False) -> Iterator[Browser]:
    """Provide a browser of its own, 1280 by 900 points or of a phone's size."""
    program = next(filter(None, map(shutil.which, BROWSERS)))
    options: dict[str, Any] = {
        "binary": program,
        "args": ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900"],
    }
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # Chromium's sandbox does not work for root, as whom containers run.
        options["args"].append("--no-sandbox")
    if phone:
        options["mobileEmulation"] = {"deviceMetrics": PHONE}
    wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
    with subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as driver:
        try:
            assert driver.stdout is not None
            ports = (re.search(r"started successfully on port (\d+)", line) for line in driver.stdout)
            port = next(filter(None, ports))[1]
            server = f"http://127.0.0.1:{port}/session"
            session = _call("POST", server, {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
            try:
                yield Browser(f"{server}/{session}")
            finally:
                _call("DELETE", f"{server}/{session}")
        finally:
            driver.terminate()


def _call(method: str, url: str, values: dict[str, Any] | None = None) -> Any:
    data = None if values is None else json.dumps(values).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    # A proxy of the environment has nothing to do with a server of this machine.
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=START_SECONDS) as answer:
        return json.load(answer)["value"]
