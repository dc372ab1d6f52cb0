#!/usr/bin/env python3
"""Writes an object file with the part of ICU's data that a program of one language needs: slim-icu.py LIBRARY OBJECT.

Foundation, linked statically, brings the data of 800 locales and of old encodings, 33 MB of 81. Linked before it, the object
takes their place. What is kept: what is no language's, the root of each kind, and English. What ICU does not find it takes from
the root (ICU User Guide, "ICU Data", "Reducing the size of ICU's data").
"""

import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

MEMBER = "icu_packaged_data.cpp.o"
LOCALE = re.compile(r"[a-z]{2,3}(_[A-Za-z0-9]+)*")
KEPT = re.compile(r"root|en|en_US|en_US_POSIX|en_001|en_GB|en_150|pool|res_index|supplementalData|ucadata|tzdbNames")


def is_kept(name):
    folder, _, file = name.rpartition("/")
    stem, _, kind = file.rpartition(".")
    if kind in ("cnv", "dict"):
        return False
    if folder == "translit":
        return stem in ("root", "en", "res_index")
    return kind != "res" or bool(KEPT.fullmatch(stem)) or not LOCALE.fullmatch(stem) or (not folder and "_" not in stem and len(stem) > 3)


def slimmed(data):
    """The package with what is kept alone: its header, how many there are, their names' and their own places, sorted (udata.h,
    "CmnD")."""
    header = struct.unpack_from("<H", data)[0]
    count = struct.unpack_from("<I", data, header)[0]
    places = [struct.unpack_from("<II", data, header + 4 + 8 * index) for index in range(count)]
    ends = [place for _, place in places[1:]] + [len(data) - header]
    entries = []
    for (name, start), end in zip(places, ends):
        name = data[header + name:data.index(b"\0", header + name)]
        if is_kept(name.decode().partition("/")[2]):
            entries.append((name, data[header + start:header + end]))
    names = b"".join(name + b"\0" for name, _ in entries)
    first = 4 + 8 * len(entries)
    start = -(-(first + len(names)) // 16) * 16
    table, at_name, at = b"", first, start
    body = b""
    for name, content in entries:
        content += b"\0" * (-len(content) % 16)
        table += struct.pack("<II", at_name, at)
        at_name += len(name) + 1
        at += len(content)
        body += content
    toc = struct.pack("<I", len(entries)) + table + names
    return data[:header] + toc + b"\xaa" * (start - len(toc)) + body


def main(library, target):
    target = Path(target).resolve()
    symbols = subprocess.run(["nm", library], capture_output=True, text=True).stdout
    symbol = re.search(r" R (icudt\d+_dat)$", symbols, re.M).group(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run(["ar", "x", Path(library).resolve(), MEMBER], cwd=folder, check=True)
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata", MEMBER, "all"], cwd=folder, check=True)
        (folder / "data").write_bytes(slimmed((folder / "all").read_bytes()))
        (folder / "data.s").write_text(
            f'.section .rodata\n.balign 16\n.globl {symbol}\n.type {symbol}, @object\n{symbol}:\n.incbin "data"\n'
            f'.size {symbol}, . - {symbol}\n.section .note.GNU-stack,"",@progbits\n')
        subprocess.run(["as", "data.s", "-o", target], cwd=folder, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
