"""The code as a real terminal gets it, drawn as one draws it, and read by zbarimg."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from claims import Broken, equal, need

STYLE = re.compile(r"\x1b\[([\d;]*)m")


class Terminal:
    """A `submit receive` in a terminal."""

    def __init__(self, program, home, environment={}, columns=80):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.ours, self.text = ours, ""
        self.process = subprocess.Popen(
            [program, "receive", "--to", "folder", "--bind", "127.0.0.1"], stdin=theirs, stdout=theirs,
            stderr=theirs, env={**home.environment, **environment}, start_new_session=True)
        os.close(theirs)

    def until(self, pattern, within=30):
        deadline = time.monotonic() + within
        while not (found := re.search(pattern, self.text, re.S)):
            if time.monotonic() > deadline:
                raise Broken(f"the terminal does not show {pattern}: {self.text[-500:]!r}")
            if select.select([self.ours], [], [], 0.2)[0]:
                try:
                    self.text += os.read(self.ours, 1 << 16).decode(errors="replace")
                except OSError:
                    raise Broken(f"it ended: {self.text[-500:]!r}")
        return found

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        os.close(self.ours)


def colored(lines):
    """Rows of dark and light, as a terminal paints half blocks in the two colours that are named with them."""
    rows = []
    for line in lines:
        upper, lower, ink, paper = [], [], None, None
        for part in re.split(r"(\x1b\[[\d;]*m)", line):
            if style := STYLE.fullmatch(part):
                colors = style.group(1)
                if colors in ("", "0"):
                    ink = paper = None
                else:
                    named = re.fullmatch(r"38;5;(\d+);48;5;(\d+)", colors)
                    need(named, f"a style is {colors}")
                    # Of the 256 colours 16 is black and 231 white, whatever the theme.
                    ink, paper = (int(number) == 16 for number in named.groups())
                continue
            for sign in part:
                need(ink is not None, f"{sign!r} has the theme's colours")
                upper.append(ink if sign in "█▀" else paper)
                lower.append(ink if sign in "█▄" else paper)
        rows += [upper, lower]
    return rows


def plain(lines):
    return [[line[i:i + 2] == "##" for i in range(0, len(line), 2)] for line in lines]


def read(rows, scale, path):
    width = max(map(len, rows))
    lines = []
    for row in rows:
        cells = row + [False] * (width - len(row))
        line = " ".join(" ".join(["1" if dark else "0"] * scale) for dark in cells)
        lines += [line] * scale
    path.write_text(f"P1\n{width * scale} {len(rows) * scale}\n" + "\n".join(lines) + "\n")
    done = subprocess.run(["zbarimg", "-q", "--raw", str(path)], capture_output=True, text=True)
    return done.stdout.strip()


def claim(program, home, folder, ask):
    """`ask` is given the port, and comes in as a device whose name would clear the terminal."""
    terminal = Terminal(program, home)
    try:
        url = terminal.until(r"open (https://\S+)\r?\n").group(1)
        # Its last line is the margin below the code.
        terminal.until(r"(\x1b\[38[^\n]*\n){15,}(?!\x1b\[38)", 10)
        lines = [line.rstrip("\r") for line in terminal.text.split("\n") if line.startswith("\x1b[38")]
        for scale in (8, 3):
            equal(f"what zbarimg reads at {scale} points a square", read(colored(lines), scale, folder / "code.pbm"), url)
        columns, height = len(colored(lines)[0]), len(lines)
        need(height <= 23 and columns <= 80, f"it has {columns} columns and {height} lines")
        ask(url)
        terminal.until("came in")
        rest = terminal.text[terminal.text.rindex("came in") - 60:]
        rest = re.sub(r"\x1b\[38;5;16;48;5;231m|\x1b\[0m", "", rest)
        need("\x1b" not in rest and "\x07" not in rest, f"a device's name got through: {rest!r}")
        terminal.until(r"came in.*open https", 20)
    finally:
        terminal.close()
    return f"{len(url)} signs in {columns} x {height}, read at 8 and 3 points a square; a device's name harms nothing"


def claim_plain(program, home, folder, columns):
    """Where there are neither colours nor half blocks."""
    terminal = Terminal(program, home, {"TERM": "dumb"}, columns)
    try:
        url = terminal.until(r"open (https://\S+)\r?\n").group(1)
        # Its first lines are margin, and so are its last.
        terminal.until(r"\n([# ]{60,}\r?\n){37}", 5)
        lines = [line.rstrip("\r") for line in terminal.text.split(url)[1].split("\n")[1:]]
        lines = [line for line in lines if set(line) <= {" ", "#"}]
        need("\x1b" not in terminal.text, "a dumb terminal gets escapes")
        equal("what zbarimg reads", read(plain(lines), 4, folder / "code.pbm"), url)
        return f"{max(map(len, lines))} columns of {columns}, read at 4 points a square"
    finally:
        terminal.close()
