"""Flickr. Sources: flickr.com/services/api/{auth.oauth,upload.api,upload.async,flickr.photosets.*}.html;
sybrenstuvel/flickrapi auth.py (what of a multipart body is signed); Photini src/photini/flickr.py.

Every text field of an upload is signed, the file is not. Failures of REST are HTTP 200."""
from xml.sax.saxutils import quoteattr

from fakecloud.answers import Answer

from . import forms
from .oauth1 import Accounts, Unsigned
from .service import Refused, Service, json_answer

SIGNING = {
    "missing": (97, "Missing signature"), "consumer": (100, "Invalid API Key (Key has invalid format)"),
    "signature": (96, "Invalid signature"), "timestamp": (96, "Invalid signature"), "nonce": (96, "Invalid signature"),
    "token": (98, "Invalid auth token"),
}
FIELDS = {"title", "description", "tags", "is_public", "is_friend", "is_family", "safety_level", "content_type",
          "hidden", "async"}


class Flickr(Service):
    hosts = ["https://www.flickr.com", "https://api.flickr.com", "https://up.flickr.com"]
    settings = {
        "maxPhoto": 200 << 20, "maxVideo": 1 << 30, "ticketPolls": 1, "ticketFails": False, "refusesDuplicates": True,
        "itemLimit": None,
    }
    routes = [
        ("request_token", "POST", r"/services/oauth/request_token", "request_token"),
        ("request_token", "GET", r"/services/oauth/request_token", "request_token"),
        ("authorize", "GET", r"/services/oauth/authorize", "authorize"),
        ("access_token", "POST", r"/services/oauth/access_token", "access_token"),
        ("access_token", "GET", r"/services/oauth/access_token", "access_token"),
        ("upload", "POST", r"/services/upload/?", "upload"),
        ("rest", "GET", r"/services/rest/?", "rest"),
        ("rest", "POST", r"/services/rest/?", "rest"),
    ]

    def __init__(self, app):
        super().__init__(app)
        self.accounts = Accounts(self, {"fullname": "Alice", "user_nsid": "12037949629@N01", "username": "alice"})
        self.tickets = {}

    def credentials(self):
        return self.accounts.credentials()

    def step(self, step, request):
        # A method in a form's body is not known before it is read.
        return request.parameters().get("method") if step == "rest" else None

    def sentence(self, status, headers, message=None):
        return Answer(status, headers, message or f"HTTP {status}", "text/plain")

    def fail_xml(self, code, message):
        return Refused(Answer(200, [], (
            f'<?xml version="1.0" encoding="utf-8" ?>\n<rsp stat="fail">\n\t<err code="{code}" msg={quoteattr(message)} />'
            "\n</rsp>\n"), "text/xml; charset=utf-8"))

    def fail(self, code, message):
        return Refused(json_answer(200, {"stat": "fail", "code": code, "message": message}))

    def bad_request(self, message):
        return self.fail_xml(3, f"General upload failure ({message})").answer

    def ok_xml(self, inner):
        return Answer(
            200, [], f'<?xml version="1.0" encoding="utf-8" ?>\n<rsp stat="ok">\n{inner}\n</rsp>\n',
            "text/xml; charset=utf-8")

    # Sign-in

    def signed(self, request, act):
        try:
            return act()
        except Unsigned as error:
            return Answer(401, [], f"oauth_problem={error}", "text/plain; charset=utf-8")

    def request_token(self, request):
        return self.signed(request, lambda: self.accounts.request_token(request))

    def authorize(self, request):
        return self.accounts.authorize(request, perms="write")

    def access_token(self, request):
        return self.signed(request, lambda: self.accounts.access_token(request))

    # Uploads

    def upload(self, request):
        parts = self.multipart(request)
        texts = [(part.name, part.data.text()) for part in parts if not part.is_file]
        try:
            self.accounts.verify(request, texts)
        except Unsigned as error:
            raise self.fail_xml(*SIGNING[str(error)]) from error
        fields = dict(texts)
        strange = set(fields) - FIELDS
        if strange:
            raise self.fail_xml(3, f"General upload failure ({', '.join(sorted(strange))})")
        photo = forms.file_part(parts, "photo")
        if photo is None:
            raise self.fail_xml(2, "No photo specified")
        if not len(photo.data):
            raise self.fail_xml(4, "Filesize was zero")
        if self.is_refused_type(photo.data):
            raise self.fail_xml(5, "Filetype was not recognised")
        if self.too_large(photo.data, photo.kind):
            raise self.fail_xml(8, "Filesize was too large")
        with self.lock:
            limit = self.setting("itemLimit")
            if limit is not None and len(self.items) >= limit:
                raise self.fail_xml(6, "User exceeded upload limit")
            if self.setting("refusesDuplicates") and any(
                    item["sha256"] == photo.data.hex() for item in self.items.values()):
                raise self.fail_xml(9, "Duplicate photo/video detected")
            id = str(53000000000 + self.number())
            self.keep(
                id, photo.data, name=photo.filename, title=fields.get("title", ""),
                caption=fields.get("description", ""), tags=fields.get("tags", ""),
                isPublic=fields.get("is_public", "1"))
            if fields.get("async") != "1":
                return self.ok_xml(f"<photoid>{id}</photoid>")
            ticket = f"{self.number()}-7215"
            self.tickets[ticket] = [self.setting("ticketPolls"), id]
            return self.ok_xml(f"<ticketid>{ticket}</ticketid>")

    # REST

    def rest(self, request):
        query = request.parameters()
        body = []
        if request.method == "POST":
            body = list(forms.form(request).items())
            query = query | dict(body)
        if query.get("format") != "json" or query.get("nojsoncallback") != "1":
            raise self.fail_xml(111, f"Format \"{query.get('format')}\" not found")
        try:
            self.accounts.verify(request, body)
        except Unsigned as error:
            raise self.fail(*SIGNING[str(error)]) from error
        method = {
            "flickr.photos.upload.checkTickets": self.check_tickets, "flickr.test.login": self.login,
            "flickr.photosets.getList": self.sets, "flickr.photosets.create": self.create_set,
            "flickr.photosets.addPhoto": self.add_photo, "flickr.photos.getInfo": self.info,
            "flickr.photos.delete": self.delete, "flickr.photos.search": self.search,
        }.get(query.get("method"))
        if method is None:
            raise self.fail(112, f"Method \"{query.get('method')}\" not found")
        if query["method"] not in ("flickr.test.login", "flickr.photosets.getList", "flickr.photos.getInfo",
                                   "flickr.photos.upload.checkTickets", "flickr.photos.search") \
                and request.method != "POST":
            raise self.fail(116, "Bad URL found (this method is called by POST)")
        with self.lock:
            return json_answer(200, method(query) | {"stat": "ok"})

    def check_tickets(self, query):
        tickets = []
        for ticket in query.get("tickets", "").split(","):
            found = self.tickets.get(ticket)
            if found is None:
                tickets.append({"id": ticket, "invalid": 1})
            elif found[0]:
                found[0] -= 1
                tickets.append({"id": ticket, "complete": 0})
            elif self.setting("ticketFails"):
                self.items.pop(found[1], None)
                tickets.append({"id": ticket, "complete": 2})
            else:
                tickets.append({"id": ticket, "complete": 1, "photoid": found[1]})
        return {"uploader": {"ticket": tickets}}

    def login(self, query):
        return {"user": {"id": "12037949629@N01", "username": {"_content": "alice"}}}

    def sets(self, query):
        page, size = int(query.get("page", 1)), min(int(query.get("per_page", 500)), 500)
        all = self.listed_albums()
        found = all[(page - 1) * size:page * size]
        return {"photosets": {
            "page": page, "pages": max(1, -(-len(all) // size)), "perpage": size, "total": len(all),
            "photoset": [{"id": one["id"], "title": {"_content": one["title"]}, "photos": len(one["items"])}
                         for one in found]}}

    def create_set(self, query):
        if not query.get("title"):
            raise self.fail(1, "No title specified")
        if query.get("primary_photo_id") not in self.items:
            raise self.fail(2, "Photo not found")
        id = str(72157600000000000 + self.number())
        self.albums[id] = {"id": id, "title": query["title"], "items": [query["primary_photo_id"]]}
        return {"photoset": {"id": id, "url": f"https://www.flickr.com/photos/alice/sets/{id}/"}}

    def add_photo(self, query):
        album = self.albums.get(query.get("photoset_id"))
        if album is None:
            raise self.fail(1, "Photoset not found")
        if query.get("photo_id") not in self.items:
            raise self.fail(2, "Photo not found")
        if query["photo_id"] in album["items"]:
            raise self.fail(3, "Photo already in set")
        album["items"].append(query["photo_id"])
        return {}

    def photo(self, query):
        item = self.items.get(query.get("photo_id"))
        if item is None:
            raise self.fail(1, "Photo not found")
        return item

    def info(self, query):
        item = self.photo(query)
        return {"photo": {
            "id": item["id"], "title": {"_content": item["title"]}, "description": {"_content": item["caption"]},
            "tags": {"tag": [{"raw": tag} for tag in item["tags"].split()]}}}

    def search(self, query):
        wanted = set((query.get("tags", "") + " " + query.get("machine_tags", "")).replace(",", " ").split())
        found = [item for item in self.items.values() if wanted <= set(item["tags"].replace('"', " ").split())]
        return {"photos": {"page": 1, "pages": 1, "total": len(found), "photo": [
            {"id": item["id"], "title": item["title"]} for item in found]}}

    def delete(self, query):
        del self.items[self.photo(query)["id"]]
        return {}
