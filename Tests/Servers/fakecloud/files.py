"""WebDAV on files: SabreDAV as Nextcloud and ownCloud run it, reva's ocdav as oCIS does, and an ordinary server."""
import email.utils
import json
import mimetypes
import os
import re
import secrets
import time
import unicodedata
import urllib.parse
from xml.sax.saxutils import escape

from .answers import SABRE, Answer, Refusal, http_date
from .connection import hasher
from .multistatus import NC, OC, changes, multistatus, parsed, requested

CLASSES = {
    # Nextcloud 31 as captured from real answers; ownCloud 10 with its persistent locks; reva options.go.
    "nextcloud": "1, 3, extended-mkcol, access-control, calendarserver-principal-property-search, nc-paginate, "
    "nextcloud-checksum-update, nc-calendar-search, nc-enable-birthday-calendar",
    "owncloud": "1, 3, extended-mkcol, 2",
    "ocis": "1, 2",
    "plain": "1,2",
}
METHODS = "OPTIONS, GET, HEAD, DELETE, PROPFIND, PUT, PROPPATCH, COPY, MOVE, REPORT"
PROTECTED = {
    "{DAV:}getcontentlength", "{DAV:}getlastmodified", "{DAV:}resourcetype", "{DAV:}quota-available-bytes",
    "{DAV:}quota-used-bytes", "{DAV:}lockdiscovery", "{DAV:}supportedlock", "{DAV:}getetag",
} | {f"{{{OC}}}{name}" for name in ("id", "fileid", "permissions", "size", "checksums", "owner-id", "downloadURL")}
USUAL = ["{DAV:}getlastmodified", "{DAV:}getcontentlength", "{DAV:}resourcetype", "{DAV:}quota-used-bytes",
         "{DAV:}quota-available-bytes", "{DAV:}getetag", "{DAV:}getcontenttype"]


class Files:
    def __init__(self, app):
        self.app = app
        self.locks = {}  # path: (token, expiry, owner, depth)

    @property
    def kind(self):
        return self.app.options.kind

    @property
    def quirks(self):
        return self.app.settings["quirks"]

    # Paths

    def base(self, request_path):
        """The part of a path before the files, with its slash at the end; None: these are no files."""
        if self.kind == "plain":
            return "/"
        for base in (f"/remote.php/dav/files/{self.app.options.user}/", "/remote.php/webdav/", "/dav/files/"
                     + self.app.options.user + "/", "/webdav/"):
            if base.startswith(("/dav", "/webdav")) and self.kind != "ocis":
                continue
            if (request_path.rstrip("/") + "/").startswith(base):
                return base
        return None

    def relative(self, path, base):
        path = (path.rstrip("/") + "/")[len(base):].strip("/")
        path = re.sub("/+", "/", path)
        # Nextcloud and ownCloud normalise every path.
        return unicodedata.normalize("NFC", path) if self.kind in ("nextcloud", "owncloud") else path

    def destination(self, value):
        path = urllib.parse.urlsplit(value).path if "://" in value else value
        path = urllib.parse.unquote(path, errors="surrogateescape")
        path = self.app.below(path)
        base = self.base(path) if path is not None else None
        if base is None:
            raise Refusal(403, f"Requested uri ({value}) is out of base uri (/remote.php/dav/)")
        return self.relative(path, base)

    def href(self, base, path, is_folder):
        full = self.app.options.prefix + base + path + ("/" if is_folder and path else "")
        raw = full.encode("utf-8", "surrogateescape")
        if self.kind in ("ocis", "plain"):
            return urllib.parse.quote(raw, safe="/-_.~()!'*:@&=+$,")
        # Sabre\HTTP\encodePath writes its hex small.
        return re.sub("%..", lambda match: match.group().lower(), urllib.parse.quote(raw, safe="/-_.~()"))

    def need(self, path):
        node = self.app.store.node(path)
        if node is None:
            is_reva = self.kind == "ocis"
            raise Refusal(404, "Resource not found" if is_reva else f"File with name /{path} could not be located")
        return node

    # Dispatch

    def handle(self, request, base):
        path = self.relative(request.path, base)
        method = request.method
        if method not in ("OPTIONS", "PUT", "MOVE", "DELETE"):
            self.app.uploads.look(path)
        elif method in ("PUT", "DELETE") and self.app.uploads.is_target(path) and self.app.uploads.look(path):
            raise Refusal(423, f'"files/{path}" is locked, existing lock on file: exclusive')
        if "collection-301" in self.quirks and method in ("PROPFIND", "MKCOL") and not request.raw_path.endswith("/"):
            node = self.app.store.node(path)
            if method == "MKCOL" or (node and node.is_folder):
                raise Refusal(301, "", headers=[("Location", self.app.url(request) + request.raw_path + "/")])
        action = getattr(self, "do_" + method.lower(), None)
        if self.kind == "ocis" and method == "POST":
            return self.app.tus.create(request, path)
        if not action or (method in ("LOCK", "UNLOCK") and self.kind == "nextcloud") or (
                method == "PATCH" and self.kind != "nextcloud") or (
                method in ("MOVE", "COPY") and "no-move" in self.quirks):
            if self.kind == "plain":
                raise Refusal(405, headers=[("Allow", METHODS)])
            raise Refusal(
                501 if self.kind != "ocis" else 405,
                f"There was no plugin in the system that was willing to handle this {method} method.")
        node = self.app.store.node(path)
        if "ignore-preconditions" not in self.quirks:
            self.check_preconditions(request, node)
        return action(request, path, node, base)

    def do_options(self, request, path, node, base):
        return self.options(request)

    def options(self, request):
        allow = METHODS
        if self.kind != "nextcloud":
            allow += ", LOCK, UNLOCK"
        if self.kind in ("plain", "ocis"):
            allow += ", MKCOL"
        headers = [("Allow", allow), ("DAV", CLASSES[self.kind]), ("MS-Author-Via", "DAV")]
        if self.kind == "ocis":
            headers += [
                ("Tus-Resumable", "1.0.0"), ("Tus-Version", "1.0.0"),
                ("Tus-Extension", "creation,creation-with-upload,checksum,expiration"),
                ("Tus-Checksum-Algorithm", "md5,sha1,crc32"),
            ]
            return Answer(204, headers, kind="application/xml")
        return Answer(200, headers + [("Accept-Ranges", "bytes")])

    # Preconditions: Sabre\DAV\Server::checkPreconditions

    def check_preconditions(self, request, node):
        header = request.header("If-Match")
        if header is not None:
            if node is None and not (self.kind == "ocis" and header != "*"):
                self.fail("If-Match", "An If-Match header was specified and the resource did not exist")
            tag = self.app.etag(node) if node else None
            if node and header != "*" and not self.matches(header, tag):
                self.fail("If-Match", "An If-Match header was specified, but none of the specified ETags matched.")
        header = request.header("If-None-Match")
        # reva's PUT does not look at it.
        if header is None or node is None or (self.kind == "ocis" and request.method == "PUT"):
            return
        if header == "*" or self.matches(header, self.app.etag(node)):
            if request.method in ("GET", "HEAD"):
                raise Refusal(304, headers=[("ETag", self.app.etag(node))])
            self.fail(
                "If-None-Match",
                "An If-None-Match header was specified, but the ETag matched (or * was specified).")

    def matches(self, header, tag):
        # Strong comparison: a weak one never matches.
        return any(each.strip() == tag and not tag.startswith("W/") for each in header.split(","))

    def fail(self, header, message):
        raise Refusal(412, message, extra=f"  <s:header>{header}</s:header>\n")

    # Reading

    def do_get(self, request, path, node, base):
        node = self.need(path)
        if self.app.is_waiting(node):
            raise Refusal(425, "file is processing")
        if node.is_folder:
            if self.kind == "plain":
                raise Refusal(405, headers=[("Allow", METHODS)])
            if self.kind == "ocis":
                raise Refusal(501)
            return Answer(
                200, [], "This is the WebDAV interface. It can only be accessed by WebDAV clients such as the Nextcloud"
                " desktop sync client.", "text/plain; charset=utf-8")
        headers = self.app.etag_headers(self.app.etag(node)) + [
            ("Last-Modified", http_date(node.mtime)), ("Content-Type", self.content_type(node)),
            ("Accept-Ranges", "bytes")]
        if node.checksum and self.kind != "plain":
            # ownCloud and reva give the first of theirs.
            headers.append(
                ("OC-Checksum", node.checksum if self.kind == "nextcloud" else node.checksum.split(" ")[0]))
        start, length, status = 0, node.size, 200
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.header("Range", ""))
        if match and any(match.groups()) and node.size:
            first, last = match.groups()
            start = int(first) if first else max(0, node.size - int(last))
            end = min(int(last), node.size - 1) if first and last else node.size - 1
            if start > end:
                raise Refusal(416, f"The start offset ({start}) exceeded the size of the entity ({node.size})")
            length, status = end - start + 1, 206
            headers.append(("Content-Range", f"bytes {start}-{end}/{node.size}"))
        return Answer(status, headers, file=(self.app.store.local(path), start, length))

    do_head = do_get

    def content_type(self, node):
        return mimetypes.guess_type(node.name)[0] or "application/octet-stream"

    # PUT

    def do_put(self, request, path, node, base):
        app = self.app
        quirks = self.quirks
        if self.kind == "owncloud" and request.header("OC-Chunked"):
            return app.uploads.old_chunk(request, path)
        offset = None
        if span := request.header("Content-Range"):
            if "partial-put" in quirks:
                match = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", span)
                if not match:
                    raise Refusal(400)
                offset = int(match.group(1))
            elif "fragment-put" not in quirks:
                status = 501 if self.kind == "ocis" else 400
                raise Refusal(status, "Content-Range on PUT requests are forbidden." if status == 400 else "")
        if self.kind == "ocis" and request.body.is_chunked and not request.header("Upload-Length"):
            raise Refusal(400)
        if not path:
            raise Refusal(409, "PUT is not allowed on non-files.")
        if node and node.is_folder:
            raise Refusal(409, "PUT is not allowed on non-files.")
        parent = path.rpartition("/")[0]
        if self.kind == "nextcloud" and request.header("X-NC-WebDAV-Auto-Mkcol") == "1":
            self.make_parents(parent)
        above = app.store.node(parent)
        if above is None or not above.is_folder:
            if above is None:
                raise Refusal(app.options.missing_parent, "Files cannot be created in non-existent collections")
            raise Refusal(409, "Files can only be created as children of collections")
        app.check_name(path.rpartition("/")[2])
        app.check_locked(request, path)
        announced = [int(value) for name in ("Content-Length", "OC-Total-Length", "X-Expected-Entity-Length")
                     if (value := request.header(name, "")).isdigit()]
        app.check_space(path, max(announced, default=0))
        wanted = app.announced_checksum(request) if self.kind == "ocis" else None

        temporary = app.store.temporary_file()
        if offset is not None:
            return self.write_at(request, path, node, offset)
        if "expect-stores-nothing" in quirks and request.body.expects:
            request.body.drain()
            open(temporary, "wb").close()
            digests = {}
        else:
            digests, _ = app.receive(request, temporary, keeps=path)
        app.check_checksum(request, digests, temporary, wanted)
        # Another may have been quicker.
        if "ignore-preconditions" not in quirks:
            now = app.store.node(path)
            try:
                self.check_preconditions(request, now)
            except Refusal:
                os.unlink(temporary)
                raise
        with app.store.lock:
            existed = app.store.node(path) is not None
            node, headers = app.finish(request, temporary, path, digests)
        headers += app.etag_headers(app.etag(node)) + app.hash_headers(request, digests)
        if self.kind != "plain":
            headers.append(("OC-FileId", app.file_id(node)))
        if self.kind == "ocis":
            headers += [("Last-Modified", http_date(node.mtime)), ("Content-Type", self.content_type(node))]
        created = not existed or (offset is None and "fragment-put" in quirks and request.header("Content-Range"))
        return Answer(201 if created else 204, headers)

    def write_at(self, request, path, node, offset):
        """As Apache does: into the file itself, whatever is there."""
        local = self.app.store.local(path)
        if node is None:
            open(local, "wb").close()
        request.body.save(local, (), offset)
        self.app.store.set(path, "stored", time.time())
        return Answer(204 if node else 201, self.app.etag_headers(self.app.etag(self.need(path))))

    def make_parents(self, path):
        done = ""
        for part in path.split("/") if path else []:
            done = f"{done}/{part}".lstrip("/")
            node = self.app.store.node(done)
            if node is None:
                self.app.check_name(part)
                self.app.store.make_folder(done)
            elif not node.is_folder:
                raise Refusal(409, "Files can only be created as children of collections")

    # Collections

    def do_mkcol(self, request, path, node, base):
        body = request.body.small()
        if body:
            if self.kind in ("ocis", "plain") or "xml" not in request.header("Content-Type", ""):
                raise Refusal(415, "The request body for the MKCOL request must have an xml Content-Type")
            parsed(body, "mkcol")
        if node:
            if "mkcol-existing-201" in self.quirks and node.is_folder:
                return Answer(201)
            raise Refusal(405, "The resource you tried to create already exists")
        if "mkcol-needs-slash" in self.quirks and not request.raw_path.endswith("/"):
            raise Refusal(409)
        parent = self.app.store.node(path.rpartition("/")[0])
        if parent is None:
            raise Refusal(409, "Parent node does not exist")
        if not parent.is_folder:
            raise Refusal(409, "Parent node is not a collection")
        self.app.check_name(path.rpartition("/")[2])
        if self.kind == "nextcloud":
            self.app.check_space(path, 4096)
        try:
            self.app.store.make_folder(path)
        except FileExistsError:
            raise Refusal(405, "The resource you tried to create already exists") from None
        node = self.app.store.node(path)
        return Answer(201, [] if self.kind == "plain" else [("OC-FileId", self.app.file_id(node))])

    def do_delete(self, request, path, node, base):
        self.need(path)
        if not path:
            raise Refusal(403, "")
        self.app.check_locked(request, path)
        self.app.store.remove(path)
        self.locks.pop(path, None)
        return Answer(204)

    # MOVE and COPY: Sabre\DAV\Server::getCopyAndMoveInfo

    def do_move(self, request, path, node, base, is_copy=False):
        app = self.app
        if not request.header("Destination"):
            raise Refusal(400, "The destination header was not supplied")
        target = self.destination(request.header("Destination"))
        overwrite = request.header("Overwrite", "T").upper()
        if overwrite not in ("T", "F"):
            raise Refusal(400, "The HTTP Overwrite header should be either T or F")
        source = self.need(path)
        if path == target:
            raise Refusal(403, "Source and destination uri are identical.")
        if target.startswith(path + "/"):
            raise Refusal(409, "The destination may not be part of the same subtree as the source path.")
        parent = app.store.node(target.rpartition("/")[0])
        if parent is None or not parent.is_folder:
            if parent is None and app.settings["moveMissingParent"]:
                status = app.settings["moveMissingParent"]
                if status < 300:
                    return Answer(status)
                raise Refusal(status)
            raise Refusal(409, "The destination node is not found")
        existing = app.store.node(target)
        if existing and overwrite == "F" and "ignore-overwrite" not in self.quirks:
            raise Refusal(
                412, "The destination node already exists, and the overwrite header is set to false",
                extra="  <s:header>Overwrite</s:header>\n")
        app.check_name(target.rpartition("/")[2])
        app.check_locked(request, target)
        if not is_copy:
            app.check_locked(request, path)
        else:
            app.check_space(target, source.size)
        with app.store.lock:
            if existing:
                app.store.remove(target)
            (app.store.copy if is_copy else app.store.move)(path, target)
        moved = self.need(target)
        headers = []
        if self.kind != "plain":
            headers = [("OC-FileId", app.file_id(moved)), ("OC-ETag", app.etag(moved))]
        if self.kind == "ocis":
            headers.append(("ETag", app.etag(moved)))
        return Answer(204 if existing or "move-new-204" in self.quirks else 201, headers)

    def do_copy(self, request, path, node, base):
        return self.do_move(request, path, node, base, True)

    # Properties

    def depth(self, request):
        """0 or 1. SabreDAV makes infinity 1 where it is not allowed."""
        depth = request.header("Depth")
        if depth == "0":
            return 0
        if depth in (None, "infinity") and self.kind == "ocis" and depth:
            raise Refusal(400, "Invalid Depth header value: infinity")
        if depth in (None, "infinity") and self.kind == "plain":
            raise Refusal(403)
        if depth not in ("1", "infinity", None) and self.kind == "ocis":
            raise Refusal(400, f"Invalid Depth header value: {depth}")
        return 1

    def do_propfind(self, request, path, node, base):
        names = requested(request.body.small())
        depth = self.depth(request)
        node = self.need(path)
        nodes = [node] + (self.app.store.children(path) if depth and node.is_folder else [])
        responses = []
        for each in nodes:
            if self.app.is_waiting(each):
                groups = [("425 TOO EARLY", [(name, "") for name in names or USUAL])]
            else:
                groups = self.groups(names, self.properties(each), each)
            responses.append((self.href(base, each.path, each.is_folder), groups))
        return multistatus(responses, self.kind == "plain", self.propfind_headers())

    def propfind_headers(self):
        headers = [("DAV", CLASSES[self.kind])]
        return headers if self.kind in ("plain", "ocis") else headers + [("Vary", "Brief,Prefer")]

    def groups(self, names, known, node=None):
        if names is None:
            return [("200 OK", [(name, known[name]) for name in USUAL if known.get(name) is not None])]
        dead = node.properties if node else {}
        values = {name: known.get(name, dead.get(name)) for name in names}
        there = [(name, value) for name, value in values.items() if value is not None]
        missing = [(name, "") for name, value in values.items() if value is None]
        groups = [("200 OK", there)] if there else []
        return groups + ([("404 Not Found", missing)] if missing else [])

    def properties(self, node):
        app = self.app
        folder = node.is_folder
        values = {
            "{DAV:}getlastmodified": http_date(node.mtime),
            "{DAV:}resourcetype": ("<D:collection/>" if self.kind == "plain" else "<d:collection/>") if folder else "",
            "{DAV:}getetag": escape(app.etag(node)),
            "{DAV:}displayname": escape(node.name),
        }
        if folder:
            if self.kind != "plain" or app.options.quota is not None:
                values["{DAV:}quota-used-bytes"] = str(app.store.used())
                values["{DAV:}quota-available-bytes"] = str(app.free())
        else:
            values["{DAV:}getcontentlength"] = str(node.size)
            values["{DAV:}getcontenttype"] = self.content_type(node)
        if self.kind == "plain":
            values["{DAV:}supportedlock"] = (
                "<D:lockentry><D:lockscope><D:exclusive/></D:lockscope>"
                "<D:locktype><D:write/></D:locktype></D:lockentry>")
            if "no-etag" in self.quirks:
                del values["{DAV:}getetag"]
            return values
        values |= {
            f"{{{OC}}}id": app.file_id(node), f"{{{OC}}}fileid": self.plain_id(node),
            f"{{{OC}}}permissions": "RGDNVCK" if folder else "RGDNVW",
            f"{{{OC}}}size": str(node.size), f"{{{OC}}}owner-id": escape(app.options.user),
        }
        if node.checksum and not folder:
            values[f"{{{OC}}}checksums"] = f"<oc:checksum>{escape(node.checksum)}</oc:checksum>"
        if self.kind == "nextcloud":
            values |= {
                f"{{{NC}}}upload_time": str(int(node.stored)), f"{{{NC}}}creation_time": str(node.created),
                f"{{{NC}}}has-preview": "false",
            }
        return values

    def plain_id(self, node):
        return self.app.file_id(node) if self.kind == "ocis" else str(node.file_id)

    def upload_listing(self, request, entries):
        names = requested(request.body.small())
        base = f"/remote.php/dav/uploads/{self.app.options.user}/"
        responses = []
        for path, size, changed in entries:
            values = {"{DAV:}resourcetype": "<d:collection/>" if size is None else ""}
            if changed:
                values["{DAV:}getlastmodified"] = http_date(changed)
            if size is not None:
                values["{DAV:}getcontentlength"] = str(size)
                values["{DAV:}getcontenttype"] = "application/octet-stream"
                values["{DAV:}getetag"] = f"&quot;{secrets.token_hex(16)}&quot;"
            responses.append((self.href(base, path, False), self.groups(names, values)))
        return multistatus(responses, headers=self.propfind_headers())

    def do_proppatch(self, request, path, node, base):
        wanted = changes(request.body.small())
        node = self.need(path)
        self.app.check_locked(request, path)
        allowed = {"{DAV:}getetag"} if self.kind == "nextcloud" else set()
        if "settable-times" in self.quirks:
            allowed.add("{DAV:}getlastmodified")
        refused = [name for name, _, _ in wanted if name in PROTECTED - allowed]
        if self.kind != "plain":
            refused += [name for name, _, _ in wanted if name == "{DAV:}displayname"]
        if refused:
            groups = [("403 Forbidden", [(name, "") for name in refused])]
            rest = [(name, "") for name, _, _ in wanted if name not in refused]
            if rest:
                groups.append(("424 Failed Dependency", rest))
        else:
            dead = dict(node.properties)
            for name, inner, text in wanted:
                if name == "{DAV:}lastmodified" and self.kind in ("nextcloud", "owncloud") and text.isdigit():
                    self.app.store.touch(path, int(text))
                elif name == "{DAV:}getlastmodified":
                    self.app.store.touch(path, email.utils.parsedate_to_datetime(text).timestamp())
                elif name == f"{{{NC}}}creation_time" and self.kind == "nextcloud" and text.isdigit():
                    self.app.store.set(path, "created", int(text))
                elif name == "{DAV:}getetag":
                    self.app.store.set(path, "tag", text.strip('"'))
                elif inner is None:
                    dead.pop(name, None)
                else:
                    dead[name] = inner
            self.app.store.set(path, "properties", json.dumps(dead))
            groups = [("200 OK", [(name, "") for name, _, _ in wanted])]
        return multistatus(
            [(self.href(base, path, node.is_folder), groups)], self.kind == "plain", self.propfind_headers())

    # PATCH with X-Recalculate-Hash: Nextcloud's ChecksumUpdatePlugin

    def do_patch(self, request, path, node, base):
        node = self.need(path)
        name = request.header("X-Recalculate-Hash", "").lower()
        if node.is_folder or name not in ("md5", "sha1", "sha256", "adler32"):
            raise Refusal(501, "There was no plugin in the system that was willing to handle this PATCH method.")
        digest = hasher(name)
        with open(self.app.store.local(path), "rb") as file:
            while block := file.read(1 << 18):
                digest.update(block)
        checksum = f"{name.upper()}:{digest.hexdigest()}"
        self.app.store.set(path, "checksum", checksum)
        return Answer(204, [("OC-Checksum", checksum)])

    # Locks: exclusive, on one resource or a tree

    def lock_on(self, path):
        now = time.time()
        for place, (token, expiry, _, depth) in list(self.locks.items()):
            if expiry < now:
                del self.locks[place]
            elif place == path or (depth == "infinity" and path.startswith(place + "/")):
                return token
        return None

    def tokens(self, request):
        return re.findall(r"<(opaquelocktoken:[^>]*)>", request.header("If", "") + request.header("Lock-Token", ""))

    def do_lock(self, request, path, node, base):
        body = request.body.small()
        held = self.lock_on(path)
        if not body:
            if held is None or held not in self.tokens(request):
                raise Refusal(412, "An If header was specified, but none of the specified tokens matched.")
            token, owner = held, self.locks.get(path, (0, 0, ""))[2]
        else:
            element = parsed(body, "lockinfo")
            if held and held not in self.tokens(request):
                raise Refusal(423, "", SABRE + "ConflictingLock")
            token = held or "opaquelocktoken:" + "-".join(
                [secrets.token_hex(4), secrets.token_hex(2), secrets.token_hex(2), secrets.token_hex(6)])
            owner = "".join(element.find("{DAV:}owner").itertext()) if element.find("{DAV:}owner") is not None else ""
        if node is None and not held:
            parent = self.app.store.node(path.rpartition("/")[0])
            if parent is None or not parent.is_folder:
                raise Refusal(409, "Files cannot be created in non-existent collections")
            temporary = self.app.store.temporary_file()
            open(temporary, "wb").close()
            self.app.store.place(temporary, path)
        match = re.search(r"Second-(\d+)", request.header("Timeout", ""))
        seconds = min(int(match.group(1)), 86400) if match else 1800
        depth = request.header("Depth", "infinity")
        self.locks[path] = (token, time.time() + seconds, owner, depth)
        d = "D" if self.kind == "plain" else "d"
        root = self.href(base, path, bool(node and node.is_folder))
        text = (
            f'<?xml version="1.0" encoding="utf-8"?>\n<{d}:prop xmlns:{d}="DAV:"><{d}:lockdiscovery><{d}:activelock>'
            f"<{d}:lockscope><{d}:exclusive/></{d}:lockscope><{d}:locktype><{d}:write/></{d}:locktype>"
            f"<{d}:depth>{depth}</{d}:depth><{d}:owner>{escape(owner)}</{d}:owner>"
            f"<{d}:timeout>Second-{seconds}</{d}:timeout>"
            f"<{d}:locktoken><{d}:href>{token}</{d}:href></{d}:locktoken>"
            f"<{d}:lockroot><{d}:href>{escape(root)}</{d}:href></{d}:lockroot>"
            f"</{d}:activelock></{d}:lockdiscovery></{d}:prop>\n")
        return Answer(
            200 if node or held else 201, [("Lock-Token", f"<{token}>")], text, "application/xml; charset=utf-8")

    def do_unlock(self, request, path, node, base):
        given = self.tokens(request)
        if not given:
            raise Refusal(400, "No lock token was supplied")
        if path in self.locks and self.locks[path][0] in given:
            del self.locks[path]
            return Answer(204)
        raise Refusal(409, "The locktoken supplied does not match any locks on this entity",
                      SABRE + "LockTokenMatchesRequestUri")
