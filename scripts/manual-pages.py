#!/usr/bin/env python3
"""Writes a manual page of the program and one of each verb, from the text of --help: manual-pages.py PROGRAM FOLDER."""

import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def styled(text):
    """What stands between backticks is what one types."""
    return re.sub(r"`([^`]*)`", r"\\fB\1\\fR", escaped(text)).replace("\n\n", "\n.PP\n")


def heading(argument):
    names = [("-" if name["kind"] in ("short", "longWithSingleDash") else "--") + name["name"]
             for name in argument.get("names", [])]
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        return f"\\fI{escaped(value)}\\fR" + (" ..." if argument["isRepeating"] else "")
    text = ", ".join(f"\\fB{escaped(name)}\\fR" for name in names)
    return text + (f" \\fI{escaped(value)}\\fR" if argument["kind"] == "option" else "")


def page(command, path, date, version):
    name = "-".join(path)
    lines = [f'.TH "{name.upper()}" 1 "{date}" "submit {version}" "User Commands"', ".SH NAME",
             f"{escaped(name)} \\- {escaped(command.get('abstract', '').rstrip('.'))}", ".SH SYNOPSIS"]
    subcommands = [sub for sub in command.get("subcommands", []) if sub.get("shouldDisplay", True)]
    usage = subprocess.run([PROGRAM, *path[1:], "--help"], capture_output=True, text=True, check=True).stdout
    usage = re.search(r"USAGE: (.*?)\n\n", usage, re.S).group(1)
    for line in usage.splitlines():
        lines += [".nf", escaped(line.strip()), ".fi"]
    discussion = command.get("discussion", "")
    if discussion:
        body, _, codes = discussion.partition("Exit codes: ")
        body, _, examples = body.partition("Examples:\n")
        lines += [".SH DESCRIPTION", styled(body.strip())]
        if examples:
            lines += [".SH EXAMPLES", ".nf", *(escaped(line.strip()) for line in examples.strip().splitlines()), ".fi"]
        if codes:
            lines += [".SH EXIT STATUS", styled(codes.strip())]
    sections = {}
    for argument in command.get("arguments", []):
        if argument.get("shouldDisplay", True):
            sections.setdefault(argument.get("sectionTitle") or ("ARGUMENTS" if argument["kind"] == "positional" else "OPTIONS"),
                                []).append(argument)
    for title, arguments in sections.items():
        lines.append(f'.SH "{escaped(title.upper())}"')
        for argument in arguments:
            text = argument.get("abstract", "")
            if argument.get("defaultValue"):
                text += f" Without: {argument['defaultValue']}."
            lines += [".TP", heading(argument), styled(text) or "\\&"]
    if subcommands:
        lines.append(".SH VERBS")
        for sub in subcommands:
            lines += [".TP", f"\\fB{escaped('-'.join([*path, sub['commandName']]))}\\fR(1)", styled(sub.get("abstract", ""))]
    lines += [".SH FILES", ".TP", "\\fI~/.config/submit/config.yaml\\fR", "The configuration.", ".TP",
              "\\fI~/.local/state/submit/journal.sqlite\\fR", "What is waiting, and what came of it.", ".SH SEE ALSO"]
    others = [path[:-1]] if len(path) > 1 else [["submit", "send"], ["submit", "setup"], ["submit", "watch"]]
    lines.append(", ".join(f"\\fB{escaped('-'.join(other))}\\fR(1)" for other in others))
    yield name, "\n".join(lines) + "\n"
    for sub in subcommands:
        if sub["commandName"] != "help":
            yield from page(sub, [*path, sub["commandName"]], date, version)


def main(folder):
    told = json.loads(subprocess.run([PROGRAM, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout)
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.split()[0]
    date = datetime.date.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.datetime.now().timestamp()))
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in page(told["command"], ["submit"], date.isoformat(), version):
        (Path(folder) / f"{name}.1").write_text(text)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv[1]).resolve())
    main(sys.argv[2])
