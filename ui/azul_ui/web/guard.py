"""Security checks of requests, by Host and Origin, and strict headers on every response."""

import ipaddress
import socket
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from azul_ui.web.messages import Data

LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Frame-Options": "DENY",
}
FOREIGN_SITES: Final = ("cross-site", "same-site")


def is_loopback(host: str) -> bool:
    """True if only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class HostNames:
    """The Host names that this server accepts, which excludes other sites' names that resolve to it (DNS rebinding)."""

    def __init__(self, host: str) -> None:
        """`host` is what the server listens on."""
        self._names = {*LOOPBACK_NAMES, host.lower()}
        # Open to the network: any IP address, since only names can be rebound, and the machine's own name.
        self._any_address = not is_loopback(host)
        if self._any_address:
            self._names.add(socket.gethostname().lower())

    def admit(self, header: str | None) -> bool:
        """True if a Host header names this server."""
        name = _host_name(header or "")
        return name in self._names or (self._any_address and _is_address(name))


class Guard:
    """Middleware that refuses requests from elsewhere, and sets the headers on every response."""

    def __init__(self, app: ASGIApp, names: HostNames) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        problem = self._problem(scope, Headers(scope=scope))
        if scope["type"] == "websocket":
            if problem is None:
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008, "reason": problem})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        app = self._app if problem is None else refusal(403, "not_allowed", problem)
        await app(scope, receive, send_with_headers)

    def _problem(self, scope: Scope, headers: Headers) -> str | None:
        """Why a request is refused; None if it is not."""
        if len(headers.getlist("host")) != 1 or not self._names.admit(headers.get("host")):
            return "the Host header does not name this server"
        is_question = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        origins = headers.getlist("origin")
        if origins and not is_question and origins != [_own_origin(headers)]:
            return "the request comes from another site"
        is_api = scope["type"] == "websocket" or scope["path"].startswith("/api/")
        if is_api and headers.get("sec-fetch-site") in FOREIGN_SITES:
            return "the request comes from another site"
        return None


def refusal(status: int, code: str, message: str) -> JSONResponse:
    """The answer to a request that is refused."""
    error: Data = {"code": code, "message": message}
    return JSONResponse({"error": error}, status)


def _own_origin(headers: Headers) -> str:
    return f"http://{headers['host']}"


def _host_name(header: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
