"""Imgur, API 3. Sources: apidocs.imgur.com; PicGo/PicGo-Core#195, ShareX/ShareX#8014 (closed to new applications).

With the Client-ID alone uploads are anonymous; albums of an account need its token."""
import time

from . import forms
from .oauth2 import Accounts
from .service import Refused, Service, json_answer


class Imgur(Service):
    hosts = ["https://api.imgur.com"]
    settings = {"maxPhoto": 20 << 20, "maxVideo": 200 << 20}
    routes = [
        ("authorize", "GET", r"/oauth2/authorize", "authorize"),
        ("token", "POST", r"/oauth2/token", "token"),
        ("identity", "GET", r"/3/account/me", "me"),
        ("image", "POST", r"/3/(?:image|upload)", "image"),
        ("look", "GET", r"/3/image/([^/]+)", "look"),
        ("remove", "DELETE", r"/3/image/([^/]+)", "remove"),
        ("albums", "GET", r"/3/account/me/albums(?:/(\d+))?", "list_albums"),
        ("album", "POST", r"/3/album", "create_album"),
        ("add", "POST", r"/3/album/([^/]+)/add", "add"),
    ]

    def __init__(self, app):
        super().__init__(app)
        self.accounts = Accounts(
            self, life=2419200, client_auth="post",
            extra=lambda: {"account_id": 5, "account_username": "alice", "scope": None})

    def credentials(self):
        return self.accounts.credentials()

    def common_headers(self, request):
        return [("X-RateLimit-UserLimit", "500"), ("X-RateLimit-UserRemaining", "499"),
                ("X-RateLimit-UserReset", str(int(time.time()) + 3600)), ("X-RateLimit-ClientLimit", "12500"),
                ("X-RateLimit-ClientRemaining", "12499")]

    def sentence(self, status, headers, message=None):
        headers = list(headers)
        if status == 429:
            headers += [("X-Post-Rate-Limit-Remaining", "0"), ("X-Post-Rate-Limit-Reset", str(self.setting("wait")))]
        words = message or {401: "The access token provided is invalid.", 429: "Too Many Requests",
                            403: "The client is not permitted", 404: "Unable to find an image with the id"}.get(status, "Error")
        return json_answer(status, {"data": {"error": words, "request": "/3/image", "method": "POST"},
                                    "success": False, "status": status}, headers)

    def not_found(self, request):
        return self.sentence(404, [])

    def ok(self, data):
        return json_answer(200, {"data": data, "success": True, "status": 200})

    def sign_in(self, request, anonymous=False):
        scheme, _, value = request.header("Authorization", "").partition(" ")
        if anonymous and scheme == "Client-ID":
            if value != self.accounts.client_id:
                raise Refused(self.sentence(403, [], "Invalid client_id"))
            return False
        self.accounts.check(request, lambda why: self.sentence(
            401 if why == "missing" else 403, [],
            "Authentication required" if why == "missing" else "The access token provided is invalid."))
        return True

    def authorize(self, request):
        return self.accounts.authorize(request)

    def token(self, request):
        return self.accounts.token(request)

    def me(self, request):
        self.sign_in(request)
        return self.ok({"id": 5, "url": "alice"})

    def image(self, request):
        owned = self.sign_in(request, anonymous=True)
        parts = self.multipart(request)
        fields = forms.texts(parts)
        part = forms.file_part(parts, "image", "video")
        if part is None or not len(part.data):
            raise Refused(self.sentence(400, [], "No image data was sent to the upload api"))
        if fields.get("type", "file") not in ("file", "image", "raw"):
            raise Refused(self.sentence(400, [], "Invalid type"))
        if self.is_refused_type(part.data):
            raise Refused(self.sentence(400, [], "File type invalid (1)"))
        if part.name == "image" and self.is_video(part.data, part.kind):
            raise Refused(self.sentence(400, [], "File type invalid (1)"))
        if self.too_large(part.data, part.kind):
            raise Refused(self.sentence(400, [], "File is over the size limit"))
        with self.lock:
            album = fields.get("album")
            if album and album not in self.albums:
                raise Refused(self.sentence(403, [], "You do not have access to this album"))
            number = self.number()
            id = f"orunST{number}"
            self.keep(id, part.data, name=part.filename, title=fields.get("title", ""),
                      caption=fields.get("description", ""), _deletehash=f"x70po4w7BVvSUzZ{number}", owned=owned)
            if album:
                self.albums[album]["items"].append(id)
            return self.ok(self.shown(self.items[id]))

    def shown(self, item):
        return {"id": item["id"], "title": item["title"] or None, "description": item["caption"] or None,
                "type": item["mime"], "size": item["size"], "deletehash": item["_deletehash"],
                "link": f"https://i.imgur.com/{item['id']}.jpg"}

    def look(self, request, id):
        self.sign_in(request, anonymous=True)
        with self.lock:
            if id not in self.items:
                raise Refused(self.sentence(404, []))
            return self.ok(self.shown(self.items[id]))

    def remove(self, request, id):
        self.sign_in(request, anonymous=True)
        with self.lock:
            found = next((key for key, item in self.items.items() if id in (key, item["_deletehash"])), None)
            if found is None:
                raise Refused(self.sentence(404, []))
            del self.items[found]
        return self.ok(True)

    def list_albums(self, request, page):
        self.sign_in(request)
        at = int(page or 0) * 50
        with self.lock:
            found = self.listed_albums()[at:at + 50]
            return self.ok([{"id": one["id"], "title": one["title"], "images_count": len(one["items"])} for one in found])

    def create_album(self, request):
        self.sign_in(request, anonymous=True)
        fields = forms.form(request)
        with self.lock:
            id = f"lDRB{self.number()}"
            self.albums[id] = {"id": id, "title": fields.get("title"), "items": [], "_deletehash": f"d{id}"}
            return self.ok({"id": id, "deletehash": f"d{id}"})

    def add(self, request, id):
        self.sign_in(request)
        ids = forms.form(request).get("ids", [])
        with self.lock:
            if id not in self.albums or not all(one in self.items for one in ids):
                raise Refused(self.sentence(403, [], "You do not have access to this album"))
            self.albums[id]["items"] += [one for one in ids if one not in self.albums[id]["items"]]
        return self.ok(True)
