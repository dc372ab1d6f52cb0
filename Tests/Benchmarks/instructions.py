"""Counts the instructions of CountedPaths' paths by callgrind, and compares them with the ledger.

A count is the difference between 2,000 and 1,000 of a thing, for each of them: what comes before the path, and what is done
the first time only, is in both. Of the ledger's lines (path, instructions, why) the last one of a path holds.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LEDGER = Path(__file__).resolve().parent / "instructions.tsv"
PROFILES = ROOT / ".build" / "instructions"
COUNTS = (1000, 2000)
ALLOWED = 1.10
# What is worth a word; all else is the weather.
NOTEWORTHY = 0.02


def toolchain() -> str:
    """What turns the same source into other instructions."""
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    system = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return f"{swift.strip()}, {system['PRETTY_NAME'].strip(chr(34))}, {platform.machine()}"


def counted(program: Path, path: str, count: int) -> int:
    PROFILES.mkdir(parents=True, exist_ok=True)
    profile = PROFILES / f"{path}-{count}.callgrind"
    profile.unlink(missing_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="submit-instructions-"))
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "TZ": "UTC", "LC_ALL": "C.UTF-8", "TMPDIR": str(folder),
        # Tables that are laid out anew in each process are walked in another order.
        "SWIFT_DETERMINISTIC_HASHING": "1",
    }
    try:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", program, path, str(count), folder],
            env=environment, capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f"{path} ended with {run.returncode}: {run.stderr[-2000:]}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return next(int(line.split()[1]) for line in profile.read_text().splitlines() if line.startswith("totals:"))


def ledger() -> dict:
    if not LEDGER.exists():
        return {}
    lines = [line.split("\t") for line in LEDGER.read_text().splitlines() if line and not line.startswith("#")]
    return {path: value for path, value, _ in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("--only", action="append", metavar="PATH")
    parser.add_argument("--write", metavar="WHY", help="add a line for each that changed")
    options = parser.parse_args()
    if options.write is not None and (not options.write.strip() or "\t" in options.write):
        parser.error("--write wants a reason, without tabs")

    known, here = ledger(), toolchain()
    if options.write is None and known.get("toolchain") != here:
        sys.exit(f"The ledger was counted with {known.get('toolchain')}, and here is {here}: write all of it anew.")
    paths = subprocess.run([options.program], capture_output=True, text=True, check=True).stdout.split()
    if options.only:
        paths = [path for path in paths if path in options.only]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        totals = {
            path: [pool.submit(counted, options.program, path, count) for count in COUNTS] for path in paths}
        now = {
            path: round((more.result() - less.result()) / (COUNTS[1] - COUNTS[0])) for path, (less, more) in totals.items()}

    new, grown = [], []
    for path, count in now.items():
        before = int(known.get(path, 0))
        change = count / before - 1 if before else 1
        told = f"{change:+.1%}" if before else "new"
        print(f"{path:10} {count:>10,} {before:>10,}  {told}")
        if abs(change) > NOTEWORTHY or known.get("toolchain") != here:
            new.append((path, count))
        if not before or count > before * ALLOWED:
            grown.append(path)
    if options.write is not None:
        lines = [] if known.get("toolchain") == here else [("toolchain", here)]
        with LEDGER.open("a") as file:
            file.writelines(f"{path}\t{value}\t{options.write.strip()}\n" for path, value in lines + new)
        print(f"{len(new)} written into {LEDGER.relative_to(ROOT)}")
    elif grown:
        sys.exit(
            f"{', '.join(grown)}: more instructions than the ledger allows. Mend it, or say why:\n"
            f"  Tests/Benchmarks/instructions.sh --write 'WHY'")
    elif any(count < int(known[path]) * (1 - NOTEWORTHY) for path, count in now.items()):
        print("Some need fewer than is written down. So that it stays: Tests/Benchmarks/instructions.sh --write 'WHY'")


if __name__ == "__main__":
    main()
