"""A server of OAuth 1.0a (RFC 5849), HMAC-SHA1 only; with the multipart texts signed where a service wants that."""
import base64
import hashlib
import hmac
import re
import secrets
import time
import urllib.parse

from fakecloud.answers import Answer, page


class Unsigned(Exception):
    """Why a request is not accepted: missing, consumer, signature, timestamp, nonce, token."""


def escape(text):
    return urllib.parse.quote(text, safe="-._~")


def header_fields(value):
    scheme, _, rest = value.partition(" ")
    if scheme.lower() != "oauth":
        return {}
    return {
        urllib.parse.unquote(name): urllib.parse.unquote(text)
        for name, text in re.findall(r'([^\s,=]+)="([^"]*)"', rest)
    }


class Accounts:
    def __init__(self, service, token_fields=None):
        self.service = service
        self.consumer_key = "consumer-key"
        self.consumer_secret = "consumer-secret"
        self.token_fields = token_fields or {}
        self.temporary = {}
        self.seen = set()
        self.access = {"ot-first": "os-first"}

    def credentials(self):
        return {
            "CONSUMER_KEY": self.consumer_key, "CONSUMER_SECRET": self.consumer_secret, "OAUTH_TOKEN": "ot-first",
            "OAUTH_TOKEN_SECRET": "os-first",
        }

    def end(self, wholly):
        self.access = {}

    def verify(self, request, body=(), secret_of=None):
        """The fields of the signature, over these fields of the body too."""
        query = urllib.parse.parse_qsl(request.query, keep_blank_values=True)
        fields = header_fields(request.header("Authorization", ""))
        fields.pop("realm", None)
        if not fields:
            fields = dict(query)
            fields = {name: value for name, value in fields.items() if name.startswith("oauth_")}
            query = [(name, value) for name, value in query if not name.startswith("oauth_")]
        if not fields.get("oauth_signature"):
            raise Unsigned("missing")
        if fields.get("oauth_consumer_key") != self.consumer_key:
            raise Unsigned("consumer")
        if fields.get("oauth_signature_method") != "HMAC-SHA1" or fields.get("oauth_version", "1.0") != "1.0":
            raise Unsigned("signature")
        token = fields.get("oauth_token")
        with self.service.lock:
            secret = "" if token is None else (secret_of or self.access).get(token)
        if secret is None:
            raise Unsigned("token")
        signed = list(query) + list(body) + [
            (name, value) for name, value in fields.items() if name != "oauth_signature"]
        pairs = sorted((escape(name), escape(value)) for name, value in signed)
        base = "&".join([
            request.method, escape(request.origin().lower() + request.raw_path),
            escape("&".join(f"{name}={value}" for name, value in pairs))])
        key = f"{escape(self.consumer_secret)}&{escape(secret)}"
        made = base64.b64encode(hmac.new(key.encode(), base.encode(), hashlib.sha1).digest()).decode()
        if not hmac.compare_digest(made, fields["oauth_signature"]):
            raise Unsigned("signature")
        stamp = fields.get("oauth_timestamp", "")
        if not stamp.isdigit() or abs(int(stamp) - time.time()) > 600:
            raise Unsigned("timestamp")
        once = (stamp, fields.get("oauth_nonce"), token)
        with self.service.lock:
            if not once[1] or once in self.seen:
                raise Unsigned("nonce")
            self.seen.add(once)
        return fields

    # Endpoints. What they answer is a form, called text.

    def request_token(self, request, body=()):
        fields = self.verify(request, body)
        if not fields.get("oauth_callback"):
            return Answer(400, [], "oauth_problem=parameter_absent&oauth_parameters_absent=oauth_callback", "text/plain")
        token, secret = "tt-" + secrets.token_hex(8), "ts-" + secrets.token_hex(8)
        with self.service.lock:
            self.temporary[token] = {"secret": secret, "callback": fields["oauth_callback"], "verifier": None}
        return Answer(200, [], urllib.parse.urlencode(
            {"oauth_callback_confirmed": "true", "oauth_token": token, "oauth_token_secret": secret}),
            "text/plain; charset=utf-8")

    def authorize(self, request, perms=None):
        found = self.temporary.get(request.parameters().get("oauth_token"))
        if found is None or (perms and request.parameters().get("perms") != perms):
            return page(400)
        found["verifier"] = secrets.token_hex(4)
        if found["callback"] == "oob":
            return Answer(200, [], f"<p>Your code: <code>{found['verifier']}</code>", "text/html")
        query = urllib.parse.urlencode(
            {"oauth_token": request.parameters()["oauth_token"], "oauth_verifier": found["verifier"]})
        return Answer(302, [("Location", found["callback"] + ("&" if "?" in found["callback"] else "?") + query)])

    def access_token(self, request, body=()):
        known = {token: found["secret"] for token, found in self.temporary.items()}
        fields = self.verify(request, body, secret_of=known)
        with self.service.lock:
            found = self.temporary.pop(fields.get("oauth_token"), None)
            if found is None or not found["verifier"] or fields.get("oauth_verifier") != found["verifier"]:
                return Answer(401, [], "oauth_problem=verifier_invalid", "text/plain")
            token, secret = "ot-" + secrets.token_hex(8), "os-" + secrets.token_hex(8)
            self.access[token] = secret
        return Answer(200, [], urllib.parse.urlencode(
            {"oauth_token": token, "oauth_token_secret": secret} | self.token_fields), "text/plain; charset=utf-8")
