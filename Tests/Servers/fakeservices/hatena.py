"""Hatena Fotolife. Source: developer.hatena.ne.jp/ja/documents/fotolife/apis/atom, /misc/apis/atom (WSSE).

Atom in XML with the photo in base64. A nonce is good for once, a Created for five minutes; the API key stays the same."""
import base64
import binascii
import hashlib
import re
import time
import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape

from fakecloud.answers import Answer

from .forms import Bytes
from .service import Refused, Service

ATOM, DC, HATENA = "{http://purl.org/atom/ns#}", "{http://purl.org/dc/elements/1.1/}", "http://www.hatena.ne.jp/info/xmlns#"


class Keys:
    def __init__(self):
        self.key = "hatena-api-key"
        self.is_good = True

    def end(self, wholly):
        self.is_good = False


class Hatena(Service):
    hosts = ["https://f.hatena.ne.jp"]
    settings = {"maxPhoto": 10 << 20, "skewSeconds": 300, "monthlyBytes": None}
    routes = [
        ("post", "POST", r"/atom/post", "post"),
        ("look", "GET", r"/atom/edit/(\d+)", "look"),
        ("remove", "DELETE", r"/atom/edit/(\d+)", "remove"),
        ("feed", "GET", r"/atom/feed", "feed"),
        ("identity", "GET", r"/atom/?", "service"),
    ]

    def __init__(self, app):
        super().__init__(app)
        self.accounts = Keys()
        self.seen = set()

    def credentials(self):
        return {"LOGIN": "alice", "API_KEY": self.accounts.key}

    def sentence(self, status, headers, message=None):
        return Answer(status, headers, message or f"{status} Error", "text/plain; charset=utf-8")

    def sign_in(self, request):
        text = request.header("X-WSSE", "")
        found = dict(re.findall(r'(\w+)="([^"]*)"', text))
        if not text.startswith("UsernameToken ") or set(found) != {"Username", "PasswordDigest", "Nonce", "Created"}:
            raise Refused(self.unauthorized("X-WSSE is missing"))
        try:
            nonce = base64.b64decode(found["Nonce"], validate=True)
            created = time.mktime(time.strptime(found["Created"], "%Y-%m-%dT%H:%M:%SZ")) - time.timezone
        except (ValueError, binascii.Error) as error:
            raise Refused(self.unauthorized("Nonce or Created is none")) from error
        made = base64.b64encode(hashlib.sha1(nonce + (found["Created"] + self.accounts.key).encode()).digest()).decode()
        if found["Username"] != "alice" or found["PasswordDigest"] != made or not self.accounts.is_good:
            raise Refused(self.unauthorized("PasswordDigest is wrong"))
        if abs(created - time.time()) > self.setting("skewSeconds"):
            raise Refused(self.unauthorized("Created is too old"))
        with self.lock:
            if (found["Nonce"], found["Created"]) in self.seen:
                raise Refused(self.unauthorized("Nonce was used"))
            self.seen.add((found["Nonce"], found["Created"]))

    def unauthorized(self, message):
        return self.sentence(401, [("WWW-Authenticate", 'WSSE profile="UsernameToken"')], message)

    def xml(self, status, text, headers=()):
        return Answer(status, headers, '<?xml version="1.0" encoding="utf-8"?>\n' + text, "application/x.atom+xml; charset=utf-8")

    def service(self, request):
        self.sign_in(request)
        return self.xml(200, (
            '<feed xmlns="http://purl.org/atom/ns#">'
            f'<link rel="service.post" type="application/x.atom+xml" href="{request.origin()}/atom/post" title="post"/>'
            f'<link rel="service.feed" type="application/x.atom+xml" href="{request.origin()}/atom/feed" title="feed"/>'
            "</feed>"))

    def post(self, request):
        self.sign_in(request)
        if not request.header("Content-Type", "").startswith(("application/xml", "application/x.atom+xml", "text/xml")):
            raise Refused(self.sentence(400, [], "The content is no Atom"))
        body = self.read(request)
        try:
            entry = ET.fromstring(body.all())
        except ET.ParseError as error:
            raise Refused(self.sentence(400, [], f"Bad XML: {error}")) from error
        content = entry.find(ATOM + "content")
        if entry.tag != ATOM + "entry" or content is None or content.get("mode") != "base64" or not content.get("type"):
            raise Refused(self.sentence(400, [], "There is no content in base64"))
        try:
            raw = base64.b64decode((content.text or "").replace("\n", "").strip(), validate=True)
        except binascii.Error as error:
            raise Refused(self.sentence(400, [], "The content is no base64")) from error
        data = Bytes(raw, 0, len(raw))
        if not raw or self.is_refused_type(data, ["image/jpeg", "image/png", "image/gif", "image/bmp"]):
            raise Refused(self.sentence(400, [], "The content is no image"))
        if self.too_large(data, "image/"):
            raise Refused(self.sentence(413, [], "The image is too large"))
        with self.lock:
            most = self.setting("monthlyBytes")
            if most is not None and sum(item["size"] for item in self.items.values()) + len(raw) > most:
                raise Refused(self.sentence(403, [], "The space of this month is used up"))
            id = f"2026112112{self.number():04d}"
            item = self.keep(
                id, data, title=entry.findtext(ATOM + "title", ""), folder=entry.findtext(DC + "subject", ""),
                generator=entry.findtext(ATOM + "generator", ""))
            if item["folder"]:
                album = self.albums.setdefault(item["folder"], {"id": item["folder"], "title": item["folder"], "items": []})
                album["items"].append(id)
        return self.xml(201, self.shown(item, request), [("Location", f"{request.origin()}/atom/edit/{id}")])

    def shown(self, item, request):
        id = item["id"]
        return (
            f'<entry xmlns="http://purl.org/atom/ns#" xmlns:hatena="{HATENA}" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f'<title>{escape(item["title"])}</title>'
            f'<link rel="alternate" type="text/html" href="http://f.hatena.ne.jp/alice/{id}"/>'
            f'<link rel="service.edit" type="application/x.atom+xml" href="{request.origin()}/atom/edit/{id}" title="edit"/>'
            f"<issued>2026-11-21T12:00:00+09:00</issued><author><name>alice</name></author>"
            f'<dc:subject>{escape(item["folder"])}</dc:subject>'
            f"<id>tag:hatena.ne.jp,2005:fotolife-alice-{id}</id>"
            f"<hatena:imageurl>http://img.f.hatena.ne.jp/images/fotolife/a/alice/20261121/{id}.jpg</hatena:imageurl>"
            f"<hatena:syntax>f:id:alice:{id}j:image</hatena:syntax></entry>")

    def look(self, request, id):
        self.sign_in(request)
        with self.lock:
            if id not in self.items:
                raise Refused(self.sentence(404, [], "Not Found"))
            return self.xml(200, self.shown(self.items[id], request))

    def remove(self, request, id):
        self.sign_in(request)
        with self.lock:
            if self.items.pop(id, None) is None:
                raise Refused(self.sentence(404, [], "Not Found"))
        return Answer(200, [], "", "text/plain")

    def feed(self, request):
        self.sign_in(request)
        with self.lock:
            entries = "".join(self.shown(item, request) for item in reversed(self.items.values()))
        return self.xml(200, f'<feed xmlns="http://purl.org/atom/ns#"><title>alice</title>{entries}</feed>')
