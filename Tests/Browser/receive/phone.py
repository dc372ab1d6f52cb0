"""The page of `submit receive` in Chromium, as a Pixel 7 shows it."""
import re

from claims import Broken, need, until


class Phones:
    """One Chromium, in which each phone has its own cookies and memory.

    It reaches what is called `localhost:PORT` through a line that can be broken, where one is given."""

    def __init__(self, playwright, lines={}):
        rules = ", ".join(f"MAP localhost:{port} 127.0.0.1:{line}" for port, line in lines.items())
        options = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"]
        if rules:
            options.append(f"--host-resolver-rules={rules}")
        self.pixel = playwright.devices["Pixel 7"]
        self.browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=options)

    def phone(self, scheme="light", **options):
        context = self.browser.new_context(
            **self.pixel, ignore_https_errors=True, color_scheme=scheme, locale="en-GB", **options)
        context.set_default_timeout(30_000)
        return Phone(context)

    def close(self):
        self.browser.close()


class Phone:
    def __init__(self, context):
        self.context = context
        self.page = context.new_page()
        self.complaints, self.noted = [], []
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self.note)
        # It asks whether to leave while something is sent.
        self.page.on("dialog", lambda dialog: dialog.accept())

    def hear(self, message):
        # A browser tells each answer that is a refusal, and each line that breaks: those are asked for here.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self.complaints.append(message.text)

    def note(self, request):
        if request.method == "PATCH":
            self.noted.append(int(request.headers["upload-offset"]))

    @property
    def offsets(self):
        """Where each request began that sent bytes."""
        # What a browser tells is heard only while it is asked something.
        self.page.wait_for_timeout(1)
        return list(self.noted)

    @property
    def patches(self):
        return len(self.offsets)

    def open(self, receiver, invite=None, through_line=False):
        invite = invite or receiver.invite()
        host = "localhost" if through_line else receiver.address
        scheme = "https" if receiver.secure else "http"
        self.page.goto(f"{scheme}://{host}:{receiver.port}/r/{invite.id}#{invite.secret}")
        return self

    def choose(self, paths, button="photos"):
        self.page.locator("#choose").wait_for()
        self.page.set_input_files(f"#{button}", [str(path) for path in paths])
        return self

    @property
    def notice(self):
        return self.page.locator("#notice").inner_text()

    @property
    def text(self):
        return self.page.locator("main").inner_text()

    def wait_for(self, words, within=60):
        """Until these stand in the notice."""
        try:
            self.page.locator("#notice", has_text=words).wait_for(timeout=within * 1000)
        except Exception:
            raise Broken(f"the page does not say {words!r} within {within} s: {self.text[:700]!r}")

    def until_all_safe(self, count, within=90):
        self.wait_for("All of it is safe", within)
        words = self.page.locator("#count").inner_text()
        need(f"{count} of {count} arrived, {count} safe everywhere." in words, f"the page counts: {words!r}")
        return words

    @property
    def sent(self):
        """What it says of bytes, by file: as they stand on the page."""
        return re.findall(r"[\d.,]+ [kMG]?B of [\d.,]+ [kMG]?B sent", self.text)

    def until_in_midst(self, within=30):
        """Until a file is on its way, by what the page says of its bytes."""
        until(lambda: f"nothing is in its midst: {self.text[:300]!r}", within,
              lambda: [s for s in self.sent if not s.startswith("0 B")])

    def states(self):
        return self.page.locator("#files > li .state").all_inner_texts()

    def devtools(self):
        return self.context.new_cdp_session(self.page)

    def picture(self, path):
        self.page.screenshot(path=str(path))

    def quiet(self):
        """Nothing went wrong in its scripts."""
        need(not self.complaints, f"the page's console says {self.complaints[:3]}")

    def close(self):
        self.context.close()
