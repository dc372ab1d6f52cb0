"""Tumblr, API 2 with OAuth 2. Source: tumblr/docs api.md (NPF posts with multipart, /v2/oauth2/token, limits, subcodes).

The first part is the JSON, whose identifiers name the parts of the files. A refresh token is good for once."""
import json
import time

from . import forms
from .oauth2 import Accounts
from .service import Refused, Service, json_answer

NAMES = {200: "OK", 201: "Created", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
         429: "Limit Exceeded", 500: "Internal Server Error", 503: "Service Unavailable"}


class Tumblr(Service):
    hosts = ["https://www.tumblr.com", "https://api.tumblr.com"]
    settings = {"maxPhoto": 20 << 20, "maxVideo": 500 << 20, "transcoding": False, "dailyPhotos": 250}
    routes = [
        ("authorize", "GET", r"/oauth2/authorize", "authorize"),
        ("token", "POST", r"/v2/oauth2/token", "token"),
        ("identity", "GET", r"/v2/user/info", "info"),
        ("post", "POST", r"/v2/blog/([^/]+)/posts", "post"),
        ("posts", "GET", r"/v2/blog/([^/]+)/posts", "posts_of"),
        ("look", "GET", r"/v2/blog/([^/]+)/posts/(\d+)", "look"),
        ("remove", "POST", r"/v2/blog/([^/]+)/post/delete", "remove"),
    ]
    blog = "alice-photos"

    def __init__(self, app):
        super().__init__(app)
        self.accounts = Accounts(
            self, life=2520, rotates=True, client_auth="post", scopes="basic write offline_access")

    def credentials(self):
        return self.accounts.credentials() | {"BLOG": self.blog}

    def answer(self, status, response, headers=()):
        return json_answer(status, {"meta": {"status": status, "msg": NAMES.get(status, "Error")}, "response": response}, headers)

    def sentence(self, status, headers, message=None, code=None):
        value = {"meta": {"status": status, "msg": NAMES.get(status, "Error")}, "response": [], "errors": [
            {"title": NAMES.get(status, "Error"), "code": code or 0, "detail": message or NAMES.get(status, "Error")}]}
        return json_answer(status, value, headers)

    def not_found(self, request):
        return self.sentence(404, [])

    def bad_request(self, message):
        return self.sentence(400, [], message, 8001)

    def sign_in(self, request, scope):
        granted = self.accounts.check(request, lambda why: self.sentence(401, [], "Unable to authorize", 1016))
        if scope not in granted:
            raise Refused(self.sentence(403, [], "The scope is missing"))

    def authorize(self, request):
        return self.accounts.authorize(request)

    def token(self, request):
        return self.accounts.token(request)

    def info(self, request):
        self.sign_in(request, "basic")
        return self.answer(200, {"user": {"name": "alice", "blogs": [{"name": self.blog, "primary": True}]}})

    def known(self, blog):
        if blog not in (self.blog, self.blog + ".tumblr.com", "t:abc"):
            raise Refused(self.sentence(404, []))

    def post(self, request, blog):
        self.sign_in(request, "write")
        self.known(blog)
        parts = self.multipart(request)
        if not parts or parts[0].name != "json" or (parts[0].kind or "").partition(";")[0] != "application/json":
            raise Refused(self.sentence(400, [], "The first part is not the JSON", 8001))
        fields = json.loads(parts[0].data.text())
        files = {part.name: part for part in parts[1:] if part.is_file}
        content = fields.get("content") or []
        media, texts = [], []
        for block in content:
            if block.get("type") in ("image", "video"):
                one = block.get("media")
                one = one[0] if isinstance(one, list) and one else one
                if not isinstance(one, dict) or one.get("identifier") not in files or not one.get("type"):
                    raise Refused(self.sentence(400, [], "A block has no file", 8005))
                media.append((block["type"], files.pop(one["identifier"])))
            elif block.get("type") == "text":
                texts.append(block.get("text", ""))
            else:
                raise Refused(self.sentence(400, [], "A block of an unknown type", 8011))
        if files or not content:
            raise Refused(self.sentence(400, [], "A file belongs to no block", 8006))
        if any(len(text) > 4096 for text in texts):
            raise Refused(self.sentence(400, [], "The text is too long", 8010))
        if fields.get("state", "published") not in ("published", "queue", "draft", "private", "unapproved"):
            raise Refused(self.sentence(400, [], "state is none", 8001))
        for kind, part in media:
            if self.is_refused_type(part.data, None) or self.too_large(part.data, kind + "/"):
                raise Refused(self.sentence(400, [], "The file is not taken", 8016))
        with self.lock:
            if any(kind == "video" for kind, _ in media) and self.setting("transcoding"):
                raise Refused(self.sentence(403, [], "You already have a video processing", 8010))
            if len(self.items) + len(media) > self.setting("dailyPhotos"):
                raise Refused(self.sentence(403, [], "You've reached your daily photo upload limit", 8004))
            id = str(700000000000000000 + self.number())
            items = [
                self.keep(f"{id}-{index}", part.data, name=part.filename) for index, (_, part) in enumerate(media)]
            self.posts[id] = {
                "id": id, "text": "\n".join(texts), "slug": fields.get("slug", ""), "tags": fields.get("tags", ""),
                "at": time.time(),
                "state": fields.get("state", "published"), "media": [item["id"] for item in items],
                "sha256": [item["sha256"] for item in items]}
        return self.answer(201, {"id": id, "state": self.posts[id]["state"], "display_text": "Posted to alice-photos"})

    def shown(self, post):
        return {
            "id": int(post["id"]), "id_string": post["id"], "post_url": f"https://{self.blog}.tumblr.com/post/{post['id']}",
            "state": post["state"], "slug": post["slug"],
            "tags": [tag for tag in post["tags"].split(",") if tag], "summary": post["text"],
            "timestamp": int(post["at"])}

    def posts_of(self, request, blog):
        self.sign_in(request, "basic")
        self.known(blog)
        with self.lock:
            found = list(reversed(self.posts.values()))
            tag = request.parameters().get("tag")
            if tag:
                found = [post for post in found if tag in post["tags"].split(",")]
            return self.answer(200, {"posts": [self.shown(post) for post in found][:20], "total_posts": len(found)})

    def look(self, request, blog, id):
        self.sign_in(request, "basic")
        self.known(blog)
        with self.lock:
            if id not in self.posts:
                raise Refused(self.sentence(404, []))
            return self.answer(200, self.shown(self.posts[id]))

    def remove(self, request, blog):
        self.sign_in(request, "write")
        self.known(blog)
        id = str(forms.form(request).get("id"))
        with self.lock:
            if id not in self.posts:
                raise Refused(self.sentence(404, []))
            for media in self.posts.pop(id)["media"]:
                del self.items[media]
        return self.answer(200, {"id": id})
