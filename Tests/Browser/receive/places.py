"""The three destinations: a folder, a WebDAV server and an object store, and what lies in each, looked at beside `submit`."""
import collections
from pathlib import Path

from claims import until
from photos import digest


def settings(path):
    """Of a server's env file."""
    return dict(line.split("=", 1) for line in Path(path, "env").read_text().splitlines())


class Places:
    def __init__(self, work, dav, store, mark):
        """`mark` keeps those of one `submit receive` apart from those of others."""
        self.dav, self.store = settings(dav), settings(store)
        self.mark = mark
        self.folders = {
            "folder": Path(work, f"place-{mark}"), "dav": Path(self.dav["DATA"], mark),
            "bucket": Path(self.store["DATA"], "photos", mark)}
        self.folders["folder"].mkdir(parents=True, exist_ok=True)
        self.configuration = f"""destinations:
  folder:
    type: file
    path: {self.folders['folder']}
  dav:
    type: webdav
    url: {self.dav['ENDPOINT']}
    user: {self.dav['USERNAME']}
    folder: {mark}
  bucket:
    type: objstore
    endpoint: {self.store['ENDPOINT']}
    region: us-east-1
    bucket: photos
    prefix: {mark}
secrets: file
"""
        self.secrets = {
            "SUBMIT_DAV_PASSWORD": self.dav["PASSWORD"], "SUBMIT_BUCKET_ACCESS_KEY_ID": self.store["ACCESS_KEY"],
            "SUBMIT_BUCKET_SECRET_ACCESS_KEY": self.store["SECRET_KEY"]}

    def paths(self, place):
        # The folder's own mark of which destination it is.
        return sorted(path for path in self.folders[place].rglob("*") if path.is_file() and path.name != ".submit-folder")

    def differences(self, sent):
        """Against the files that were sent: each of them once at each place, and nothing else."""
        awaited = collections.Counter(digest(path) for path in sent)
        words = []
        for place in self.folders:
            found = {path: digest(path) for path in self.paths(place)}
            there = collections.Counter(found.values())
            lost, more = awaited - there, there - awaited
            if lost or more:
                names = [str(path.relative_to(self.folders[place])) for path, of in found.items() if of in more]
                words.append(f"{place} lacks {sum(lost.values())} and has {sum(more.values())} too many, of {names[:5]}")
        return "; ".join(words)

    def compare(self, sent, within=5):
        # A server may give a file its name a moment after it has answered.
        until(lambda: self.differences(sent), within, lambda: not self.differences(sent), every=0.3)
        size = sum(path.stat().st_size for path in sent)
        return f"{len(sent)} files, {size / 1e6:.1f} MB, at each of {len(self.folders)} destinations once, by SHA-256"
