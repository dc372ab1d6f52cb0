"""The real servers of Tests/Servers, and what lies on them, seen by another way than `submit` took."""

import hashlib
import json
import os
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "Servers"

# Whatever proxy the machine uses, loopback goes without.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Server:
    """One that a script starts and stops; `env` is what a client needs to know."""

    def __init__(self, script, folder, *options):
        self.script, self.folder, self.options = SCRIPTS / script, Path(folder), options
        self.env = {}

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [self.script, "start", self.folder, *self.options], capture_output=True, text=True, timeout=180)
        if done.returncode:
            raise RuntimeError(f"{self.script.name} does not start: {done.stderr}")
        self.env = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
        return self

    def stop(self):
        subprocess.run([self.script, "stop", self.folder], capture_output=True, timeout=60)

    def pids(self):
        """The daemons, by name."""
        lines = (self.folder / "pids").read_text().splitlines()
        return {line.split()[0]: int(line.split()[1]) for line in lines}


class ObjectServer(Server):
    """OpenStack Swift with its S3 front."""

    def __init__(self, folder, *options):
        super().__init__("swift.sh", folder, *options)

    def start(self):
        super().start()
        user = {"X-Auth-User": self.env["ACCESS_KEY"], "X-Auth-Key": self.env["SECRET_KEY"]}
        with _direct.open(urllib.request.Request(self.env["AUTH_URL"], headers=user), timeout=60) as answer:
            self.token = answer.headers["X-Auth-Token"]
        return self

    def _ask(self, path, method="GET", headers=None):
        request = urllib.request.Request(
            f"{self.env['STORAGE_URL']}/{urllib.parse.quote(path, safe='/?=&%')}", method=method,
            headers={"X-Auth-Token": self.token, **(headers or {})})
        try:
            with _direct.open(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def make(self, container):
        status, _ = self._ask(container, "PUT")
        assert status < 300, status

    def objects(self, container, prefix=""):
        """Name, and what the server says of it."""
        status, body = self._ask(f"{container}?format=json&limit=10000&prefix={urllib.parse.quote(prefix)}")
        if status == 404:
            return {}
        assert status < 300, (container, status)
        return {entry["name"]: entry for entry in json.loads(body or b"[]") if "name" in entry}

    def put(self, container, name, data):
        request = urllib.request.Request(
            f"{self.env['STORAGE_URL']}/{container}/{urllib.parse.quote(name)}", method="PUT", data=data,
            headers={"X-Auth-Token": self.token})
        _direct.open(request, timeout=60).close()

    def digest(self, container, name):
        status, body = self._ask(f"{container}/{urllib.parse.quote(name)}")
        return hashlib.sha256(body).hexdigest() if status == 200 else f"status {status}"

    def segments(self, container, name):
        """The paths of what a large object is made of; empty for a plain one."""
        status, body = self._ask(f"{container}/{urllib.parse.quote(name)}?multipart-manifest=get")
        try:
            return [entry["name"].lstrip("/") for entry in json.loads(body)] if status == 200 else []
        except (ValueError, TypeError, KeyError):
            return []

    def remove(self, container, prefix):
        for name in self.objects(container, prefix):
            status, body = self._ask(f"{container}/{urllib.parse.quote(name)}", "DELETE")
            assert status in (204, 404), (container, name, status, body[:200])


class DAVServer(Server):
    """Apache with mod_dav."""

    def __init__(self, folder, *options):
        super().__init__("apache-dav.sh", folder, *options)

    def path(self, folder):
        return Path(self.env["DATA"]) / folder

    def put(self, folder, name, data):
        """A file as another client would have left it."""
        target = self.path(folder) / name
        for parent in reversed(target.relative_to(self.env["DATA"]).parents):
            whole = Path(self.env["DATA"]) / parent
            whole.mkdir(exist_ok=True)
            shutil.chown(whole, *(["www-data", "www-data"] if os.geteuid() == 0 else [os.geteuid()]))
        target.write_bytes(data)
        if os.geteuid() == 0:
            shutil.chown(target, "www-data", "www-data")

    def remove(self, folder):
        shutil.rmtree(self.path(folder), ignore_errors=True)
