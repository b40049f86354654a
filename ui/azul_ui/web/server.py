"""Running the server: the port, the browser, Ctrl-C."""

import asyncio
import errno
import logging
import os
import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from typing import Final

import uvicorn
from starlette.applications import Starlette

from azul_env import GameRecord, verify
from azul_ui.web.app import WebConfig, create_app
from azul_ui.web.guard import is_loopback

# A longer frame closes the socket; one that is only too long for a message is answered.
FRAME_BYTES: Final = 1 << 16
SHUTDOWN_SECONDS: Final = 2
BACKLOG: Final = 128


def serve(config: WebConfig, port: int, record: GameRecord | None, opens_browser: bool) -> None:
    """Serve until Ctrl-C or SIGTERM; a record is opened for review. Raises ValueError if the port cannot be used."""
    if record is not None:
        verify(record)  # an error now, in one line
    with listening_socket(config.host, port) as listener:
        port = listener.getsockname()[1]
        app = create_app(config)
        url = f"http://{_shown_host(config.host)}:{port}/"

        def ready(game_id: str | None) -> None:
            address = f"{url}?game={game_id}" if game_id else url
            print(f"azul web: {address} (Ctrl-C ends it)", flush=True)
            if opens_browser:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        app.state.on_start = (record, ready)
        if not is_loopback(config.host):
            print(
                f"azul web: listening on {config.host}: everybody who can reach this machine can play, "
                "look at all games and make it think. There are no passwords.",
                file=sys.stderr,
            )
        logging.getLogger("uvicorn.error").addFilter(_is_fault)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(server_options(app)).run(sockets=[listener])
        print("azul web: ended, all games are kept", flush=True)
    _leave()


def _is_fault(record: logging.LogRecord) -> bool:
    """False for the traceback of a request that was cancelled because the server ended."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, asyncio.CancelledError)


def _leave() -> None:
    """End the process even if an agent still thinks: a thread cannot be stopped, and nobody waits for its move."""
    sys.stdout.flush()
    sys.stderr.flush()
    if any(thread is not threading.main_thread() for thread in threading.enumerate()):
        os._exit(0)


def server_options(app: Starlette) -> uvicorn.Config:
    """How uvicorn serves the application."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="websockets-sansio",
        ws_max_size=FRAME_BYTES,
        ws_per_message_deflate=False,  # time that loopback does not give back
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises ValueError in one line."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise ValueError(f"--host {host}: {error.strerror}") from None
    listener = socket.socket(family, kind, number)
    if sys.platform != "win32":  # where it would let two servers share a port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"port {port} is in use: choose another with --port") from None
        raise ValueError(f"cannot listen on {host}, port {port}: {error.strerror}") from None
    return listener


def _shown_host(host: str) -> str:
    """The host in an address that a browser on this machine can open."""
    if host in ("0.0.0.0", "::", ""):
        return "localhost"
    return f"[{host}]" if ":" in host else host
