"""Authlib's provider of OAuth 1.0a, with a place behind it that takes photos:

oauth1-serve.py DIR PORT      (started by oauth1.sh, which sets CONSUMER_KEY, CONSUMER_SECRET, USERNAME and PASSWORD)

Authlib verifies signature, nonce and timestamp; HMAC-SHA256, which it does not know, is added over its base string.
    POST /oauth/initiate, /oauth/token     RFC 5849 2.1 and 2.3
    GET  /oauth/authorize                  a page to sign in on; POST goes to the callback, or for `oob` shows the code
    POST /oauth/revoke                     this token ends
    GET  /me                               who the token is of
    PUT  /raw/NAME                         the body as it is
    POST /upload                           multipart: file `photo`, texts; none of them is signed (RFC 5849 3.4.1.3.1)
    POST /upload-signed                    the same, and the texts are signed as those of a form are, as Flickr wants it
Bytes lie in DIR/data by their names; DIR/items has a line of JSON for each: name, size, sha256, texts.
"""
import base64
import hashlib
import hmac
import html
import json
import os
import sys
import threading
import urllib.parse

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth1 import (  # noqa: E402
    AuthorizationServer, ResourceProtector, create_exists_nonce_func, register_nonce_hooks,
    register_temporary_credential_hooks)
from authlib.oauth1 import ClientMixin, TokenCredentialMixin  # noqa: E402
from authlib.oauth1.errors import OAuth1Error  # noqa: E402
from authlib.oauth1.rfc5849.signature import generate_signature_base_string  # noqa: E402
from authlib.oauth1.rfc5849.util import escape  # noqa: E402
from cachelib import FileSystemCache  # noqa: E402
from cheroot.wsgi import Server  # noqa: E402
from flask import Flask, jsonify, request  # noqa: E402

directory, port = sys.argv[1], int(sys.argv[2])
consumer_key, consumer_secret = os.environ["CONSUMER_KEY"], os.environ["CONSUMER_SECRET"]
username, password = os.environ["USERNAME"], os.environ["PASSWORD"]
store = FileSystemCache(directory + "/state", threshold=1_000_000, default_timeout=0)
app = Flask(__name__)
methods = ["HMAC-SHA1", "HMAC-SHA256"]
app.config.update(OAUTH1_SUPPORTED_SIGNATURE_METHODS=methods, OAUTH1_TOKEN_LENGTH=32)
lock = threading.Lock()


class Client(ClientMixin):
    def get_default_redirect_uri(self):
        return "oob"

    def get_client_secret(self):
        return consumer_secret

    def get_rsa_public_key(self):
        return None


class Token(TokenCredentialMixin):
    def __init__(self, fields):
        self.fields = fields

    def get_oauth_token(self):
        return self.fields["oauth_token"]

    def get_oauth_token_secret(self):
        return self.fields["oauth_token_secret"]


class User:
    def get_user_id(self):
        return "1"


def query_client(client_id):
    return Client() if client_id == consumer_key else None


def query_token(client_id, token):
    fields = store.get("token:" + (token or ""))
    return Token(fields) if fields else None


def create_token_credential(token, temporary):
    store.set("token:" + token["oauth_token"], dict(token))
    return Token(token)


def verify_hmac_sha256(found):
    key = "&".join(escape(part or "") for part in (found.client_secret, found.token_secret))
    text = generate_signature_base_string(found)
    expected = base64.b64encode(hmac.new(key.encode(), text.encode(), hashlib.sha256).digest()).decode()
    return hmac.compare_digest(expected, found.signature)


server = AuthorizationServer(app, query_client=query_client)
register_nonce_hooks(server, store)
register_temporary_credential_hooks(server, store)
server.register_hook("create_token_credential", create_token_credential)
protector = ResourceProtector(app, query_client, query_token, create_exists_nonce_func(store))
for one in (AuthorizationServer, ResourceProtector):
    one.register_signature_method("HMAC-SHA256", verify_hmac_sha256)


def check(texts):
    """Raises what is wrong with the request's signature, made over these texts of its body too."""
    found = protector.validate_request(request.method, request.url, texts, request.headers)
    return found.credential


@app.errorhandler(OAuth1Error)
def refused(error):
    return jsonify(dict(error.get_body())), error.status_code, {"WWW-Authenticate": 'OAuth realm="submit"'}


@app.errorhandler(ValueError)
def malformed(error):
    return jsonify({"error": "malformed", "error_description": str(error)}), 400


@app.get("/ready")
def ready():
    return "", 204


@app.post("/oauth/initiate")
def initiate():
    return server.create_temporary_credentials_response()


@app.post("/oauth/token")
def token():
    return server.create_token_response()


@app.route("/oauth/authorize", methods=["GET", "POST"])
def authorize():
    try:
        found = server.check_authorization_request()
    except OAuth1Error as error:
        return f"<p>{html.escape(error.error)}</p>", 400
    if request.method == "GET" or request.form.get("password") != password or request.form.get("user") != username:
        return (
            "<!DOCTYPE html><title>Sign in</title><form method=post action=/oauth/authorize>"
            f'<input type=hidden name=oauth_token value="{html.escape(found.token)}">'
            "<input name=user id=user><input name=password id=password type=password>"
            "<button id=grant>Grant</button></form>")
    answer = server.create_authorization_response(grant_user=User())
    if found.credential.get_redirect_uri() != "oob":
        return answer
    code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["Location"]).query))["oauth_verifier"]
    return f"<!DOCTYPE html><title>Granted</title><p>Type this code: <code id=code>{code}</code>"


@app.post("/oauth/revoke")
def revoke():
    store.delete("token:" + check(request.form.to_dict()).get_oauth_token())
    return "", 204


@app.get("/me")
def me():
    check(None)
    return jsonify(id="1", name=username)


def keep(name, data, texts):
    name = os.path.basename(name)
    if not name or not data:
        return jsonify(error="empty"), 400
    with lock:
        with open(f"{directory}/data/{name}", "wb") as file:
            file.write(data)
        item = {"name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "texts": texts}
        with open(directory + "/items", "a") as file:
            file.write(json.dumps(item) + "\n")
            file.flush()
    return jsonify(id=item["sha256"][:12], sha256=item["sha256"], size=item["size"]), 201


@app.put("/raw/<name>")
def raw(name):
    check(None)
    return keep(name, request.get_data(), {})


def upload(texts):
    check(texts)
    photo = request.files.get("photo")
    if photo is None:
        return jsonify(error="no photo"), 400
    return keep(photo.filename, photo.read(), request.form.to_dict())


@app.post("/upload")
def upload_unsigned():
    return upload(None)


@app.post("/upload-signed")
def upload_signed():
    return upload(request.form.to_dict())


os.makedirs(directory + "/data", exist_ok=True)
Server(("127.0.0.1", port), app, numthreads=16, request_queue_size=512).start()
