"""Serves Keystone on the loopback: keystone-serve.py PORT, configured by OS_KEYSTONE_CONFIG_FILES."""
import signal
import sys

from cheroot.wsgi import Server
from keystone.server.wsgi import initialize_public_application

# Keystone reads what is left of the arguments as its own.
port = int(sys.argv.pop())
server = Server(("127.0.0.1", port), initialize_public_application(), numthreads=8)
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
server.safe_start()
