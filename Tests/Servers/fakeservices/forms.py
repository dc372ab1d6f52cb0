"""Bodies as services take them: JSON, forms, and multipart forms whose files may be large."""
import base64
import hashlib
import json
import mmap
import os
import tempfile
import urllib.parse
from email.message import Message

from fakecloud.answers import Gone
from fakecloud.connection import ShortBody


class BadForm(Exception):
    """The body is not what its type says."""


class Bytes:
    """Bytes that came, in a file that is gone when nobody holds this any more."""

    def __init__(self, memory, start, end):
        self.memory = memory
        self.start = start
        self.end = end

    def __len__(self):
        return self.end - self.start

    def digest(self, name):
        digest = hashlib.new(name)
        for at in range(self.start, self.end, 1 << 20):
            digest.update(self.memory[at:min(at + (1 << 20), self.end)])
        return digest.digest()

    def hex(self, name="sha256"):
        return self.digest(name).hex()

    def all(self):
        return bytes(self.memory[self.start:self.end])

    def head(self, count=16):
        return bytes(self.memory[self.start:min(self.start + count, self.end)])

    def find(self, text, start):
        return self.memory.find(text, start, self.end)

    def text(self):
        return self.all().decode("utf-8", "surrogateescape")

    def dropbox_hash(self):
        blocks = b"".join(
            hashlib.sha256(self.memory[at:min(at + (4 << 20), self.end)]).digest()
            for at in range(self.start, self.end, 4 << 20))
        return hashlib.sha256(blocks).hexdigest()


def read(request, folder, keep=None):
    """All of a request's body. Of one that breaks off, `keep` is told what came."""
    handle, path = tempfile.mkstemp(dir=folder)
    os.close(handle)

    def saved():
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            return Bytes(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b"", 0, size)

    try:
        request.body.save(path)
        return saved()
    except (Gone, ShortBody, OSError):
        if keep:
            keep(saved())
        raise
    finally:
        os.unlink(path)


def joined(pieces, folder):
    """Pieces one after the other."""
    handle, path = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "wb") as file:
        for piece in pieces:
            for at in range(piece.start, piece.end, 1 << 20):
                file.write(piece.memory[at:min(at + (1 << 20), piece.end)])
    try:
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            return Bytes(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b"", 0, size)
    finally:
        os.unlink(path)


class Part:
    def __init__(self, name, filename, kind, data):
        self.name = name
        self.filename = filename
        self.kind = kind
        self.data = data

    @property
    def is_file(self):
        return self.filename is not None


def parameters(value):
    """The value of a header like Content-Type, and its parameters; those in UTF-8 as they are."""
    first, *rest = split_quoted(value, ";")
    found = {}
    for one in rest:
        name, _, text = one.strip().partition("=")
        if text.startswith('"'):
            if not text.endswith('"') or len(text) < 2:
                raise BadForm(f"a quote is open in {value}")
            text = text[1:-1].replace('\\"', '"')
        found[name.lower()] = text
    return first.strip().lower(), found


def split_quoted(text, separator):
    parts, quoted, current, index = [], False, "", 0
    while index < len(text):
        character = text[index]
        if character == "\\" and quoted and index + 1 < len(text):
            current += text[index:index + 2]
            index += 2
            continue
        if character == '"':
            quoted = not quoted
        if character == separator and not quoted:
            parts.append(current)
            current = ""
        else:
            current += character
        index += 1
    return parts + [current]


def multipart(request, folder):
    """The parts of a multipart/form-data body, in the order they came (RFC 7578); every bit of its framing is checked."""
    kind, found = parameters(request.header("Content-Type", ""))
    boundary = found.get("boundary")
    if kind != "multipart/form-data" or not boundary or len(boundary) > 70:
        raise BadForm(f"it is {kind or 'nothing'}, not a multipart form")
    body = read(request, folder)
    mark = b"--" + boundary.encode()
    parts = []
    at = 0
    if body.head(len(mark)) != mark:
        raise BadForm("it does not begin with its boundary")
    while True:
        at += len(mark)
        if body.memory[at:at + 2] == b"--":
            return parts
        if body.memory[at:at + 2] != b"\r\n":
            raise BadForm("after a boundary comes no line end")
        head_end = body.find(b"\r\n\r\n", at)
        end = body.find(b"\r\n" + mark, head_end + 2)
        if head_end < 0 or end < 0:
            raise BadForm("a part has no end")
        head = Message()
        for line in body.memory[at + 2:head_end].decode("utf-8", "surrogateescape").split("\r\n"):
            name, colon, value = line.partition(":")
            if not colon:
                raise BadForm(f"a part has a header without a colon: {line}")
            head[name] = value.strip()
        disposition, fields = parameters(head.get("Content-Disposition", ""))
        if disposition != "form-data" or not fields.get("name"):
            raise BadForm("a part has no name")
        filename = fields.get("filename")
        if filename is not None:
            # As browsers write it: only what would end the text is encoded.
            for code, character in ("%22", '"'), ("%0D", "\r"), ("%0A", "\n"):
                filename = filename.replace(code, character)
        parts.append(Part(fields["name"], filename, head.get("Content-Type"), Bytes(body.memory, head_end + 4, end)))
        at = end + 2


def texts(parts):
    return {part.name: part.data.text() for part in parts if not part.is_file}


def file_part(parts, *names):
    return next((part for part in parts if part.is_file and part.name in names), None)


def form(request):
    """The fields of a form, or of an object in JSON; a list where a name ends in []. They may be asked for again."""
    if not hasattr(request, "fields_of_form"):
        request.fields_of_form = read_form(request)
    return request.fields_of_form


def read_form(request):
    kind, _ = parameters(request.header("Content-Type", ""))
    text = request.body.small()
    if kind == "application/json":
        value = json.loads(text or b"{}")
        if not isinstance(value, dict):
            raise BadForm("it is no object")
        return value
    found = {}
    for name, value in urllib.parse.parse_qsl(text.decode(), keep_blank_values=True):
        if name.endswith("[]"):
            found.setdefault(name[:-2], []).append(value)
        else:
            found[name] = value
    return found


def basic(request):
    """User and password of basic authentication, or None."""
    scheme, _, value = request.header("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        user, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except ValueError:
        return None
    return user, password


def bearer(request):
    scheme, _, value = request.header("Authorization", "").partition(" ")
    return value.strip() if scheme.lower() == "bearer" else None


SIGNATURES = [
    (b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"), (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"), (b"MM\0*", "image/tiff"), (b"BM", "image/bmp"),
]


def kind_of(data):
    """What bytes are by their beginning; None: neither a photo nor a video."""
    head = data.head(16)
    for signature, kind in SIGNATURES:
        if head.startswith(signature):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:8] == b"ftyp":
        return "image/heic" if head[8:12] in (b"heic", b"heix", b"mif1", b"msf1") else \
            "video/quicktime" if head[8:12] == b"qt  " else "video/mp4"
    if head[:4] == b"\x1a\x45\xdf\xa3":
        return "video/webm"
    return None
