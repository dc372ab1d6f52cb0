"""Three WebDAV servers of rclone's, each behind a proxy that counts, and limits that are changed twice meanwhile:
limits.py PROGRAM. Prints what was asked and what went out in each ten seconds, and fails beyond 10 %."""

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MEGABYTE = 1 << 20
NAMES = ("a", "b", "c")
# Bytes a second, at first by the configuration; then by `submit limit`; at last of all together, too.
STEPS = (({"a": 1, "b": 2, "c": 0.5}, None), ({"a": 3, "b": 1, "c": 1.5}, None), ({"a": 3, "b": 3, "c": 0.5}, 2))
SETTLING, SECONDS = 2, 10


class Proxy:
    """Counts what clients send."""

    def __init__(self, port):
        self.server, self.count = port, 0
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.socket.accept()
            # What lies in buffers on the way is not on its way out.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            server = socket.create_connection(("127.0.0.1", self.server))
            for source, target, counts in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.pump, args=(source, target, counts), daemon=True).start()

    def pump(self, source, target, counts):
        try:
            while data := source.recv(65536):
                if counts:
                    self.count += len(data)
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def fair(shares, total):
    """What each gets of a total: the same, but nobody more than it may."""
    if total is None:
        return dict(shares)
    got, left = {}, total
    for index, (name, most) in enumerate(sorted(shares.items(), key=lambda share: share[1])):
        got[name] = min(most, left / (len(shares) - index))
        left -= got[name]
    return got


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        photos = folder / "photos"
        photos.mkdir()
        for index in range(180):
            (photos / f"{index:03}.jpg").write_bytes(bytes.fromhex("ffd8ffe0") + os.urandom(MEGABYTE))
        servers, proxies, configuration = [], {}, "destinations:\n"
        for name in NAMES:
            port = free_port()
            (folder / name).mkdir()
            servers.append(subprocess.Popen(
                ["rclone", "serve", "webdav", "--addr", f"127.0.0.1:{port}", folder / name], stderr=subprocess.DEVNULL))
            proxies[name] = Proxy(port)
            configuration += (f"  {name}:\n    type: webdav\n    url: http://127.0.0.1:{proxies[name].port}/\n"
                              f"    bandwidth: {int(STEPS[0][0][name] * 1024)}k\n")
        path = folder / "config/submit/config.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(configuration)
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")}
        time.sleep(2)
        sending = subprocess.Popen([program, "--quiet", "--any-file", "--to", ",".join(NAMES), photos], env=environment,
                                   stdin=subprocess.DEVNULL)
        while not all(proxy.count > MEGABYTE / 2 for proxy in proxies.values()):
            time.sleep(0.1)
        worst = 0
        try:
            for index, (asked, total) in enumerate(STEPS):
                if index:
                    for name, rate in asked.items():
                        subprocess.run([program, "limit", name, f"{int(rate * 1024)}k"], env=environment, check=True,
                                       stdout=subprocess.DEVNULL)
                    if total:
                        subprocess.run([program, "limit", "--total", f"{total}M"], env=environment, check=True,
                                       stdout=subprocess.DEVNULL)
                time.sleep(SETTLING)
                begun = {name: proxy.count for name, proxy in proxies.items()}
                start = time.monotonic()
                time.sleep(SECONDS)
                passed = time.monotonic() - start
                for name, rate in fair(asked, total).items():
                    got = (proxies[name].count - begun[name]) / passed / MEGABYTE
                    off = got / rate - 1
                    worst = max(worst, abs(off))
                    print(f"step {index + 1} {name}: asked {rate:.2f} MiB/s, {got:.2f} went out ({off:+.1%})", flush=True)
        finally:
            sending.kill()
            for server in servers:
                server.kill()
        print(f"at most {worst:.1%} off")
        sys.exit(worst > 0.1)


if __name__ == "__main__":
    main(sys.argv[1])
