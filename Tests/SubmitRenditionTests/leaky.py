#!/usr/bin/python3
"""Photos that tell where they were taken, in every way that other tools were seen to leave behind: leaky.py FOLDER.

The place is 35.6762 139.6503 in all hemispheres, the town Musterstadt. PIL makes the pictures, exiftool writes into them,
and what neither of them does is appended byte by byte."""
import struct
import subprocess
import sys
from pathlib import Path

from PIL import Image, ImageCms

folder = Path(sys.argv[1])
profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
# As a display's profile has the name of its owner's.
assert "sRGB built-in".encode("utf-16-be") in profile
profile = profile.replace("sRGB built-in".encode("utf-16-be"), "Musterstadt 1".encode("utf-16-be"))


def picture(width=96, height=64, mode="RGB", shift=0):
    image = Image.new("RGB", (width, height))
    image.putdata([((x * 2 + shift) % 256, y * 3 % 256, x * y % 256) for y in range(height) for x in range(width)])
    return image.convert(mode)


commands = []


def exiftool(path, *arguments):
    commands.append([*arguments, str(path)])


def write_metadata():
    """In one process: starting it takes longer than what it does."""
    lines = "\n-execute\n".join("\n".join(["-q", "-q", "-m", "-overwrite_original", *command]) for command in commands)
    subprocess.run(["exiftool", "-@", "-"], input=lines.encode(), check=True)
    commands.clear()


def place(south="N", west="E"):
    minus = {"N": "", "S": "-", "E": "", "W": "-"}
    return [
        "-GPSLatitude=35.6762", f"-GPSLatitudeRef={south}", "-GPSLongitude=139.6503", f"-GPSLongitudeRef={west}",
        "-GPSAltitude=44", "-GPSDateStamp=2026:08:01", "-GPSTimeStamp=01:11:12",
        f"-XMP-exif:GPSLatitude={minus[south]}35.6762", f"-XMP-exif:GPSLongitude={minus[west]}139.6503",
        "-XMP-photoshop:City=Musterstadt", "-XMP-iptcCore:Location=Musterstadt",
        "-XMP-iptcExt:LocationShownCity=Musterstadt", "-XMP-iptcExt:LocationCreatedCity=Musterstadt",
    ]  # fmt: skip


KEPT = [
    "-DateTimeOriginal=2026:08:01 10:11:12", "-OffsetTimeOriginal=+09:00", "-SubSecTimeOriginal=123",
    "-CreateDate=2026:08:01 10:11:13", "-ModifyDate=2026:08:02 10:11:13", "-Make=Maker", "-Model=Model X",
    "-LensMake=Lensmaker", "-LensModel=Lens 50", "-Copyright=© Ann", "-Artist=Ann", "-ExposureTime=1/250", "-FNumber=2.8",
    "-ISO=100", "-FocalLength=50", "-ExposureProgram#=2", "-ExposureCompensation=-0.333", "-MeteringMode#=5", "-Flash#=16",
    "-WhiteBalance#=0", "-ExposureMode#=0", "-FocalLengthIn35mmFormat=75",
]  # fmt: skip
PRIVATE = ["-SerialNumber=SN12345", "-LensSerialNumber=SN12345", "-OwnerName=Ann Owner", "-UserComment=Musterstadt",
           "-ImageDescription=Musterstadt", "-XMP:Description=Musterstadt"]  # fmt: skip

thumbnail = folder / "thumbnail"
picture(32, 24).save(thumbnail, "JPEG")
exiftool(thumbnail, *place())
write_metadata()

for south in "NS":
    for west in "EW":
        for name, form, options in [
            ("jpg", "JPEG", {"quality": 90}), ("png", "PNG", {}), ("webp", "WEBP", {"quality": 80}),
        ]:  # fmt: skip
            path = folder / f"{south}{west}.{name}"
            picture().save(path, form, icc_profile=profile, **options)
            exiftool(path, *place(south, west), *KEPT, *PRIVATE, "-Orientation#=6")
            if name == "jpg":
                exiftool(path, "-IPTC:City=Musterstadt", "-Comment=Musterstadt")
                exiftool(path, f"-ThumbnailImage<={thumbnail}")
            if name == "png":
                exiftool(path, "-PNG:Title=Musterstadt", "-PNG:Comment=35.6762 139.6503")

for orientation in range(1, 9):
    for name, form in [("jpg", "JPEG"), ("png", "PNG"), ("webp", "WEBP")]:
        path = folder / f"orientation-{orientation}.{name}"
        picture(31, 17).save(path, form)
        exiftool(path, f"-Orientation#={orientation}", *place())

# Kinds of pictures, each with a place.
kinds = {
    "progressive.jpg": (picture(), "JPEG", {"progressive": True}),
    "grey.jpg": (picture(mode="L"), "JPEG", {}),
    "cmyk.jpg": (picture(mode="CMYK"), "JPEG", {}),
    "444.jpg": (picture(), "JPEG", {"subsampling": 0}),
    "one.jpg": (picture(1, 1), "JPEG", {}),
    "alpha.png": (picture(mode="RGBA"), "PNG", {}),
    "palette.png": (picture(mode="P"), "PNG", {"transparency": 3}),
    "sixteen.png": (picture(mode="L").convert("I;16"), "PNG", {}),
    "one.png": (picture(1, 1), "PNG", {}),
    "lossless.webp": (picture(), "WEBP", {"lossless": True}),
    "alpha.webp": (picture(mode="RGBA"), "WEBP", {}),
    "one.webp": (picture(1, 1), "WEBP", {}),
    "animated.webp": (picture(), "WEBP", {"save_all": True, "append_images": [picture(shift=90)], "duration": 100}),
    "still.gif": (picture(mode="P"), "GIF", {}),
    "animated.gif": (picture(mode="P"), "GIF",
                     {"save_all": True, "append_images": [picture(mode="P", shift=90)], "duration": 100, "loop": 3}),
    "animated.png": (picture(), "PNG", {"save_all": True, "append_images": [picture(shift=90)], "duration": 100}),
}
for name, (image, form, options) in kinds.items():
    image.save(folder / name, form, **options)
    exiftool(folder / name, *place(), *KEPT, *(["-Comment=Musterstadt"] if form == "GIF" else []))
# Values out of their range, and more than there should be, as real files have them.
picture().save(folder / "odd.jpg", "JPEG")
exiftool(folder / "odd.jpg", *place(), "-Flash#=9969", "-ISO=100 200", "-ColorSpace#=7", "-Copyright=")
for name, arguments in {"restart.jpg": ["-restart", "1"], "arithmetic.jpg": ["-arithmetic"]}.items():
    bitmap = folder / "bitmap"
    picture().save(bitmap, "PPM")
    subprocess.run(["cjpeg", *arguments, "-outfile", folder / name, bitmap], check=True)
    bitmap.unlink()
    exiftool(folder / name, *place(), *KEPT)

write_metadata()

# What stands behind the picture: a second image with a place of its own (multi-picture), a video (motion photo), and text.
plain = folder / "plain"
picture().save(plain, "JPEG")
tail = (folder / "NE.jpg").read_bytes()


def multi_picture(first, second):
    """CIPA DC-007: APP2 with an index of both images."""
    def index(length, offset):
        entries = struct.pack(">IIIHH", 0x20030000, length, 0, 0, 0) + struct.pack(">IIIHH", 0, len(second), offset, 0, 0)
        head = b"MM\0*" + struct.pack(">I", 8) + struct.pack(">H", 3)
        head += struct.pack(">HHI4s", 0xB000, 7, 4, b"0100") + struct.pack(">HHII", 0xB001, 4, 1, 2)
        head += struct.pack(">HHII", 0xB002, 7, 32, 8 + 2 + 36 + 4) + struct.pack(">I", 0)
        body = b"MPF\0" + head + entries
        return b"\xff\xe2" + struct.pack(">H", len(body) + 2) + body
    length = len(first) + len(index(0, 0))
    return first[:2] + index(length, length - 10) + first[2:] + second


(folder / "multi.jpg").write_bytes(multi_picture(plain.read_bytes(), tail))
video = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + b"\0\0\0\x1e\xa9xyz\0\x12\x15\xc7+35.6762+139.6503/"
for name in ["jpg", "png", "webp", "gif"]:
    file = (folder / (f"NE.{name}" if name != "gif" else "animated.gif")).read_bytes()
    (folder / f"motion.{name}").write_bytes(file + video)
    (folder / f"text.{name}").write_bytes(file + b"Musterstadt")
plain.unlink()
thumbnail.unlink()
