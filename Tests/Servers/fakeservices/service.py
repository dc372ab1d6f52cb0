"""What the services here have in common: routes with names, what they hold, settings, and how they refuse."""
import json
import re
import threading
import time
import uuid

from fakecloud.answers import Answer, page

from . import forms


class Refused(Exception):
    """Ends a request with this answer."""

    def __init__(self, answer, closes=False):
        super().__init__(answer.status)
        self.answer = answer
        self.closes = closes


def json_answer(status, value, headers=()):
    return Answer(status, headers, json.dumps(value), "application/json; charset=utf-8")


def text_answer(status, text, headers=()):
    return Answer(status, headers, text, "text/plain; charset=utf-8")


def iso(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))


class Service:
    """One service. A subclass says `routes`: (step, method, path as a pattern, name of the method that answers)."""

    routes = []
    settings = {}
    # With what it is spoken to by who has its recipe.
    hosts = []
    # Waits that it orders.
    wait = 1

    def __init__(self, app):
        self.app = app
        self.lock = threading.RLock()
        self.items = {}
        self.posts = {}
        self.albums = {}
        self.sessions = {}
        self.counter = 0
        self.patterns = [(step, method, re.compile(path), name) for step, method, path, name in self.all_routes()]

    def all_routes(self):
        return self.routes

    # What a test is told

    def state(self):
        def listed(found):
            return [{key: value for key, value in one.items() if not key.startswith("_")} for one in found.values()]

        with self.lock:
            return {
                "items": listed(self.items), "posts": listed(self.posts), "albums": listed(self.albums),
                "sessions": self.open_sessions(),
            }

    def open_sessions(self):
        return len(self.sessions)

    def credentials(self):
        """Lines of the env file."""
        return {}

    def end_tokens(self, wholly):
        """All access tokens end; wholly: and nothing renews them."""
        self.accounts.end(wholly)

    # Requests

    def route(self, request):
        for step, method, pattern, name in self.patterns:
            if method == request.method:
                match = pattern.fullmatch(request.path)
                if match:
                    more = self.step(step, request)
                    return more or step, name, match
        return None

    def step(self, step, request):
        """A step's name where the path does not tell it."""
        return None

    def handle(self, request):
        found = self.route(request)
        if found is None:
            raise Refused(self.not_found(request))
        if request.body.is_chunked:
            # None of them documents that it takes one, and some do not.
            raise Refused(self.sentence(411, []), closes=True)
        _, name, match = found
        try:
            return getattr(self, name)(request, *match.groups())
        except forms.BadForm as error:
            raise Refused(self.bad_request(str(error))) from error
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise Refused(self.bad_request(str(error))) from error

    def not_found(self, request):
        return page(404)

    def bad_request(self, message):
        return self.sentence(400, [], message)

    def sentence(self, status, headers, message=None):
        """How it words a status."""
        return page(status, headers)

    def common_headers(self, request):
        return []

    # For subclasses

    def setting(self, name):
        return self.app.settings[name]

    def multipart(self, request):
        return forms.multipart(request, self.app.folder)

    def read(self, request, keep=None):
        return forms.read(request, self.app.folder, keep)

    def number(self):
        with self.lock:
            self.counter += 1
            return self.counter

    def uuid(self):
        return str(uuid.UUID(int=0x10000000_0000_4000_8000_000000000000 + self.number()))

    def keep(self, id, data, **fields):
        """Something is at the service from now on."""
        item = {"id": id, "size": len(data), "sha256": data.hex(), "mime": forms.kind_of(data), "at": time.time()}
        item |= fields
        with self.lock:
            self.items[id] = item
        return item

    def listed_albums(self):
        """As a list shows them that lags: a new one is left out as often as the setting `albumLag` says."""
        listed = []
        for album in self.albums.values():
            album.setdefault("_unlisted", self.setting("albumLag"))
            if album["_unlisted"]:
                album["_unlisted"] -= 1
            else:
                listed.append(album)
        return listed

    def is_refused_type(self, data, allowed=None):
        if not self.setting("checksTypes"):
            return False
        kind = forms.kind_of(data)
        return kind is None or (allowed is not None and kind not in allowed)

    def is_video(self, data, kind=None):
        return (forms.kind_of(data) or kind or "").startswith("video/")

    def too_large(self, data, kind=None):
        most = self.setting("maxVideo" if self.is_video(data, kind) else "maxPhoto")
        return most is not None and len(data) > most
