"""A home of `submit` with photos and destinations of its own, and the running, killing and resuming of it."""

import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

STEPS = (
    "commit", "checkpoint", "journal-write", "create", "copy", "sync", "rename", "unlink", "mkdir", "request", "reply",
    "open", "read", "map", "socket", "connect")
ALBUM = "Harbour"


class Broken(Exception):
    """A promise was broken."""


class Run:
    """What came of one `submit`."""

    def __init__(self, code, out, err, seconds, memory=0):
        self.code, self.out, self.err, self.seconds, self.memory = code, out, err, seconds, memory

    @property
    def killed(self):
        return self.code == -signal.SIGKILL

    def events(self, *names):
        """The lines of --json; the last may be torn by a kill."""
        found = []
        for line in self.out.splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if not names or event.get("event") in names:
                found.append(event)
        return found

    def __str__(self):
        return f"exit {self.code} after {self.seconds:.1f} s; {self.err.strip()[-600:]}"


class World:
    """`root` holds what `submit` reads and writes; beside it lies what only the torture needs."""

    def __init__(self, machine, folder, yaml, secrets, number=0):
        self.machine, self.folder = machine, Path(folder)
        self.root = self.folder / "root"
        for name in ("photos", "home", "config/submit", "state", "tmp"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        self.write_config(yaml)
        self.secrets = secrets
        self.runs = 0
        self.sources = {}
        self.steps = []
        self.number = number
        # Batches up to this one were there before.
        self.first_batch = 0
        # What is below it, where that forgets: each process that touches this world is seen by it.
        self.disk = None
        # Submissions whose copies somebody took or changed behind our back, and how often they were found lost before.
        self.apart = {}
        # The SHA-256 of what is sent instead of originals, by name.
        self.clean = {}

    def write_config(self, yaml):
        (self.root / "config/submit/config.yaml").write_text(yaml)

    @property
    def journal_path(self):
        return self.root / "state/submit/journal.sqlite"

    @property
    def photos(self):
        return self.root / "photos"

    # Sources

    def make_photos(self, sizes, numbers, prefix="IMG"):
        for index, size in enumerate(sizes):
            path = self.photos / f"{prefix}_{index:04}.jpg"
            path.write_bytes(photo(size, numbers))
            moment = 1_700_000_000 + numbers.randrange(10_000_000)
            os.utime(path, ns=(moment * 10**9, moment * 10**9 + 123_456_789))
            self.sources[path.name] = describe(path)

    def check_sources(self):
        now = {path.name: describe(path) for path in self.photos.iterdir()}
        if now != self.sources:
            raise Broken(f"the originals are not what they were: {differences(self.sources, now)}")

    # Running

    def environment(self, extra=None):
        return {
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(self.root / "home"),
            "XDG_CONFIG_HOME": str(self.root / "config"), "XDG_STATE_HOME": str(self.root / "state"),
            "TMPDIR": str(self.root / "tmp"), "SWIFT_BACKTRACE": "enable=no", **self.secrets, **(extra or {})}

    def shimmed(self, **settings):
        """The environment for a run with the shim; see shim.c."""
        return {"LD_PRELOAD": str(self.machine.shim), "TORTURE_ROOT": str(self.root),
                **{f"TORTURE_{name.upper()}": str(value) for name, value in settings.items() if value is not None}}

    def run(self, *arguments, extra=None, within=90, kill_after=None, wrapper=(), while_running=None, program=None):
        """Runs `submit` to its end, or kills it so many seconds after its start."""
        self.runs += 1
        extra = {**(self.disk.shim() if self.disk else {}), **(extra or {})}
        log = self.folder / "log"
        log.mkdir(exist_ok=True)
        out, err = log / f"{self.runs}.out", log / f"{self.runs}.err"
        start = time.monotonic()
        with open(out, "wb") as out_file, open(err, "wb") as err_file:
            process = subprocess.Popen(
                [*wrapper, program or self.machine.program, *map(str, arguments)], stdin=subprocess.DEVNULL,
                stdout=out_file, stderr=err_file, env=self.environment(extra), cwd=self.root, start_new_session=True)
            hung, memory = False, 0
            if while_running:
                while_running(process)
            while True:
                # The peak that wait4 tells begins with that of whoever forked.
                memory = max(memory, peak(process.pid))
                pid, status = os.waitpid(process.pid, os.WNOHANG)
                if pid:
                    break
                passed = time.monotonic() - start
                if kill_after is not None and passed > kill_after:
                    os.kill(process.pid, signal.SIGKILL)  # Popen.kill may reap it
                if passed > within and not hung:
                    hung = True
                    os.killpg(process.pid, signal.SIGKILL)
                time.sleep(0.004)
            process.returncode = os.waitstatus_to_exitcode(status)
        run = Run(
            process.returncode, out.read_text(errors="replace"), err.read_text(errors="replace"),
            time.monotonic() - start, memory)
        self.steps.append(
            f"{self.runs}: {' '.join(map(str, arguments))} "
            f"{' '.join(f'{k}={v}' for k, v in (extra or {}).items() if k.startswith('TORTURE_') and k[8:] in ('KILL', 'FAIL', 'CLOCK'))}"
            f" -> {run.code}, {run.seconds:.2f} s")
        if hung:
            raise Broken(f"`submit {' '.join(map(str, arguments))}` had not ended after {within} s: {run}")
        return run

    def rehearse(self, *arguments):
        """Runs under the shim to count the steps."""
        counters = self.folder / "counters"
        run = self.run(*arguments, extra=self.shimmed(counters=counters))
        data = counters.read_bytes()
        counts = [int.from_bytes(data[i * 8:i * 8 + 8], "little") for i in range(len(STEPS))]
        return run, dict(zip(STEPS, counts))

    def finish(self, within=90, tries=6):
        """Resumes until nothing is owed any more."""
        for _ in range(tries):
            run = self.run("resume", "--json", "--wait", 10, within=within)
            if run.code == 0:
                return run
            if run.code != 3:
                break
            time.sleep(0.3)
        raise Broken(f"resume does not complete what is owed: {run}")

    # The journal, read with another SQLite than it is written with

    def journal(self, query, *values):
        if not self.journal_path.exists():
            return []
        # What a kill left is recovered on a copy: who looks leaves no trace.
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            for suffix in ("", "-wal", "-journal"):
                source = self.journal_path.with_name(self.journal_path.name + suffix)
                if source.exists():
                    shutil.copyfile(source, Path(folder) / source.name)
            connection = sqlite3.connect(Path(folder) / self.journal_path.name, timeout=20)
            try:
                return connection.execute(query, values).fetchall()
            except sqlite3.OperationalError as error:
                # Killed before the tables were there.
                if "no such table" in str(error):
                    return []
                raise
            finally:
                connection.close()

    def newest_batch(self):
        rows = self.journal("SELECT max(id) FROM batch")
        return rows[0][0] or 0 if rows else 0


def peak(pid):
    """The most memory that a process has had, in bytes."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


def photo(size, numbers):
    head = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    return head + numbers.randbytes(max(0, size - len(head)))


def describe(path):
    status = path.stat()
    return (sha256(path), status.st_size, status.st_mtime_ns, oct(status.st_mode), status.st_ino)


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def differences(expected, found):
    """In words, and not too many."""
    missing = sorted(set(expected) - set(found))
    extra = sorted(set(found) - set(expected))
    other = sorted(key for key in expected.keys() & found.keys() if expected[key] != found[key])
    words = [f"{what} {', '.join(map(str, names[:6]))}{'…' if len(names) > 6 else ''}"
             for what, names in (("missing", missing), ("too many", extra), ("different", other)) if names]
    return "; ".join(words)


def seeded(*parts):
    return random.Random("/".join(map(str, parts)))


def copy_tree(source, target):
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
