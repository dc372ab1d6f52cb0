"""Who may enter, and what a cloud says of itself: sign-in, status.php, OCS, login flow v2."""
import base64
import binascii
import secrets
import time
import urllib.parse

from .answers import CONNECTOR, Answer, Refusal, json_answer, login_page, page

PRODUCTS = {
    # productname, version, versionstring
    "nextcloud": ("Nextcloud", "31.0.4.1", "31.0.4"),
    "owncloud": ("ownCloud", "10.15.0.4", "10.15.0"),
    "ocis": ("Infinite Scale", "10.11.0.0", "10.11.0"),
}
REALMS = {"nextcloud": "Nextcloud", "owncloud": "ownCloud", "ocis": "ownCloud Infinite Scale", "plain": "dav"}


class Accounts:
    def __init__(self, app):
        self.app = app
        self.flows = {}

    # Sign-in

    def challenges(self):
        kind = self.app.options.kind
        headers = [("WWW-Authenticate", f'Basic realm="{REALMS[kind]}", charset="UTF-8"')]
        if kind in ("nextcloud", "owncloud"):
            headers.insert(0, ("WWW-Authenticate", f'Bearer realm="{REALMS[kind]}"'))
        return headers

    def sign_in(self, request):
        """Sets the request's user, or refuses."""
        options = self.app.options
        scheme, _, value = request.header("Authorization", "").partition(" ")
        if scheme.lower() == "bearer" and value in self.app_passwords():
            request.user = options.user
            request.app_password = value
            return
        if scheme.lower() != "basic":
            self.refuse(
                "No public access to this resource., No 'Authorization: Basic' header found. Either the client didn't"
                " send one, or the server is misconfigured, No 'Authorization: Bearer' header found. Either the client"
                " didn't send one, or the server is mis-configured, No 'Authorization: Basic' header found. Either the"
                " client didn't send one, or the server is misconfigured")
        try:
            name, _, password = base64.b64decode(value, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            name, password = "", ""
        if name not in (options.login, options.user) or not password:
            self.refuse_password()
        if password in self.app_passwords():
            request.user = options.user
            request.app_password = password
        elif password != options.password:
            self.refuse_password()
        elif options.two_factor:
            # Exception\PasswordLoginForbidden: two factors are on, and this is not an app password.
            self.refuse(
                "", CONNECTOR + "PasswordLoginForbidden",
                '  <o:hint xmlns:o="o:">password login forbidden</o:hint>\n')
        else:
            request.user = options.user

    def refuse_password(self):
        self.refuse(
            "No public access to this resource., Username or password was incorrect, No 'Authorization: Bearer' header"
            " found. Either the client didn't send one, or the server is mis-configured, Username or password was"
            " incorrect")

    def refuse(self, message, exception=None, extra=""):
        raise Refusal(401, message, exception, self.challenges(), extra)

    def app_passwords(self):
        return self.app.store.note("app passwords", [self.app.options.app_password])

    # status.php

    def status(self):
        name, version, string = self.product()
        value = {
            "installed": True,
            "maintenance": self.app.settings["maintenance"],
            "needsDbUpgrade": False,
            "version": version,
            "versionstring": string,
            "edition": "Community" if self.app.options.kind != "nextcloud" else "",
            "productname": name,
        }
        if self.app.options.kind == "nextcloud":
            value["extendedSupport"] = False
        elif self.app.options.kind == "ocis":
            value |= {"product": "Infinite Scale", "productversion": "7.1.0"}
        else:
            value["product"] = "ownCloud"
        return json_answer(200, value)

    def product(self):
        name, version, string = PRODUCTS[self.app.options.kind]
        if given := self.app.options.version:
            version, string = given + ".1", given
        return name, version, string

    # OCS

    def ocs(self, request):
        """OCS v1 keeps 200 for what it refuses and says so in its meta; v2 says it in the status too."""
        is_v2 = request.path.startswith("/ocs/v2.php")
        path = request.path.split(".php", 1)[1].rstrip("/")
        if not request.header("OCS-APIRequest") and self.app.options.kind == "nextcloud":
            return json_answer(412, {"message": "CSRF check failed"})
        is_open = path == "/cloud/capabilities" and self.app.options.kind != "owncloud"
        try:
            self.sign_in(request)
        except Refusal:
            if not is_open:
                return self.ocs_answer(request, 401, 997, "Current user is not logged in", [])
        good = 200 if is_v2 else 100
        if path == "/cloud/user":
            data = {
                "id": self.app.options.user, "enabled": True, "display-name": "Alice Example",
                "displayname": "Alice Example", "email": None, "quota": self.quota(),
            }
        elif path == "/cloud/capabilities":
            data = self.capabilities()
        elif path == "/core/apppassword" and request.method == "DELETE" and self.app.options.kind == "nextcloud":
            # core/Controller/AppPasswordController.php
            if not request.app_password:
                return self.ocs_answer(request, 403 if is_v2 else 200, 403, "no app password in use", [])
            self.app.store.set_note(
                "app passwords", [password for password in self.app_passwords() if password != request.app_password])
            data = []
        elif path == "/apps/files_sharing/api/v1/shares" and request.method == "POST":
            form = request.parameters() | dict(urllib.parse.parse_qsl(request.body.small().decode()))
            node = self.app.store.node(form.get("path", "").strip("/"))
            if not node:
                return self.ocs_answer(
                    request, 404 if is_v2 else 200, 404, "Wrong path, file/folder does not exist", [])
            token = secrets.token_urlsafe(11)
            data = {"id": "1", "share_type": 3, "token": token, "url": f"{self.app.url(request)}/s/{token}"}
        else:
            return self.ocs_answer(
                request, 404 if is_v2 else 200, 404 if is_v2 else 998,
                "Invalid query, please check the syntax.", [])
        return self.ocs_answer(request, 200, good, "OK", data)

    def ocs_answer(self, request, status, code, message, data):
        word = "ok" if code in (100, 200) else "failure"
        if request.parameters().get("format") != "json" and "json" not in request.header("Accept", ""):
            body = (
                f'<?xml version="1.0"?>\n<ocs>\n <meta>\n  <status>{word}</status>\n  <statuscode>{code}</statuscode>\n'
                f"  <message>{message}</message>\n </meta>\n <data/>\n</ocs>\n"
            )
            return Answer(status, [], body, "application/xml; charset=utf-8")
        meta = {"status": word, "statuscode": code, "message": message, "totalitems": "", "itemsperpage": ""}
        return json_answer(status, {"ocs": {"meta": meta, "data": data}})

    def quota(self):
        free = self.app.free()
        used = self.app.store.used()
        if free < 0:
            return {"free": free, "used": used, "total": free, "relative": 0, "quota": -3}
        return {"free": free, "used": used, "total": used + free, "relative": 0, "quota": used + free}

    def capabilities(self):
        app = self.app
        kind = app.options.kind
        string = self.product()[2]
        major, minor, micro = (string.split(".") + ["0", "0"])[:3]
        files = {"bigfilechunking": kind != "ocis", "undelete": True, "versioning": True}
        dav = {"chunking": "1.0"}
        checksums = None
        if kind == "nextcloud":
            files |= {
                "blacklisted_files": [".htaccess"], "forbidden_filenames": [".htaccess"],
                "forbidden_filename_characters": sorted(app.forbidden_characters()),
                "forbidden_filename_extensions": [".filepart", ".part"],
                "chunked_upload": {"max_size": app.options.chunk_size, "max_parallel_count": 5},
            }
            dav |= {"bulkupload": "1.0"}
            checksums = {"supportedTypes": [], "preferredUploadType": ""} if app.options.empty_checksums else None
        else:
            files |= {"blacklisted_files": [".htaccess"] if kind == "owncloud" else []}
            checksums = {"supportedTypes": ["SHA1"], "preferredUploadType": "SHA1"}
        if kind == "owncloud":
            files |= {"blacklisted_files_regex": "\\.(part|filepart)$", "file_locking_support": True}
            dav |= {"reports": ["search-files"], "propfind": {"depth_infinity": False}, "trashbin": "1.0"}
        if kind == "ocis":
            dav = {"trashbin": "1.0", "reports": ["search-files"]}
            checksums = {"supportedTypes": ["SHA1", "MD5", "ADLER32"], "preferredUploadType": "SHA1"}
            files["tus_support"] = {
                "version": "1.0.0", "resumable": "1.0.0", "extension": "creation,creation-with-upload",
                "max_chunk_size": app.options.tus_chunk, "http_method_override": "",
            }
        capabilities = {
            "core": {"pollinterval": 60, "webdav-root": "remote.php/webdav"}, "files": files, "dav": dav,
        }
        if checksums is not None:
            capabilities["checksums"] = checksums
        version = {
            "major": int(major), "minor": int(minor), "micro": int(micro), "string": string, "edition": "",
        }
        return {"version": version, "capabilities": capabilities}

    # Login flow v2

    def login(self, request):
        if self.app.options.kind != "nextcloud":
            return page(404)
        path = request.path.removeprefix("/index.php")
        if path == "/login/v2" and request.method == "POST":
            poll, flow = secrets.token_hex(64), secrets.token_hex(64)
            self.flows[poll] = {"flow": flow, "agent": request.header("User-Agent", ""), "since": time.monotonic()}
            url = self.app.url(request)
            poll_at = {"token": poll, "endpoint": f"{url}/login/v2/poll"}
            return json_answer(200, {"poll": poll_at, "login": f"{url}/login/v2/flow/{flow}"})
        if path.startswith("/login/v2/flow/") and request.method in ("GET", "HEAD"):
            flow = path.rsplit("/", 1)[1]
            return login_page() if self.flow(flow) else page(403)
        if path == "/login/v2/grant" and request.method == "POST":
            # The fake's short cut for a person who signs in on the page.
            form = request.parameters() | dict(urllib.parse.parse_qsl(request.body.small().decode()))
            flow = self.flow(form.get("token", ""))
            if not flow:
                return page(403)
            flow["password"] = secrets.token_urlsafe(54)[:72]
            self.app.store.set_note("app passwords", self.app_passwords() + [flow["password"]])
            return Answer(200, [], "<html>Account connected</html>", "text/html; charset=UTF-8")
        if path == "/login/v2/poll" and request.method == "POST":
            form = request.parameters() | dict(urllib.parse.parse_qsl(request.body.small().decode()))
            flow = self.flows.get(form.get("token", ""))
            if not flow or "password" not in flow:
                return json_answer(404, [])
            del self.flows[form["token"]]
            return json_answer(
                200,
                {"server": self.app.url(request), "loginName": self.app.options.login, "appPassword": flow["password"]})
        return page(405 if path in ("/login/v2", "/login/v2/grant", "/login/v2/poll") else 404)

    def flow(self, token):
        for poll, flow in self.flows.items():
            if token and token in (poll, flow["flow"]) and time.monotonic() - flow["since"] < 1200:
                return flow
        return None
