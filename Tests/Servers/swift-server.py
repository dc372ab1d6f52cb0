"""Runs a server of Swift with the limits of its own swift.conf: swift-server.py SWIFT_DIR PROGRAM ARGUMENTS...

Swift reads the limits when it is imported, from /etc/swift unless it is told before.
"""
import runpy
import sys

from swift.common import utils

directory, *sys.argv = sys.argv[1:]
utils.set_swift_dir(directory)
runpy.run_path(sys.argv[0], run_name="__main__")
