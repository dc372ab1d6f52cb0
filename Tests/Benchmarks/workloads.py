"""The files that are sent. Each workload is one folder without folders in it."""

import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path

MEDIA = Path(__file__).resolve().parent.parent / "Media"
FIRST_SHOT = time.mktime((2024, 5, 17, 18, 42, 7, 0, 0, -1))
# No marker stands in a scan (ITU-T T.81, B.1.1.5).
NO_MARKERS = bytes(range(255)) + b"\xfe"


def photo_heads() -> list:
    """Of camera JPEGs all that comes before the first scan: EXIF, tables, and what else reads and writes metadata."""
    heads = []
    for name in ("harbour.jpg", "harbour-portrait.jpg"):
        photo, at = (MEDIA / name).read_bytes(), 2
        while True:
            end = at + 2 + struct.unpack(">H", photo[at + 2:at + 4])[0]
            if photo[at + 1] == 0xDA:
                break
            at = end
        heads.append((photo[:end], b"2024:05:17 18:42:07" if name == "harbour.jpg" else b"2024:05:18 07:03:00"))
    return heads


def movie_head() -> bytes:
    """All boxes before the samples, with the dates."""
    movie, at = (MEDIA / "boat.mp4").read_bytes(), 0
    while movie[at + 4:at + 8] != b"mdat":
        at += struct.unpack(">I", movie[at:at + 4])[0]
    return movie[:at]


def write_photo(path: Path, size: int, index: int, heads: list):
    head, date = heads[index % len(heads)]
    # A photo every seven seconds.
    shot = time.strftime("%Y:%m:%d %H:%M:%S", time.localtime(FIRST_SHOT + 7 * index)).encode()
    head = head.replace(date, shot)
    with path.open("wb") as file:
        file.write(head)
        left = size - len(head) - 2
        while left:
            left -= file.write(os.urandom(min(left, 1 << 20)).translate(NO_MARKERS))
        file.write(b"\xff\xd9")


def write_movie(path: Path, size: int):
    head = movie_head()
    with path.open("wb") as file:
        file.write(head + struct.pack(">I4sQ", 1, b"mdat", size - len(head)))
        left = size - file.tell()
        while left:
            left -= file.write(os.urandom(min(left, 1 << 20)))


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
        if not folder.exists():
            making = folder.with_suffix(".making")
            making.mkdir(parents=True)
            if self.count == 1:
                write_movie(making / "IMG_000000.mp4", self.size)
            else:
                heads = photo_heads()
                for index in range(self.count):
                    write_photo(making / f"IMG_{index:06d}.jpg", self.size, index, heads)
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
