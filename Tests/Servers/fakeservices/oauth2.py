"""A server of OAuth 2 as a service has it: RFC 6749, 7636, 7009, each with the service's own ways."""
import base64
import hashlib
import secrets
import time
import urllib.parse

from fakecloud.answers import Answer, page

from . import forms
from .service import Refused, json_answer


class Accounts:
    """Who is at the service, and with which tokens. The person who is asked always consents."""

    def __init__(
        self, service, life=None, refreshes=True, rotates=False, pkce="optional", client_auth="post", scopes="",
        redirects="exact", code_life=600, separator=" ", extra=None, query_token=False,
    ):
        self.service = service
        self.life = life
        self.refreshes = refreshes
        self.rotates = rotates
        self.pkce = pkce  # required, optional
        self.client_auth = client_auth  # none (a public client), post, basic, any
        self.needed = set(scopes.split())
        self.redirects = redirects  # exact: the one in env; loopback: any port of 127.0.0.1
        self.code_life = code_life
        self.separator = separator
        self.extra = extra or (lambda: {})
        self.query_token = query_token
        self.client_id = "client-id"
        self.client_secret = "client-secret"
        self.clients = {}
        self.redirect = "http://127.0.0.1:53682/callback"
        self.codes = {}
        self.access = {}
        self.refresh = {}
        self.refreshed = 0
        self.first = self.issue(" ".join(sorted(self.needed)), life=None, random=service.app.secret)

    def credentials(self):
        return {
            "CLIENT_ID": self.client_id, "CLIENT_SECRET": self.client_secret, "REDIRECT_URI": self.redirect,
            "ACCESS_TOKEN": self.first["access_token"], "REFRESH_TOKEN": self.first.get("refresh_token", ""),
        }

    def issue(self, scope, life=0, refresh=None, random=secrets.token_urlsafe):
        token = {"access_token": "at-" + random(32), "token_type": "bearer"}
        life = self.life if life == 0 else life
        if self.life:
            token["expires_in"] = self.life
        if self.refreshes:
            token["refresh_token"] = refresh or "rt-" + random(33)
            self.refresh[token["refresh_token"]] = scope
        token["scope"] = scope
        self.access[token["access_token"]] = (time.time() + life if life else None, scope)
        return token

    def end(self, wholly):
        """All access tokens end; wholly: and nothing renews them."""
        self.access = {token: (0, scope) for token, (_, scope) in self.access.items()}
        if wholly:
            self.access = {}
            self.refresh = {}

    # Requests with a token

    def check(self, request, refuse):
        """The request has a token that is good; `refuse(why)` makes the answer otherwise."""
        token = forms.bearer(request)
        if token is None and self.query_token:
            token = request.parameters().get("access_token")
        if token is None:
            raise Refused(refuse("missing"))
        with self.service.lock:
            found = self.access.get(token)
        if found is None:
            raise Refused(refuse("invalid"))
        until, scope = found
        if until is not None and until < time.time():
            raise Refused(refuse("expired"))
        return scope.split()

    # Endpoints

    def authorize(self, request):
        query = request.parameters()
        redirect = query.get("redirect_uri")
        if query.get("client_id") not in {self.client_id, *self.clients}:
            return page(400)
        if redirect is not None and not self.knows(redirect, query["client_id"]):
            return page(400)
        answer = {}
        wanted = set(query.get("scope", "").replace(",", " ").split())
        if query.get("response_type") != "code":
            answer = {"error": "unsupported_response_type"}
        elif self.pkce == "required" and query.get("code_challenge_method") != "S256":
            answer = {"error": "invalid_request", "error_description": "code_challenge is missing"}
        elif not self.needed <= wanted:
            answer = {"error": "invalid_scope"}
        else:
            code = "code-" + secrets.token_urlsafe(12)
            with self.service.lock:
                self.codes[code] = {
                    "challenge": query.get("code_challenge"), "redirect": redirect, "client": query["client_id"],
                    "scope": " ".join(wanted), "until": time.time() + self.code_life, "query": query}
            answer = {"code": code}
        if "state" in query:
            answer["state"] = query["state"]
        if redirect is None or redirect.startswith("urn:"):
            # It is shown, to be typed elsewhere.
            return Answer(200, [], f"<p>Your code: <code>{answer.get('code')}</code>", "text/html")
        return Answer(302, [("Location", redirect + ("&" if "?" in redirect else "?") + urllib.parse.urlencode(answer))])

    def knows(self, redirect, client):
        known = self.clients.get(client, {}).get("redirects") or [self.redirect]
        if redirect in known:
            return True
        if self.redirects != "loopback":
            return False
        parts = urllib.parse.urlsplit(redirect)
        return parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost")

    def client_of(self, request, form):
        """The client that asks, once it has proved who it is."""
        pair = forms.basic(request)
        client = form.get("client_id") or (urllib.parse.unquote(pair[0]) if pair else None)
        secret = self.clients[client]["secret"] if client in self.clients else self.client_secret
        if client != self.client_id and client not in self.clients:
            return None
        if self.client_auth == "none":
            return client if "client_secret" not in form else None
        given = form.get("client_secret") if self.client_auth in ("post", "any") else None
        if given is None and pair and self.client_auth in ("basic", "any"):
            given = urllib.parse.unquote(pair[1])
        return client if given == secret else None

    def token(self, request):
        if request.method == "GET":
            form = request.parameters()
        else:
            form = forms.form(request)
        client = self.client_of(request, form)
        if client is None:
            return json_answer(401, {"error": "invalid_client", "error_description": "who are you?"})
        kind = form.get("grant_type", "authorization_code" if request.method == "GET" else None)
        with self.service.lock:
            if kind == "authorization_code":
                return self.by_code(client, form)
            if kind == "refresh_token" and self.refreshes:
                return self.by_refreshing(form)
        return json_answer(400, {"error": "unsupported_grant_type"})

    def by_code(self, client, form):
        found = self.codes.pop(form.get("code"), None)
        if found is None or found["until"] < time.time() or found["client"] != client:
            return json_answer(400, {"error": "invalid_grant", "error_description": "code doesn't exist or has expired"})
        if found["redirect"] != form.get("redirect_uri"):
            return json_answer(400, {"error": "invalid_grant", "error_description": "redirect_uri mismatch"})
        if found["challenge"]:
            verifier = form.get("code_verifier", "")
            made = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
            if not 43 <= len(verifier) <= 128 or made != found["challenge"]:
                return json_answer(400, {"error": "invalid_grant", "error_description": "invalid code verifier"})
        token = self.issue(found["scope"])
        return json_answer(200, self.worded(token, found["query"]), [("Cache-Control", "no-store")])

    def by_refreshing(self, form):
        old = form.get("refresh_token")
        scope = self.refresh.get(old)
        if scope is None:
            return json_answer(400, {"error": "invalid_grant", "error_description": "refresh token is invalid or revoked"})
        self.refreshed += 1
        if self.rotates:
            del self.refresh[old]
            return json_answer(200, self.worded(self.issue(scope), {}))
        token = self.issue(scope, refresh=old)
        del token["refresh_token"]
        return json_answer(200, self.worded(token, {}))

    def worded(self, token, query):
        token = dict(token, scope=self.separator.join(token["scope"].split())) | self.extra()
        return self.service.worded_token(token, query) if hasattr(self.service, "worded_token") else token

    def revoke(self, request):
        token = forms.form(request).get("token") or request.parameters().get("token")
        with self.service.lock:
            self.access.pop(token, None)
            if self.refresh.pop(token, None) is not None:
                self.access = {}
        return json_answer(200, {})
