"""The program between a runner and an agent: it ends all that the agent has started.

It is a process of its own, so it works while the runner is frozen and after the runner is killed.
The kernel gives it every process below it whose parent has ended (a subreaper). So it knows all
that the agent started, also in another session or process group. Other systems than Linux have no
subreaper: there it ends the agent's process group.

It runs as a script, with Python's own modules only. `process_guard.py` is the runner's side, and
says what the lines mean.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # of prctl(2)
HAS_SUBREAPER = sys.platform == "linux"
HAS_WAITID = hasattr(os, "waitid")  # macOS has it since Python 3.13
# It counts the time in which the machine sleeps, where the system has such a clock.
CLOCK: int = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", 0))
TICK_SECONDS = 1.0  # between two looks at that clock: no wait ends earlier because of a sleep
GRACE_SECONDS = 0.2  # between SIGTERM and SIGKILL when the runner is gone
GIVE_UP_SECONDS = 5.0  # for processes that cannot be ended, such as those of another user
LOOK_SECONDS = 0.01
REAP_SECONDS = 0.05  # that killed processes need to end


class Supervisor:
    """One agent with all that it starts, and the line to its runner."""

    def __init__(self, control: int) -> None:
        self.control = control
        self.received = b""
        self.deadline = float("inf")
        self.agent = 0
        self.has_exited = False
        self.code: int | None = None  # once it is reaped
        self.is_left = False  # its group has ended, and something else has not
        self.is_done = False

    def run(self) -> None:
        wakeup = self._watch_children()
        if not self._start_agent():
            return
        poll = select.poll()
        for number in (self.control, wakeup):
            poll.register(number, select.POLLIN)
        while not self.is_done:
            if time.clock_gettime(CLOCK) >= self.deadline:
                self._end_everything(0.0)
                self._tell("expired")
                return
            ready = poll.poll(self._wait_milliseconds())
            if any(number == wakeup for number, _ in ready):
                os.read(wakeup, 4096)
                self._reap_children()
            if any(number == self.control for number, _ in ready):
                self._read_orders()

    def _wait_milliseconds(self) -> float | None:
        if self.deadline == float("inf"):
            return None
        left = self.deadline - time.clock_gettime(CLOCK)
        return max(0.0, min(left, TICK_SECONDS)) * 1000 + 1

    # --- The agent ---

    def _start_agent(self) -> bool:
        words, variables = self._read_start()
        if not words:
            return False
        if time.clock_gettime(CLOCK) >= self.deadline:  # the runner was frozen before this
            self._tell("expired")
            return False
        if HAS_SUBREAPER:
            call_prctl(PR_SET_CHILD_SUBREAPER, 1)
        own = os.getpid()
        failure_out, failure_in = os.pipe()
        self.agent = os.fork()
        if self.agent == 0:
            try:
                _become_agent(own, words, variables)
            except OSError as error:
                os.write(failure_in, b"%d" % (error.errno or 1))
            os._exit(127)
        os.close(failure_in)
        failure = os.read(failure_out, 16)  # empty once the agent's program has begun
        os.close(failure_out)
        _let_go_of_pipes()
        if failure:
            self._tell(f"failed {failure.decode('ascii')}")
            return False
        self._tell(f"started {self.agent}")
        return True

    def _read_start(self) -> tuple[list[bytes], list[bytes]]:
        """The words and the variables of the agent; none when the runner is gone."""
        while b"\n" not in self.received:
            if not self._receive():
                return [], []
        line, self.received = self.received.split(b"\n", 1)
        count, length, deadline = line.split()
        while len(self.received) < int(length):
            if not self._receive():
                return [], []
        blob, self.received = self.received[: int(length)], self.received[int(length) :]
        self.deadline = float(deadline)
        parts = blob.split(b"\0")
        return parts[: int(count)], parts[int(count) :]

    def _watch_children(self) -> int:
        """A pipe that is readable when a child has ended."""
        out, into = os.pipe()
        for number in (out, into):
            os.set_blocking(number, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(into, warn_on_full_buffer=False)
        return out

    def _reap_children(self) -> None:
        """Reap what has ended, but not the agent: its number stays that of its group."""
        if self.is_left:
            self.is_done = self._wait_for_children(0.0)
            return
        if HAS_WAITID:
            while (pid := _ended_child()) not in (0, self.agent):
                os.waitpid(pid, 0)
            has_exited = pid == self.agent
        else:  # without a subreaper it is the only child
            self._reap_agent(os.WNOHANG)
            has_exited = self.code is not None
        if has_exited and not self.has_exited:
            self.has_exited = True
            self._tell("exited")

    # --- Orders of the runner ---

    def _receive(self) -> bool:
        try:
            data = os.read(self.control, 65536)
        except OSError:
            data = b""
        self.received += data
        return bool(data)

    def _read_orders(self) -> None:
        if not self._receive():
            self._end_everything(GRACE_SECONDS)
            self.is_done = True
            return
        *lines, self.received = self.received.split(b"\n")
        for line in lines:
            order, _, value = line.partition(b" ")
            if order == b"until":
                self.deadline = float(value)
            elif order == b"terminate":
                self._signal_group(signal.SIGTERM)
            elif order == b"end-group":
                self._end_group()
            elif order == b"end-all":
                self._end_everything(0.0)
                self._tell_end()
            elif order == b"leave":
                self.is_done = True

    def _tell(self, line: str) -> None:
        try:
            os.write(self.control, f"{line}\n".encode("ascii"))
        except OSError:  # the runner is gone; the next look at its line says so
            pass

    def _tell_end(self) -> None:
        self._tell(f"ended {-signal.SIGKILL if self.code is None else self.code}")
        self.is_done = True

    # --- Ends ---

    def _end_group(self) -> None:
        self._signal_group(signal.SIGKILL)
        self._reap_agent(0)
        if self._wait_for_children(REAP_SECONDS):
            self._tell_end()
        else:
            self.is_left = True
            self._tell(f"left {self.code}")

    def _signal_group(self, number: int) -> None:
        if self.code is None or not HAS_WAITID:
            try:
                os.killpg(self.agent, number)
            except OSError:
                pass

    def _reap_agent(self, options: int) -> None:
        if self.code is None:
            pid, status = os.waitpid(self.agent, options)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)

    def _end_everything(self, grace: float) -> None:
        """SIGTERM to all that is below us, and SIGKILL to what is left after the grace."""
        if grace:
            self._signal_all(signal.SIGTERM)
            self._wait_for_children(grace)
        until = time.monotonic() + GIVE_UP_SECONDS
        while time.monotonic() < until:
            self._signal_all(signal.SIGKILL)
            if self._wait_for_children(LOOK_SECONDS):
                return

    def _signal_all(self, number: int) -> None:
        self._signal_group(number)
        for pid in descendants(os.getpid()):
            try:
                os.kill(pid, number)
            except OSError:  # it has just ended, or it is another user's
                pass

    def _wait_for_children(self, seconds: float) -> bool:
        """Whether none is left. Then nothing that the agent started is left: orphans are ours."""
        until = time.monotonic() + seconds
        while True:
            try:
                self._reap_agent(os.WNOHANG)
                while self.code is not None and os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return True
            if time.monotonic() >= until:
                return False
            time.sleep(0.002)


def call_prctl(option: int, value: int) -> None:
    import ctypes  # the runner imports this module too, and needs nothing of it

    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _become_agent(supervisor: int, words: list[bytes], variables: list[bytes]) -> None:
    """In the child: a session of its own, and the agent's program. It ends with its supervisor."""
    os.setsid()
    if HAS_SUBREAPER:
        call_prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != supervisor:
            os._exit(127)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
        signal.signal(number, signal.SIG_DFL)
    environment = dict(variable.split(b"=", 1) for variable in variables)
    os.execve(words[0], words, environment)


def _let_go_of_pipes() -> None:
    """Pipes and folder are the agent's: its output must end when it ends."""
    os.chdir("/")
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)


def _ended_child() -> int:
    """A child that has ended and is not reaped; 0 if all of them live."""
    found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return found.si_pid if found else 0


def descendants(root: int) -> list[int]:
    """All processes below this one, as /proc tells; empty on systems without it."""
    children: dict[int, list[int]] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    for name in names:
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError, ValueError):  # it has just ended
            continue
        children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


if __name__ == "__main__":
    number = int(sys.argv[1])
    os.set_inheritable(number, False)
    Supervisor(number).run()
