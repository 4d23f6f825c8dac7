"""WSGI middleware (PEP 3333) that asks Guard's POST /validate. Python's standard library only."""

import base64
import http.client
import json
import re
import threading
import time
from http import HTTPStatus
from urllib.parse import urlsplit
from wsgiref.util import request_uri

TIMEOUT_S = 0.4
DENIED = b"Request denied.\n"
DECISIONS = ("allow", "block", "redirect", "not_matched")
# Fields for the framing of a message. PEP 3333 allows only the server to set them.
FRAMING = set("connection keep-alive te trailer transfer-encoding upgrade content-length".split())
# Fields that describe Guard's body. They do not fit the body that your application sends.
ABOUT_BODY = {
    "content-type",
    "content-encoding",
    "content-language",
    "content-range",
    "content-disposition",
}
# Fields with lists. Guard's value is added to the value of your application.
LISTED = {"link", "server-timing", "set-cookie", "vary"}


class NoAnswer(Exception):
    """There is no decision, and the request passes."""


class Rejected(Exception):
    """The validator rejects the question (4xx). Passing the request would be a bypass."""


class Guard:
    """Asks about each request, and does what the answer says.

    `validate_url` ends in /validate. The application finds the answer in
    environ["guard.answer"], which is missing where there was none.

    Behind a proxy of your own put a middleware in front of this one that sets REMOTE_ADDR,
    wsgi.url_scheme and HTTP_HOST to the visitor's.
    """

    def __init__(self, app, validate_url, secret_key, on_failure=lambda why: None):
        self.app = app
        self.url = urlsplit(validate_url)
        self.headers = {"Content-Type": "application/json", "x-api-key": secret_key}
        self.on_failure = on_failure
        # One kept connection for each thread, because threads cannot share a connection of http.client.
        self.kept = threading.local()

    def __call__(self, environ, start_response):
        try:
            answer = self.ask(json.dumps(describe(environ)).encode())
        except NoAnswer as why:
            self.on_failure(str(why))
            return self.app(environ, start_response)
        except Rejected as why:
            self.on_failure(str(why))
            return send(environ, start_response, 403, [], DENIED)
        denies = answer["decision"] in ("block", "redirect")
        page = answer.get("response_html")
        if not denies and page is None:
            environ["guard.answer"] = answer
            return self.app(environ, adding(answer, start_response))
        status = answer.get("status_code") or 0
        if not 200 <= status <= 599:
            status = 403 if denies else 200
        headers = headers_of(answer, keep_body_headers=page is not None)
        if answer.get("rate_limited") and "retry_after" in answer:
            headers.append(("Retry-After", str(answer["retry_after"])))
        body = DENIED if page is None else base64.b64decode(page)
        return send(environ, start_response, status, headers, body)

    def ask(self, question):
        end = time.monotonic() + TIMEOUT_S
        kept = getattr(self.kept, "connection", None)
        try:
            if kept is not None:
                try:
                    return self.ask_on(kept, question, end)
                except ConnectionError:
                    # The idle connection was closed. This does not mean that the validator is away.
                    pass
            return self.ask_on(self.connection(), question, end)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise NoAnswer(type(error).__name__) from error

    def connection(self):
        https = self.url.scheme == "https"
        connect = http.client.HTTPSConnection if https else http.client.HTTPConnection
        return connect(self.url.netloc, timeout=TIMEOUT_S)

    def ask_on(self, connection, question, end):
        """Sends one question on one connection. The connection is kept only when the whole answer was read."""
        self.kept.connection = None
        whole = False
        try:
            if connection.sock is None:
                connection.connect()
            sock = connection.sock
            sock.settimeout(left(end))
            connection.request("POST", self.url.path, question, self.headers)
            response = connection.getresponse()
            if 400 <= response.status < 500:
                raise Rejected(f"HTTP {response.status}")
            if response.status != 200:
                raise NoAnswer(f"HTTP {response.status}")
            body = read_all(response, sock, end)
            whole = True
        finally:
            if whole and not response.will_close:
                self.kept.connection = connection
            else:
                connection.close()
        answer = json.loads(body)
        if not isinstance(answer, dict) or answer.get("success") is not True:
            raise NoAnswer("success is not true")
        if answer.get("decision") not in DECISIONS:
            raise NoAnswer("no decision")
        return answer


def read_all(response, sock, end):
    """Reads the answer within the time limit. A socket timeout applies to one step, so each step gets the remaining time."""
    parts = []
    # read1() does not close the response after the last byte. The length shows that nothing is left to wait for.
    while response.length != 0 and not response.isclosed():
        sock.settimeout(left(end))
        parts.append(response.read1(65536))
    response.close()
    if response.length:
        raise http.client.IncompleteRead(b"".join(parts), response.length)
    return b"".join(parts)


def left(end):
    seconds = end - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def describe(environ):
    """The request in the form of POST /validate, with the headers in the order of the server."""
    headers = {}
    # Without a body wsgiref invents a content type, which no browser would send.
    if environ.get("CONTENT_LENGTH"):
        headers["content-length"] = environ["CONTENT_LENGTH"]
        headers["content-type"] = environ.get("CONTENT_TYPE", "")
    for name, value in environ.items():
        # HTTP_PROXY can be a variable of the machine, because the server mixes those with the headers.
        if name.startswith("HTTP_") and name != "HTTP_PROXY":
            headers[name[5:].replace("_", "-").lower()] = value
    return {
        "url": url_of(environ),
        "ip": environ.get("REMOTE_ADDR"),
        "method": environ["REQUEST_METHOD"],
        "headers": headers,
        "referrer": environ.get("HTTP_REFERER"),
    }


def url_of(environ):
    """The path as sent, if the server gives it. WSGI itself gives only the decoded path."""
    target = environ.get("RAW_URI") or environ.get("REQUEST_URI") or ""
    if not target.startswith("/"):
        return request_uri(environ)
    host = environ.get("HTTP_HOST") or environ["SERVER_NAME"]
    return f"{environ['wsgi.url_scheme']}://{host}{target}"


def headers_of(answer, keep_body_headers):
    """The headers and cookies of an answer, without those that contain a line break."""
    fields = []
    for name, value in answer.get("headers", {}).items():
        lower = name.lower()
        if lower in FRAMING or (lower in ABOUT_BODY and not keep_body_headers):
            continue
        if re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) and value.isprintable():
            fields.append((name, value))
    fields += [("Set-Cookie", set_cookie(cookie)) for cookie in answer.get("cookies", [])]
    return fields


def set_cookie(cookie):
    """Writes all attributes. An empty domain means host-only, so no Domain is written."""
    parts = [f"{cookie['name']}={cookie['value']}", f"Path={cookie['path']}"]
    parts.append(f"Max-Age={cookie['max_age']}")
    if cookie["domain"]:
        parts.append(f"Domain={cookie['domain']}")
    if cookie["secure"]:
        parts.append("Secure")
    if cookie["same_site"]:
        parts.append(f"SameSite={cookie['same_site']}")
    return "; ".join(parts)


def adding(answer, start_response):
    """A start_response that adds Guard's headers and cookies to the answer of the application."""
    extra = headers_of(answer, keep_body_headers=False)
    replaced = {name.lower() for name, _ in extra} - LISTED
    has_cookie = any(name.lower() == "set-cookie" for name, _ in extra)

    def start(status, headers, exc_info=None):
        kept = [(name, value) for name, value in headers if name.lower() not in replaced]
        fields = kept + extra
        # A cookie of one visitor must not get into a shared cache.
        if has_cookie and not any(name.lower() == "cache-control" for name, _ in fields):
            fields.append(("Cache-Control", "private"))
        return start_response(status, fields, exc_info)

    return start


def send(environ, start_response, status, headers, body):
    present = {name.lower() for name, _ in headers}
    if "content-type" not in present:
        kind = "text/plain" if body is DENIED else "text/html; charset=utf-8"
        headers = [*headers, ("Content-Type", kind)]
    if "cache-control" not in present and status != 200:
        headers = [*headers, ("Cache-Control", "no-store")]
    start_response(f"{status} {phrase(status)}", [*headers, ("Content-Length", str(len(body)))])
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]


def phrase(status):
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Denied"
