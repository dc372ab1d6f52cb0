"""Photos that go without their place: what is made of them is made, journalled, sent and looked at while we kill."""

import os
import subprocess
from pathlib import Path

from errand import Errand, send
from world import ALBUM, Broken, describe, sha256

# Copied bit for bit, and decoded and encoded anew by submit-media.
RECIPES = ["strip=gps", "strip=gps box=600x600", "strip=gps max_bytes=30kB"]
HARBOUR = Path(__file__).parents[2] / "Media/harbour.jpg"


def photo_with_place(size, numbers):
    """A real photo, each with other pixels than the next: its quantization differs; and words of this size that go."""
    data = bytearray(HARBOUR.read_bytes())
    table = data.index(b"\xff\xdb") + 5
    for place in range(8, 40):
        data[table + place] = numbers.randint(1, 255)
    words = bytes(numbers.randint(0x20, 0x7e) for _ in range(min(size, 60_000)))
    comment = b"\xff\xfe" + (len(words) + 2).to_bytes(2, "big") + words
    return bytes(data[:2]) + comment + bytes(data[2:])


class Cleaning(Errand):
    recipe = ["--rendition", RECIPES[0]]

    def prepare(self):
        super().prepare()
        self.recipe = ["--rendition", self.numbers.choice(RECIPES)]
        for name, (_, size, modified, *_) in list(self.world.sources.items()):
            path = self.world.photos / name
            path.write_bytes(photo_with_place(size, self.numbers))
            os.utime(path, ns=(modified, modified))
            self.world.sources[name] = describe(path)
            made = self.world.folder / f"clean-{name}"
            run = self.world.run("preview", self.names[0], path, *self.recipe, "-o", made)
            if run.code != 0:
                raise Broken(f"no rendition can be made: {run}")
            told = [tags(path), tags(made)]
            if "GPS" not in told[0] or "GPS" in told[1] or "Date/Time Original" not in told[1]:
                raise Broken(f"the rendition tells other than it should: {told[1]}")
            self.world.clean[name] = sha256(made)
            for place in self.names:
                self.expected[place][f"{ALBUM}/{name}"] = self.world.clean[name]

    def first(self):
        return [*send(self.names), *self.recipe, self.world.photos]


def tags(path):
    return subprocess.run(["exiftool", "-a", "-u", "-G1", "-ee3", path], stdout=-1, check=True, text=True).stdout
