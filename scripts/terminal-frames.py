#!/usr/bin/env python3
"""Runs a command in a terminal of its own, and shows what stood there meanwhile: as text, or as a picture (SVG).

    scripts/terminal-frames.py --every 2 -- submit --to nas card/
    scripts/terminal-frames.py --size 100x24 --svg run.svg --prompt 'submit --to nas card/' -- submit --to nas card/

The terminal is tmux's, which does with lines what the desktop's terminals do. --resize 3:50 makes it 50 columns wide
after 3 seconds. The picture is of the middle of the run and of its end.
"""
import argparse
import html
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

COLORS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "2": "#8b949e"}
CELL, LINE = 8.43, 18


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="100x30", help="columns x rows")
    parser.add_argument("--every", type=float, default=2, help="seconds between frames")
    parser.add_argument("--most", type=float, default=600, help="seconds after which the command is ended")
    parser.add_argument("--resize", action="append", default=[], metavar="SECONDS:COLUMNS")
    parser.add_argument("--svg", help="where to write the picture instead of printing frames")
    parser.add_argument("--prompt", help="the command as the picture shows it")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


class Terminal:
    def __init__(self, size, command):
        self.folder = tempfile.TemporaryDirectory()
        self.done = os.path.join(self.folder.name, "done")
        columns, rows = size.split("x")
        self.tmux = ["tmux", "-S", os.path.join(self.folder.name, "socket"), "-f", "/dev/null"]
        shell = f"{shlex.join(command)}; echo $? >{shlex.quote(self.done)}; sleep 60"
        # The command has this process's environment, and tmux's kind of terminal.
        self.run("new-session", "-d", "-x", columns, "-y", rows, "sh", "-c", shell)
        self.run("set-option", "-g", "status", "off")
        self.run("resize-window", "-x", columns, "-y", rows)

    def run(self, *words):
        return subprocess.run([*self.tmux, *words], check=True, capture_output=True, text=True).stdout

    def frame(self):
        return [line.rstrip() for line in self.run("capture-pane", "-e", "-p").rstrip("\n").split("\n")]

    def status(self):
        try:
            with open(self.done) as file:
                return int(file.read() or 0)
        except FileNotFoundError:
            return None

    def end(self):
        subprocess.run([*self.tmux, "kill-server"], capture_output=True)
        self.folder.cleanup()


def frames(options):
    terminal = Terminal(options.size, options.command)
    resizes = sorted((float(seconds), columns) for seconds, columns in (text.split(":") for text in options.resize))
    start, found, due = time.monotonic(), [], options.every
    try:
        while True:
            time.sleep(0.05)
            elapsed, status = time.monotonic() - start, terminal.status()
            while resizes and elapsed >= resizes[0][0]:
                terminal.run("resize-window", "-x", resizes.pop(0)[1])
            if status is not None or elapsed > options.most:
                time.sleep(0.3)
                return found + [(elapsed, terminal.frame())], status
            if elapsed >= due:
                due += options.every
                found.append((elapsed, terminal.frame()))
    finally:
        terminal.end()


def spans(line):
    """The pieces of a line, with the codes of how each is shown (SGR)."""
    codes = []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if match := re.fullmatch(r"\x1b\[([0-9;]*)m", piece):
            for code in match[1].split(";"):
                if code == "39":
                    codes = [c for c in codes if c not in COLORS]
                else:
                    codes = [] if code in ("", "0") else codes + [code]
        elif piece:
            yield re.sub(r"\x1b[^m]*m|\x0e|\x0f", "", piece), codes


def plain(line):
    return "".join(text for text, _ in spans(line))


def picture(blocks, columns):
    rows = sum(len(block) for block in blocks) + len(blocks) - 1
    width, height = columns * CELL + 32, rows * LINE + 52
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14">',
        f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
    ]
    for i, color in enumerate(["#ff5f57", "#febc2e", "#28c840"]):
        out.append(f'<circle cx="{18 + 18 * i}" cy="16" r="5" fill="{color}"/>')
    y = 48
    for number, block in enumerate(blocks):
        if number:
            out.append(f'<line x1="16" x2="{width - 16:.0f}" y1="{y - 5}" y2="{y - 5}" stroke="#30363d"/>')
            y += LINE
        for line in block:
            x, pieces = 16.0, []
            for text, codes in spans(line):
                style = f' fill="{next((COLORS[c] for c in codes if c in COLORS), "#e6edf3")}"'
                style += ' font-weight="bold"' if "1" in codes else ""
                length = len(text) * CELL
                if text.strip():
                    pieces.append(f'<tspan x="{x:.1f}" textLength="{length:.1f}"{style}>{html.escape(text)}</tspan>')
                x += length
            out.append(f'<text y="{y}" xml:space="preserve">{"".join(pieces)}</text>')
            y += LINE
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    options = arguments()
    found, status = frames(options)
    if not options.svg:
        for elapsed, frame in found:
            print(f"--- after {elapsed:.1f} s")
            print("\n".join(plain(line) for line in frame))
        print(f"--- exit code {status}")
        return status or 0
    prompt = [f"\x1b[1m$ {options.prompt or shlex.join(options.command)}\x1b[0m"]
    blocks = [found[-1][1]]
    if len(found) > 1:
        blocks.insert(0, found[(len(found) - 1) // 2][1])
    blocks[0] = prompt + blocks[0]
    with open(options.svg, "w") as file:
        file.write(picture(blocks, int(options.size.split("x")[0])))
    return status or 0


sys.exit(main())
