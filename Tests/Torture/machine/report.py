"""What came of the parts, on the terminal and in a Markdown file for each, which stays until the part is run again."""

import datetime
import hashlib
import os
import platform
import subprocess
from pathlib import Path


class Report:
    def __init__(self, machine):
        self.machine, self.parts = machine, []

    def part(self, name, kept, figures, details=()):
        self.parts.append(kept)
        self.machine.say(f"{name}: {'kept' if kept else 'BROKEN'}: {figures}")
        for line in details:
            self.machine.say(f"    {line}")
        self.write(name, kept, figures, details)

    @property
    def kept(self):
        return bool(self.parts) and all(self.parts)

    def write(self, name, kept, figures, details):
        machine = self.machine
        lines = [
            f"# Torture: {name}", "", f"**{'Kept' if kept else 'Broken'}**: {figures}", "",
            f"`Tests/Torture/run.sh {' '.join(machine.arguments)}` with the seed {machine.seed} on "
            f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC, at {revision()}; `{machine.program}`, "
            f"SHA-256 {digest(machine.program)}…, {os.cpu_count()} processors, Linux {platform.release()}, load "
            f"{os.getloadavg()[0]:.1f}.", ""]
        lines += [f"- {line}" for line in details]
        failures = [failure for failure in machine.failures if failure[0].startswith(f"{name} ")]
        if failures:
            lines += ["", "## Broken promises", ""]
            lines += [f"- {title}: {trouble} Evidence: `{folder}`. Again: `{again}`"
                      for title, trouble, folder, again in failures]
        (machine.out / f"{name}.md").write_text("\n".join(lines) + "\n")


def revision():
    """Of the sources here; the program may be of others."""
    done = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], capture_output=True, text=True,
                          cwd=Path(__file__).parent)
    return done.stdout.strip() or "no revision"


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]
