"""Runs submit and its peers in turn and prints medians: wall clock, user+system time, peak memory, and their ratios.

Every run gets folders of its own and nothing is removed before the end: ext4 avoids inodes that were freed within the
last minutes, and searching for others would be measured instead of copying.
"""

import argparse
import os
import resource
import shutil
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
        self.options, self.work, self.turn = options, work, 0
        keep = ("PATH", "HOME", "TMPDIR", "LANG")
        self.environment = {key: os.environ[key] for key in keep if key in os.environ}
        self.environment |= {"XDG_CONFIG_HOME": str(work / "config"), "RCLONE_CONFIG": "/dev/null"}

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
        rows = {"submit": [], peer_name: []}
        for turn in range(self.options.rounds + 1):
            for name, run in (("submit", ours), (peer_name, peer)):
                figures = run()
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
        ratios = [medians["submit"][i] / medians[peer_name][i] for i in range(2)]
        for word, value, target in (("wall", ratios[0], wall), ("CPU", ratios[1], cpu)):
            if target:
                print(f"  {word} {value:.2f}x of {peer_name}, target {target}x: {verdict(value, target)}")
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
    source = bench.work / "film.mp4"
    subprocess.run(["head", "-c", str(2 << 30), "/dev/urandom"], stdout=source.open("wb"), check=True)
    with source.open("r+b") as film:
        film.write(b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom")
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


def version(bench):
    ours = lambda: bench.run([bench.options.submit, "--version"])
    bench.compare("--version", ours, lambda: bench.run(["rclone", "version"]), "rclone", wall=0.4)
    bench.compare("--version", ours, lambda: bench.run(["curl", "--version"]), "curl", wall=3)


CASES = {
    "small-objstore": small_objstore, "large-objstore": large_objstore, "small-file": small_file, "both": both,
    "read-once": read_once, "acceptance": acceptance, "version": version,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--submit", required=True)
    parser.add_argument("--s5cmd", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="submit-bench-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    bench = Bench(options, work)
    server = str(HERE.parent / "Servers" / "nginx-put.sh")
    try:
        answer = subprocess.run([server, "start", work / "nginx"], check=True, capture_output=True, text=True).stdout
        bench.endpoint = dict(line.split("=", 1) for line in answer.split())["ENDPOINT"]
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        for name in options.cases or CASES:
            CASES[name](bench)
    finally:
        subprocess.run([server, "stop", work / "nginx"], check=False)
        shutil.rmtree(work, ignore_errors=True)


main()
