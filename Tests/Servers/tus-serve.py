"""Serves tus 1.0 on the loopback: tus-serve.py PORT FOLDER AUTHORIZATION HEADERS MAX_SIZE [CERTIFICATE KEY]

A finished upload lies in FOLDER/data under the file name of its metadata. AUTHORIZATION is what that header has to say,
HEADERS the names for FOLDER/access.log, separated by commas."""
import os
import sys

import uvicorn
from fastapi import FastAPI
from tuspyserver import create_tus_router

port, folder, authorization, names, max_size = sys.argv[1:6]
names = names.split(",")


def keep(path, metadata):
    """Under its name as well: the server still answers for the upload."""
    name = os.path.basename(metadata.get("filename") or metadata.get("name") or "")
    if name:
        os.link(path, f"{path}.named")
        os.replace(f"{path}.named", f"{folder}/data/{name}")


def escaped(text):
    return "".join(chr(c) if 32 <= c < 127 and c != 92 else f"\\x{c:02X}" for c in text.encode("latin-1"))


class Front:
    """Lets only those in who may, and writes the log.

    Not tuspyserver's own way: it asks after a PATCH is stored."""

    def __init__(self, app):
        self.app = app
        # Appended in one piece, so that two processes can write it.
        self.log = open(f"{folder}/access.log", "ab", buffering=0)

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["path"] == "/ready":
            return await self.app(scope, receive, send)
        headers = {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]}
        status, received = 0, 0

        async def counted():
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return message

        async def noted(message):
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        given = headers.get("authorization", "")
        headers["authorization-scheme"] = given.split(" ")[0]
        try:
            if given == authorization:
                await self.app(scope, counted, noted)
            else:
                challenge = authorization.split(" ")[0] + ' realm="submit"'
                await noted(
                    {
                        "type": "http.response.start",
                        "status": 401,
                        "headers": [(b"www-authenticate", challenge.encode()), (b"content-length", b"0")],
                    }
                )
                await noted({"type": "http.response.body", "body": b""})
        finally:
            target = scope["raw_path"].decode("latin-1")
            if scope["query_string"]:
                target += "?" + scope["query_string"].decode("latin-1")
            fields = [f"request={scope['method']} {target} HTTP/{scope['http_version']}"]
            fields += [f"status={status}", f"received={received}"]
            fields += [f"{name}={escaped(headers.get(name.lower(), '')) or '-'}" for name in names]
            self.log.write(("\t".join(fields) + "\n").encode())


app = FastAPI(openapi_url=None)
app.include_router(
    create_tus_router(
        prefix="files",
        files_dir=f"{folder}/uploads",
        max_size=int(max_size),
        on_upload_complete=keep,
        strict_offset_validation=True,
    )
)


@app.get("/ready")
def ready():
    return {}


tls = dict(zip(("ssl_certfile", "ssl_keyfile"), sys.argv[6:]))
uvicorn.run(
    Front(app),
    host="127.0.0.1",
    port=int(port),
    log_level="warning",
    access_log=False,
    timeout_graceful_shutdown=0,
    # A connection that it ends while a request is on its way would fail a test on a busy machine.
    timeout_keep_alive=600,
    **tls,
)
