"""What a probe inside the sandbox could do: measured at the start of a run, kept in the journal."""

from __future__ import annotations

from ..record import Record

# What the probe tries. An attempt is blocked, or it succeeded; a probe that did not run says so.
WRITE_OUTSIDE, READ_STATE, SEE_PROCESSES = "write-outside", "read-state", "see-processes"
USE_NETWORK, REACH_SOCKETS = "use-network", "reach-sockets"
BLOCKED, SUCCEEDED, UNKNOWN = "blocked", "succeeded", "not measured"
# Without these there is no boundary. The network is one only where the person closed it.
BOUNDARY = (WRITE_OUTSIDE, READ_STATE, SEE_PROCESSES)
PHRASES = {
    WRITE_OUTSIDE: "writes outside the project",
    READ_STATE: "reads of the state folder",
    SEE_PROCESSES: "other processes",
    USE_NETWORK: "network",
    REACH_SOCKETS: "local sockets",
}


class SandboxReport(Record):
    """The sandbox of a run: what was asked for, and what the probe found."""

    backend: str
    results: tuple[tuple[str, str], ...] = ()  # attempt and outcome
    network: bool = True  # it is meant to be open
    why: str = ""  # why there is none, or why the probe did not run
    allow_read: tuple[str, ...] = ()  # what the person added
    allow_write: tuple[str, ...] = ()

    @property
    def is_enforced(self) -> bool:
        """Did the probe fail to cross every boundary that is meant to be there?"""
        results = dict(self.results)
        wanted = BOUNDARY if self.network else (*BOUNDARY, USE_NETWORK)
        return bool(results) and all(results.get(name) == BLOCKED for name in wanted)

    @property
    def hides_state(self) -> bool:
        """Were held-out checks out of reach?"""
        return dict(self.results).get(READ_STATE) == BLOCKED


def missing_boundary_text(report: SandboxReport | None) -> str:
    """What the person must know at the end of a run: that nothing held the agent in; or ""."""
    if report is None or report.is_enforced:
        return ""
    if report.backend == "off":
        return f"The agent worked without a sandbox ({report.why}): it could do what you may do."
    return f"The sandbox of the agent ({report.backend}) was not enforced. See: loop report"


def sandbox_text(report: SandboxReport | None) -> str:
    """The sandbox in one line, as the start line, the receipt and the report show it."""
    if report is None:
        return "none"
    if report.backend == "off":
        return f"none ({report.why}); the agent may do what you may do"
    if not report.results:
        return f"{report.backend}, not enforced: {report.why or 'the probe did not run'}"
    blocked = [PHRASES[name] for name, outcome in report.results if outcome == BLOCKED]
    passed = [PHRASES[name] for name, outcome in report.results if outcome != BLOCKED]
    word = "enforced" if report.is_enforced else "not enforced"
    parts = [f"{report.backend}, {word}"]
    parts += [f"blocked: {', '.join(blocked)}"] if blocked else []
    parts += [f"open: {', '.join(passed)}"] if passed else []
    parts += [f"you also let it write: {', '.join(report.allow_write)}"] * bool(report.allow_write)
    parts += [f"you also let it read: {', '.join(report.allow_read)}"] * bool(report.allow_read)
    return "; ".join(parts)
