"""X (Twitter), API 2. Sources: xdevplatform/docs openapi.json 2.167 (/2/media/upload*, /2/tweets, /2/media/metadata);
docs.x.com OAuth 2.0, rate limits, media best practices; trypostit/trypost#31 (413 above some MB at the edge).

A refresh token is good for once. The same words twice are refused."""
import time

from fakecloud.answers import page

from . import forms
from .oauth2 import Accounts
from .service import Refused, Service, json_answer


class X(Service):
    hosts = ["https://api.x.com", "https://x.com"]
    settings = {
        "maxPhoto": 5 << 20, "maxVideo": 512 << 20, "maxSegment": 5 << 20, "processingPolls": 1,
        "processingFails": False, "refusesSameText": True, "dropsMedia": False,
    }
    routes = [
        ("authorize", "GET", r"/i/oauth2/authorize", "authorize"),
        ("token", "POST", r"/2/oauth2/token", "token"),
        ("revoke", "POST", r"/2/oauth2/revoke", "revoke"),
        ("identity", "GET", r"/2/users/me", "me"),
        ("posts", "GET", r"/2/users/([^/]+)/tweets", "tweets"),
        ("media", "POST", r"/2/media/upload", "media"),
        ("start", "POST", r"/2/media/upload/initialize", "start"),
        ("append", "POST", r"/2/media/upload/([^/]+)/append", "append"),
        ("finalize", "POST", r"/2/media/upload/([^/]+)/finalize", "finalize"),
        ("status", "GET", r"/2/media/upload", "status"),
        ("alt", "POST", r"/2/media/metadata", "metadata"),
        ("post", "POST", r"/2/tweets", "tweet"),
        ("look", "GET", r"/2/tweets/([^/]+)", "look"),
        ("remove", "DELETE", r"/2/tweets/([^/]+)", "remove"),
    ]

    def __init__(self, app):
        super().__init__(app)
        self.accounts = Accounts(
            self, life=7200, rotates=True, pkce="required", client_auth="none", code_life=30,
            scopes="tweet.read tweet.write users.read media.write offline.access")

    def credentials(self):
        return self.accounts.credentials()

    def sentence(self, status, headers, message=None):
        titles = {400: "Invalid Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found Error",
                  429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable"}
        headers = list(headers)
        if status == 429:
            headers += [("x-rate-limit-limit", "100"), ("x-rate-limit-remaining", "0"),
                        ("x-rate-limit-reset", str(int(time.time() + self.setting("wait") + 0.999)))]
        return json_answer(status, {
            "title": titles.get(status, "Error"), "detail": message or titles.get(status, "Error"), "status": status,
            "type": "about:blank"}, headers)

    def not_found(self, request):
        return self.sentence(404, [])

    def invalid(self, message):
        return Refused(json_answer(400, {
            "errors": [{"message": message}], "title": "Invalid Request", "detail": "One or more parameters to your"
            " request was invalid.", "type": "https://api.twitter.com/2/problems/invalid-request"}))

    def bad_request(self, message):
        return self.invalid(message).answer

    def sign_in(self, request, *scopes):
        granted = self.accounts.check(request, lambda why: self.sentence(401, []))
        if not set(scopes) <= set(granted):
            raise Refused(self.sentence(403, [], "Your client does not have the scope for this."))

    def authorize(self, request):
        return self.accounts.authorize(request)

    def token(self, request):
        return self.accounts.token(request)

    def revoke(self, request):
        return self.accounts.revoke(request)

    def me(self, request):
        self.sign_in(request, "users.read", "tweet.read")
        return json_answer(200, {"data": {"id": "2244994945", "name": "Alice", "username": "alice"}})

    # Media

    def media(self, request):
        self.sign_in(request, "media.write")
        parts = self.multipart(request)
        part, fields = forms.file_part(parts, "media"), forms.texts(parts)
        category = fields.get("media_category")
        if category not in ("tweet_image", "tweet_gif", "dm_image", "subtitles"):
            raise self.invalid(f"The `media_category` field is [{category}]")
        kinds = ["image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp", "image/tiff"]
        if part is None or self.is_refused_type(part.data, kinds):
            raise self.invalid("media type unrecognized.")
        if self.too_large(part.data, "image/"):
            raise Refused(self.sentence(400, [], "File size exceeds 5242880 bytes."))
        item = self.keep(str(1880028106020515800 + self.number()), part.data, name=part.filename, alt="", post=None, _left=0, _key="3")
        return json_answer(200, {"data": {
            "id": item["id"], "media_key": f"3_{item['id']}", "size": item["size"], "expires_after_secs": 86400}})

    def start(self, request):
        self.sign_in(request, "media.write")
        fields = forms.form(request)
        if not isinstance(fields.get("total_bytes"), int) or not fields.get("media_type") \
                or fields.get("media_category") not in ("tweet_video", "tweet_gif", "amplify_video"):
            raise self.invalid("total_bytes, media_type and media_category are needed")
        if fields["total_bytes"] > self.setting("maxVideo"):
            raise self.invalid(f"The file is larger than {self.setting('maxVideo')} bytes")
        id = str(1880028106020515800 + self.number())
        with self.lock:
            self.sessions[id] = {"pieces": {}, "size": fields["total_bytes"]}
        return json_answer(200, {"data": {"id": id, "media_key": f"7_{id}", "expires_after_secs": 86400}})

    def append(self, request, id):
        self.sign_in(request, "media.write")
        if (request.body.length or 0) > self.setting("maxSegment"):
            # The edge says it, and does not wait.
            raise Refused(page(413), closes=True)
        parts = self.multipart(request)
        part, fields = forms.file_part(parts, "media"), forms.texts(parts)
        index = fields.get("segment_index", "")
        if part is None or not index.isdigit() or int(index) > 999:
            raise self.invalid("media and segment_index (0 to 999) are needed")
        with self.lock:
            if id not in self.sessions:
                raise self.invalid("media_id is invalid or expired")
            self.sessions[id]["pieces"][int(index)] = part.data
        return json_answer(200, {"data": {"expires_at": int(time.time()) + 86400}})

    def finalize(self, request, id):
        self.sign_in(request, "media.write")
        with self.lock:
            if id in self.items:
                return json_answer(200, {"data": self.shown(self.items[id])})
            session = self.sessions.get(id)
            if session is None:
                raise self.invalid("media_id is invalid or expired")
            pieces = session["pieces"]
            if sorted(pieces) != list(range(len(pieces))):
                raise self.invalid("Segments do not add up to provided total file size.")
            data = forms.joined([pieces[index] for index in range(len(pieces))], self.app.folder)
            if len(data) != session["size"]:
                raise self.invalid("Segments do not add up to provided total file size.")
            del self.sessions[id]
            item = self.keep(id, data, name="", alt="", post=None, _left=self.setting("processingPolls"), _key="7")
            return json_answer(200, {"data": self.shown(item)})

    def shown(self, item):
        found = {"id": item["id"], "media_key": f"7_{item['id']}", "size": item["size"]}
        if item["_left"]:
            found["processing_info"] = {"state": "pending", "check_after_secs": 1}
        return found

    def status(self, request):
        self.sign_in(request, "media.write")
        query = request.parameters()
        if query.get("command", "STATUS") != "STATUS":
            raise self.invalid("command is not STATUS")
        with self.lock:
            item = self.items.get(query.get("media_id"))
            if item is None:
                raise self.invalid("media_id is invalid or expired")
            if item["_left"]:
                item["_left"] -= 1
                info = {"state": "in_progress", "check_after_secs": 1, "progress_percent": 40}
            elif self.setting("processingFails"):
                info = {"state": "failed", "error": {"code": 1, "name": "InvalidMedia", "message": "Unsupported video format"}}
            else:
                info = {"state": "succeeded", "progress_percent": 100}
            return json_answer(200, {"data": {"id": item["id"], "processing_info": info}})

    def metadata(self, request):
        self.sign_in(request, "media.write")
        fields = forms.form(request)
        with self.lock:
            item = self.items.get(fields.get("id"))
            text = ((fields.get("metadata") or {}).get("alt_text") or {}).get("text")
            if item is None or not isinstance(text, str) or len(text) > 1000:
                raise self.invalid("id and alt_text of at most 1000 characters are needed")
            item["alt"] = text
        return json_answer(200, {"data": {"id": fields["id"]}})

    # Posts

    def tweet(self, request):
        self.sign_in(request, "tweet.read", "tweet.write", "users.read")
        fields = forms.form(request)
        text, ids = fields.get("text", ""), (fields.get("media") or {}).get("media_ids", [])
        with self.lock:
            if not text and not ids:
                raise self.invalid("text or media is needed")
            if len(text) > 280:
                raise Refused(self.sentence(403, [], "Your Tweet text is too long."))
            found = [self.items.get(id) for id in ids]
            if len(ids) > 4 or any(item is None or item["post"] for item in found):
                raise self.invalid("Your media IDs are invalid.")
            if any(item["_left"] for item in found):
                raise self.invalid("Your media IDs are invalid.")
            if text and self.setting("refusesSameText") and any(post["text"] == text for post in self.posts.values()):
                raise Refused(self.sentence(403, [], "You are not allowed to create a Tweet with duplicate content."))
            if self.setting("dropsMedia"):
                ids, found = [], []
            id = str(1346889436626259968 + self.number())
            self.posts[id] = {"id": id, "text": text, "media": ids, "sha256": [item["sha256"] for item in found]}
            for item in found:
                item["post"] = id
        return json_answer(201, {"data": {"id": id, "text": text, "edit_history_tweet_ids": [id]}})

    def tweets(self, request, user):
        self.sign_in(request, "tweet.read", "users.read")
        with self.lock:
            return json_answer(200, {"data": [self.shown_post(post) for post in reversed(self.posts.values())],
                                     "meta": {"result_count": len(self.posts)}})

    def shown_post(self, post):
        return {"id": post["id"], "text": post["text"], "attachments": {
            "media_keys": [f"{self.items[id]['_key']}_{id}" for id in post["media"] if id in self.items]}}

    def look(self, request, id):
        self.sign_in(request, "tweet.read", "users.read")
        with self.lock:
            if id in self.posts:
                return json_answer(200, {"data": self.shown_post(self.posts[id])})
        # What is not there is a 200 with errors.
        return json_answer(200, {"errors": [{
            "value": id, "detail": f"Could not find tweet with id: [{id}].", "title": "Not Found Error",
            "type": "https://api.twitter.com/2/problems/resource-not-found"}]})

    def remove(self, request, id):
        self.sign_in(request, "tweet.write")
        with self.lock:
            was = self.posts.pop(id, None)
            for media in (was or {}).get("media", []):
                del self.items[media]
        return json_answer(200, {"data": {"deleted": was is not None}})
