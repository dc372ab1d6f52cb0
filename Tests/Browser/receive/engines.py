"""The page in engines other than Chromium's, driven by what each of them brings along: Firefox by Marionette, WebKit by its
own WebDriver. Both speak the commands of W3C's WebDriver, each in its own wrapping."""
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

from claims import Broken, need, until
from receiver import free_port

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
WEBKIT = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"


class Firefox:
    name = "Firefox"

    @staticmethod
    def is_there():
        return shutil.which("firefox-esr") is not None

    def __init__(self, folder):
        profile = folder / "firefox"
        profile.mkdir()
        self.port = free_port()
        (profile / "user.js").write_text(
            f'user_pref("marionette.port", {self.port});\n'
            'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
            'user_pref("browser.shell.checkDefaultBrowser", false);\n'
            'user_pref("network.captive-portal-service.enabled", false);\n'
            'user_pref("network.connectivity-service.enabled", false);\n'
            'user_pref("app.update.auto", false);\n')
        environment = {**os.environ, "HOME": str(folder), "MOZ_HEADLESS": "1", "NO_PROXY": "*", "MOZ_CRASHREPORTER_DISABLE": "1"}
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", str(profile)], env=environment,
            stdout=subprocess.DEVNULL, stderr=open(folder / "firefox.log", "w"), start_new_session=True)
        self.socket = until("Firefox does not listen", 60, self.connect, every=0.2)
        self.buffer, self.number = b"", 0
        self.read()
        told = self.ask("WebDriver:NewSession", {"acceptInsecureCerts": True})
        self.version = told["capabilities"]["browserVersion"]

    def connect(self):
        try:
            return socket.create_connection(("127.0.0.1", self.port), 60)
        except OSError:
            need(self.process.poll() is None, f"Firefox ended with {self.process.poll()}")
            return None

    def read(self):
        while b":" not in self.buffer:
            self.receive()
        length, _, self.buffer = self.buffer.partition(b":")
        while len(self.buffer) < int(length):
            self.receive()
        text, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(text)

    def receive(self):
        data = self.socket.recv(1 << 16)
        need(data, "Firefox has gone")
        self.buffer += data

    def ask(self, command, parameters={}):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.read()
        if error:
            raise Broken(f"{command}: {error['error']} {error['message']}")
        return result

    def open(self, url):
        self.ask("WebDriver:Navigate", {"url": url})

    def text(self, selector):
        return self.ask("WebDriver:ExecuteScript", {
            "script": "return document.querySelector(arguments[0])?.innerText ?? ''", "args": [selector]})["value"]

    def choose(self, paths):
        element = self.ask("WebDriver:FindElement", {"using": "css selector", "value": "#photos"})["value"][ELEMENT]
        self.ask("WebDriver:ElementSendKeys", {"id": element, "text": "\n".join(str(path) for path in paths)})

    def picture(self, path):
        import base64
        path.write_bytes(base64.b64decode(self.ask("WebDriver:TakeScreenshot", {"full": False})["value"]))

    def close(self):
        try:
            self.ask("Marionette:Quit", {"flags": ["eForceQuit"]})
        except (Broken, OSError):
            pass
        end(self.process)


class WebKit:
    name = "WebKitGTK"

    @staticmethod
    def is_there():
        return all(map(shutil.which, ("WebKitWebDriver", "Xvfb"))) and os.path.exists(WEBKIT)

    def __init__(self, folder):
        environment = {**os.environ, "HOME": str(folder), "NO_PROXY": "*", "GDK_BACKEND": "x11", "LANG": "en_GB.UTF-8",
                       # It would start a session bus, which outlives it.
                       "NO_AT_BRIDGE": "1", "GTK_A11Y": "none", "DBUS_SESSION_BUS_ADDRESS": "disabled:",
                       # Its sandbox wants name spaces that root in a container does not get.
                       "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "WEBKIT_DISABLE_DMABUF_RENDERER": "1"}
        log = open(folder / "webkit.log", "w")
        reading, writing = os.pipe()
        self.display = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "412x915x24", "-nolisten", "tcp"], pass_fds=[writing],
            stdout=log, stderr=log, start_new_session=True)
        os.close(writing)
        with os.fdopen(reading) as told:
            environment["DISPLAY"] = ":" + told.readline().strip()
        self.port = free_port()
        self.process = subprocess.Popen(
            ["WebKitWebDriver", f"--port={self.port}"], env=environment, stdout=log, stderr=log, start_new_session=True)
        self.session = ""

        def begin():
            need(self.process.poll() is None, f"WebKitWebDriver ended with {self.process.poll()}")
            try:
                return self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
                    "acceptInsecureCerts": True,
                    "webkitgtk:browserOptions": {"binary": WEBKIT, "args": ["--automation"]}}}})
            except (ConnectionError, urllib.error.URLError) as error:
                if isinstance(error, urllib.error.HTTPError):
                    raise Broken(error.read().decode())
                return None

        told = until("WebKitWebDriver does not listen", 60, begin, every=0.2)
        self.session = f"/session/{told['sessionId']}"
        self.version = told["capabilities"]["browserVersion"]

    def ask(self, method, path, parameters=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method, headers={"Content-Type": "application/json"},
            data=None if parameters is None else json.dumps(parameters).encode())
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.loads(answer.read())["value"]

    def open(self, url):
        self.ask("POST", f"{self.session}/url", {"url": url})

    def text(self, selector):
        return self.ask("POST", f"{self.session}/execute/sync", {
            "script": "const e = document.querySelector(arguments[0]); return e ? e.innerText : ''", "args": [selector]})

    def choose(self, paths):
        element = self.ask("POST", f"{self.session}/element", {"using": "css selector", "value": "#photos"})[ELEMENT]
        self.ask("POST", f"{self.session}/element/{element}/value", {"text": "\n".join(str(path) for path in paths)})

    def picture(self, path):
        import base64
        path.write_bytes(base64.b64decode(self.ask("GET", f"{self.session}/screenshot")))

    def close(self):
        if self.session:
            try:
                self.ask("DELETE", self.session)
            except OSError:
                pass
        end(self.process)
        end(self.display)


def end(process):
    """With all that it began."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def send(kind, receiver, paths, folder, pictures):
    folder.mkdir(parents=True)
    began = time.monotonic()
    browser = None
    try:
        browser = kind(folder)
        begun = time.monotonic() - began
        invite = receiver.invite()
        browser.open(invite.url)
        until(lambda: f"its page says {browser.text('body')!r}", 30, lambda: "To:" in browser.text("#where"), every=0.2)
        browser.choose(paths)
        until(lambda: f"its page says {browser.text('main')[:500]!r}", 120,
              lambda: "All of it is safe" in browser.text("#notice"), every=0.3)
        count = browser.text("#count")
        need(f"{len(paths)} of {len(paths)} arrived" in count, f"it counts {count!r}")
        browser.picture(pictures / f"{kind.name.lower()}-safe.png")
        return f"{kind.name} {browser.version}, begun in {begun:.1f} s: {count}"
    finally:
        if browser:
            browser.close()
