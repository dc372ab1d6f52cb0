"""Measures questions to a catalogue of very many pictures: see questions.sh."""

import argparse
import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import machine


class Place:
    """A configuration and a journal of their own. Nothing is sent: destinations need not be there."""

    def __init__(self, programs: Path, root: Path):
        self.programs, self.root = programs, root
        self.journal = root / "state" / "submit" / "journal.sqlite"
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(root), "XDG_CONFIG_HOME": str(root / "config"),
            "XDG_STATE_HOME": str(root / "state"), "TZ": "UTC"}

    def run(self, program, *arguments, output=None, hints=None):
        """What it took, and how many MiB at the most."""
        begin = time.monotonic()
        process = subprocess.Popen(
            [self.programs / program, *map(str, arguments)], env=self.environment, stdout=output, stderr=hints)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{program} {' '.join(map(str, arguments))} ended with {process.returncode}")
        return time.monotonic() - begin, usage.ru_maxrss / 1024

    def fill(self, pictures: int, seed: int):
        """By another name until it is whole."""
        if self.journal.exists():
            return
        shutil.rmtree(self.journal.parent, ignore_errors=True)
        draft = self.root / "draft"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700, parents=True)
        self.run("CatalogueQuestions", "fill", draft / self.journal.name, pictures, seed)
        self.journal.parent.parent.mkdir(exist_ok=True)
        draft.rename(self.journal.parent)

    def count(self, table: str) -> int:
        with contextlib.closing(sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)) as journal:
            return journal.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    def warm(self):
        with open(self.journal, "rb") as file:
            while file.read(1 << 24):
                pass


class WriterWatch:
    """Asks again and again for the turn to write that everybody else has to wait for, too."""

    def __init__(self, place: Place):
        self.place, self.longest, self.over = place, 0.0, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        with contextlib.closing(sqlite3.connect(self.place.journal, timeout=3600, isolation_level=None)) as journal:
            while not self.over.wait(0.1):
                begin = time.monotonic()
                journal.execute("BEGIN IMMEDIATE")
                journal.execute("ROLLBACK")
                self.longest = max(self.longest, time.monotonic() - begin)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def look_after(place: Place, verb: str):
    with WriterWatch(place) as watch:
        took, memory = place.run("submit", "catalogue", verb, output=subprocess.DEVNULL)
    print(
        f"submit catalogue {verb}: {took:.1f} s, {memory:.0f} MiB; who writes meanwhile waits {watch.longest:.1f} s at the "
        "most (20 s fail)", flush=True)


def go_through(place: Place, pictures: int):
    memories = []
    for limit in (pictures // 10, pictures):
        took, memory = place.run("submit", "query", "--json", "--limit", limit, output=subprocess.DEVNULL, hints=subprocess.DEVNULL)
        memories.append(memory)
        print(f"{limit:,} pictures by pages of 200: {took:.1f} s, {memory:.0f} MiB", flush=True)
    ratio = memories[1] / memories[0]
    print(f"memory of all is {ratio:.2f}x of that of a tenth, target 1.1x: {'met' if ratio <= 1.1 else 'missed'}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("pictures", nargs="?", type=int, default=1_000_000)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    options = parser.parse_args()
    kept = os.environ.get("SUBMIT_QUESTIONS_FOLDER")
    only = os.environ.get("SUBMIT_QUESTIONS_ONLY")
    root = Path(kept or tempfile.mkdtemp(prefix="submit-questions-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    try:
        print(
            f"{options.pictures:,} pictures, seed {options.seed}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} "
            f"processors; {machine.build(options.programs / 'CatalogueQuestions')}", flush=True)
        place = Place(options.programs, root)
        place.fill(options.pictures, options.seed)
        if (there := place.count("picture")) != options.pictures:
            sys.exit(f"the journal has {there:,} pictures: name another folder")
        print(
            f"the journal: {place.journal.stat().st_size / 2**30:.2f} GiB, {place.count('submission'):,} copies, "
            f"{place.count('tag'):,} tags, {place.count('album'):,} albums", flush=True)
        place.warm()
        place.run("CatalogueQuestions", "ask", place.journal, options.seed, *[only] if only else [])
        if not only:
            go_through(place, options.pictures)
            # That it finds nothing says that what was asked of is what the program itself writes down.
            for verb in ("check", "rebuild", "check"):
                look_after(place, verb)
    finally:
        if not kept:
            shutil.rmtree(root, ignore_errors=True)


main()
