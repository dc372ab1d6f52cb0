"""Twenty processes on one journal, most of them killed at any time. Promised: each submission once, none starved, and whoever
lives ends by itself with its own batch done."""

import shutil
import signal
import subprocess
import time
from collections import Counter

import audit
from crash import Worker
from errand import RESUME, send
from places import NAMES
from world import Broken, seeded

PROCESSES, PHOTOS, SECONDS = 20, 4, 150


class Member:
    """One process: it sends photos of its own, or goes on with what is owed."""

    def __init__(self, world, number, photos, kill_after):
        self.world, self.number, self.photos, self.kill_after = world, number, photos, kill_after
        self.killed, self.process, self.started = False, None, None

    def start(self):
        arguments = [*send(NAMES), *self.photos] if self.photos else RESUME
        log = self.world.folder / "log"
        log.mkdir(exist_ok=True)
        self.out, self.err = log / f"crowd-{self.number}.out", log / f"crowd-{self.number}.err"
        self.started = time.monotonic()
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen(
                [self.world.machine.program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                env=self.world.environment(), cwd=self.world.root, start_new_session=True)

    def look(self):
        """Whether it has ended; kills it when its time has come."""
        if self.process.poll() is not None:
            return True
        passed = time.monotonic() - self.started
        if self.kill_after is not None and passed > self.kill_after:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.killed = True
            return True
        if passed > SECONDS:
            self.process.kill()
            raise Broken(f"process {self.number} had not ended after {SECONDS} s: it starves")
        return False


def try_one(worker, number, numbers, figures):
    folder = worker.machine.work / f"crowd-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    world = None
    try:
        world, places, names, _ = worker.world(folder, "small", numbers, number)
        for path in world.photos.iterdir():
            path.unlink()
        world.sources.clear()
        members = []
        for index in range(PROCESSES):
            photos = []
            # One in four only helps.
            if index % 4 != 3:
                known = set(world.sources)
                world.make_photos([numbers.randint(1_000, 60_000) for _ in range(PHOTOS)], numbers, prefix=f"P{index:02}")
                photos = [world.photos / name for name in sorted(set(world.sources) - known)]
            is_killed = numbers.random() < 0.6
            members.append(Member(world, index, photos, numbers.uniform(0.01, 0.8) if is_killed else None))
        expected = audit.expected_paths(world, names, [])
        begun, waiting = [], list(members)
        while True:
            running = [member for member in begun if not member.look()]
            # They come one after the other, so that some meet what others have left.
            if waiting:
                begun.append(waiting.pop(0))
                begun[-1].start()
            elif not running:
                break
            time.sleep(numbers.uniform(0.01, 0.12))
        for member in members:
            member.look()
            figures["kills"] += member.killed
            code = member.process.returncode
            # Of one that was killed while it took photos in, the rest is for the next `submit resume`.
            is_cut_off = code == 3 and not member.photos and '"complete":false' in member.out.read_text()[-2000:]
            if not member.killed and code != 0 and not is_cut_off:
                raise Broken(f"process {member.number} lived and ended with {code}: {member.err.read_text()[-400:]}")
        # Who was killed before its photos were taken in is asked again by its user.
        have = {name for (name,) in world.journal("SELECT name FROM item")}
        lost = [path for member in members if member.killed for path in member.photos if path.name not in have]
        world.finish()
        have = {name for (name,) in world.journal("SELECT name FROM item")}
        lost = [path for path in lost if path.name not in have]
        if lost:
            run = world.run(*send(names), *lost)
            if run.code != 0:
                raise Broken(f"what was not taken in is not sent: {run}")
        audit.check_complete(world, places, names, expected)
        rows = world.journal("SELECT count(*) FROM submission WHERE batch > ?", world.first_batch)
        figures["submissions"] += rows[0][0]
        twice = world.journal("SELECT count(*) FROM attempt WHERE outcome = 'interrupted'")
        figures["interrupted"] += twice[0][0]
    except Broken as trouble:
        worker.machine.keep_failure("crowd", number, world, f"{PROCESSES} processes", trouble)
        figures["failures"] += 1
    else:
        shutil.rmtree(folder, ignore_errors=True)
    figures["worlds"] += 1


def run(machine, report):
    machine.part = "crowd"
    started = time.monotonic()
    worker = Worker(machine, machine.storage(), machine.dav(), "crowd")
    figures = Counter()
    number = 0
    while figures["kills"] < machine.crashes and figures["failures"] < machine.most_failures:
        number += 1
        if machine.case is not None and number != machine.case:
            if number > machine.case:
                break
            continue
        try_one(worker, number, seeded(machine.seed, "crowd", number), figures)
    report.part(
        "crowd", figures["failures"] == 0 and figures["worlds"] > 0,
        f"{figures['kills']} kills of {figures['worlds'] * PROCESSES} processes, {PROCESSES} on a journal, "
        f"{time.monotonic() - started:.0f} s; {figures['submissions']} submissions proven from outside, "
        f"{figures['interrupted']} broken off; {figures['failures']} failures", [])
