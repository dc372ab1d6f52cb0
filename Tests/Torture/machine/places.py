"""The four destinations of a world: a folder, S3, OpenStack Swift and WebDAV; and what lies there, from outside."""

import hashlib
import os
from pathlib import Path

from world import ALBUM, sha256

NAMES = ("disk", "shop", "box", "nas")
EVIDENCE = {"disk": {"verified"}, "shop": {"verified"}, "box": {"verified"}, "nas": {"size", "verified"}}


class Places:
    """`mark` keeps those of several worlds apart on the servers."""

    def __init__(self, storage, dav, root, mark):
        self.storage, self.dav, self.mark = storage, dav, mark
        self.disk = Path(root) / "place"
        self.shop, self.box = f"shop-{mark}", f"box-{mark}"
        self.folder = f"nas-{mark}"

    def yaml(self, endpoint=None, swift=None, dav=None, network=""):
        env = self.storage.env
        return f"""
destinations:
  disk:
    type: file
    path: {self.disk}
  shop:
    type: objstore
    endpoint: {endpoint or env['ENDPOINT']}
    region: {env['REGION']}
    bucket: {self.shop}
    create_bucket: true
    parts_above: 6MiB
    part_size: 5MiB
  box:
    type: objstore
    api: swift
    auth_type: v1password
    auth_url: {swift or env['AUTH_URL']}
    username: {env['ACCESS_KEY']}
    bucket: {self.box}
    create_bucket: true
    parts_above: 2MiB
    part_size: 1MiB
  nas:
    type: webdav
    url: {dav or self.dav.env['ENDPOINT']}
    user: {self.dav.env['USERNAME']}
    folder: {self.folder}
    parts_above: 2MiB
    part_size: 1MiB
{network or 'network:'}
  connect_timeout: 5
  stall_timeout: 10
secrets: file
"""

    def secrets(self):
        env = self.storage.env
        return {
            "SUBMIT_SHOP_ACCESS_KEY_ID": env["ACCESS_KEY"], "SUBMIT_SHOP_SECRET_ACCESS_KEY": env["SECRET_KEY"],
            "SUBMIT_BOX_PASSWORD": env["SECRET_KEY"], "SUBMIT_NAS_PASSWORD": self.dav.env["PASSWORD"]}

    def put_strangers(self, name, data):
        """Another file of this name at each of them, which nobody may touch."""
        path = self.disk / ALBUM / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        for container in (self.shop, self.box):
            self.storage.make(container)
            self.storage.put(container, f"{ALBUM}/{name}", data)
        self.dav.put(f"{self.folder}/{ALBUM}", name, data)

    def delete(self, place, path):
        """Behind our back."""
        if place in ("disk", "nas"):
            (self._root(place) / path).unlink()
        else:
            self.storage.remove(self._container(place), path)

    def write(self, place, path, data):
        """Other bytes, behind our back; gives back their SHA-256."""
        if place in ("disk", "nas"):
            (self._root(place) / path).write_bytes(data)
        else:
            self.storage.put(self._container(place), path, data)
        return hashlib.sha256(data).hexdigest()

    def _root(self, place):
        return self.disk if place == "disk" else self.dav.path(self.folder)

    def _container(self, place):
        return self.shop if place == "shop" else self.box

    def clear(self):
        for container in (self.shop, self.box):
            for suffix in ("", "+segments", "_segments"):
                self.storage.remove(container + suffix, "")
        self.dav.remove(self.folder)

    # What lies there

    def marks(self, place):
        """What changes when a copy is written anew, by path. Cheap: no content is read."""
        if place in ("disk", "nas"):
            root = self._root(place)
            return {path: (status.st_ino, status.st_mtime_ns, status.st_size) for path, status in _walk(root)}
        container = self._container(place)
        return {name: (entry["last_modified"], entry["hash"])
                for name, entry in self.storage.objects(container).items()}

    def contents(self, place):
        """The SHA-256 of everything there, by path."""
        if place in ("disk", "nas"):
            root = self._root(place)
            return {path: sha256(root / path) for path, _ in _walk(root)}
        container = self._container(place)
        return {name: self.storage.digest(container, name) for name in self.storage.objects(container)}

    def remains(self, place):
        """What belongs to nothing that is whole: temporary files and folders, parts, uploads."""
        if place in ("disk", "nas"):
            root = self._root(place)
            hidden = [path for path, _ in _walk(root)
                      if any(part.startswith(".") or "submit-unfinished" in part for part in Path(path).parts)]
            return hidden + [f"{path}/" for path in _empty_folders(root)]
        container = self._container(place)
        suffix = "+segments" if place == "shop" else "_segments"
        parts = self.storage.objects(container + suffix)
        if not parts:
            return []
        used = {path for name in self.storage.objects(container) for path in self.storage.segments(container, name)}
        return [f"{container}{suffix}/{name}" for name in parts if f"{container}{suffix}/{name}" not in used]


def _walk(root):
    for folder, folders, files in os.walk(root):
        # mod_dav keeps what it knows of files here.
        folders[:] = [name for name in folders if name != ".DAV"]
        for name in files:
            # mod_dav's own, until it sees that a sender is gone; and by what `submit` knows its folder again.
            if name.startswith(".davfs.tmp") or name == ".submit-folder":
                continue
            path = Path(folder) / name
            try:
                yield str(path.relative_to(root)), path.lstat()
            except FileNotFoundError:
                pass


def _empty_folders(root):
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".DAV"]
        if folder != str(root) and not folders and not files:
            found.append(str(Path(folder).relative_to(root)))
    return found
