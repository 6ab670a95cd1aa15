"""Run the web application on the loopback address until the person ends it."""

from __future__ import annotations

import socket

import uvicorn

from ..drive.errors import UserError
from ..store.further_loops import FurtherLoops
from ..store.loop_catalog import LoopCatalog
from .access import Access
from .app import LinkPrinter, WebApp

DEFAULT_PORT = 8765
FIRST_READS = 100
MAX_CONNECTIONS = 200


def bind_port(port: int) -> socket.socket:
    """A socket on the loopback address; without a wish, another port if the usual one is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port or DEFAULT_PORT))
    except OSError as error:
        if port:
            listener.close()
            raise UserError(
                f"port {port} is taken ({error.strerror}). Choose another: loop serve --port N"
            ) from error
        listener.bind(("127.0.0.1", 0))
    listener.listen()  # a browser that opens the link at once waits instead of failing
    return listener


def make_server(
    access: Access, print_link: LinkPrinter | None = None, further: FurtherLoops | None = None
) -> uvicorn.Server:
    """The server. Its `run(sockets=[…])` serves until Ctrl-C."""
    catalog = LoopCatalog(further)
    catalog.refresh(FIRST_READS)  # the first page shows these; the others follow
    app = WebApp(access, catalog, print_link)
    config = uvicorn.Config(
        app.build(),
        log_level="warning",
        access_log=False,  # a log of addresses would hold the token
        server_header=False,
        proxy_headers=False,  # a tunnel may not say who asks
        limit_concurrency=MAX_CONNECTIONS,
        date_header=False,
        timeout_graceful_shutdown=2,
        ws="none",
    )
    server = uvicorn.Server(config)
    app.watch.is_stopping = lambda: server.should_exit  # else open streams would hold it up
    return server
