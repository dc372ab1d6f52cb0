"""A watched folder that is filled in the ways of six kinds of programs while `submit watch` is killed again and again. Promised:
each file arrives, once, and whole."""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import tarfile
import threading
import time
from collections import Counter
from pathlib import Path

from world import Broken, seeded

# Of the smallest picture there is: start of image, and what has to follow it.
JPEG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000")
END = bytes.fromhex("ffd9")
SETTLE = 1


def picture(numbers, size):
    comments = b""
    while len(comments) < size:
        comments += b"\xff\xfe\xff\xff" + numbers.randbytes(0xfffd)
    return JPEG + comments[:size // 0x10001 * 0x10001] + b"\xff\xfe\x04\x02" + numbers.randbytes(1024) + END


class Writer(threading.Thread):
    """One program that fills the folder with files that were made beforehand."""

    def __init__(self, name, source, watched, seed):
        super().__init__(daemon=True)
        self.name, self.source, self.watched, self.numbers = name, source, watched, random.Random(seed)
        self.trouble = None

    def run(self):
        try:
            getattr(self, self.name)()
        except Exception as trouble:
            self.trouble = trouble

    def folder(self, index):
        folder = self.watched / self.name / f"{index // 100:03}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def files(self):
        return sorted(self.source.iterdir())

    def in_hundreds(self):
        files = self.files()
        return [(start, files[start:start + 100]) for start in range(0, len(files), 100)]

    def cp(self):
        for start, files in self.in_hundreds():
            subprocess.run(["cp", *files, self.folder(start)], check=True)

    def mv(self):
        for start, files in self.in_hundreds():
            if self.numbers.random() < 0.5:
                # A folder that comes whole.
                aside = self.source.parent / f"mv-{start}"
                aside.mkdir()
                subprocess.run(["mv", *files, aside], check=True)
                (self.watched / "mv").mkdir(exist_ok=True)
                aside.rename(self.watched / "mv" / aside.name)
            else:
                subprocess.run(["mv", *files, self.folder(start)], check=True)

    def rsync(self):
        for start, files in self.in_hundreds():
            subprocess.run(["rsync", "-a", *files, f"{self.folder(start)}/"], check=True)

    def tar(self):
        archive = self.source.parent / "all.tar"
        with tarfile.open(archive, "w") as out:
            for index, path in enumerate(self.files()):
                out.add(path, f"tar/{index // 100:03}/{path.name}")
        subprocess.run(["tar", "xf", archive, "-C", self.watched], check=True)

    def browser(self):
        for index, path in enumerate(self.files()):
            part = self.folder(index) / f"{path.name}.crdownload"
            self.in_pieces(path, part)
            part.rename(self.folder(index) / path.name)

    def camera(self):
        """Under its last name, with breaks, and its time set when it is whole."""
        for index, path in enumerate(self.files()):
            self.in_pieces(path, self.folder(index) / path.name)
            os.utime(self.folder(index) / path.name, (1_600_000_000 + index, 1_600_000_000 + index))

    def in_pieces(self, path, to):
        data = path.read_bytes()
        with open(to, "wb", buffering=0) as out:
            for start in range(0, len(data), 40_000):
                out.write(data[start:start + 40_000])
                # Longer than a file has to stay as it is.
                time.sleep(SETTLE * 1.5 if self.numbers.random() < 0.004 else 0.001)


WRITERS = ("cp", "mv", "rsync", "tar", "browser", "camera")


def run(machine, report):
    count = int(os.environ.get("SUBMIT_TORTURE_FILES", 10_000))
    kills = min(machine.crashes, 20)
    numbers = seeded(machine.seed, "watch")
    folder = machine.work / "watch"
    shutil.rmtree(folder, ignore_errors=True)
    watched, place = folder / "watched", folder / "place"
    watched.mkdir(parents=True)
    expected, writers = {}, []
    for index in range(count):
        name = WRITERS[index % len(WRITERS)]
        source = folder / "sources" / name
        source.mkdir(parents=True, exist_ok=True)
        data = picture(numbers, numbers.choice([2_000, 10_000, 70_000, 140_000]))
        path = source / f"{name}-{index:05}.jpg"
        path.write_bytes(data)
        expected[path.name] = hashlib.sha256(data).hexdigest()
    for name in WRITERS:
        writers.append(Writer(name, folder / "sources" / name, watched, numbers.random()))
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "SUBMIT_FILE_PATH": str(place), "LANG": "C.UTF-8"}
    log = open(folder / "log", "ab")
    started = time.monotonic()

    def watch():
        return subprocess.Popen(
            [machine.program, "watch", "--quiet", "--settle", f"{SETTLE}s", "--to", "file", watched],
            env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def arrived():
        return {path.name for path in place.rglob("*.jpg")} if place.exists() else set()

    process, killed = watch(), 0
    for writer in writers:
        writer.start()
    while killed < kills:
        time.sleep(numbers.uniform(0.2, 3))
        if process.poll() is not None:
            raise Broken(f"it ended with {process.returncode}: see {folder / 'log'}")
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed += 1
        # Something comes while nobody watches.
        time.sleep(numbers.uniform(0, 0.5))
        process = watch()
    for writer in writers:
        writer.join()
        if writer.trouble:
            raise writer.trouble
    written = time.monotonic()
    deadline = written + 600
    while len(arrived()) < count and time.monotonic() < deadline:
        time.sleep(1)
    # What would come twice has its time.
    time.sleep(3 * SETTLE)
    memory = next((int(line.split()[1]) // 1024 for line in Path(f"/proc/{process.pid}/status").read_text().splitlines()
                   if line.startswith("VmHWM")), 0)
    process.send_signal(signal.SIGTERM)
    begun = time.monotonic()
    status = process.wait(timeout=30)
    ending = time.monotonic() - begun
    found = Counter()
    troubles = []
    for path in place.rglob("*.jpg"):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        found[digest] += 1
        if expected.get(path.name) != digest:
            troubles.append(f"{path.name} is none of those that were written")
    wanted = Counter(expected.values())
    troubles += [f"{name} did not arrive" for name, digest in expected.items() if found[digest] == 0]
    troubles += [f"{digest} is there {number} times" for digest, number in (found - wanted).items()]
    listed = subprocess.run([machine.program, "list", "--json", "--limit", str(2 * count)], env=environment,
                            capture_output=True, text=True)
    lines = [line for line in listed.stdout.splitlines() if '"submission"' in line]
    troubles += [f"not done: {line}" for line in lines if '"state":"done"' not in line]
    if len(lines) != count:
        troubles.append(f"the journal has {len(lines)} submissions of {count}")
    if status != 0 or ending > 5:
        troubles.append(f"it ended with {status} after {ending:.1f} s")
    log.close()
    seconds = time.monotonic() - started
    report.part(
        "watch", not troubles,
        f"{count} files by {', '.join(WRITERS)}, {killed} kills, {seconds:.0f} s, the last {written - started:.0f} s after the "
        f"first; ended in {ending:.1f} s; {memory} MiB at most: {len(troubles)} broken", troubles[:20])
    if troubles:
        machine.keep_failure("watch", 0, None, "a watched folder", Broken("; ".join(troubles[:5])))
        shutil.copy(folder / "log", machine.out / "watch.log")
