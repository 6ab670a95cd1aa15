"""What `loop serve` refuses: strangers, forged orders, paths that lead elsewhere, bodies without end."""

from __future__ import annotations

import socket

import pytest

from tests.support.project import Project
from tests.web.serving import Server

BIG = 20_000_000  # bytes that no order needs


def test_who_may_see_what(asking: Project) -> None:
    with Server() as server:
        here = f"127.0.0.1:{server.port}"
        for path in ("/", "/loop/loop-1", "/api/session", "/api/loops", "/api/events"):
            assert server.get(path).status == 401, path
            assert server.get(f"{path}?token=wrong").status == 401, path
        for host in (
            "evil.example",
            "evil.example:80",
            f"127.0.0.1.evil.example:{server.port}",
            "",
        ):
            assert server.get(f"/?token={server.token}", Host=host).status == 421, host
        assert server.get(f"/?token={server.token}", Host=f"localhost:{server.port}").status == 200
        forged = f"loop_{server.port}=forged"
        assert server.get("/api/loops", Cookie=forged).status == 401
        assert server.get("/api/loops", Cookie='loop_="; x=').status == 401

        signed_in = server.get(f"/?token={server.token}")
        cookie = signed_in.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert server.token not in signed_in.body + cookie
        server.sign_in()
        assert server.get("/").status == 200
        assert server.get("/api/loops").json["total"] == 1

        origin = {"Origin": f"http://{here}", "X-Loop-CSRF": server.csrf}
        refused = server.ask("POST", "/api/loops/loop-1/orders", origin, '{"order": "cancel"}')
        assert refused.status == 403
        assert "--control" in refused.json["error"]
        assert server.ask("DELETE", "/api/loops/loop-1").status == 405
    assert asking.loop.status == "asking"


def test_every_response_has_the_security_headers(reading: Server) -> None:
    paths = ("/", "/static/main.js", "/api/loops", "/api/loops/none", "/nothing", "/answer/none")
    for path in paths:
        answer = reading.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy, path
        assert "script-src 'self';" in policy, path
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers


def test_orders_need_the_host_the_origin_the_cookie_and_the_csrf_token(
    controlling: Server, asking: Project
) -> None:
    order, path = '{"order": "cancel"}', "/api/loops/loop-1/orders"
    port, csrf = controlling.port, controlling.csrf
    ours = {"Origin": f"http://127.0.0.1:{port}", "X-Loop-CSRF": csrf}
    for headers, status in (
        ({"Cookie": ""}, 401),
        ({"Cookie": controlling.cookie + "x"}, 401),
        ({"Cookie": "a" * 20_000}, 401),
        ({"Host": f"127.0.0.1:{port + 1}"}, 421),
        ({"Host": f"localhost:{port}@evil.example"}, 421),
        ({"Origin": ""}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": f"http://localhost:{port}"}, 403),
        ({"Origin": f"http://127.0.0.1:{port}.evil.example"}, 403),
        ({"X-Loop-CSRF": ""}, 403),
        ({"X-Loop-CSRF": controlling.token}, 403),
        ({"X-Loop-CSRF": csrf[:-1]}, 403),
    ):
        answer = controlling.ask("POST", path, {**ours, **headers}, order)
        assert answer.status == status, (headers, answer)
        assert answer.json["error"], headers
    for method in ("PUT", "OPTIONS", "BREW"):
        assert controlling.ask(method, path, ours, order).status in (400, 405), method
    assert controlling.get(path).status in (404, 405)
    assert asking.loop.status == "asking"

    assert controlling.order("loop-1", order="answer", text="yes").status == 200
    assert asking.loop.status == "running"


def test_a_page_of_an_earlier_server_must_sign_in_again(reading: Server) -> None:
    with Server() as restarted:
        for cookie in (
            reading.cookie,
            reading.cookie.replace(str(reading.port), str(restarted.port)),
        ):
            refused = restarted.get("/api/events", Cookie=cookie)
            assert (refused.status, "loop serve" in refused.json["error"]) == (401, True)
        assert restarted.get(f"/?token={reading.token}").status == 401


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/api/loops?start=-1", {}),
        ("/api/loops?start=1e9", {}),
        (f"/api/loops?count={'9' * 5000}", {}),
        ("/api/loops?start=%D9%A3", {}),
        ("/api/loops/loop-1/events?from=-1", {}),
        ("/api/loops/loop-1/events?from=0x10", {}),
        ("/api/loops/loop-1/events", {"Last-Event-ID": "9" * 5000}),
        ("/api/loops/loop-1/events", {"Last-Event-ID": "x"}),
        ("/api/loops/loop-1/timeline?before=7", {}),
        ("/api/loops/loop-1/diff?first=8&second=9", {}),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(
    reading: Server, path: str, headers: dict[str, str]
) -> None:
    answer = reading.get(path, **headers)

    assert answer.status in (400, 404, 409), answer
    assert answer.json["error"]


def test_no_path_leads_to_a_file_or_to_an_error_of_ours(reading: Server) -> None:
    for path in (
        "/static/app.py",
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
        *(f"/api/loops/loop-1/output?log={log}" for log in ("", "/etc/passwd", "evidence/none")),
        "/api/loops/loop-1/output?log=../journal.jsonl",
        "/api/loops/loop-1/output?log=evidence%2f..%2f..%2f..%2freadme.md",
        "/api/loops/loop-1/output?log=evidence/%00",
        "/api/loops/loop-1/diff?first=--output=x&second=HEAD",
        f"/api/loops/{'a' * 9000}",
        "/answer/../api/loops",
        "/answer/" + "a" * 9000,
        "/.git/config",
        "//evil.example/",
    ):
        answer = reading.get(path)
        assert answer.status in (400, 404, 410), (path, answer)
        assert "root:" not in answer.body, path
        assert "x-evil" not in answer.headers, path


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("", {400}),
        ("[]", {400}),
        ('{"order": 5}', {409}),
        ('{"order": "explode"}', {400, 409}),
        ('{"order": "answer", "text": ""}', {400, 409}),
        ('{"order": "continue", "budget": "1e999"}', {400, 409}),
        ("[" * 100_000, {400, 413}),
        ('{"order": "steer", "text": "\\ud800"}', {200, 400, 409}),
        (f'{{"order": "steer", "text": "{"x" * 3_000_000}"}}', {400, 409, 413}),
    ],
    ids=[
        "empty",
        "a list",
        "a number",
        "unknown",
        "empty answer",
        "infinite",
        "deep",
        "half a character",
        "long",
    ],
)
def test_an_order_that_no_page_sends_is_refused_in_words(
    controlling: Server, asking: Project, body: str, status: set[int]
) -> None:
    headers = {"Origin": f"http://127.0.0.1:{controlling.port}", "X-Loop-CSRF": controlling.csrf}
    answer = controlling.ask("POST", "/api/loops/loop-1/orders", headers, body)

    assert answer.status in status, answer
    assert answer.status == 200 or answer.json["error"]
    assert asking.loop.status == "asking"
    assert controlling.get("/api/loops").status == 200


def test_a_body_without_end_is_cut_off_and_the_others_are_served(controlling: Server) -> None:
    head = (
        f"POST /api/loops/loop-1/orders HTTP/1.1\r\nHost: 127.0.0.1:{controlling.port}\r\n"
        f"Cookie: {controlling.cookie}\r\nOrigin: http://127.0.0.1:{controlling.port}\r\n"
        f"X-Loop-CSRF: {controlling.csrf}\r\nContent-Length: {BIG}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", controlling.port), timeout=30) as sender:
        sender.sendall(head.encode())
        sent, chunk = 0, b"x" * 100_000
        try:
            while sent < BIG:
                sender.sendall(chunk)
                sent += len(chunk)
            reply = sender.recv(1000)
        except OSError:  # it closed the connection before all was sent
            reply = b""
        assert controlling.get("/api/loops").status == 200
    assert not reply.startswith(b"HTTP/1.1 200")
