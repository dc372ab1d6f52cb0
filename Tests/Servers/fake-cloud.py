"""A FAKE of Nextcloud, ownCloud 10 and ownCloud Infinite Scale, and of an ordinary WebDAV server.

None of the three can be installed where the tests run. This answers as they do, also where they refuse, as far as
their sources and people's reports tell; it is no proof that the real ones take what it takes.

    fake-cloud.py DIR PORT --kind nextcloud|owncloud|ocis|plain [options]      (started by fake-cloud.sh)

What arrives lies in DIR/data, open uploads in DIR/uploads, what is known of files in DIR/meta.sqlite.
Tests steer it at /__fake/... with the header X-Fake-Control; without it that is a path like any other:
    GET|DELETE requests [?since=N]   what came: method, path, headers, status, bodyBytes
    GET counts                       {bytesTaken, requests}; bytes are those read from bodies
    GET|POST|DELETE plan             faults: {method, path (regex), header, skip, times (0: always)} with one of
                                     status [headers, body, after: do it, then say that], cutAfterBodyBytes,
                                     commitAndDrop, cutAnswerAfter, hold (until POST release {hold})
    GET|POST settings                quota, maintenance, retryAfter, quirks, moveMissingParent, assemblyRequests,
                                     assemblySeconds, assemblyFails, postprocessing, maxBody, url
    POST lock|unlock {path, times}   423 to writers, for so many or until unlocked
    POST expire-uploads, revoke      open uploads end; app passwords end

Where the behaviour is from:
    errors, PROPFIND's depth, PUT, MKCOL, MOVE, COPY, preconditions
                        sabre-io/dav lib/DAV/{CorePlugin,Server}.php
    PUT's checks, X-Hash, X-OC-MTime, OC-Checksum, short bodies
                        nextcloud/server apps/dav/lib/Connector/Sabre/File.php; owncloud/core the same path,
                        which compares
    properties, OC-FileId, lastmodified      nextcloud/server .../Sabre/FilesPlugin.php, CopyEtagHeaderPlugin.php
    PATCH X-Recalculate-Hash                 .../Sabre/ChecksumUpdatePlugin.php
    quota                                    .../Sabre/QuotaPlugin.php
    X-NC-WebDAV-Auto-Mkcol                   apps/dav/lib/Upload/UploadAutoMkcolPlugin.php
    names                                    lib/private/Files/FilenameValidator.php (30 and later)
    sign-in, two factors                     .../Sabre/Auth.php, Exception/PasswordLoginForbidden.php
    chunked upload      apps/dav/lib/Upload/{ChunkingPlugin,ChunkingV2Plugin,UploadFolder,FutureFile,PartFile,
                        AssemblyStream}.php; nextcloud/documentation developer_manual/client_apis/WebDAV/chunking.rst
    MOVE's 504, 423, 404                     rclone#7109, rclone backend/webdav/chunking.go,
                                             nextcloud/server#6279, #17992
    old OC-Chunked, OC-LazyOps               owncloud/core OC_FileChunking, apps/dav/lib/DAV/LazyOpsPlugin.php
    DAV classes                              captured headers in public client tests and reports
    oCIS, tus           owncloud/reva internal/http/services/owncloud/ocdav/{put,tus,options,mkcol,move}.go,
                        pkg/storage/utils/decomposedfs/upload/upload.go; tus.io 1.0.0; owncloud/ocis acceptance tests
    login flow v2, OCS                       nextcloud/documentation developer_manual/client_apis/{LoginFlow,OCS}
Not from them, but stricter or simpler on purpose:
    --chunking strict   refuses what only the documentation forbids (no Destination, chunks out of bounds); the real
                        plugin falls back to the older protocol, see --chunking v1 and v2
    Upload-Checksum     compared for each PATCH, hex or base64, 460; the source read does it only for the whole,
                        see --tus-checksum ignore
    --kind plain        no server in particular
"""
import argparse
import http.server
import os
import secrets
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fakecloud.app import QUIRKS, App  # noqa: E402
from fakecloud.connection import Handler  # noqa: E402


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True

    def handle_error(self, request, client_address):
        import traceback
        traceback.print_exc()


def options():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("directory")
    parser.add_argument("port", type=int)
    parser.add_argument("--kind", choices=["nextcloud", "owncloud", "ocis", "plain"], default="nextcloud")
    parser.add_argument("--version", help="as in 29.0.1")
    parser.add_argument("--prefix", default="", help="the path the cloud lies under, as in /nextcloud")
    parser.add_argument("--user", default="a1b2-alice", help="the id in paths")
    parser.add_argument("--login", default="alice", help="the name to sign in with")
    parser.add_argument("--password", default="secret")
    parser.add_argument("--app-password", default="app-secret")
    parser.add_argument("--two-factor", action="store_true", help="only app passwords sign in")
    parser.add_argument("--quota", type=int, help="bytes in all; -1, -2, -3 as Nextcloud says; none by default")
    parser.add_argument("--max-body", type=int, help="413 above")
    parser.add_argument("--missing-parent", type=int, default=409, help="PUT into no folder")
    parser.add_argument("--forbidden-names", action="store_true", help="Nextcloud set to be kind to Windows")
    parser.add_argument("--empty-checksums", action="store_true", help="Nextcloud names checksums, but none")
    parser.add_argument("--chunking", choices=["strict", "v1", "v2"])
    parser.add_argument("--chunk-min", type=int, help="least bytes of a chunk but the last: 5 MB")
    parser.add_argument("--chunk-max", type=int, default=5_000_000_000)
    parser.add_argument("--chunk-size", type=int, default=104_857_600, help="what the capabilities propose")
    parser.add_argument("--upload-life", type=float, default=86400, help="seconds until an idle upload ends")
    parser.add_argument("--assembly-requests", type=int, help="MOVE: 504, then so many 423, then done")
    parser.add_argument("--assembly-seconds", type=float, help="the same by time")
    parser.add_argument("--tus-chunk", type=int, default=10_000_000, help="max_chunk_size of oCIS")
    parser.add_argument("--tus-checksum", choices=["verify", "ignore"], default="verify")
    parser.add_argument("--postprocessing", type=int, default=0, help="oCIS: so many 425 after an upload")
    parser.add_argument("--move-missing-parent", type=int, choices=[204, 404, 500])
    parser.add_argument("--quirk", action="append", default=[], choices=sorted(QUIRKS))
    found = parser.parse_args()
    found.prefix = "/" + found.prefix.strip("/") if found.prefix.strip("/") else ""
    if found.chunking is None:
        found.chunking = "strict" if found.kind == "nextcloud" else "v1"
    if found.chunk_min is None:
        found.chunk_min = 5_000_000 if found.kind == "nextcloud" else 0
    found.control = os.environ.get("FAKE_CONTROL") or secrets.token_hex(8)
    return found


def main():
    found = options()
    handler = type("Bound", (Handler,), {"app": App(found)})
    Server(("127.0.0.1", found.port), handler).serve_forever()


main()
