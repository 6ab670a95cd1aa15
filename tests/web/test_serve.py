"""`loop serve` as a process: what it shows, and that its streams lose no line."""

from __future__ import annotations

import http.client
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from loopwright.core.proof.disputes import Dispute
from loopwright.store import journal
from loopwright.store.create import note_ownership
from loopwright.store.journal_reader import SLICE_BYTES
from tests.e2e.waiting import until
from tests.store.test_loop_catalog import fill_journal
from tests.support.builders import TREE, a_loop, an_asking_loop
from tests.support.project import Project
from tests.web.serving import Server

SLICES_PER_REQUEST = 4
HOSTILE = "</title><script>alert(1)</script>\x1b]0;owned\x07"
LOOP = f"{shlex.quote(sys.executable)} -m loopwright.cli.main"


# --- What it shows ---


def test_the_board_and_the_page_have_the_words_without_escape_codes(reading: Server) -> None:
    [row] = reading.get("/api/loops").json["rows"]
    page = reading.get("/api/loops/loop-1").json

    assert (row["status"], row["group"]) == ("asking", 0)
    assert page["page"]["question"] == "Go on? <img src=x onerror=alert(1)>"
    assert page["lines"][0]["entries"][0]["title"] == "The loop started"
    assert reading.get("/api/loops/none").status == 404


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
    ("words", "code", "says"),
    [
        ("serve --port 0x50", 64, "invalid int"),
        ("serve --port -1", 64, "--port"),
        ("serve --port 99999", 64, "--port takes"),
        ("serve --port TAKEN", 1, "is taken"),
        ("serve --allow-host ''", 64, "the name of a host"),
        ("serve --allow-host 'a b'", 64, "the name of a host"),
        ("serve --allow-host evil.example/x", 64, "the name of a host"),
        ("serve --allow-host '*'", 64, "the name of a host"),
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


def test_an_agent_may_not_serve(asking: Project) -> None:
    said = asking.run("serve", CLAUDECODE="1")
    assert "is the person's to run" in said.err
    assert json.dumps(asking.events("OrderRefused"))


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
