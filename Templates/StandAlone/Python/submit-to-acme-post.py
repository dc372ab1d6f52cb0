#!/usr/bin/env python3
"""Puts photos and videos on Acme, for `submit`. Acme takes each of them by one POST, and shows it at once.

It works at once, on a folder that plays Acme and keeps its copies in `copies`. The folder has faults to try, which
./faults makes: if it is missing, Acme can't be reached; if it is a file, it is none; a file `token` in it holds the only
token it takes; with a file `full` it has no room; with `busy` it asks for patience; with `loses-reply` it doesn't answer
the next POST; with `no-digests` it names none. Fill the six holes in any order, and run ./test after each.
"""
import contextlib
import errno
import hashlib
import os

from submit_protocol import Failure, Submitter, instead, numbered, serve

# Bytes that are read and sent at once.
PART = 256 * 1024


class Acme(Submitter):
    # HOLE 1 of 6: what Acme takes, and what has to be configured.
    # `submit` schedules by these facts, and refuses what is beyond them before any byte moves. State every limit that Acme
    # has, and no other. If Acme names another digest than SHA-256, ask for it: `"digests": ["sha1"]`, and compare it with
    # `item["digests"]["sha1"]` in `evidence`. PluginProtocol.md lists all facts below “hello”.
    SUMMARY = "Puts photos and videos on Acme"
    CAPABILITIES = {
        "ordering": "concurrent", "width": 4, "captionLimit": 0, "albums": True, "resumes": False,
        "requiresNetwork": False,
    }
    SETTINGS = [
        {"name": "folder", "kind": "path", "summary": "The folder that plays Acme", "required": True},
        {"name": "token", "kind": "secret", "summary": "What opens Acme"},
    ]

    # HOLE 2 of 6: can Acme be used as configured, and what do its errors mean? Leave nothing there.
    # The failure decides what `submit` does next. Acme can't be reached: park, unreachable. It refuses the token:
    # renewCredentials. It has no room: park, full. It gets too many requests: park, throttled, with the time it names. It
    # is in trouble: retry. It will never take this photo: giveUp. Don't wait and don't try again here, and let no call
    # take longer than 10 seconds.
    def check(self):
        self.reach()
        return f"The folder “{self.settings['folder']}” plays Acme."

    def reach(self):
        if not os.path.exists(self.settings["folder"]):
            raise Failure("park", "unreachable", "Acme can't be reached: make its folder.", reason="unreachable")
        if not os.path.isdir(self.settings["folder"]):
            raise Failure("park", "no-folder", "What plays Acme is no folder: name another.", reason="misconfigured")
        if os.path.exists(self.inside("busy")):
            sentence = "Acme asks for patience: it is tried again."
            raise Failure("park", "busy", sentence, reason="throttled", afterMilliseconds=1000)
        if os.path.exists(self.inside("token")):
            with open(self.inside("token"), encoding="utf-8") as file:
                if file.read() != self.secret("token"):
                    raise Failure("renewCredentials", "token", "Acme refuses the token: set another one.")

    def meaning(self, error):
        if not isinstance(error, OSError):
            return None
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return Failure("park", "full", "Acme has no room left: make room.", reason="full")
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return Failure("park", "forbidden", "Acme's folder may not be used.", reason="misconfigured")
        if error.errno in (errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR):
            return Failure("giveUp", "name", f"Acme can't take this name or album ({error.strerror}): change it.")
        return Failure("retry", "trouble", f"Acme is in trouble ({error.strerror}): it is tried again.")

    # HOLE 3 of 6: what has this name? Return its size and SHA-256 (None if Acme names none). Return None only if Acme says
    # that nothing has the name. If it can't be asked, raise.
    # `submit` asks before each POST, also after a lost answer: so a photo is never sent twice, and nobody else's is taken
    # for it. If Acme names no digest, fill `read_back`; it returns None if Acme doesn't hand out what it was given either.
    # If Acme has no names, ask it for the photo's digest or for your own key, `submission.id`.
    def look(self, path):
        self.reach()
        there = self.stored(self.copy(path))
        return there if there is None or self.names_digests() else (there[0], None)

    def read_back(self, path):
        """The SHA-256 of a copy's bytes, downloaded."""
        return self.stored(self.copy(path))[1]

    # HOLE 4 of 6: the POST. Send `pieces` as its body, in this order, with `size` as Content-Length. Return False if the
    # name is taken by now: look and store must be one step at Acme (`If-None-Match: *`), or two photos of one name destroy
    # each other. If Acme takes an idempotency key, send `key`: then a repeated POST stores nothing new. If the answer is
    # lost, raise `retry` with the reason `unreachable`, and `look` finds out. If `look` can't find out, raise
    # `outcomeUnknown` instead: then `submit` sends nothing twice, and asks its user to look.
    def post(self, path, pieces, size, key, replaces):
        self.reach()
        if os.path.exists(self.inside("full")):
            raise OSError(errno.ENOSPC, "full")
        target, part = self.copy(path), os.path.join(self.inside("uploads"), key.replace("/", "-"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.makedirs(self.inside("uploads"), exist_ok=True)
        try:
            with open(part, "wb") as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            if replaces:
                os.replace(part, target)
            else:
                try:
                    os.link(part, target)  # Unlike a rename, a link never replaces.
                except FileExistsError:
                    return False
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(part)
        folder = os.open(os.path.dirname(target), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        if os.path.exists(self.inside("loses-reply")):
            os.unlink(self.inside("loses-reply"))
            raise Failure("retry", "no-reply", "Acme did not answer: it is tried again.", reason="unreachable")
        return True

    # HOLE 5 of 6: what a broken POST left. Most services drop it: then leave nothing there.
    def discard(self, submission):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.inside("uploads"), submission.id.replace("/", "-")))

    # HOLE 6 of 6: albums, presence, removal. Take out what Acme doesn't have (and `albums` in its facts).
    def albums(self):
        self.reach()
        root = self.inside("copies")
        return [os.path.relpath(os.path.join(at, name), root) for at, names, _ in os.walk(root) for name in names]

    def create_album(self, album):
        """Many may create one album at once: one must result."""
        self.reach()
        os.makedirs(self.copy(album), exist_ok=True)

    def presence(self, item, receipt, verification):
        """The evidence for a copy, or None if Acme says that there is none. If it can't be asked, raise.

        Return `instead` with the reason if something else has the copy's name: `size`, `digest` or `kind`. `verification` is
        `readback` if the copy's bytes are to be read, which `submit` asks for only if the facts have `readsBack`.
        """
        path = receipt["remoteID"]
        there = self.look(path)
        if there and verification == "readback":
            there = (there[0], self.read_back(path))
        evidence = self.evidence(there, path, item["size"], item["digests"]["sha256"])
        return instead("size" if there[0] != item["size"] else "digest") if there and evidence is None else evidence

    def remove(self, receipt):
        self.reach()
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(self.copy(receipt["remoteID"]))

    def remove_album(self, album):
        """Only an empty album."""
        self.reach()
        try:
            os.rmdir(self.copy(album))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST):
                raise

    # Only the folder needs these.

    def inside(self, name):
        return os.path.join(self.settings["folder"], name)

    def names_digests(self):
        return not os.path.exists(self.inside("no-digests"))

    def copy(self, path):
        """No path may lead out of the folder, whatever a receipt says."""
        if any(part in ("", ".", "..") for part in path.split("/")):
            raise Failure("giveUp", "path", f"“{path}” is no path on Acme: name it without empty and “..” parts.")
        return os.path.join(self.inside("copies"), path)

    @staticmethod
    def stored(path):
        try:
            with open(path, "rb") as file:
                return os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest()
        except IsADirectoryError:
            return -1, ""
        except (FileNotFoundError, NotADirectoryError):
            return None

    # The promises of every submitter. They can stay as they are.

    def submit(self, submission):
        number = 0
        while True:
            path = "/".join(filter(None, [submission.album, numbered(submission.name, number)]))
            there = self.look(path)
            # The same size is no reason to take someone else's for it.
            if self.evidence(there, path, submission.size, submission.sha256) == "verified":
                return {"remoteID": path, "evidence": "verified", "wasThere": True}
            if there and submission.on_conflict == "rename":
                number += 1
                continue
            if there and submission.on_conflict == "skip":
                note = f"Something else is called “{path}”; it was left alone and nothing was stored."
                return {"remoteID": path, "evidence": "unknown", "wasThere": True, "note": note}
            if there and submission.on_conflict == "fail":
                raise Failure("giveUp", "name-taken", f"Something else is called “{path}” on Acme: rename one of them.")
            replaces = submission.on_conflict == "overwrite"
            # If someone else was quicker, look again at what they put there.
            if self.post(path, self.pieces(submission), submission.size, submission.id, replaces):
                return {"remoteID": path, "evidence": self.proof(path, submission)}

    def pieces(self, submission):
        """The photo's bytes. Acme can't show it before the last of them, so the source is checked before that one."""
        offset, is_last = 0, False
        while not is_last:
            piece = submission.read(offset, min(PART, submission.size - offset))
            offset += len(piece)
            is_last = offset == submission.size
            if is_last:
                submission.unchanged()
            yield piece
            submission.sent(offset)

    def proof(self, path, submission):
        """The evidence for the copy that was just stored. A damaged one goes, and is sent again."""
        evidence = self.evidence(self.look(path), path, submission.size, submission.sha256)
        if evidence is None:
            self.remove({"remoteID": path})
            raise Failure("retry", "damaged", f"“{submission.name}” arrived damaged: it is sent again.")
        return evidence

    def evidence(self, there, path, size, sha256):
        """`verified`: the item is there. `size`: perhaps it is, as far as is known. None: nothing or something else is."""
        if there is None or there[0] != size:
            return None
        digest = there[1] or self.read_back(path)
        if digest is None:
            return "size"
        return "verified" if digest == sha256 else None


if __name__ == "__main__":
    serve(Acme)
