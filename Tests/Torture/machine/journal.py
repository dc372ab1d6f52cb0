"""A journal that is backed up, checked and pruned while a crowd sends, all of them killed at any time. Promised: a backup that
has its name is whole and sound, a pruned journal is sound, has a proof of each copy, and nobody is kept from writing."""

import shutil
import signal
import subprocess
import time
from collections import Counter

from world import Broken, World, seeded, sha256

SENDERS, PHOTOS, OLD, SECONDS = 4, 3, 4, 120


class Child:
    """A `submit` that is killed when its time has come."""

    def __init__(self, world, name, arguments, kill_after):
        self.world, self.name, self.kill_after, self.killed = world, name, kill_after, False
        log = world.folder / "log"
        log.mkdir(exist_ok=True)
        world.runs += 1
        self.out = log / f"{world.runs}-{name}.out"
        self.started = time.monotonic()
        with open(self.out, "wb") as out:
            self.process = subprocess.Popen(
                [world.machine.program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                env=world.environment(), cwd=world.root, start_new_session=True)

    def has_ended(self):
        self.seconds = time.monotonic() - self.started
        if self.process.poll() is not None:
            return True
        if self.kill_after is not None and self.seconds > self.kill_after:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.killed = True
            return True
        if self.seconds > SECONDS:
            self.process.kill()
            raise Broken(f"{self.name} had not ended after {SECONDS} s: {self.text()}")
        return False

    def text(self):
        return self.out.read_text(errors="replace")[-500:]


class Scene:
    """Senders, and beside them one that backs up and one that prunes."""

    def __init__(self, machine, number, numbers, figures):
        self.numbers, self.figures = numbers, figures
        folder = machine.work / f"journal-{number}"
        shutil.rmtree(folder, ignore_errors=True)
        self.world = World(machine, folder, "", {})
        self.places = [self.world.root / "one", self.world.root / "two"]
        self.world.write_config("destinations:\n" + "".join(
            f"  {place.name}:\n    type: file\n    path: {place}\n" for place in self.places))
        self.backup = self.world.folder / "backup" / "journal.sqlite"
        self.backup.parent.mkdir()
        self.sent, self.longest = [], 0.0

    def sender(self):
        """New photos, and some that were sent before."""
        before = set(self.world.sources)
        self.world.make_photos(
            [self.numbers.randint(1_000, 30_000) for _ in range(PHOTOS)], self.numbers, prefix=f"P{len(before):04}")
        new = [self.world.photos / name for name in sorted(set(self.world.sources) - before)]
        old = self.numbers.sample(self.sent, min(OLD, len(self.sent)))
        self.sent += new
        kill = self.numbers.uniform(0.01, 0.6) if self.numbers.random() < 0.3 else None
        return Child(self.world, "send", ["--json", "--to", "one,two", *new, *old], kill)

    def keeper(self, name):
        # Half of them in their midst.
        kill = self.numbers.uniform(0.005, 0.25) if self.numbers.random() < 0.6 else None
        if name == "backup":
            return Child(self.world, name, ["journal", "backup", "--force", self.backup], kill)
        return Child(self.world, name, ["journal", "prune", "--older-than", "0s", "--json"], kill)

    def ended(self, child):
        self.figures[f"{child.name} killed" if child.killed else child.name] += 1
        if not child.killed and child.process.returncode != 0:
            raise Broken(f"{child.name} ended with {child.process.returncode}: {child.text()}")
        if child.name == "send":
            if not child.killed:
                self.longest = max(self.longest, child.seconds)
        elif child.name == "backup" and self.backup.exists():
            self.check(self.backup)
        elif child.name == "prune":
            self.check()

    def check(self, *file):
        run = self.world.run("journal", "check", "--json", *file)
        self.figures["checks"] += 1
        if run.code != 0:
            raise Broken(f"the {'backup' if file else 'journal'} is not sound: {run.out}{run}")

    def begin(self):
        child = self.sender()
        child.kill_after = None
        while not self.look(child):
            time.sleep(0.01)

    def crowd(self, kills):
        senders, keepers = [], {name: None for name in ("backup", "prune")}
        begun = 0
        while True:
            killed = sum(count for name, count in self.figures.items() if name.endswith(" killed"))
            is_over = killed >= kills and begun > 20
            senders = [child for child in senders if not self.look(child)]
            if not is_over and len(senders) < SENDERS:
                senders.append(self.sender())
                begun += 1
            for name, child in keepers.items():
                if child is None or self.look(child):
                    keepers[name] = None if is_over else self.keeper(name)
            if is_over and not senders and not any(keepers.values()):
                return
            time.sleep(0.01)

    def look(self, child):
        if not child.has_ended():
            return False
        self.ended(child)
        return True

    def settle(self):
        world = self.world
        world.finish()
        # What was killed before it was taken in is asked for again.
        for at in range(0, len(self.sent), 200):
            run = world.run("--json", "--to", "one,two", *self.sent[at:at + 200])
            if run.code != 0:
                raise Broken(f"what was not taken in is not sent: {run}")
        world.check_sources()
        for place in self.places:
            there = {path.name: sha256(path) for path in place.iterdir() if not path.name.startswith(".")}
            expected = {name: facts[0] for name, facts in world.sources.items()}
            if there != expected:
                raise Broken(f"{place.name} does not hold each photo once: {len(there)} of {len(expected)}")
        run = world.run("journal", "prune", "--older-than", "0s", "--json")
        rows = world.journal("SELECT count(*), count(DISTINCT destination || ' ' || remote_id) FROM submission WHERE state = 2")
        if run.code != 0 or rows != [(len(self.sent) * 2, len(self.sent) * 2)]:
            raise Broken(f"{len(self.sent)} photos at 2 places leave {rows} proofs: {run.out}{run}")
        self.check()
        found = world.run("audit")
        if found.code != 0 or f"{len(self.sent)} there" not in found.out:
            raise Broken(f"an audit does not find them: {found.out}{found}")
        # The one file is all there is, once nobody is at it.
        alone = world.folder / "alone.sqlite"
        shutil.copyfile(world.journal_path, alone)
        self.check(alone)
        left = [path.name for path in self.backup.parent.iterdir()]
        if world.run("journal", "backup", "--force", self.backup).code != 0:
            raise Broken("no backup can be made after the kills")
        if [path.name for path in self.backup.parent.iterdir()] != [self.backup.name]:
            raise Broken(f"backups leave {left}")


def run(machine, report):
    machine.part = "journal"
    started = time.monotonic()
    figures, longest, photos, failures, number = Counter(), 0.0, 0, 0, 0
    while failures < machine.most_failures:
        if sum(count for name, count in figures.items() if name.endswith(" killed")) >= machine.crashes:
            break
        number += 1
        if machine.case is not None and number != machine.case:
            if number > machine.case:
                break
            continue
        own = Counter()
        scene = Scene(machine, number, seeded(machine.seed, "journal", number), own)
        try:
            scene.begin()
            scene.crowd(min(100, machine.crashes))
            scene.settle()
        except Broken as trouble:
            machine.keep_failure("journal", number, scene.world, "backed up and pruned in a crowd", trouble)
            failures += 1
        else:
            shutil.rmtree(scene.world.folder, ignore_errors=True)
        figures += own
        longest, photos = max(longest, scene.longest), photos + len(scene.sent)
    report.part(
        "journal", failures == 0 and number > 0,
        f"{figures['backup killed']} kills of {figures['backup killed'] + figures['backup']} backups, "
        f"{figures['prune killed']} of {figures['prune killed'] + figures['prune']} prunes, {figures['send killed']} of "
        f"{figures['send killed'] + figures['send']} sends; {figures['checks']} checks of journals and backups, {photos} photos "
        f"at two places, each proven once; a send took {longest:.1f} s at the most; {time.monotonic() - started:.0f} s; "
        f"{failures} failures", [])
