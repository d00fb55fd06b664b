"""A small driver of headless Chromium over the pipe of the DevTools protocol: no driver program, no open port.

The browser resolves no host name and has an empty profile, so a page that asks for something outside gets nothing, and
the request is on record. Calls block; what the page reports meanwhile (console, exceptions, requests) is collected.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--enable-unsafe-swiftshader",  # WebGL without a graphics card
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)
MISSING = "no Chromium on this machine; the browser tests need one: apt-get install chromium (Debian)"
INSIDE = ("file:", "data:", "blob:", "about:")
ANSWER_S = 60.0


class BrowserError(Exception):
    """The browser is missing, has died, or does not answer; or a script on the page threw."""


def find() -> str:
    """The browser's program, or an error that says how to get one."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        raise BrowserError(MISSING)
    return found


class Browser:
    """One browser process; pages are opened one after the other."""

    def __init__(self, profile: Path) -> None:
        there, self._write = os.pipe()
        self._read, back = os.pipe()
        # chromium reads commands from descriptor 3 and answers on 4
        script = f'exec "$@" 3</dev/fd/{there} 4>/dev/fd/{back}'
        command = ["sh", "-c", script, "sh", find(), *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            command, pass_fds=(there, back), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(there)
        os.close(back)
        self._number = 0
        self._buffer = b""
        self._pages: dict[str, Page] = {}

    def open(self, place: Path | str, width: int = 1280, height: int = 900) -> Page:
        """A new page with a file or an address, once it has loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.call("Page.navigate", url=place.resolve().as_uri() if isinstance(place, Path) else place)
        page.wait_for("document.readyState == 'complete' && location.href != 'about:blank'")
        return page

    def close(self) -> None:
        """End the process, by force if it does not listen."""
        try:
            self.call("Browser.close")
            self._process.wait(timeout=10)
        except (BrowserError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def call(self, method: str, session: str | None = None, **arguments: Any) -> dict[str, Any]:
        """The answer to a command; see the reference of the DevTools protocol for methods."""
        number = self.send(method, session, **arguments)
        deadline = time.monotonic() + ANSWER_S
        while (answer := self._next(deadline, method)).get("id") != number:
            self._report(answer)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return dict(answer["result"])

    def send(self, method: str, session: str | None = None, **arguments: Any) -> int:
        """Send a command, and do not wait; returns its number."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": arguments}
        if session is not None:
            message["sessionId"] = session
        try:
            os.write(self._write, json.dumps(message).encode() + b"\0")
        except OSError as error:
            raise BrowserError(f"the browser is gone: {error}") from error
        return self._number

    def _next(self, deadline: float, method: str) -> dict[str, Any]:
        """The next message from the browser."""
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(deadline - time.monotonic(), 0.0))
            if not ready:
                raise BrowserError(f"no answer to {method} within {ANSWER_S:g} s")
            part = os.read(self._read, 2**20)
            if not part:
                raise BrowserError(f"the browser ended before it answered {method}")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))

    def _report(self, message: dict[str, Any]) -> None:
        page = self._pages.get(message.get("sessionId", ""))
        if page is not None:
            page.note(message.get("method", ""), message.get("params", {}))


class Page:
    """An open page. `errors` and `requests` grow as the page reports them."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target
        self.errors: list[str] = []  # console errors and warnings, uncaught exceptions, log entries of the browser
        self.requests: list[str] = []  # every address asked for
        self.dialogs: list[str] = []  # words of alert() and its like

    @property
    def outside(self) -> list[str]:
        """Requests that left the page."""
        self.evaluate("0")
        return [address for address in self.requests if not address.startswith(INSIDE)]

    def call(self, method: str, **arguments: Any) -> dict[str, Any]:
        return self._browser.call(method, self._session, **arguments)

    def note(self, method: str, facts: dict[str, Any]) -> None:
        """Keep what the page reports."""
        if method == "Network.requestWillBeSent":
            self.requests.append(facts["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(facts["url"])
        elif method == "Runtime.exceptionThrown":
            details = facts["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and facts["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in facts["args"]))
        elif method == "Log.entryAdded" and facts["entry"]["level"] in ("error", "warning"):
            self.errors.append(facts["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.dialogs.append(facts["message"])
            self._browser.send("Page.handleJavaScriptDialog", self._session, accept=True)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, as JSON carries it; promises are awaited."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return found["result"].get("value")

    def wait_for(self, expression: str, timeout_s: float = 30.0) -> None:
        """Until a JavaScript expression is true."""
        deadline = time.monotonic() + timeout_s
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                raise BrowserError(f"not true within {timeout_s:g} s: {expression}; errors: {self.errors}")
            time.sleep(0.02)

    def click(self, x: float, y: float) -> None:
        """Press and release the left button at a place of the window [px]."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def click_on(self, selector: str) -> None:
        """Click the middle of the first element that a CSS selector finds."""
        box = self.evaluate(
            f"(e => {{ e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect();"
            f" return [b.x + b.width / 2, b.y + b.height / 2]; }})(document.querySelector({json.dumps(selector)}))"
        )
        self.click(*box)

    def press(self, key: str, code: str = "", text: str = "") -> None:
        """A key such as "ArrowRight"; `text` is what it types (" " for the space bar)."""
        facts = {"key": key, "code": code or key}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **facts)
        self.call("Input.dispatchKeyEvent", type="keyUp", **facts)

    def screenshot(self, whole: bool = False) -> bytes:
        """PNG of the window, or of the whole page."""
        return base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole, format="png")["data"])

    def pdf(self) -> bytes:
        """The page as the browser prints it, in the size that its style asks for."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])

    def close(self) -> None:
        self._browser.call("Target.closeTarget", targetId=self._target)
