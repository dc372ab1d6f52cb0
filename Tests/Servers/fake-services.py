"""STAND-INS of photo services that cannot be installed where the tests run, nor asked over the network.

Each answers as its documentation says, also where it refuses; it is no proof that the real one takes what it takes.

    fake-services.py DIR PORT SECURE_PORT SERVICE      (started by fake-services.sh, which makes DIR/server.pem)

SERVICE: immich, mastodon, pixelfed, dropbox, google-photos, flickr, x, facebook, tumblr, hatena, imgur, mixi. Where the
behaviour of each is from, its file in fakeservices/ says. All of a service's hosts are at the one port, and by https at
the other.
A person who is asked to consent does so at once. Bytes are forgotten, but for their digests; a restart forgets all but the
credentials it gives away.

Tests steer it at /__fake/... with the header X-Fake-Control; without it that is a path like any other:
    POST reset [faults]              all is as at the start, with these planned
    GET state                        {items: [{id, size, sha256, ...}], posts, albums, sessions: how many are open,
                                     openFaults: how many of those planned are to come}
    GET|DELETE requests [?since=N]   what came: step, method, path, headers, status, bodyBytes
    GET counts                       {bytesTaken, requests}; bytes are those read from bodies
    GET|POST|DELETE plan             faults as in fake-cloud.py: {method, path (a regex, of `STEP PATH?QUERY`), header, skip,
                                     times (0: always)} with one of status [headers, body, after: do it, then say that],
                                     cutAfterBodyBytes, commitAndDrop, cutAnswerAfter, hold (until POST release {hold}),
                                     expireTokens
                                     A status without a body is worded as the service words it; 429 says `wait` in its way.
    GET|POST settings                checksTypes (refuse what is no photo or video), maxPhoto, maxVideo, wait, and those of
                                     the service
    POST expire-tokens, revoke-tokens, expire-sessions
What all refuse: a body of unknown length, a multipart form that is not exactly one, a token that is none, too old or
without the scope.
"""
import argparse
import http.server
import os
import ssl
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fakecloud.connection import Handler  # noqa: E402
from fakeservices.app import App  # noqa: E402
from fakeservices.dropbox import Dropbox  # noqa: E402
from fakeservices.facebook import Facebook  # noqa: E402
from fakeservices.flickr import Flickr  # noqa: E402
from fakeservices.googlephotos import GooglePhotos  # noqa: E402
from fakeservices.hatena import Hatena  # noqa: E402
from fakeservices.imgur import Imgur  # noqa: E402
from fakeservices.immich import Immich  # noqa: E402
from fakeservices.mastodon import Mastodon, Pixelfed  # noqa: E402
from fakeservices.mixi import Mixi  # noqa: E402
from fakeservices.tumblr import Tumblr  # noqa: E402
from fakeservices.x import X  # noqa: E402

SERVICES = {
    "immich": Immich, "mastodon": Mastodon, "pixelfed": Pixelfed, "dropbox": Dropbox, "google-photos": GooglePhotos,
    "flickr": Flickr, "x": X, "facebook": Facebook, "tumblr": Tumblr, "hatena": Hatena, "imgur": Imgur, "mixi": Mixi,
}


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True
    tls = None

    def finish_request(self, request, client_address):
        # In the connection's own thread, so that nobody waits for another's greeting.
        if self.tls:
            request = self.tls.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)
        if self.tls:
            try:
                request.unwrap()
            except OSError:
                pass
            request.close()

    def handle_error(self, request, client_address):
        import traceback
        if not isinstance(sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1], OSError):
            traceback.print_exc()


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("directory")
    parser.add_argument("port", type=int)
    parser.add_argument("secure_port", type=int)
    parser.add_argument("service", choices=sorted(SERVICES))
    options = parser.parse_args()
    options.kind = "plain"
    options.control = os.environ["FAKE_CONTROL"]
    app = App(options, SERVICES[options.service])
    handler = type("Bound", (Handler,), {"app": app})
    server = Server(("127.0.0.1", options.port), handler)
    secure = Server(("127.0.0.1", options.secure_port), handler)
    secure.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secure.tls.load_cert_chain(options.directory + "/server.pem", options.directory + "/server.key")
    threading.Thread(target=secure.serve_forever, daemon=True).start()
    with open(options.directory + "/credentials.new", "w") as file:
        for name, value in app.service.credentials().items():
            file.write(f"{name}={value}\n")
        file.write("HOSTS=" + " ".join(app.service.hosts) + "\n")
    os.replace(options.directory + "/credentials.new", options.directory + "/credentials")
    server.serve_forever()


main()
