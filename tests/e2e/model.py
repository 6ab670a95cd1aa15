"""A scripted model: it answers its clients turn by turn, and keeps all that it was asked."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from tests.e2e.server import Request, Server, dialect_of
from tests.e2e.turn import Script, Turn, says

SUMMARY = "Your task is to create a detailed summary"  # so the client asks for what is to replace the conversation

# A lane that a test does not script. Without the tags the client would ask for its summary once more.
USUAL: Mapping[str, Script] = {
    "agent": (),
    "aux": lambda number, body: says("ok"),
    "summary": lambda number, body: says("<summary>What was done so far.</summary>"),
}


class Model:
    """A server and its script, in four lanes: `main`; `agent`, which every sub-agent plays from its beginning; `aux` for
    requests that offer no tools (titles, judgements); `summary` for compactions. `trouble` tells where the script was wrong."""

    def __init__(self, main: Script = (), **lanes: Script) -> None:
        self.requests: list[Request] = []
        self.trouble: list[str] = []
        self._lock, self._closing = threading.Lock(), threading.Event()
        self._server = Server(self._hear)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.play(main, **lanes)

    def play(self, main: Script, **lanes: Script) -> None:
        """From now on this script, from its beginning. What was asked before is kept."""
        assert lanes.keys() <= USUAL.keys(), f"there is no such lane: {lanes.keys() - USUAL.keys()}"
        with self._lock:
            self._scripts: dict[str, Script] = {**USUAL, **lanes, "main": main}
            self._played: dict[str, int] = {}

    def lane(self, name: str = "main") -> list[Request]:
        return [request for request in self.requests if request.lane == name]

    def __enter__(self) -> Model:
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _hear(self, request: Request) -> None:
        """Keep the request; if it is for the model, choose the answer and take the time it takes."""
        with self._lock:
            if dialect_of(request.path):
                request.turn = self._turn(request)
            self.requests.append(request)
        if request.turn:
            self._closing.wait(request.turn.delay)

    def _turn(self, request: Request) -> Turn:
        agent = request.headers.get("x-claude-code-agent-id", "")
        request.lane = _lane(request, agent)
        player, script = request.lane + agent, self._scripts[request.lane]
        number = self._played[player] = self._played.get(player, 0) + 1
        try:
            return script(number, request.body) if callable(script) else script[number - 1]
        except Exception as error:  # too short, or wrong: the client must not hang on it, and the test must hear of it
            self.trouble.append(f"turn {number} of {request.lane}: {error!r}")
            return says("The script has no such turn.")


def _lane(request: Request, agent: str) -> str:
    if SUMMARY in request.news:
        return "summary"
    return "agent" if agent else "main" if request.body.get("tools") else "aux"
