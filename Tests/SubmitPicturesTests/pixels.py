#!/usr/bin/python3
"""Photos whose pixels are known, and what was made of them, looked at by PIL: `make FOLDER`, `large FOLDER`, `compare FOLDER`."""
import io
import json
import math
import os
import struct
import sys
import zlib

from PIL import Image, ImageDraw

WIDE = (301, 200)
# Which transposition shows a picture that was stored with this orientation upright, and its inverse.
UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_270, 7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
INVERSE = {6: Image.Transpose.ROTATE_90, 8: Image.Transpose.ROTATE_270}
# Display P3 with a gamma of 2.2, adapted to D50: columns of its matrix.
P3 = ((0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407))
SRGB = ((0.43607, 0.22249, 0.01392), (0.38515, 0.71687, 0.09708), (0.14307, 0.06061, 0.71410))


def base():
    picture = Image.new("RGB", WIDE)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, 150, 100), fill=(200, 30, 30))
    draw.rectangle((151, 0, 300, 100), fill=(30, 160, 40))
    draw.rectangle((0, 101, 150, 199), fill=(40, 60, 190))
    draw.rectangle((151, 101, 300, 199), fill=(220, 210, 60))
    draw.ellipse((20, 20, 80, 60), fill=(255, 255, 255))
    return picture


def profile():
    def fixed(value):
        return struct.pack(">i", round(value * 65536))

    tags = {
        b"desc": b"desc\0\0\0\0" + struct.pack(">I", 2) + b"P\0" + bytes(79),
        b"cprt": b"text\0\0\0\0-\0", b"wtpt": b"XYZ \0\0\0\0" + fixed(0.9642) + fixed(1) + fixed(0.8249),
        b"rTRC": b"curv\0\0\0\0" + struct.pack(">IH", 1, round(2.2 * 256)) + b"\0\0",
    }
    for name, column in zip((b"rXYZ", b"gXYZ", b"bXYZ"), P3):
        tags[name] = b"XYZ \0\0\0\0" + b"".join(map(fixed, column))
    tags[b"gTRC"] = tags[b"bTRC"] = tags[b"rTRC"]
    table, data = struct.pack(">I", len(tags)), b""
    start = 128 + 4 + 12 * len(tags)
    for name, content in tags.items():
        content += bytes(-len(content) % 4)
        table += name + struct.pack(">II", start + len(data), len(content))
        data += content
    head = struct.pack(">I4sI4s4s4s", 132 + 12 * len(tags) + len(data), b"lcms", 0x02100000, b"mntr", b"RGB ", b"XYZ ")
    head += bytes(12) + b"acsp" + bytes(24) + bytes(4) + fixed(0.9642) + fixed(1) + fixed(0.8249)
    return head.ljust(128, b"\0") + table + data


def chart():
    picture = Image.new("RGB", (240, 160))
    draw = ImageDraw.Draw(picture)
    colours = []
    for index in range(24):
        colour = tuple(40 + (index * step) % 7 * 28 for step in (1, 3, 5))
        x, y = index % 6 * 40, index // 6 * 40
        draw.rectangle((x, y, x + 39, y + 39), fill=colour)
        colours.append(((x + 20, y + 20), colour))
    return picture, colours


def in_srgb(colour):
    """What a colour of P3 is in sRGB, by the matrices alone."""
    linear = [(value / 255) ** 2.2 for value in colour]
    xyz = [sum(P3[c][row] * linear[c] for c in range(3)) for row in range(3)]
    (a, d, g), (b, e, h), (c, f, i) = SRGB
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    inverse = (
        (e * i - f * h, c * h - b * i, b * f - c * e), (f * g - d * i, a * i - c * g, c * d - a * f),
        (d * h - e * g, b * g - a * h, a * e - b * d))
    shown = []
    for row in inverse:
        value = min(1, max(0, sum(k * v for k, v in zip(row, xyz)) / det))
        shown.append(255 * (12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055))
    return shown


def turned_heic(sample, angle):
    """The sample turned by `angle` quarters against the clock, as its properties say, and as its EXIF says something else."""
    data = open(sample, "rb").read()

    def find(name, start, end):
        while start < end:
            size, kind = struct.unpack(">I4s", data[start:start + 8])
            if kind == name:
                return start, size
            start += size
        raise KeyError(name)

    meta, meta_size = find(b"meta", 0, len(data))
    iprp, iprp_size = find(b"iprp", meta + 12, meta + meta_size)
    ipco, ipco_size = find(b"ipco", iprp + 8, iprp + iprp_size)
    ipma, ipma_size = find(b"ipma", iprp + 8, iprp + iprp_size)
    iloc, iloc_size = find(b"iloc", meta + 12, meta + meta_size)
    count = 0
    place = ipco + 8
    while place < ipco + ipco_size:
        place += struct.unpack(">I", data[place:place + 4])[0]
        count += 1
    more = 10
    changed = bytearray(data)
    # iloc: version 0, four-byte offsets, lengths and base offsets, of one extent each.
    entries = struct.unpack(">H", data[iloc + 14:iloc + 16])[0]
    for index in range(entries):
        base = iloc + 16 + index * 18 + 4
        changed[base:base + 4] = struct.pack(">I", struct.unpack(">I", data[base:base + 4])[0])
        extent = base + 6
        changed[extent:extent + 4] = struct.pack(">I", struct.unpack(">I", data[extent:extent + 4])[0] + more)
    for place, size in ((meta, meta_size), (iprp, iprp_size), (ipma, ipma_size)):
        changed[place:place + 4] = struct.pack(">I", size + (more if place != ipma else 1))
    changed[ipco:ipco + 4] = struct.pack(">I", ipco_size + 9)
    # One item with associations of a byte each.
    changed[ipma + 18] += 1
    end = ipma + ipma_size
    turn = struct.pack(">I4sB", 9, b"irot", angle)
    return bytes(changed[:ipco + ipco_size]) + turn + bytes(changed[ipco + ipco_size:end]) + bytes([0x80 | count + 1]) \
        + bytes(changed[end:])


def bomb(width, height):
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    pack = zlib.compressobj(1)
    rows = bytearray()
    for _ in range(64):
        rows += pack.compress(bytes(1 + width // 8) * (height // 64))
    rows += pack.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)) \
        + chunk(b"IDAT", bytes(rows)) + chunk(b"IEND", b"")


def make(folder, media):
    def path(name):
        return os.path.join(folder, name)

    for orientation in range(1, 9):
        stored = base()
        if orientation in UPRIGHT:
            stored = stored.transpose(INVERSE.get(orientation, UPRIGHT[orientation]))
        exif = Image.Exif()
        exif[0x0112] = orientation
        stored.save(path(f"orientation{orientation}.jpg"), quality=95, exif=exif)
    for angle in range(4):
        open(path(f"turned{angle}.heic"), "wb").write(turned_heic(os.path.join(media, "garden.heic"), angle))
    picture, _ = chart()
    picture.save(path("p3.jpg"), quality=97, subsampling=0, icc_profile=profile())
    for width, height in ((1, 1), (1, 200), (200, 1), (3, 2), (101, 67), (400, 300)):
        base().resize((width, height)).save(path(f"{width}x{height}.png"))
    base().convert("L").save(path("grey.jpg"), quality=90)
    base().convert("CMYK").save(path("cmyk.jpg"), quality=90)
    clear = base().convert("RGBA")
    clear.putalpha(Image.new("L", WIDE, 0))
    clear.save(path("clear.png"))
    Image.new("I;16", (64, 64), 30000).save(path("deep.png"))
    whole = io.BytesIO()
    base().resize((900, 600)).save(whole, "JPEG", quality=90)
    open(path("truncated.jpg"), "wb").write(whole.getvalue()[: len(whole.getvalue()) // 2])
    open(path("svg.jpg"), "w").write('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>')
    open(path("mvg.jpg"), "w").write("push graphic-context\nviewbox 0 0 9 9\nimage over 0,0 9,9 '/etc/passwd'\npop graphic-context\n")
    open(path("pdf.jpg"), "w").write("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n")
    open(path("bomb.png"), "wb").write(bomb(30000, 30000))
    frames = [Image.new("P", (20, 20), index) for index in range(3)]
    frames[0].save(path("moving.gif"), save_all=True, append_images=frames[1:], duration=50)
    dull = Image.linear_gradient("L").resize((300, 200)).point(lambda value: 80 + value * 90 // 255).convert("RGB")
    dull.save(path("dull.png"))
    Image.linear_gradient("L").convert("RGB").save(path("full.png"))
    noise = Image.effect_noise((900, 700), 120).convert("RGB")
    noise.save(path("noise.jpg"), quality=95)
    small = noise.resize((600, 466))
    small.save(path("noise.png"))
    small.putalpha(Image.linear_gradient("L").resize(small.size))
    small.save(path("faded.png"))


def large(folder):
    """A hundred megapixels of four colours, in each way that makes its readers work differently."""
    side = 10000
    picture = base().crop((81, 31, 221, 171)).resize((side, side), Image.Resampling.NEAREST)
    exif = Image.Exif()
    exif[0x0112] = 6
    picture.save(os.path.join(folder, "baseline.jpg"), quality=80)
    picture.save(os.path.join(folder, "progressive.jpg"), quality=80, progressive=True)
    picture.transpose(INVERSE[6]).save(os.path.join(folder, "turned.jpg"), quality=80, progressive=True, exif=exif)
    picture.save(os.path.join(folder, "large.png"), compress_level=1)


def difference(one, other):
    small = (60, 40) if one.width >= one.height else (40, 60)
    a, b = one.convert("RGB").resize(small), other.convert("RGB").resize(small)
    return sum(abs(x - y) for p, q in zip(a.getdata(), b.getdata()) for x, y in zip(p, q)) / (3 * small[0] * small[1])


def compare(folder):
    """What is true of each file that was made: `made-` and the name of its photo."""
    found = {}
    _, colours = chart()
    upright = None
    for name in sorted(os.listdir(folder)):
        if not name.startswith("made-"):
            continue
        picture = Image.open(os.path.join(folder, name))
        picture.load()
        facts = {
            "width": picture.width, "height": picture.height, "mode": picture.mode, "format": picture.format,
            "orientation": picture.getexif().get(0x0112, 1), "profile": "icc_profile" in picture.info,
        }
        if "orientation" in name:
            facts["difference"] = difference(picture, base())
        if "turned0" in name:
            upright = picture
        if "turned" in name and upright:
            angle = int(name.split("turned")[1][0])
            turns = [None, Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_270]
            facts["difference"] = difference(picture, upright.transpose(turns[angle]) if angle else upright)
        if "p3" in name:
            facts["difference"] = max(
                abs(a - b) for place, colour in colours for a, b in zip(picture.getpixel(place), in_srgb(colour)))
        facts["corner"] = picture.convert("RGB").getpixel((0, 0))
        facts["extrema"] = [list(pair) for pair in picture.convert("RGB").getextrema()]
        found[name[len("made-"):].rsplit(".", 1)[0]] = facts
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "large":
        large(sys.argv[2])
    else:
        compare(sys.argv[2])
