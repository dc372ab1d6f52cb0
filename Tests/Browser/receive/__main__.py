"""See receive.sh, which begins this:  PROGRAM WORK PICTURES [--quick]

WORK has the env files of the servers in `dav` and `store`."""
import argparse
import json
import signal
import sys
import threading
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

import clients
import engines
import page_faults
import strangers
import terminal_code
from claims import Claims, need
from line import Line
from options import Options
from phone import Phones
from photos import Photos
from places import Places
from receiver import TOLERANT, Home, Receiver, free_port

MOST_MEMORY = 96


class Machine:
    def __init__(self, arguments):
        self.program = str(arguments.program.resolve())
        self.work, self.pictures = arguments.work, arguments.pictures
        self.is_quick = arguments.quick
        self.claims = Claims(self.pictures)
        self.photos = Photos(self.work / "photos", 1)
        self.localsend = arguments.localsend
        # Those of times that were killed, too.
        self.secrets = []
        # Where a receiver listens that Chromium reaches through a line, and where that is.
        self.line_port, self.narrow = free_port(), free_port()
        Receiver.logs = self.work / "logs"
        Receiver.logs.mkdir()

    def home(self, mark):
        places = Places(self.work, self.work / "dav", self.work / "store", mark)
        return Home(self.work / "homes" / mark, places.configuration, places.secrets), places

    def begin(self, mark, *options, **more):
        home, places = self.home(mark)
        return Receiver(self.program, home, *options, to="folder", **more), places

    # One queue, fed at once

    def at_once(self):
        """All clients at the same time into one queue; then what lies at each destination."""
        claims, photos = self.claims, self.photos
        home, places = self.home("queue")
        receiver = Receiver(self.program, home, "--local-send")
        sent, threads = [], []

        def beside(words, body, *arguments):
            thread = threading.Thread(target=claims.claim, args=(words, body, *arguments))
            thread.start()
            threads.append(thread)

        def paths(mark, sizes, *media):
            made = photos.many(mark, sizes) + [photos.make(f"{mark}-{name}", 1, name) for name in media]
            sent.extend(made)
            return made

        try:
            by_tuspy = paths("tuspy", [9_000_000, 30_000_000, 100_000], "garden.heic")
            by_curl = paths("curl", [15_000_000, 200_000, 5_000_000])
            by_form = paths("form", [300_000, 4_000_000, 250_000], "boat.mp4")
            by_localsend = paths("localsend", [2_000_000, 300_000])
            by_page = paths("localsend-page", [1_000_000, 500_000])
            by_phone = paths("phone", [12_000_000, 300_000, 25_000_000, 200_000], "garden.heic", "lamp.png", "boat.mov")
            by_engines = {kind: paths(kind.name.lower(), [6_000_000, 300_000, 150_000], "wide.heic")
                          for kind in (engines.Firefox, engines.WebKit) if kind.is_there()}
            beside("tuspy, with checksums, goes on in mid-file", clients.send_with_tuspy, receiver, by_tuspy, self.work)
            beside("curl puts", clients.put_with_curl, receiver, by_curl)
            beside("the form without scripts, by curl", clients.send_form_with_curl, receiver, by_form, self.work)
            sender = clients.LocalSendSender(receiver)
            beside("LocalSend's protocol, by a client of its facts", sender.send, by_localsend)
            for kind, files in by_engines.items():
                beside(f"the page in {kind.name}", engines.send, kind, receiver, files, self.work / kind.name, self.pictures)
            phones = self.phones

            def by_chromium():
                phone = phones.phone().open(receiver)
                phone.choose(by_phone)
                words = phone.until_all_safe(len(by_phone), 180)
                phone.picture(self.pictures / "queue-safe.png")
                phone.quiet()
                phone.close()
                return f"Chromium {phones.browser.version} as a Pixel 7: {words}"

            claims.claim("the page in Chromium", by_chromium)
            for thread in threads:
                thread.join(300)
            kept_page = True
            if self.localsend:
                context = phones.browser.new_context(ignore_https_errors=True)
                kept_page = claims.claim("LocalSend's own page in Chromium", clients.send_with_localsend_page, context, receiver,
                                         self.localsend.read_text(), by_page)
                context.close()
            else:
                claims.tell("left out: LocalSend's own page could not be had here; a client of its protocol's facts sent instead")
            if not self.localsend or not kept_page:
                for path in by_page:
                    sent.remove(path)
            for kind in (engines.Firefox, engines.WebKit):
                if kind not in by_engines:
                    claims.tell(f"left out: {kind.name} is not installed")
            claims.claim("all of it is at every destination", places.compare, sent, 30)

            claims.claim("memory of all that", strangers.bounded, receiver, MOST_MEMORY)
            claims.claim("what it ends with", lambda: f"{receiver.end()}")
        finally:
            for thread in threads:
                thread.join(5)
            receiver.end()

    def already_here(self):
        """The same photos once more, to destinations that prove what they have: nothing is sent."""
        home, places = self.home("here")
        receiver = Receiver(self.program, home, to="folder,bucket")
        paths = self.photos.many("here", [2_000_000, 300_000, 5_000_000])
        try:
            phone = self.phones.phone().open(receiver)
            phone.choose(paths).until_all_safe(len(paths))
            phone.close()
            phone = self.phones.phone().open(receiver)
            phone.choose(paths).until_all_safe(len(paths))
            states, patches = set(phone.states()), phone.patches
            need(states == {"Already here, and safe everywhere."}, f"it says {states}")
            need(patches == 0, f"{patches} requests sent bytes")
            phone.picture(self.pictures / "already-here.png")
            phone.close()
            need(len(places.paths("folder")) == len(paths), f"the folder has {places.paths('folder')}")
            return f"{len(paths)} files, and no byte sent"
        finally:
            receiver.end()

    def page(self):
        """What may happen to one phone; axe."""
        claims, photos = self.claims, self.photos
        home, places = self.home("page")
        port = self.line_port
        receiver, line, sent = Receiver(self.program, home, "--port", str(port)), Line(self.narrow, port), []
        try:
            claims.claim("the same photos once more", self.already_here)
            claims.claim("axe", page_faults.accessible, self.phones, receiver, line, photos, self.pictures, sent)
            faults = page_faults.PageFaults(self.phones, receiver, line, photos, self.pictures, self.is_quick)
            claims.claim("network off and on", faults.offline)
            claims.claim("three resets", faults.resets)
            claims.claim("frozen", faults.frozen)
            claims.claim("reload in mid-file", faults.reloaded)
            claims.claim("memory of all that", strangers.bounded, receiver, MOST_MEMORY)

            def again(meanwhile):
                nonlocal receiver
                receiver.kill()
                meanwhile()
                receiver = Receiver(self.program, home, "--port", str(port))
                return receiver

            claims.claim("the server killed, and begun again", faults.server_killed, again)
            claims.claim("all of it is at every destination", places.compare, sent + faults.sent, 30)
            receiver.end()
            receiver, _ = self.begin("ended", "--port", str(port))
            faults.receiver = receiver
            claims.claim("Ctrl-C while a phone sends", faults.ended)
        finally:
            line.close()
            receiver.end()

    def many(self):
        home, places = self.home("many")
        port = self.line_port
        receiver, line = Receiver(self.program, home, "--port", str(port)), Line(self.narrow, port)
        faults = page_faults.PageFaults(self.phones, receiver, line, self.photos, self.pictures, self.is_quick)
        try:
            if self.claims.claim("one selection of 1,000", faults.many, 1000):
                self.claims.claim("all of it is at every destination", places.compare, faults.sent, 30)
            self.claims.claim("memory of that", strangers.bounded, receiver, MOST_MEMORY)
        finally:
            line.close()
            receiver.end()

    def quick(self):
        """What every change is held to, in less than a minute."""
        claims, photos = self.claims, self.photos
        home, places = self.home("quick")
        port, phones = self.line_port, self.phones
        receiver, line = Receiver(self.program, home, "--port", str(port)), Line(self.narrow, port)
        try:
            sent = photos.many("quick", [3_000_000, 200_000, 400_000]) + [photos.make("garden.heic", 1, "garden.heic"),
                                                                          photos.make("boat.mp4", 1, "boat.mp4")]

            def five():
                phone = phones.phone().open(receiver, through_line=True)
                words = phone.choose(sent).until_all_safe(len(sent))
                phone.picture(self.pictures / "quick-safe.png")
                phone.quiet()
                phone.close()
                return f"Chromium {phones.browser.version} as a Pixel 7: {words}"

            claims.claim("five photos by the page", five)
            faults = page_faults.PageFaults(phones, receiver, line, photos, self.pictures, True)
            claims.claim("reload in mid-file", faults.reloaded)
            claims.claim("all of it is at every destination", places.compare, sent + faults.sent, 20)
            claims.claim("what it ends with", lambda: f"{receiver.end()}")
        finally:
            line.close()
            receiver.end()

    # Strangers

    def strangers(self):
        claims = self.claims
        home, places = self.home("strangers")
        receiver = Receiver(self.program, home)
        sent = []
        try:
            claims.claim("refusals", strangers.refusals, receiver)
            claims.claim("names that are none", strangers.names, receiver, places, self.photos, sent)
            claims.claim("header bombs", strangers.bombs, receiver)
            claims.claim("memory of that", strangers.bounded, receiver, MOST_MEMORY)
            claims.claim("an offer of a million entries", strangers.offers, receiver, self.work)
            claims.claim("40 slow senders", strangers.slow_senders, receiver, 40)
            claims.claim("200 slow senders", strangers.slow_senders, receiver, 200)
            claims.claim("memory of all that", strangers.bounded, receiver, MOST_MEMORY)
            claims.claim("what strangers sent is at every destination", places.compare, sent, 30)
        finally:
            receiver.end()

        guessed, _ = self.begin("guessed")
        claims.claim("guessed secrets", strangers.guesses, guessed)
        claims.claim("a code that is locked is followed by another", strangers.followed, guessed)
        claims.claim("what it ends with", lambda: f"{guessed.end()}")

        def begin(*options):
            return Receiver(self.program, self.home("codes")[0], *options, to="folder")

        claims.claim("old codes", strangers.old_codes, begin, self.secrets)

    def code(self):
        home, _ = self.home("terminal")

        def come_in(url):
            address, _, rest = url.partition("/r/")
            invite, secret = rest.split("#")
            body = json.dumps({"secret": secret, "device": "\x1b[2J\x1b]0;owned\x07phone\u202e"}).encode()
            request = urllib.request.Request(
                f"{address}/r/{invite}/claim", body, {"Content-Type": "application/json"})
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=TOLERANT))
            with opener.open(request, timeout=20) as answer:
                need(answer.status == 200, f"the code of the terminal is answered {answer.status}")

        self.claims.claim("the code at the terminal", terminal_code.claim, self.program, home, self.work, come_in)
        for columns in (100, 80):
            self.claims.claim(f"the code without colours, on {columns} columns", terminal_code.claim_plain, self.program, home,
                              self.work, columns)

    def options(self):
        options = Options(self.begin, self.program, self.photos, self.work, self.phones, self.pictures)
        for words, body in (
                ("--confirm", options.confirm), ("--keep", options.keep), ("--cert and --key", options.certificate),
                ("its own certificate", options.own_certificate), ("--any and --bind", options.any),
                ("--once", options.once), ("--for", options.span), ("--max-files", options.most_files),
                ("--max-bytes", options.most_bytes), ("--album and --caption", options.album), ("--json", options.stages),
                ("list and revoke", options.list_and_revoke), ("--insecure-http", options.plain),
                ("two at once", options.second)):
            self.claims.claim(words, body)

    def full_disk(self):
        disk = self.work / "disk"
        if not disk.is_mount():
            self.claims.tell("left out: a full disk, as nothing can be mounted here")
            return
        places = Places(self.work, self.work / "dav", self.work / "store", "full")
        home = Home(disk / "home", places.configuration, places.secrets)
        receiver = Receiver(self.program, home)
        sent = []

        def fill():
            words, paths = page_faults.disk_full(self.phones, receiver, disk, self.photos, self.pictures)
            sent.extend(paths)
            return words

        try:
            if self.claims.claim("a full disk, and room again", fill):
                self.claims.claim("all of it is at every destination", places.compare, sent, 30)
        finally:
            receiver.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--localsend", type=Path)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    # A shell that begins this in the background ignores SIGINT, and all that is begun here would, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    machine = Machine(arguments)
    parts = [machine.at_once, machine.page, machine.many, machine.full_disk, machine.strangers, machine.code, machine.options]
    if arguments.quick:
        parts = [machine.quick]
    began = time.monotonic()
    try:
        with sync_playwright() as playwright:
            machine.phones = Phones(playwright, {machine.line_port: machine.narrow})
            for part in parts:
                if arguments.only not in (None, part.__name__):
                    continue
                try:
                    part()
                except Exception as error:
                    # Something else than a claim, such as a server that did not begin.
                    machine.claims.claim(part.__name__, lambda error=error: (_ for _ in ()).throw(error))
            machine.claims.claim("no secret stands anywhere", strangers.secrecy, Receiver.running, machine.secrets)
            machine.phones.close()
    finally:
        Receiver.end_all()
    status = machine.claims.end()
    print(f"{time.monotonic() - began:.0f} s; pictures in {machine.pictures}")
    return status


sys.exit(main())
