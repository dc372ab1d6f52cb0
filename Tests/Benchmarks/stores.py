"""Where the files go: servers, a fresh place at one for every run, and what arrived there.

Nothing is removed before the end: ext4 avoids inodes that were freed within the last minutes, and searching for others
would be measured. What was counted is cut to nothing instead.
"""

import json
import os
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Line:
    """delay.py, between the clients and one server."""

    def __init__(self, port: int, latency: float, requests: bool):
        self.latency = latency
        self.process = subprocess.Popen(
            [sys.executable, HERE / "delay.py", "--to", str(port), "--latency", str(latency)]
            + (["--requests"] if requests else []), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def counts(self) -> dict:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


@dataclass
class Target:
    """Where one run stores.

    Place is the folder, bucket, container or collection, url the server as it is reached, over latency milliseconds.
    """

    store: "Store"
    place: str
    url: str
    latency: float = 0


class Servers:
    """Those that run, by the script and the name they were started with."""

    def __init__(self, work: Path):
        self.work, self.started, self.turn = work, {}, 0
        self.authorities = work / "ca.pem"

    def start(self, script: str, *options: str) -> dict:
        if script not in self.started:
            folder = self.work / script.removesuffix(".sh")
            answer = subprocess.run(
                [HERE.parent / "Servers" / script, "start", folder, *options], check=True, capture_output=True,
                text=True)
            self.started[script] = dict(line.split("=", 1) for line in answer.stdout.split()) | {"FOLDER": folder}
            with self.authorities.open("a") as file:
                file.write(Path(self.started[script]["CA"]).read_text())
        return self.started[script]

    def stop(self):
        for script, values in self.started.items():
            subprocess.run([HERE.parent / "Servers" / script, "stop", values["FOLDER"]], check=False)

    def fresh(self, name: str) -> str:
        self.turn += 1
        return f"{name}-{self.turn}"


def with_port(url: str, port: int) -> str:
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit(parts._replace(netloc=f"{parts.hostname}:{port}"))


def data_files(folder: Path, ends: str = ""):
    """What lies there with any bytes, with its size."""
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            if name.endswith(ends) and name != ".submit-folder" and (size := os.lstat(path).st_size):
                yield path, size


def arrived(name: str, sizes: list, workload) -> str:
    return f"{len(sizes)} files with {sum(sizes)} bytes arrived at {name}, of {workload.count} with {workload.bytes}"


class Store:
    name, script, options = "", "", ("--tls",)
    has_network = True

    def __init__(self, servers: Servers):
        self.servers = servers

    @property
    def values(self) -> dict:
        return self.servers.start(self.script, *self.options)

    def url(self, scheme: str) -> str:
        return self.values["TLS_ENDPOINT" if scheme == "https" else "ENDPOINT"]

    def port(self, scheme: str) -> int:
        return urllib.parse.urlsplit(self.url(scheme)).port

    def logged(self) -> list:
        """The methods of all requests so far, by the server's list of them; none where it has none."""
        log = self.values.get("ACCESS_LOG")
        return [self.method(line).decode() for line in Path(log).open("rb")] if log else []

    def method(self, line: bytes) -> bytes:
        raise NotImplementedError

    def made(self) -> str:
        """A fresh place; making it is not measured, and a request for none of the clients."""
        name = self.servers.fresh(self.name)
        self.folder(name).mkdir(parents=True)
        return name

    def folder(self, place: str) -> Path:
        """Where on the disk a place lies."""
        raise NotImplementedError

    def target(self, scheme: str, line: Line | None) -> Target:
        url = self.url(scheme)
        return Target(self, self.made(), with_port(url, line.port), line.latency) if line else Target(self, self.made(), url)

    def missing(self, place: str, workload) -> str | None:
        """What has not arrived, in words."""
        sizes = [size for _, size in data_files(self.folder(place))]
        if (len(sizes), sum(sizes)) == (workload.count, workload.bytes):
            return None
        return arrived(self.name, sizes, workload)

    def spend(self, place: str):
        for path, _ in data_files(self.folder(place)):
            os.truncate(path, 0)


class FileStore(Store):
    name, has_network = "file", False

    def target(self, scheme, line):
        return Target(self, self.made(), "")

    def folder(self, place):
        return self.servers.work / "folders" / place


class S3SinkStore(Store):
    """nginx that answers as S3 does, and does no more work than that: it computes and proves nothing."""

    name, script, options = "s3-sink", "s3-sink.sh", ()

    @property
    def data(self) -> Path:
        return Path(self.values["FOLDER"]) / "data"

    def folder(self, place):
        return self.data / place

    def wholes(self, place: str) -> list:
        """What is said of the objects that came in parts."""
        return [json.loads(path.read_text()) for path in (self.data / ".whole" / place).rglob("*") if path.is_file()]

    def missing(self, place, workload):
        sizes = [size for _, size in data_files(self.folder(place))] + [about["size"] for about in self.wholes(place)]
        if (len(sizes), sum(sizes)) == (workload.count, workload.bytes):
            return None
        return arrived(self.name, sizes, workload)

    def spend(self, place):
        super().spend(place)
        for uploads in (self.data / ".uploads").iterdir():
            for path, _ in data_files(uploads):
                os.truncate(path, 0)

    def logged(self):
        # nginx writes its log a second late.
        time.sleep(2)
        return super().logged()

    def method(self, line):
        return line.split(b" ", 1)[0]


class AmazonSinkStore(S3SinkStore):
    """The same server, which submit is told to take for Amazon's: it spares looks where conditions are known to hold."""

    name = "aws-sink"


class DAVStore(Store):
    """nginx with dav-ext and basic authentication, for which each client is given the password beforehand."""

    name, script = "webdav", "nginx-dav.sh"

    def folder(self, place):
        return Path(self.values["DATA"]) / place

    def method(self, line):
        return line.split(b"=", 1)[1].split(b" ", 1)[0]


class OpenStackStore(Store):
    """OpenStack Swift: one server, by its own protocol or by S3's."""

    script, options = "swift.sh", ()

    def token(self) -> str:
        values = self.values
        request = urllib.request.Request(
            values["AUTH_URL"], headers={"X-Auth-User": values["ACCESS_KEY"], "X-Auth-Key": values["SECRET_KEY"]})
        with urllib.request.urlopen(request) as answer:
            return answer.headers["X-Auth-Token"]

    def made(self):
        name = self.servers.fresh(self.name)
        request = urllib.request.Request(
            f"{self.values['STORAGE_URL']}/{name}", method="PUT", headers={"X-Auth-Token": self.token()})
        urllib.request.urlopen(request).close()
        return name

    def folder(self, place):
        return self.values["FOLDER"] / "data" / "d1" / "objects"

    def missing(self, place, workload):
        # A file in parts is several here, and their list.
        sizes = [size for _, size in data_files(self.folder(place), ".data")]
        if len(sizes) >= workload.count and sum(sizes) >= workload.bytes:
            return None
        return arrived(self.name, sizes, workload)

    def spend(self, place):
        folder = self.folder(place)
        if folder.exists():
            spent = folder.with_name(self.servers.fresh("spent"))
            folder.rename(spent)
            for path, _ in data_files(spent, ".data"):
                os.truncate(path, 0)


class S3Store(OpenStackStore):
    name = "s3"


class SwiftStore(OpenStackStore):
    name = "swift"
