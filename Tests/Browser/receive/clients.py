"""Clients without a page, most of them written by others: each sends files into a running `submit receive`."""
import base64
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from claims import Broken, equal, need
from photos import digest

HERE = Path(__file__).resolve().parent


def run(command, environment=None, within=120):
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=within)
    need(done.returncode == 0, f"{command[0]} ended with {done.returncode}: {(done.stderr or done.stdout)[-600:]}")
    return done.stdout


def certificate(receiver):
    """The one that it signed itself: others believe in it, and in no other."""
    return receiver.home.path / "data/submit/receive/certificate.pem"


def send_with_tuspy(receiver, paths, folder):
    """Each file by two processes: the first leaves in its midst, the second goes on."""
    token = receiver.come_in()["Authorization"].split()[1]
    environment = {**os.environ, "SUBMIT_TEST_TOKEN": token}
    resumed = []
    for path in paths:
        store = folder / f"{path.name}.tus.json"
        command = [sys.executable, str(HERE / "send_with_tuspy.py"), f"https://127.0.0.1:{receiver.port}/files",
                   str(certificate(receiver)), str(store), str(path)]
        size = path.stat().st_size
        if size > 2 << 20:
            equal("where a new file begins", run([*command, str(size // 2)], environment).strip(), "0")
        offset = int(run(command, environment))
        if size > 2 << 20:
            need(0 < offset < size, f"tuspy went on from {offset} of {size}")
            resumed.append(offset)
    receiver.until_safe({"Authorization": f"Bearer {token}"}, [path.name for path in paths])
    return f"{len(paths)} files, each piece with its SHA-1; another process went on from {resumed}"


def curl(receiver, *arguments):
    return run(["curl", "-sS", "--noproxy", "*", "--cacert", str(certificate(receiver)), "--max-time", "100", *arguments])


def put_with_curl(receiver, paths):
    session = receiver.come_in()
    for number, path in enumerate(paths):
        told = base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()
        where = f"https://127.0.0.1:{receiver.port}/put/{'by%20curl/' if number % 2 else ''}{path.name}"
        arguments = ["-T", str(path), "-H", f"Authorization: {session['Authorization']}", where]
        if number == 0:
            arguments += ["-H", f"Repr-Digest: sha-256=:{told}:"]
        answer = json.loads(curl(receiver, *arguments))
        equal("the digest that curl is told", answer["sha256"], digest(path))
    # One that comes damaged is not taken, and no row of it stays in the way.
    wrong = base64.b64encode(bytes(32)).decode()
    status = curl(receiver, "-o", "/dev/null", "-w", "%{http_code}", "-T", str(paths[0]), "-H",
                  f"Authorization: {session['Authorization']}", "-H", f"Repr-Digest: sha-256=:{wrong}:",
                  f"https://127.0.0.1:{receiver.port}/put/damaged.jpg")
    equal("the answer to a wrong Repr-Digest", status, "422")
    receiver.until_safe(session, [path.name for path in paths])
    return f"{len(paths)} files by PUT, its certificate checked, one more with a wrong digest refused with 422"


def send_form_with_curl(receiver, paths, folder):
    """As a browser without scripts: the secret is typed, and the session a cookie."""
    invite, jar = receiver.invite(), str(folder / "curl.cookies")
    base = f"https://127.0.0.1:{receiver.port}"
    page = curl(receiver, f"{base}/r/{invite.id}")
    need(f'action="/r/{invite.id}/claim"' in page and "<noscript>" in page, "the page has no form for where no script runs")
    status = curl(receiver, "-c", jar, "-o", "/dev/null", "-w", "%{http_code} %{redirect_url}", "--data-urlencode",
                  f"secret={invite.secret}", f"{base}/r/{invite.id}/claim")
    equal("the answer to the typed secret", status, f"303 {base}/form")
    files = [word for path in paths for word in ("-F", f"files=@{path};type=image/jpeg")]
    answer = curl(receiver, "-b", jar, *files, f"{base}/form")
    need(f"{len(paths)} arrived." in answer, f"the form says {answer[-400:]}")
    shown = curl(receiver, "-b", jar, f"{base}/form")
    for path in paths:
        need(path.name in shown, f"{path.name} is not shown in the form")
    return f"{len(paths)} files in one form, after the secret was typed"


class LocalSendSender:
    """LocalSend's protocol 2.1 by its facts alone, for where its own page cannot be had."""

    def __init__(self, receiver):
        self.receiver = receiver
        event = receiver.event("local-send", 30)
        self.pin, self.address = event["pin"], event["address"]

    def curl(self, *arguments):
        """The status and the body."""
        text = run(["curl", "-sS", "-k", "--noproxy", "*", "--max-time", "100", "-w", "\n%{http_code}", *arguments])
        body, _, status = text.rpartition("\n")
        return int(status), body

    def post(self, path, body):
        return self.curl("-H", "Content-Type: application/json", "-d", json.dumps(body),
                         f"https://{self.address}:53317/api/localsend/v2/{path}")

    @staticmethod
    def info():
        return {"alias": "machine", "version": "2.1", "deviceModel": "machine", "deviceType": "mobile",
                "fingerprint": "machine", "port": 53317, "protocol": "https", "download": False}

    def send(self, paths):
        status, body = self.post("register", self.info())
        equal("the answer to register", status, 200)
        need({"alias", "version", "fingerprint", "deviceType"} <= set(json.loads(body)), f"register told {body}")
        fingerprint = json.loads(body)["fingerprint"]
        equal("the fingerprint that is told", fingerprint, self.receiver.fingerprint.replace(":", ""))
        files = {str(n): {"id": str(n), "fileName": f"by-localsend/{path.name}", "size": path.stat().st_size,
                          "fileType": "image/jpeg", "sha256": digest(path)} for n, path in enumerate(paths)}
        offer = {"info": self.info(), "files": files}
        equal("the answer without a PIN", self.post("prepare-upload", offer)[0], 401)
        equal("the answer to a wrong PIN", self.post("prepare-upload?pin=000000x", offer)[0], 401)
        status, body = self.post(f"prepare-upload?pin={self.pin}", offer)
        equal("the answer to the PIN", status, 200)
        prepared = json.loads(body)
        upload = f"https://{self.address}:53317/api/localsend/v2/upload?sessionId={prepared['sessionId']}"
        equal("the answer to another sender meanwhile", self.post(f"prepare-upload?pin={self.pin}", offer)[0], 409)
        equal("the answer to a wrong token",
              self.curl("--data-binary", f"@{paths[0]}", f"{upload}&fileId=0&token=wrong")[0], 403)
        damaged = paths[0].with_name("damaged")
        data = bytearray(paths[0].read_bytes())
        data[-1] ^= 1
        damaged.write_bytes(data)
        token = prepared["files"]["0"]
        equal("the answer to other bytes than were told",
              self.curl("--data-binary", f"@{damaged}", f"{upload}&fileId=0&token={token}")[0], 422)
        damaged.unlink()
        for number, path in enumerate(paths):
            status, body = self.curl(
                "-T", str(path), "-X", "POST", f"{upload}&fileId={number}&token={prepared['files'][str(number)]}")
            equal(f"the answer to {path.name}", (status, body), (200, ""))
        return f"{len(paths)} files in a sub-folder; 401 without a PIN, 409 meanwhile, 403 for a wrong token, 422 for other bytes"


def send_with_localsend_page(phone_context, receiver, page_text, paths):
    """LocalSend's own page, which it serves by itself, in a browser, at our listener's address."""
    event = receiver.event("local-send", 30)
    base = f"https://{event['address']}:53317"
    page = phone_context.new_page()
    answers = []
    page.on("response", lambda answer: answers.append(f"{answer.status} {answer.url.split('?')[0].split('/')[-1]}"))
    page.route(f"{base}/", lambda route: route.fulfill(body=page_text, content_type="text/html"))
    words = {"waiting": "waiting", "enterPin": "PIN", "invalidPin": "invalid PIN", "tooManyAttempts": "too many",
             "uploadRejected": "rejected", "busy": "busy", "dropHint": "drop"}
    page.route(f"{base}/i18n.json", lambda route: route.fulfill(json=words))
    page.on("dialog", lambda dialog: dialog.accept(event["pin"]))
    try:
        page.goto(f"{base}/")
        page.set_input_files("#file-input", [str(path) for path in paths])
        try:
            page.locator("#progress-text", has_text=f"{len(paths)}/{len(paths)} file(s)").wait_for(timeout=60_000)
        except Exception:
            raise Broken(f"LocalSend's page says {page.locator('#status-text').inner_text()!r}; it was answered "
                         f"{', '.join(answers)}")
        return f"{len(paths)} files by LocalSend's own page, PIN typed ({', '.join(answers[:3])})"
    finally:
        page.close()
