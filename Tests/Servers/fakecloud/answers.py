"""What goes back: answers, and the error documents of SabreDAV, of reva, and of a proxy in front of them."""
import email.utils
import http.client
import json
from xml.sax.saxutils import escape

SABRE = "Sabre\\DAV\\Exception\\"
CONNECTOR = "OCA\\DAV\\Connector\\Sabre\\Exception\\"

# The exception that each status is thrown as: sabre-io/dav lib/DAV/Exception, nextcloud/server
# apps/dav/lib/Connector/Sabre/Exception.
EXCEPTIONS = {
    400: SABRE + "BadRequest",
    401: SABRE + "NotAuthenticated",
    403: SABRE + "Forbidden",
    404: SABRE + "NotFound",
    405: SABRE + "MethodNotAllowed",
    409: SABRE + "Conflict",
    411: SABRE + "LengthRequired",
    412: SABRE + "PreconditionFailed",
    413: CONNECTOR + "EntityTooLarge",
    415: SABRE + "UnsupportedMediaType",
    416: SABRE + "RequestedRangeNotSatisfiable",
    423: CONNECTOR + "FileLocked",
    429: CONNECTOR + "TooManyRequests",
    500: SABRE.rstrip("\\"),
    501: SABRE + "NotImplemented",
    503: SABRE + "ServiceUnavailable",
    507: SABRE + "InsufficientStorage",
}


class Answer:
    """A status, headers and a body: bytes, or a part of a file."""

    def __init__(self, status, headers=(), body=b"", kind=None, file=None):
        self.status = status
        self.headers = list(headers)
        self.body = body.encode() if isinstance(body, str) else body
        self.file = file  # (path, offset, length)
        if kind:
            self.headers.append(("Content-Type", kind))

    @property
    def length(self):
        return self.file[2] if self.file else len(self.body)


class Refusal(Exception):
    """Ends a request with an error document."""

    def __init__(self, status, message="", exception=None, headers=(), extra="", close=False):
        super().__init__(message)
        self.status = status
        self.message = message
        self.exception = exception
        self.headers = list(headers)
        self.extra = extra
        self.close = close


class Gone(Exception):
    """The connection ends without an answer."""


def refusal_answer(refusal, kind):
    """The document a server of this kind sends for it."""
    if kind == "plain" or refusal.exception == "html":
        return page(refusal.status, refusal.headers)
    exception = refusal.exception or EXCEPTIONS.get(refusal.status, SABRE.rstrip("\\"))
    if kind == "ocis" and refusal.exception is None and not refusal.message:
        # reva answers much with a bare status.
        return Answer(refusal.status, refusal.headers)
    extra = refusal.extra
    owner = ' xmlns:o="http://owncloud.org/ns"' if "o:" in extra else ""
    body = (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns"{owner}>\n'
        f"  <s:exception>{exception}</s:exception>\n"
        f"  <s:message>{escape(refusal.message)}</s:message>\n{extra}</d:error>\n"
    )
    return Answer(refusal.status, refusal.headers, body, "application/xml; charset=utf-8")


def page(status, headers=()):
    """What nginx or Apache says on its own."""
    reason = http.client.responses.get(status, "Error")
    body = (
        f"<html>\r\n<head><title>{status} {reason}</title></head>\r\n<body>\r\n"
        f"<center><h1>{status} {reason}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
    )
    return Answer(status, headers, body, "text/html")


def login_page():
    return Answer(
        200,
        [("X-Frame-Options", "SAMEORIGIN")],
        '<!DOCTYPE html>\n<html class="ng-csp" lang="en">\n<head><title>Login</title></head>\n'
        '<body id="body-login"><form method="post" name="login"><input name="user"><input name="password">'
        "</form></body>\n</html>\n",
        "text/html; charset=UTF-8",
    )


def json_answer(status, value, headers=()):
    return Answer(status, headers, json.dumps(value), "application/json; charset=utf-8")


def http_date(seconds):
    return email.utils.formatdate(seconds, usegmt=True)
