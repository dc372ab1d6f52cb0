"""What strangers try: each is refused in one sentence, costs little, and keeps nobody else out."""
import base64
import json
import re
import select
import socket
import ssl
import subprocess
import threading
import time
import unicodedata
from urllib.parse import quote

from claims import equal, need, until
from receiver import TOLERANT, Answer, is_sentence


def refusals(receiver):
    """By whom and from where is asked."""
    invite, seen = receiver.invite(), []

    def refused(what, answer, status, code):
        equal(f"the answer to {what}", (answer.status, answer.error), (status, code))
        seen.append(f"{what} {status}")

    page = f"/r/{invite.id}"
    refused("another Host", receiver.ask("GET", page, host=f"evil.example:{receiver.port}"), 421, "other-host")
    refused("a Host without our port", receiver.ask("GET", page, host="127.0.0.1"), 421, "other-host")
    body = {"secret": invite.secret}
    claim = f"{page}/claim"
    for name, value in (("Origin", "https://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
                        ("Sec-Fetch-Site", "same-site")):
        refused(f"{name}: {value}", receiver.ask("POST", claim, body, {name: value}), 403, "other-origin")
    wrong = {"secret": "A" * 22}
    refused("a wrong secret", receiver.ask("POST", claim, wrong), 404, "wrong-secret")
    refused("a secret in the address", receiver.ask("GET", f"{page}%23{invite.secret}"), 400, "secret-in-address")
    refused("no session", receiver.ask("GET", "/status"), 401, "no-session")
    refused("a token that is none", receiver.ask("GET", "/status", headers={"Authorization": "Bearer x"}), 401, "no-session")
    refused("a file without a session", receiver.ask("PUT", "/put/a.jpg", b"x"), 401, "no-session")
    refused("another method", receiver.ask("DELETE", page), 405, "method")
    refused("another path", receiver.ask("GET", "/etc/passwd"), 404, "nothing-here")

    attempt = "a-text-of-its-own-1234"
    first = receiver.claim(invite, attempt)
    equal("the answer to the first claimant", first.status, 200)
    refused("a second claimant", receiver.claim(invite, "a-text-of-another-567", source="127.0.0.9"), 403, "invite-claimed")
    refused("the secret once more", receiver.claim(invite), 403, "invite-claimed")
    again = receiver.claim(invite, attempt)
    equal("the answer to who lost the answer", again.status, 200)
    former = {"Authorization": f"Bearer {first.json['token']}"}
    refused("the token before that", receiver.ask("GET", "/status", headers=former), 401, "no-session")
    receiver.tokens = getattr(receiver, "tokens", []) + [first.json["token"], again.json["token"]]
    other = receiver.come_in()
    file = receiver.ask("POST", "/files", b"", {**other, "Tus-Resumable": "1.0.0", "Upload-Length": "100000"})
    equal("the answer to a file that begins", file.status, 201)
    mine = {"Authorization": f"Bearer {again.json['token']}", "Tus-Resumable": "1.0.0"}
    answer = receiver.ask("HEAD", file.headers["location"], headers=mine)
    equal("the answer to a file of another session", answer.status, 404)
    equal("the answer to its end", receiver.ask("DELETE", file.headers["location"], headers={**other, **{
        "Tus-Resumable": "1.0.0"}}).status, 204)
    return ", ".join(seen)


def guesses(receiver):
    """Wrong secrets: a few a minute and address, and an invite that nobody opens any more."""
    invite = receiver.invite()
    body = {"secret": "B" * 22}
    path = f"/r/{invite.id}/claim"
    codes = [receiver.ask("POST", path, body, source="127.0.0.20").error for _ in range(6)]
    equal("the answers to six wrong secrets from one address", codes, ["wrong-secret"] * 5 + ["too-often"])
    answer = receiver.claim(invite, source="127.0.0.20")
    equal("the answer to the right one from there", (answer.status, answer.error), (429, "too-often"))
    wait = int(answer.headers["retry-after"])
    need(0 < wait <= 61, f"Retry-After is {wait}")
    codes = [receiver.ask("POST", path, body, source=f"127.0.0.{21 + n // 5}").error for n in range(15)]
    equal("the answer to the twentieth", codes[-1], "invite-locked")
    answer = receiver.claim(invite)
    equal("the answer to the right one after twenty", (answer.status, answer.error), (403, "invite-locked"))
    return f"429 after 5 from one address (wait {wait} s), locked after 20 from 4"


def followed(receiver):
    """What nobody can use any more is of no use on a screen."""
    shown = len(receiver.find("invite"))
    until("no new code", 10, lambda: len(receiver.find("invite")) > 1)
    return f"{shown} were shown"


def is_harmless(name):
    return (name not in ("", ".", "..") and len(name.encode()) <= 255 and not set(name) & set("/\\")
            and not any(unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp") and sign not in "\u200c\u200d"
                        for sign in name))


NAMES = ["..", "../../up.jpg", "..\\..\\windows.jpg", "/etc/cron.d/absolute.jpg", "nul\0byte.jpg", "bidi\u202egpj.exe.jpg",
         "x" * 296 + ".jpg", "語" * 100 + ".jpg", "\x1b[2J\x1b]0;owned\x07escape.jpg", "line\nbreak\r.jpg", "CON.jpg",
         ".bashrc.jpg", "-rf.jpg", "a\u2028b.jpg", "<script>alert(1)</script>.jpg", "%2e%2e%2fpercent.jpg", " ", "\u0301.jpg",
         "$(reboot).jpg", "file.jpg.", "e\u0301.jpg"]


def names(receiver, places, photos, sent):
    """Names that are no names. Each file arrives, under one that harms nobody."""
    session = receiver.come_in()
    for number, name in enumerate(NAMES):
        path = photos.make(f"name-{number:02}.jpg", 1)
        data = path.read_bytes()
        if number % 2:
            metadata = "filename " + base64.b64encode(name.encode()).decode()
            headers = {**session, "Tus-Resumable": "1.0.0", "Upload-Length": str(len(data)), "Upload-Metadata": metadata,
                       "Content-Type": "application/offset+octet-stream"}
            answer = receiver.ask("POST", "/files", data, headers)
        else:
            answer = receiver.ask("PUT", f"/put/{quote(name, safe='')}", data, session)
        equal(f"the answer to a file called {name[:40]!r}", answer.status, 201)
        sent.append(path)
    for path in ("/put/..%2f..%2f..%2fslash.jpg", "/put/../../dots.jpg", "/put/a//b.jpg", "/put/%2e%2e/%2e%2e/encoded.jpg"):
        file = photos.make(f"path-{len(sent)}.jpg", 1)
        equal(f"the answer to {path}", receiver.ask("PUT", path, file.read_bytes(), session).status, 201)
        sent.append(file)
    for path in ("/put/%ff%fe.jpg", "/put/%c0%ae%c0%ae.jpg", "/put/%zz.jpg"):
        answer = receiver.ask("PUT", path, b"x", session)
        equal(f"the answer to {path}", (answer.status, answer.error), (400, "name"))
    count = len(NAMES) + 4
    until(lambda: f"{sum(f['safe'] for f in receiver.files(session))} of {count} are safe", 90,
          lambda: sum(file["safe"] for file in receiver.files(session)) == count, every=0.3)
    told = [file["name"] for file in receiver.files(session)]
    bad = [name for name in told if not is_harmless(name)]
    need(not bad, f"told as {bad}")
    for place, folder in places.folders.items():
        for path in places.paths(place):
            for part in path.relative_to(folder).parts:
                need(is_harmless(part) and not part.startswith("."), f"{place} has {part!r}")
    answer = receiver.ask("POST", "/offer", {"files": [{"name": name, "size": 0} for name in NAMES]}, session)
    for refused in answer.json["files"]:
        need(is_sentence(refused["message"]) and "\u202e" not in refused["message"], f"an offer is told {refused}")
    for text in receiver.output:
        need("\x1b" not in text and "\u202e" not in text and "\u2028" not in text, f"the output has {text!r}")
    return f"{count} files arrived under names such as {sorted(told)[0]!r}; 3 that are no UTF-8 refused with 400"


def old_codes(begin, secrets):
    """An invite whose time is over, and one that was never used before its `submit receive` ended."""
    first = begin("--for", "2s")
    late = first.invite()
    # It may not withdraw it: so that only the time has passed.
    first.kill()
    second = begin()
    unused = second.invite()
    equal("its end", second.end(), 0)
    third = begin()
    until("its time is not over", 10, lambda: time.time() > late.expires + 1)
    answers = [(a.status, a.error) for a in (third.claim(late), third.claim(unused))]
    equal("the answers to the two", answers, [(410, "invite-expired"), (410, "invite-revoked")])
    used = third.invite()
    equal("the answer to a fresh one", third.claim(used).status, 200)
    equal("its end", third.end(), 0)
    fourth = begin()
    answer = fourth.claim(used)
    equal("the answer to a used one after a restart", (answer.status, answer.error), (403, "invite-claimed"))
    secrets += [late.secret, unused.secret, used.secret]
    fourth.end()
    return "expired 410, withdrawn at the end 410, used before a restart 403"


def raw(receiver, data, within=10):
    """What comes back, until it is closed. Who is refused early does not read all that is sent."""
    with socket.create_connection((receiver.address, receiver.port), within) as plain:
        with TOLERANT.wrap_socket(plain) as secured:
            secured.setblocking(False)
            rest, answer, deadline = b"".join(data), b"", time.monotonic() + within
            # One thread for both ways, as OpenSSL's connections are for one.
            while time.monotonic() < deadline:
                select.select([secured], [secured] if rest else [], [], 0.05)
                try:
                    while piece := secured.recv(1 << 16):
                        answer += piece
                    return answer
                except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    pass
                except OSError as error:
                    return answer + f"\n[{error}]".encode()
                try:
                    rest = rest[secured.send(rest[:1 << 16]):] if rest else rest
                except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    pass
                except OSError:
                    rest = b""
            return answer


def bombs(receiver):
    host = f"Host: {receiver.address}:{receiver.port}\r\n".encode()
    start = b"GET /r/x HTTP/1.1\r\n" + host
    seen, peak = [], receiver.peak
    cases = {
        "one header of 1 MB": [start, b"X: ", b"x" * 1_000_000, b"\r\n\r\n"],
        "10,000 headers": [start, *(b"X-%d: x\r\n" % n for n in range(10_000)), b"\r\n"],
        "a path of 1 MB": [b"GET /r/", b"x" * 1_000_000, b" HTTP/1.1\r\n", host, b"\r\n"],
        "headers of 100 MB": [start, *(b"Y: " + b"y" * 65_000 + b"\r\n" for _ in range(1_600))],
        "no HTTP": [b"\0\xff" * 50_000, b"\r\n\r\n"],
    }
    for what, data in cases.items():
        began = time.monotonic()
        answer = raw(receiver, data)
        seconds = time.monotonic() - began
        first = answer.split(b"\r\n")[0].decode(errors="replace")[:60]
        need(seconds < 8, f"{what}: it was listened to for {seconds:.0f} s ({first})")
        need(re.match(r"HTTP/1.1 (400|413|414|431)", first) or not first.startswith("HTTP"), f"{what} is answered {first!r}")
        seen.append(f"{what}: {first.strip() or 'closed'}")
    equal("the answer to somebody else after it", receiver.ask("GET", "/r/x").status, 200)
    return f"{'; '.join(seen)}; memory at most {peak:.0f} before, {receiver.peak:.0f} MiB after"


def offers(receiver, folder):
    session = receiver.come_in()
    before = receiver.peak
    million = folder / "million.json"
    entry = '{"name":"IMG_0001.jpg","size":1000,"sha256":"%s"}' % ("0" * 64)
    with open(million, "w") as file:
        file.write('{"files":[' + ",".join([entry] * 1_000_000) + "]}")
    seen = []
    for how, more in (("with its length", []), ("in chunks", ["-H", "Transfer-Encoding: chunked"])):
        done = subprocess.run(
            ["curl", "-sS", "-k", "--noproxy", "*", "-X", "POST", "-H", f"Authorization: {session['Authorization']}", "-H",
             "Content-Type: application/json", *more, "-T", str(million), "-w", "\n%{http_code}", "--max-time", "60",
             f"https://{receiver.address}:{receiver.port}/offer"], capture_output=True, text=True)
        body, _, status = done.stdout.rpartition("\n")
        need(status == "413", f"{how}: {status} {body[:200]} {done.stderr[:200]}")
        seen.append(f"{how} {Answer(413, {}, body).error}")
    million.unlink()
    short = json.dumps({"files": [{"name": "a", "size": 1}] * 40_000}, separators=(",", ":")).encode()
    answer = receiver.ask("POST", "/offer", short, {**session, "Content-Type": "application/json"})
    equal("the answer to 40,000 entries in 1 MB", (answer.status, answer.error), (403, "too-many-offered"))
    deep = b'{"files":' + b"[" * 500_000 + b"]" * 500_000 + b"}"
    answer = receiver.ask("POST", "/offer", deep, {**session, "Content-Type": "application/json"})
    equal("the answer to 500,000 brackets", (answer.status, answer.error), (400, "offer"))
    return (f"a million entries, 110 MB, {', '.join(seen)}; 40,000 entries and 500,000 brackets refused, too; "
            f"memory at most {before:.0f} before, {receiver.peak:.0f} MiB after")


class Slow:
    """Connections of one address, another one than those of others here, on which a request never ends."""

    def __init__(self, receiver, count, is_silent):
        self.sockets, self.refused, self.is_over = [], 0, False
        for _ in range(count):
            try:
                plain = socket.create_connection((receiver.address, receiver.port), 2, ("127.0.0.2", 0))
                plain.settimeout(2)
                if not is_silent:
                    plain = TOLERANT.wrap_socket(plain)
                    plain.sendall(f"GET /r/x HTTP/1.1\r\nHost: {receiver.address}:{receiver.port}\r\nX: ".encode())
                self.sockets.append(plain)
            except OSError:
                self.refused += 1
        self.thread = threading.Thread(target=self.trickle, args=(is_silent,), daemon=True)
        self.thread.start()

    def trickle(self, is_silent):
        while not self.is_over:
            for one in list(self.sockets):
                try:
                    if not is_silent:
                        one.sendall(b"x")
                    one.settimeout(0.001)
                    if one.recv(1) == b"":
                        self.sockets.remove(one)
                except TimeoutError:
                    pass
                except OSError:
                    self.sockets.remove(one)
            time.sleep(0.5)

    def close(self):
        self.is_over = True
        self.thread.join(10)
        for one in self.sockets:
            one.close()


class Watcher:
    """Somebody else, who asks again and again, each time on a connection of its own."""

    def __init__(self, receiver, session):
        self.waits, self.is_over = [], False
        self.thread = threading.Thread(target=self.ask, args=(receiver, session), daemon=True)
        self.thread.start()

    def ask(self, receiver, session):
        while not self.is_over:
            began = time.monotonic()
            while True:
                try:
                    if receiver.ask("GET", "/status", headers=session, within=5).status == 200:
                        break
                except OSError:
                    pass
                if self.is_over or time.monotonic() - began > 120:
                    break
            self.waits.append(time.monotonic() - began)
            time.sleep(0.2)

    def close(self):
        self.is_over = True
        self.thread.join(130)
        return max(self.waits)


def slow_senders(receiver, count):
    """How long others wait meanwhile, and how long those last."""
    session = receiver.come_in()
    watcher = Watcher(receiver, session)
    others = []
    try:
        others = [Slow(receiver, count // 2, True), Slow(receiver, count - count // 2, False)]
        began, most = time.monotonic(), sum(len(other.sockets) for other in others)
        until(lambda: f"{sum(len(o.sockets) for o in others)} of them are still there", 60,
              lambda: not any(other.sockets for other in others), every=0.5)
        lasted = time.monotonic() - began
    finally:
        for other in others:
            other.close()
        waited = watcher.close()
    need(waited < 5, f"with {count} that never end a request, {most} of them let in at once, somebody else waited for {waited:.0f} s")
    return f"{count} that never end a request: others served within {waited:.1f} s, they were closed after {lasted:.0f} s"


def secrecy(receivers, more):
    """No secret stands anywhere but in the line that shows it."""
    looked = 0
    for receiver in receivers:
        shown = [event["url"].split("#")[1] for event in receiver.find("invite")]
        output, log = receiver.output, receiver.log.read_text(errors="replace")
        for secret in shown:
            lines = [line for line in output if secret in line]
            equal("lines of output with a code's secret", len(lines), 1)
            need('"event":"invite"' in lines[0], f"it stands in {lines[0][:100]}")
        for secret in [*shown, *getattr(receiver, "tokens", []), *more]:
            need(secret not in log, f"a secret stands in {receiver.log}")
            looked += 1
        for token in getattr(receiver, "tokens", []):
            need(not any(token in line for line in output), "a token stands in the output")
        for secret in [*shown, *getattr(receiver, "tokens", [])]:
            found = receiver.home.files_with(secret)
            need(not found, f"a secret stands in {found}")
    return f"{looked} secrets looked for in all output, logs, journals and files of {len(receivers)} times of receiving"


def bounded(receiver, most):
    peak = receiver.peak
    need(peak <= most, f"submit-serve had {peak:.0f} MiB in memory at most, not {most}")
    return f"at most {peak:.0f} MiB of {most}"
