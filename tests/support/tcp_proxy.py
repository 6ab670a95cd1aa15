"""A TCP proxy that can be cut: then nothing passes, and nobody is told, as in a partition."""

from __future__ import annotations

import select
import socket
import threading
from contextlib import suppress


class CuttableProxy:
    """Forwards a port of this host to another address."""

    def __init__(self, target: tuple[str, int] | str, host: str = "127.0.0.1") -> None:
        self._target = target  # an address, or the path of a unix socket
        self._listener = socket.create_server((host, 0))
        self.port = self._listener.getsockname()[1]
        self._passing = threading.Event()
        self._passing.set()
        self._closed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._passing.clear()

    def mend(self) -> None:
        self._passing.set()

    def close(self) -> None:
        self._closed = True
        self._passing.set()
        self._listener.close()

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        self._passing.wait()
        with suppress(OSError), client, self._connect() as server:
            pairs = {client: server, server: client}
            while not self._closed:
                readable, _, _ = select.select(list(pairs), [], [], 0.2)
                self._passing.wait()
                for source in readable:
                    data = source.recv(65536)
                    if not data:
                        return
                    pairs[source].sendall(data)

    def _connect(self) -> socket.socket:
        if isinstance(self._target, str):
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._target)
            return server
        return socket.create_connection(self._target)
