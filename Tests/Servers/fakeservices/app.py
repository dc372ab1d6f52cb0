"""The control address for tests, and the one service that this process is."""
import base64
import hashlib
import json
import os
import threading

from fakecloud.answers import Answer, Gone
from fakecloud.plan import Plan

from .service import Refused, json_answer

CONTROL = "/__fake/"


class App:
    def __init__(self, options, make):
        self.options = options
        self.make = make
        self.generation = 0
        self.folder = os.path.join(options.directory, "bodies")
        os.makedirs(self.folder, exist_ok=True)
        self.plan = Plan()
        self.lock = threading.Lock()
        self.held = {}
        self.begin()

    def begin(self):
        """As it is at the start. Credentials stay what they are."""
        with self.lock:
            self.entries = []
            self.bytes_taken = 0
            held, self.held = self.held, {}
            self.generation += 1
        for gate in held.values():
            gate.set()
        self.plan.clear()
        self.settings = {"checksTypes": False, "maxPhoto": None, "maxVideo": None, "wait": 1, "albumLag": 0} | self.make.settings
        self.service = self.make(self)

    def secret(self, length):
        """The same as often as it is asked for, and another for each length and each stand-in."""
        made = hashlib.sha512(f"{self.options.control} {length}".encode()).digest()
        return base64.urlsafe_b64encode(made).decode().replace("-", "x").replace("_", "y")[:length]

    # What was seen

    def count(self, bytes_count):
        with self.lock:
            self.bytes_taken += bytes_count

    def note_request(self, request, fault):
        headers = {name: value for name, value in request.headers.items()}
        if "Authorization" in headers:
            headers["Authorization"] = headers["Authorization"].partition(" ")[0]
        found = self.service.route(request)
        with self.lock:
            entry = {
                "number": len(self.entries) + 1, "method": request.method, "path": request.path,
                "target": request.target, "step": found[0] if found else "", "headers": headers, "status": 0,
                "bodyBytes": 0, "isFault": bool(fault), "isDone": False,
            }
            self.entries.append(entry)
        return entry

    def note_answer(self, entry, request, status):
        with self.lock:
            entry |= {"status": status, "bodyBytes": request.body.count, "isDone": True}

    # Control

    def is_control(self, request):
        return (
            request.raw_path.startswith(CONTROL)
            and request.header("X-Fake-Control", "") == self.options.control
        )

    def control(self, request):
        name = request.path[len(CONTROL):]
        method = request.method
        try:
            value = json.loads(request.body.small() or b"null")
            if name == "state":
                return json_answer(200, self.service.state() | {"openFaults": len(self.plan.state())})
            if name == "reset":
                self.begin()
                self.plan.add(value or [])
                return Answer(204)
            if name == "requests" and method == "GET":
                with self.lock:
                    return json_answer(200, self.entries[int(request.parameters().get("since", 0)):])
            if name == "requests" and method == "DELETE":
                with self.lock:
                    self.entries = []
                    self.bytes_taken = 0
                return Answer(204)
            if name == "counts":
                with self.lock:
                    return json_answer(200, {"bytesTaken": self.bytes_taken, "requests": len(self.entries)})
            if name == "plan":
                if method == "POST":
                    self.plan.add(value if isinstance(value, list) else [value])
                elif method == "DELETE":
                    self.plan.clear()
                return json_answer(200, self.plan.state())
            if name == "settings":
                if method == "POST":
                    unknown = set(value) - set(self.settings)
                    if unknown:
                        raise ValueError(f"there is no setting {', '.join(sorted(unknown))}")
                    self.settings |= value
                return json_answer(200, self.settings)
            if name == "release":
                self.gate(value["hold"]).set()
                return Answer(204)
            if name in ("expire-tokens", "revoke-tokens", "expire-sessions"):
                with self.service.lock:
                    if name == "expire-sessions":
                        self.service.sessions.clear()
                    else:
                        self.service.end_tokens(name == "revoke-tokens")
                return Answer(204)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return json_answer(400, {"error": str(error)})
        return json_answer(404, {"error": f"there is no {name}"})

    def gate(self, name):
        with self.lock:
            return self.held.setdefault(name, threading.Event())

    def hold(self, name):
        generation = self.generation
        self.gate(name).wait(300)
        if generation != self.generation:
            raise Gone()

    def expire_tokens(self):
        with self.service.lock:
            self.service.end_tokens(False)

    # What the connection asks for

    def fault_path(self, request):
        """`STEP PATH?QUERY`, so that a fault can name a step."""
        found = self.service.route(request)
        return f"{found[0] if found else '-'} {request.path}?{request.query}"

    def ordered(self, status, headers):
        return self.service.sentence(status, headers)

    def common_headers(self, request):
        return self.service.common_headers(request)

    def short_body(self, short):
        raise ConnectionError("the body is short")

    def handle(self, request):
        try:
            return self.service.handle(request)
        except Refused as refused:
            if refused.closes:
                request.handler.close_connection = True
                request.body.is_read = True
            return refused.answer
