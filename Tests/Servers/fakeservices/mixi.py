"""mixi Graph API, photos. Source: developer.mixi.co.jp/connect/mixi_graph_api/mixi_io_spec_top/photo-api (documentation only;
nobody could say whether it still takes photos). An access token lives for fifteen minutes, a code for three.

The body of an upload is the image itself, with its own type; the title is in the query."""
from . import forms
from .oauth2 import Accounts
from .service import Refused, Service, json_answer


class Mixi(Service):
    hosts = ["https://mixi.jp", "https://secure.mixi-platform.com", "https://api.mixi-platform.com"]
    settings = {"maxPhoto": 10 << 20}
    routes = [
        ("authorize", "GET", r"/connect_authorize\.pl", "authorize"),
        ("token", "POST", r"/2/token", "token"),
        ("identity", "GET", r"/2/people/@me/@self", "me"),
        ("albums", "GET", r"/2/photo/albums/@me/@self", "list_albums"),
        ("album", "POST", r"/2/photo/albums/@me/@self", "create_album"),
        ("photo", "POST", r"/2/photo/mediaItems/@me/@self/([^/]+)", "upload"),
        ("look", "GET", r"/2/photo/mediaItems/@me/@self/([^/]+)/([^/]+)", "look"),
        ("remove", "DELETE", r"/2/photo/mediaItems/@me/@self/([^/]+)/([^/]+)", "remove"),
    ]

    def __init__(self, app):
        super().__init__(app)
        self.accounts = Accounts(
            self, life=900, rotates=True, client_auth="post", code_life=180, scopes="r_photo w_photo r_profile")
        # Programs without a server of their own register this page, at whichever host the stand-in has for mixi.jp.
        self.accounts.redirect = "https://mixi.jp/connect_authorize_success.html"
        self.accounts.knows = lambda redirect, client: redirect.endswith("/connect_authorize_success.html")
        self.albums["@default"] = {"id": "@default", "title": "", "items": []}

    def credentials(self):
        return self.accounts.credentials()

    def sentence(self, status, headers, message=None):
        headers = list(headers)
        if status == 401:
            headers.append(("WWW-Authenticate", "OAuth error='expired_token'"))
        return json_answer(status, {"error": message or {401: "expired_token"}.get(status, "error")}, headers)

    def sign_in(self, request, scope):
        scheme, _, token = request.header("Authorization", "").partition(" ")
        if scheme != "OAuth":
            raise Refused(json_answer(401, {"error": "invalid_request"}, [("WWW-Authenticate", "OAuth error='invalid_request'")]))
        request.headers.replace_header("Authorization", "Bearer " + token)
        granted = self.accounts.check(request, lambda why: json_answer(
            401, {"error": f"{why}_token"}, [("WWW-Authenticate", f"OAuth error='{why}_token'")]))
        if scope not in granted:
            raise Refused(self.sentence(403, [], "insufficient_scope"))

    def authorize(self, request):
        return self.accounts.authorize(request)

    def token(self, request):
        return self.accounts.token(request)

    def me(self, request):
        self.sign_in(request, "r_profile")
        return json_answer(200, {"entry": {"id": "ua9xyz", "displayName": "alice"}})

    def list_albums(self, request):
        self.sign_in(request, "r_photo")
        query = request.parameters()
        at, count = int(query.get("startIndex", 0)), min(int(query.get("count", 20)), 100)
        with self.lock:
            found = [one for one in self.listed_albums() if one["id"] != "@default"]
            return json_answer(200, {
                "entry": [{"id": one["id"], "title": one["title"], "numMediaItems": len(one["items"])}
                          for one in found[at:at + count]],
                "startIndex": at, "itemsPerPage": count, "totalResults": len(found)})

    def create_album(self, request):
        self.sign_in(request, "w_photo")
        fields = forms.form(request)
        if not fields.get("title") or len(fields["title"]) > 50:
            raise Refused(self.sentence(400, [], "title"))
        with self.lock:
            id = str(500 + self.number())
            self.albums[id] = {"id": id, "title": fields["title"], "items": []}
            return json_answer(201, {"id": id})

    def upload(self, request, album):
        self.sign_in(request, "w_photo")
        kind = request.header("Content-Type", "")
        if kind not in ("image/jpeg", "image/png", "image/gif"):
            raise Refused(self.sentence(400, [], "Content-Type"))
        data = self.read(request)
        if not len(data) or self.is_refused_type(data, ["image/jpeg", "image/png", "image/gif"]):
            raise Refused(self.sentence(400, [], "image"))
        if self.too_large(data, "image/"):
            raise Refused(self.sentence(413, [], "too large"))
        with self.lock:
            if album not in self.albums:
                raise Refused(self.sentence(404, [], "album"))
            id = str(900 + self.number())
            self.keep(id, data, title=request.parameters().get("title", ""), album=album)
            self.albums[album]["items"].append(id)
        return json_answer(201, {"id": id})

    def item(self, album, id):
        found = self.items.get(id)
        if found is None or found["album"] != album:
            raise Refused(self.sentence(404, [], "mediaItem"))
        return found

    def look(self, request, album, id):
        self.sign_in(request, "r_photo")
        with self.lock:
            found = self.item(album, id)
            return json_answer(200, {"entry": {
                "id": id, "title": found["title"], "viewPageUrl": f"http://mixi.jp/view_photo.pl?photo_id={id}"}})

    def remove(self, request, album, id):
        self.sign_in(request, "w_photo")
        with self.lock:
            self.item(album, id)
            del self.items[id]
            self.albums[album]["items"].remove(id)
        return json_answer(200, {})
