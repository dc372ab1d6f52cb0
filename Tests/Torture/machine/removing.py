"""Sends whose sources go once enough copies are proven, and an owner who does things of his own meanwhile.

Where the originals are is told by their bytes, their marks and their inodes: at their place, put aside, in the trash."""

import time
import urllib.parse
from functools import partial

from audit import DONE, submissions, told_lost
from errand import RESUME, Errand, send
from world import Broken, describe, photo

WANTED, UNDER_WAY, REMOVED, KEPT = 0, 1, 2, 3
ASIDE = ".submit-removed-"


def removing(copies, manner, *options):
    return partial(Removing, copies, manner, options)


class Removing(Errand):
    # A source goes at the end.
    lateness = 2

    def __init__(self, copies, manner, options, *rest):
        super().__init__(*rest)
        self.copies, self.manner, self.options = copies, manner, options
        self.trash = self.world.root / "home/.local/share/Trash"
        self.proven = set()    # names that were gone when their copies had been seen here
        self.own = {}          # what the owner has put somewhere, which nobody may touch
        self.restored = set()  # names that he took out of the trash
        self.spoilt = set()    # names of originals that he has overwritten
        self.has_meddled = self.has_deleted = False

    def prepare(self):
        super().prepare()
        for folder in ("files", "info"):
            (self.trash / folder).mkdir(parents=True)
        # What he threw away himself has the name of a photo.
        name = sorted(self.world.sources)[0]
        self._put(self.trash / "files" / name, photo(700, self.numbers))
        self._put(self.trash / "info" / f"{name}.trashinfo",
                  f"[Trash Info]\nPath=/elsewhere/{name}\nDeletionDate=2024-01-01T00:00:00\n".encode())
        self.lay = self._lie()

    def first(self):
        return [*send(self.names), "--remove-source-when", self.copies, "--remove-source-how", self.manner, *self.options,
                self.world.photos]

    def codes(self):
        return (0, 1, 3) if self.has_meddled else (0, 3)

    # The owner

    def _put(self, path, data):
        path.write_bytes(data)
        self.own[path] = describe(path)

    def meddle(self):
        world, numbers = self.world, self.numbers
        if numbers.random() > 0.5 or not self.is_taken_in():
            return False
        if world.journal("SELECT count(*) FROM batch WHERE complete = 0") != [(0,)]:
            return False
        name = numbers.choice(sorted(world.sources))
        path = world.photos / name
        rows = [row for row in submissions(world) if row[1] == name]
        acts = []
        if self.lay[name] == path:
            # Before it is sent everywhere, that would be another story.
            if all(row[3] == DONE for row in rows):
                acts.append("saves it anew")
        elif path not in self.own:
            acts.append("saves another of its name")
            if self.lay[name] is not None and self.lay[name].is_relative_to(self.trash):
                acts.append("takes it out of the trash")
        if any(row[3] == DONE for row in rows):
            acts.append("deletes a copy")
        if not acts:
            return False
        act = numbers.choice(acts)
        if act == "takes it out of the trash":
            (self.trash / "info" / f"{self.lay[name].name}.trashinfo").unlink()
            self.lay[name].rename(path)
            self.restored.add(name)
        elif act == "deletes a copy":
            row = numbers.choice([row for row in rows if row[3] == DONE])
            if row[0] in world.apart:
                return False
            copy = next(path for path, digest in self.expected[row[2]].items() if digest == world.sources[name][0])
            world.apart[row[0]] = told_lost(world).get(row[0], 0)
            self.places.delete(row[2], copy)
            self.has_deleted = True
            act += f" at {row[2]}"
        else:
            if act == "saves it anew":
                self.spoilt.add(name)
            self._put(path, photo(world.sources[name][1] + numbers.randint(0, 1), numbers))
        world.steps.append(f"the owner {act}: {name}")
        self.has_meddled = True
        self.lay = self._lie()
        return True

    # What is seen

    def _files(self):
        for folder in (self.world.photos, self.trash / "files"):
            yield from folder.iterdir()

    def _lie(self):
        """Where each original is; `None`: nowhere."""
        marks = {mark: name for name, mark in self.world.sources.items()}
        lay = dict.fromkeys(self.world.sources)
        for path in self._files():
            if path in self.own:
                continue
            name = marks.get(describe(path))
            if name is None:
                raise Broken(f"{path} is none of the originals")
            if lay[name] is not None:
                raise Broken(f"{name} is both {lay[name]} and {path}")
            lay[name] = path
        return lay

    def _removals(self):
        """State, where it is put, the code: by name."""
        return {row[0]: row[1:] for row in self.world.journal(
            """SELECT item.name, state, aside, code FROM removal JOIN item ON item.id = item
            WHERE removal.batch > ?""", self.world.first_batch)}

    def _copies(self, name, contents):
        for place in self.names:
            if place not in contents:
                contents[place] = set(self.places.contents(place).values())
        return sum(self.world.sources[name][0] in contents[place] for place in self.names)

    def _check_own(self):
        for path, mark in self.own.items():
            if not path.exists() or describe(path) != mark:
                raise Broken(f"what the owner put at {path} is {'another' if path.exists() else 'gone'}")

    def check(self):
        self._check_own()
        lay, removals, contents = self._lie(), self._removals(), {}
        for name, path in lay.items():
            home = self.world.photos / name
            state = removals[name][0] if name in removals else WANTED
            if name in self.spoilt:
                continue
            if path == home:
                if state == REMOVED and name not in self.restored:
                    raise Broken(f"{name} is at its place, and the journal says removed")
                continue
            if path is None and self.manner == "trash":
                raise Broken(f"{name} is lost")
            if name not in self.proven and (path != self.lay[name] or state == REMOVED):
                deadline = time.monotonic() + 5
                while self._copies(name, contents) < self.copies:
                    if time.monotonic() > deadline:
                        raise Broken(f"{name} went to {path}, with {self._copies(name, contents)} copies there")
                    time.sleep(0.3)
                    contents.clear()
            if path is None or state == REMOVED:
                self.proven.add(name)
            if path is not None and not self._is_known(path, home):
                raise Broken(f"{name} is at {path}, and nothing says where it belongs")
        self.lay = lay

    def _is_known(self, path, home):
        if path.parent == self.world.photos:
            return path.name.startswith(ASIDE)
        info = self.trash / "info" / f"{path.name}.trashinfo"
        if not info.exists():
            return False
        lines = info.read_text().splitlines()
        return lines[0] == "[Trash Info]" and urllib.parse.unquote(lines[1]) == f"Path={home}" and len(lines) == 3

    # The end

    def finish(self):
        world = self.world
        for _ in range(8):
            run = world.run(*RESUME)
            if run.code not in self.codes():
                break
            if run.code == 0 and not self.has_deleted:
                return run
            if self.has_deleted:
                run = world.run("repair", world.newest_batch(), "--json", "--wait", 10)
                if run.code not in (0, 1, 3):
                    break
                self.has_deleted = run.code == 3
            time.sleep(0.2)
        raise Broken(f"resume does not complete what is owed: {run}")

    def check_sources(self):
        self.check()
        if self.world.journal("SELECT count(*) FROM removal WHERE state < 2 OR claimed_by IS NOT NULL") != [(0,)]:
            raise Broken(f"removals are not ended: {self._removals()}")
        removals = self._removals()
        for name, path in self.lay.items():
            home = self.world.photos / name
            state, aside, code = removals[name]
            if state == REMOVED:
                is_right = path is None if self.manner == "delete" else path != home or name in self.restored
            else:
                # Only its owner can be the reason.
                is_right = home in self.own and (
                    path in (None, home) or code == "source-aside" and bytes(path) == bytes(aside))
            if not is_right:
                raise Broken(f"{name} ends as {state} ({code}), at {path}")
        # What cannot be sent again, since its source is gone, stays lost.
        for row in submissions(self.world):
            if row[0] in self.world.apart and self.lay[row[1]] != self.world.photos / row[1]:
                digest = self.world.sources[row[1]][0]
                if told_lost(self.world).get(row[0], 0) <= self.world.apart[row[0]]:
                    self.expected[row[2]] = {
                        path: other for path, other in self.expected[row[2]].items() if other != digest}
        files = {path.name for path in (self.trash / "files").iterdir()}
        idle = {path.stem for path in (self.trash / "info").iterdir()} - files
        if idle:
            raise Broken(f"the trash knows of what is not in it: {sorted(idle)}")

    def is_left(self, path):
        return self.trash.is_relative_to(path) or path.is_relative_to(self.trash)
