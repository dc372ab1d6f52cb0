"""Each option of `submit receive`, tried live."""
import base64
import json
import subprocess
import time

from claims import equal, need, until
from photos import digest
from receiver import Receiver, submit


class Options:
    def __init__(self, begin, program, photos, folder, phones, pictures):
        """`begin` starts a receiver on a home of its own, to the folder alone."""
        self.begin, self.program, self.photos, self.folder = begin, program, photos, folder
        self.phones, self.pictures = phones, pictures

    def put(self, receiver, session, name, size=1):
        path = self.photos.make(name, size)
        answer = receiver.ask("PUT", f"/put/{name}", path.read_bytes(), session)
        return path, answer

    def sent(self, receiver, session, name):
        path, answer = self.put(receiver, session, name)
        equal(f"the answer to {name}", answer.status, 201)
        receiver.until_safe(session, [name])
        return path

    def confirm(self):
        receiver, places = self.begin("confirm", "--confirm", stdin=subprocess.PIPE)
        phone = self.phones.phone().open(receiver)
        try:
            phone.page.locator("#words").wait_for()
            words = phone.page.locator("#word-list").inner_text()
            phone.picture(self.pictures / "confirm.png")
            asked = receiver.event("confirm")
            equal("the words on both screens", asked["words"], words.split())
            equal("how many they are", len(words.split()), 4)
            need(not phone.page.locator("#choose").is_visible(), "photos can be chosen before it is accepted")
            receiver.process.stdin.write(b"y\n")
            receiver.process.stdin.flush()
            receiver.event("confirmed")
            path = self.photos.make("confirmed.jpg", 1)
            phone.choose([path]).until_all_safe(1)
            phone.quiet()
        finally:
            phone.close()
        session = receiver.come_in()
        answer = self.put(receiver, session, "early.jpg")[1]
        equal("the answer before it is accepted", (answer.status, answer.error), (403, "unconfirmed"))
        until("it is not asked", 20, lambda: len(receiver.find("confirm")) == 2)
        receiver.process.stdin.write(b"n\n")
        receiver.process.stdin.flush()
        receiver.event("declined")
        answer = self.put(receiver, session, "late.jpg")[1]
        equal("the answer after it was declined", (answer.status, answer.error), (403, "declined"))
        equal("what arrived", [p.name for p in places.paths("folder")], ["confirmed.jpg"])
        receiver.end()
        return f"{words!r} on both screens; y lets in, n does not, and before that 403"

    def keep(self):
        kept = self.folder / "kept"
        receiver, places = self.begin("keep", "--keep", str(kept))
        session = receiver.come_in()
        paths = [self.sent(receiver, session, name) for name in ("kept.jpg", "kept-2.jpg")]
        other = self.photos.make("another.jpg", 1)
        equal("the answer to another of that name",
              receiver.ask("PUT", "/put/kept.jpg", other.read_bytes(), session).status, 201)
        receiver.end()
        there = {path.name: digest(path) for path in kept.iterdir()}
        equal("what is kept", there, {"kept.jpg": digest(paths[0]), "kept-2.jpg": digest(paths[1]),
                                      "kept (2).jpg": digest(other)})
        return f"{sorted(there)} with their bytes"

    def certificate(self):
        key, certificate = self.folder / "own.key", self.folder / "own.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=own", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
            check=True, capture_output=True)
        receiver, _ = self.begin("certificate", "--cert", str(certificate), "--key", str(key))
        own = subprocess.run(["openssl", "x509", "-in", str(certificate), "-noout", "-fingerprint", "-sha256"], check=True,
                             capture_output=True, text=True).stdout.strip().split("=")[1]
        equal("the certificate that is served", receiver.served_fingerprint(), own)
        equal("the certificate that is told", receiver.fingerprint, own)
        answer = subprocess.run(
            ["curl", "-sS", "--noproxy", "*", "--cacert", str(certificate), "-o", "/dev/null", "-w", "%{http_code}",
             f"https://127.0.0.1:{receiver.port}/r/x"], capture_output=True, text=True)
        equal("what curl, which believes in it alone, gets", (answer.stdout, answer.stderr), ("200", ""))
        receiver.end()
        status, _, told = submit(self.program, receiver.home, "receive", "--to", "folder", "--cert", str(certificate), "--key",
                                 str(certificate), "--json")
        equal("the exit status with a wrong key", status, 2)
        return f"served and told: {own[:23]}…; with a wrong key it ends with 2"

    def own_certificate(self):
        receiver, _ = self.begin("own")
        port, first = receiver.port, receiver.served_fingerprint()
        equal("the certificate that is told", receiver.fingerprint, first)
        receiver.end()
        again = Receiver(self.program, receiver.home, to="folder")
        equal("port and certificate after a restart", (again.port, again.served_fingerprint()), (port, first))
        again.end()
        return f"its own lasts, and the port {port}"

    def any(self):
        receiver, _ = self.begin("any", "--any", bind=None)
        told = receiver.find("listening")[0]["urls"]
        for url in told:
            answer = subprocess.run(
                ["curl", "-sS", "-k", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", f"{url}/r/x"],
                capture_output=True, text=True)
            equal(f"the answer at {url}", answer.stdout, "200")
        answer = subprocess.run(
            ["curl", "-sS", "-k", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}",
             f"https://127.0.0.1:{receiver.port}/r/x"], capture_output=True, text=True)
        equal("the answer at 127.0.0.1", answer.stdout, "200")
        receiver.end()
        one, _ = self.begin("one", bind="127.0.0.2")
        refused = subprocess.run(["curl", "-sS", "-k", "--noproxy", "*", f"https://127.0.0.1:{one.port}/r/x"],
                                 capture_output=True, text=True)
        need(refused.returncode == 7, f"bound to 127.0.0.2 it answers at 127.0.0.1: {refused}")
        one.end()
        return f"{len(told)} addresses told and answered; with --bind 127.0.0.2 there is none at 127.0.0.1"

    def once(self):
        receiver, _ = self.begin("once", "--once")
        session = receiver.come_in()
        self.sent(receiver, session, "once.jpg")
        began = time.monotonic()
        until("it does not end", 60, lambda: receiver.process.poll() is not None)
        equal("its exit status", receiver.process.returncode, 0)
        equal("codes that were shown", len(receiver.find("invite")), 1)
        return f"one code, and it ended with 0, {time.monotonic() - began:.0f} s after all was safe"

    def span(self):
        began = time.monotonic()
        receiver, _ = self.begin("for", "--for", "3s")
        until("it does not end", 20, lambda: receiver.process.poll() is not None)
        receiver.event("over")
        equal("its exit status", receiver.process.returncode, 0)
        return f"with --for 3s it ended with 0 after {time.monotonic() - began:.1f} s"

    def most_files(self):
        receiver, _ = self.begin("most", "--max-files", "2")
        session = receiver.come_in()
        for name in ("one.jpg", "two.jpg"):
            self.sent(receiver, session, name)
        answer = self.put(receiver, session, "three.jpg")[1]
        equal("the answer to the third", (answer.status, answer.error), (403, "invite-files"))
        receiver.end()
        return f"two arrived; the third: {answer.json['error']['message']}"

    def most_bytes(self):
        receiver, _ = self.begin("bytes", "--max-bytes", "1M")
        session = receiver.come_in()
        self.sent(receiver, session, "small.jpg")
        answer = self.put(receiver, session, "large.jpg", 1_200_000)[1]
        equal("the answer to one that is too large", (answer.status, answer.error), (413, "invite-bytes"))
        receiver.end()
        return answer.json["error"]["message"]

    def album(self):
        receiver, places = self.begin("album", "--album", "Harbour/2026", "--caption", "At the harbour")
        session = receiver.come_in()
        self.sent(receiver, session, "album.jpg")
        path = self.photos.make("nested.jpg", 1)
        equal("the answer", receiver.ask("PUT", "/put/inner/nested.jpg", path.read_bytes(), session).status, 201)
        receiver.until_safe(session, ["nested.jpg"])
        equal("what the page is told of it", receiver.ask("GET", "/status", headers=session).json["terms"]["album"],
              "Harbour/2026")
        receiver.end()
        folder = places.folders["folder"]
        there = [str(path.relative_to(folder)) for path in places.paths("folder")]
        equal("where they lie", there, ["Harbour/2026/album.jpg", "Harbour/2026/inner/nested.jpg"])
        status, listed, told = submit(self.program, receiver.home, "list", "--json")
        need(listed.count('"caption":"At the harbour"') == 2, f"their list tells no caption: {status} {listed[:600]} {told}")
        return f"{there}, with their caption in the list"

    def stages(self):
        receiver, _ = self.begin("stages")
        session = receiver.come_in()
        # In two pieces: one that is whole at once is told of as arrived only.
        data = self.photos.make("stages.jpg", 1).read_bytes()
        tus = {**session, "Tus-Resumable": "1.0.0"}
        metadata = "filename " + base64.b64encode(b"stages.jpg").decode()
        place = receiver.ask("POST", "/files", b"", {**tus, "Upload-Length": str(len(data)), "Upload-Metadata": metadata})
        receiver.event("receiving")
        answer = receiver.ask("PATCH", place.headers["location"], data, {
            **tus, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"})
        equal("the answer to all of it", answer.status, 204)
        receiver.until_safe(session, ["stages.jpg"])
        answer = receiver.ask("PUT", "/put/no-photo.txt", b"words\n", session)
        equal("the answer to what is no photo", (answer.status, answer.error), (422, "kind"))
        receiver.event("refused")
        equal("the answer to leaving", receiver.ask("DELETE", "/session", headers=session).status, 204)
        receiver.event("left")
        status = receiver.end()
        seen = []
        for line in receiver.output:
            fact = json.loads(line)
            need(isinstance(fact["event"], str) and isinstance(fact["message"], str), f"a line is {line}")
            if fact["event"] not in seen:
                seen.append(fact["event"])
        awaited = {"listening", "invite", "claimed", "receiving", "arrived", "safe", "refused", "left"}
        need(awaited <= set(seen), f"only {seen} were told")
        safe = receiver.find("safe")[0]
        need(safe["destinations"] == ["folder=verified"] and len(safe["sha256"]) == 64, f"safe is told as {safe}")
        equal("its exit status, as one was refused", status, 1)
        return " ".join(seen)

    def list_and_revoke(self):
        receiver, _ = self.begin("list")
        shown = receiver.invite()
        phone = self.phones.phone().open(receiver, shown)
        try:
            path = self.photos.make("before-revoke.jpg", 1)
            phone.choose([path]).until_all_safe(1)
            status, text, told = submit(self.program, receiver.home, "receive", "list", "--json")
            rows = {row["invite"]: row for row in map(json.loads, text.splitlines())}
            row = rows[shown.id]
            equal("files and sessions that are told", (row["files"], [s["state"] for s in row["sessions"]]), (1, ["may send"]))
            other = next(row for row in rows.values() if row["invite"] != shown.id)
            equal("the state of the next code", other["state"], "open")
            plain = submit(self.program, receiver.home, "receive", "list")[1]
            need(shown.id in plain and shown.secret not in text + plain, f"the list says {plain}")
            status, text, told = submit(self.program, receiver.home, "receive", "revoke", shown.id)
            equal("what revoke says", (status, text.strip()), (0, f"Invite {shown.id} has ended."))
            began = time.monotonic()
            until(lambda: f"the page still says {phone.notice!r}", 40,
                  lambda: not phone.page.locator("#choose").is_visible(), every=0.2)
            seconds = time.monotonic() - began
            words = phone.notice
            phone.picture(self.pictures / "revoked.png")
            phone.page.reload()
            phone.wait_for("The computer has ended this", 20)
            phone.picture(self.pictures / "revoked-reloaded.png")
        finally:
            phone.close()
        status, _, told = submit(self.program, receiver.home, "receive", "revoke", "zzzzzz")
        need(status != 0 and len(told.strip().splitlines()) == 1, f"revoke of none: {status} {told}")
        receiver.end()
        return f"listed, and the page was told {seconds:.1f} s after revoke: {words!r}"

    def plain(self):
        receiver, _ = self.begin("plain", "--insecure-http")
        phone = self.phones.phone().open(receiver)
        try:
            phone.choose([self.photos.make("plain.jpg", 1)]).until_all_safe(1)
        finally:
            phone.close()
        need(receiver.find("error", code="insecure-http"), "nothing warns of plain http")
        receiver.end()
        return "sends, and warns"

    def second(self):
        """Two at once on one journal would spoil each other's files."""
        receiver, _ = self.begin("second")
        status, _, told = submit(self.program, receiver.home, "receive", "--to", "folder", "--bind", "127.0.0.1")
        equal("the exit status of another", status, 2)
        receiver.end()
        return told.strip()
