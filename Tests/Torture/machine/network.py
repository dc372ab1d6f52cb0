"""A network that fails, in a namespace of its own: with tc and nft, and with servers and proxies that go wrong.

Promised for each fault: the run ends in bounded time, says why in a sentence, and loses nothing; once the network is
well, `resume` completes it all. Where the fault passes by itself while `submit` waits, it goes on by itself."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import audit
import crash
from world import Broken, seeded

NETWORK = ("shop", "box", "nas")
DELAY = Path(__file__).resolve().parents[2] / "Benchmarks" / "delay.py"


def sh(*lines):
    for line in lines:
        subprocess.run(["/bin/bash", "-c", line], check=True, capture_output=True, text=True)


def rules(*lines):
    text = "table inet torture\ndelete table inet torture\ntable inet torture {\n chain input {\n"
    text += "  type filter hook input priority 0;\n" + "".join(f"  {line}\n" for line in lines) + " }\n}\n"
    done = subprocess.run(["nft", "-f", "-"], input=text, text=True, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"nft does not take {lines}: {done.stderr}")


def heal():
    sh("nft delete table inet torture 2>/dev/null || true", "tc qdisc del dev lo root 2>/dev/null || true")


class Fault:
    """`begin` brings it about on the ports of the destinations; `config` is what the world's configuration says
    otherwise. `passes`: it is over by itself, and a run gets through."""

    def __init__(self, name, begin=None, end=heal, config=None, passes=False, while_running=None, scene="small", env=None,
                 sayings=()):
        self.name, self.begin, self.end, self.config = name, begin, end, config or (lambda places: {})
        self.passes, self.while_running, self.scene = passes, while_running, scene
        self.env = env or (lambda: {})
        # Of these words one has to be in what is said.
        self.sayings = sayings


class Portal(BaseHTTPRequestHandler):
    """A captive portal, a web server that knows nothing, or a proxy that cannot: one answer for everything."""

    protocol_version = "HTTP/1.1"
    status, headers_sent, text = 200, (), b"<html><title>Log in</title><body>Welcome to our wireless network</body></html>"

    def log_message(self, *_):
        pass

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(self.status)
        self.send_header("Content-Type", "text/html")
        for name, value in self.headers_sent:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(self.text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(self.text)
        self.close_connection = True


def serve(status=200, headers=()):
    handler = type("One", (Portal,), {"status": status, "headers_sent": headers})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def close_all():
    """Takes connections and closes them without a word, as nginx's 444 and a dead tunnel do."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            connection, _ = listener.accept()
            connection.recv(1)
            connection.close()

    threading.Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


class LongLine:
    """A line to a server that is slow to pass things on; the kernel has no netem."""

    def __init__(self, milliseconds):
        self.milliseconds, self.lines = milliseconds, []

    def to(self, port):
        line = subprocess.Popen(
            [sys.executable, DELAY, "--to", str(port), "--latency", str(self.milliseconds)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.lines.append(line)
        return f"http://127.0.0.1:{int(line.stdout.readline())}"

    def end(self):
        for line in self.lines:
            line.kill()
            line.wait()
        self.lines = []


def all_at(address):
    """The destinations, all at one address."""
    return {"endpoint": address, "swift": address + "/auth/v1.0", "dav": address + "/dav/"}


def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def faults(machine, storage, dav, plain_ports, secure):
    ports = "{ " + ", ".join(map(str, plain_ports)) + " }"
    to, of = f"tcp dport {ports}", f"tcp sport {ports}"
    narrow = lambda rate: lambda: sh(f"tc qdisc add dev lo root tbf rate {rate} burst 16k latency 500ms")
    long_line = LongLine(600)
    found = [
        Fault("long line, 600 ms there and back", end=long_line.end, passes=True, config=lambda places: {
            "endpoint": (far := long_line.to(plain_ports[0])), "swift": far + "/auth/v1.0",
            "dav": long_line.to(plain_ports[1]) + "/dav/"}),
        Fault("narrow line, 2 Mbit/s", narrow("2mbit"), passes=True),
        Fault("narrow line, 20 Mbit/s, a large file", narrow("20mbit"), passes=True, scene="large"),
        Fault("loss of 5 in 100 packets", lambda: rules(f"{to} numgen random mod 100 < 5 drop"), passes=True),
        Fault("black hole", lambda: rules(f"{to} drop")),
        Fault("black hole for the answers", lambda: rules(f"{of} drop")),
        Fault("refused", lambda: rules(f"{to} reject with tcp reset")),
        Fault("unreachable", lambda: rules(f"{to} reject with icmp type host-unreachable")),
        Fault("reset after 20 kB", lambda: rules(f"{to} ct bytes > 20000 reject with tcp reset")),
        Fault("reset after 2 MB, a large file", lambda: rules(f"{to} ct bytes > 2000000 reject with tcp reset"),
              scene="large"),
        Fault("stall after 100 kB in all", lambda: rules(f"{to} quota over 100000 bytes drop")),
        Fault("answers stall after 3 kB in all", lambda: rules(f"{of} quota over 3000 bytes drop")),
        Fault("half closed: the server's end never comes", lambda: rules(f"{of} tcp flags & fin == fin drop"), passes=True),
        Fault("a name that does not resolve", config=lambda places: all_at("https://no-such-host.invalid"),
              sayings=("no-such-host.invalid",)),
        Fault("a certificate for another host", config=lambda places: {
            "endpoint": storage.env["WRONG_NAME_ENDPOINT"],
            "swift": storage.env["WRONG_NAME_ENDPOINT"] + "/auth/v1.0",
            "dav": secure.env["TLS_ENDPOINT"].replace("localhost", "127.0.0.2")},
            env=lambda: {"CURL_CA_BUNDLE": machine_authority(machine, storage, secure)}, sayings=("certificate",)),
        Fault("a certificate that nobody vouches for", config=lambda places: {
            "endpoint": storage.env["TLS_ENDPOINT"], "swift": storage.env["TLS_ENDPOINT"] + "/auth/v1.0",
            "dav": secure.env["TLS_ENDPOINT"]}, sayings=("certificate",)),
        Fault("no TLS at all where https is said", config=lambda places: {
            "endpoint": storage.env["ENDPOINT"].replace("http:", "https:"),
            "swift": storage.env["AUTH_URL"].replace("http:", "https:"),
            "dav": dav.env["ENDPOINT"].replace("http:", "https:")}),
        Fault("a dead proxy", config=lambda places: {"network": f"network:\n  proxy: http://127.0.0.1:{closed_port()}"},
              sayings=("proxy", "127.0.0.1", "reach")),
        Fault("a proxy that takes connections and closes them", config=lambda places: {
            "network": f"network:\n  proxy: {close_all()}"}, env=lambda: {"NO_PROXY": "", "no_proxy": ""}),
        Fault("servers that take connections and close them", config=lambda places: all_at(close_all())),
        Fault("flapping, up and down for 0.7 s each", passes=True, while_running=flap(to, 0.7), end=heal),
        Fault("flapping, up and down for 0.2 s each", passes=True, while_running=flap(to, 0.2), end=heal),
        Fault("servers stopped and started", passes=True, while_running=restart(storage, dav)),
        Fault("servers frozen for 4 s", passes=True, while_running=freeze(storage, dav, 4)),
    ]
    for status, headers in ((200, ()), (302, (("Location", "http://login.portal.invalid/"),)), (511, ()), (407, ()),
                            (502, ()), (504, ())):
        server = serve(status, headers)
        address = f"http://127.0.0.1:{server.server_address[1]}"
        found.append(Fault(f"a captive portal that answers {status}", config=lambda places, a=address: all_at(a)))
        found.append(Fault(f"a proxy that answers {status}", config=lambda places, a=address: {
            "network": f"network:\n  proxy: {a}"}, env=lambda: {"NO_PROXY": "", "no_proxy": ""}))
    return found


def machine_authority(machine, storage, secure):
    """Both authorities in one file."""
    path = machine.work / "authorities.pem"
    path.write_text(open(storage.env["CA"]).read() + open(secure.env["CA"]).read())
    return str(path)


def flap(to, seconds):
    def during(process):
        def work():
            for _ in range(6):
                rules(f"{to} reject with tcp reset")
                time.sleep(seconds)
                heal()
                time.sleep(seconds)
        during.thread = threading.Thread(target=work)
        during.thread.start()
    return during


def restart(storage, dav):
    def during(process):
        def work():
            time.sleep(0.15)
            for server in (dav, storage):
                server.stop()
            for server in (dav, storage):
                server.start()
        during.thread = threading.Thread(target=work)
        during.thread.start()
    return during


def freeze(storage, dav, seconds):
    def during(process):
        def work():
            time.sleep(0.1)
            groups = [pid for server in (storage, dav) for pid in server.pids().values()]
            for group in groups:
                os.killpg(group, signal.SIGSTOP)
            time.sleep(seconds)
            for group in groups:
                os.killpg(group, signal.SIGCONT)
        during.thread = threading.Thread(target=work)
        during.thread.start()
    return during


def try_one(worker, number, fault, figures):
    machine = worker.machine
    folder = machine.work / f"network-{number}"
    heal()
    world, places, names, expected = worker.world(
        folder, fault.scene, seeded(machine.seed, "network", number), number)
    names = NETWORK
    expected = {place: expected[place] for place in names}
    well = places.yaml().replace("connect_timeout: 5", "connect_timeout: 2").replace(
        "stall_timeout: 10", "stall_timeout: 3")
    try:
        changes = fault.config(places)
        world.write_config(well if not changes else places.yaml(**changes).replace(
            "connect_timeout: 5", "connect_timeout: 2").replace("stall_timeout: 10", "stall_timeout: 3"))
        if fault.begin:
            fault.begin()
        command = [*crash.send(names), world.photos]
        command[command.index("--wait") + 1] = 40 if fault.passes else 3
        run = world.run(*command, extra=fault.env(), within=120 if fault.passes else 60,
                        while_running=fault.while_running)
        if fault.while_running:
            fault.while_running.thread.join()
        figures[f"exit {run.code}"] += 1
        figures["longest"] = max(figures["longest"], int(run.seconds))
        # Nobody failed because of the way there.
        if run.code not in (0, 3) or fault.passes and run.code != 0:
            raise Broken(f"it ends otherwise than it should: {run}")
        said = " ".join(event.get("message", "") for event in run.events("waiting", "failed", "on-hold"))
        if run.code and not said.rstrip().endswith("."):
            raise Broken(f"no sentence says what is wrong: {run}")
        if run.code and fault.sayings and not any(word in said for word in fault.sayings):
            raise Broken(f"what is said does not name it: {said[:400]}")
        fault.end()
        time.sleep(0.2)
        world.write_config(well)
        audit.check_said(world, run)
        audit.check_done(world, places, names)
        world.finish(within=120)
        audit.check_complete(world, places, names, expected)
    except Exception as trouble:
        heal()
        machine.keep_failure("network", number, world, fault.name, trouble,
                             remains={place: places.remains(place) for place in names})
        figures["failures"] += 1
    else:
        if machine.verbose:
            machine.say(f"network {number}: {fault.name}: " + " | ".join(world.steps))
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        fault.end()
        heal()


def run(machine, report):
    if not os.environ.get("TORTURE_NAMESPACE"):
        return report_of_namespace(machine, report)
    machine.part = "network"
    sh("ip link set lo up", "ip link set lo mtu 1500")
    started, figures = time.monotonic(), Counter(longest=0)
    storage, dav, secure = machine.storage(), machine.dav(), machine.dav("--tls")
    plain = [int(server.env["ENDPOINT"].split(":")[2].split("/")[0]) for server in (storage, dav)]
    worker = crash.Worker(machine, storage, dav, "n")
    all_faults = faults(machine, storage, dav, plain, secure)
    for number, fault in enumerate(all_faults, 1):
        if machine.case not in (None, number) or machine.only and not any(word in fault.name for word in machine.only):
            continue
        if figures["failures"] >= machine.most_failures:
            break
        figures["cases"] += 1
        try_one(worker, number, fault, figures)
    ends = ", ".join(f"{name}: {figures[name]}" for name in sorted(figures) if name.startswith("exit"))
    report.part(
        "network", figures["failures"] == 0 and figures["cases"] > 0,
        f"{figures['cases']} of {len(all_faults)} faults to S3, Swift and WebDAV at once, {time.monotonic() - started:.0f} s; the "
        f"longest run {figures['longest']} s; {figures['failures']} failures",
        [f"how the runs under a fault ended: {ends}"])


def report_of_namespace(machine, report):
    """The same program again, in a network of its own, with this part alone."""
    words = [word for word in sys.argv[1:] if word not in ("crash", "power", "resources", "network", "liars")]
    own = list(words)
    out = machine.out / "network"
    shutil.rmtree(out, ignore_errors=True)
    for at, word in enumerate(words):
        if at and words[at - 1] == "--work":
            own[at] = machine.work / "network"
        if at and words[at - 1] == "--out":
            own[at] = out
    if "--seed" not in words:
        own += ["--seed", str(machine.seed)]
    done = subprocess.run(
        ["unshare", "-n", sys.executable, sys.argv[0], "network", *map(str, own)],
        env={**os.environ, "TORTURE_NAMESPACE": "1"}, stdout=subprocess.PIPE, text=True)
    lines = [line.removeprefix("torture: ") for line in done.stdout.splitlines()]
    for line in lines:
        if not line.startswith(("seed ", "report in ", "network: ", "    ")):
            machine.say(line)
    figures = next((line for line in lines if line.startswith("network: ")), "network: BROKEN: it did not run")
    report.part("network", done.returncode == 0, figures.split(": ", 2)[-1],
                [line.strip() for line in lines if line.startswith("    how")])
