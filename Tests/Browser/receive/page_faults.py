"""What may happen to a phone while it sends: each has to go on by itself, and a picture is taken of each moment."""
import os
import signal
import subprocess
import time

from axe_playwright_python.sync_playwright import Axe
from claims import Broken, equal, need, until


class PageFaults:
    def __init__(self, phones, receiver, line, photos, pictures, is_quick):
        self.phones, self.receiver, self.line, self.photos = phones, receiver, line, photos
        self.pictures, self.is_quick = pictures, is_quick
        self.sent = []

    def paths(self, mark, sizes):
        paths = self.photos.many(mark, sizes)
        self.sent += paths
        return paths

    def phone(self, **options):
        return self.phones.phone(**options).open(self.receiver, through_line=True)

    def shoot(self, phone, name):
        phone.picture(self.pictures / f"{name}.png")

    def in_midst(self, mark, sizes, rate):
        """A phone that sends through a narrow line, and is in the midst of its files."""
        self.line.rate = rate
        phone = self.phone()
        paths = self.paths(mark, sizes)
        phone.choose(paths)
        phone.until_in_midst()
        return phone, paths

    def finish(self, phone, paths, within=120):
        self.line.rate = 0
        phone.until_all_safe(len(paths), within)
        phone.quiet()

    def offline(self):
        """The phone has no network, and says so; then it has."""
        phone, paths = self.in_midst("offline", [12_000_000, 12_000_000, 400_000], 2_000_000)
        try:
            tools = phone.devtools()
            tools.send("Network.enable")
            down = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
            tools.send("Network.emulateNetworkConditions", down)
            # Not that Chromium says so, but that our page does.
            until(lambda: f"it does not tell of the lost line: {phone.text[:400]!r}", 30,
                  lambda: "The line is lost" in phone.text)
            self.shoot(phone, "offline")
            began, patches = time.monotonic(), phone.patches
            tools.send("Network.emulateNetworkConditions", {**down, "offline": False})
            until("it does not go on", 30, lambda: phone.patches > patches)
            again = time.monotonic() - began
            self.shoot(phone, "online-again")
            self.finish(phone, paths)
            self.shoot(phone, "offline-then-safe")
            return f"{len(paths)} files of 24 MB; it said that the line is lost, and went on {again:.1f} s after it was back"
        finally:
            phone.close()

    def resets(self):
        phone, paths = self.in_midst("resets", [20_000_000, 9_000_000], 3_000_000)
        try:
            before = self.line.sent
            for number in range(1, 4):
                self.line.down()
                until(lambda: f"reset {number}: it does not tell of the lost line: {phone.text[:400]!r}", 60,
                      lambda: "The line is lost" in phone.text)
                if number == 1:
                    self.shoot(phone, "reset")
                patches = phone.patches
                self.line.up()
                until(f"reset {number}: it does not go on", 60, lambda: phone.patches > patches)
            self.finish(phone, paths)
            self.shoot(phone, "resets-then-safe")
            size = sum(path.stat().st_size for path in paths)
            sent = self.line.sent - before
            # What broke off in the midst of a chunk is kept, but for what was under way.
            need(sent < size * 1.6, f"{sent} bytes went over the line for {size}")
            return f"{size / 1e6:.0f} MB, three outages: {sent / size:.2f}x of it over the line, {phone.patches} requests"
        finally:
            phone.close()

    def frozen(self):
        """The tab is frozen, as a phone does with what nobody looks at, and the network lets its connections go."""
        seconds = 5 if self.is_quick else 60
        phone, paths = self.in_midst("frozen", [30_000_000, 30_000_000, 30_000_000, 30_000_000], 3_000_000)
        # Chromium itself freezes only what is hidden, and nothing is hidden to whoever drives it.
        told = self.phones.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
        renderers = [process["id"] for process in told["processInfo"] if process["type"] == "renderer"]
        try:
            for pid in renderers:
                os.kill(pid, signal.SIGSTOP)
            began, log = time.monotonic(), self.receiver.log
            self.line.reset()
            before = log.read_text().count(" PATCH ")
            # Time itself is what is tried here.
            time.sleep(seconds)
            meanwhile = log.read_text().count(" PATCH ") - before
            for pid in renderers:
                os.kill(pid, signal.SIGCONT)
            self.shoot(phone, "frozen-then-active")
            self.finish(phone, paths)
            self.shoot(phone, "frozen-then-safe")
            # Three were under way, and Chromium's network process tries each once more by itself.
            need(meanwhile <= 6, f"it was not frozen: {meanwhile} requests ended meanwhile")
            return (f"{seconds} s frozen, its connections reset meanwhile; all {len(paths)} safe "
                    f"{time.monotonic() - began - seconds:.0f} s after that")
        finally:
            for pid in renderers:
                os.kill(pid, signal.SIGCONT)
            phone.close()

    def reloaded(self):
        sizes = [20_000_000, 300_000] if self.is_quick else [40_000_000, 25_000_000, 300_000]
        phone, paths = self.in_midst("reload", sizes, 4_000_000)
        try:
            # Something is on disk, and not only on its way.
            until("no chunk has come", 60, lambda: len(phone.offsets) > len(paths) and max(phone.offsets) > 0)
            phone.page.reload()
            phone.wait_for("unfinished: choose the same photos again")
            self.shoot(phone, "reload")
            before = len(phone.offsets)
            phone.choose(paths)
            until("it sends nothing", 30, lambda: len(phone.offsets) > before)
            self.shoot(phone, "reload-chosen-again")
            self.line.rate = 0
            offset = until("it began anew", 30, lambda: max(phone.offsets[before:]))
            self.finish(phone, paths)
            self.shoot(phone, "reload-then-safe")
            rows = phone.page.locator("#files > li").count()
            equal("rows on the page", rows, len(paths))
            return f"reloaded in the midst of {len(paths)} files; chosen again, it went on from byte {offset}"
        finally:
            phone.close()

    def server_killed(self, again):
        """`again` kills it, and begins another on the same folders."""
        phone, paths = self.in_midst("killed", [25_000_000, 12_000_000, 200_000], 4_000_000)
        try:
            until("no chunk has come", 60, lambda: phone.offsets and max(phone.offsets) > 0)
            patches = phone.patches
            self.receiver = again(lambda: (until(
                lambda: f"it does not tell of the lost line: {phone.text[:400]!r}", 30,
                lambda: "The line is lost" in phone.text), self.shoot(phone, "killed")))
            until("it does not go on", 60, lambda: phone.patches > patches)
            self.finish(phone, paths)
            self.shoot(phone, "killed-then-safe")
            return "kill -9 of the server in the midst, begun again: the page went on by itself"
        finally:
            phone.close()

    def ended(self):
        """Ctrl-C while a phone looks on, and is in the midst of a file: it ends in time, and by itself."""
        phone, paths = self.in_midst("ended", [30_000_000], 2_000_000)
        try:
            began = time.monotonic()
            status = self.receiver.end()
            seconds = time.monotonic() - began
            until(lambda: f"it says {phone.text[:300]!r}", 10, lambda: "The line is lost" in phone.text or phone.notice)
            self.shoot(phone, "ended")
            # One file waits, as it is in its midst.
            equal("its exit status", status, 3)
            need(seconds < 3, f"it took {seconds:.1f} s to end")
            return f"ended with {status} after {seconds:.1f} s"
        finally:
            self.line.rate = 0
            phone.close()

    def many(self, count):
        """One selection of very many."""
        self.line.rate = 0
        paths = [self.photos.small(f"many-{number:04}.avif") for number in range(count)]
        self.sent += paths
        phone = self.phone()
        try:
            began = time.monotonic()
            phone.choose(paths)
            phone.page.locator("#overall").wait_for()
            shown = time.monotonic() - began
            until(lambda: phone.page.locator("#count").inner_text(), 900,
                  lambda: f"{count} of {count} arrived" in phone.page.locator("#count").inner_text(), every=1)
            arrived = time.monotonic() - began
            self.shoot(phone, "many-arrived")
            phone.until_all_safe(count, 900)
            self.shoot(phone, "many-safe")
            phone.quiet()
            return f"{count} photos of one selection: on the page after {shown:.1f} s, arrived after {arrived:.0f} s, " \
                   f"safe after {time.monotonic() - began:.0f} s"
        finally:
            phone.close()


def disk_full(phones, receiver, disk, photos, pictures):
    """The disk of what is received is full, and then it is not: nobody touches the phone."""
    filler = disk / "filler"
    # Free space that stays free whatever comes is 256 MiB.
    run = subprocess.run(["fallocate", "-l", "100M", str(filler)], capture_output=True, text=True)
    need(run.returncode == 0, run.stderr)
    phone = phones.phone().open(receiver)
    paths = photos.many("full", [20_000_000, 15_000_000, 9_000_000])
    try:
        phone.choose(paths)
        until(lambda: f"it does not tell of the full disk: {phone.text[:500]!r}", 30, lambda: "disk is full" in phone.text)
        # Some tries later nothing else is told.
        waited = phone.page.expect_response(lambda answer: answer.status == 507, timeout=30_000)
        with waited:
            pass
        with phone.page.expect_response(lambda answer: answer.status == 507, timeout=30_000):
            pass
        phone.picture(pictures / "disk-full.png")
        rows, refused = phone.page.locator("#files > li").count(), phone.page.locator("#files > li.refused").count()
        filler.unlink()
        began = time.monotonic()
        phone.until_all_safe(len(paths), 60)
        phone.picture(pictures / "disk-freed.png")
        later = phone.page.locator("#files > li").count()
        phone.page.reload()
        phone.wait_for("All of it is safe", 20)
        phone.picture(pictures / "disk-freed-reloaded.png")
        reloaded = phone.page.locator("#files > li").count()
        equal("rows on the page while full, and of them refused, then when freed, then after it is loaded again",
              (rows, refused, later, reloaded), (len(paths), 0, len(paths), len(paths)))
        return f"told, and all {len(paths)} safe {time.monotonic() - began:.1f} s after there was room, untouched", paths
    finally:
        filler.unlink(missing_ok=True)
        phone.close()


def accessible(phones, receiver, line, photos, pictures, sent):
    """axe in each state, light and dark."""
    seen, faults = [], []
    for scheme in ("light", "dark"):
        phone = phones.phone(scheme).open(receiver, through_line=True)
        try:
            def look(state):
                phone.picture(pictures / f"{state}-{scheme}.png")
                found = Axe().run(phone.page).response
                seen.append(len(found["passes"]))
                faults.extend(f"{state}, {scheme}: {fault['id']} ({fault['nodes'][0]['html'][:120]})"
                              for fault in found["violations"])

            phone.page.locator("#choose").wait_for()
            look("start")
            line.rate = 300_000
            paths = photos.many(f"axe-{scheme}", [3_000_000, 2_000_000])
            sent += paths
            phone.choose(paths)
            phone.until_in_midst()
            look("sending")
            line.rate = 0
            phone.until_all_safe(len(paths))
            look("safe")
            note = photos.folder / f"note-{scheme}.txt"
            note.write_text("no photo\n")
            phone.choose([note], "originals")
            phone.page.locator("#files > li.refused").wait_for()
            look("refused")
            phone.quiet()
        finally:
            line.rate = 0
            phone.close()
    if faults:
        raise Broken("; ".join(faults))
    return f"no violation in start, sending, safe and refused, light and dark; {min(seen)} to {max(seen)} rules passed in each"
