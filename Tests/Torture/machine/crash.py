"""kill -9 at every named step and at random times, with four destinations at once; then resume, and an audit."""

import hashlib
import queue
import shutil
import threading
import time
from collections import Counter
from functools import partial

import audit
from cleaning import Cleaning
from errand import Errand, send
from places import NAMES, Places
from removing import removing
from repairing import repairing
from world import ALBUM, STEPS, Broken, World, copy_tree, describe, photo, seeded

KILLABLE = ("commit", "checkpoint", "journal-write", "create", "copy", "sync", "rename", "unlink", "mkdir", "request",
            "reply")
TEARABLE = ("journal-write", "copy", "request")
# Before a reply is after its request.
MOMENTS = [(step, when) for step in KILLABLE for when in ("before", "after", "torn")
           if (when != "torn" or step in TEARABLE) and (when != "before" or step != "reply")]
READBACK = ("--verify", "readback")
SENDING = partial(Errand)
#          photos, sizes, destinations, does the journal know the destinations, are names taken, what is asked for
SCENES = {
    "small": (5, (1_000, 60_000), NAMES, True, False, SENDING),
    "cold": (2, (1_000, 20_000), NAMES, False, False, SENDING),
    "taken": (3, (1_000, 20_000), NAMES, True, True, SENDING),
    "large": (1, (11 << 20, (11 << 20) + 5000), NAMES, True, False, SENDING),
    "many": (48, (200, 3_000), ("disk", "nas"), True, False, SENDING),
    "clean": (3, (1_000, 40_000), NAMES, True, False, partial(Cleaning)),
    "trash": (4, (1_000, 20_000), NAMES, True, True, removing(3, "trash")),
    "delete": (12, (1_000, 20_000), ("disk", "shop", "nas"), True, False, removing(3, "delete", *READBACK)),
    "repair": (4, (1_000, 20_000), NAMES, True, False, repairing("rename")),
    "replace": (4, (1_000, 20_000), NAMES, True, False,
                repairing("overwrite", *READBACK, kinds=("deleted", "longer", "other"))),
}


class Worker:
    """Makes worlds that do not meet those of others, one after the other."""

    def __init__(self, machine, storage, dav, name):
        self.machine, self.storage, self.dav, self.name = machine, storage, dav, name
        self.template = None

    def places(self, root, mark):
        return Places(self.storage, self.dav, root, mark)

    def world(self, folder, scene, numbers, number):
        count, sizes, names, is_warm, is_taken, _ = SCENES[scene]
        shutil.rmtree(folder, ignore_errors=True)
        mark = self.name if is_warm else f"{self.name}-{number}"
        places = self.places(folder / "root", mark)
        world = World(self.machine, folder, places.yaml(), places.secrets(), number)
        if is_warm:
            copy_tree(self.warm(), world.root / "state")
            places.clear()
            world.first_batch = 1
        world.make_photos([numbers.randint(*sizes) for _ in range(count)], numbers)
        taken, strangers = [], {}
        if is_taken:
            taken = sorted(world.sources)[:2]
            for name in taken:
                data = photo(numbers.randint(*sizes), numbers)
                places.put_strangers(name, data)
                strangers[f"{ALBUM}/{name}"] = hashlib.sha256(data).hexdigest()
        expected = audit.expected_paths(world, names, taken)
        for place in names:
            expected[place].update(strangers)
        return world, places, names, expected

    def warm(self):
        """The state of a `submit` that has used these destinations before."""
        if self.template is None:
            folder = self.machine.work / f"template-{self.name}"
            shutil.rmtree(folder, ignore_errors=True)
            places = self.places(folder / "root", self.name)
            world = World(self.machine, folder, places.yaml(), places.secrets())
            for place in ("shop", "box", "nas"):
                run = world.run("destinations", "check", place)
                assert run.code == 0, run
            world.make_photos([5000], seeded("warm"))
            run = world.run(*send(NAMES), world.photos)
            assert run.code == 0, run
            self.template = world.root / "state"
        return self.template


def rehearse(worker, scene, seed):
    """How often each step comes in a run that nobody disturbs, and how long that takes."""
    folder = worker.machine.work / f"rehearsal-{scene}"
    numbers = seeded(seed, "rehearsal", scene)
    world, places, names, expected = worker.world(folder, scene, numbers, f"r{scene}")
    errand = SCENES[scene][-1](world, places, names, expected, numbers)
    errand.prepare()
    run, counts = world.rehearse(*errand.first())
    if run.code != 0:
        raise Broken(f"the rehearsal of {scene} fails: {run}")
    audit.check_complete(world, places, names, expected, errand=errand)
    return counts, run.seconds


def plan(rehearsals, crashes, seed):
    """Which points to kill at: of each step of each scene in turn, so that the rare ones have theirs.

    How often a step comes differs a little from run to run: chosen is how far through, so that a seed means the same."""
    numbers = seeded(seed, "plan")
    groups = [(scene, step, when, numbers.random()) for scene in rehearsals for step, when in MOMENTS]
    numbers.shuffle(groups)
    total = sum(rehearsals[scene][0][step] for scene, step, *_ in groups)
    golden, chosen, turn = 0.6180339887, [], 0
    while len(chosen) < crashes:
        for scene, step, when, start in groups:
            count = rehearsals[scene][0][step]
            # Between those at steps, some at any time.
            if len(chosen) % 5 == 4:
                chosen.append((scene, "time", numbers.random(), ""))
            if count:
                through = ((start + turn * golden) % 1) ** (1 / SCENES[scene][-1].func.lateness)
                chosen.append((scene, step, 1 + int(through * count), when))
        turn += 1
    return chosen[:crashes], total


def kill_options(world, point, seconds, disk):
    _, step, at, when = point
    if step == "time":
        return {"kill_after": at * seconds}
    settings = {"kill": f"{step}:{at}:{when}", **(disk.settings() if disk else {})}
    return {"extra": world.shimmed(**settings)}


def resume_point(numbers, counts):
    step = numbers.choice([step for step in KILLABLE if counts[step]] + ["time"])
    if step == "time":
        return ("", step, numbers.random(), "")
    when = numbers.choice(["after"] if step == "reply" else ["before", "after"] + ["torn"] * (step in TEARABLE))
    # What is left to do is less than all; earlier steps are more likely to come.
    return ("", step, 1 + int(numbers.random() ** 2 * counts[step]), when)


def try_one(worker, number, point, rehearsals, seed, figures, disk_type=None):
    scene = point[0]
    numbers = seeded(seed, "case", number)
    counts, seconds = rehearsals[scene]
    folder = worker.machine.work / f"{worker.machine.part}-{number}"
    world, places, names, expected = worker.world(folder, scene, numbers, number)
    kills, marks, runs = 0, {}, []
    errand = SCENES[scene][-1](world, places, names, expected, numbers)
    try:
        errand.prepare()
        command = errand.first()
        disk = disk_type(world, numbers) if disk_type else None
        # A disk that lost something has other files than it had.
        lasting = [place for place in names if place != "disk" or not disk]
        for attempt in range(4):
            wanted = point if attempt == 0 else resume_point(numbers, counts)
            if attempt and numbers.random() > 0.4:
                break
            run = world.run(*command, **kill_options(world, wanted, seconds, disk))
            runs.append(run)
            # What a kill left unsynced may be taken for whole by who resumes, and be lost later.
            is_cut = disk is not None and numbers.random() < 0.8
            if is_cut:
                disk.cut()
            if run.killed:
                kills += is_cut or disk is None
                figures[wanted[1]] += is_cut or disk is None
                figures[wanted[1], wanted[3]] += 1
            elif run.code not in errand.codes():
                raise Broken(f"it failed: {run}")
            audit.check_journal(world)
            audit.check_catalogue(world)
            for one in runs:
                audit.check_said(world, one)
            audit.check_unwritten(world, places, lasting, marks)
            audit.check_done(world, places, names)
            errand.check()
            if errand.meddle() and disk:
                disk.begin()
            marks = audit.done_marks(world, places, lasting)
            command = errand.next(command)
        if not errand.is_taken_in():
            run = world.run(*command)
            if run.code not in (0, 3):
                raise Broken(f"it fails after a kill: {run}")
        run = errand.finish()
        audit.check_said(world, run)
        audit.check_unwritten(world, places, lasting, marks)
        audit.check_complete(world, places, names, expected, errand=errand)
        if disk:
            disk.cut()
            audit.check_journal(world)
            audit.check_catalogue(world)
            audit.check_said(world, run)
            audit.check_done(world, places, names)
            errand.check_sources()
        tries = sum(row[9] for row in audit.submissions(world))
        figures["submissions"] += len(world.sources) * len(names)
        figures["attempts"] += tries
    except Exception as trouble:
        listing = {place: sorted(places.contents(place)) for place in names}
        worker.machine.keep_failure(
            worker.machine.part, number, world, f"{scene} {point[1:]}", trouble, places=listing,
            remains={place: places.remains(place) for place in names})
        figures["failures"] += 1
    else:
        if worker.machine.verbose:
            worker.machine.say(f"{worker.machine.part} {number}: {scene} {point[1:]}: " + " | ".join(world.steps))
        shutil.rmtree(folder, ignore_errors=True)
    figures["kills"] += kills
    return kills


def run(machine, report, part="crash", disk_type=None, what="kills"):
    machine.part = part
    started = time.monotonic()
    storage, dav = machine.storage(), machine.dav()
    workers = [Worker(machine, storage, dav, f"{part}{i}") for i in range(machine.jobs)]
    scenes = [scene for scene in SCENES if not machine.only or scene in machine.only]
    rehearsals = {scene: rehearse(workers[0], scene, machine.seed) for scene in scenes}
    points, total = plan(rehearsals, max(machine.crashes * 2, machine.case or 0), machine.seed)
    todo = queue.SimpleQueue()
    for number, point in enumerate(points, 1):
        if machine.case is None or machine.case == number:
            todo.put((number, point))
    figures, lock = Counter(), threading.Lock()

    def work(worker):
        while True:
            with lock:
                if figures["kills"] >= machine.crashes or figures["failures"] >= machine.most_failures:
                    return
            try:
                number, point = todo.get_nowait()
            except queue.Empty:
                return
            mine = Counter()
            try:
                try_one(worker, number, point, rehearsals, machine.seed, mine, disk_type)
            except Exception as trouble:  # The torture's own.
                machine.say(f"{machine.part} {number}: {type(trouble).__name__}: {trouble}")
                mine["failures"] += 1
            with lock:
                figures.update(mine)
                figures["worlds"] += 1

    machine.say(f"{part}: rehearsed in {time.monotonic() - started:.0f} s")
    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    known = {step for counts, _ in rehearsals.values() for step, count in counts.items() if count}
    missed = [f"{when} {step}" for step, when in MOMENTS if step in known and not figures[step, when]]
    by_step = ", ".join(f"{step} {figures[step]}" for step in (*STEPS, "time") if figures[step])
    report.part(
        part, figures["failures"] == 0 and figures["kills"] >= (1 if machine.case else machine.crashes)
        # Of so many, none may be left out.
        and not (missed and figures["kills"] >= 500),
        f"{figures['kills']} {what} in {figures['worlds']} worlds of {', '.join(scenes)} "
        f"({total} points known), {took:.0f} s; {figures['submissions']} submissions proven from outside, "
        f"{figures['attempts']} attempts; {figures['failures']} failures",
        [f"by step: {by_step}" + (f"; never {', '.join(missed)}" if missed else ""),
         "steps of an undisturbed send: " + "; ".join(
             f"{scene} " + ", ".join(f"{step} {n}" for step, n in counts.items() if n and step in KILLABLE)
             for scene, (counts, _) in rehearsals.items())])
