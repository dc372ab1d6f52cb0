"""Serves Keystone on the loopback: keystone-serve.py PORT, configured by OS_KEYSTONE_CONFIG_FILES."""
import signal
import sys

from cheroot.wsgi import Server
from keystone.server.wsgi import initialize_public_application

# Keystone reads what is left of the arguments as its own.
port = int(sys.argv.pop())
# One thread: of two requests that read a row and then write it, SQLite lets one down.
server = Server(("127.0.0.1", port), initialize_public_application(), numthreads=1, request_queue_size=128)
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
server.safe_start()
