"""The server of `loop serve`, and requests to it."""

from __future__ import annotations

import asyncio
import http.client
import json
import queue
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("starlette", reason='needs pip install "loopwright[web]"')
pytest.importorskip("uvicorn", reason='needs pip install "loopwright[web]"')

from loopwright.store.further_loops import FurtherLoops
from loopwright.web.access import new_access
from loopwright.web.server import make_server
from tests.e2e.waiting import until


@dataclass(frozen=True)
class Answer:
    """A response: its status, headers in lower case, and its body."""

    status: int
    headers: dict[str, str]
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """The server of `loop serve` in a thread, on a free port."""

    def __init__(
        self,
        control: bool = False,
        link: bool = False,
        hosts: tuple[str, ...] = (),
        further: FurtherLoops | None = None,
    ) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        access = new_access(self.port, control, hosts)
        self.links: queue.Queue[str] = queue.Queue()
        printer = (lambda path, question: self.links.put(path)) if link else None
        self._server = make_server(access, printer, further)
        self._server.shutdown = self._shut_down  # type: ignore[method-assign]
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [listener]})
        self._thread.start()
        self.token = access.token
        self.url = f"http://127.0.0.1:{self.port}/?token={self.token}"
        self.cookie = self.csrf = ""

    async def _shut_down(self, sockets: list[socket.socket] | None = None) -> None:
        """In `loop serve` the process ends then, and with it what a browser has just connected."""
        await type(self._server).shutdown(self._server, sockets)
        for connection in tuple(self._server.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()

    def sign_in(self) -> Server:
        answer = self.get(f"/?token={self.token}")
        assert answer.status == 200, answer
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        self.csrf = self.get("/api/session").json["csrf"]
        return self

    def ask(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: str = ""
    ) -> Answer:
        connection = self._send(method, path, headers or {}, body)
        response = connection.getresponse()
        text = response.read().decode()
        found = {name.lower(): value for name, value in response.getheaders()}
        connection.close()
        return Answer(response.status, found, text)

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers)

    def find_row(self, loop_id: str) -> Any:
        """The row of a loop on the board, once the server has read it."""
        found: list[Any] = []

        def look() -> bool:
            rows = self.get("/api/loops").json["rows"]
            found[:] = [row for row in rows if row["id"] == loop_id]
            return bool(found)

        until(look, lambda: f"{loop_id} is not on the board")
        return found[0]

    def order(self, loop_id: str, **fields: str) -> Answer:
        """An order as the page gives it."""
        headers = {"Origin": f"http://127.0.0.1:{self.port}", "X-Loop-CSRF": self.csrf}
        return self.ask("POST", f"/api/loops/{loop_id}/orders", headers, json.dumps(fields))

    def _send(
        self, method: str, path: str, headers: dict[str, str], body: str
    ) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        known = {"Cookie": self.cookie} if self.cookie else {}
        connection.request(method, path, body or None, {**known, **headers})
        return connection

    def events(self, path: str, **headers: str) -> Iterator[tuple[str, str, Any]]:
        """The events of a stream: kind, id and data."""
        connection = self._send("GET", path, headers, "")
        response = connection.getresponse()
        assert response.status == 200, response.read()
        kind, number = "", ""
        try:
            while True:
                line = response.readline().decode().rstrip("\n")
                name, _, value = line.partition(": ")
                if name == "id":
                    number = value
                elif name == "event":
                    kind = value
                elif name == "data":
                    yield kind, number, json.loads(value)
        finally:
            connection.close()
