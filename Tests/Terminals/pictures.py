"""What pictures.sh does: see there."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

PROGRAM, OUT = Path(sys.argv[1]), Path(sys.argv[2])
WINDOW = (1200, 900)
# Colours that no terminal uses by itself, a photo's four quarters.
QUARTERS = [(200, 40, 120), (40, 180, 200), (230, 170, 40), (90, 60, 200)]
# Pixels of its colour, at most so far from it: sixels have 256 colours of a percent each.
NEAR = 24
XTERM = ["xterm", "-ti", "vt340", "-geometry", "100x30", "-e"]
MLTERM = ["mlterm", "-g", "80x30", "-e"]
TERMINALS = {
    "xterm": XTERM,
    "mlterm": MLTERM,
    "mlterm-iterm": MLTERM,
    "konsole": ["konsole", "--nofork", "-p", "TerminalColumns=100", "-p", "TerminalRows=30", "-e"],
    "kitty": ["kitty", "-o", "remember_window_size=no", "-o", "initial_window_width=1000", "-o", "initial_window_height=600"],
}
WITHOUT = {
    "xterm-without": ["xterm", "-ti", "vt100", "-geometry", "100x30", "-e"],
    "tmux": [*XTERM, "tmux", "-L", "submit-pictures", "new"],
}


@contextlib.contextmanager
def display():
    """An X server with nothing on it."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{WINDOW[0]}x{WINDOW[1]}x24"],
        pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as number:
            yield f":{number.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


def photos(folder):
    """Of three shapes, one of which is turned by its EXIF."""
    for name, size, turned in [("wide.png", (1200, 800), 1), ("high.jpg", (1200, 800), 6), ("small.png", (60, 40), 1)]:
        image = Image.new("RGB", size)
        for index, colour in enumerate(QUARTERS):
            x, y = index % 2 * size[0] // 2, index // 2 * size[1] // 2
            image.paste(colour, (x, y, x + size[0] // 2, y + size[1] // 2))
        exif = Image.Exif()
        exif[0x0112] = turned
        image.save(folder / name, **({"exif": exif, "quality": 95, "subsampling": 0} if name.endswith("jpg") else {}))
        yield folder / name


def blocks(image):
    """The rectangles of each colour, from top to bottom."""
    found = []
    pixels = image.load()
    for colour in QUARTERS:
        rows = {}
        for y in range(image.height):
            xs = [x for x in range(image.width // 3)
                  if all(abs(a - b) <= NEAR for a, b in zip(pixels[x, y], colour))]
            # Less is the edge of a letter, or of a photo.
            if len(xs) >= 8:
                rows[y] = (xs[0], xs[-1])
        start = None
        for y in sorted(rows):
            if start is None or y - 1 not in rows:
                start = y
            if y + 1 not in rows and y - start >= 5:
                found.append((colour, rows[y][0], start, rows[y][1] + 1, y + 1))
                start = None
    return sorted(found, key=lambda block: block[2])


# It knows two, and says the other. By this one small photos fill their place.
ASKED_FOR = {"mlterm-iterm": "--thumbnails iterm"}


class Faults(list):
    def expect(self, truth, words):
        if not truth:
            self.append(words)


def seen(image, faults, name):
    """Three photos below each other, the newest first: small, high, wide."""
    found = blocks(image)
    faults.expect(len(found) == 12, f"{name}: {len(found)} quarters are seen and not 12: {found}")
    if len(found) != 12:
        return
    sizes = [(40, 60), (2, 3), (3, 2)]
    for index, (shape, order) in enumerate(zip(["small", "high", "wide"], [[0, 1, 2, 3], [2, 0, 3, 1], [0, 1, 2, 3]])):
        four = found[index * 4:index * 4 + 4]
        left, top = min(block[1] for block in four), min(block[2] for block in four)
        right, bottom = max(block[3] for block in four), max(block[4] for block in four)
        width, height = right - left, bottom - top
        wanted = {"small": 60 / 40, "high": 2 / 3, "wide": 3 / 2}[shape]
        # Each side may be a few pixels off, by what is near a colour's edge.
        faults.expect(
            abs(width - height * wanted) <= 4 * max(1, wanted), f"{name}: {shape} is {width}x{height}")
        if shape == "small" and name not in ASKED_FOR:
            faults.expect(width <= 62, f"{name}: {shape} is made larger: {width}x{height}")
        corners = [
            next((c for c, x0, y0, x1, y1 in four if x0 <= x < x1 and y0 <= y < y1), None)
            for y in (top + height // 4, bottom - height // 4) for x in (left + width // 4, right - width // 4)]
        faults.expect(corners == [QUARTERS[i] for i in order], f"{name}: {shape} is turned or mirrored: {corners}")


def main():
    faults = Faults()
    with tempfile.TemporaryDirectory() as folder, display() as screen:
        folder = Path(folder)
        for name in ["home", "nas", "photos"]:
            (folder / name).mkdir()
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("XDG", "TMUX"))},
            "HOME": str(folder / "home"), "DISPLAY": screen, "LIBGL_ALWAYS_SOFTWARE": "1", "LC_ALL": "C.UTF-8",
        }
        settings = folder / "home/.config/submit"
        settings.mkdir(parents=True)
        (settings / "config.yaml").write_text(f"destinations:\n  nas:\n    type: file\n    path: {folder}/nas\n")
        for photo in photos(folder / "photos"):
            subprocess.run([PROGRAM, "--quiet", "--to", "nas", photo], env=environment, check=True)
        script = folder / "show"
        for name, terminal in {**TERMINALS, **WITHOUT}.items():
            marks = [folder / f"{name}-{word}" for word in ("shown", "keys")]
            script.write_text(
                f"#!/bin/sh\n{PROGRAM} feed {ASKED_FOR.get(name, '')}\necho $? > {marks[0]}.part\n"
                # What comes to the terminal now was meant for submit.
                f"stty -icanon min 0 time 5; cat > {marks[1]}; stty -a >> {marks[1]}; mv {marks[0]}.part {marks[0]}\n"
                "exec sleep 60\n")
            script.chmod(0o755)
            window = subprocess.Popen(
                [*terminal, script], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 30
            while not marks[0].exists() and time.monotonic() < deadline:
                time.sleep(0.1)
            time.sleep(1)
            picture = OUT / f"{name}.png"
            subprocess.run(["import", "-window", "root", picture], env=environment, check=True)
            window.terminate()
            window.wait()
            subprocess.run(["tmux", "-L", "submit-pictures", "kill-server"], env=environment, stderr=subprocess.DEVNULL)
            status = marks[0].read_text().strip() if marks[0].exists() else "none"
            faults.expect(status == "0", f"{name}: submit ended with {status}")
            keys = marks[1].read_text(errors="replace") if marks[1].exists() else ""
            faults.expect(keys.startswith("speed "), f"{name}: answers are left for the shell: {keys[:60]!r}")
            faults.expect(" echo " in keys, f"{name}: the terminal is left without an echo")
            image = Image.open(picture).convert("RGB")
            if name in TERMINALS:
                seen(image, faults, name)
            else:
                faults.expect(not blocks(image), f"{name}: pictures are seen, or what they are made of")
            print(f"{name}: looked at, see {picture}")
    for fault in faults:
        print(f"FAILED {fault}")
    sys.exit(1 if faults else 0)


main()
