"""Mastodon 4.3, and Pixelfed 0.12 as far as it differs. Sources: mastodon/documentation content/en/methods/{apps,oauth,media,
statuses,accounts,instance}.md, api/rate-limits.md; mastodon/mastodon app/models/{media_attachment,status}.rb,
app/services/post_status_service.rb; pixelfed/pixelfed app/Http/Controllers/Api/ApiV1Controller.php; Photini pixelfed.py."""
import time
import urllib.parse

from fakecloud.answers import Answer

from . import forms
from .oauth2 import Accounts
from .service import Refused, Service, iso, json_answer

MIMES = ["image/jpeg", "image/png", "image/gif", "image/webp", "video/webm", "video/mp4", "video/quicktime"]


class Mastodon(Service):
    settings = {
        "maxPhoto": 16777216, "maxVideo": 103809024, "processingPolls": 1, "processingFails": False, "maxText": 500,
        "maxDescription": 1500, "maxPixels": 33177600, "dropsMedia": False,
    }
    scopes = "write:media write:statuses read:accounts"
    media_step = ("media", "POST", r"/api/v2/media", "media")
    routes = [
        ("register", "POST", r"/api/v1/apps", "register"),
        ("authorize", "GET", r"/oauth/authorize", "authorize"),
        ("token", "POST", r"/oauth/token", "token"),
        ("revoke", "POST", r"/oauth/revoke", "revoke"),
        ("identity", "GET", r"/api/v1/accounts/verify_credentials", "me"),
        ("instance", "GET", r"/api/v2/instance", "instance"),
        ("ready", "GET", r"/api/v1/media/([^/]+)", "ready"),
        ("describe", "PUT", r"/api/v1/media/([^/]+)", "describe"),
        ("post", "POST", r"/api/v1/statuses", "post"),
        ("look", "GET", r"/api/v1/statuses/([^/]+)", "status"),
        ("remove", "DELETE", r"/api/v1/statuses/([^/]+)", "remove"),
        ("posts", "GET", r"/api/v1/accounts/([^/]+)/statuses", "statuses"),
    ]

    def __init__(self, app):
        super().__init__(app)
        self.accounts = Accounts(
            self, refreshes=False, client_auth="any", redirects="loopback", scopes=self.scopes,
            extra=lambda: {"token_type": "Bearer", "created_at": int(time.time())})
        self.keys = {}

    def all_routes(self):
        return [self.media_step] + self.routes

    def credentials(self):
        return self.accounts.credentials()

    def sentence(self, status, headers, message=None):
        headers = list(headers)
        if status == 429:
            until = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(time.time() + self.setting("wait") + 0.999))
            headers += [("X-RateLimit-Limit", "300"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", until)]
        words = {
            401: "The access token is invalid", 403: "This action is outside the authorized scopes",
            404: "Record not found", 429: "Too many requests", 500: "There was an error processing the request",
            503: "There was a temporary problem serving your request, please try again",
        }
        return json_answer(status, {"error": message or words.get(status, "Error")}, headers)

    def not_found(self, request):
        return self.sentence(404, [], "Not Found")

    def bad_request(self, message):
        return self.sentence(422, [], f"Validation failed: {message}")

    def invalid(self, message):
        return Refused(self.sentence(422, [], f"Validation failed: {message}"))

    def sign_in(self, request, *scopes):
        granted = self.accounts.check(request, lambda why: self.sentence(401, []))
        for scope in scopes:
            if scope not in granted and scope.split(":")[0] not in granted:
                raise Refused(self.sentence(403, []))

    # Sign-in

    def register(self, request):
        fields = forms.form(request)
        redirects = fields.get("redirect_uris")
        if not fields.get("client_name"):
            raise self.invalid("Application name can't be blank")
        redirects = redirects if isinstance(redirects, list) else (redirects or "").split()
        if not redirects or not all(urllib.parse.urlsplit(one).scheme for one in redirects):
            raise self.invalid("Redirect URI must be an absolute URI.")
        id = f"client-{self.number()}"
        with self.lock:
            self.accounts.clients[id] = {"secret": f"secret-of-{id}", "redirects": redirects}
        return json_answer(200, {
            "id": str(self.number()), "name": fields["client_name"], "website": fields.get("website"),
            "scopes": fields.get("scopes", "read").split(), "redirect_uri": "\n".join(redirects),
            "redirect_uris": redirects, "client_id": id, "client_secret": f"secret-of-{id}", "vapid_key": ""})

    def authorize(self, request):
        return self.accounts.authorize(request)

    def token(self, request):
        return self.accounts.token(request)

    def revoke(self, request):
        fields = forms.form(request)
        if self.accounts.client_of(request, fields) is None or not fields.get("token"):
            raise Refused(json_answer(403, {
                "error": "unauthorized_client", "error_description": "You are not authorized to revoke this token"}))
        with self.lock:
            self.accounts.access.pop(fields["token"], None)
        return json_answer(200, {})

    # What it says of itself

    def me(self, request):
        self.sign_in(request, "read:accounts")
        return json_answer(200, {"id": "14715", "username": "alice", "acct": "alice", "display_name": "Alice"})

    def instance(self, request):
        return json_answer(200, {"domain": "127.0.0.1", "version": "4.3.2", "configuration": {
            "statuses": {"max_characters": self.setting("maxText"), "max_media_attachments": 4},
            "media_attachments": {
                "description_limit": self.setting("maxDescription"), "image_size_limit": self.setting("maxPhoto"),
                "image_matrix_limit": self.setting("maxPixels"), "video_size_limit": self.setting("maxVideo"),
                "supported_mime_types": MIMES}}})

    # Media and posts

    def taken(self, request):
        """The media of a request, kept."""
        self.sign_in(request, "write:media")
        parts = self.multipart(request)
        part = forms.file_part(parts, "file")
        if part is None or not len(part.data):
            raise self.invalid("File can't be blank")
        if self.too_large(part.data, part.kind):
            kind = "maxVideo" if self.is_video(part.data, part.kind) else "maxPhoto"
            raise self.invalid(f"File file size must be less than {self.setting(kind) // 1048576} MB")
        if self.is_refused_type(part.data, MIMES):
            raise self.invalid("File content type is invalid, File is invalid")
        description = forms.texts(parts).get("description", "")
        if len(description) > self.setting("maxDescription"):
            raise self.invalid(f"Description is too long (maximum is {self.setting('maxDescription')} characters)")
        item = self.keep(str(22345792 + self.number()), part.data, name=part.filename, caption=description, post=None)
        return item, self.is_video(part.data, part.kind)

    def media(self, request):
        item, is_video = self.taken(request)
        item["_left"] = self.setting("processingPolls") if is_video else 0
        item["_video"] = is_video
        return json_answer(202 if item["_left"] else 200, self.shown(item))

    def shown(self, item):
        left = item["_left"]
        return {
            "id": item["id"], "type": "video" if item["_video"] else "image",
            "url": None if left else f"http://127.0.0.1/media/{item['id']}", "preview_url": None,
            "description": item["caption"] or None, "blurhash": None}

    def known(self, id):
        item = self.items.get(id)
        if item is None or item["post"]:
            raise Refused(self.sentence(404, []))
        return item

    def ready(self, request, id):
        self.sign_in(request, "write:media")
        with self.lock:
            item = self.known(id)
            if item["_left"]:
                item["_left"] -= 1
                if not item["_left"] and self.setting("processingFails"):
                    del self.items[id]
                    return self.sentence(422, [], "Error processing thumbnail for uploaded media")
                return json_answer(206, self.shown(item | {"_left": 1}))
            return json_answer(200, self.shown(item))

    def describe(self, request, id):
        self.sign_in(request, "write:media")
        fields = forms.form(request)
        with self.lock:
            item = self.known(id)
            item["caption"] = fields.get("description", item["caption"])
            return json_answer(200, self.shown(item))

    def post(self, request):
        self.sign_in(request, "write:statuses")
        fields = forms.form(request)
        ids = fields.get("media_ids", [])
        key = request.header("Idempotency-Key")
        with self.lock:
            if key and key in self.keys and self.keys[key] in self.posts:
                return json_answer(200, self.shown_post(self.posts[self.keys[key]], request))
            text = fields.get("status", "")
            if not text and not ids:
                raise self.invalid("Text can't be blank")
            if len(text) > self.setting("maxText"):
                raise self.invalid(f"Text character limit of {self.setting('maxText')} exceeded")
            if fields.get("visibility", "public") not in ("public", "unlisted", "private", "direct"):
                raise self.invalid("Visibility is not included in the list")
            if not isinstance(ids, list) or len(ids) > 4:
                raise self.invalid("Cannot attach more than 4 files")
            found = [self.items.get(id) for id in ids]
            if any(item is None or item["post"] for item in found):
                raise self.invalid("Media attachments not found")
            if any(item["_left"] for item in found):
                raise self.invalid("Cannot attach files that have not finished processing. Try again in a moment!")
            if self.setting("dropsMedia"):
                ids, found = [], []
            id = str(103270115826048975 + self.number())
            self.posts[id] = {
                "id": id, "text": text, "media": ids, "visibility": fields.get("visibility", "public"),
                "sha256": [item["sha256"] for item in found], "at": time.time(),
                "albums": fields.get("collection_ids", [])}
            for item in found:
                item["post"] = id
            for album in fields.get("collection_ids", []):
                if album not in self.albums:
                    raise self.invalid("Invalid collection")
                self.albums[album]["items"].append(id)
            if key:
                self.keys[key] = id
            return json_answer(200, self.shown_post(self.posts[id], request))

    def shown_post(self, post, request):
        return {
            "id": post["id"], "created_at": iso(post["at"]), "visibility": post["visibility"], "content": post["text"],
            "url": f"{request.origin()}/@alice/{post['id']}",
            "media_attachments": [self.shown(self.items[id]) for id in post["media"]]}

    def status(self, request, id):
        self.sign_in(request)
        with self.lock:
            if id not in self.posts:
                raise Refused(self.sentence(404, []))
            return json_answer(200, self.shown_post(self.posts[id], request))

    def statuses(self, request, account):
        self.sign_in(request)
        with self.lock:
            return json_answer(200, [self.shown_post(post, request) for post in reversed(self.posts.values())])

    def remove(self, request, id):
        self.sign_in(request, "write:statuses")
        with self.lock:
            if id not in self.posts:
                raise Refused(self.sentence(404, []))
            for media in self.posts.pop(id)["media"]:
                del self.items[media]
        return json_answer(200, {"id": id})


class Pixelfed(Mastodon):
    settings = Mastodon.settings | {"maxPhoto": 15_000_000, "maxVideo": 15_000_000}
    scopes = "write read"
    media_step = ("media", "POST", r"/api/v[12]/media", "media")
    routes = [route for route in Mastodon.routes if route[0] not in ("instance",)] + [
        ("instance", "GET", r"/api/v1/instance", "instance"),
        ("albums", "GET", r"/api/v1\.1/collections/accounts/([^/]+)", "collections"),
    ]

    def __init__(self, app):
        super().__init__(app)
        self.albums["500"] = {"id": "500", "title": "Holidays", "items": []}

    def not_found(self, request):
        # What is no address of the API is the web application's.
        return Answer(200, [], "<!DOCTYPE html><html><head><title>Pixelfed</title></head></html>", "text/html; charset=utf-8")

    def media(self, request):
        item, is_video = self.taken(request)
        item |= {"_left": 0, "_video": is_video}
        return json_answer(200, self.shown(item))

    def instance(self, request):
        return json_answer(200, {"uri": "127.0.0.1", "version": "3.5.3 (compatible; Pixelfed 0.12.3)", "configuration": {
            "statuses": {"max_characters": 500, "max_media_attachments": 10},
            "media_attachments": {
                "image_size_limit": self.setting("maxPhoto"), "video_size_limit": self.setting("maxVideo"),
                "supported_mime_types": ["image/jpeg", "image/png", "image/gif", "image/webp", "video/mp4"]}}})

    def collections(self, request, account):
        self.sign_in(request, "read")
        with self.lock:
            return json_answer(200, [
                {"id": album["id"], "title": album["title"], "visibility": "public", "post_count": len(album["items"])}
                for album in self.albums.values()])
