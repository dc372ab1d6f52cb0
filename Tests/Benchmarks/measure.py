"""Single questions that no peer answers, told on the terminal."""

import argparse
import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import workloads
from ratios import verdict
from runs import Command, Job, Runner
from stores import DAVStore, Servers

SMALL = workloads.FULL[1]
ROUNDS = 5


def interrupt(submit: Path, work: Path, environment: dict):
    """From Ctrl-C to the end of a run whose server never answers."""
    silent = socket.create_server(("127.0.0.1", 0), backlog=128)
    environment = environment | {
        "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
        "SUBMIT_OBJSTORE_BUCKET": "bucket", "AWS_ENDPOINT_URL": f"http://127.0.0.1:{silent.getsockname()[1]}",
        "XDG_STATE_HOME": str(work / "state"),
    }
    process = subprocess.Popen(
        [submit, "-q", "--to", "objstore", SMALL.made(work).folder], env=environment, stderr=subprocess.DEVNULL)
    silent.accept()
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    status = process.wait()
    took = time.monotonic() - begin
    print(f"Ctrl-C with a server that never answers\n  ended with {status} after {took:.2f} s, target 2: {verdict(took, 2)}")


def external(submit: Path, work: Path, environment: dict):
    """The same submitter, built in and as a program of its own: what the pipe costs for each submission."""
    source, servers, runner = SMALL.made(work), Servers(work), Runner(environment, 600)
    plugins = work / "data" / "submit" / "plugins"
    plugins.mkdir(parents=True)
    (plugins / "submit-to-outside-webdav").symlink_to(submit.parent / "OutsideSubmitter")
    figures = {"outside-webdav": [], "webdav": []}
    try:
        store = DAVStore(servers)
        for turn in range(ROUNDS + 1):
            for destination, found in figures.items():
                target, state = store.target("http", None), work / f"state-{destination}-{turn}"
                ran = runner.run(Job([Command([submit, "-q", "--to", destination, source.folder], {
                    "XDG_STATE_HOME": state, "XDG_DATA_HOME": work / "data", "WEBDAV_URL": target.url,
                    "WEBDAV_USER": store.values["USERNAME"], "WEBDAV_PASSWORD": store.values["PASSWORD"],
                    "SUBMIT_WEBDAV_FOLDER": target.place, "SUBMIT_OUTSIDE_WEBDAV_FOLDER": target.place,
                })]))
                with contextlib.closing(sqlite3.connect(state / "submit" / "journal.sqlite")) as journal:
                    times = [end - begin for begin, end in journal.execute("SELECT started, ended FROM attempt")]
                # The first one warms up.
                if turn:
                    found.append((ran.wall, statistics.median(times) / 1e6))
    finally:
        servers.stop()
    print("2,000 files of 100 kB to webdav on nginx, through a program and built in, in turns")
    for name, index, unit in (("wall", 0, "s"), ("a submission", 1, "ms")):
        outside, inside = ([run[index] for run in figures[which]] for which in ("outside-webdav", "webdav"))
        ratio = statistics.median(one / other for one, other in zip(outside, inside))
        print(
            f"  {name} {statistics.median(outside):.2f} {unit} through the program and {statistics.median(inside):.2f} "
            f"built in: {ratio:.2f}x, target 2x: {verdict(ratio, 2)}")


QUESTIONS = {"interrupt": interrupt, "external": external}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submit", required=True, type=Path)
    parser.add_argument("question", choices=tuple(QUESTIONS))
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="submit-bench-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    environment = {key: os.environ[key] for key in ("PATH", "HOME", "TMPDIR", "LANG") if key in os.environ}
    environment["XDG_CONFIG_HOME"] = str(work / "config")
    try:
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        QUESTIONS[options.question](options.submit.resolve(), work, environment)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
