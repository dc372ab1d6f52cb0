"""Runs submit and its peers in turn and prints medians: wall clock, user+system time, peak memory, and their ratios.

Every run gets folders of its own and nothing is removed before the end: ext4 avoids inodes that were freed within the
last minutes, and searching for others would be measured instead of copying.
"""

import argparse
import collections
import contextlib
import os
import resource
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
JPEG = b"\xff\xd8\xff\xe0"


def files(folder: Path, count: int, size: int, per_folder: int = 5000) -> Path:
    for index in range(count):
        path = folder / f"{index // per_folder:03d}" / f"IMG_{index:06d}.jpg"
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(JPEG + os.urandom(size - len(JPEG)))
    return folder


class Bench:
    def __init__(self, options, work: Path):
        self.options, self.work, self.turn, self.servers = options, work, 0, {}
        keep = ("PATH", "HOME", "TMPDIR", "LANG")
        self.environment = {key: os.environ[key] for key in keep if key in os.environ}
        self.environment |= {"XDG_CONFIG_HOME": str(work / "config"), "RCLONE_CONFIG": "/dev/null"}

    def start(self, script: str, name: str):
        """What the server's script says of it; a server that runs already is taken again."""
        if name not in self.servers:
            answer = subprocess.run(
                [HERE.parent / "Servers" / script, "start", self.work / name], check=True, capture_output=True, text=True)
            self.servers[name] = script, dict(line.split("=", 1) for line in answer.stdout.split())
        return self.servers[name][1]

    def stop(self):
        for name, (script, _) in self.servers.items():
            subprocess.run([HERE.parent / "Servers" / script, "stop", self.work / name], check=False)

    def fresh(self, name: str) -> Path:
        self.turn += 1
        return self.work / f"{name}-{self.turn}"

    def run(self, command, **environment):
        """Wall, CPU and peak memory of one command; ends everything when it fails."""
        # What a peer left unwritten would be waited for by whoever syncs next.
        os.sync()
        begin = time.monotonic()
        process = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=self.environment | {key: str(value) for key, value in environment.items()})
        trouble = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{command[0]} ended with {process.returncode}: {trouble.decode(errors='replace')[:2000]}")
        return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def submit(self, *arguments, **environment):
        return self.run(
            [self.options.submit, *arguments], XDG_STATE_HOME=self.fresh("state"), **environment)

    def objstore(self):
        return {
            "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.endpoint, "SUBMIT_OBJSTORE_BUCKET": self.bucket(),
        }

    def bucket(self) -> str:
        bucket = self.fresh("bucket")
        folder = self.work / "nginx" / "data" / bucket.name
        folder.mkdir(parents=True)
        folder.chmod(0o777)
        return bucket.name

    def compare(self, title, ours, peer, peer_name, wall=None, cpu=None, memory=None):
        """Runs both in turn, one warm-up each, and prints what came out beside the targets."""
        return self.contest(title, ours, {peer_name: peer}, wall, cpu, memory)

    def contest(self, title, ours, peers, wall=None, cpu=None, memory=None, after=lambda: None):
        """Runs all in turn, one warm-up each, and prints what came out; targets are against the best peer in each."""
        rows = {"submit": []} | {name: [] for name in peers}
        for turn in range(self.options.rounds + 1):
            for name, run in {"submit": ours, **peers}.items():
                figures = run()
                after()
                if turn:
                    rows[name].append(figures)
        print(f"\n{title}")
        medians = {}
        for name, runs in rows.items():
            walls, cpus, sizes = zip(*runs)
            medians[name] = tuple(statistics.median(values) for values in (walls, cpus, sizes))
            print(
                f"  {name:10} wall {medians[name][0]:7.3f} s ({min(walls):.3f}–{max(walls):.3f})  "
                f"CPU {medians[name][1]:7.3f} s  memory {medians[name][2]:6.1f} MiB")
        for word, index, target in (("wall", 0, wall), ("CPU", 1, cpu)):
            best = min(peers, key=lambda name: medians[name][index])
            value = medians["submit"][index] / medians[best][index]
            if target:
                print(f"  {word} {value:.2f}x of {best}, target {target}x: {verdict(value, target)}")
        if memory:
            print(f"  peak memory {medians['submit'][2]:.1f} MiB, target {memory}: {verdict(medians['submit'][2], memory)}")
        sys.stdout.flush()
        return medians


def verdict(value, target):
    return "met" if value <= target else f"missed by {100 * (value / target - 1):.0f} %"


def small_objstore(bench):
    source = files(bench.work / "small", 2000, 100_000)
    bench.compare(
        "2,000 files of 100 kB to objstore on nginx",
        lambda: bench.submit("-q", "--to", "objstore", source, **bench.objstore()),
        lambda: bench.run(
            [bench.options.s5cmd, "--endpoint-url", bench.endpoint, "cp", f"{source}/*", f"s3://{bench.bucket()}/"],
            AWS_ACCESS_KEY_ID="key", AWS_SECRET_ACCESS_KEY="secret", AWS_REGION="us-east-1"),
        "s5cmd", wall=0.7, cpu=0.5)


def large_objstore(bench):
    source = film(bench, 2 << 30)
    digests = 0.0
    for digest in ("sha256", "md5"):
        digests += bench.run(["openssl", digest, source])[1]
    medians = bench.compare(
        "one file of 2 GiB to objstore on nginx",
        lambda: bench.submit("-q", "--to", "objstore", source, **bench.objstore()),
        lambda: bench.run(["curl", "-sS", "-f", "-T", source, f"{bench.endpoint}/{bench.bucket()}/film.mp4"]),
        "curl -T", wall=1.15, memory=48)
    allowed = medians["curl -T"][1] + digests
    print(
        f"  CPU {medians['submit'][1]:.2f} s, target curl's plus the digests' {allowed:.2f} s: "
        f"{verdict(medians['submit'][1], allowed)}")


class SwiftStore:
    """OpenStack Swift's S3 front, with each client as its user would call it."""

    def __init__(self, bench):
        self.bench = bench
        self.values = bench.start("swift.sh", "swift")
        self.keys = {
            "AWS_ACCESS_KEY_ID": self.values["ACCESS_KEY"], "AWS_SECRET_ACCESS_KEY": self.values["SECRET_KEY"],
            "AWS_REGION": self.values["REGION"], "AWS_DEFAULT_REGION": self.values["REGION"],
        }
        self.endpoint = self.values["ENDPOINT"]
        self.used = []

    def bucket(self) -> str:
        name = f"bench-{self.bench.fresh('b').name}"
        self.aws("s3api", "create-bucket", "--bucket", name)
        self.used.append(name)
        return name

    def aws(self, *arguments):
        return self.bench.run([self.bench.options.aws, "--endpoint-url", self.endpoint, *arguments], **self.keys)

    def empty(self):
        """Removes what the last run stored: the disk holds few of the large ones."""
        while self.used:
            self.aws("s3", "rb", "--force", f"s3://{self.used.pop()}")

    def runs(self, source):
        """What runs each client on a bucket of its own; making the bucket is not measured."""
        pattern = f"{source}/*" if source.is_dir() else source
        bench = self.bench
        rclone = {
            "RCLONE_CONFIG_S_TYPE": "s3", "RCLONE_CONFIG_S_PROVIDER": "Other", "RCLONE_CONFIG_S_ENV_AUTH": "true",
            "RCLONE_CONFIG_S_ENDPOINT": self.endpoint, "RCLONE_CONFIG_S_REGION": self.values["REGION"],
        }

        def made(command):
            def run():
                bucket = self.bucket()
                return command(bucket)
            return run

        peers = {
            "s5cmd": made(lambda bucket: bench.run(
                [bench.options.s5cmd, "--endpoint-url", self.endpoint, "cp", pattern, f"s3://{bucket}/"], **self.keys)),
            "rclone": made(lambda bucket: bench.run(["rclone", "copy", source, f"S:{bucket}"], **rclone, **self.keys)),
            "aws": made(lambda bucket: bench.run(
                [bench.options.aws, "--endpoint-url", self.endpoint, "s3", "cp", source, f"s3://{bucket}/"]
                + (["--recursive"] if source.is_dir() else []), **self.keys)),
        }
        return made(lambda bucket: bench.submit(
            "-q", "--to", "objstore", source, AWS_ENDPOINT_URL=self.endpoint, SUBMIT_OBJSTORE_BUCKET=bucket,
            **self.keys)), peers


def swift_case(title, make, wall):
    def case(bench):
        store = SwiftStore(bench)
        ours, peers = store.runs(make(bench))
        bench.contest(f"{title} to OpenStack Swift's S3", ours, peers, wall=wall, cpu=0.5, memory=64, after=store.empty)
    return case


class DAVServer:
    """nginx with dav-ext and basic authentication, for which each client is given the password beforehand."""

    def __init__(self, bench):
        self.bench = bench
        self.values = bench.start("nginx-dav.sh", "nginx-dav")
        self.methods = {}

    def collection(self) -> str:
        """Made on the server's disk: for none of the clients is that a request."""
        path = self.bench.fresh("collection")
        (Path(self.values["DATA"]) / path.name).mkdir()
        return path.name

    def counted(self, name, run):
        """What runs a client on a collection of its own, and counts by the server's log what it asks for."""
        log = Path(self.values["ACCESS_LOG"])

        def counted():
            collection, begin = self.collection(), log.stat().st_size
            figures = run(collection)
            with log.open("rb") as file:
                file.seek(begin)
                words = [line.split(b"=", 1)[1].split(b" ", 1)[0].decode() for line in file]
            self.methods[name] = collections.Counter(words)
            return figures

        return counted

    def submit(self, source, collection):
        return self.bench.submit(
            "-q", "--to", "webdav", source, WEBDAV_URL=self.values["ENDPOINT"], SUBMIT_WEBDAV_FOLDER=collection,
            WEBDAV_USER=self.values["USERNAME"], WEBDAV_PASSWORD=self.values["PASSWORD"])

    def curl(self, paths, collection, *options):
        """All in one run of curl, told by a file: they would be too many arguments."""
        lines = [f'user = "{self.values["USERNAME"]}:{self.values["PASSWORD"]}"']
        for path in paths:
            lines += [f'upload-file = "{path}"', f'url = "{self.values["ENDPOINT"]}{collection}/{path.name}"']
        config = self.bench.fresh("curl")
        config.write_text("\n".join(lines) + "\n")
        return self.bench.run(["curl", "-sS", "-f", *options, "-K", config])

    def rclone(self, source, collection):
        hidden = subprocess.run(
            ["rclone", "obscure", self.values["PASSWORD"]], env=self.bench.environment, check=True, capture_output=True,
            text=True)
        return self.bench.run(
            ["rclone", "copy", "--transfers", "8", source, f"D:{collection}"], RCLONE_CONFIG_D_TYPE="webdav",
            RCLONE_CONFIG_D_URL=self.values["ENDPOINT"], RCLONE_CONFIG_D_VENDOR="other",
            RCLONE_CONFIG_D_USER=self.values["USERNAME"], RCLONE_CONFIG_D_PASS=hidden.stdout.strip())

    def tell_requests(self, count, target=None):
        """Of the last round."""
        for name, methods in self.methods.items():
            listed = ", ".join(f"{method} {number}" for method, number in methods.most_common())
            print(f"  {name:10} {methods.total() / count:.2f} requests a file: {listed}")
        if target:
            value = self.methods["submit"].total() / count
            print(f"  requests a file {value:.2f}, target {target}: {verdict(value, target)}")
        sys.stdout.flush()


def small_webdav(bench):
    count, server = 2000, DAVServer(bench)
    source = files(bench.work / "small", count, 100_000)
    paths = sorted(source.rglob("*.jpg"))
    medians = bench.contest(
        "2,000 files of 100 kB to webdav on nginx, basic authentication",
        server.counted("submit", lambda collection: server.submit(source, collection)),
        {
            "curl -Z": server.counted(
                "curl -Z", lambda collection: server.curl(paths, collection, "-Z", "--parallel-max", "8")),
            "rclone": server.counted("rclone", lambda collection: server.rclone(paths[0].parent, collection)),
        }, wall=1.3, memory=48)
    share = medians["submit"][0] / medians["rclone"][0]
    print(f"  wall {share:.3f}x of rclone, target 0.05x: {verdict(share, 0.05)}")
    server.tell_requests(count, target=2)


def large_webdav(bench):
    size, server = 4 << 30, DAVServer(bench)
    # Nothing is removed between the runs.
    needed, free = size * (2 * (bench.options.rounds + 1) + 1), shutil.disk_usage(bench.work).free
    if free < needed:
        sys.exit(
            f"large-webdav needs {needed >> 30} GiB of disk, and {free >> 30} are free: give fewer --rounds, or TMPDIR")
    source = film(bench, size)
    bench.contest(
        "one file of 4 GiB to webdav on nginx, basic authentication",
        server.counted("submit", lambda collection: server.submit(source, collection)),
        {"curl -T": server.counted("curl -T", lambda collection: server.curl([source], collection))},
        wall=1.1, memory=48)
    server.tell_requests(1)


def medium_objstore(bench):
    source = files(bench.work / "medium", 200, 5_000_000)
    bench.compare(
        "200 files of 5 MB to objstore on nginx",
        lambda: bench.submit("-q", "--to", "objstore", source, **bench.objstore()),
        lambda: bench.run(
            [bench.options.s5cmd, "--endpoint-url", bench.endpoint, "cp", f"{source}/*", f"s3://{bench.bucket()}/"],
            AWS_ACCESS_KEY_ID="key", AWS_SECRET_ACCESS_KEY="secret", AWS_REGION="us-east-1"),
        "s5cmd", wall=0.7, cpu=0.5, memory=64)


def film(bench, size: int) -> Path:
    path = bench.work / f"film-{size >> 20}.mp4"
    if not path.exists():
        subprocess.run(["head", "-c", str(size), "/dev/urandom"], stdout=path.open("wb"), check=True)
        with path.open("r+b") as file:
            file.write(b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom")
    return path


def interrupt(bench):
    """From Ctrl-C to the end of a run whose server never answers."""
    source = files(bench.work / "small", 2000, 100_000)
    silent = socket.create_server(("127.0.0.1", 0), backlog=128)
    environment = bench.environment | bench.objstore() | {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{silent.getsockname()[1]}", "XDG_STATE_HOME": str(bench.fresh("state"))}
    process = subprocess.Popen(
        [bench.options.submit, "-q", "--to", "objstore", source], env={k: str(v) for k, v in environment.items()},
        stderr=subprocess.DEVNULL)
    silent.accept()
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    status = process.wait()
    took = time.monotonic() - begin
    print(f"\nCtrl-C with a server that never answers\n  ended with {status} after {took:.2f} s, target 2: {verdict(took, 2)}")


def small_file(bench):
    source = files(bench.work / "small", 2000, 100_000)
    bench.compare(
        "2,000 files of 100 kB to file",
        lambda: bench.submit("-q", "--to", "file", source, SUBMIT_FILE_PATH=bench.fresh("folder")),
        lambda: bench.run(["rclone", "copy", source, bench.fresh("folder")]),
        "rclone", wall=0.7, cpu=0.7)


def both(bench):
    source = files(bench.work / "small", 2000, 100_000)
    alone = {
        "file": lambda: bench.submit("-q", "--to", "file", source, SUBMIT_FILE_PATH=bench.fresh("folder")),
        "objstore": lambda: bench.submit("-q", "--to", "objstore", source, **bench.objstore()),
    }
    slower = max(alone, key=lambda name: statistics.median(alone[name]()[0] for _ in range(3)))
    bench.compare(
        "2,000 files of 100 kB to both destinations in one run",
        lambda: bench.submit(
            "-q", "--to", "file,objstore", source, SUBMIT_FILE_PATH=bench.fresh("folder"), **bench.objstore()),
        alone[slower], f"{slower} alone", wall=1.15)


def read_once(bench):
    """Bytes read from disk with a cold page cache, by the kernel's own count of this process's reads."""
    source = files(bench.work / "cold", 500, 1_000_000)
    subprocess.run(["sync"], check=True)
    for path in source.rglob("*.jpg"):
        descriptor = os.open(path, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock
    bench.submit("-q", "--to", "file,objstore", source, SUBMIT_FILE_PATH=bench.fresh("folder"), **bench.objstore())
    read = (resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock - before) * 512
    print(f"\n500 files of 1 MB to both, cold page cache\n  read {read / 5e8:.2f}x of the source from disk, target 1.05: "
          f"{verdict(read / 5e8, 1.05)}")


def acceptance(bench):
    source = files(bench.work / "tiny", 100_000, 1000, per_folder=1000)
    medians = bench.compare(
        "100,000 files of 1 kB accepted into the journal",
        lambda: bench.submit("-q", "--later", "--to", "file", source, SUBMIT_FILE_PATH=bench.fresh("folder")),
        lambda: bench.run(["sh", "-c", f"find '{source}' -type f -print0 | xargs -0 sha256sum"]),
        "sha256sum", wall=1.3, memory=96)
    state, folder = bench.fresh("state"), bench.fresh("folder")
    environment = bench.environment | {"XDG_STATE_HOME": str(state), "SUBMIT_FILE_PATH": str(folder)}
    command = [bench.options.submit, "--json"]
    subprocess.run([*command, "--later", "--to", "file", source], env=environment, check=True, stdout=subprocess.DEVNULL)
    begin = time.monotonic()
    process = subprocess.Popen([*command[:1], "resume", "--json"], env=environment, stdout=subprocess.DEVNULL)
    while not (folder.exists() and any(folder.iterdir())) and process.poll() is None:
        time.sleep(0.002)
    first = time.monotonic() - begin
    process.kill()
    process.wait()
    tenth = medians["submit"][0] / 10
    print(f"  resume: first upload after {first:.3f} s, target a tenth of the acceptance, {tenth:.3f} s: {verdict(first, tenth)}")


def external(bench):
    """The same submitter, built in and as a program of its own: what the pipe costs for each submission."""
    count, server = 2000, DAVServer(bench)
    source = files(bench.work / "small", count, 100_000)
    plugins = bench.work / "data" / "submit" / "plugins"
    plugins.mkdir(parents=True)
    (plugins / "submit-to-outside-webdav").symlink_to(Path(bench.options.submit).parent / "OutsideSubmitter")
    medians = {"webdav": [], "outside-webdav": []}

    def run(destination):
        state = bench.fresh("state")
        figures = bench.run(
            [bench.options.submit, "-q", "--to", destination, source], XDG_STATE_HOME=state,
            XDG_DATA_HOME=bench.work / "data", WEBDAV_URL=server.values["ENDPOINT"],
            WEBDAV_USER=server.values["USERNAME"], WEBDAV_PASSWORD=server.values["PASSWORD"],
            SUBMIT_WEBDAV_FOLDER=server.collection(), SUBMIT_OUTSIDE_WEBDAV_FOLDER=server.collection())
        with contextlib.closing(sqlite3.connect(state / "submit" / "journal.sqlite")) as journal:
            times = [end - begin for begin, end in journal.execute("SELECT started, ended FROM attempt")]
        medians[destination].append(statistics.median(times) / 1e6)
        return figures

    bench.contest(
        "2,000 files of 100 kB to webdav on nginx, through a program and built in", lambda: run("outside-webdav"),
        {"built in": lambda: run("webdav")}, wall=2)
    outside, inside = (statistics.median(medians[name][1:]) for name in ("outside-webdav", "webdav"))
    print(
        f"  a submission takes {outside:.2f} ms through the program and {inside:.2f} ms built in: {outside / inside:.2f}x, "
        f"target 2x: {verdict(outside / inside, 2)}")


def version(bench):
    ours = lambda: bench.run([bench.options.submit, "--version"])
    bench.compare("--version", ours, lambda: bench.run(["rclone", "version"]), "rclone", wall=0.4)
    bench.compare("--version", ours, lambda: bench.run(["curl", "--version"]), "curl", wall=3)


CASES = {
    "small-objstore": small_objstore, "large-objstore": large_objstore, "small-file": small_file, "both": both,
    "medium-objstore": medium_objstore, "small-webdav": small_webdav, "large-webdav": large_webdav,
    "small-swift": swift_case("2,000 files of 100 kB", lambda bench: files(bench.work / "small", 2000, 100_000), 0.7),
    "medium-swift": swift_case("200 files of 5 MB", lambda bench: files(bench.work / "medium", 200, 5_000_000), 0.7),
    "large-swift": swift_case("one file of 4 GiB", lambda bench: film(bench, 4 << 30), 1.0),
    "interrupt": interrupt, "read-once": read_once, "acceptance": acceptance, "version": version,
    "external": external,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--submit", required=True)
    parser.add_argument("--s5cmd", required=True)
    parser.add_argument("--aws", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="submit-bench-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    bench = Bench(options, work)
    try:
        bench.endpoint = bench.start("nginx-put.sh", "nginx")["ENDPOINT"]
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        for name in options.cases or CASES:
            CASES[name](bench)
    finally:
        bench.stop()
        shutil.rmtree(work, ignore_errors=True)


main()
