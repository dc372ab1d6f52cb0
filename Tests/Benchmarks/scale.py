"""Measures submit with very many submissions: see scale.sh."""

import argparse
import contextlib
import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ACCEPTANCES = 3
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xdb"


def make_files(folder: Path, count: int):
    """JPEGs as far as anyone looks, of sizes up to 4 kB, no two of them equal."""
    numbers = random.Random(7)
    for index in range(count):
        place = folder / f"{index // 1000:04d}"
        if index % 1000 == 0:
            place.mkdir(parents=True)
        content = JPEG + index.to_bytes(4, "big") + numbers.randbytes(max(0, numbers.randrange(4097) - 28))
        (place / f"p{index:07d}.jpg").write_bytes(content)


def verdict(value, target):
    return "met" if value <= target else f"missed by {100 * (value / target - 1):.0f} %"


class Place:
    """A configuration and a journal of their own, with two folders to submit to."""

    def __init__(self, submit, root: Path):
        self.submit, self.root = submit, root
        (root / "config" / "submit").mkdir(parents=True)
        (root / "config" / "submit" / "config.yaml").write_text(
            "destinations:\n" + "".join(f"  {name}:\n    type: file\n    path: {root}/{name}\n" for name in "ab"))
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(root), "XDG_CONFIG_HOME": str(root / "config"),
            "XDG_STATE_HOME": str(root / "state")}
        self.journal = root / "state" / "submit" / "journal.sqlite"

    def start(self, *arguments):
        return subprocess.Popen(
            [self.submit, *map(str, arguments)], env=self.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)

    def run(self, *arguments, expected=(0,)):
        """Wall clock, user+system time and peak memory in MiB."""
        return finished(self.start(*arguments), time.monotonic(), expected)

    def count(self, state):
        with contextlib.closing(sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)) as journal:
            return journal.execute("SELECT ifnull(sum(count), 0) FROM tally WHERE state = ?", (state,)).fetchone()[0]

    def asks(self, *arguments, rounds=5):
        """The median time of a question, and the most memory."""
        turns = [self.run(*arguments) for _ in range(rounds)]
        return statistics.median(turn[0] for turn in turns), max(turn[2] for turn in turns)


def finished(process, begin, expected=(0,)):
    trouble = process.stderr.read() if process.stderr else b""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in expected:
        sys.exit(f"{process.args} ended with {process.returncode}: {trouble.decode(errors='replace')[:2000]}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def middle(turns):
    """The medians of what runs took, one by one."""
    return [statistics.median(values) for values in zip(*turns)]


def digest(files: Path):
    begin = time.monotonic()
    command = ["sh", "-c", f"find '{files}' -type f -print0 | xargs -0 sha256sum"]
    return finished(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE), begin)


class StatusWatch:
    """Asks for the status again and again while something else runs."""

    def __init__(self, place):
        self.place, self.times, self.versions, self.over = place, [], [], threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.over.wait(1):
            self.times.append(self.place.run("status")[0])
            self.versions.append(self.place.run("--version")[0])

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def tell(self):
        if not self.times:
            return
        status, version = statistics.median(self.times), statistics.median(self.versions)
        print(
            f"  status meanwhile {status * 1000:.0f} ms (at most {max(self.times) * 1000:.0f}), --version "
            f"{version * 1000:.0f} ms: {status / version:.1f}x, target 10x: {verdict(status / version, 10)}")


def batch(options, work: Path, submissions: int, kills: int):
    """Accepts and pays one batch; gives the user+system time of a submission."""
    print(f"\n{submissions:,} submissions: {submissions // 2:,} files to two folders")
    files, place = work / f"files-{submissions}", Place(options.submit, work / f"place-{submissions}")
    make_files(files, submissions // 2)
    digest(files)
    # Watched, it would be slower than it is.
    with StatusWatch(place) as watch:
        place.run("-q", "--later", "--to", "a,b", files)
    by_sum, turns = [], []
    for turn in range(ACCEPTANCES):
        by_sum.append(digest(files))
        other = Place(options.submit, work / f"acceptance-{turn}")
        turns.append(other.run("-q", "--later", "--to", "a,b", files))
        shutil.rmtree(other.root)
    accepted, sums = middle(turns), middle(by_sum)
    ratio = accepted[0] / sums[0]
    print(
        f"  accepted in {accepted[0]:.1f} s, {accepted[1]:.1f} s of CPU, {accepted[2]:.0f} MiB; sha256sum "
        f"{sums[0]:.1f} s, {sums[1]:.1f} s of CPU: {ratio:.2f}x, medians of {ACCEPTANCES}, target 1.3x: "
        f"{verdict(ratio, 1.3)}")
    watch.tell()
    cpu, peak, begin = 0.0, accepted[2], time.monotonic()
    with StatusWatch(place) as watch:
        for kill in range(kills + 1):
            process, at = place.start("resume", "-q"), time.monotonic()
            goal = submissions * (kill + 1) // (kills + 1)
            if kill < kills:
                while place.count(2) < goal and process.poll() is None:
                    time.sleep(0.2)
                process.send_signal(signal.SIGKILL)
            _, used, memory = finished(process, at, expected=(-signal.SIGKILL,) if kill < kills else (0,))
            cpu, peak = cpu + used, max(peak, memory)
    done = place.count(2)
    if done != submissions:
        sys.exit(f"{done:,} of {submissions:,} are done")
    stored = sum(len(names) - (".submit-folder" in names) for folder in "ab" for _, _, names in os.walk(place.root / folder))
    if stored != submissions:
        sys.exit(f"{stored:,} files are stored, for {submissions:,} submissions")
    print(
        f"  paid in {time.monotonic() - begin:.1f} s with {kills} kills, {cpu:.1f} s of CPU: "
        f"{cpu / submissions * 1e6:.0f} us a submission; all there, none twice")
    print(f"  peak memory {peak:.0f} MiB, target 128: {verdict(peak, 128)}")
    watch.tell()
    shutil.rmtree(files)
    for folder in "ab":
        shutil.rmtree(place.root / folder)
    return place, (cpu + accepted[1]) / submissions


def lengthen(place, rows: int):
    """Makes the journal longer by batches of before, as acceptance and payment leave them."""
    # Closed, which writes the log back: one of gigabytes would be measured as the next photo's price.
    with contextlib.closing(sqlite3.connect(place.journal)) as journal:
        journal.execute("PRAGMA synchronous = OFF")
        while (there := journal.execute("SELECT max(id) FROM submission").fetchone()[0]) < rows:
            batches, items = (journal.execute(f"SELECT max(id) FROM {table}").fetchone()[0] for table in ("batch", "item"))
            most = rows - there
            journal.execute("INSERT INTO batch (created, complete) SELECT created, 1 FROM batch")
            shifts = {"batch": batches, "item": items, "submission": there}
            for table, key in (("item", "id"), ("submission", "id"), ("attempt", "submission")):
                # Triggers count what is not counted otherwise.
                names = [
                    row[1] for row in journal.execute(f"PRAGMA table_info({table})") if row[1] not in ("id", "counted")]
                shifted = [f"{name} + {shifts[name]}" if name in shifts else name for name in names]
                limit = "" if table == "item" else f" WHERE {key} <= {most}"
                journal.execute(
                    f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(shifted)} FROM {table}{limit}")
            journal.commit()


def long_history(place, rows: int):
    # By a process of its own: what this one takes in memory, every run that is measured has had too.
    process = multiprocessing.Process(target=lengthen, args=(place, rows))
    process.start()
    process.join()
    if process.exitcode:
        sys.exit("the journal could not be made longer")
    print(f"\na journal of {rows:,} submissions, {place.journal.stat().st_size / 2**30:.1f} GiB")
    version, _ = place.asks("--version")
    for words in (
        ["status"], ["history"], ["list", "--limit", "100"], ["list", "--limit", "100", "--after", rows - 100],
        ["list", "--limit", "100", "--state", "failed"], ["resume"],
    ):
        took, memory = place.asks(*words)
        print(
            f"  {' '.join(map(str, words))}: {took * 1000:.0f} ms, {took / version:.1f}x of --version, target 10x: "
            f"{verdict(took / version, 10)}; {memory:.0f} MiB, target 128: {verdict(memory, 128)}")
    photo = place.root / "one.jpg"
    photo.write_bytes(JPEG + b"one")
    took, cpu, memory = place.run("-q", "--to", "a,b", photo)
    print(f"  one photo more: {took * 1000:.0f} ms, {memory:.0f} MiB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--submit", required=True)
    parser.add_argument("submissions", nargs="?", type=int, default=1_000_000)
    parser.add_argument("rows", nargs="?", type=int, default=10_000_000)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="submit-scale-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    try:
        _, small = batch(options, work, 10_000, 0)
        place, large = batch(options, work, options.submissions, 2)
        print(
            f"\na submission costs {large * 1e6:.0f} us among {options.submissions:,} and {small * 1e6:.0f} us among "
            f"10,000: {large / small:.2f}x, target 1.2x: {verdict(large / small, 1.2)}")
        long_history(place, options.rows)
    finally:
        shutil.rmtree(work, ignore_errors=True)


main()
