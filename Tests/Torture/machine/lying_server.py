"""An S3 and WebDAV server in memory that can be told to lie. It checks no signature and no password.

As WebDAV it keeps the SHA-1 that an upload brings in OC-Checksum, as Nextcloud does."""

import hashlib
import threading
import time
import urllib.parse
import zlib
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape


class LyingServer:
    def __init__(self, protocol):
        self.protocol, self.lie = protocol, None
        # Whoever only looks at a small file that it stored itself finds it honest.
        self.is_sly = False
        self.files, self.folders = {}, {"/"}
        # What is said of files: size, MD5 and SHA-1. Whoever reads them gets what is there.
        self.claims = {}
        self.lock = threading.Lock()
        self.told, self.requests, self.previous = set(), 0, "/nothing"
        outer = self

        class Handler(_Handler):
            server_of_lies = outer

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self.lie = None
        self.server.shutdown()
        self.server.server_close()

    def claim(self, name):
        return (self.claims.get(name) if self.lie else None) or claim(self.files[name])

    def remove(self, name):
        self.claims.pop(name, None)
        return self.files.pop(name, None)

    def first_time(self, key):
        with self.lock:
            fresh = key not in self.told
            self.told.add(key)
            return fresh


def claim(data):
    return len(data), hashlib.md5(data).hexdigest(), hashlib.sha1(data).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_lies = None

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass
        self.close_connection = True

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    # Reading

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            data = b""
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                data += self.rfile.read(size)
                self.rfile.readline()
                if not size:
                    return data
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    @property
    def name(self):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        return path.rstrip("/") or "/"

    # Answering

    def say(self, status, data=b"", headers=(), head=False, length=None):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        if not head:
            self.wfile.write(data)

    def drop(self):
        self.close_connection = True
        self.connection.close()
        raise OSError("dropped")

    def answer(self):
        state = self.server_of_lies
        state.requests += 1
        lie = state.lie
        is_store = self.command == "PUT"
        if lie == "answers before the end" and is_store:
            self.close_connection = True
            return self.say(201, headers=[("ETag", '"0"')])
        body = self.body()
        if lie in ("endless headers", "endless body", "drips", "gzip bomb", "entity bomb", "endless continue", "page",
                   "redirects in circles", "cuts answers short", "garbage", "answers twice"):
            if getattr(self, "lie_" + lie.replace(" ", "_"))(body):
                return None
        if lie == "answers to another request" and self.command in ("GET", "HEAD", "PROPFIND"):
            current, state.previous = self.name, state.previous
            name = state.previous
            state.previous = current
        else:
            name = self.name
        return (self.s3 if state.protocol == "s3" else self.dav)(name, body)

    # Lies about the answer as such

    def lie_endless_headers(self, _):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        line = b"X-More: " + b"m" * 1000 + b"\r\n"
        while self.server_of_lies.lie == "endless headers":
            self.wfile.write(line * 64)
        return True

    def lie_endless_body(self, _):
        self.wfile.write(b"HTTP/1.1 207 Multi-Status\r\nContent-Type: application/xml\r\nTransfer-Encoding: chunked\r\n\r\n")
        piece = b"<?xml version='1.0'?><a>" + b"<b>mmmmmmmm</b>" * 4000
        chunk = b"%x\r\n" % len(piece) + piece + b"\r\n"
        while self.server_of_lies.lie == "endless body":
            self.wfile.write(chunk)
        return True

    def lie_drips(self, _):
        for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"m" * 100_000:
            if self.server_of_lies.lie != "drips":
                break
            self.wfile.write(bytes([byte]))
            time.sleep(0.5)
        return True

    def lie_gzip_bomb(self, body):
        if self.command not in ("GET", "PROPFIND", "PUT", "OPTIONS"):
            return False
        self.say(207 if self.command == "PROPFIND" else 200, bomb(),
                 [("Content-Encoding", "gzip"), ("Content-Type", "application/xml")])
        return True

    def lie_entity_bomb(self, _):
        if self.command in ("HEAD", "PUT"):
            return False
        entities = "".join(f'<!ENTITY e{n} "{"&e%d;" % (n - 1) * 10}">' for n in range(1, 10))
        text = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "boom">{entities}]><multistatus xmlns="DAV:"><response><href>&e9;</href></response></multistatus>'
        self.say(207 if self.command == "PROPFIND" else 200, text.encode(), [("Content-Type", "application/xml")])
        return True

    def lie_endless_continue(self, _):
        while self.server_of_lies.lie == "endless continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\nX-Wait: more\r\n\r\n" * 100)
        return True

    def lie_page(self, _):
        self.say(200, b"<!DOCTYPE html><html><head><title>Welcome</title></head><body>Please log in</body></html>",
                 [("Content-Type", "text/html")], head=self.command == "HEAD")
        return True

    def lie_redirects_in_circles(self, _):
        self.say(307, headers=[("Location", self.path)])
        return True

    def lie_cuts_answers_short(self, _):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nETag: \"0\"\r\nContent-Length: 5000\r\n\r\nhalf")
        self.close_connection = True
        return True

    def lie_garbage(self, _):
        self.wfile.write(hashlib.sha512(self.path.encode()).digest() * 50)
        self.close_connection = True
        return True

    def lie_answers_twice(self, _):
        """A second answer that nobody asked for follows the first."""
        if self.command != "PUT":
            return False
        self.wfile.write(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nETag: \"0\"\r\nContent-Length: 0\r\n\r\n")
        return True

    # Lies about what is stored

    def keep(self, name, body):
        """Stores as the lie has it.

        Returns what is claimed of it; `None` when no answer is to be given."""
        state = self.server_of_lies
        lie = None if state.is_sly and len(body) < 10_000 else state.lie
        if lie == "stores nothing":
            return claim(body)
        stored = {"stores less": body[:len(body) // 2], "stores less and says all": body[:len(body) // 2],
                  "stores other bytes": bytes(len(body))}.get(lie, body)
        state.files[name] = stored
        claimed = {"stores less and says all": claim(body), "names another digest": (len(body), *claim(b"another")[1:]),
                   }.get(lie, claim(stored))
        state.claims[name] = claimed
        if lie == "stores and says 500" and state.first_time(("500", len(body))):
            self.say(500)
            return None
        if lie == "stores and says nothing" and state.first_time(("lost", len(body))):
            self.drop()
        return claimed

    # The protocols

    def s3(self, name, body):
        state = self.server_of_lies
        query = urllib.parse.urlsplit(self.path).query
        date = [("Last-Modified", formatdate(time.time(), usegmt=True))]
        if "uploads" in query or "uploadId" in query:
            return self.say(501, b"<Error><Code>NotImplemented</Code></Error>")
        if self.command == "PUT":
            if name.count("/") < 2:
                return self.say(200)
            if self.headers.get("If-None-Match") == "*" and name in state.files:
                return self.say(412, b"<Error><Code>PreconditionFailed</Code></Error>")
            claimed = self.keep(name, body)
            if claimed is None:
                return None
            # Of nothing that is stored, an answer with the right ETag would be proof.
            return self.say(200, headers=[("ETag", f'"{claimed[1]}"')] if state.lie != "stores nothing" else [])
        if self.command == "DELETE":
            state.remove(name)
            return self.say(204)
        if name.count("/") < 2:
            keys = "".join(
                f"<Contents><Key>{escape(key.split('/', 2)[2])}</Key><Size>{state.claim(key)[0]}</Size></Contents>"
                for key in state.files)
            return self.say(
                200, f"<ListBucketResult><IsTruncated>false</IsTruncated>{keys}</ListBucketResult>".encode(),
                head=self.command == "HEAD")
        if name not in state.files:
            return self.say(404, b"<Error><Code>NoSuchKey</Code></Error>", head=self.command == "HEAD")
        size, md5, _ = state.claim(name)
        is_head = self.command == "HEAD"
        return self.say(200, state.files[name], [("ETag", f'"{md5}"'), *date], is_head, size if is_head else None)

    def dav(self, name, body):
        state, command = self.server_of_lies, self.command
        parent = name.rsplit("/", 1)[0] or "/"
        if command == "OPTIONS":
            return self.say(200, headers=[("DAV", "1"), ("Allow", "OPTIONS, GET, HEAD, PUT, DELETE, MKCOL, MOVE, PROPFIND")])
        if command == "PROPFIND":
            return self.properties(name)
        if command == "MKCOL":
            if name in state.folders or name in state.files:
                return self.say(405)
            if parent not in state.folders:
                return self.say(409)
            state.folders.add(name)
            return self.say(201)
        if command == "PUT":
            if parent not in state.folders:
                return self.say(409)
            if self.headers.get("Content-Range"):
                return self.say(501)
            if self.headers.get("If-None-Match") == "*" and name in state.files:
                return self.say(412)
            was_there = name in state.files
            return None if self.keep(name, body) is None else self.say(204 if was_there else 201)
        if command == "MOVE":
            target = urllib.parse.unquote(urllib.parse.urlsplit(self.headers["Destination"]).path).rstrip("/")
            if target in state.files and self.headers.get("Overwrite", "T") == "F":
                return self.say(412)
            if state.lie == "stores nothing":
                return self.say(201)
            if name not in state.files:
                return self.say(404)
            if name in state.claims:
                state.claims[target] = state.claims[name]
            state.files[target] = state.remove(name)
            if state.lie == "stores and says nothing" and state.first_time(("move", target)):
                self.drop()
            return self.say(201)
        if command == "DELETE":
            gone = [path for path in (*state.files, *state.folders) if path == name or path.startswith(name + "/")]
            for path in gone:
                state.remove(path)
                state.folders.discard(path)
            return self.say(204 if gone else 404)
        if command in ("GET", "HEAD"):
            if name not in state.files:
                return self.say(404, head=command == "HEAD")
            is_head = command == "HEAD"
            return self.say(200, state.files[name], (), is_head, state.claim(name)[0] if is_head else None)
        return self.say(405)

    def properties(self, name):
        state = self.server_of_lies
        if name not in state.folders and name not in state.files:
            return self.say(404)
        found = [name]
        if self.headers.get("Depth") == "1" and name in state.folders:
            prefix = name.rstrip("/") + "/"
            found += [path for path in (*state.files, *state.folders)
                      if path.startswith(prefix) and path != name and "/" not in path[len(prefix):]]
        answers = ""
        for path in found:
            is_folder = path in state.folders
            if is_folder:
                kind = "<resourcetype><collection/></resourcetype>"
            else:
                size, _, sha1 = state.claim(path)
                kind = (f"<resourcetype/><getcontentlength>{size}</getcontentlength><checksums xmlns='http://owncloud.org/ns'>"
                        f"<checksum>SHA1:{sha1}</checksum></checksums>")
            href = urllib.parse.quote(path + ("/" if is_folder and path != "/" else ""))
            answers += (f"<response><href>{href}</href><propstat><prop>{kind}</prop>"
                        "<status>HTTP/1.1 200 OK</status></propstat></response>")
        return self.say(207, f'<?xml version="1.0"?><multistatus xmlns="DAV:">{answers}</multistatus>'.encode(),
                        [("Content-Type", "application/xml")])


_made = []


def bomb():
    """Half a gibibyte in half a megabyte."""
    if not _made:
        packer = zlib.compressobj(6, zlib.DEFLATED, 31)
        pieces = [packer.compress(b"<?xml version='1.0'?><multistatus xmlns='DAV:'>")]
        piece = b"<response></response>" * 50_000
        pieces += [packer.compress(piece) for _ in range(500)]
        _made.append(b"".join(pieces) + packer.flush())
    return _made[0]
