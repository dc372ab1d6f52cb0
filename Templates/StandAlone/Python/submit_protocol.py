"""Speaks version 1 of the plug-in protocol of `submit`, so that a submitter need not. Nobody has to edit this file.

`serve(SomeSubmitter)` serves a subclass of `Submitter` over standard input and output. Every request runs in a thread of
its own, never more `submit` at once than the capability `width` says.
"""
import base64
import itertools
import json
import os
import queue
import sys
import threading
import time
import traceback


class Failure(Exception):
    """Why something did not happen, and what the host does next: `retry`, `renewCredentials`, `park` (with a `reason`:
    unreachable, full, throttled, misconfigured), `giveUp`, `sourceLost`, `cancelled` or `outcomeUnknown`. The sentence
    is for people: what happened, and what to do. `more` may have `reason` and `afterMilliseconds`."""

    def __init__(self, remedy, code, sentence, **more):
        super().__init__(sentence)
        self.fields = {"remedy": remedy, "code": code, "sentence": sentence, **more}


class Submitter:
    """One configured destination. A request whose methods it does not have is answered with `unsupported`."""

    SUMMARY, CAPABILITIES, SETTINGS, SILENCE_SECONDS = "", {}, [], 300

    def __init__(self, host, destination, settings):
        self.host, self.destination, self.settings = host, destination, settings

    def secret(self, name):
        """The text of a secret setting, or None. Ask when it is needed, and put it into no message."""
        return self.host.ask("secret", name=name).get("text")

    def note(self, topic):
        """What was remembered of the server in an earlier process, or None."""
        return self.host.ask("note", topic=topic).get("text")

    def keep_note(self, topic, text):
        self.host.ask("keepNote", topic=topic, text=text)

    def log(self, text):
        self.host.tell(message="log", text=text)

    def meaning(self, error):
        """The Failure that an exception is, or None for a fault of the program."""


class Submission:
    """One attempt: what is to be sent, and what is to be told meanwhile."""

    def __init__(self, host, request, cancelled):
        self.host, self.request_id, self.cancelled = host, request["id"], cancelled
        self.id, self.attempt, self.item = request["submission"], request["attempt"], request["item"]
        self.name, self.size = self.item["name"], self.item["size"]
        self.sha256 = self.item["digests"]["sha256"]
        self.album, self.checkpoint = request.get("album"), request.get("checkpoint")
        self.on_conflict, self.verification = request["onConflict"], request["verification"]
        self.path, self.file = request.get("path"), None
        self.progress, self.told = {}, 0.0

    def stop_if_cancelled(self):
        """Call it often: a cancelled submission has to end within 10 seconds."""
        if self.cancelled.is_set():
            raise Failure("cancelled", "cancelled", "It was cancelled.")

    def read(self, offset, count):
        """These bytes of the item, all of them."""
        self.stop_if_cancelled()
        pieces = []
        while count > 0:
            piece = self.read_some(offset, count)
            if not piece:
                raise Failure("retry", "source-short", f"“{self.name}” ended too early: it is tried again.")
            pieces.append(piece)
            offset, count = offset + len(piece), count - len(piece)
        return b"".join(pieces)

    def read_some(self, offset, count):
        if self.path is None:
            answer = self.host.ask("read", id=self.request_id, offset=offset, length=min(count, 262144))
            return base64.b64decode(answer.get("bytes", ""))
        try:
            if self.file is None:
                self.file = open(self.path, "rb", buffering=0)
            return os.pread(self.file.fileno(), count, offset)
        except OSError as error:
            raise Failure("retry", "source-unreadable", f"“{self.name}” cannot be read ({error.strerror}).") from error

    def sent(self, count):
        """So many bytes are there or on their way."""
        self.progress["sent"] = count
        if time.monotonic() - self.told > 0.25:
            self.tell_progress()

    def landed(self, count):
        """So many bytes need not be sent again if this attempt breaks."""
        self.progress["landed"] = count
        self.tell_progress()

    def tell_progress(self):
        if self.progress:
            self.host.tell(message="progress", id=self.request_id, **self.progress)
        self.progress, self.told = {}, time.monotonic()

    def keep(self, text):
        """Keeps a checkpoint, or forgets it with None. It is on disk when this returns."""
        if not isinstance(text, str | None):
            raise TypeError(f"a checkpoint is a text, and this is of type {type(text).__name__}")
        self.checkpoint = text
        self.host.ask("checkpoint", id=self.request_id, **({} if text is None else {"text": text}))

    def unchanged(self):
        """Call it before a copy becomes visible: raises if the source is no longer what was accepted."""
        self.host.ask("unchanged", id=self.request_id)
        self.stop_if_cancelled()


class Host:
    """The other side of the pipe."""

    FACETS = {
        "albums": "create_album", "presence": "presence", "links": "link", "leftovers": "leftovers",
        "removal": "remove", "login": "begin_login",
    }

    def __init__(self, kind):
        # Whatever prints goes to standard error: standard output is the host's.
        self.output = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)
        self.kind, self.submitter = kind, None
        self.lock, self.questions, self.numbers = threading.Lock(), {}, itertools.count(1)
        self.seats = threading.BoundedSemaphore(16)

    def tell(self, **fields):
        line = memoryview(json.dumps(fields).encode() + b"\n")
        with self.lock:
            while line:
                line = line[self.output.write(line):]

    def ask(self, message, **fields):
        """Puts a question and waits for the answer; raises the host's own failure where it is denied."""
        reply = queue.SimpleQueue()
        with self.seats:
            number = next(self.numbers)
            self.questions[number] = reply
            self.tell(message=message, question=number, **fields)
            answer = reply.get()
        if answer["message"] == "denied":
            raise Failure(**{key: answer[key] for key in answer if key not in ("message", "question")})
        return answer

    def serve(self):
        open_requests = {}
        for line in sys.stdin.buffer:
            message = json.loads(line)
            kind = message["message"]
            if kind in ("answer", "denied", "unsupported"):
                self.questions.pop(message["question"]).put(message)
            elif kind == "cancel":
                if message["id"] in open_requests:
                    open_requests[message["id"]].set()
            else:
                cancelled = open_requests[message["id"]] = threading.Event()
                arguments = (message, cancelled, open_requests)
                threading.Thread(target=self.answer, args=arguments, daemon=True).start()
        os._exit(0)  # The host is gone: nothing may go on.

    def answer(self, request, cancelled, open_requests):
        ending = {"message": "unsupported"}
        try:
            handler = getattr(self, "do_" + request["message"], None)
            outcome = handler(request, cancelled) if handler else None
            if outcome is not None:
                ending = {"message": "done", **outcome}
        except BaseException as error:  # sys.exit ends no thread of its own: nobody else would answer.
            ending = {"message": "failed", **self.failure(error).fields}
        del open_requests[request["id"]]
        self.tell(id=request["id"], **ending)

    def failure(self, error):
        known = error if isinstance(error, Failure) else self.submitter and self.submitter.meaning(error)
        if known:
            return known
        traceback.print_exception(error)
        frames = traceback.extract_tb(error.__traceback__)
        where = next((frame for frame in reversed(frames) if frame.filename != __file__), frames[-1])
        return Failure(
            "park", "fault", f"The submitter has a fault ({type(error).__name__}: {error}) at line {where.lineno} of "
            f"{where.filename}: mend it.", reason="misconfigured")

    def do_hello(self, request, _):
        if 1 not in request["versions"]:
            raise Failure("park", "version", "This submitter speaks version 1 alone: renew it.", reason="misconfigured")
        return {
            "version": 1, "summary": self.kind.SUMMARY, "capabilities": self.kind.CAPABILITIES,
            "settings": self.kind.SETTINGS, "silenceSeconds": self.kind.SILENCE_SECONDS,
        }

    def do_configure(self, request, _):
        destination, settings = request["destination"], request["settings"]
        given = [*settings, *request["secrets"]]
        for key in self.kind.SETTINGS:
            if key.get("required") and key["name"] not in given:
                sentence = (f"The setting “{key['name']}” of the destination “{destination}” is not set: "
                            "give it a value below the destination in the configuration.")
                raise Failure("park", "configuration", sentence, reason="misconfigured")
        self.submitter = self.kind(self, destination, settings)
        return {"facets": [name for name, method in self.FACETS.items() if hasattr(self.submitter, method)]}

    def do_check(self, request, _):
        return {"text": self.submitter.check()}

    def do_submit(self, request, cancelled):
        submission = Submission(self, request, cancelled)
        try:
            receipt = self.submitter.submit(submission)
            submission.tell_progress()
            return {"receipt": receipt}
        finally:
            if submission.file:
                submission.file.close()

    def do_discard(self, request, cancelled):
        self.submitter.discard(Submission(self, request, cancelled))
        return {}

    def do_presence(self, request, _):
        try:
            evidence = self.submitter.presence(
                request["item"], request["receipt"], request.get("verification", "usual"))
            if isinstance(evidence, dict):
                return evidence
            return {"presence": "present", "evidence": evidence} if evidence else {"presence": "absent"}
        except Exception as error:
            return {"presence": "unknown", "why": self.failure(error).fields["sentence"]}

    def do_albums(self, request, _):
        return {"albums": sorted(self.submitter.albums())}

    def do_createAlbum(self, request, _):
        return self.submitter.create_album(request["album"]) or {}

    def do_link(self, request, _):
        return {"url": self.submitter.link(request["receipt"], request["seconds"])}

    def do_leftovers(self, request, _):
        return {"leftovers": self.submitter.leftovers(request["sparing"])}

    def do_removeLeftover(self, request, _):
        return self.submitter.remove_leftover(request["leftover"]) or {}

    def do_remove(self, request, _):
        return self.submitter.remove(request["receipt"]) or {}

    def do_removeAlbum(self, request, _):
        return self.submitter.remove_album(request["album"]) or {}


def serve(kind):
    Host(kind).serve()


def instead(reason):
    """The answer of `presence` if something else has the copy's name, by the reason: `size`, `digest` or `kind`."""
    return {"presence": "absent", "instead": reason}


def numbered(name, number):
    """The name for the `number`th try when others hold it: `IMG_1.jpg` becomes `IMG_1-1.jpg`. At most 255 bytes."""
    stem, _, extension = name.rpartition(".")
    if not stem or not extension or len(extension.encode()) > 64:
        stem, ending = name, ""
    else:
        ending = "." + extension
    if number:
        ending = f"-{number}{ending}"
    return stem.encode()[:255 - len(ending.encode())].decode(errors="ignore") + ending
