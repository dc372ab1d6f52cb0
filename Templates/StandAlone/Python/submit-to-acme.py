#!/usr/bin/env python3
"""Puts photos and videos on Acme, for `submit`.

It works at once, on a folder that plays Acme: copies are in `copies`, open uploads in `uploads`. The folder has faults
to try, which ./faults makes: if it is missing, Acme cannot be reached; if it is a file, it is none; a file `token` in it
holds the only token it takes; with a file `full` it has no room; with `busy` it asks for patience; with `loses-reply` it
does not tell of the next copy; with `no-digests` it tells none. Fill the six holes in any order, and run ./test after each.
"""
import contextlib
import errno
import hashlib
import os

from submit_protocol import Failure, Submitter, instead, numbered, serve

# Bytes that are sent at once, and sent again after a break.
PART = 256 * 1024


class Acme(Submitter):
    # HOLE 1 of 6: what Acme takes, and what has to be configured.
    # `submit` schedules by these facts and refuses what is beyond them before any byte moves: state no limit that Acme
    # does not have, and every one it has. All there are: “hello” in PluginProtocol.md.
    SUMMARY = "Puts photos and videos on Acme"
    CAPABILITIES = {
        "ordering": "concurrent", "width": 4, "captionLimit": 0, "albums": True, "resumes": True, "requiresNetwork": False,
    }
    SETTINGS = [
        {"name": "folder", "kind": "path", "summary": "The folder that plays Acme", "required": True},
        {"name": "token", "kind": "secret", "summary": "What opens Acme"},
    ]

    # HOLE 2 of 6: can Acme be used as configured, and what do its errors mean? Leave nothing there.
    # Hanging on it: what comes next. Cannot be reached: park, unreachable; refuses the token: renewCredentials; no room:
    # park, full; too many requests: park, throttled, with the time it names; in trouble: retry; will never take this
    # photo: giveUp. Never wait and never try again here, and let no call take longer than 10 seconds.
    def check(self):
        self.reach()
        return f"The folder “{self.settings['folder']}” plays Acme."

    def reach(self):
        if not os.path.exists(self.settings["folder"]):
            raise Failure("park", "unreachable", "Acme cannot be reached: make its folder.", reason="unreachable")
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
            return Failure("giveUp", "name", f"Acme cannot take this name or album ({error.strerror}): change it.")
        return Failure("retry", "trouble", f"Acme is in trouble ({error.strerror}): it is tried again.")

    # HOLE 3 of 6: what has this name? Its size and SHA-256 (None where Acme tells none), or None only if Acme says that
    # there is nothing; if it cannot be asked, raise.
    # Hanging on it: a photo is never sent twice, and nobody else's is taken for it. Where Acme tells no digest, fill
    # `read_back`; it returns None where Acme does not hand out what it was given either. Then what has the name counts as
    # someone else's: after a lost reply the photo is stored a second time, under the next name.
    def look(self, path):
        self.reach()
        there = self.stored(self.copy(path))
        return there if there is None or self.tells_digests() else (there[0], None)

    def read_back(self, path):
        """The SHA-256 of a copy's bytes, downloaded."""
        return self.stored(self.copy(path))[1]

    # HOLE 4 of 6: an upload that does not show yet.
    # Hanging on it: after a failure nothing shows, and a broken upload goes on where it broke. Return Acme's own id of
    # the upload (it is kept as the checkpoint: no secret), and from `received` what Acme holds, not what was sent.
    def begin(self, submission_id):
        self.reach()
        if os.path.exists(self.inside("full")):
            raise OSError(errno.ENOSPC, "full")
        os.makedirs(self.inside("uploads"), exist_ok=True)
        open(self.upload(submission_id), "wb").close()
        return submission_id

    def received(self, upload):
        """Bytes that Acme has of an upload; None where it does not know it any more."""
        self.reach()
        try:
            return os.path.getsize(self.upload(upload))
        except FileNotFoundError:
            return None

    def send(self, piece, offset, upload):
        with open(self.upload(upload), "r+b") as file:
            file.seek(offset)
            file.write(piece)
            file.flush()
            os.fdatasync(file.fileno())

    def abandon(self, upload):
        """Removes an upload; does nothing where there is none."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.upload(upload))

    # HOLE 5 of 6: prove the upload, and show it.
    # Hanging on it: `verified`. The digest must be computed by Acme, or from bytes that were read back from it; where there
    # is none, return None, and the receipt says no more than the size that `received` told. `publish` is False where the
    # name is taken by now: look and show must be one step at Acme (`If-None-Match: *`, a rename that does not replace), or
    # two photos of one name destroy each other. It is durable when this returns.
    def digest(self, upload):
        return self.stored(self.upload(upload))[1] if self.tells_digests() else None

    def publish(self, upload, path, replaces):
        target = self.copy(path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if replaces:
            os.replace(self.upload(upload), target)
        else:
            try:
                os.link(self.upload(upload), target)  # Unlike a rename, a link never replaces.
            except FileExistsError:
                return False
            self.abandon(upload)
        folder = os.open(os.path.dirname(target), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        if os.path.exists(self.inside("loses-reply")):
            os.unlink(self.inside("loses-reply"))
            raise Failure("retry", "no-reply", "Acme did not answer: it is tried again.", reason="unreachable")
        return True

    # HOLE 6 of 6: albums, presence, removal. What Acme does not have, take out (and `albums` in its facts).
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
        """Only an album that nothing is in."""
        self.reach()
        try:
            os.rmdir(self.copy(album))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST):
                raise

    # What only the folder needs.

    def inside(self, name):
        return os.path.join(self.settings["folder"], name)

    def tells_digests(self):
        return not os.path.exists(self.inside("no-digests"))

    def upload(self, name):
        return os.path.join(self.inside("uploads"), name.replace("/", "-"))

    def copy(self, path):
        """Nothing may lead out of the place, whatever a receipt says."""
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

    # From here on stand the promises. It can stay as it is where Acme has uploads that show only when they are ended.

    def submit(self, submission):
        number, upload = 0, None
        while True:
            path = "/".join(filter(None, [submission.album, numbered(submission.name, number)]))
            there = self.look(path)
            # The same size is no reason to take someone else's for it.
            if self.evidence(there, path, submission.size, submission.sha256) == "verified":
                self.abandon_remains(upload, submission)
                return {"remoteID": path, "evidence": "verified", "wasThere": True}
            if there and submission.on_conflict == "rename":
                number += 1
                continue
            if there and submission.on_conflict == "skip":
                self.abandon_remains(upload, submission)
                note = f"Something else is called “{path}”; it was left alone and nothing was stored."
                return {"remoteID": path, "evidence": "unknown", "wasThere": True, "note": note}
            if there and submission.on_conflict == "fail":
                raise Failure("giveUp", "name-taken", f"Something else is called “{path}” on Acme: rename one of them.")
            if upload is None:
                upload, evidence = self.uploaded(submission)
            submission.unchanged()
            # Where someone else was quicker, it has to be looked again what they put there.
            if self.publish(upload, path, submission.on_conflict == "overwrite"):
                return {"remoteID": path, "evidence": evidence}

    def evidence(self, there, path, size, sha256):
        """What is there is the item: verified; perhaps the item, for all that is known: size; other bytes: None."""
        if there is None or there[0] != size:
            return None
        digest = there[1] or self.read_back(path)
        if digest is None:
            return "size"
        return "verified" if digest == sha256 else None

    def abandon_remains(self, upload, submission):
        """Removes what this attempt or one before it sent, where that is not needed."""
        if upload or submission.checkpoint:
            self.abandon(upload or submission.checkpoint)

    def uploaded(self, submission):
        """Sends what Acme does not have yet, and proves the whole."""
        upload = submission.checkpoint
        # Acme says how far it got; the checkpoint only says where to ask.
        offset = self.received(upload) if upload else None
        if offset is None or offset > submission.size:
            upload, offset = self.begin(submission.id), 0
            submission.keep(upload)
        while offset < submission.size:
            piece = submission.read(offset, min(PART, submission.size - offset))
            self.send(piece, offset, upload)
            offset += len(piece)
            submission.sent(offset)
            submission.landed(offset)
        submission.sent(submission.size)
        digest = self.digest(upload)
        if self.received(upload) != submission.size if digest is None else digest != submission.sha256:
            self.abandon(upload)
            submission.keep(None)
            raise Failure("retry", "damaged", f"“{submission.name}” arrived damaged: it is sent again.")
        return upload, "size" if digest is None else "verified"

    def discard(self, submission):
        # Without a checkpoint: where Acme takes our own ids, one that was begun and not written down any more.
        self.abandon(submission.checkpoint or submission.id)


if __name__ == "__main__":
    serve(Acme)
