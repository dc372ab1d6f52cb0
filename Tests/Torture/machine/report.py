"""What came of the parts, on the terminal and in a Markdown file."""

import datetime
import os
import platform


class Report:
    def __init__(self, machine):
        self.machine, self.parts = machine, []

    def part(self, name, kept, figures, details=()):
        self.parts.append((name, kept, figures, list(details)))
        self.machine.say(f"{name}: {'kept' if kept else 'BROKEN'}: {figures}")
        for line in details:
            self.machine.say(f"    {line}")
        self.write()

    @property
    def kept(self):
        return bool(self.parts) and all(part[1] for part in self.parts)

    def write(self):
        machine = self.machine
        lines = [
            "# Torture", "",
            f"`Tests/Torture/run.sh {' '.join(machine.arguments)}` with the seed {machine.seed} on "
            f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC; `{machine.program}`, "
            f"{os.cpu_count()} processors, Linux {platform.release()}, load {os.getloadavg()[0]:.1f}.", "",
            "| part | promises | figures |", "|---|---|---|"]
        lines += [f"| {name} | {'kept' if kept else '**broken**'} | {figures} |" for name, kept, figures, _ in self.parts]
        for name, _, _, details in self.parts:
            if details:
                lines += ["", f"## {name}", ""] + [f"- {line}" for line in details]
        if machine.failures:
            lines += ["", "## Broken promises", ""]
            lines += [f"- {title}: {trouble} Evidence: `{folder}`. Again: `{again}`"
                      for title, trouble, folder, again in machine.failures]
        (machine.out / "report.md").write_text("\n".join(lines) + "\n")
