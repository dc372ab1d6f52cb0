"""Files and folders under DIR/data, and what a server knows of them beside their bytes, in DIR/meta.sqlite."""
import json
import os
import secrets
import shutil
import sqlite3
import threading
import time

from .answers import Refusal


class Node:
    def __init__(self, path, stat, is_folder, row):
        self.path = path
        self.name = path.rsplit("/", 1)[-1]
        self.is_folder = is_folder
        self.size = 0 if is_folder else stat.st_size
        self.mtime = int(stat.st_mtime)
        self.mtime_ns = stat.st_mtime_ns
        self.inode = stat.st_ino
        self.file_id, self.tag, self.checksum, self.properties, self.stored, self.created, self.wait = row
        self.properties = json.loads(self.properties)


class Store:
    FIELDS = "id, tag, checksum, properties, stored, created, wait"

    def __init__(self, root):
        self.data = os.path.join(root, "data")
        self.uploads = os.path.join(root, "uploads")
        self.temporary = os.path.join(root, "tmp")
        shutil.rmtree(self.temporary, ignore_errors=True)
        for folder in (self.data, self.uploads, self.temporary):
            os.makedirs(folder, exist_ok=True)
        self.lock = threading.RLock()
        self.base = sqlite3.connect(os.path.join(root, "meta.sqlite"), check_same_thread=False, isolation_level=None)
        self.base.executescript(
            "pragma journal_mode = memory; pragma synchronous = off;"
            "create table if not exists node (id integer primary key autoincrement, path text unique, tag text,"
            " checksum text, properties text, stored real, created integer, wait integer);"
            "create table if not exists note (name text primary key, value text);"
        )

    # Notes: what outlives a restart and is no file.

    def note(self, name, default=None):
        with self.lock:
            row = self.base.execute("select value from note where name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else default

    def set_note(self, name, value):
        with self.lock:
            self.base.execute("insert or replace into note values (?, ?)", (name, json.dumps(value)))

    # Nodes. A path has no slash at its ends; the root is "".

    def local(self, path):
        if any(part in ("", ".", "..") for part in path.split("/")) and path:
            raise Refusal(403, "Path traversal")
        if "\0" in path:
            raise Refusal(400, "Invalid path")
        return os.fsencode(os.path.join(self.data, path)) if path else os.fsencode(self.data)

    def node(self, path):
        with self.lock:
            try:
                stat = os.stat(self.local(path))
            except (FileNotFoundError, NotADirectoryError):
                return None
            except OSError:
                raise Refusal(400, "Filename is too long") from None
            key = os.fsencode(path)
            select = f"select {self.FIELDS} from node where path = ?"
            row = self.base.execute(select, (key,)).fetchone()
            if not row:
                self._note_new(path)
                row = self.base.execute(select, (key,)).fetchone()
            return Node(path, stat, os.path.isdir(self.local(path)), row)

    def children(self, path):
        with self.lock:
            names = sorted(os.fsdecode(name) for name in os.listdir(self.local(path)))
            return [node for name in names if (node := self.node(f"{path}/{name}".lstrip("/")))]

    def _note_new(self, path, checksum=""):
        self.base.execute(
            "insert into node (path, tag, checksum, properties, stored, created, wait) values (?, ?, ?, '{}', ?, 0, 0)",
            (os.fsencode(path), secrets.token_hex(16), checksum, time.time()),
        )

    def _bump(self, path):
        """A folder's tag changes with what is in it."""
        while path:
            path = path.rpartition("/")[0]
            self.base.execute(
                "update node set tag = ? where path = ?", (secrets.token_hex(16), os.fsencode(path)))

    def place(self, temporary, path, mtime=None, checksum=""):
        """Makes a complete file appear under its name; its id stays when it replaces one."""
        with self.lock:
            if mtime is not None:
                os.utime(temporary, (mtime, mtime))
            os.replace(temporary, self.local(path))
            if self.base.execute("select 1 from node where path = ?", (os.fsencode(path),)).fetchone():
                self.base.execute(
                    "update node set tag = ?, checksum = ?, stored = ?, wait = 0 where path = ?",
                    (secrets.token_hex(16), checksum, time.time(), os.fsencode(path)))
            else:
                self._note_new(path, checksum)
            self._bump(path)
            return self.node(path)

    def make_folder(self, path):
        with self.lock:
            os.mkdir(self.local(path))
            self._note_new(path)
            self._bump(path)

    def _forget(self, path):
        key = os.fsencode(path)
        self.base.execute("delete from node where path = ?", (key,))
        self.base.execute("delete from node where substr(path, 1, ?) = ?", (len(key) + 1, key + b"/"))

    def remove(self, path):
        with self.lock:
            local = self.local(path)
            shutil.rmtree(local) if os.path.isdir(local) else os.unlink(local)
            self._forget(path)
            self._bump(path)

    def move(self, source, target):
        """The target is not there; file ids go along."""
        with self.lock:
            os.rename(self.local(source), self.local(target))
            self._forget(target)
            old, new = os.fsencode(source), os.fsencode(target)
            self.base.execute("update node set path = ? where path = ?", (new, old))
            self.base.execute(
                "update node set path = cast(? || substr(path, ?) as blob) where substr(path, 1, ?) = ?",
                (new, len(old) + 1, len(old) + 1, old + b"/"))
            self._bump(source)
            self._bump(target)

    def copy(self, source, target):
        with self.lock:
            local = self.local(source)
            if os.path.isdir(local):
                shutil.copytree(local, self.local(target))
            else:
                shutil.copy2(local, self.local(target))
            self._forget(target)
            node = self.node(source)
            self._note_new(target, node.checksum)
            self.set(target, "properties", json.dumps(node.properties))
            self._bump(target)

    def set(self, path, field, value):
        with self.lock:
            self.base.execute(f"update node set {field} = ? where path = ?", (value, os.fsencode(path)))

    def touch(self, path, mtime):
        os.utime(self.local(path), (mtime, mtime))

    def used(self):
        total = 0
        for folder, _, names in os.walk(self.data):
            for name in names:
                try:
                    total += os.lstat(os.path.join(folder, name)).st_size
                except FileNotFoundError:
                    pass
        return total

    def temporary_file(self):
        return os.path.join(self.temporary, secrets.token_hex(8))
