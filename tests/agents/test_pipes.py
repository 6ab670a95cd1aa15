"""The pipes of an agent process, with and without threads."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from loopwright.agents import pipes
from loopwright.agents.pipes import Pipes, PolledPipes
from loopwright.agents.threaded_pipes import ThreadedPipes

Opened = Callable[..., tuple["subprocess.Popen[bytes]", Pipes]]


@pytest.fixture(params=[PolledPipes, ThreadedPipes])
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    """Opens the pipes of a Python program, both ways."""
    started = []

    def open_program(program: str, prompt: bytes = b"") -> tuple[subprocess.Popen[bytes], Pipes]:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", f"import os, sys, time\n{program}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        started.append((process, request.param(process, prompt)))
        return started[-1]

    yield open_program
    for process, opened_pipes in started:
        process.kill()
        process.wait()
        opened_pipes.close()


def all_lines(of: Pipes) -> list[bytes]:
    lines: list[bytes] = []
    while (line := of.next_line(10.0)) != b"":
        assert line is not None, f"no line came, after {len(lines)} lines"
        lines.append(line)
    return lines


def test_lines_come_whole_and_the_last_needs_no_end(opened: Opened) -> None:
    _, of = opened(
        "for part in ('on', 'e\\ntwo\\n\\nth', 'ree'): os.write(1, part.encode()); time.sleep(.05)"
    )
    assert all_lines(of) == [b"one\n", b"two\n", b"\n", b"three"]


def test_a_line_that_is_too_long_is_skipped(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipes, "MAX_LINE", 100_000)
    _, of = opened(
        "print('a' * 99_999); print('b' * 100_000); print('c'); print('d' * 300_000, end='')"
    )
    assert [(line[:1], len(line)) for line in all_lines(of)] == [(b"a", 100_000), (b"c", 2)]


def test_no_line_within_the_time_although_bytes_come(opened: Opened) -> None:
    _, of = opened("while True: os.write(1, b'x'); time.sleep(.001)")
    began = time.monotonic()
    assert of.next_line(0.2) is None
    assert time.monotonic() - began < 5


def test_a_prompt_larger_than_a_pipe_is_written_while_lines_are_read(opened: Opened) -> None:
    prompt = b"word " * 200_000
    _, of = opened("print('ready', flush=True); print(len(sys.stdin.buffer.read()))", prompt)
    assert all_lines(of) == [b"ready\n", b"%d\n" % len(prompt)]


def test_a_process_that_reads_no_prompt_is_read_to_its_end(opened: Opened) -> None:
    process, of = opened("os.close(0); print('done')", b"x" * 1_000_000)
    assert all_lines(of) == [b"done\n"]
    assert process.wait() == 0


def test_much_error_output_blocks_nobody_and_its_end_is_kept(opened: Opened) -> None:
    _, of = opened("sys.stderr.write('e' * 1_000_000 + 'last'); print('done')")
    assert all_lines(of) == [b"done\n"]
    errors = of.read_errors(5.0)
    assert errors.endswith(b"elast")
    assert len(errors) == pipes.MAX_STDERR


def test_errors_are_given_while_another_process_holds_them_open(opened: Opened) -> None:
    _, of = opened(
        "sys.stderr.write('wrong'); sys.stderr.flush()\nif os.fork() == 0: time.sleep(20)"
    )
    assert of.next_line(0.5) is None
    assert of.read_errors(0.3) == b"wrong"


def test_a_process_that_writes_much_can_end_while_we_wait() -> None:
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", "print('x' * 5_000_000)"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    of = PolledPipes(process, b"")
    deadline = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < deadline:
        of.wait(0.01)
    of.close()
    assert process.returncode == 0
