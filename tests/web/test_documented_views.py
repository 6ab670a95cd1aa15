"""What a stranger who has read only the documents expects of `loop serve`, `loop watch` and `loop report --html`."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice

import pytest

from tests.e2e.waiting import until
from tests.support.builders import an_asking_loop
from tests.support.project import Project
from tests.web.serving import Server

LOOP = f"{shlex.quote(sys.executable)} -m loopwright.cli.main"
HOSTILE = "</title><script>alert(1)</script>\x1b]0;owned\x07"
BIG = 20_000_000  # bytes that no order needs


@pytest.fixture
def asking(project: Callable[..., Project]) -> Project:
    here = project()
    here.create(an_asking_loop("G2", f"Go on? {HOSTILE}", id="loop-1"))
    return here


@pytest.fixture
def server(asking: Project) -> Iterator[Server]:
    with Server(control=True) as made:
        made.sign_in().find_row("loop-1")
        yield made


def test_no_path_leads_to_a_file_or_to_an_error_of_ours(server: Server) -> None:
    for path in (
        "/static/../../../../etc/passwd",
        "/static/%2e%2e/%2e%2e/access.py",
        "/static//etc/passwd",
        "/static/..%5c..%5caccess.py",
        "/static/%00",
        "/loop/%2e%2e%2fetc",
        "/api/loops/../../etc/passwd",
        "/api/loops/..%2f..%2fetc",
        "/api/loops/%00/events",
        "/api/loops/loop-1%0d%0aX-Evil:%201",
        "/api/loops/loop-1/output?log=evidence%2f..%2f..%2f..%2freadme.md",
        "/api/loops/loop-1/output?log=evidence/%00",
        "/api/loops/loop-1/diff?first=--output=x&second=HEAD",
        f"/api/loops/{'a' * 9000}",
        "/answer/../api/loops",
        "/answer/" + "a" * 9000,
        "/.git/config",
        "//evil.example/",
    ):
        answer = server.get(path)
        assert answer.status in (400, 404, 410), (path, answer)
        assert "root:" not in answer.body, path
        assert "x-evil" not in answer.headers, path
    assert server.get("/api/loops").json["total"] == 1


def test_no_request_without_our_cookie_host_and_origin_gives_an_order(
    server: Server, asking: Project
) -> None:
    order, path = json.dumps({"order": "cancel"}), "/api/loops/loop-1/orders"
    ours = {"Origin": f"http://127.0.0.1:{server.port}", "X-Loop-CSRF": server.csrf}
    for headers, status in (
        ({"Cookie": server.cookie + "x"}, 401),
        ({"Cookie": "a" * 20_000}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Host": f"127.0.0.1:{server.port + 1}"}, 421),
        ({"Host": f"localhost:{server.port}@evil.example"}, 421),
        ({"Origin": f"http://localhost:{server.port}"}, 403),
        ({"Origin": f"http://127.0.0.1:{server.port}.evil.example"}, 403),
        ({"Origin": ""}, 403),
        ({"X-Loop-CSRF": server.token}, 403),
        ({"X-Loop-CSRF": server.csrf[:-1]}, 403),
    ):
        answer = server.ask("POST", path, {**ours, **headers}, order)
        assert answer.status == status, (headers, answer)
        assert answer.json["error"], headers
        assert "access-control-allow-origin" not in answer.headers
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"):
        assert server.ask(method, path, ours, order).status in (400, 405), method
    assert server.get(path).status in (404, 405)
    assert asking.loop.status == "asking"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('{"order": "explode"}', {400, 409}),
        ('{"order": "answer", "text": ""}', {400, 409}),
        ('{"order": "continue", "budget": "1e999"}', {400, 409}),
        ("[" * 100_000, {400, 413}),
        ('{"order": "steer", "text": "\\ud800"}', {200, 400, 409}),
        (f'{{"order": "steer", "text": "{"x" * 3_000_000}"}}', {400, 409, 413}),
    ],
    ids=["unknown", "empty answer", "infinite", "deep", "half a character", "long"],
)
def test_an_order_that_no_page_sends_is_refused_in_words(
    server: Server, asking: Project, body: str, status: set[int]
) -> None:
    headers = {"Origin": f"http://127.0.0.1:{server.port}", "X-Loop-CSRF": server.csrf}
    answer = server.ask("POST", "/api/loops/loop-1/orders", headers, body)

    assert answer.status in status, answer
    assert answer.status == 200 or answer.json["error"]
    assert asking.loop.status == "asking"
    assert server.get("/api/loops").status == 200


def test_a_body_without_end_is_cut_off_and_the_others_are_served(server: Server) -> None:
    head = (
        f"POST /api/loops/loop-1/orders HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Cookie: {server.cookie}\r\nOrigin: http://127.0.0.1:{server.port}\r\n"
        f"X-Loop-CSRF: {server.csrf}\r\nContent-Length: {BIG}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as sender:
        sender.sendall(head.encode())
        sent, chunk = 0, b"x" * 100_000
        try:
            while sent < BIG:
                sender.sendall(chunk)
                sent += len(chunk)
            reply = sender.recv(1000)
        except OSError:  # it closed the connection before all was sent
            reply = b""
        assert server.get("/api/loops").status == 200
    assert not reply.startswith(b"HTTP/1.1 200")


def test_of_two_browsers_that_answer_one_comes_too_late_and_is_told(
    server: Server, asking: Project
) -> None:
    first = server.order("loop-1", order="answer", text="yes")
    second = server.order("loop-1", order="answer", text="no")

    assert (first.status, second.status) == (200, 409), second
    assert second.json["error"]
    assert asking.loop.dialogue.guidance in ("", "yes")


def test_a_page_of_an_earlier_server_must_sign_in_again(server: Server) -> None:
    with Server() as restarted:
        for cookie in (server.cookie, server.cookie.replace(str(server.port), str(restarted.port))):
            refused = restarted.get("/api/events", Cookie=cookie)
            assert (refused.status, "loop serve" in refused.json["error"]) == (401, True)
        assert restarted.get(f"/?token={server.token}").status == 401


def test_a_stream_that_resumes_from_nowhere_gets_lines_or_an_error_never_silence(
    server: Server,
) -> None:
    for position in ("-1", "1e9", "x", "9" * 400, "0x10"):
        assert server.get(f"/api/loops/loop-1/events?from={position}").status in (400, 404), (
            position
        )
    beyond = server.events("/api/loops/loop-1/events?from=99999999")
    assert [kind for kind, _, _ in islice(beyond, 1)]
    beyond.close()


# --- the commands ---


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("serve --port 0x50", 64, "invalid int"),
        ("serve --port -1", 64, "--port"),
        ("serve --port TAKEN", 1, "is taken"),
        ("serve --allow-host ''", 64, "the name of a host"),
        ("serve --allow-host 'a b'", 64, "the name of a host"),
        ("serve --allow-host evil.example/x", 64, "the name of a host"),
        ("watch", 1, "loop status"),
        ("watch nowhere", 1, "loop watch"),
    ],
)
def test_a_wrong_option_is_refused_with_the_way_out(
    asking: Project, words: str, code: int, says: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = asking.run(*shlex.split(words.replace("TAKEN", port)))

    assert said.code == code, said
    assert says in said.err
    assert "our own error" not in said.err


def test_it_serves_without_any_stream_and_ends_at_once(asking: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    argv = ["sh", "-c", f"exec {LOOP} serve --port {port} <&- >&- 2>&-"]
    with subprocess.Popen(argv, cwd=asking.root, start_new_session=True) as process:

        def answers() -> bool:
            with socket.socket() as asker:
                return process.poll() is not None or asker.connect_ex(("127.0.0.1", port)) == 0

        until(answers, lambda: "it listens on no port")
        assert process.poll() is None
        os.kill(process.pid, signal.SIGTERM)
        process.wait(timeout=30)


# --- the report as a file ---


@pytest.mark.parametrize("words", [(), ("--since", "yesterday")], ids=["one loop", "a night"])
def test_the_report_is_one_page_without_script_whatever_the_words_are(
    project: Callable[..., Project], words: tuple[str, ...]
) -> None:
    here = project()
    here.create(an_asking_loop("G2", HOSTILE, id="loop-1", spec=f"fix {HOSTILE}"))
    said = here.run("report", "--html", *words)

    assert said.code == 0, said
    assert said.out.count("</html>") == 1
    assert not re.search(r"<script|\x1b|\x07|(src|href)=[\"']?(https?:)?//", said.out)
