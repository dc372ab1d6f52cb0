"""tus 1.0.0 as ownCloud Infinite Scale speaks it: owncloud/reva ocdav/tus.go, decomposedfs/upload, tusd v2.

A session lies in DIR/uploads as ID.bin and ID.info; its length on disk is its offset, also after a kill.
"""
import base64
import binascii
import email.utils
import json
import os
import secrets
import threading
import time

from .answers import Answer, Refusal
from .connection import ShortBody, hasher

NO_STORE = [("Tus-Resumable", "1.0.0"), ("Cache-Control", "no-store")]


class Tus:
    def __init__(self, app):
        self.app = app
        self.lock = threading.Lock()
        self.busy = set()

    def path(self, session, ending):
        return os.path.join(self.app.store.uploads, f"{session}.{ending}")

    # POST on a folder

    def create(self, request, path):
        app = self.app
        headers = [("Tus-Resumable", "1.0.0"), ("Tus-Extension", "creation,creation-with-upload,checksum,expiration")]
        if request.header("Tus-Resumable") != "1.0.0" or request.header("Upload-Length") is None:
            raise Refusal(412, headers=headers)
        meta = self.metadata(request.header("Upload-Metadata", ""))
        name = meta.get("filename", "").strip("/")
        if not name:
            raise Refusal(412, headers=headers)
        target = f"{path}/{name}".strip("/")
        app.check_name(target.rpartition("/")[2], 412)
        node = app.store.node(target)
        if node and node.is_folder:
            raise Refusal(409, headers=headers)
        if node and request.header("If-Match") and request.header("If-Match") != app.etag(node):
            raise Refusal(412, headers=headers)
        if not request.header("Upload-Length").isdigit():
            raise Refusal(400, headers=headers)
        length = int(request.header("Upload-Length"))
        parent = app.store.node(target.rpartition("/")[0])
        if parent is None or not parent.is_folder:
            request.body.drain()
            raise Refusal(412, headers=headers)
        app.check_locked(request, target)
        app.check_space(target, length)
        if length == 0 and node is None:
            temporary = app.store.temporary_file()
            open(temporary, "wb").close()
            app.finish(request, temporary, target, app.empty_digests(), mtime=meta.get("mtime"))
            return Answer(201, headers + [("Location", "")])
        session = secrets.token_hex(16)
        checksum = meta.get("checksum") or request.header("Upload-Checksum", "")
        with open(self.path(session, "info"), "w") as file:
            json.dump(
                {"target": target, "length": length, "mtime": meta.get("mtime"), "at": time.time(),
                 "checksum": checksum.replace(":", " ", 1) if meta.get("checksum") else ""}, file)
        open(self.path(session, "bin"), "wb").close()
        headers.append(("Location", f"{app.url(request)}/data/{session}"))
        headers.append(("Upload-Expires", self.expires(time.time())))
        if request.header("Content-Type") == "application/offset+octet-stream" and request.body.is_unread:
            offset, done = self.write(request, session, int(request.header("Upload-Offset", "0") or 0))
            headers.append(("Upload-Offset", str(offset)))
            headers += done
        return Answer(201, headers)

    def metadata(self, header):
        found = {}
        for pair in header.split(","):
            key, _, value = pair.strip().partition(" ")
            try:
                found[key] = base64.b64decode(value, validate=True).decode()
            except (binascii.Error, UnicodeDecodeError):
                continue
        return found

    def expires(self, since):
        return email.utils.formatdate(since + self.app.options.upload_life, usegmt=True)

    # HEAD, PATCH, DELETE on the session, which needs no sign-in: its address is the secret

    def handle(self, request, session):
        if request.method == "OPTIONS":
            return Answer(200, [
                ("Tus-Resumable", "1.0.0"), ("Tus-Version", "1.0.0"),
                ("Tus-Extension", "creation,creation-with-upload,checksum,expiration")])
        method = request.method
        if method == "POST":
            method = request.header("X-HTTP-Method-Override", method)
        if request.header("Tus-Resumable") != "1.0.0":
            raise Refusal(412, headers=[("Tus-Version", "1.0.0")])
        info = self.info(session)
        if info is None:
            raise Refusal(404, headers=NO_STORE)
        if method == "HEAD":
            return Answer(200, NO_STORE + [
                ("Upload-Offset", str(self.offset(session))), ("Upload-Length", str(info["length"])),
                ("Upload-Expires", self.expires(info["at"]))])
        if method == "PATCH":
            if request.header("Content-Type") != "application/offset+octet-stream":
                raise Refusal(415, headers=NO_STORE)
            if not request.header("Upload-Offset", "").isdigit():
                raise Refusal(400, headers=NO_STORE)
            offset, headers = self.write(request, session, int(request.header("Upload-Offset")))
            return Answer(204, NO_STORE + [("Upload-Offset", str(offset))] + headers)
        if method == "DELETE":
            self.forget(session)
            return Answer(204, NO_STORE)
        raise Refusal(405)

    def info(self, session):
        self.expire()
        try:
            if not session.isalnum():
                return None
            with open(self.path(session, "info")) as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def offset(self, session):
        return os.path.getsize(self.path(session, "bin"))

    def expire(self, life=None):
        life = self.app.options.upload_life if life is None else life
        for name in os.listdir(self.app.store.uploads):
            path = os.path.join(self.app.store.uploads, name)
            try:
                if name.endswith(".info") and os.path.getmtime(path) + life <= time.time():
                    self.forget(name[:-5])
            except FileNotFoundError:
                pass

    def forget(self, session):
        for ending in ("info", "bin"):
            try:
                os.unlink(self.path(session, ending))
            except FileNotFoundError:
                pass

    def write(self, request, session, at):
        """Takes a body in; what came of a broken one stays. Returns the new offset, and headers when it is whole."""
        with self.lock:
            if session in self.busy:
                raise Refusal(423, headers=NO_STORE)
            self.busy.add(session)
        try:
            return self.write_alone(request, session, at)
        finally:
            with self.lock:
                self.busy.discard(session)

    def write_alone(self, request, session, at):
        app = self.app
        info = self.info(session)
        offset = self.offset(session)
        if at != offset:
            raise Refusal(409, headers=NO_STORE + [("Upload-Offset", str(offset))])
        if request.body.length is not None and offset + request.body.length > info["length"]:
            raise Refusal(413, headers=NO_STORE)
        checksum = request.header("Upload-Checksum") if app.options.tus_checksum == "verify" else None
        name, digest = None, None
        if checksum:
            name, _, expected = checksum.partition(" ")
            name = name.lower()
            if name not in ("md5", "sha1", "adler32", "sha256"):
                raise Refusal(400, headers=NO_STORE)
            digest = hasher(name)
        path = self.path(session, "bin")
        try:
            with open(path, "ab", buffering=0) as file:
                for block in request.body.blocks():
                    if digest:
                        digest.update(block)
                    view = block
                    while view:
                        view = view[file.write(view):]
        except ShortBody:
            if digest:
                # A part that was to be proven and did not come whole is no part.
                os.truncate(path, offset)
            raise
        if digest and not self.is_same(expected, digest.hexdigest()):
            os.truncate(path, offset)
            raise Refusal(460, headers=NO_STORE)
        os.utime(self.path(session, "info"))
        now = self.offset(session)
        if now < info["length"]:
            return now, [("Upload-Expires", self.expires(time.time()))]
        digests = app.digests_of(path, ("sha1", "md5", "adler32"))
        if info["checksum"]:
            name, _, expected = info["checksum"].partition(" ")
            if not self.is_same(expected, digests.get(name.lower(), "")):
                self.forget(session)
                raise Refusal(460, headers=NO_STORE)
        app.check_space(info["target"], now)
        node, headers = app.finish(request, path, info["target"], digests, mtime=info["mtime"])
        self.forget(session)
        return now, headers + app.etag_headers(app.etag(node)) + [("OC-FileId", app.file_id(node))]

    def is_same(self, expected, digest):
        """oCIS compares hex; the protocol says base64."""
        return expected.lower() == digest or expected == base64.b64encode(bytes.fromhex(digest)).decode()
