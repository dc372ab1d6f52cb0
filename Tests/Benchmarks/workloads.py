"""The files that are sent. Each workload is one folder without folders in it."""

import os
from dataclasses import dataclass
from pathlib import Path

JPEG = b"\xff\xd8\xff\xe0"
FILM = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom"


@dataclass(frozen=True)
class Workload:
    name: str
    count: int
    size: int
    is_small: bool

    @property
    def bytes(self) -> int:
        return self.count * self.size

    def made(self, work: Path) -> "Source":
        folder = work / "sources" / self.name
        begins, ends = (JPEG, ".jpg") if self.count > 1 else (FILM, ".mp4")
        if not folder.exists():
            making = folder.with_suffix(".making")
            making.mkdir(parents=True)
            for index in range(self.count):
                with (making / f"IMG_{index:06d}{ends}").open("wb") as file:
                    file.write(begins)
                    left = self.size - len(begins)
                    while left:
                        left -= file.write(os.urandom(min(left, 1 << 20)))
            making.rename(folder)
        return Source(self, folder)


@dataclass(frozen=True)
class Source:
    workload: Workload
    folder: Path

    @property
    def paths(self):
        return sorted(self.folder.iterdir())

    def leave_page_cache(self):
        for path in self.paths:
            descriptor = os.open(path, os.O_RDONLY)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


FULL = [
    Workload("10000x10kB", 10_000, 10_000, True), Workload("2000x100kB", 2_000, 100_000, True),
    Workload("200x5MB", 200, 5_000_000, False), Workload("1x4GiB", 1, 4 << 30, False),
]
QUICK = [
    Workload("1000x10kB", 1_000, 10_000, True), Workload("200x100kB", 200, 100_000, True),
    Workload("20x5MB", 20, 5_000_000, False), Workload("1x400MiB", 1, 400 << 20, False),
]
