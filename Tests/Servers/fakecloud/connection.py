"""One connection: requests in, bodies to disk, answers out, and the faults that strike on the way."""
import hashlib
import http.server
import os
import socket
import ssl
import struct
import time
import urllib.parse
import zlib

from .answers import Answer, Gone, Refusal, page, refusal_answer

BLOCK = 256 * 1024


class Adler32:
    def __init__(self):
        self.value = 1

    def update(self, data):
        self.value = zlib.adler32(data, self.value)

    def hexdigest(self):
        return f"{self.value:08x}"


def hasher(name):
    return Adler32() if name == "adler32" else hashlib.new(name)


class ShortBody(Exception):
    """The client ended before all that it announced had come."""

    def __init__(self, expected, count):
        super().__init__(expected, count)
        self.expected = expected
        self.count = count


class Body:
    """A request's body, read once and never whole in memory."""

    def __init__(self, handler):
        self.handler = handler
        headers = handler.headers
        self.is_chunked = "chunked" in headers.get("Transfer-Encoding", "").lower()
        length = headers.get("Content-Length")
        self.length = None if self.is_chunked else int(length) if length and length.isdigit() else 0
        self.expects = headers.get("Expect", "").lower() == "100-continue"
        self.count = 0
        self.is_read = not self.is_chunked and self.length == 0
        self.cut = None

    @property
    def is_unread(self):
        return not self.is_read

    def blocks(self):
        if self.is_read:
            return
        self.is_read = True
        if self.expects:
            self.handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        yield from self._chunks() if self.is_chunked else self._plain(self.length)

    def _plain(self, left):
        expected = left
        buffer = memoryview(bytearray(min(BLOCK, max(left, 1))))
        while left:
            most = min(left, len(buffer))
            if self.cut is not None:
                most = min(most, self.cut - self.count)
                if most <= 0:
                    raise Gone()
            # `read1` of what is there, so that a cut strikes at its byte.
            got = self.handler.rfile.readinto1(buffer[:most])
            if not got:
                raise ShortBody(expected, expected - left)
            left -= got
            self.count += got
            self.handler.app.count(got)
            yield buffer[:got]
        if self.cut is not None and self.count >= self.cut:
            raise Gone()

    def _chunks(self):
        while True:
            line = self.handler.rfile.readline(1024)
            if not line.endswith(b"\n"):
                raise ShortBody(-1, self.count)
            size = int(line.split(b";")[0], 16)
            if not size:
                while self.handler.rfile.readline(8192).strip():
                    pass
                return
            yield from self._plain(size)
            self.handler.rfile.readline(16)

    def save(self, path, hashes=(), offset=None):
        """Writes it to a file; returns the digests that were asked for, in hex, and how many bytes came.

        With an offset, into a file that is there. On a short body what came stays there.
        """
        digests = {name: hasher(name) for name in hashes}
        start = self.count
        with open(path, "wb" if offset is None else "r+b", buffering=0) as file:
            if offset is not None:
                file.seek(offset)
            for block in self.blocks():
                view = block
                while view:
                    view = view[file.write(view):]
                for digest in digests.values():
                    digest.update(block)
        return {name: digest.hexdigest() for name, digest in digests.items()}, self.count - start

    def small(self, limit=1 << 20):
        parts, total = [], 0
        for block in self.blocks():
            total += len(block)
            if total > limit:
                raise Refusal(413, "The request is too large", close=True)
            parts.append(bytes(block))
        return b"".join(parts)

    def drain(self):
        for _ in self.blocks():
            pass


class Request:
    def __init__(self, handler):
        self.method = handler.command
        self.target = handler.path
        self.headers = handler.headers
        parts = urllib.parse.urlsplit(handler.path) if handler.path.startswith("http") else None
        path, _, self.query = (parts.path + "?" + parts.query if parts else handler.path).partition("?")
        self.raw_path = path
        self.path = urllib.parse.unquote(path, errors="surrogateescape")
        self.body = Body(handler)
        self.handler = handler
        self.user = None
        # With which the user signed in, where it was one.
        self.app_password = None

    def header(self, name, default=None):
        return self.headers.get(name, default)

    def parameters(self):
        return dict(urllib.parse.parse_qsl(self.query, keep_blank_values=True))

    def origin(self):
        is_secure = isinstance(self.handler.connection, ssl.SSLSocket)
        scheme = self.header("X-Forwarded-Proto", "https" if is_secure else "http")
        return f"{scheme}://{self.header('Host', 'localhost')}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    rbufsize = BLOCK
    app = None

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.serve
        raise AttributeError(name)

    def log_message(self, *_):
        pass

    def handle_expect_100(self):
        # The body says it when it is read, so that who is refused before is not asked for it.
        return True

    def handle(self):
        try:
            super().handle()
        except (ConnectionError, Gone, TimeoutError):
            pass

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass

    def serve(self):
        request = Request(self)
        app = self.app
        if app.is_control(request):
            self.reply(request, app.control(request))
            return
        fault = app.plan.take(request.method, app.fault_path(request), request.headers)
        entry = app.note_request(request, fault)
        status = 0
        try:
            answer = self.answer(request, fault)
            if fault and fault["commitAndDrop"]:
                raise Gone()
            # Noted before it is sent: who has the answer can read the note.
            status = answer.status
            app.note_answer(entry, request, status)
            self.reply(request, answer, fault and fault["cutAnswerAfter"])
        except (Gone, BrokenPipeError, ConnectionError):
            app.note_answer(entry, request, status)
            self.reset()

    def answer(self, request, fault):
        app = self.app
        try:
            if fault:
                if fault["hold"]:
                    app.hold(fault["hold"])
                if fault["expireTokens"]:
                    app.expire_tokens()
                request.body.cut = fault["cutAfterBodyBytes"]
                if fault["status"] and not fault["after"]:
                    return self.ordered(fault)
            answer = app.handle(request)
        except Refusal as refusal:
            if refusal.close:
                self.close_connection = True
            answer = refusal_answer(refusal, app.options.kind)
        except ShortBody as short:
            self.close_connection = True
            request.body.is_read = True
            answer = refusal_answer(app.short_body(short), app.options.kind)
        except OSError as error:
            if isinstance(error, (ConnectionError, TimeoutError)):
                raise
            full = error.errno in (28, 122)  # ENOSPC, EDQUOT
            answer = refusal_answer(
                Refusal(507 if full else 500, os.strerror(error.errno or 5)), app.options.kind)
        if fault and fault["status"] and fault["after"]:
            return self.ordered(fault)
        return answer

    def ordered(self, fault):
        status = fault["status"]
        headers = list((fault["headers"] or {}).items())
        body = fault["body"]
        if body is not None:
            return Answer(status, headers, body)
        if status in (408, 413, 499, 502, 504):
            return page(status, headers)
        if status < 400:
            return Answer(status, headers)
        return self.app.ordered(status, headers)

    def reply(self, request, answer, cut=None):
        body = request.body
        if body.is_unread:
            if body.expects:
                # Whether the body comes nobody knows.
                self.close_connection = True
            elif not self.close_connection:
                body.cut = None
                try:
                    body.drain()
                except ShortBody:
                    self.close_connection = True
        head = [f"HTTP/1.1 {answer.status} {self.responses.get(answer.status, ('Unknown',))[0]}"]
        names = {name.lower() for name, _ in answer.headers}
        if "date" not in names:
            head.append("Date: " + self.date_time_string())
        for name, value in self.app.common_headers(request):
            if name.lower() not in names:
                head.append(f"{name}: {value}")
        head += [f"{name}: {value}" for name, value in answer.headers]
        if "content-length" not in names and answer.status not in (204, 304) and answer.status >= 200:
            head.append(f"Content-Length: {answer.length}")
        if self.close_connection:
            head.append("Connection: close")
        text = ("\r\n".join(head) + "\r\n\r\n").encode("utf-8", "surrogateescape")
        has_body = request.method != "HEAD" and answer.status not in (204, 304)
        if cut is not None:
            self.wfile.write(text + (answer.body[:cut] if has_body and not answer.file else b""))
            raise Gone()
        self.wfile.write(text + answer.body if has_body and not answer.file else text)
        if has_body and answer.file:
            path, offset, left = answer.file
            with open(path, "rb") as file:
                file.seek(offset)
                while left > 0 and (block := file.read(min(BLOCK, left))):
                    self.wfile.write(block)
                    left -= len(block)
        if self.close_connection:
            self.linger(body)

    def linger(self, body):
        """Ends after the other side has read the answer: reads on for a moment, as nginx does."""
        if not body.is_unread:
            return
        try:
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(5)
            until = time.monotonic() + 30
            while self.connection.recv(BLOCK) and time.monotonic() < until:
                pass
        except OSError:
            pass

    def reset(self):
        self.close_connection = True
        try:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        except OSError:
            pass
