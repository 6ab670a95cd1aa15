"""Who may see and order what: Host, Origin, token, cookie, CSRF token, and the security headers.

The server listens on the loopback address only. That is not enough: every page in the person's
browser can send requests there, and other users of the machine can too. So the address must be one
that we know (against DNS rebinding), and each request must carry a cookie that only the printed
link sets.
"""

from __future__ import annotations

import secrets
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..core.record import Record

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
# These need no cookie: style and code hold no data, and an answer link is itself the secret.
OPEN_PATHS = ("/static/", "/answer/")
TOKEN_NAME = "token"  # noqa: S105 - the name of a parameter, not a secret
CSRF_HEADER = "x-loop-csrf"
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
# A page instead of a redirect: the next request then comes from our own page, and only such a
# request carries a strict cookie when the link was opened from another site, such as a web chat.
SIGNED_IN_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="refresh" content="0;url={path}">
<link rel="icon" href="data:,"><title>Loopwright</title></head>
<body><p><a href="{path}">Continue to the board</a></p></body></html>"""


REFUSED_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/loopwright.css">
<title>Not signed in: Loopwright</title></head>
<body class="answer-page"><main><h1>Not signed in</h1><p class="question">{why}.</p>
<p>Each start of <code>loop serve</code> prints a new link, and only that link opens the board.
Is it lost? End the server with Ctrl-C and start it again; the loops are not affected.</p>
</main></body></html>"""


class Access(Record):
    """The secrets of one run of the server, and what they permit."""

    port: int
    token: str
    cookie: str
    csrf: str
    may_order: bool = False
    extra_hosts: tuple[str, ...] = ()

    @property
    def cookie_name(self) -> str:
        """Cookies do not know ports: two servers on one machine need two names."""
        return f"loop_{self.port}"


def new_access(port: int, may_order: bool, extra_hosts: tuple[str, ...]) -> Access:
    """New secrets. They live in memory only: a file could be read by the agent that is judged."""
    return Access(
        port=port,
        token=secrets.token_urlsafe(32),
        cookie=secrets.token_urlsafe(32),
        csrf=secrets.token_urlsafe(32),
        may_order=may_order,
        extra_hosts=tuple(host.lower() for host in extra_hosts),
    )


def is_known_host(access: Access, host: str) -> bool:
    """Is it an address of this server, or a name that the person has allowed?"""
    name = host.lower()
    if name in {f"{known}:{access.port}" for known in LOOPBACK_NAMES}:
        return True
    without_port = name.rpartition(":")[0] if name.rpartition(":")[2].isdecimal() else name
    return without_port in access.extra_hosts or name in access.extra_hosts


def is_own_origin(access: Access, origin: str, host: str) -> bool:
    """Does the request come from a page of this server, under the name that it was asked by?"""
    scheme, _, name = origin.partition("://")
    return scheme in ("http", "https") and name.lower() == host.lower() != ""


class Guard:
    """Refuses every request that may not pass, and adds the security headers to every response."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers[name] = value
            await send(message)

        response = self.refusal(scope) or self.app
        await response(scope, receive, send_with_headers)

    def refusal(self, scope: Scope) -> Response | None:
        """The response instead of the page; None if the request may pass."""
        headers, path, method = Headers(scope=scope), scope["path"], scope["method"]
        host = headers.get("host", "")
        if not is_known_host(self.access, host):
            return _refuse(
                path, 421, "unknown host: allow a name with `loop serve --allow-host NAME`"
            )
        if method not in ("GET", "HEAD", "POST"):
            return _refuse(path, 405, "only GET and POST")
        if method == "POST" and not is_own_origin(self.access, headers.get("origin", ""), host):
            return _refuse(path, 403, "orders are accepted from this page only")
        if path.startswith(OPEN_PATHS):
            return None
        if method == "GET" and (token := _token(scope)):
            return self._sign_in(token, path)
        if not self._has_cookie(headers):
            return _refuse(path, 401, "open the link that `loop serve` printed in your terminal")
        if method == "POST":
            return self._order_refusal(path, headers)
        return None

    def _sign_in(self, token: str, path: str) -> Response:
        if not secrets.compare_digest(token.encode(), self.access.token.encode()):
            return _refuse(
                path, 401, "this token is not valid: `loop serve` prints a new one each time"
            )
        safe = path if path.isascii() and set(path) <= set(SAFE_PATH) else "/"
        response = HTMLResponse(SIGNED_IN_PAGE.format(path=safe))
        response.set_cookie(
            self.access.cookie_name,
            self.access.cookie,
            path="/",
            httponly=True,
            samesite="strict",
        )
        return response

    def _has_cookie(self, headers: Headers) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        morsel = cookies.get(self.access.cookie_name)
        given = morsel.value if morsel else ""
        return secrets.compare_digest(given.encode(), self.access.cookie.encode())

    def _order_refusal(self, path: str, headers: Headers) -> Response | None:
        if not self.access.may_order:
            return _refuse(
                path, 403, "this page only reads. To give orders: `loop serve --control`"
            )
        given = headers.get(CSRF_HEADER, "")
        if not secrets.compare_digest(given.encode(), self.access.csrf.encode()):
            return _refuse(path, 403, "the page is out of date: load it again")
        return None


SAFE_PATH = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_."


def _token(scope: Scope) -> str:
    values = parse_qs(scope["query_string"].decode("ascii", "replace")).get(TOKEN_NAME)
    return values[0] if values else ""


def _refuse(path: str, status: int, why: str) -> Response:
    """Programs get JSON; a person who opens a page gets a page."""
    if path.startswith("/api/"):
        return JSONResponse({"error": why}, status)
    return HTMLResponse(REFUSED_PAGE.format(why=escape(why[0].upper() + why[1:])), status)
