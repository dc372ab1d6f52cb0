"""Immich. Sources: immich-app/immich open-api/immich-openapi-specs.json, server/src/controllers/asset-media.controller.ts,
server/src/middleware/asset-upload.interceptor.ts, server/src/services/asset-media.service.ts; simulot/immich-go.

A photo that is there is known by its SHA-1: of the header, before the body is read, and the connection is closed."""
import base64
import binascii
import re

from fakecloud.answers import Answer

from . import forms
from .service import Refused, Service, iso, json_answer


class Keys:
    def __init__(self):
        self.key = "immich-api-key"
        self.is_good = True

    def end(self, wholly):
        self.is_good = False


class Immich(Service):
    hosts = []
    settings = {"version": [2, 3, 1], "permissions": ["all"]}
    routes = [
        ("asset", "POST", r"/api/assets", "upload"),
        ("check", "POST", r"/api/assets/bulk-upload-check", "bulk_check"),
        ("look", "GET", r"/api/assets/([^/]+)", "asset"),
        ("describe", "PUT", r"/api/assets/([^/]+)", "describe"),
        ("remove", "DELETE", r"/api/assets", "remove"),
        ("restore", "POST", r"/api/trash/restore/assets", "restore"),
        ("albums", "GET", r"/api/albums", "list_albums"),
        ("album", "POST", r"/api/albums", "create_album"),
        ("add", "PUT", r"/api/albums/([^/]+)/assets", "add_to_album"),
        ("identity", "GET", r"/api/users/me", "me"),
        ("version", "GET", r"/api/server/version", "version"),
    ]

    def __init__(self, app):
        super().__init__(app)
        self.accounts = Keys()

    def credentials(self):
        return {"API_KEY": self.accounts.key}

    def sentence(self, status, headers, message=None):
        names = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 429: "Too Many Requests",
                 500: "Internal Server Error"}
        words = message or {401: "Invalid API key", 500: "Internal server error", 429: "Too many requests"}.get(status)
        return json_answer(status, {
            "message": words or names.get(status, "Error"), "error": names.get(status, "Error"), "statusCode": status,
            "correlationId": "c0ffee"}, headers)

    def not_found(self, request):
        return self.sentence(404, [], f"Cannot {request.method} {request.path}")

    def sign_in(self, request, permission):
        key = request.header("x-api-key")
        if key is None:
            raise Refused(self.sentence(401, [], "Authentication required"), closes=True)
        if key != self.accounts.key or not self.accounts.is_good:
            raise Refused(self.sentence(401, []), closes=True)
        if not {"all", permission} & set(self.setting("permissions")):
            raise Refused(self.sentence(403, [], f"Missing required permission: {permission}"), closes=True)

    def checksum(self, text):
        """Of 20 bytes in hex or base64."""
        try:
            found = bytes.fromhex(text) if len(text) == 40 else base64.b64decode(text, validate=True)
        except (ValueError, binascii.Error):
            return None
        return found if len(found) == 20 else None

    def by_checksum(self, digest):
        return next((item for item in self.items.values() if item["_sha1"] == digest), None)

    def upload(self, request):
        self.sign_in(request, "asset.upload")
        header = request.header("x-immich-checksum")
        if header is not None:
            with self.lock:
                found = self.by_checksum(self.checksum(header))
            if found:
                raise Refused(json_answer(200, {"id": found["id"], "status": "duplicate"}), closes=True)
        parts = self.multipart(request)
        part = forms.file_part(parts, "assetData")
        texts = forms.texts(parts)
        wrong = []
        if self.setting("version")[0] < 3:
            wrong += [
                f"{name} {what}" for name in ("deviceAssetId", "deviceId") if not texts.get(name)
                for what in ("should not be empty", "must be a string")]
        for name in ("fileCreatedAt", "fileModifiedAt"):
            if not re.match(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d))?$", texts.get(name, "")):
                wrong.append(f"{name} must be a Date instance")
        if wrong:
            raise Refused(self.sentence(400, [], wrong))
        if part is None:
            raise Refused(self.sentence(400, [], "Asset data is required"))
        if not re.search(r"\.(jpe?g|png|gif|webp|hei[cf]|tiff?|avif|dng|mp4|mov|webm|mkv|avi|m4v|3gp)$", part.filename, re.I):
            raise Refused(self.sentence(400, [], f"Unsupported file type {part.filename}"))
        if self.is_refused_type(part.data):
            raise Refused(self.sentence(400, [], f"Unsupported file type {part.filename}"))
        digest = part.data.digest("sha1")
        with self.lock:
            found = self.by_checksum(digest)
            if found:
                return json_answer(200, {"id": found["id"], "status": "duplicate"})
            item = self.keep(
                self.uuid(), part.data, name=texts.get("filename") or part.filename, caption="",
                takenAt=texts["fileCreatedAt"], _sha1=digest)
        return json_answer(201, {"id": item["id"], "status": "created"})

    def bulk_check(self, request):
        self.sign_in(request, "asset.upload")
        results = []
        with self.lock:
            for asked in forms.form(request)["assets"]:
                found = self.by_checksum(self.checksum(asked["checksum"]))
                results.append({"id": asked["id"], "action": "accept"} if not found else {
                    "id": asked["id"], "action": "reject", "reason": "duplicate", "assetId": found["id"],
                    "isTrashed": found.get("trashed", False)})
        return json_answer(200, {"results": results})

    def shown(self, item):
        return {
            "id": item["id"], "type": "VIDEO" if (item["mime"] or "").startswith("video") else "IMAGE",
            "originalFileName": item["name"], "checksum": base64.b64encode(item["_sha1"]).decode(),
            "fileCreatedAt": item["takenAt"], "isTrashed": item.get("trashed", False), "exifInfo": {"description": item["caption"]}}

    def known(self, id):
        item = self.items.get(id)
        if item is None:
            raise Refused(self.sentence(400, [], "Not found or no asset.read access"))
        return item

    def asset(self, request, id):
        self.sign_in(request, "asset.read")
        with self.lock:
            return json_answer(200, self.shown(self.known(id)))

    def describe(self, request, id):
        self.sign_in(request, "asset.update")
        fields = forms.form(request)
        with self.lock:
            item = self.known(id)
            item["caption"] = fields.get("description", item["caption"])
            return json_answer(200, self.shown(item))

    def remove(self, request):
        self.sign_in(request, "asset.delete")
        fields = forms.form(request)
        with self.lock:
            for id in fields["ids"]:
                self.known(id)
            for id in fields["ids"]:
                if fields.get("force"):
                    del self.items[id]
                else:
                    self.items[id]["trashed"] = True
        return Answer(204)

    def restore(self, request):
        self.sign_in(request, "asset.delete")
        ids = forms.form(request)["ids"]
        with self.lock:
            for id in ids:
                self.known(id)["trashed"] = False
        return json_answer(200, {"count": len(ids)})

    def list_albums(self, request):
        self.sign_in(request, "album.read")
        with self.lock:
            return json_answer(200, [self.shown_album(album) for album in self.listed_albums()])

    def shown_album(self, album):
        return {"id": album["id"], "albumName": album["title"], "assetCount": len(album["items"]),
                "createdAt": iso(album["at"])}

    def create_album(self, request):
        self.sign_in(request, "album.create")
        fields = forms.form(request)
        if not isinstance(fields.get("albumName"), str):
            raise Refused(self.sentence(400, [], ["albumName must be a string"]))
        with self.lock:
            id = self.uuid()
            self.albums[id] = {"id": id, "title": fields["albumName"], "items": list(fields.get("assetIds", [])), "at": 0}
            return json_answer(201, self.shown_album(self.albums[id]))

    def add_to_album(self, request, id):
        self.sign_in(request, "albumAsset.create")
        ids = forms.form(request)["ids"]
        results = []
        with self.lock:
            if id not in self.albums:
                raise Refused(self.sentence(400, [], "Not found or no albumAsset.create access"))
            for one in ids:
                if one in self.albums[id]["items"]:
                    results.append({"id": one, "success": False, "error": "duplicate"})
                elif one not in self.items:
                    results.append({"id": one, "success": False, "error": "no_permission"})
                else:
                    self.albums[id]["items"].append(one)
                    results.append({"id": one, "success": True})
        return json_answer(200, results)

    def me(self, request):
        self.sign_in(request, "user.read")
        return json_answer(200, {"id": "a1b2c3d4-0000-4000-8000-000000000001", "email": "alice@example.org", "name": "Alice"})

    def version(self, request):
        major, minor, patch = self.setting("version")
        return json_answer(200, {"major": major, "minor": minor, "patch": patch})
