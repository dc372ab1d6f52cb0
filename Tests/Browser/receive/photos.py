"""Photos to send: real ones of Tests/Media, each made another by what is put behind its end, as large as is asked for."""
import hashlib
import random
import struct
from pathlib import Path

MEDIA = Path(__file__).resolve().parents[2] / "Media"


class Photos:
    def __init__(self, folder, seed):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.draw = random.Random(seed)

    def make(self, name, size, source="harbour.jpg"):
        """A file of about this size; where the photo itself is larger, a little more than that."""
        data = (MEDIA / source).read_bytes()
        more = max(16, size - len(data))
        tail = self.draw.randbytes(more)
        if source.rsplit(".")[-1] in ("heic", "mp4", "mov", "avif"):
            # A box that readers pass over.
            tail = struct.pack(">I4s", len(tail) + 8, b"free") + tail
        path = self.folder / name
        path.write_bytes(data + tail)
        return path

    def many(self, mark, sizes):
        return [self.make(f"{mark}-{number:02}.jpg", size) for number, size in enumerate(sizes, 1)]

    def small(self, name):
        """A photo of a few kB, for where there are very many."""
        path = self.folder / name
        path.write_bytes((MEDIA / "still.avif").read_bytes() + struct.pack(">I4s", 40, b"free") + self.draw.randbytes(32))
        return path


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
