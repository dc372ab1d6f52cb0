"""The server: which part answers what, what all parts share, and the control address for tests."""
import json
import os
import re
import threading
import time
from xml.sax.saxutils import escape

from .accounts import Accounts
from .answers import CONNECTOR, Answer, Refusal, json_answer, login_page, page, refusal_answer
from .connection import hasher
from .files import Files
from .plan import Plan
from .store import Store
from .tus import Tus
from .uploads import Uploads

CONTROL = "/__fake/"
WINDOWS_CHARACTERS = '<>:"|?*'
WINDOWS_NAMES = {"con", "prn", "aux", "nul"} | {f"{name}{number}" for name in ("com", "lpt") for number in range(10)}
QUIRKS = {
    "ignore-preconditions", "ignore-mtime", "expect-stores-nothing", "fragment-put", "partial-put", "weak-etag",
    "weak-etag-always", "no-etag", "mkcol-existing-201", "mkcol-needs-slash", "collection-301", "no-move",
    "move-new-204", "ignore-overwrite", "settable-times", "login-page", "corrupts",
    "keeps-partial",
}


class App:
    def __init__(self, options):
        self.options = options
        self.store = Store(options.directory)
        self.plan = Plan()
        self.lock = threading.Lock()
        self.entries = []
        self.bytes_taken = 0
        self.held = {}
        self.locked = {}
        self.settings = {
            "quota": options.quota, "maintenance": False, "retryAfter": 120, "quirks": set(options.quirk),
            "moveMissingParent": options.move_missing_parent, "assemblyRequests": options.assembly_requests,
            "assemblySeconds": options.assembly_seconds, "assemblyFails": 0, "postprocessing": options.postprocessing,
            "maxBody": options.max_body, "url": None,
        }
        self.accounts = Accounts(self)
        self.files = Files(self)
        self.uploads = Uploads(self)
        self.tus = Tus(self)

    # What was seen

    def count(self, bytes_count):
        with self.lock:
            self.bytes_taken += bytes_count

    def note_request(self, request, fault):
        headers = {name: value for name, value in request.headers.items()}
        if "Authorization" in headers:
            headers["Authorization"] = headers["Authorization"].partition(" ")[0]
        with self.lock:
            entry = {
                "number": len(self.entries) + 1, "method": request.method, "path": request.path,
                "target": request.target, "headers": headers, "status": 0, "bodyBytes": 0, "isFault": bool(fault),
                "isDone": False,
            }
            self.entries.append(entry)
        return entry

    def note_answer(self, entry, request, status):
        with self.lock:
            entry |= {"status": status, "bodyBytes": request.body.count, "isDone": True}

    # Control

    def is_control(self, request):
        return (
            request.raw_path.startswith(CONTROL)
            and request.header("X-Fake-Control", "") == self.options.control
        )

    def control(self, request):
        name = request.path[len(CONTROL):]
        method = request.method
        try:
            value = json.loads(request.body.small() or b"null")
            if name == "requests" and method == "GET":
                with self.lock:
                    return json_answer(200, self.entries[int(request.parameters().get("since", 0)):])
            if name == "requests" and method == "DELETE":
                with self.lock:
                    self.entries = []
                    self.bytes_taken = 0
                return Answer(204)
            if name == "counts":
                with self.lock:
                    return json_answer(200, {"bytesTaken": self.bytes_taken, "requests": len(self.entries)})
            if name == "plan":
                if method == "POST":
                    self.plan.add(value if isinstance(value, list) else [value])
                elif method == "DELETE":
                    self.plan.clear()
                return json_answer(200, self.plan.state())
            if name == "settings":
                if method == "POST":
                    self.change(value)
                return json_answer(200, self.settings | {"quirks": sorted(self.settings["quirks"])})
            if name == "lock":
                with self.lock:
                    self.locked[value["path"].strip("/")] = value.get("times", 0)
                return Answer(204)
            if name == "unlock":
                with self.lock:
                    self.locked.pop(value["path"].strip("/"), None)
                return Answer(204)
            if name == "release":
                self.gate(value["hold"]).set()
                return Answer(204)
            if name == "expire-uploads":
                self.uploads.expire(-1)
                self.tus.expire(-1)
                return Answer(204)
            if name == "revoke":
                self.store.set_note("app passwords", [])
                return Answer(204)
        except (ValueError, KeyError, TypeError) as error:
            return json_answer(400, {"error": str(error)})
        return json_answer(404, {"error": f"there is no {name}"})

    def change(self, changes):
        unknown = set(changes) - set(self.settings)
        if unknown:
            raise ValueError(f"there is no setting {', '.join(sorted(unknown))}")
        if "quirks" in changes:
            strange = set(changes["quirks"]) - QUIRKS
            if strange:
                raise ValueError(f"there is no quirk {', '.join(sorted(strange))}")
            changes["quirks"] = set(changes["quirks"])
        self.settings |= changes

    def gate(self, name):
        with self.lock:
            return self.held.setdefault(name, threading.Event())

    def hold(self, name):
        self.gate(name).wait(300)

    # Dispatch

    def below(self, path):
        """The path below the prefix the server was put under; None: outside."""
        prefix = self.options.prefix
        if not prefix:
            return path
        return path[len(prefix):] or "/" if (path + "/").startswith(prefix + "/") else None

    def url(self, request):
        return (self.settings["url"] or request.origin()) + self.options.prefix

    def common_headers(self, request):
        if self.options.kind == "plain":
            return [("Server", "dav/1.0")]
        headers = [("X-Content-Type-Options", "nosniff")]
        if self.options.kind == "nextcloud":
            headers += [("Server", "nginx"), ("X-Request-Id", f"r{id(request):x}")]
            if request.user:
                headers.append(("X-User-Id", request.user))
        elif self.options.kind == "owncloud":
            headers += [("Server", "Apache"), ("X-Powered-By", "PHP/7.4")]
        return headers

    def handle(self, request):
        kind = self.options.kind
        largest = self.settings["maxBody"]
        if largest is not None and (request.body.length or 0) > largest:
            # client_max_body_size: nginx does not wait for the body.
            raise Refusal(413, exception="html", close=True)
        path = self.below(request.path)
        if path is None:
            return page(404)
        request.path = path
        if "login-page" in self.settings["quirks"]:
            return login_page()
        if kind == "plain":
            if self.settings["maintenance"]:
                raise self.sentence(503, [("Retry-After", str(self.settings["retryAfter"]))])
            self.accounts.sign_in(request)
            request.raw_path = self.below(request.raw_path)
            return self.files.handle(request, "/")
        if path == "/status.php":
            return self.accounts.status()
        if self.settings["maintenance"] and path != "/":
            raise self.sentence(503, [
                ("Retry-After", str(self.settings["retryAfter"])), ("X-Nextcloud-Maintenance-Mode", "1")][
                    :2 if kind == "nextcloud" else 1])
        if path == "/.well-known/webdav":
            return Answer(301, [("Location", self.url(request) + "/remote.php/dav")])
        if re.match(r"/ocs/v[12]\.php/", path):
            return self.accounts.ocs(request)
        if re.match(r"(/index\.php)?/login/v2", path):
            return self.accounts.login(request)
        if kind == "ocis" and path.startswith("/data/"):
            return self.tus.handle(request, path.removeprefix("/data/"))
        if path in ("/", "/index.php", "/login", "/index.php/login"):
            # lib/base.php refuses PROPFIND here, so that nobody mounts the root.
            return page(405) if request.method == "PROPFIND" else login_page()
        return self.dav(request, path)

    def dav(self, request, path):
        base = self.files.base(path)
        if base is None and not re.match(r"/remote\.php/(dav|webdav)(/|$)", path):
            return page(404)
        if request.method == "OPTIONS" and not request.header("Authorization"):
            # AnonymousOptionsPlugin
            return self.files.options(request)
        self.accounts.sign_in(request)
        if base is not None:
            return self.files.handle(request, base)
        match = re.fullmatch(r"/remote\.php/dav/uploads/([^/]+)(?:/(.*))?", path.rstrip("/"))
        if match and self.options.kind != "ocis":
            rest = [part for part in (match.group(2) or "").split("/") if part]
            return self.uploads.handle(request, match.group(1), rest)
        match = re.fullmatch(r"/remote\.php/dav/job-status/([^/]+)/(.*)", path)
        if match and self.options.kind == "owncloud":
            return self.uploads.job(match.group(2))
        if request.method == "OPTIONS":
            return self.files.options(request)
        raise Refusal(404, f"File with name {path.removeprefix('/remote.php/dav')} could not be located")

    def fault_path(self, request):
        """What the path of a planned fault is compared with."""
        return request.path

    def ordered(self, status, headers):
        return refusal_answer(self.sentence(status, headers), self.options.kind)

    # What the parts share

    def sentence(self, status, headers):
        """How a server of this kind words a status of its own accord."""
        if status == 503:
            return Refusal(503, "System is in maintenance mode.", headers=headers)
        if status == 429:
            return Refusal(429, "Too many requests", headers=headers)
        if status == 423:
            return Refusal(423, "The resource is locked, existing lock on file: exclusive", headers=headers)
        if status == 507:
            return Refusal(507, "Insufficient space", headers=headers)
        return Refusal(status, f"Ordered by the test: {status}", headers=headers)

    def short_body(self, short):
        if self.options.kind == "nextcloud":
            return Refusal(
                400, f"Expected filesize of {short.expected} bytes but read (from Nextcloud client) and wrote (to"
                f" Nextcloud storage) {short.count} bytes. Could either be a network problem on the sending side or a"
                " problem writing to the storage on the server side.", close=True)
        return Refusal(400, f"expected filesize {short.expected} got {short.count}", close=True)

    def forbidden_characters(self):
        return "\\/" + (WINDOWS_CHARACTERS if self.options.forbidden_names else "")

    def check_name(self, name, status=400):
        kind = self.options.kind
        if kind == "nextcloud":
            # lib/private/Files/FilenameValidator.php
            lower = name.lower()
            if len(name.encode("utf-8", "surrogateescape")) > 250:
                self.refuse_name("Filename is too long")
            if not name.strip():
                self.refuse_name("Empty filename is not allowed")
            if lower == ".htaccess":
                self.refuse_name(f'"{name}" is a forbidden file or folder name.')
            for ending in (".part", ".filepart"):
                if lower.endswith(ending):
                    self.refuse_name(f'"{ending}" is a forbidden file type.')
            if any(ord(character) < 32 for character in name):
                self.refuse_name("Filename contains at least one invalid character")
            for character in self.forbidden_characters():
                if character in name:
                    self.refuse_name(f'"{character}" is not allowed inside a file or folder name.')
            if self.options.forbidden_names:
                if name[-1] in " .":
                    self.refuse_name(f'Filenames must not end with "{name[-1]}".')
                if lower.partition(".")[0] in WINDOWS_NAMES:
                    self.refuse_name(f'"{name}" is a forbidden prefix for file or folder names.')
        elif kind == "owncloud":
            if name.lower() == ".htaccess" or re.search(r"\.(part|filepart)$", name):
                raise Refusal(403, "", CONNECTOR + "Forbidden")
            if "\\" in name or len(name.encode("utf-8", "surrogateescape")) > 250:
                self.refuse_name("File name contains at least one invalid character")
        elif kind == "ocis":
            # ocdav's name validators: what it refuses to begin or hold.
            if any(character in name for character in "\f\r\n\\") or name in (".", "..") or not name.strip():
                raise Refusal(status, "must not contain one of \\f \\r \\n \\\\")
            if len(name.encode("utf-8", "surrogateescape")) > 255:
                raise Refusal(status, "must be shorter than 255")

    def refuse_name(self, message):
        reason = f'  <o:reason xmlns:o="o:">{escape(message)}</o:reason>\n'
        raise Refusal(
            400, message, CONNECTOR + "InvalidPath", extra=f'  <o:retry xmlns:o="o:">false</o:retry>\n{reason}')

    def check_locked(self, request, path):
        with self.lock:
            if path in self.locked:
                if self.locked[path]:
                    self.locked[path] -= 1
                    if not self.locked[path]:
                        del self.locked[path]
                raise Refusal(423, f'"files/{path}" is locked, existing lock on file: exclusive')
        token = self.files.lock_on(path)
        if token and token not in self.files.tokens(request):
            raise Refusal(423, f'"{path}" is locked', "Sabre\\DAV\\Exception\\Locked")

    def free(self):
        """What is left: negative when there is no saying, as Nextcloud puts it (-1, -2, -3)."""
        quota = self.settings["quota"]
        if quota is None:
            return -3
        return quota if quota < 0 else max(0, quota - self.store.used())

    def check_space(self, path, length):
        """What a body replaces is not counted as free, as in QuotaPlugin."""
        free = self.free()
        if free >= 0 and length > free:
            raise Refusal(507, f"Insufficient space in {path}, {length} required, {free} available")

    # Digests

    def wanted_hashes(self, request):
        kind = self.options.kind
        if kind in ("owncloud", "ocis"):
            return ("sha1", "md5", "adler32")
        wanted = request.header("X-Hash", "") if kind == "nextcloud" else ""
        if wanted == "all":
            return ("md5", "sha1", "sha256")
        return (wanted,) if wanted in ("md5", "sha1", "sha256") else ()

    def hash_headers(self, request, digests):
        if self.options.kind != "nextcloud":
            return []
        return [(f"X-Hash-{name.upper()}", value) for name, value in digests.items()]

    def empty_digests(self):
        return {name: hasher(name).hexdigest() for name in ("sha1", "md5", "adler32")}

    def digests_of(self, path, names):
        running = {name: hasher(name) for name in names}
        with open(path, "rb") as file:
            while block := file.read(1 << 18):
                for digest in running.values():
                    digest.update(block)
        return {name: digest.hexdigest() for name, digest in running.items()}

    def receive(self, request, temporary, keeps=None):
        """The body to a temporary file, which is gone again when it did not come whole."""
        try:
            digests, count = request.body.save(temporary, self.wanted_hashes(request))
            if "corrupts" in self.settings["quirks"] and count:
                # A bit is lost between the network and the disk; digests are of what lies on the disk.
                with open(temporary, "r+b") as file:
                    file.seek(count // 2)
                    byte = file.read(1)
                    file.seek(count // 2)
                    file.write(bytes([byte[0] ^ 1]))
                digests = self.digests_of(temporary, tuple(digests))
            return digests, count
        except BaseException:
            if keeps is not None and "keeps-partial" in self.settings["quirks"]:
                # As servers do that write where the file will be.
                self.store.place(temporary, keeps)
                raise
            try:
                os.unlink(temporary)
            except FileNotFoundError:
                pass
            raise

    def announced_checksum(self, request):
        """oCIS: refused before the body when it cannot be read."""
        for name, sign in (("Upload-Checksum", " "), ("OC-Checksum", ":")):
            if value := request.header(name):
                if sign not in value:
                    raise Refusal(400)
                algorithm, _, digest = value.partition(sign)
                return f"{algorithm.lower()} {digest}"
        return None

    def check_checksum(self, request, digests, temporary, wanted=None):
        """ownCloud and oCIS compare; Nextcloud does not."""
        kind = self.options.kind
        wrong = False
        if kind == "owncloud" and digests and (value := request.header("OC-Checksum", "").strip()):
            wrong = value not in self.stored_checksum(digests)
        elif kind == "ocis" and wanted:
            algorithm, _, digest = wanted.partition(" ")
            wrong = digests.get(algorithm) != digest
        if wrong:
            os.unlink(temporary)
            raise Refusal(400, "The computed checksum does not match the one received from the client.")

    def stored_checksum(self, digests):
        return " ".join(f"{name.upper()}:{digests[name]}" for name in ("sha1", "md5", "adler32") if name in digests)

    # The end of every upload

    def finish(self, request, temporary, path, digests, mtime=None, keeps_checksum=True):
        """Puts a complete file in its place. Returns its node and the headers that say what was taken."""
        headers = []
        when = mtime if mtime is not None else request.header("X-OC-MTime")
        kind = self.options.kind
        checksum = ""
        if kind == "nextcloud" and keeps_checksum:
            # Kept as it came, and forgotten when a new body comes without one.
            checksum = request.header("OC-Checksum", "").strip()
        elif kind in ("owncloud", "ocis"):
            checksum = self.stored_checksum(digests)
        seconds = None
        if when is not None and kind != "plain" and "ignore-mtime" not in self.settings["quirks"]:
            try:
                seconds = float(when) if kind == "ocis" else int(float(when))
                headers.append(("X-OC-MTime", "accepted"))
            except ValueError:
                self.store.place(temporary, path, None, checksum)
                # sanitizeMtime throws when the bytes are already in place.
                raise Refusal(
                    500, "X-OC-MTime header must be an integer (unix timestamp).", "InvalidArgumentException") from None
        node = self.store.place(temporary, path, seconds, checksum)
        created = request.header("X-OC-CTime")
        if created and kind == "nextcloud" and created.isdigit():
            self.store.set(path, "created", int(created))
            headers.append(("X-OC-CTime", "accepted"))
        if kind == "ocis" and self.settings["postprocessing"]:
            self.store.set(path, "wait", self.settings["postprocessing"])
        return node, headers

    def is_waiting(self, node):
        """oCIS still works on it: so many requests see 425."""
        if self.options.kind != "ocis" or not node.wait or node.is_folder:
            return False
        self.store.set(node.path, "wait", node.wait - 1)
        return True

    def etag(self, node):
        quirks = self.settings["quirks"]
        tag = f'"{node.tag}"'
        if self.options.kind == "plain":
            tag = f'"{node.inode:x}-{node.size:x}-{node.mtime_ns:x}"'
        if "weak-etag-always" in quirks or ("weak-etag" in quirks and time.time() - node.stored < 1):
            tag = "W/" + tag
        return tag

    def etag_headers(self, tag):
        if self.options.kind == "plain":
            return [] if "no-etag" in self.settings["quirks"] else [("ETag", tag)]
        return [("ETag", tag), ("OC-ETag", tag)]

    def file_id(self, node):
        if self.options.kind == "ocis":
            return f"1284d238-aa92-42ce-bdc4-0b0000009157$534bb038-6f9d-4093-946f-133be61fa4e7!{node.file_id:08d}"
        return f"{node.file_id:08d}ocfakecloud"
