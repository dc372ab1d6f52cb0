"""Power cuts: at the same points as kills, and what was not synced is lost, or some of it is there, torn.

The shim keeps, of every file and folder, what it was when its last sync began. A cut puts the world together from that,
as strictly as POSIX allows: a folder's fsync keeps its names, a file's fsync its bytes, and neither the other. The
originals and the trash lose nothing: what goes there is gone at once, so that its copies have to be on the disk before."""

import ctypes
import os
import shutil

import crash

SECTOR = 512
SPARED = ("photos", "config", "home")


class Disk:
    """The disk below a world, which forgets what was not synced."""

    def __init__(self, world, numbers):
        self.world, self.numbers, self.cuts = world, numbers, 0
        self.shadow = world.folder / "shadow"
        world.disk = self
        self.begin()

    def settings(self):
        return {"shadow": self.shadow, "spared": self.world.photos}

    def shim(self):
        return self.world.shimmed(**self.settings())

    def begin(self):
        """All that is there now is on the disk."""
        shutil.rmtree(self.shadow, ignore_errors=True)
        self.shadow.mkdir()
        self._keep(self.world.root)

    def _keep(self, folder):
        entries = list(os.scandir(folder))
        lines = [key(entry.path).encode() + b" " + os.fsencode(entry.name) + b"\0" for entry in entries]
        (self.shadow / key(folder)).write_bytes(b"".join(lines))
        for entry in entries:
            if os.fspath(folder) == str(self.world.root) and entry.name in SPARED:
                continue
            if entry.is_dir(follow_symlinks=False):
                self._keep(entry.path)
            elif entry.is_file(follow_symlinks=False):
                shutil.copy2(entry.path, self.shadow / key(entry.path))

    def cut(self):
        """The power is back: the world is as the disk has it."""
        self.cuts += 1
        root = self.world.root
        before = root.with_name(f"root-before-cut-{self.cuts}")
        root.rename(before)
        some = self.numbers.random() < 0.5
        self.world.steps.append(f"power cut {self.cuts}: {'some of what was not synced is there' if some else 'what was not synced is lost'}")
        self._lies = {}
        for folder, folders, files in os.walk(before):
            for name in folders + files:
                self._lies[key(os.path.join(folder, name))] = before / folder / name
        self._restore(key(before), before, root, some)
        for name in SPARED:
            os.rename(before / name, root / name)
        if self.cuts > 1:
            shutil.rmtree(root.with_name(f"root-before-cut-{self.cuts - 1}"), ignore_errors=True)
        self.begin()

    def _restore(self, folder_key, now, target, some):
        """`now` is where the folder lies, if it still does."""
        target.mkdir()
        kept = listing(self.shadow / folder_key)
        there = {os.fsencode(entry.name): key(entry.path) for entry in os.scandir(now)} if now else {}
        names = dict(kept)
        if some:
            names = self._some(kept, there)
        for name, entry_key in sorted(names.items()):
            path = target / os.fsdecode(name)
            # Its name may be another now, or gone.
            source = self._lies.get(entry_key)
            if target == self.world.root and os.fsdecode(name) in SPARED:
                continue
            if entry_key.endswith("d"):
                self._restore(entry_key, source, path, some)
            else:
                self._restore_file(self.shadow / entry_key, source, path, some)
        if now:
            shutil.copymode(now, target)

    def _some(self, kept, there):
        """Some of the changes since the last sync, but a rename whole or not at all: names of one inode go together."""
        groups = {}
        for name in set(kept) | set(there):
            merged = {name}
            for entry_key in {kept.get(name), there.get(name)} - {None}:
                merged |= groups.get(entry_key, set())
            for member in merged:
                for entry_key in {kept.get(member), there.get(member)} - {None}:
                    groups[entry_key] = merged
        names = {}
        for merged in sorted({tuple(sorted(group)) for group in groups.values()}):
            chosen = self.numbers.choice([kept, there])
            names |= {name: chosen[name] for name in merged if name in chosen}
        return names

    def _restore_file(self, synced, source, path, some):
        old = synced.read_bytes() if synced.exists() else b""
        data = old
        if some and source is not None:
            new = source.read_bytes()
            choice = self.numbers.random()
            if choice < 0.3:
                data = new
            elif choice < 0.8:
                length = self.numbers.choice([len(old), len(new)])
                mixed = bytearray(length)
                for at in range(0, length, SECTOR):
                    piece = self.numbers.choice([old, new])[at:at + SECTOR][:length - at]
                    mixed[at:at + len(piece)] = piece
                data = bytes(mixed)
        path.write_bytes(data)
        like = synced if synced.exists() else source
        if like is not None:
            shutil.copystat(like, path)


def listing(path):
    """Keys by name."""
    if not path.exists():
        return {}
    lines = [line.split(b" ", 1) for line in path.read_bytes().split(b"\0") if line]
    return {name: entry_key.decode() for entry_key, name in lines}


class _Status(ctypes.Structure):
    """struct statx, as far as it is needed (statx(2))."""

    _fields_ = [("mask", ctypes.c_uint32), ("blksize", ctypes.c_uint32), ("attributes", ctypes.c_uint64),
                ("nlink", ctypes.c_uint32), ("uid", ctypes.c_uint32), ("gid", ctypes.c_uint32),
                ("mode", ctypes.c_uint16), ("spare", ctypes.c_uint16), ("ino", ctypes.c_uint64),
                ("size", ctypes.c_uint64), ("blocks", ctypes.c_uint64), ("attributes_mask", ctypes.c_uint64),
                ("atime", ctypes.c_int64 * 2), ("btime_seconds", ctypes.c_int64),
                ("btime_nanoseconds", ctypes.c_uint32), ("rest", ctypes.c_uint8 * 256)]


_libc = ctypes.CDLL(None, use_errno=True)


def key(path):
    """As the shim calls an inode."""
    status = _Status()
    at_fdcwd, no_follow, basic_and_birth = -100, 0x100, 0xfff
    if _libc.statx(at_fdcwd, os.fsencode(path), no_follow, basic_and_birth, ctypes.byref(status)) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(path))
    kind = "d" if status.mode & 0o170000 == 0o040000 else ""
    return f"{status.ino}-{status.btime_seconds}.{status.btime_nanoseconds:09}{kind}"


def run(machine, report):
    crash.run(machine, report, "power", Disk, "power cuts")
