"""A marketplace on the loopback: a git repository behind HTTP, as a hosting service has it, with the plugin in some version."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.e2e.client import environment
from tests.e2e.plugin import OWN, clone_to
from tests.support.project import Project


class Market:
    """with Market(folder) as market: market.publish("0.2.0"); market.url"""

    def __init__(self, folder: Path) -> None:
        self.work = Project(folder / "work", {"readme.md": "a marketplace\n"})
        self.bare = folder / "served" / "market.git"
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.bare.parent))
        self.url = f"http://127.0.0.1:{self._server.server_port}/market.git"

    def publish(self, version: str) -> None:
        """The plugin as it is checked in, under another number."""
        root = self.work.root
        clone_to(root)
        for file, change in (
            (root / "plugins/claude/.claude-plugin/plugin.json", _set_version(version)),
            (root / ".claude-plugin/marketplace.json", _set_listed_version(version)),
        ):
            file.write_text(json.dumps(change(json.loads(file.read_text()))))
        (root / "plugins/claude/VERSION").write_text(f"{version}\n")
        self.work.commit(version)
        shutil.rmtree(self.bare, ignore_errors=True)
        subprocess.run(
            ["git", "clone", "-q", "--bare", str(root), str(self.bare)],
            check=True,
            capture_output=True,
        )

    def __enter__(self) -> Market:
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _set_version(version: str):
    return lambda manifest: {**manifest, "version": version}


def _set_listed_version(version: str):
    return lambda market: {
        **market,
        "plugins": [{**entry, "version": version} for entry in market["plugins"]],
    }


def claude(world, *words: str, cwd: Path | None = None) -> str:
    """`claude plugin …`, typed by the person."""
    env = environment(world.home, world.model.url, more=OWN)
    argv, place = [str(world.program), *words], cwd or world.project.root
    done = subprocess.run(argv, cwd=place, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def _handler(root: Path) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def answer(self) -> None:
            path, _, query = self.path.partition("?")
            env = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("content-type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
                "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
            }
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            out = subprocess.run(
                ["git", "http-backend"], input=body, env=env, capture_output=True, check=True
            ).stdout
            head, _, rest = out.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(fields.pop("Status", "200 OK")[:3]))
            for name, value in {**fields, "content-length": str(len(rest))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(rest)

        do_GET = do_POST = answer  # noqa: N815

    return Handler
