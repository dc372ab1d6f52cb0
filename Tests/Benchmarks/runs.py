"""Runs commands, alone, one after another or side by side, and says what each took."""

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path


@dataclass
class Command:
    arguments: list
    environment: dict = field(default_factory=dict)
    folder: Path | None = None


@dataclass
class Job:
    """What one contestant does: mostly one command."""

    commands: list
    side_by_side: bool = False
    # What has to be done before, and is not measured.
    before: list = field(default_factory=list)


@dataclass
class Figures:
    """wall and cpu (user and system) in seconds; memory, the peak, in MiB, which is at least that of this program, by
    which the kernel counts before a command begins; read, the bytes that were asked of the kernel, and disk, those
    that came from the disk; calls, the system calls, where they were counted."""

    wall: float
    cpu: float
    memory: float
    read: int
    disk: int
    calls: int | None = None


class RunFailed(Exception):
    pass


class Runner:
    def __init__(self, environment: dict, limit: float):
        self.environment, self.limit = environment, limit

    def prepare(self, job: Job):
        for command in job.before:
            self._end(*self._start(command))

    def run(self, job: Job) -> Figures:
        # What another left unwritten would be waited for by whoever syncs next.
        os.sync()
        begin = time.monotonic()
        if job.side_by_side:
            started = [self._start(command) for command in job.commands]
            parts, trouble = [], None
            for process in started:
                try:
                    parts.append(self._end(*process))
                except RunFailed as failure:
                    trouble = failure
            if trouble:
                raise trouble
        else:
            parts = [self._end(*self._start(command)) for command in job.commands]
        memory = (sum if job.side_by_side else max)(part.memory for part in parts)
        return Figures(
            time.monotonic() - begin, sum(part.cpu for part in parts), memory,
            sum(part.read for part in parts), sum(part.disk for part in parts))

    def counted(self, job: Job) -> Figures:
        """Runs it, slower, and counts its system calls."""
        with tempfile.TemporaryDirectory() as folder:
            told = [Path(folder) / str(index) for index in range(len(job.commands))]
            commands = [
                replace(command, arguments=[
                    "perf", "stat", "-x", ",", "-e", "raw_syscalls:sys_enter", "-o", path, "--", *command.arguments])
                for command, path in zip(job.commands, told)]
            figures = self.run(replace(job, commands=commands))
            figures.calls = sum(
                int(line.split(",")[0]) for path in told for line in path.read_text().splitlines()
                if "raw_syscalls" in line)
        return figures

    def _start(self, command: Command):
        trouble = tempfile.TemporaryFile()
        process = subprocess.Popen(
            [str(part) for part in command.arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=trouble, cwd=command.folder, start_new_session=True,
            env=self.environment | {key: str(value) for key, value in command.environment.items()})
        return process, trouble, time.monotonic(), Path(str(command.arguments[0])).name

    def _end(self, process, trouble, begin, name) -> Figures:
        late = threading.Event()

        def end_late():
            late.set()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(self.limit, end_late)
        timer.start()
        try:
            # The kernel's counts are there until the process is reaped.
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            wall = time.monotonic() - begin
            counts = dict(line.split(": ") for line in Path(f"/proc/{process.pid}/io").read_text().splitlines())
        except BaseException:
            end_late()
            raise
        finally:
            timer.cancel()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if late.is_set():
            raise RunFailed(f"{name} had not ended after {self.limit:.0f} s")
        if process.returncode != 0:
            trouble.seek(0)
            said = " ".join(trouble.read().decode(errors="replace").split())
            raise RunFailed(f"{name} ended with {process.returncode}: {said[-400:]}")
        return Figures(
            wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, int(counts["rchar"]),
            int(counts["read_bytes"]))
