"""Dropbox. Sources: dropbox/dropbox-api-spec {files,auth,users}.stone; developers.dropbox.com/error-handling-guide;
rclone backend/dropbox/{dropbox,batcher}.go; dropbox/dropbox-api-content-hasher.

A commit (an upload, the end of a session, a new folder) locks the account: another meanwhile is told 429."""
import json
import threading
import time

from . import forms
from .oauth2 import Accounts
from .service import Refused, Service, json_answer, text_answer


class Dropbox(Service):
    hosts = ["https://www.dropbox.com", "https://api.dropboxapi.com", "https://content.dropboxapi.com"]
    settings = {"maxCall": 157286400, "quota": None, "commitSeconds": 0.0}
    routes = [
        ("authorize", "GET", r"/oauth2/authorize", "authorize"),
        ("token", "POST", r"/oauth2/token", "token"),
        ("revoke", "POST", r"/2/auth/token/revoke", "revoke"),
        ("identity", "POST", r"/2/users/get_current_account", "account"),
        ("small", "POST", r"/2/files/upload", "upload"),
        ("start", "POST", r"/2/files/upload_session/start", "start"),
        ("append", "POST", r"/2/files/upload_session/append_v2", "append"),
        ("finish", "POST", r"/2/files/upload_session/finish", "finish"),
        ("look", "POST", r"/2/files/get_metadata", "metadata"),
        ("remove", "POST", r"/2/files/delete_v2", "remove"),
        ("album", "POST", r"/2/files/create_folder_v2", "folder"),
        ("albums", "POST", r"/2/files/list_folder", "list"),
        ("albums-more", "POST", r"/2/files/list_folder/continue", "list_more"),
    ]

    def __init__(self, app):
        super().__init__(app)
        self.accounts = Accounts(
            self, life=14400, client_auth="none",
            scopes="account_info.read files.content.write files.metadata.read",
            extra=lambda: {"account_id": "dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc", "uid": "12345"})
        self.committing = threading.Lock()

    def credentials(self):
        return self.accounts.credentials()

    def worded_token(self, token, query):
        if query.get("token_access_type") != "offline" and query:
            token.pop("refresh_token", None)
        return token

    def sentence(self, status, headers, message=None):
        if status == 400:
            return text_answer(400, message or "Error in call to API function: bad request", headers)
        if status == 401:
            return self.error(401, {".tag": "expired_access_token"})
        if status == 429:
            wait = self.setting("wait")
            return json_answer(429, {
                "error_summary": "too_many_requests/..",
                "error": {"reason": {".tag": "too_many_requests"}, "retry_after": wait}},
                list(headers) + [("Retry-After", str(wait))])
        if status == 503:
            return text_answer(503, "", list(headers) + [("Retry-After", str(self.setting("wait")))])
        return text_answer(status, message or "", headers)

    def bad_request(self, message):
        return text_answer(400, f"Error in call to API function: {message}")

    def not_found(self, request):
        return text_answer(404, "")

    def error(self, status, error, summary=None):
        def words(value):
            tag = value[".tag"]
            inner = value.get(tag) or value.get("reason")
            return tag + "/" + (words(inner) if isinstance(inner, dict) and ".tag" in inner else "")

        return json_answer(status, {"error_summary": (summary or words(error)) + "..", "error": error})

    def refuse(self, error):
        return Refused(self.error(409, error))

    def sign_in(self, request, scope):
        granted = self.accounts.check(request, lambda why: {
            "missing": text_answer(400, 'Error in call to API function: Must provide HTTP header "Authorization".'),
            "invalid": self.error(401, {".tag": "invalid_access_token"}),
            "expired": self.error(401, {".tag": "expired_access_token"}),
        }[why])
        if scope not in granted:
            raise Refused(self.error(401, {".tag": "missing_scope", "required_scope": scope}))

    def arguments(self, request):
        """Of an upload: in a header, in ASCII."""
        function = request.path.removeprefix("/2/")
        kind = request.header("Content-Type", "")
        if kind not in ("application/octet-stream", "text/plain; charset=dropbox-cors-hack"):
            raise Refused(text_answer(400, (
                f'Error in call to API function "{function}": Bad HTTP "Content-Type" header: "{kind}".  Expecting one'
                ' of "application/octet-stream", "text/plain; charset=dropbox-cors-hack".')))
        text = request.header("Dropbox-API-Arg") or request.parameters().get("arg")
        if text is None or any(not 0x20 <= ord(character) < 0x7f for character in text):
            raise Refused(text_answer(400, (
                f'Error in call to API function "{function}": HTTP header "Dropbox-API-Arg": could not decode input as JSON')))
        return self.checked(function, json.loads(text))

    def rpc(self, request):
        function = request.path.removeprefix("/2/")
        if not request.header("Content-Type", "").startswith("application/json"):
            raise Refused(text_answer(400, (
                f'Error in call to API function "{function}": Bad HTTP "Content-Type" header: '
                f'"{request.header("Content-Type", "")}".  Expecting one of "application/json", ...')))
        return self.checked(function, json.loads(request.body.small() or b"null"))

    def checked(self, function, value):
        path = (value or {}).get("path") if isinstance(value, dict) else None
        commit = value.get("commit") if isinstance(value, dict) else None
        for one in (path, (commit or {}).get("path")):
            if one is not None and one != "" and not (one.startswith("/") and not one.endswith("/")) \
                    and not one.startswith(("id:", "rev:")):
                raise Refused(text_answer(400, (
                    f'Error in call to API function "{function}": request body: path: \'{one}\' did not match pattern'
                    " '(/(.|[\\r\\n])*)|(ns:[0-9]+(/.*)?)|(id:.*)'")))
        return value

    def commit(self):
        """At most one at once."""
        service = self

        class Commit:
            def __enter__(self):
                if not service.committing.acquire(blocking=False):
                    wait = service.setting("wait")
                    raise Refused(json_answer(429, {
                        "error_summary": "too_many_write_operations/..",
                        "error": {"reason": {".tag": "too_many_write_operations"}, "retry_after": wait}},
                        [("Retry-After", str(wait))]))
                time.sleep(service.setting("commitSeconds"))

            def __exit__(self, *_):
                service.committing.release()

        return Commit()

    # Sign-in

    def authorize(self, request):
        return self.accounts.authorize(request)

    def token(self, request):
        return self.accounts.token(request)

    def revoke(self, request):
        self.sign_in(request, "account_info.read")
        with self.lock:
            self.accounts.end(True)
        return json_answer(200, None)

    def account(self, request):
        self.sign_in(request, "account_info.read")
        self.rpc(request)
        return json_answer(200, {
            "account_id": "dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc", "email": "alice@example.org",
            "name": {"display_name": "Alice"}})

    # Files

    def shown(self, item):
        return {
            ".tag": "file", "name": item["name"], "id": item["_id"], "path_lower": item["id"],
            "path_display": item["path"], "size": item["size"], "content_hash": item["_hash"],
            "client_modified": item["takenAt"], "rev": item["_rev"], "is_downloadable": True}

    def store(self, data, commit, nested):
        """Puts a file where it belongs, or says why not; `nested` as a session's end says it."""
        def refuse(reason):
            error = {".tag": "path", "path" if nested else "reason": reason}
            return self.refuse(error)

        path = commit["path"]
        key = path.lower()
        mode = commit.get("mode", "add")
        mode = mode if isinstance(mode, str) else mode[".tag"]
        with self.lock:
            quota = self.setting("quota")
            if quota is not None and sum(item["size"] for item in self.items.values()) + len(data) > quota:
                raise refuse({".tag": "insufficient_space"})
            if key in self.albums:
                raise refuse({".tag": "conflict", "conflict": {".tag": "folder"}})
            found = self.items.get(key)
            digest = data.dropbox_hash()
            if found and mode == "add":
                if found["_hash"] == digest and not commit.get("strict_conflict"):
                    return self.shown(found)
                if not commit.get("autorename"):
                    raise refuse({".tag": "conflict", "conflict": {".tag": "file"}})
                stem, dot, extension = path.rpartition(".")
                number = 1
                while found:
                    path = f"{stem} ({number}){dot}{extension}" if dot else f"{path} ({number})"
                    key, number = path.lower(), number + 1
                    found = self.items.get(key)
            folder = key.rpartition("/")[0]
            while folder and folder not in self.albums:
                self.albums[folder] = {
                    "id": folder, "title": path[:len(folder)].rpartition("/")[2], "_path": path[:len(folder)]}
                folder = folder.rpartition("/")[0]
            item = self.keep(
                key, data, path=path, name=path.rpartition("/")[2], album=key.rpartition("/")[0],
                takenAt=commit.get("client_modified", "2026-01-01T00:00:00Z"), _hash=digest,
                _id=f"id:{self.number():022d}", _rev=f"{self.number():09x}")
            return self.shown(item)

    def checked_bytes(self, request, arguments):
        data = self.read(request)
        if len(data) > self.setting("maxCall"):
            raise self.refuse({".tag": "payload_too_large"})
        wanted = arguments.get("content_hash")
        if wanted and wanted != data.dropbox_hash():
            raise self.refuse({".tag": "content_hash_mismatch"})
        return data

    def upload(self, request):
        self.sign_in(request, "files.content.write")
        arguments = self.arguments(request)
        data = self.checked_bytes(request, arguments)
        with self.commit():
            return json_answer(200, self.store(data, arguments, nested=False))

    def start(self, request):
        self.sign_in(request, "files.content.write")
        arguments = self.arguments(request) or {}
        data = self.checked_bytes(request, arguments)
        id = f"pid_upload_session:AAAA{self.number()}"
        with self.lock:
            self.sessions[id] = {"pieces": [data], "size": len(data), "closed": arguments.get("close", False)}
        return json_answer(200, {"session_id": id})

    def session(self, cursor):
        found = self.sessions.get(cursor["session_id"])
        if found is None:
            return None, {".tag": "not_found"}
        if cursor["offset"] != found["size"]:
            return None, {".tag": "incorrect_offset", "correct_offset": found["size"]}
        return found, None

    def append(self, request):
        self.sign_in(request, "files.content.write")
        arguments = self.arguments(request)
        data = self.checked_bytes(request, arguments)
        with self.lock:
            found, wrong = self.session(arguments["cursor"])
            if not wrong and found["closed"]:
                wrong = {".tag": "closed"}
            if wrong:
                raise self.refuse(wrong)
            found["pieces"].append(data)
            found["size"] += len(data)
            found["closed"] = arguments.get("close", False)
        return json_answer(200, None)

    def finish(self, request):
        self.sign_in(request, "files.content.write")
        arguments = self.arguments(request)
        data = self.checked_bytes(request, arguments)
        with self.commit():
            with self.lock:
                found, wrong = self.session(arguments["cursor"])
            if wrong:
                raise self.refuse({".tag": "lookup_failed", "lookup_failed": wrong})
            answer = self.store(forms.joined(found["pieces"] + [data], self.app.folder), arguments["commit"], nested=True)
            with self.lock:
                self.sessions.pop(arguments["cursor"]["session_id"], None)
        return json_answer(200, answer)

    def find(self, path):
        with self.lock:
            item = self.items.get(path.lower()) or next(
                (item for item in self.items.values() if item["_id"] == path), None)
            if item:
                return self.shown(item)
            if path.lower() in self.albums:
                return self.shown_folder(path.lower())
        return None

    def shown_folder(self, key):
        album = self.albums[key]
        return {".tag": "folder", "name": album["title"], "path_lower": key, "path_display": album["_path"], "id": f"id:{key}"}

    def metadata(self, request):
        self.sign_in(request, "files.metadata.read")
        found = self.find(self.rpc(request)["path"])
        if found is None:
            raise self.refuse({".tag": "path", "path": {".tag": "not_found"}})
        return json_answer(200, found)

    def remove(self, request):
        self.sign_in(request, "files.content.write")
        found = self.find(self.rpc(request)["path"])
        if found is None:
            raise self.refuse({".tag": "path_lookup", "path_lookup": {".tag": "not_found"}})
        with self.lock:
            self.items.pop(found["path_lower"], None)
            self.albums.pop(found["path_lower"], None)
        return json_answer(200, {"metadata": found})

    def folder(self, request):
        self.sign_in(request, "files.content.write")
        path = self.rpc(request)["path"]
        with self.commit(), self.lock:
            key = path.lower()
            if key in self.albums or key in self.items:
                tag = "folder" if key in self.albums else "file"
                raise self.refuse({".tag": "path", "path": {".tag": "conflict", "conflict": {".tag": tag}}})
            self.albums[key] = {"id": key, "title": path.rpartition("/")[2], "_path": path}
            found = self.shown_folder(key)
            del found[".tag"]
            return json_answer(200, {"metadata": found})

    def list(self, request):
        self.sign_in(request, "files.metadata.read")
        arguments = self.rpc(request)
        folder = arguments["path"].lower()
        if folder and folder not in self.albums:
            raise self.refuse({".tag": "path", "path": {".tag": "not_found"}})
        return self.listed(folder, 0, arguments.get("limit", 500))

    def list_more(self, request):
        self.sign_in(request, "files.metadata.read")
        folder, at, limit = json.loads(self.rpc(request)["cursor"])
        return self.listed(folder, at, limit)

    def listed(self, folder, at, limit):
        with self.lock:
            entries = [self.shown_folder(key) for key in self.albums if key.rpartition("/")[0] == folder]
            entries += [self.shown(item) for item in self.items.values() if item["album"] == folder]
        more = at + limit < len(entries)
        return json_answer(200, {
            "entries": entries[at:at + limit], "cursor": json.dumps([folder, at + limit, limit]), "has_more": more})
