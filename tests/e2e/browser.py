# SPDX-License-Identifier: Apache-2.0
"""A real browser for tests: Chromium without a window, steered over WebDriver (W3C) by its own chromedriver, standard library only.

`find()` is None where one of the two programs is missing: such a test is skipped.
"""

import base64
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars"]
LONGEST_SECONDS = 120


def find():
    """(chromium, chromedriver), or None."""
    programs = shutil.which("chromium") or shutil.which("chromium-browser"), shutil.which("chromedriver")
    return programs if all(programs) else None


class Browser:
    """A window of a size; `with` closes it. Its user folder is new, so that nothing of another run is seen."""

    def __init__(self, width=1400, height=900):
        chromium, chromedriver = find()
        self._folder = tempfile.mkdtemp(prefix="vernier_browser_")
        self._driver = subprocess.Popen([chromedriver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._session = None
        try:
            self._address = f"http://127.0.0.1:{self._port()}"
            options = {"binary": chromium, "args": [*OPTIONS, f"--user-data-dir={self._folder}", f"--window-size={width},{height}"]}
            wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            self._session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
            self.resize(width, height)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._session:
            self._call("DELETE", f"/session/{self._session}")
        self._driver.terminate()
        self._driver.wait()
        self._driver.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def open(self, file):
        self._of_session("POST", "/url", {"url": pathlib.Path(file).resolve().as_uri()})

    def resize(self, width, height):
        """The page itself becomes so large."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        """"dark" or "light"."""
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def run(self, script, *arguments):
        """What the script returns, once the page has drawn what it changed."""
        body = {"script": f"const done = arguments[arguments.length - 1]; const run = function() {{ {script} }};"
                          "const result = run.apply(null, Array.prototype.slice.call(arguments, 0, -1));"
                          "requestAnimationFrame(() => requestAnimationFrame(() => done(result)));", "args": list(arguments)}
        return self._of_session("POST", "/execute/async", body)

    def wait_for(self, condition, seconds=30):
        """Until the expression holds; TimeoutError after so many seconds."""
        end = time.monotonic() + seconds
        while not self.run(f"return Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"{condition} does not hold after {seconds} s; the browser says: {self.log()}")
            time.sleep(0.02)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)

    def click(self, selector):
        [reference] = self._of_session("POST", "/element", {"using": "css selector", "value": selector}).values()
        self._of_session("POST", f"/element/{reference}/click", {})
        self.run("return null")

    def type(self, selector, keys):
        """Keys as WebDriver numbers them; the element gets the focus."""
        [reference] = self._of_session("POST", "/element", {"using": "css selector", "value": selector}).values()
        self._of_session("POST", f"/element/{reference}/value", {"text": keys})
        self.run("return null")

    def drag(self, selector, from_x, to_x, y):
        """With the mouse, in pixels from the element's upper left corner."""
        left, top = self.run("const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center', behavior: 'instant'});"
                             "const box = e.getBoundingClientRect(); return [box.left, box.top]", selector)
        actions = [self._move(left + from_x, top + y)]
        if to_x is not None:
            actions += [{"type": "pointerDown", "button": 0}, self._move(left + to_x, top + y), {"type": "pointerUp", "button": 0}]
        self._of_session("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})
        self.run("return null")

    def point(self, selector, x, y):
        """Moves the mouse there."""
        self.drag(selector, x, None, y)

    @staticmethod
    def _move(x, y):
        return {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}

    def log(self):
        """What the browser has to say of the page since the last call: messages of all levels."""
        return [entry["message"] for entry in self._of_session("POST", "/se/log", {"type": "browser"})]

    def screenshot(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self._of_session("GET", "/screenshot")))

    def print(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self._of_session("POST", "/print", {})))

    def devtools(self, command, **parameters):
        return self._of_session("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def _of_session(self, method, path, body=None):
        return self._call(method, f"/session/{self._session}{path}", body)

    def _port(self):
        for line in self._driver.stdout:
            if match := re.search(r"started successfully on port (\d+)", line):
                return int(match.group(1))
        raise RuntimeError("chromedriver ended without a port")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            # Not through a proxy that the environment may name.
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=LONGEST_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {json.load(error)['value']['message']}") from None
