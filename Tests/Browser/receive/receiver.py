"""A running `submit receive`: its events, what it wrote, and requests to it."""
import hashlib
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

from claims import Broken, equal, need, until

TOLERANT = ssl._create_unverified_context()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Home:
    """Folders of its own for a `submit`: nothing of whoever runs this is read or changed."""

    def __init__(self, path, configuration, secrets):
        self.path = Path(path)
        (self.path / "config/submit").mkdir(parents=True, exist_ok=True)
        (self.path / "config/submit/config.yaml").write_text(configuration)
        self.path.chmod(0o700)
        self.environment = {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color", "HOME": str(self.path),
            "XDG_CONFIG_HOME": f"{self.path}/config", "XDG_STATE_HOME": f"{self.path}/state",
            "XDG_CACHE_HOME": f"{self.path}/cache", "XDG_DATA_HOME": f"{self.path}/data", "NO_PROXY": "*", **secrets}

    def files_with(self, text):
        """Where below it a text stands."""
        sought = text.encode()
        return [str(path.relative_to(self.path)) for path in self.path.rglob("*")
                if path.is_file() and sought in path.read_bytes()]


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        """The code of a refusal, which has to be told in one sentence."""
        reason = self.json["error"]
        need(is_sentence(reason["message"]), f"no sentence: {reason['message']!r}")
        return reason["code"]


def is_sentence(text):
    return text.endswith(".") and "\n" not in text and len(text) < 400 and "\x1b" not in text


class Receiver:
    running = []
    # The folder of what each of them says of its requests.
    logs = None

    def __init__(self, program, home, *options, to="folder,dav,bucket", bind="127.0.0.1", json_lines=True, stdin=None):
        self.program, self.home, self.options = program, home, options
        command = [program, "receive", "--to", to, *options]
        if bind:
            command += ["--bind", bind]
        if json_lines:
            command += ["--json", "--verbose"]
        self.events, self.used, self.turn = [], set(), threading.Lock()
        self.changed = threading.Condition()
        self.log = Receiver.logs / f"{home.path.name}.{len(Receiver.running)}.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                command, env=home.environment, stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                cwd=home.path)
        Receiver.running.append(self)
        self.output = []
        self.reading = threading.Thread(target=self.read, daemon=True)
        self.reading.start()
        if json_lines:
            listening = self.event("listening", 30)
            self.port, self.fingerprint = listening["port"], listening.get("fingerprint")
            self.secure = listening["urls"][0].startswith("https:")
            self.address = re.match(r"https?://(.*?)(:\d+)?$", listening["urls"][0]).group(1)

    def read(self):
        for line in self.process.stdout:
            text = line.decode("utf-8", "surrogateescape")
            self.output.append(text)
            try:
                fact = json.loads(text)
            except ValueError:
                fact = {"event": "text", "message": text}
            with self.changed:
                self.events.append(fact)
                self.changed.notify_all()

    def find(self, event, **facts):
        with self.changed:
            return [e for e in self.events if e["event"] == event and all(e.get(k) == v for k, v in facts.items())]

    def living(self, found):
        """What was found; nothing more comes of one that has ended."""
        if not found and self.process.poll() is not None:
            raise Broken(f"submit receive ended with {self.process.returncode}: {self.log.read_text()[-600:]}")
        return found

    def event(self, event, within=20, **facts):
        """The first of its kind, as soon as there is one."""
        return until(f"no event {event} {facts}", within, lambda: self.living(self.find(event, **facts)))[0]

    def invite(self):
        """One that nobody has used. Where no other comes, whoever took the last one has failed before using it."""
        # Several clients come in at once, and each needs its own.
        with self.turn:
            deadline = time.monotonic() + 15
            fresh = until("no code", 20, lambda: self.living(
                [e for e in self.find("invite") if e["invite"] not in self.used]
                or time.monotonic() > deadline and self.find("invite")))[-1]
            self.used.add(fresh["invite"])
        return Invite(fresh["invite"], fresh["url"].split("#")[1], fresh["url"], fresh["expires"])

    def ask(self, method, path, body=None, headers={}, host=None, source=None, within=30):
        """One request on a connection of its own."""
        kind = http.client.HTTPSConnection if self.secure else http.client.HTTPConnection
        more = {"context": TOLERANT} if self.secure else {}
        connection = kind(self.address, self.port, timeout=within, source_address=(source, 0) if source else None, **more)
        try:
            connection.putrequest(method, path, skip_host=host is not None)
            if host is not None:
                connection.putheader("Host", host)
            if isinstance(body, (dict, list)):
                body = json.dumps(body).encode()
                connection.putheader("Content-Type", "application/json")
            if body is not None and "Content-Length" not in headers:
                connection.putheader("Content-Length", str(len(body)))
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def claim(self, invite, attempt=None, **options):
        body = {"secret": invite.secret, "bearer": True, "device": "machine"}
        if attempt:
            body["attempt"] = attempt
        return self.ask("POST", f"/r/{invite.id}/claim", body, **options)

    def come_in(self, invite=None):
        """The headers of a session."""
        answer = self.claim(invite or self.invite())
        equal("the answer to the secret", answer.status, 200)
        self.tokens = getattr(self, "tokens", []) + [answer.json["token"]]
        return {"Authorization": f"Bearer {answer.json['token']}"}

    def files(self, session):
        return self.ask("GET", "/status", headers=session).json["changes"]["files"]

    def until_safe(self, session, names, within=60):
        def ask():
            there = {file["name"]: file for file in self.files(session)}
            return all(there.get(name, {}).get("safe") for name in names) and there

        return until(lambda: f"safe are only {[(f['name'], f['state'], f['safe']) for f in self.files(session)]}", within, ask)

    @property
    def peak(self):
        """MiB that it had in memory at most."""
        self.living(None)
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", text).group(1)) / 1024

    def served_fingerprint(self):
        with socket.create_connection((self.address, self.port), 10) as plain, TOLERANT.wrap_socket(plain) as secured:
            digest = hashlib.sha256(secured.getpeercert(True)).hexdigest().upper()
        return ":".join(digest[i:i + 2] for i in range(0, len(digest), 2))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reading.join(5)

    def end(self, within=20):
        """Ends it as Ctrl-C does, and gives its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(within)
            except subprocess.TimeoutExpired:
                self.kill()
                raise Broken(f"submit receive did not end within {within} s")
        self.reading.join(5)
        return self.process.returncode

    @classmethod
    def end_all(cls):
        for one in cls.running:
            if one.process.poll() is None:
                one.process.kill()
                one.process.wait()


class Invite:
    def __init__(self, id, secret, url, expires):
        self.id, self.secret, self.url, self.expires = id, secret, url, expires


def submit(program, home, *arguments):
    """Another command on the same journal: its status, what it printed, and its complaints."""
    done = subprocess.run([program, *arguments], env=home.environment, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr
