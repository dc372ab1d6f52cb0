"""Writes the three rings of a one-device Swift: swift-rings.py DIR PORT PORT PORT (object, container, account).

The same as three commands each of swift-ring-builder, in one interpreter instead of nine.
"""
import os
import sys

from swift.common.ring import RingBuilder

directory, *ports = sys.argv[1:]

probe = os.path.join(directory, "xattr-probe")
open(probe, "w").close()
try:
    os.setxattr(probe, "user.swift.metadata", b"x")
except OSError as error:
    sys.exit(f"Swift needs a file system with user xattrs, which {directory} is not on: {error}")
finally:
    os.unlink(probe)

for name, port in zip(("object", "container", "account"), ports):
    builder = RingBuilder(part_power=4, replicas=1, min_part_hours=0)
    builder.add_dev({"region": 1, "zone": 1, "ip": "127.0.0.1", "port": int(port), "device": "d1", "weight": 1})
    builder.rebalance()
    builder.get_ring().save(os.path.join(directory, f"{name}.ring.gz"))
