"""The crash and fault machine; see run.sh."""

import argparse
import importlib
import json
import os
import random
import shlex
import shutil
import sys
import threading
import time
import traceback
from pathlib import Path

from report import Report
from servers import DAVServer, ObjectServer

PARTS = ("crash", "power", "crowd", "journal", "watch", "resources", "network", "liars")


class Machine:
    """What all parts share: the program, the shim, the servers, and where evidence is kept."""

    def __init__(self, options, arguments):
        self.arguments = arguments
        self.program, self.shim = options.program, options.shim
        self.out, self.work = Path(options.out), Path(options.work)
        self.seed = options.seed if options.seed is not None else random.randrange(1_000_000)
        self.crashes, self.case, self.only = options.crashes, options.case, options.only
        self.jobs = options.jobs or (os.cpu_count() or 2)
        self.most_failures, self.verbose = options.most_failures, options.verbose
        self.failures, self.running = [], {}
        self.lock = threading.Lock()
        self.part = ""

    def say(self, text):
        print(f"torture: {text}", flush=True)

    def storage(self):
        if "storage" not in self.running:
            self.running["storage"] = ObjectServer(self.work / "swift").start()
        return self.running["storage"]

    def dav(self, *options):
        name = "dav" + "".join(options)
        if name not in self.running:
            self.running[name] = DAVServer(self.work / name, *options).start()
        return self.running[name]

    def keep_failure(self, part, number, world, title, trouble, **evidence):
        """Moves a world in which a promise was broken to where it can be looked at."""
        folder = self.out / "failures" / f"{part}-{number}"
        text = str(trouble) if type(trouble).__name__ == "Broken" else "".join(
            traceback.format_exception(trouble)).strip()
        # Which scenes there are decides what a number means.
        again = " ".join([f"Tests/Torture/run.sh {part} --seed {self.seed} --case {number}",
                          *(f"--only {shlex.quote(name)}" for name in self.only or ())])
        with self.lock:
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(parents=True, exist_ok=True)
            if world is not None and world.folder.exists():
                shutil.copytree(world.folder, folder, symlinks=True, ignore=_unneeded)
                shutil.rmtree(world.folder, ignore_errors=True)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "what-happened.json").write_text(json.dumps(
                {"part": part, "case": number, "seed": self.seed, "title": title, "trouble": text, "again": again,
                 "steps": world.steps if world else [], **evidence}, indent=1, default=str))
            self.failures.append((f"{part} {number}, {title}", text.splitlines()[-1], folder, again))
        self.say(f"BROKEN {part} {number}, {title}: {text}")
        self.say(f"    evidence in {folder}; again: {again}")

    def stop(self):
        for server in self.running.values():
            server.stop()
        self.running = {}


def _unneeded(folder, names):
    return [name for name in names if (Path(folder) / name).is_socket() or (Path(folder) / name).is_fifo()]


def main():
    parser = argparse.ArgumentParser(prog="Tests/Torture/run.sh")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS) + "; all without any")
    parser.add_argument("--seed", type=int, help="makes a run repeatable")
    parser.add_argument("--crashes", type=int, default=100, help="how many kills or cuts (crash, power, crowd, journal)")
    parser.add_argument("--case", type=int, help="only the case of this number, as a failure names it")
    parser.add_argument("--only", action="append", help="only the scene or fault of this name; may be repeated")
    parser.add_argument("--jobs", type=int, help="worlds side by side")
    parser.add_argument("--most-failures", type=int, default=5, help="stop a part after so many")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line a case")
    for name in ("program", "shim", "out", "work"):
        parser.add_argument(f"--{name}", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}: {', '.join(PARTS)}")
    hidden = ("--program", "--shim", "--out", "--work")
    arguments = [word for at, word in enumerate(sys.argv[1:], 1)
                 if word not in hidden and sys.argv[at - 1] not in hidden]
    machine = Machine(options, arguments)
    machine.work.mkdir(parents=True, exist_ok=True)
    machine.out.mkdir(parents=True, exist_ok=True)
    report = Report(machine)
    machine.say(f"seed {machine.seed}; {machine.program}")
    try:
        for name in options.parts or PARTS:
            started = time.monotonic()
            for old in machine.out.glob(f"failures/{name}-*"):
                shutil.rmtree(old, ignore_errors=True)
            try:
                importlib.import_module(name).run(machine, report)
            except Exception as trouble:
                traceback.print_exc()
                report.part(name, False, f"{type(trouble).__name__}: {trouble} ({time.monotonic() - started:.0f} s)")
    finally:
        machine.stop()
        if not machine.failures:
            shutil.rmtree(machine.work, ignore_errors=True)
    machine.say(f"reports in {machine.out}")
    return 0 if report.kept else 1


sys.exit(main())
