"""Google Photos Library API since 2025-03-31. Sources: developers.google.com/photos/library/guides/{upload-media,
resumable-uploads,manage-albums}, /photos/support/updates; gphotosuploader/google-photos-api-client-go; rclone
backend/googlephotos and issue #6920 (wording of 429).

At most one write (batchCreate, a new album) of a user at once: another meanwhile is told 429."""
import threading
import time

from fakecloud.answers import Answer

from . import forms
from .oauth2 import Accounts
from .service import Refused, Service, json_answer, text_answer

SCOPE = "https://www.googleapis.com/auth/photoslibrary."
GRANULARITY = 262144


class GooglePhotos(Service):
    hosts = [
        "https://photoslibrary.googleapis.com", "https://accounts.google.com", "https://oauth2.googleapis.com",
        "https://openidconnect.googleapis.com",
    ]
    settings = {"maxPhoto": 200 << 20, "maxVideo": 20 << 30, "writeSeconds": 0.0, "itemFails": 0}
    routes = [
        ("authorize", "GET", r"/o/oauth2/v2/auth", "authorize"),
        ("token", "POST", r"/token", "token"),
        ("revoke", "POST", r"/revoke", "revoke"),
        ("identity", "GET", r"/v1/userinfo", "userinfo"),
        ("bytes", "POST", r"/v1/uploads", "uploads"),
        ("create", "POST", r"/v1/mediaItems:batchCreate", "create"),
        ("look", "GET", r"/v1/mediaItems/([^/:]+)", "media_item"),
        ("albums", "GET", r"/v1/albums", "list_albums"),
        ("album", "POST", r"/v1/albums", "create_album"),
        ("add", "POST", r"/v1/albums/([^/:]+):batchAddMediaItems", "add"),
    ]

    def __init__(self, app):
        super().__init__(app)
        self.accounts = Accounts(
            self, life=3599, client_auth="post", redirects="loopback",
            scopes=f"{SCOPE}appendonly {SCOPE}readonly.appcreateddata {SCOPE}edit.appcreateddata openid profile")
        self.writing = threading.Lock()
        self.tokens = {}

    def credentials(self):
        return self.accounts.credentials()

    def open_sessions(self):
        # One that is final is still asked about.
        return sum(not session["token"] for session in self.sessions.values())

    def worded_token(self, token, query):
        if query and query.get("access_type") != "offline":
            token.pop("refresh_token", None)
        return token | {"token_type": "Bearer"}

    def step(self, step, request):
        if step == "bytes":
            protocol = request.header("X-Goog-Upload-Protocol")
            command = request.header("X-Goog-Upload-Command", "")
            if protocol == "resumable" or "upload_id" in request.parameters():
                return "query" if command == "query" else "start" if command == "start" else "chunk"
        return None

    def sentence(self, status, headers, message=None):
        names = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
                 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}
        words = {
            401: "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other"
            " valid authentication credential.",
            429: "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute per user' of"
            " service 'photoslibrary.googleapis.com'",
        }
        return json_answer(status, {"error": {
            "code": status, "message": message or words.get(status, "Error"),
            "status": names.get(status, "UNKNOWN")}}, headers)

    def sign_in(self, request, *scopes):
        granted = self.accounts.check(request, lambda why: self.sentence(401, []))
        if scopes and not set(scopes) & set(granted):
            raise Refused(self.sentence(403, [], "Request had insufficient authentication scopes."))

    def write(self):
        service = self

        class Write:
            def __enter__(self):
                if not service.writing.acquire(blocking=False):
                    raise Refused(service.sentence(429, [], (
                        "Quota exceeded for quota metric 'Write requests' and limit 'concurrent write request' of"
                        " service 'photoslibrary.googleapis.com'")))
                time.sleep(service.setting("writeSeconds"))

            def __exit__(self, *_):
                service.writing.release()

        return Write()

    def authorize(self, request):
        return self.accounts.authorize(request)

    def token(self, request):
        return self.accounts.token(request)

    def revoke(self, request):
        return self.accounts.revoke(request)

    def userinfo(self, request):
        self.sign_in(request, "openid", "profile")
        return json_answer(200, {"sub": "1100", "name": "Alice", "given_name": "Alice"})

    # Bytes

    def uploads(self, request):
        id = request.parameters().get("upload_id")
        if id is None:
            self.sign_in(request, SCOPE + "appendonly")
        protocol = request.header("X-Goog-Upload-Protocol")
        if protocol == "raw":
            return self.raw(request)
        if protocol == "resumable" and request.header("X-Goog-Upload-Command") == "start":
            return self.start(request)
        if id is not None:
            return self.go_on(request, id)
        raise Refused(self.sentence(400, [], "X-Goog-Upload-Protocol is missing"))

    def raw(self, request):
        if request.header("Content-Type") != "application/octet-stream":
            raise Refused(self.sentence(400, [], "Content-Type is not application/octet-stream"))
        kind = request.header("X-Goog-Upload-Content-Type")
        if not kind:
            raise Refused(self.sentence(400, [], "X-Goog-Upload-Content-Type is missing"))
        data = self.read(request)
        if not len(data) or self.too_large(data, kind):
            raise Refused(self.sentence(400, [], "The file is empty or too large"))
        return text_answer(200, self.new_token(data))

    def new_token(self, data):
        token = f"TOKEN-{self.number()}"
        with self.lock:
            self.tokens[token] = data
        return token

    def start(self, request):
        size = request.header("X-Goog-Upload-Raw-Size", "")
        if not size.isdigit() or not request.header("X-Goog-Upload-Content-Type") or request.body.length:
            raise Refused(self.sentence(400, [], "X-Goog-Upload-Raw-Size or -Content-Type is missing"))
        most = self.setting(
            "maxVideo" if request.header("X-Goog-Upload-Content-Type").startswith("video/") else "maxPhoto")
        if most is not None and int(size) > most:
            raise Refused(self.sentence(400, [], "The file is too large"))
        id = f"U{self.number()}"
        with self.lock:
            self.sessions[id] = {"pieces": [], "at": 0, "size": int(size), "token": None}
        return Answer(200, [
            ("X-Goog-Upload-Status", "active"), ("X-Goog-Upload-URL", f"{request.origin()}/v1/uploads?upload_id={id}"),
            ("X-Goog-Upload-Chunk-Granularity", str(GRANULARITY)), ("X-GUploader-UploadID", id)])

    def go_on(self, request, id):
        with self.lock:
            session = self.sessions.get(id)
        if session is None:
            raise Refused(self.sentence(404, [], "Unknown upload"))
        commands = [one.strip() for one in request.header("X-Goog-Upload-Command", "").split(",")]
        if commands == ["query"]:
            with self.lock:
                status = "final" if session["token"] else "active"
                return Answer(200, [
                    ("X-Goog-Upload-Status", status), ("X-Goog-Upload-Size-Received", str(session["at"]))])
        if "upload" not in commands and commands != ["finalize"]:
            raise Refused(self.sentence(400, [], "X-Goog-Upload-Command is none"))
        offset = request.header("X-Goog-Upload-Offset", "")
        def keep(data):
            # What came of a chunk stays, in whole multiples of the granularity.
            data.end -= len(data) % GRANULARITY
            with self.lock:
                if offset == str(session["at"]) and not session["token"]:
                    session["pieces"].append(data)
                    session["at"] += len(data)

        data = self.read(request, keep)
        final = "finalize" in commands
        with self.lock:
            if session["token"]:
                raise Refused(Answer(400, [("X-Goog-Upload-Status", "final")], "Upload has already been finalized."))
            if not offset.isdigit() or int(offset) != session["at"]:
                raise Refused(Answer(400, [("X-Goog-Upload-Status", "active")], "The offset is wrong."))
            if not final and len(data) % GRANULARITY:
                raise Refused(Answer(400, [("X-Goog-Upload-Status", "active")], "The chunk is no multiple of the granularity."))
            session["pieces"].append(data)
            session["at"] += len(data)
            if not final:
                return Answer(200, [("X-Goog-Upload-Status", "active")])
            if session["at"] != session["size"]:
                raise Refused(Answer(400, [("X-Goog-Upload-Status", "cancelled")], "The size is not what was announced."))
            session["token"] = self.new_token(forms.joined(session["pieces"], self.app.folder))
            return text_answer(200, session["token"], [("X-Goog-Upload-Status", "final")])

    # Items and albums

    def create(self, request):
        self.sign_in(request, SCOPE + "appendonly")
        fields = forms.form(request)
        with self.write():
            return self.created(request, fields)

    def created(self, request, fields):
        new = fields.get("newMediaItems") or []
        if not 1 <= len(new) <= 50:
            raise Refused(self.sentence(400, [], "Request must have between 1 and 50 new media items."))
        with self.lock:
            album = fields.get("albumId")
            if album and album not in self.albums:
                raise Refused(self.sentence(400, [], "Invalid album ID."))
            results = []
            for one in new:
                token = (one.get("simpleMediaItem") or {}).get("uploadToken")
                if len(one.get("description", "")) > 1000:
                    raise Refused(self.sentence(400, [], "The description is too long."))
                data = self.tokens.get(token)
                fails = data is not None and (self.setting("itemFails") or self.is_refused_type(data))
                if self.setting("itemFails"):
                    self.app.settings["itemFails"] -= 1
                if data is None or fails:
                    results.append({"uploadToken": token, "status": {
                        "code": 3, "message": "Failed: There was an error while trying to create this media item."}})
                    continue
                # The same bytes are the same item.
                item = next((item for item in self.items.values() if item["sha256"] == data.hex()), None)
                if item is None:
                    id = f"I{self.number()}"
                    item = self.keep(
                        id, data, caption=one.get("description", ""),
                        name=(one.get("simpleMediaItem") or {}).get("fileName", ""))
                if album and item["id"] not in self.albums[album]["items"]:
                    self.albums[album]["items"].append(item["id"])
                results.append({"uploadToken": token, "status": {"message": "Success"}, "mediaItem": self.shown(item)})
        failed = sum("mediaItem" not in result for result in results)
        return json_answer(207 if 0 < failed < len(results) else 200, {"newMediaItemResults": results})

    def shown(self, item):
        return {
            "id": item["id"], "productUrl": f"https://photos.google.com/lr/photo/{item['id']}",
            "description": item["caption"], "filename": item["name"], "mimeType": item["mime"] or "image/jpeg",
            "mediaMetadata": {"creationTime": "2026-01-01T00:00:00Z"}}

    def media_item(self, request, id):
        self.sign_in(request, SCOPE + "readonly.appcreateddata")
        with self.lock:
            if id not in self.items:
                raise Refused(self.sentence(404, [], "Requested entity was not found."))
            return json_answer(200, self.shown(self.items[id]))

    def list_albums(self, request):
        self.sign_in(request, SCOPE + "readonly.appcreateddata")
        query = request.parameters()
        size, at = int(query.get("pageSize", 20)), int(query.get("pageToken") or 0)
        if not 1 <= size <= 50:
            raise Refused(self.sentence(400, [], "Page size must be less or equal than 50."))
        with self.lock:
            albums = [self.shown_album(album) for album in self.listed_albums()]
        answer = {"albums": albums[at:at + size]} if albums else {}
        if at + size < len(albums):
            answer["nextPageToken"] = str(at + size)
        return json_answer(200, answer)

    def shown_album(self, album):
        return {
            "id": album["id"], "title": album["title"], "isWriteable": True,
            "productUrl": f"https://photos.google.com/lr/album/{album['id']}", "mediaItemsCount": str(len(album["items"]))}

    def create_album(self, request):
        self.sign_in(request, SCOPE + "appendonly")
        title = (forms.form(request).get("album") or {}).get("title")
        if not title or len(title) > 500:
            raise Refused(self.sentence(400, [], "Invalid album title."))
        with self.write(), self.lock:
            id = f"A{self.number()}"
            self.albums[id] = {"id": id, "title": title, "items": []}
            return json_answer(200, self.shown_album(self.albums[id]))

    def add(self, request, id):
        self.sign_in(request, SCOPE + "appendonly", SCOPE + "edit.appcreateddata")
        ids = forms.form(request).get("mediaItemIds") or []
        with self.write(), self.lock:
            if id not in self.albums or not all(one in self.items for one in ids):
                raise Refused(self.sentence(400, [], "Invalid album or media item ID."))
            self.albums[id]["items"] += [one for one in ids if one not in self.albums[id]["items"]]
        return json_answer(200, {})
