"""Runs one check: in its own process group, with a timeout, bounded output and no credentials."""

from __future__ import annotations

import errno
import os
import secrets
import signal
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from types import FrameType

from .. import lazy_re as re
from ..core.criteria import Check, Evidence
from ..core.prompts.phrases import strip_escape_codes
from ..core.record import digest
from ..disk.files import sync_folder
from ..disk.programs import without_loader_lists
from ..disk.temporary import own_prefix
from . import process_groups
from .counts import (
    count_failures,
    failing_tests,
    reported_counts,
    summary_failures,
    sums_up_otherwise,
)
from .credentials import withheld_names, without_credentials
from .halting import TICK_SECONDS, CheckHalted, is_halted
from .redact import redact_text
from .shell import shell_command
from .test_report import (
    NOT_KEPT,
    TestReport,
    counts_by_name,
    read_report,
    rejects_report,
    report_variables,
    set_reports_aside,
    without_passed_tests,
)

KEPT_BYTES = 256 * 1024  # of output, from the end, where tools print their results
TAIL_CHARACTERS = 4_000  # of it that go into the journal
GRACE_SECONDS = 2.0
SIGTERM_GRACE_SECONDS = 0.2
CANNOT_RUN_CODES = (126, 127)
NO_PROCESS_ERRORS = (errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE)
# From the folder of the reports, in which the command must be able to write, to the words before
# the command. What is around it ends when the command has ended.
Launcher = Callable[[str], AbstractContextManager[tuple[str, ...]]]
NEGATED_COMMAND = re.compile(r"(?:^|[;&|(])\s*!\s")  # its exit code says the opposite of its tests


def run_check(
    check: Check,
    name: str,
    tree: str,
    root: str,
    loop_path: str,
    pass_env: tuple[str, ...] = (),
    feed: bytes = b"",
    aside: str = "",
    launcher: Launcher | None = None,
) -> Evidence:
    """Run the check on this tree; whatever goes wrong is a failing result with a reason.

    The check reads `feed` on stdin. Its log goes to the folder `aside` where it is not public.
    """
    environment = check_environment(pass_env)
    evidence, _ = run_with_report(
        check, name, tree, root, loop_path, environment, feed, aside, launcher
    )
    return evidence


def run_with_report(
    check: Check,
    name: str,
    tree: str,
    root: str,
    loop_path: str,
    environment: dict[str, str],
    feed: bytes = b"",
    aside: str = "",
    launcher: Launcher | None = None,
) -> tuple[Evidence, TestReport]:
    """Run the check in this environment; also returns the results of its single tests.

    `launcher` gives the words of a program that starts the command, such as a sandbox.
    """
    with tempfile.TemporaryDirectory(prefix=own_prefix("report")) as reports:
        variables = report_variables(check.command_line, environment, reports)
        places = (root, loop_path, aside)
        with launcher(reports) if launcher else nullcontext(()) as words:
            at_tick = partial(set_reports_aside, reports)
            launch = (environment | variables, feed, words, at_tick)
            evidence, text = _run_once(check, name, tree, places, *launch)
            if not evidence.passed and rejects_report(text):
                launch = (environment, feed, words, at_tick)
                evidence, text = _run_once(check, name, tree, places, *launch)
        report = read_report(reports, text)
    evidence = evidence.but(counts=counts_by_name(evidence.counts, report, text))
    if "tests" not in dict(evidence.counts):
        evidence = evidence.but(counts_unknown=report.is_complete or sums_up_otherwise(text))
    return _without_hidden_failures(evidence, check, report, text), report


def _without_hidden_failures(
    evidence: Evidence, check: Check, report: TestReport, text: str
) -> Evidence:
    """A run that exits 0 although its runner reports failures does not pass."""
    failures = len(report.failed) if report.is_complete else summary_failures(text)
    if not evidence.passed or not failures or NEGATED_COMMAND.search(check.command_line):
        return evidence
    names = ", ".join(report.failed_names[:5])
    note = f"exit 0, but the test runner reports failures ({failures}): {names}".rstrip(": ")
    return evidence.but(
        passed=False, outcome="hidden failures", detail=f"{note}\n{evidence.detail}"
    )


def _run_once(
    check: Check,
    name: str,
    tree: str,
    places: tuple[str, str, str],
    environment: dict[str, str],
    feed: bytes,
    launcher: tuple[str, ...],
    at_tick: Callable[[], None],
) -> tuple[Evidence, str]:
    """The evidence and the output of one run, during which `at_tick` is called now and then."""
    root, loop_path, aside = places
    began, at = time.monotonic(), time.time()
    stdin = _open_stdin(feed)
    mark = f"LOOP_CHECK={secrets.token_hex(8)}"
    try:
        process = _start_process(check, root, environment, stdin, mark, launcher)
    except OSError as error:
        if error.errno in NO_PROCESS_ERRORS:
            raise  # of the machine: it says nothing about the command
        missing = Evidence(
            criterion=name,
            passed=False,
            detail=f"cannot be run: {error}",
            tree=tree,
            at=at,
            outcome="missing",
            code=127,
        )
        return missing, ""
    finally:
        os.close(stdin)
    try:
        output = _OutputReader(process)
        with process_groups.record_group(loop_path, process.pid), _SigtermGuard(process.pid):
            code, outcome = _wait_for_end(process, check.timeout, at_tick)
            process_groups.kill_group(process.pid, GRACE_SECONDS)
            survivors = process_groups.end_marked_processes(mark, process.pid)
    finally:  # an interrupt leaves nothing behind either
        if process.returncode is None:
            process_groups.kill_group(process.pid, GRACE_SECONDS)
            process.wait()
    text = redact_text(strip_escape_codes(output.close()))
    for command in survivors:
        text += f"\n[ended, because it outlived the check: {redact_text(command)}]"
    if outcome == "timeout":
        text += f"\n[stopped after {check.timeout} s]"
    if code != 0:
        text += _withheld_note(environment, f"{check.command_line} {text}")
    evidence = Evidence(
        criterion=name,
        passed=code == 0,
        detail=without_passed_tests(text)[-TAIL_CHARACTERS:].strip(),
        tree=tree,
        seconds=round(time.monotonic() - began, 3),
        at=at,
        outcome=outcome,
        code=code,
        digest=output.digest(),
        log=_write_log(aside or loop_path, name, text),
        failures=count_failures(text),
        counts=reported_counts(text),
        failing=failing_tests(text) if check.frozen else (),
        sealed=digest(text.encode("utf-8", "replace")),
    )
    return evidence, text


def _withheld_note(environment: dict[str, str], text: str) -> str:
    """Say which variables that the text names are withheld from checks; "" for none."""
    names = withheld_names(os.environ, environment, text)
    if not names:
        return ""
    shown = ", ".join(names[:5])
    return f"\n[withheld from checks: {shown}; a person passes one with `--pass-env NAME`]"


def _start_process(
    check: Check,
    root: str,
    environment: dict[str, str],
    stdin: int,
    mark: str,
    launcher: tuple[str, ...],
) -> subprocess.Popen[bytes]:
    command = shell_command(check.command)
    if launcher:
        words = ("/bin/sh", "-c", command) if isinstance(command, str) else command
        command = (*launcher, *words)
    name, _, value = mark.partition("=")
    return subprocess.Popen(
        command,
        shell=isinstance(command, str),
        cwd=root,
        env={**without_loader_lists(environment, launcher), name: value},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        creationflags=process_groups.NEW_GROUP,
    )


def _wait_for_end(
    process: subprocess.Popen[bytes], timeout: float, at_tick: Callable[[], None]
) -> tuple[int | None, str]:
    """The exit code and the outcome. CheckHalted if a person halts the loop meanwhile."""
    deadline = time.monotonic() + timeout
    while True:
        seconds_left = max(0.0, deadline - time.monotonic())
        try:
            code = process.wait(timeout=min(seconds_left, TICK_SECONDS))
            return code, "missing" if code in CANNOT_RUN_CODES else "exit"
        except subprocess.TimeoutExpired:
            if not seconds_left:
                return None, "timeout"
        if is_halted():
            raise CheckHalted
        at_tick()


def _open_stdin(feed: bytes) -> int:
    """A temporary file to read from, so that no thread has to write to a pipe."""
    if not feed:
        return os.open(os.devnull, os.O_RDONLY)
    with tempfile.TemporaryFile() as file:
        file.write(feed)
        file.seek(0)
        return os.dup(file.fileno())


def check_environment(pass_env: tuple[str, ...] = ()) -> dict[str, str]:
    """Our environment without credentials, except names given with --pass-env."""
    return without_credentials(os.environ, pass_env)


class _OutputReader:
    """The end of what a process prints, read by a thread so that a full pipe never blocks it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        from hashlib import blake2b

        self._process, self._hash = process, blake2b(digest_size=16)
        self._chunks: deque[bytes] = deque()
        self._size = self._dropped = 0
        self._thread = threading.Thread(target=self._read_stdout, daemon=True)
        self._thread.start()

    def _read_stdout(self) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError), self._process.stdout:
            while chunk := self._process.stdout.read1(65536):  # type: ignore[attr-defined]
                self._hash.update(chunk)
                self._chunks.append(chunk)
                self._size += len(chunk)
                while self._size - len(self._chunks[0]) > KEPT_BYTES:
                    self._size -= len(self._chunks[0])
                    self._dropped += len(self._chunks.popleft())

    def close(self) -> str:
        """The text. A process that left the group may hold the pipe open; we do not wait for it."""
        self._thread.join(timeout=1.0)
        note = f"{NOT_KEPT}{self._dropped} bytes before this]\n" if self._dropped else ""
        text = b"".join(tuple(self._chunks)).decode("utf-8", "replace")
        return note + text.replace("\r\n", "\n")

    def digest(self) -> str:
        return self._hash.hexdigest()


class _SigtermGuard:
    """Ends the check's group when we get SIGTERM, with which the client kills slow hooks."""

    def __init__(self, group: int) -> None:
        self._group = group

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._previous_handler = signal.signal(signal.SIGTERM, self._end_group)

    def _end_group(self, number: int, frame: FrameType | None) -> None:
        process_groups.kill_group(self._group, SIGTERM_GRACE_SECONDS)
        if callable(self._previous_handler):  # the runner has its own
            self._previous_handler(number, frame)
        else:
            os._exit(128 + number)

    def __exit__(self, *_: object) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._previous_handler)


def _write_log(loop_path: str, name: str, text: str) -> str:
    """Write the output to a file under evidence/, named after the time and the criterion."""
    folder = os.path.join(loop_path, "evidence")
    if not os.path.isdir(loop_path):  # deleted while the check ran; we do not create it again
        return ""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "check"
    fd, log = _create_log_file(folder, slug)
    with open(fd, "wb") as file:
        file.write(text.encode("utf-8", "replace"))
        file.flush()
        os.fsync(fd)  # the journal names it, so a log emptied by a power cut would look edited
    sync_folder(folder)
    return f"evidence/{log}"


def _create_log_file(folder: str, slug: str) -> tuple[int, str]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    while True:
        seconds, microseconds = divmod(time.time_ns() // 1_000, 1_000_000)
        moment = time.strftime("%Y%m%d-%H%M%S", time.localtime(seconds))
        log = f"{moment}-{microseconds:06d}-{slug}.log"
        with suppress(FileExistsError):  # another check ended in the same microsecond
            return os.open(os.path.join(folder, log), flags, 0o600), log
