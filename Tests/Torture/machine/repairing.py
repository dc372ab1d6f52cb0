"""Repairs of copies that were deleted, or changed, behind our back."""

from functools import partial

from audit import DONE, submissions
from errand import RESUME, Errand, send
from world import ALBUM, Broken, photo


def repairing(rule, *options, kinds=("deleted", "longer")):
    return partial(Repairing, rule, options, kinds)


class Repairing(Errand):
    def __init__(self, rule, options, kinds, *rest):
        super().__init__(*rest)
        self.rule, self.options, self.kinds = rule, options, kinds

    def prepare(self):
        super().prepare()
        run = self.world.run(*send(self.names), self.world.photos)
        if run.code != 0:
            raise Broken(f"there is nothing to repair: {run}")
        rows = submissions(self.world)
        # One of each kind at least, else as it comes.
        self.numbers.shuffle(rows)
        for at, (number, name, place, *_) in enumerate(rows):
            kind = self.kinds[at] if at < len(self.kinds) else self.numbers.choice(["whole", *self.kinds])
            if kind == "whole":
                continue
            path = f"{ALBUM}/{name}"
            digest, size = self.world.sources[name][:2]
            if kind == "deleted":
                self.places.delete(place, path)
            else:
                data = photo(size + (kind == "longer") * 7, self.numbers)
                other = self.places.write(place, path, data)
                if self.rule == "rename":
                    self.expected[place][path] = other
                    self.expected[place][f"{ALBUM}/{name[:-4]}-1.jpg"] = digest
            self.world.apart[number] = 0
            self.world.steps.append(f"{kind}: {name} at {place}")

    def first(self):
        return ["repair", self.asked, "--on-conflict", self.rule, "--json", "--wait", 10, *self.options]

    def next(self, command):
        return self.numbers.choice([RESUME, self.first()])

    def finish(self):
        self.world.finish()
        # What nobody had come to look at.
        run = self.world.run(*self.first())
        if run.code not in (0, 3):
            raise Broken(f"the repair fails: {run}")
        self.world.finish()
        seen = self.world.run("audit", self.asked, "--json", "--verify", "readback")
        if seen.code != 0:
            raise Broken(f"the audit finds something amiss after the repair: {seen.out[-600:]} {seen}")
        return run
