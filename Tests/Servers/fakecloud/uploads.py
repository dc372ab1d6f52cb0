"""Uploads in pieces to Nextcloud and ownCloud: dav/uploads, and ownCloud's old OC-Chunked names."""
import json
import os
import re
import secrets
import shutil
import threading
import time

from .answers import SABRE, Answer, Refusal, json_answer, page
from .connection import hasher


def natural(name):
    """PHP's strnatcmp, near enough: digits compare as numbers."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|\D+", name)]


class Uploads:
    def __init__(self, app):
        self.app = app
        self.lock = threading.RLock()
        self.assemblies = {}  # upload's name: Assembly
        self.jobs = {}
        self.busy = set()

    # Where things lie: DIR/uploads/NAME/CHUNK and DIR/uploads/NAME.json

    def folder(self, name):
        if name in ("", ".", "..") or "/" in name or name.endswith(".json"):
            raise Refusal(404, f"File with name /{name} could not be located")
        return os.path.join(self.app.store.uploads, name)

    def exists(self, name):
        return os.path.isdir(self.folder(name))

    def need(self, name):
        self.expire()
        if not self.exists(name):
            raise Refusal(404, f"File with name /{name} could not be located")
        return self.folder(name)

    def about(self, name):
        try:
            with open(self.folder(name) + ".json") as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def is_multipart(self, name):
        """It goes to a store that knows parts: only where one is, and when the target was named at once."""
        return self.app.options.chunking == "v2" and self.about(name).get("target") is not None

    def chunks(self, name):
        folder = self.folder(name)
        found = [(chunk, os.path.getsize(os.path.join(folder, chunk))) for chunk in os.listdir(folder)]
        return sorted(found, key=lambda pair: natural(pair[0]))

    def forget(self, name):
        shutil.rmtree(self.folder(name), ignore_errors=True)
        try:
            os.unlink(self.folder(name) + ".json")
        except FileNotFoundError:
            pass
        self.assemblies.pop(name, None)

    def expire(self, life=None):
        """The daily clean-up: what nobody has touched for a day goes."""
        life = self.app.options.upload_life if life is None else life
        with self.lock:
            for name in os.listdir(self.app.store.uploads):
                path = os.path.join(self.app.store.uploads, name)
                if os.path.isdir(path) and os.path.getmtime(path) + life <= time.time():
                    self.forget(name)

    # Requests

    def handle(self, request, user, rest):
        """rest: [] for the home, [upload], [upload, chunk]."""
        if user != request.user:
            raise Refusal(403 if self.app.options.kind == "nextcloud" else 404, "Access denied")
        method = request.method
        if len(rest) > 2:
            raise Refusal(404, f"File with name {rest[-1]} could not be located")
        if not rest:
            if method == "PROPFIND" and self.app.options.kind == "nextcloud":
                raise Refusal(405, "Method Not Allowed")
            if method == "MKCOL":
                raise Refusal(405, "The resource you tried to create already exists")
            if method != "PROPFIND":
                raise Refusal(403, "Permission denied")
        name = rest[0] if rest else ""
        chunk = rest[1] if len(rest) == 2 else None
        if method == "OPTIONS":
            return self.app.files.options(request)
        if method == "MKCOL":
            return self.begin(request, name, chunk)
        if method == "PROPFIND":
            return self.listing(request, name, chunk)
        if method == "PUT" and chunk is not None:
            return self.put(request, name, chunk)
        if method == "PUT":
            raise Refusal(409, "PUT is not allowed on non-files.") if self.exists(name) else Refusal(
                403, "Permission denied to create file")
        if method == "MOVE":
            return self.move(request, name, chunk)
        if method == "DELETE":
            return self.delete(name, chunk)
        if method in ("GET", "HEAD"):
            self.need(name)
            raise Refusal(405, "Reading intermediate uploads is not allowed")
        raise Refusal(501, f"There was no plugin in the system that was willing to handle this {method} method.")

    def begin(self, request, name, chunk):
        mode = self.app.options.chunking
        if chunk is not None:
            self.need(name)
            raise Refusal(403, f"Permission denied to create file (filename {chunk})")
        if self.exists(name):
            raise Refusal(405, "The resource you tried to create already exists")
        target = request.header("Destination")
        if mode == "strict" and not target:
            raise Refusal(400, "Skipping chunked file writing as the destination header was not passed")
        path = None
        if target and mode != "v1":
            path = self.app.files.destination(target)
            # afterMkcol looks the target's parent up to make its temporary target.
        with self.lock:
            os.mkdir(self.folder(name))
            with open(self.folder(name) + ".json", "w") as file:
                json.dump({"target": path, "at": time.time()}, file)
        return Answer(201)

    def put(self, request, name, chunk):
        options = self.app.options
        folder = self.need(name)
        about = self.about(name)
        if name in self.assemblies or name in self.busy:
            raise Refusal(423, f'"files/{about.get("target")}" is locked')
        if chunk == ".file":
            raise Refusal(403, "Permission denied to put into this file")
        if request.header("Content-Range"):
            raise Refusal(400, "Content-Range on PUT requests are forbidden.")
        self.app.check_name(chunk)
        target = request.header("Destination")
        is_multipart = bool(target) and self.is_multipart(name)
        is_v2 = options.chunking == "strict" or is_multipart
        if options.chunking == "strict" and not target:
            raise Refusal(400, "Skipping chunked file writing as the destination header was not passed")
        if is_v2 and not (chunk.isdigit() and 1 <= int(chunk) <= 10000):
            raise Refusal(400, "Invalid chunk name, must be numeric between 1 and 10000")
        total = request.header("OC-Total-Length", "")
        if target and total.isdigit():
            self.app.check_space(self.app.files.destination(target), int(total))
        length = request.body.length
        if is_v2 and options.chunk_max and length and length > options.chunk_max:
            raise Refusal(413, f"A chunk may have {options.chunk_max} bytes", SABRE + "BadRequest")
        temporary = self.app.store.temporary_file()
        digests, _ = self.app.receive(request, temporary)
        self.app.check_checksum(request, digests, temporary)
        with self.lock:
            if not os.path.isdir(folder):
                os.unlink(temporary)
                raise Refusal(404, f"File with name /{name} could not be located")
            # S3 knows a part by its number, not by its zeros.
            file_name = f"{int(chunk)}" if is_multipart else chunk
            path = os.path.join(folder, file_name)
            is_new = not os.path.exists(path)
            os.replace(temporary, path)
        if is_multipart:
            # The plugin says no more, and 201 also to a part sent again.
            return Answer(201)
        headers = self.app.etag_headers(f'"{secrets.token_hex(16)}"') + self.app.hash_headers(request, digests)
        return Answer(201 if is_new else 204, headers)

    def listing(self, request, name, chunk):
        if not name:
            names = sorted(n for n in os.listdir(self.app.store.uploads) if self.exists_quietly(n))
            entries = [("", None, 0)] + [(n + "/", None, 0) for n in names]
            return self.app.files.upload_listing(request, entries if self.app.files.depth(request) else entries[:1])
        self.need(name)
        found = self.chunks(name)
        size = sum(length for _, length in found)
        if chunk is not None:
            sizes = dict(found) | {".file": size}
            if chunk not in sizes or (self.is_multipart(name) and chunk != ".file"):
                raise Refusal(404, f"File with name {name}/{chunk} could not be located")
            return self.app.files.upload_listing(request, [(f"{name}/{chunk}", sizes[chunk], self.time(name))])
        entries = [(f"{name}/", None, self.time(name))]
        if self.app.files.depth(request):
            entries.append((f"{name}/.file", size, self.time(name)))
            if self.is_multipart(name):
                entries.append((f"{name}/.target", size, self.time(name)))
            entries += [(f"{name}/{part}", length, self.time(name)) for part, length in found]
        return self.app.files.upload_listing(request, entries)

    def exists_quietly(self, name):
        return os.path.isdir(os.path.join(self.app.store.uploads, name))

    def time(self, name):
        return os.path.getmtime(self.folder(name))

    def delete(self, name, chunk):
        folder = self.need(name)
        if name in self.assemblies or name in self.busy:
            raise Refusal(423, f'"uploads/{name}" is locked')
        with self.lock:
            if chunk is None or chunk == ".file":
                # FutureFile::delete takes the whole folder.
                self.forget(name)
            elif self.is_multipart(name):
                # UploadFolder::getChild does not know the store's parts; only its listing does.
                raise Refusal(404, f"File with name {name}/{chunk} could not be located")
            else:
                try:
                    os.unlink(os.path.join(folder, chunk))
                except FileNotFoundError:
                    raise Refusal(404, f"File with name {name}/{chunk} could not be located") from None
        return Answer(204)

    # MOVE

    def move(self, request, name, chunk):
        app = self.app
        self.need(name)
        if chunk is None:
            raise Refusal(403, "Permission denied to rename this folder")
        if not request.header("Destination"):
            raise Refusal(400, "The destination header was not supplied")
        if self.still_assembling(name):
            raise Refusal(423, f'"files/{self.assemblies[name].target}" is locked, existing lock on file: exclusive')
        self.need(name)
        target = app.files.destination(request.header("Destination"))
        if chunk != ".file":
            raise Refusal(403, "Permission denied to rename this file")
        parent = app.store.node(target.rpartition("/")[0])
        if parent is None or not parent.is_folder:
            raise Refusal(409, "The destination node is not found")
        node = app.store.node(target)
        if node and request.header("Overwrite", "T").upper() == "F":
            raise Refusal(
                412, "The destination node already exists, and the overwrite header is set to false",
                extra="  <s:header>Overwrite</s:header>\n")
        if node and node.is_folder:
            raise Refusal(400, f"The given destination files/{app.options.user}/{target} is a directory.")
        app.check_name(target.rpartition("/")[2])
        app.check_locked(request, target)
        found = self.chunks(name)
        size = sum(length for _, length in found)
        is_multipart = self.is_multipart(name)
        total = request.header("OC-Total-Length")
        # The multipart plugin answers before the older one can compare.
        if total is not None and total != str(size) and not is_multipart:
            raise Refusal(400, f"Chunks on server do not sum up to {total} but to {size} bytes")
        least = app.options.chunk_min
        has_least = is_multipart or app.options.chunking == "strict"
        if has_least and least and any(length < least for _, length in found[:-1]):
            # S3's EntityTooSmall; what it becomes on the way is not known, a 500 is what uncaught exceptions become.
            raise Refusal(500, "Your proposed upload is smaller than the minimum allowed size")
        app.check_space(target, size)
        if app.options.kind == "owncloud" and request.header("OC-LazyOps"):
            return self.lazy(request, name, target, found)
        if app.settings["assemblyRequests"] is not None or app.settings["assemblySeconds"]:
            with self.lock:
                self.assemblies[name] = Assembly(self, request, name, target, found)
            return page(504)
        with self.lock:
            if name in self.busy:
                raise Refusal(423, f'"files/{target}" is locked, existing lock on file: exclusive')
            self.busy.add(name)
        try:
            self.need(name)
            return self.assemble(request, name, target, found)
        finally:
            with self.lock:
                self.busy.discard(name)

    def assemble(self, request, name, target, found):
        app = self.app
        folder = self.folder(name)
        temporary = app.store.temporary_file()
        running = {each: hasher(each) for each in app.wanted_hashes(request)}
        with open(temporary, "wb") as out:
            for chunk, _ in found:
                with open(os.path.join(folder, chunk), "rb") as part:
                    while block := part.read(1 << 18):
                        out.write(block)
                        for digest in running.values():
                            digest.update(block)
        digests = {each: digest.hexdigest() for each, digest in running.items()}
        app.check_checksum(request, digests, temporary)
        is_multipart = self.is_multipart(name)
        with self.lock:
            existed = app.store.node(target) is not None
            node, headers = app.finish(
                request, temporary, target, digests, keeps_checksum=not is_multipart)
            self.forget(name)
        headers += [("OC-FileId", app.file_id(node)), ("OC-ETag", app.etag(node))]
        if not is_multipart:
            headers += app.hash_headers(request, digests)
        return Answer(204 if existed else 201, headers)

    def still_assembling(self, name):
        with self.lock:
            assembly = self.assemblies.get(name)
            return bool(assembly) and not assembly.step()

    def look(self, path):
        """A request that looks at a target takes its assembly a step on; is it still going on?"""
        with self.lock:
            for assembly in list(self.assemblies.values()):
                if assembly.target == path:
                    return not assembly.step()
        return False

    def is_target(self, path):
        with self.lock:
            return any(assembly.target == path for assembly in self.assemblies.values())

    # OC-LazyOps

    def lazy(self, request, name, target, found):
        job = secrets.token_hex(16)
        waits = self.app.settings["assemblyRequests"] or 0
        try:
            answer = self.assemble(request, name, target, found)
            headers = dict(answer.headers)
            state = {"status": "finished", "fileId": headers["OC-FileId"], "ETag": headers["OC-ETag"]}
        except Refusal as refusal:
            state = {"status": "error", "errorCode": refusal.status, "errorMessage": refusal.message}
        self.jobs[job] = [waits, state]
        location = f"/remote.php/dav/job-status/{self.app.options.user}/{job}"
        return Answer(202, [("OC-JobStatus-Location", location), ("Connection", "close")])

    def job(self, job):
        if job not in self.jobs:
            raise Refusal(404, "")
        waits, state = self.jobs[job]
        if waits:
            self.jobs[job][0] -= 1
            return json_answer(200, {"status": "started"})
        return json_answer(200, state)

    # OC-Chunked: OC_FileChunking, createFileChunked

    def old_chunk(self, request, path):
        app = self.app
        parent, _, name = path.rpartition("/")
        match = re.search(r"(.*)-chunking-(\d+)-(\d+)-(\d+)", name)
        if not match:
            raise Refusal(501, "Invalid chunk name")
        base, transfer, count, index = match.group(1), *map(int, match.groups()[1:])
        target = f"{parent}/{base}".lstrip("/")
        total = request.header("OC-Total-Length", "")
        app.check_space(target, int(total) if total.isdigit() else request.body.length or 0)
        temporary = app.store.temporary_file()
        app.receive(request, temporary)
        folder = os.path.join(app.store.uploads, f"old-{transfer}-{base}")
        with self.lock:
            os.makedirs(folder, exist_ok=True)
            os.replace(temporary, os.path.join(folder, str(index)))
            if len(os.listdir(folder)) < count:
                return Answer(201)
        found = [(str(number), 0) for number in range(count)]
        answer = self.assemble(request, os.path.basename(folder), target, found)
        return Answer(201, answer.headers + [("ETag", dict(answer.headers)["OC-ETag"])])


class Assembly:
    """A MOVE that the proxy has given up waiting for: first 504, then 423 while it goes on, then it is done."""

    def __init__(self, uploads, request, name, target, found):
        self.uploads = uploads
        self.request = request
        self.name = name
        self.target = target
        self.found = found
        settings = uploads.app.settings
        self.looks = settings["assemblyRequests"] or 0
        self.until = time.monotonic() + (settings["assemblySeconds"] or 0)
        self.fails = settings["assemblyFails"] > 0
        if self.fails:
            settings["assemblyFails"] -= 1
        if settings["assemblySeconds"]:
            # It also ends when nobody looks.
            timer = threading.Timer(settings["assemblySeconds"] + 0.02, self.end)
            timer.daemon = True
            timer.start()

    def end(self):
        with self.uploads.lock:
            if self.uploads.assemblies.get(self.name) is self and not self.looks:
                self.step()

    def step(self):
        """One request looks; was it the last that had to wait?"""
        if self.looks > 0:
            self.looks -= 1
            return False
        if time.monotonic() < self.until:
            return False
        self.uploads.assemblies.pop(self.name, None)
        if not self.fails:
            try:
                self.uploads.assemble(self.request, self.name, self.target, self.found)
            except Refusal:
                pass
        return True
