"""Claims, one line each: what was promised, whether it was so, and the figures that were seen."""
import sys
import time
import traceback


class Broken(Exception):
    """What was promised was not so; its text says what was seen instead."""


def need(condition, words):
    if not condition:
        raise Broken(words)


def equal(what, seen, awaited):
    need(seen == awaited, f"{what}: {seen!r}, not {awaited!r}")


def until(what, within, ask, every=0.05):
    """What `ask` gives, as soon as that is something. Waiting for a condition is the only way in which anything waits here."""
    deadline = time.monotonic() + within
    while True:
        seen = ask()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise Broken(f"not within {within} s: {what() if callable(what) else what}")
        time.sleep(every)


class Claims:
    """Tries one after the other, whatever becomes of the ones before."""

    def __init__(self, out):
        self.out = out
        self.kept = 0
        self.broken = []

    def tell(self, words):
        print(words, flush=True)

    def claim(self, words, body, *arguments):
        began = time.monotonic()
        try:
            figures = body(*arguments)
        except KeyboardInterrupt:
            raise
        except Exception as error:
            lines = str(error).strip().split("\n")
            seen = " / ".join(line.strip() for line in lines[:8]) or type(error).__name__
            if not isinstance(error, Broken):
                seen = f"{type(error).__name__}: {seen}"
            self.broken.append(words)
            with open(self.out / "failures.txt", "a") as file:
                file.write(f"== {words}\n{traceback.format_exc()}\n")
            self.tell(f"FAILED  {words}: {seen} ({time.monotonic() - began:.1f} s)")
            return None
        self.kept += 1
        self.tell(f"ok      {words}: {figures} ({time.monotonic() - began:.1f} s)")
        return figures

    def end(self):
        for words in self.broken:
            print(f"broken: {words}", file=sys.stderr)
        self.tell(f"{self.kept} kept, {len(self.broken)} broken")
        return 1 if self.broken else 0
