"""A Facebook Page, Graph API v26.0. Sources: developers.facebook.com/docs/graph-api/reference/page/{photos,videos},
/docs/graph-api/guides/{upload,error-handling}, /docs/video-api/guides/publishing, /docs/facebook-login/guides/access-tokens.

There are the tokens of a person, short and long, and that of the Page, with which alone one posts."""
import secrets
import time

from . import forms
from .oauth2 import Accounts
from .service import Refused, Service, json_answer

VERSION = r"/v26\.0"


class Facebook(Service):
    hosts = ["https://www.facebook.com", "https://graph.facebook.com", "https://graph-video.facebook.com"]
    settings = {"maxPhoto": 4 << 20, "maxVideo": 10 << 30, "processingPolls": 1}
    routes = [
        ("authorize", "GET", VERSION + r"/dialog/oauth", "authorize"),
        ("token", "GET", VERSION + r"/oauth/access_token", "token"),
        ("token", "POST", VERSION + r"/oauth/access_token", "token"),
        ("revoke", "DELETE", VERSION + r"/me/permissions", "revoke"),
        ("identity", "GET", VERSION + r"/me", "me"),
        ("pages", "GET", VERSION + r"/me/accounts", "pages"),
        ("photo", "POST", VERSION + r"/(\d+)/photos", "photo"),
        ("start", "POST", VERSION + r"/(\d+)/uploads", "start"),
        ("bytes", "POST", VERSION + r"/(upload:[^/?]+)", "bytes"),
        ("query", "GET", VERSION + r"/(upload:[^/?]+)", "query"),
        ("video", "POST", VERSION + r"/(\d+)/videos", "video"),
        ("posts", "GET", VERSION + r"/(\d+)/(?:feed|posts|photos|published_posts)", "feed"),
        ("remove", "DELETE", VERSION + r"/([\d_]+)", "remove"),
        ("look", "GET", VERSION + r"/([\d_]+)", "node"),
    ]
    app_id = "1234567890"
    page = "104720000000001"

    def __init__(self, app):
        super().__init__(app)
        self.accounts = Accounts(
            self, refreshes=False, client_auth="post", query_token=True, separator=",",
            scopes="pages_show_list pages_read_engagement pages_manage_posts")
        self.accounts.client_id = self.app_id
        self.long = {"EAAlong-first"}
        self.accounts.access["EAAlong-first"] = (None, " ".join(self.accounts.needed))
        self.page_token = "EAApage-" + app.secret(12)
        self.page_is_good = True

    def credentials(self):
        return self.accounts.credentials() | {
            "PAGE": self.page, "PAGE_TOKEN": self.page_token, "ACCESS_TOKEN": "EAAlong-first"}

    def sentence(self, status, headers, message=None):
        codes = {400: (100, "GraphMethodException"), 401: (190, "OAuthException"), 403: (200, "OAuthException"),
                 429: (4, "OAuthException"), 500: (2, "OAuthException"), 503: (2, "OAuthException")}
        code, kind = codes.get(status, (1, "OAuthException"))
        words = message or {
            4: "(#4) Application request limit reached", 2: "Service temporarily unavailable",
            190: "Error validating access token: Session has expired"}.get(code, "An unknown error occurred")
        # It says its code in the body; the status hardly tells.
        return self.error(code, words, kind, {401: 400, 429: 403}.get(status, status), headers)

    def error(self, code, message, kind="OAuthException", status=400, headers=(), **more):
        if code == 190:
            more["error_subcode"] = 463
        return json_answer(status, {"error": {
            "message": message, "type": kind, "code": code, "fbtrace_id": "AbCdEf"} | more}, headers)

    def bad_request(self, message):
        return self.error(100, f"(#100) {message}")

    def not_found(self, request):
        return self.error(2500, "Unknown path components: " + request.path)

    def end_tokens(self, wholly):
        self.accounts.end(wholly)
        self.page_is_good = False

    def refuse(self, *arguments, **more):
        return Refused(self.error(*arguments, **more))

    def unknown(self, id):
        """Not there, or not for us: it does not say which."""
        return self.refuse(
            100, f"Unsupported request. Object with ID '{id}' does not exist, cannot be loaded due to missing"
            " permissions, or does not support this operation", "GraphMethodException", error_subcode=33)

    # Sign-in

    def worded_token(self, token, query):
        return {"access_token": token["access_token"], "token_type": "bearer", "expires_in": 5183}

    def authorize(self, request):
        return self.accounts.authorize(request)

    def token(self, request):
        fields = request.parameters() if request.method == "GET" else forms.form(request)
        if fields.get("grant_type") != "fb_exchange_token":
            answer = self.accounts.token(request)
            if answer.status >= 400:
                return self.error(100, "Invalid verification code format.")
            return answer
        if self.accounts.client_of(request, fields) is None:
            return self.error(101, "Error validating application. Invalid application ID.")
        with self.lock:
            if fields.get("fb_exchange_token") not in self.accounts.access:
                return self.error(190, "Error validating access token")
            token = "EAAlong-" + secrets.token_hex(8)
            self.accounts.access[token] = (None, " ".join(self.accounts.needed))
            self.long.add(token)
        return json_answer(200, {"access_token": token, "token_type": "bearer", "expires_in": 5183944})

    def revoke(self, request):
        self.person(request)
        with self.lock:
            self.accounts.end(True)
        return json_answer(200, {"success": True})

    def given(self, request, fields=None):
        scheme, _, value = request.header("Authorization", "").partition(" ")
        if scheme in ("Bearer", "OAuth"):
            return value
        return (fields or {}).get("access_token") or request.parameters().get("access_token")

    def person(self, request, fields=None, header_only=False):
        token = self.given(request, fields)
        if header_only and not request.header("Authorization", "").startswith("OAuth "):
            raise self.refuse(190, "The access token belongs into the Authorization header, as OAuth")
        if token is None:
            raise self.refuse(2500, "An active access token must be used to query information about the current user.")
        with self.lock:
            found = self.accounts.access.get(token)
        if found is None or (found[0] is not None and found[0] < time.time()):
            raise self.refuse(190, "Error validating access token: Session has expired")
        return token

    def as_page(self, request, page, fields=None):
        token = self.given(request, fields)
        if token in self.accounts.access:
            raise self.refuse(200, "(#200) If posting to a group or page, requires page admin permission and a Page token")
        if token != self.page_token or not self.page_is_good:
            raise self.refuse(190, "Error validating access token: Session has expired")
        if page != self.page:
            raise self.unknown(page)

    def me(self, request):
        if self.given(request) == self.page_token:
            return json_answer(200, {"id": self.page, "name": "Alice's Photos"})
        self.person(request)
        return json_answer(200, {"id": "10150000000000001", "name": "Alice"})

    def pages(self, request):
        token = self.person(request)
        page_token = self.page_token if token in self.long else "EAApage-short"
        return json_answer(200, {
            "data": [{"id": self.page, "name": "Alice's Photos", "access_token": page_token, "tasks": ["CREATE_CONTENT"]}],
            "paging": {"cursors": {"before": "QVFI", "after": "QVFJ"}}})

    # Posts

    def photo(self, request, page):
        parts = self.multipart(request)
        fields = forms.texts(parts)
        self.as_page(request, page, fields)
        part = forms.file_part(parts, "source")
        if part is None or not len(part.data):
            raise self.refuse(324, "(#324) Requires upload file")
        if self.is_refused_type(part.data, ["image/jpeg", "image/png", "image/gif", "image/bmp", "image/tiff"]):
            raise self.refuse(324, "(#324) Missing or invalid image file")
        if self.too_large(part.data, "image/"):
            raise self.refuse(100, "Your photos couldn't be uploaded. Photos should be less than 4 MB", error_subcode=1366046)
        with self.lock:
            id = str(122100000000000000 + self.number())
            post = f"{page}_{id}"
            self.keep(id, part.data, name=part.filename, caption=fields.get("caption") or fields.get("message", ""))
            self.posts[post] = {"id": post, "text": self.items[id]["caption"], "media": [id], "at": time.time(),
                                "sha256": [self.items[id]["sha256"]]}
        return json_answer(200, {"id": id, "post_id": post})

    def start(self, request, app):
        query = request.parameters() if request.query else forms.form(request)
        self.person(request, query)
        if app != self.app_id:
            raise self.refuse(100, "Unsupported post request. Object with ID does not exist")
        if not str(query.get("file_length", "")).isdigit() or query.get("file_type") not in (
                "application/pdf", "image/jpeg", "image/jpg", "image/png", "video/mp4"):
            raise self.refuse(100, "(#100) file_length and a file_type of those supported are needed")
        id = f"upload:MTphdHRhY2htZW50{self.number()}=?sig=ARZqkGCA_{self.number()}"
        with self.lock:
            self.sessions[id] = {"pieces": [], "at": 0, "size": int(query["file_length"])}
        return json_answer(200, {"id": id})

    def session(self, request, id):
        # Its id has a query in it.
        found = self.sessions.get(f"{id}?sig={request.parameters().get('sig')}")
        if found is None:
            raise self.refuse(100, "The upload session is unknown or has ended")
        return found

    def bytes(self, request, id):
        self.person(request, header_only=True)
        offset = request.header("file_offset", "")
        with self.lock:
            found = self.session(request, id)
            if not offset.isdigit() or int(offset) != found["at"]:
                raise self.refuse(100, f"(#100) The file_offset is not {found['at']}")
        def keep(data):
            with self.lock:
                found["pieces"].append(data)
                found["at"] += len(data)

        keep(self.read(request, keep))
        with self.lock:
            if found["at"] < found["size"]:
                return json_answer(200, {"id": id, "file_offset": found["at"]})
            if found["at"] > found["size"]:
                raise self.refuse(100, "(#100) There are more bytes than announced")
            found["handle"] = f"4::{secrets.token_hex(8)}"
            return json_answer(200, {"h": found["handle"]})

    def query(self, request, id):
        self.person(request, header_only=True)
        with self.lock:
            found = self.session(request, id)
            return json_answer(200, {"id": id, "file_offset": found["at"]})

    def video(self, request, page):
        kind, _ = forms.parameters(request.header("Content-Type", ""))
        fields = forms.texts(self.multipart(request)) if kind == "multipart/form-data" else forms.form(request)
        self.as_page(request, page, fields)
        with self.lock:
            key, found = next(
                ((key, one) for key, one in self.sessions.items()
                 if one.get("handle") and one["handle"] == fields.get("fbuploader_video_file_chunk")), (None, None))
            if found is None:
                raise self.refuse(6000, "There was a problem uploading your video file. Please try again.")
            data = forms.joined(found["pieces"], self.app.folder)
            if self.is_refused_type(data, ["video/mp4", "video/quicktime"]):
                raise self.refuse(352, "The video file you selected is in a format that we don't support.")
            del self.sessions[key]
            id = str(990000000000000 + self.number())
            self.keep(id, data, name=fields.get("title", ""), caption=fields.get("description", ""),
                      _left=self.setting("processingPolls"))
            self.posts[id] = {"id": id, "text": fields.get("description", ""), "media": [id], "at": time.time(),
                              "sha256": [data.hex()]}
        return json_answer(200, {"id": id})

    def node(self, request, id):
        with self.lock:
            item = self.items.get(id) or (self.items.get(self.posts[id]["media"][0]) if id in self.posts else None)
            token = self.given(request)
            if token != self.page_token or not self.page_is_good:
                token = self.person(request)
            if id == self.page:
                page_token = self.page_token if token in self.long or token == self.page_token else "EAApage-short"
                return json_answer(200, {"id": id, "name": "Alice's Photos", "access_token": page_token})
            if item is None:
                raise self.unknown(id)
            left = item.get("_left", 0)
            if left:
                item["_left"] -= 1
            return json_answer(200, {
                "id": id, "name": item["caption"], "link": f"https://www.facebook.com/photo/?fbid={id}",
                "permalink_url": f"https://www.facebook.com/{id}",
                "status": {"video_status": "processing" if left else "ready"}})

    def feed(self, request, page):
        self.as_page(request, page)
        with self.lock:
            return json_answer(200, {"data": [
                {"id": post["id"], "message": post["text"], "created_time": time.strftime(
                    "%Y-%m-%dT%H:%M:%S+0000", time.gmtime(post["at"]))} for post in reversed(self.posts.values())]})

    def remove(self, request, id):
        if self.given(request) != self.page_token:
            raise self.refuse(200, "(#200) Permissions error")
        with self.lock:
            for key, post in list(self.posts.items()):
                if key == id or id in post["media"]:
                    del self.posts[key]
                    for media in post["media"]:
                        self.items.pop(media, None)
                    return json_answer(200, {"success": True})
        raise self.unknown(id)
