"""The only place that runs a coding agent: in its own session and process group, no terminal.

Its output is read line by line, and timeouts end a turn that hangs.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress

from ..core.prompts.phrases import duration
from ..core.record import Record
from ..disk.programs import own_program, without_loader_lists
from ..sandbox.choose import CONTAINERS
from ..sandbox.inner_process import inner_process
from ..verify.credentials import PROXY_NAMES, has_secret_name, without_credentials
from .base import About, Agent, ProcessExit, TurnOutput, TurnRequest
from .pipes import Pipes, PolledPipes
from .process_guard import LeaseExpired, Process, ProcessGuard

TICK_SECONDS = 0.2  # how often the timeouts are checked
SUSPENDED_SECONDS = 2.0  # a longer time between two looks at the clock: we were suspended
WAKE_SECONDS = 1.0  # how long we then read the output before a timeout counts again
DRAIN_SECONDS = 1.0  # how long the output of a process that has exited is still read
ERROR_SECONDS = 1.0  # how long we wait for the end of its error output
START_LINE = b"" if sys.platform == "win32" else b"\n"  # see start_gate_argv


class TurnTimeouts(Record):
    """How long each part of a turn may take, in seconds."""

    start: float = 120  # until the first line
    idle: float = 900  # without a line, while no tool call is running
    tool: float = 3600  # without a line, while one is running
    turn: float = 3600  # in all
    exit_grace: float = 30  # without a line after a result, when no background work is left
    interrupt_grace: float = 3  # after SIGINT, to report its cost
    kill_grace: float = 5  # between SIGTERM and SIGKILL


class TurnCallbacks(Record):
    """What the caller wants to know of a running turn, and when it wants to stop it.

    `on_line` gets each line, `stop_reason` is asked at every tick ("": do not stop), `hold_group`
    gets the process group while it is alive, and `end_reason` is asked after each line.
    """

    on_line: Callable[[TurnOutput, str], None]
    stop_reason: Callable[[], str]
    hold_group: Callable[[int], AbstractContextManager[None]]
    end_reason: Callable[[TurnOutput], str] = lambda output: ""


def run_agent_process(
    agent: Agent,
    request: TurnRequest,
    root: str,
    env: Mapping[str, str],
    timeouts: TurnTimeouts,
    callbacks: TurnCallbacks,
    guard: ProcessGuard,
    launcher: tuple[str, ...] = (),
) -> TurnOutput:
    """Run one turn to its end and return its output. The whole process group ends with it.

    With a turn that is cut off, all ends that the agent started. `launcher` are the words of a
    program that starts the agent, such as a sandbox.
    """
    # The prompt may quote any output, so it may hold what cannot be passed to a process.
    prompt = request.prompt.replace("\0", "").encode("utf-8", "replace").decode()
    request = request.but(prompt=prompt)
    argv = launch_words(agent.command(request), launcher)
    env = without_loader_lists(dict(env), launcher)
    try:
        process = guard.start(
            [*start_gate_argv(argv, env), *argv],
            root,
            env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        return TurnOutput(failure=f"{agent.name} cannot be started: {error}", crashed=True)
    stdin = b"" if any(prompt in word for word in argv) else prompt.encode()
    pipes: Pipes | None = None
    try:
        with callbacks.hold_group(process.pid):
            pipes = _open_pipes(process, START_LINE + stdin)
            return _AgentProcess(process, pipes, agent, request, timeouts, callbacks).run()
    except BaseException:
        process.end(0.0)
        raise
    finally:
        if pipes:
            pipes.close()


def launch_words(command: tuple[str, ...], launcher: tuple[str, ...]) -> tuple[str, ...]:
    """The launcher and the command, with the path of its program: none of the agent's own takes
    its place. A container has other programs.
    """
    is_container = bool(launcher) and os.path.basename(launcher[0]) in CONTAINERS
    if is_container or os.path.dirname(command[0]):
        return (*launcher, *command)
    return (*launcher, own_program(command[0]) or command[0], *command[1:])


def start_gate_argv(argv: tuple[str, ...], env: Mapping[str, str]) -> tuple[str, ...]:
    """A shell that waits for a line from us before it becomes the agent.

    If we are killed before the process group is recorded, the agent never starts.
    """
    if sys.platform == "win32":
        return ()
    if shutil.which(argv[0], path=env.get("PATH")) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argv[0])
    return ("/bin/sh", "-c", 'read -r _ && exec "$@"', "sh")


def _open_pipes(process: Process, prompt: bytes) -> Pipes:
    if sys.platform == "win32":
        from .threaded_pipes import ThreadedPipes

        return ThreadedPipes(process, prompt)
    return PolledPipes(process, prompt)


class _AgentProcess:
    """One agent process, from its first line to its exit."""

    def __init__(
        self,
        process: Process,
        pipes: Pipes,
        agent: Agent,
        request: TurnRequest,
        timeouts: TurnTimeouts,
        callbacks: TurnCallbacks,
    ) -> None:
        self.process = process
        self.pipes = pipes
        self.agent = agent
        self.request = request
        self.timeouts = timeouts
        self.callbacks = callbacks
        self.started_at = self.last_line_at = self.looked_at = time.monotonic()
        self.woke_at = 0.0
        self.silent = True  # until the first line

    def run(self) -> TurnOutput:
        output, cut = self._read_output()
        if cut:
            output = self._interrupt_and_drain(output)
        code = self.process.end(self.timeouts.kill_grace, self.pipes.wait, everything=bool(cut))
        if self.process.is_expired:
            raise LeaseExpired
        stderr = self.pipes.read_errors(ERROR_SECONDS).decode("utf-8", "replace")
        return self.agent.judge(output, self.request, ProcessExit(code, stderr, cut, time.time()))

    def _read_output(self) -> tuple[TurnOutput, str]:
        """The output up to its end, or up to the reason to cut the turn, which is "" for none."""
        output, orphaned, ticked_at = TurnOutput(), False, 0.0
        while (line := self.pipes.next_line(TICK_SECONDS)) != b"":
            if line:
                output = self._read_line(output, line)
                if cut := self.callbacks.end_reason(output):
                    return output, cut
            now = time.monotonic()
            if line is None or now - ticked_at >= TICK_SECONDS:
                ticked_at = now
                if cut := self.callbacks.stop_reason() or self._overdue_reason(output):
                    return output, cut
            # An orphaned output is read for one more tick: its last lines may not be read yet.
            if self._lingers_after_result(output) or (line is None and orphaned):
                break
            orphaned = line is None and self._output_is_orphaned()
        return output, ""

    def _interrupt_and_drain(self, output: TurnOutput) -> TurnOutput:
        """After SIGINT the agent may still report what the turn cost."""
        if sys.platform == "win32":
            return output
        with suppress(ProcessLookupError):
            os.kill(inner_process(self.process.pid), signal.SIGINT)
        deadline = time.monotonic() + self.timeouts.interrupt_grace
        while time.monotonic() < deadline:
            line = self.pipes.next_line(TICK_SECONDS)
            if line == b"":
                break
            if line:
                output = self._read_line(output, line)
        return output

    def _read_line(self, output: TurnOutput, line: bytes) -> TurnOutput:
        self.last_line_at, self.silent = time.monotonic(), False
        text = line.decode("utf-8", "replace")
        output = self.agent.read(output, text, self.request)
        self.callbacks.on_line(output, text)
        return output

    def _overdue_reason(self, output: TurnOutput) -> str:
        """Which timeout has passed, in words; "" for none."""
        now = time.monotonic()
        if now - self.looked_at > SUSPENDED_SECONDS:
            self.woke_at = now
        self.looked_at = now
        # The agent may have ended while we were suspended: its output is read first.
        if self.woke_at and now - self.woke_at < WAKE_SECONDS:
            return ""
        quiet_seconds = now - self.last_line_at
        name, timeouts = self.agent.name, self.timeouts
        if now - self.started_at > timeouts.turn:
            return f"the turn took longer than {duration(timeouts.turn)}"
        if self.silent:
            if quiet_seconds > timeouts.start:
                return f"{name} hangs: it printed nothing for {duration(timeouts.start)}"
            return ""
        working = bool(output.open_tool_calls or output.background_tasks)
        if quiet_seconds > (timeouts.tool if working else timeouts.idle):
            tool = f" in {output.open_tool_calls[-1][1]}" if output.open_tool_calls else ""
            return f"{name} hangs: it printed nothing for {duration(quiet_seconds)}{tool}"
        return ""

    def _lingers_after_result(self, output: TurnOutput) -> bool:
        """Has it reported a result, nothing left to do, and still not exited?"""
        working = output.open_tool_calls or output.background_tasks
        quiet_seconds = time.monotonic() - self.last_line_at
        return bool(output.results and not working and quiet_seconds > self.timeouts.exit_grace)

    def _output_is_orphaned(self) -> bool:
        """Has it exited, while a process that it started holds its output open?"""
        quiet_seconds = time.monotonic() - self.last_line_at
        return quiet_seconds > DRAIN_SECONDS and self.process.has_exited()


Pairs = tuple[tuple[str, str], ...]  # names and values of variables

# Of the client's own variables these are the person's settings. All others describe the session
# that we may run in.
KEPT_VARIABLES = (
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_MAX_RETRIES",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
)


def child_environment(
    loop_id: str, about: About, passed: tuple[str, ...] = (), account: Pairs = ()
) -> dict[str, str]:
    """The variables for an agent: marked as our child, and without those of a session around us.

    The mark keeps our own hooks silent. With a session's variables it would look like a nested one.
    Of credentials it gets its own, and those that the person passes through. The variables of an
    account replace ours: with two keys the agent might work at the expense of the wrong account.
    """
    env = {
        name: value
        for name, value in os.environ.items()
        if (not name.startswith("CLAUDE") or name in KEPT_VARIABLES)
        and not (account and has_secret_name(name) and name not in passed)
    }
    env |= dict(account)
    own = tuple(prefix for prefix, switch in about.credentials if not switch or env.get(switch))
    kept = without_credentials(env, (*passed, *PROXY_NAMES, *dict(account)), own)
    return {**kept, "LOOP_CHILD": loop_id}
