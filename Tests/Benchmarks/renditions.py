"""Photos made smaller by submit-media, asked as submit asks it, and by vipsthumbnail: renditions.py SUBMIT_MEDIA
VIPSTHUMBNAIL [PHOTOS [ROUNDS]]. Prints the seconds of processors of each round and the median of the rounds' ratios."""

import array
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

SIZES = ((4000, 3000), (4900, 3266), (6000, 4000))
SIDES = (2048, 400)
QUALITY = 85


def photos(folder, count):
    """Noise of two grains, as sensors and grass have it: its JPEGs have about the bytes of a camera's."""
    made = []
    for index in range(count):
        width, height = SIZES[index % len(SIZES)]
        coarse = Image.effect_noise((width // 8, height // 8), 90).resize((width, height), Image.Resampling.BICUBIC)
        fine = Image.effect_noise((width, height), 12)
        grey = Image.blend(coarse, fine, 0.4)
        slope = Image.linear_gradient("L").resize((width, height))
        made.append(folder / f"photo{index}.jpg")
        Image.merge("RGB", (grey, slope, fine)).save(made[-1], quality=90)
    return made


def by_media(program, files, side, folder):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen([program], stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={})
    theirs.close()
    engine = ours.recv(4096).decode()
    if not engine.startswith("ready "):
        sys.exit(f"submit-media cannot work here: {engine or 'it ended'}")
    for file in files:
        source = os.open(file, os.O_RDONLY)
        result = os.open(folder / f"media-{file.name}", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        job = f"image/jpeg box={side}x{side} format=jpeg quality={QUALITY}"
        rights = array.array("i", [source, result])
        ours.sendmsg([job.encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        answer = ours.recv(4096).decode()
        os.close(source)
        os.close(result)
        if not answer.startswith("made jpeg "):
            sys.exit(f"submit-media made nothing of {file.name}: {answer}")
    ours.close()
    process.wait()


def by_vipsthumbnail(program, files, side, folder):
    output = f"{folder}/vips-%s.jpg[Q={QUALITY},optimize_coding,strip]"
    # No photo becomes larger, and as many threads work. None has a profile: with one to export it would convert them for nothing.
    subprocess.run([program, "--size", f"{side}x{side}>", "--vips-concurrency", "1", "-o", output, *files], check=True)


def measured(run):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    run()
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main(media, vipsthumbnail, count=12, rounds=5):
    with tempfile.TemporaryDirectory(prefix="submit-renditions-") as name:
        folder = Path(name)
        files = photos(folder, int(count))
        for side in SIDES:
            ratios = []
            contestants = [
                lambda: by_media(media, files, side, folder), lambda: by_vipsthumbnail(vipsthumbnail, files, side, folder)
            ]
            for contestant in contestants:
                contestant()
            for number in range(int(rounds)):
                found = {}
                # In turns, and every other round in reverse.
                for index in ((0, 1), (1, 0))[number % 2]:
                    found[index] = measured(contestants[index])
                ratios.append(found[0][0] / found[1][0])
                print(
                    f"{side} px, {len(files)} photos: submit-media {found[0][0]:.2f} s ({found[0][1]:.2f} s by the clock), "
                    f"vipsthumbnail {found[1][0]:.2f} s ({found[1][1]:.2f} s)")
            print(
                f"{side} px: {statistics.median(ratios):.2f} times vipsthumbnail's time of processors "
                f"({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main(*sys.argv[1:])
