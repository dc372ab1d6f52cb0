"""What `submit` needs runs out, is refused or goes wrong; then it is there again.

Promised: a sentence and a documented exit code, no crash, nothing lost; afterwards `resume` completes it all, and `retry`
what a fault failed for good."""

import errno
import queue
import shutil
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

import audit
import crash
from places import NAMES
from world import Broken, seeded

# How calls fail that are let fail one by one.
FAILURES = [(step, code) for step, codes in {
    "commit": ("EIO", "ENOSPC"), "journal-write": ("EIO", "ENOSPC", "EINTR"), "create": ("ENOSPC", "EMFILE", "EACCES"),
    "copy": ("EIO", "ENOSPC", "EINTR"), "sync": ("EIO", "ENOSPC"), "rename": ("EIO", "ENOSPC"), "unlink": ("EIO",),
    "mkdir": ("ENOSPC", "EACCES"), "request": ("ECONNRESET", "EPIPE"), "reply": ("ECONNRESET",),
    "open": ("EMFILE", "EIO", "EACCES"), "read": ("EIO",), "map": ("ENOMEM",), "socket": ("EMFILE",),
    "connect": ("ECONNREFUSED", "ENETUNREACH", "ETIMEDOUT"),
}.items() for code in codes]


def mount(path, size):
    path.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "submit-torture", path], check=True)


def remount(path, options):
    subprocess.run(["mount", "-o", f"remount,{options}", path], check=True)


# Of cgroup v1. Where there is none, what takes one is not tried, and that is told.
MEMORY_GROUPS = Path("/sys/fs/cgroup/memory")


def limited(limit):
    return ("/bin/bash", "-c", f'{limit} && exec "$@"', "limited")


class Case:
    """One fault: `before` brings it about, `options` are of the run, `after` ends it."""

    def __init__(
            self, name, scene="small", before=None, after=None, options=None, may_be_killed=False, must_succeed=False,
            saying=""):
        self.name, self.scene, self.before, self.after = name, scene, before, after
        self.options = options or (lambda world: {})
        # By the kernel, or by libdispatch, which cannot do without: there is nobody left to say a sentence.
        self.may_be_killed, self.must_succeed = may_be_killed, must_succeed
        # What is said where nothing can be begun.
        self.saying = saying


def filled(part, size, larger="64m"):
    """A disk of this size below a part of the world, and more room afterwards."""

    def before(world):
        path = world.root / part
        aside = world.folder / "aside"
        if path.exists():
            shutil.move(path, aside)
        mount(path, larger)
        if aside.exists():
            shutil.copytree(aside, path, dirs_exist_ok=True)
            shutil.rmtree(aside)
        used = sum(file.stat().st_blocks * 512 for file in path.rglob("*") if file.is_file())
        remount(path, f"size={max(size, 4) * 1024 + used}")

    return {"before": before, "after": lambda world: remount(world.root / part, f"size={larger}")}


def read_only(part):
    def before(world):
        filled(part, 1 << 14)["before"](world)
        remount(world.root / part, "ro")

    return {"before": before, "after": lambda world: remount(world.root / part, "rw")}


def in_group(bytes_):
    """A memory group of its own."""
    group = MEMORY_GROUPS / f"submit-torture-{bytes_}"
    return limited(
        f"mkdir -p {group} && echo {bytes_} > {group}/memory.limit_in_bytes && echo $$ > {group}/cgroup.procs")


def cases(machine, rehearsals):
    found = []
    for size in (4, 24, 150):
        found.append(Case(f"destination full after {size} KiB", **filled("place", size)))
    for size in (4, 16, 64, 200):
        found.append(Case(f"journal's disk full after {size} KiB", "many", **filled("state", size)))
    found.append(Case("originals on a full disk", must_succeed=True, **filled("photos", 0)))
    found.append(Case("originals on a read-only disk", must_succeed=True, **read_only("photos")))
    found.append(Case("journal read-only", **read_only("state")))
    found.append(Case("destination read-only", **read_only("place")))
    for count in (3, 6, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64):
        found.append(Case(f"{count} descriptors", options=lambda world, n=count: {
            "wrapper": limited(f"ulimit -n {n}")}, may_be_killed=count < 8, must_succeed=count >= 64,
            saying="" if count < 8 else "files may be open" if count < 32 else "too many files are open"))
    for megabytes in (200, 360, 600, 1000):
        found.append(Case(f"{megabytes} MiB of addresses", options=lambda world, n=megabytes: {
            "wrapper": limited(f"ulimit -v {n << 10}")}, must_succeed=megabytes >= 1000,
            saying="MiB of addresses" if 300 < megabytes < 512 else ""))
    for megabytes in (8, 16, 64) if MEMORY_GROUPS.is_dir() else ():
        found.append(Case(f"{megabytes} MiB of memory", "large" if megabytes == 64 else "small",
                          options=lambda world, n=megabytes: {"wrapper": in_group(n << 20)},
                          may_be_killed=megabytes < 64, must_succeed=megabytes == 64))
    for milliseconds in (0, 60, 200):
        for days in (1, -1, 3650, -3650):
            found.append(Case(f"clock {days:+} days after {milliseconds} ms", options=lambda world, a=milliseconds, b=days: {
                "extra": world.shimmed(clock=f"{a}:{b * 86400}")}))
    numbers = seeded(machine.seed, "failures")
    calls = []
    never = sorted({step for step, _ in FAILURES if not any(counts.get(step) for counts, _ in rehearsals.values())})
    if never:
        raise Broken(f"no scene has a {', a '.join(never)} that could fail")
    for step, code in FAILURES:
        for scene in ("small", "cold", "large"):
            count = rehearsals[scene][0].get(step, 0)
            if count:
                calls.append((scene, step, numbers.randint(1, count), code, 1))
                if code != "EINTR":
                    calls.append((scene, step, numbers.randint(1, count), code, 0))
    numbers.shuffle(calls)
    for scene, step, at, code, times in calls:
        found.append(Case(
            f"{step} {at} fails with {code} {'once' if times else 'from then on'}", scene,
            options=lambda world, fail=f"{step}:{at}:{getattr(errno, code)}:{times}": {
                "extra": world.shimmed(fail=fail)}))
    return found


def check_end(run, case):
    if run.code < 0 or run.code > 128:
        if case.may_be_killed:
            return
        raise Broken(f"it crashed: {run}")
    if run.code == 127 and "loading shared libraries" in run.err:
        return
    if run.code not in (0, 1, 2, 3):
        raise Broken(f"an exit code that is documented nowhere: {run}")
    if case.must_succeed and run.code != 0:
        raise Broken(f"it should have gone well: {run}")
    for word in ("Fatal error", "fatalError", "Thread 0", "Domain=", "unexpectedly found", "precondition"):
        if word in run.err:
            raise Broken(f"not a sentence for people: {run}")
    if run.code == 2:
        lines = [line for line in run.err.splitlines() if line.strip()]
        if not lines or len(lines) > 3 or not lines[0].rstrip().endswith((".", "…")):
            raise Broken(f"no sentence says why: {run}")
        if case.saying not in run.err:
            raise Broken(f"it is not said that {case.saying}: {run}")


def try_one(worker, number, case, figures):
    machine = worker.machine
    folder = machine.work / f"resources-{number}"
    world, places, names, expected = worker.world(folder, case.scene, seeded(machine.seed, "resources", number), number)
    asked = world.newest_batch() + 1
    command = [*crash.send(names), world.photos]
    command[command.index("--wait") + 1] = 1
    mounted = []
    try:
        if case.before:
            case.before(world)
            mounted = [world.root / part for part in ("place", "state", "photos")]
            for name in world.sources:
                world.sources[name] = crash.describe(world.photos / name)
        run = world.run(*command, within=60, **case.options(world))
        figures[f"exit {run.code}"] += 1
        check_end(run, case)
        world.check_sources()
        audit.check_said(world, run)
        if case.after:
            case.after(world)
        audit.check_journal(world)
        audit.check_catalogue(world)
        audit.check_done(world, places, names)
        if world.newest_batch() < asked:
            run = world.run(*crash.send(names), world.photos)
            if run.code not in (0, 3):
                raise Broken(f"it fails when all is well again: {run}")
        failed = [row for row in audit.submissions(world) if row[3] == 3]
        if failed:
            figures["needed a retry"] += 1
            world.run("retry", "--json", "--wait", 10)
        # What was refused was never accepted; it is asked for again.
        if {row[1] for row in audit.submissions(world)} != set(world.sources):
            world.finish()
            missing = sorted(set(world.sources) - {row[1] for row in audit.submissions(world)})
            if missing:
                figures["asked again for what was refused"] += 1
                if not run.events("refused") and run.code == 0:
                    raise Broken(f"{missing} were not accepted, and nobody said so")
                world.run(*crash.send(names), *[world.photos / name for name in missing])
        world.finish()
        audit.check_complete(world, places, names, expected)
    except Exception as trouble:
        remains = {place: places.remains(place) for place in names}
        machine.keep_failure("resources", number, world, case.name, trouble, remains=remains)
        figures["failures"] += 1
    else:
        if machine.verbose:
            machine.say(f"resources {number}: {case.name}: " + " | ".join(world.steps))
    finally:
        for path in mounted:
            subprocess.run(["umount", "-l", path], stderr=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


def run(machine, report):
    machine.part = "resources"
    started = time.monotonic()
    storage, dav = machine.storage(), machine.dav()
    workers = [crash.Worker(machine, storage, dav, f"r{i}") for i in range(machine.jobs)]
    rehearsals = {scene: crash.rehearse(workers[0], scene, machine.seed) for scene in ("small", "cold", "large")}
    todo = queue.SimpleQueue()
    all_cases = cases(machine, rehearsals)
    for number, case in enumerate(all_cases, 1):
        chosen = machine.case is None or machine.case == number
        if chosen and (not machine.only or any(word in case.name for word in machine.only)):
            todo.put((number, case))
    figures, lock = Counter(), threading.Lock()

    def work(worker):
        while figures["failures"] < machine.most_failures:
            try:
                number, case = todo.get_nowait()
            except queue.Empty:
                return
            mine = Counter(cases=1)
            try:
                try_one(worker, number, case, mine)
            except Exception as trouble:  # The torture's own.
                machine.say(f"resources {number}: {case.name}: {type(trouble).__name__}: {trouble}")
                mine["failures"] += 1
            with lock:
                figures.update(mine)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for group in MEMORY_GROUPS.glob("submit-torture-*"):
        group.rmdir()
    ends = ", ".join(f"{name}: {figures[name]}" for name in sorted(figures) if name not in ("cases", "failures"))
    report.part(
        "resources", figures["failures"] == 0 and figures["cases"] > 0,
        f"{figures['cases']} of {len(all_cases)} faults, {time.monotonic() - started:.0f} s; {figures['failures']} failures",
        [f"how the runs under a fault ended: {ends}"]
        + ([] if MEMORY_GROUPS.is_dir() else ["not tried: limits of memory, for want of cgroup v1"]))
