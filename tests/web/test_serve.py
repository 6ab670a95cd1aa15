"""`loop serve` as a process: what it shows, what it refuses, and that its streams lose no line."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from loopwright.core.proof.disputes import Dispute
from loopwright.store import journal
from loopwright.store.create import note_ownership
from loopwright.store.journal_reader import SLICE_BYTES
from tests.store.test_loop_catalog import fill_journal
from tests.support.builders import TREE, a_loop, an_asking_loop
from tests.support.project import Project
from tests.web.serving import Server

SLICES_PER_REQUEST = 4
HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m"


@pytest.fixture
def asking(project: Callable[..., Project]) -> Project:
    here = project()
    here.create(an_asking_loop("G2", f"Go on? {HOSTILE}", id="loop-1"))
    return here


@pytest.fixture
def reading(asking: Project) -> Iterator[Server]:
    with Server() as server:
        yield server.sign_in()


@pytest.fixture
def controlling(asking: Project) -> Iterator[Server]:
    with Server(control=True) as server:
        yield server.sign_in()


# --- Who may see it ---


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
    for path in ("/static/../app.py", "/static/%2e%2e%2fapp.py", "/static/app.py"):
        assert reading.get(path).status == 404, path


def test_orders_need_the_origin_the_cookie_and_the_csrf_token(
    controlling: Server, asking: Project
) -> None:
    path = "/api/loops/loop-1/orders"
    origin, csrf = f"http://127.0.0.1:{controlling.port}", controlling.csrf
    order = '{"order": "answer", "text": "yes"}'
    for headers in (
        {"X-Loop-CSRF": csrf},
        {"X-Loop-CSRF": csrf, "Origin": "null"},
        {"X-Loop-CSRF": csrf, "Origin": "http://evil.example"},
        {"X-Loop-CSRF": csrf, "Origin": f"{origin}.evil.example"},
        {"Origin": origin},
        {"Origin": origin, "X-Loop-CSRF": "forged"},
    ):
        assert controlling.ask("POST", path, headers, order).status == 403, headers
    without_cookie = {"Origin": origin, "X-Loop-CSRF": csrf, "Cookie": ""}
    assert controlling.ask("POST", path, without_cookie, order).status == 401
    assert asking.loop.status == "asking"

    assert controlling.order("loop-1", order="answer", text="yes").status == 200
    assert asking.loop.status == "running"


# --- What it shows ---


def test_the_board_and_the_page_have_the_words_without_escape_codes(reading: Server) -> None:
    [row] = reading.get("/api/loops").json["rows"]
    page = reading.get("/api/loops/loop-1").json

    assert (row["status"], row["group"]) == ("asking", 0)
    assert page["page"]["question"] == "Go on? <img src=x onerror=alert(1)>"
    assert page["lines"][0]["entries"][0]["title"] == "The loop started"
    assert reading.get("/api/loops/none").status == 404


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/api/loops?start=-1", {}),
        ("/api/loops?start=1e9", {}),
        (f"/api/loops?count={'9' * 5000}", {}),
        ("/api/loops?start=%D9%A3", {}),
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


@pytest.mark.parametrize(
    "log", ["../journal.jsonl", "evidence/../journal.jsonl", "/etc/passwd", "evidence/none", ""]
)
def test_only_outputs_of_checks_can_be_read(reading: Server, log: str) -> None:
    assert reading.get(f"/api/loops/loop-1/output?log={log}").status == 404


def test_an_output_of_a_megabyte_is_cut_and_two_outputs_are_compared(
    reading: Server, asking: Project
) -> None:
    asking.write({".loop/evidence/a.log": "one\ntwo\n", ".loop/evidence/b.log": "one\n2\n"})
    asking.write({".loop/evidence/long.log": "x" * 1_000_000})
    os.symlink("/etc/passwd", asking.root / ".loop/evidence/link.log")

    base = "/api/loops/loop-1"
    rows = reading.get(f"{base}/difference?first=evidence/a.log&second=evidence/b.log").json["rows"]
    long = reading.get(f"{base}/output?log=evidence/long.log").json

    assert [(row["kind"], row["text"]) for row in rows] == [
        ("same", "one"),
        ("removed", "two"),
        ("added", "2"),
        ("same", ""),
    ]
    assert long["clipped"]
    assert len(long["lines"][0]) < 2_100
    assert reading.get(f"{base}/output?log=evidence/link.log").status == 404


# --- Streams ---


def lines_of(server: Server, position: int, count: int, **headers: str) -> list[tuple[int, int]]:
    """Number and position of the next lines of the loop."""
    events = server.events(f"/api/loops/loop-1/events?from={position}", **headers)
    lines = ((data["seq"], int(number)) for kind, number, data in events if kind == "line")
    return list(islice(lines, count))


def test_a_stream_resumes_after_the_last_line_also_from_a_restarted_server(
    reading: Server, asking: Project
) -> None:
    asking.run("answer", "yes")
    asking.run("pause", "lunch")
    asking.run("continue")
    whole = lines_of(reading, 0, 4)
    assert [seq for seq, _ in whole] == [1, 2, 3, 4]

    second = str(whole[1][1])
    assert lines_of(reading, 0, 2, **{"Last-Event-ID": second}) == whole[2:]
    with Server() as restarted:
        assert lines_of(restarted.sign_in(), 0, 2, **{"Last-Event-ID": second}) == whole[2:]


def test_two_browsers_get_each_new_line_and_the_state_after_it(
    reading: Server, asking: Project
) -> None:
    position = reading.get("/api/loops/loop-1").json["position"]
    streams = [reading.events(f"/api/loops/loop-1/events?from={position}") for _ in range(2)]
    for stream in streams:
        assert next(stream)[0] == "state"
    asking.run("answer", "yes")

    for stream in streams:
        line = next(data for kind, _, data in stream if kind == "line")
        state = next(data for kind, _, data in stream if kind == "state")
        assert line["entries"][0]["title"] == "A person answered: yes"
        assert state["row"]["status"] == "running"
        stream.close()


def test_the_history_of_a_long_journal_is_read_in_parts(
    reading: Server, asking: Project, tmp_path: Path
) -> None:
    """No request reads a whole journal: the first one has a part, and the stream brings the rest."""
    path = Path(asking.folder.journal_path)
    fill_journal(path, 3_500, an_asking_loop("G2", id="loop-1", tree=TREE), chained=True)
    note_ownership(asking.folder, "loop-1", journal.read(str(path)).head)
    assert path.stat().st_size > 2 * SLICES_PER_REQUEST * SLICE_BYTES

    first = reading.get("/api/loops/loop-1").json
    assert (len(first["lines"]), first["lines"][-1]["seq"]) == (80, 7_001)
    assert not first["history"]["complete"]
    events = reading.events(f"/api/loops/loop-1/events?from={first['position']}")
    whole = next(
        data["history"]
        for kind, _, data in events
        if kind == "state" and data["history"]["complete"]
    )
    events.close()
    assert whole["points"][-1]["number"] == 3_500
    assert len(whole["points"]) <= 402
    older = reading.get(f"/api/loops/loop-1/timeline?before={first['start']}").json
    assert older["lines"][-1]["seq"] == first["lines"][0]["seq"] - 1


def test_a_journal_that_was_cut_off_makes_the_page_begin_again(
    reading: Server, asking: Project
) -> None:
    events = reading.events("/api/loops/loop-1/events?from=999999999")

    assert next(events)[0] == "reload"
    assert next(events)[0] == "state"
    asking.run("answer", "yes")
    kinds = [kind for kind, _, _ in islice(events, 2)]
    assert "reload" not in kinds
    assert "line" in kinds
    events.close()


def test_the_board_hears_of_a_new_loop(reading: Server, project: Callable[..., Project]) -> None:
    events = reading.events("/api/events")
    assert next(events)[0] == "board"
    project().start()

    rows = next(data["rows"] for kind, _, data in events if kind == "rows")
    assert [row["status"] for row in rows] == ["undriven"]
    events.close()


# --- Orders ---


def test_orders_do_what_the_commands_do(controlling: Server, asking: Project) -> None:
    def order(**fields: str) -> tuple[int, str]:
        answer = controlling.order("loop-1", **fields)
        return answer.status, answer.json.get("error", "")

    assert order(order="answer", text="yes", question="Another?")[0] == 409
    assert order(order="answer", text="yes") == (200, "")
    assert order(order="steer", text="leave the database alone") == (200, "")
    assert asking.loop.dialogue.guidance == "leave the database alone"
    assert order(order="pause") == (200, "")
    assert (asking.loop.status, (asking.root / ".loop/halt").exists()) == ("paused", True)
    assert order(order="continue", budget="many")[0] == 409
    assert order(order="continue", budget="5", iterations="2") == (200, "")
    assert (asking.loop.limits.dollars, asking.loop.limits.iterations) == (30.0, 12)
    assert "no order 'explode'" in order(order="explode")[1]
    assert order(order="rule", criterion="tests pass", ruling="keep")[0] == 409
    assert order(order="answer", text="yes")[0] == 409
    assert order(order="cancel") == (200, "")
    assert asking.ended.status == "cancelled"
    assert "has ended" in order(order="cancel")[1]


def test_a_ruling_decides_a_dispute(controlling: Server, project: Callable[..., Project]) -> None:
    here = project()
    here.create(a_loop(id="loop-2", disputes=(Dispute("tests pass", "it needs a network"),)))
    assert controlling.find_row("loop-2")["status"] == "running"
    page = controlling.get("/api/loops/loop-2").json["page"]
    assert page["awaiting_ruling"] == ["tests pass"]

    ruled = controlling.order("loop-2", order="rule", criterion="tests pass", ruling="keep")

    assert ruled.status == 200
    assert [dispute.ruling for dispute in here.loop.disputes] == ["keep"]


@pytest.mark.parametrize("body", ["", "[]", "{", '{"order": 5}', '{"order": "steer", "text": 5}'])
def test_an_order_that_makes_no_sense_is_refused(controlling: Server, body: str) -> None:
    headers = {
        "Origin": f"http://127.0.0.1:{controlling.port}",
        "X-Loop-CSRF": controlling.csrf,
    }
    answer = controlling.ask("POST", "/api/loops/loop-1/orders", headers, body)
    assert answer.status in (400, 409), answer


# --- One-time links ---


def test_a_link_answers_one_question_once(asking: Project) -> None:
    with Server(link=True, hosts=("my.tunnel",)) as server:
        link = server.links.get(timeout=30)
        headers = {"Host": "my.tunnel", "Origin": "https://my.tunnel"}
        form = server.get(link, Host="my.tunnel")
        assert form.status == 200
        assert "&lt;img src=x" in form.body
        assert "<img" not in form.body
        assert "\x1b" not in form.body

        evil = {**headers, "Origin": "https://evil.example"}
        assert server.ask("POST", link, evil, "answer=yes").status == 403
        assert server.ask("POST", link, headers, "answer=&text=").status == 400
        assert asking.loop.status == "asking"
        assert server.ask("POST", link, headers, "answer=yes&text=mind+the+gap").status == 200
        assert asking.loop.status == "running"
        assert asking.loop.dialogue.guidance == "yes, mind the gap"
        assert server.ask("POST", link, headers, "answer=no").status == 410
        assert server.get(link, Host="my.tunnel").status == 410
        assert server.get("/api/loops", Host="my.tunnel").status == 401


# --- The command ---


def test_the_command_prints_the_link_and_a_link_for_each_question(asking: Project) -> None:
    argv = [sys.executable, "-u", "-m", "loopwright.cli.main", "serve", "--link"]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        address = re.search(r"http://127.0.0.1:(\d+)(/\S+)", lines[0])
        assert address is not None
        connection = http.client.HTTPConnection("127.0.0.1", int(address[1]), timeout=30)
        connection.request("GET", address[2])
        response = connection.getresponse()
        assert response.status == 200
        cookie = response.getheader("Set-Cookie", "").partition(";")[0]
        response.read()
        # An open stream does not hold up the end.
        connection.request("GET", "/api/events", headers={"Cookie": cookie})
        stream = connection.getresponse()
        assert stream.status == 200
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=30)
        stream.close()
        connection.close()

    assert (process.returncode, *rest) == (0, "", "")
    assert "It only reads" in lines[1]
    assert re.search(r"Answer once: http://127.0.0.1:\d+/answer/\S{40,}", lines[2])


def test_without_the_extra_the_error_names_it(asking: Project) -> None:
    code = (
        "import sys; sys.modules['starlette'] = None; sys.argv = ['loop', 'serve'];"
        "from loopwright.cli.main import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=asking.root
    )

    assert done.returncode == 1
    assert 'pip install "loopwright[web]"' in done.stderr


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--allow-host", "http://x/"), "the name of a host"),
        (("--allow-host", "*"), "the name of a host"),
        (("--port", "99999"), "--port takes"),
    ],
)
def test_wrong_options_are_refused(asking: Project, words: tuple[str, ...], error: str) -> None:
    said = asking.run("serve", *words)
    assert said.code == 64
    assert error in said.err


def test_an_agent_may_not_serve(asking: Project) -> None:
    said = asking.run("serve", CLAUDECODE="1")
    assert "is the person's to run" in said.err
    assert json.dumps(asking.events("OrderRefused"))
