"""What comes through the door: a transcript that is missing, torn or a gigabyte; stdin that is broken, huge, slow or endless."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

from tests.support.hook import HOOK_SCRIPT, moment, stop_event
from tests.support.runner import CLAIM
from tests.torture.gauntlet.scenario import (
    HOSTILE,
    RIGHT,
    Scenario,
    Step,
    case,
    done,
    edits,
    free,
    hold,
    works,
)
from tests.torture.size import size

RUN = [sys.executable, "-I", "-S", HOOK_SCRIPT, "claude"]
BROKEN = (b"", b"[]", b"{", b"\xff\xfe\0", b"{" * 100_000, b"1e999")
LONG, HUGE = size(commit=64, long=1024) << 20, size(commit=8, long=64) << 20  # bytes


def tears_transcript(one: Scenario) -> None:
    path = one.transcript(tokens=1000).path
    whole = path.read_bytes()
    for data in (whole[: one.chance.randrange(1, len(whole) - 1)], whole):
        path.write_bytes(data)
        edits(one)
        one.stops("hm", True, transcript_path=str(path))
        one.judge(
            (one.seen[2] > 0) == (data == whole),
            "state lost",
            f"${one.seen[2]} after {len(data)} of {len(whole)} bytes",
        )


def a_gigabyte(one: Scenario) -> None:
    old = {"type": "user", "timestamp": moment(time.time() - 9e5), "message": {"content": "x"}}
    with open(one.transcript().path, "wb") as file:
        for at in range(0, LONG, 32 * 1024):  # a hole between each two lines
            file.seek(at)
            file.write(b"\n" + json.dumps(old).encode() + b"\n")
    path = str(one.transcript(tokens=1000, at=time.time() + 1).path)
    one.stops("hm", True, transcript_path=path)
    one.judge(one.seen[2] > 0, "state lost", "the last lines were not found")
    works(one, transcript_path=path)


def no_transcript(one: Scenario) -> None:
    os.mkfifo(pipe := one.beside / "pipe")
    for path in one.chance.sample(
        [str(one.here.root), str(pipe), "/dev/zero", "\0", "x" * 5000, "/dev/null"], 4
    ):
        edits(one)
        one.stops("hm", True, transcript_path=path)


def sends_malformed(one: Scenario) -> None:
    whole = json.dumps(stop_event(one.here, CLAIM)).encode()
    for data in (*BROKEN, whole[: one.chance.randrange(len(whole))], whole[::-1]):
        one.judge(not one.asks(data).prompt, "runaway", data[:50], "right stop")
    for name in (
        "session_id",
        "cwd",
        "transcript_path",
        "last_assistant_message",
        "hook_event_name",
    ):
        # A Stop of its own session counts, wherever it says that it is: it must not be idle.
        one.here.write({f"{name}.txt": "work\n"})
        one.asks(
            {
                **stop_event(one.here),
                name: one.chance.choice([None, 7, [], {}, one.chance.choice(HOSTILE)]),
            }
        )
    one.check_state()


def feeds_stdin(held: bool, part: float = 1.0, close: bool = False) -> Step:
    """A client that sends this part of its event, and then closes stdin after the rest of it, or does nothing at all."""

    def step(one: Scenario) -> None:
        data = json.dumps(stop_event(one.here, CLAIM)).encode()
        cut, (reader, writer) = int(len(data) * part * one.chance.uniform(part == 1, 1)), os.pipe()
        os.write(writer, data[:cut])
        for seconds, act in (
            ((0.3, lambda: os.write(writer, data[cut:])), (0.4, lambda: os.close(writer)))
            if close
            else ()
        ):
            threading.Timer(seconds, act).start()
        try:
            said = subprocess.run(RUN, stdin=reader, capture_output=True, timeout=30, check=False)
        except subprocess.TimeoutExpired as error:
            return one.judge(False, "runaway", f"trapped: {error}")
        one.judge(not said.stderr and said.returncode == 0, "crash", said.stderr)
        one.judge(
            (b'"block"' in said.stdout) == held,
            "premature stop" if held else "runaway",
            said.stdout,
            RIGHT[held],
        )
        return one.check_state()

    return step


def no_stdin(one: Scenario) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *RUN], capture_output=True, timeout=60, check=False
    )
    one.judge(
        (done.returncode, done.stdout, done.stderr) == (0, b"", b""), "crash", done, "right stop"
    )


TABLE = {
    "transcript missing": case(
        "proven",
        edits,
        hold(transcript_path="/gone/x.jsonl"),
        done,
        free(transcript_path="/gone/x.jsonl"),
    ),
    "transcript torn": case("running", tears_transcript),
    "transcript of a gigabyte": case("running", a_gigabyte),
    "transcript a pipe, a device, a folder": case("running", no_transcript),
    "stdin malformed": case("running", works, sends_malformed),
    "stdin huge": case(
        "proven", works, hold("x" * HUGE, more="x" * HUGE), done, free(more="x" * HUGE)
    ),
    "stdin slow": case("running", feeds_stdin(True, 0.9, close=True)),
    "stdin never closed": case("running", feeds_stdin(True)),
    "stdin cut short and never closed": case("running", feeds_stdin(False, 0.9)),
    "no stdin": case("running", no_stdin),
}
