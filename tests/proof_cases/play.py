"""Plays cases through the real `loop start` and hook: `python -m tests.proof_cases.play [NAME...]`.

A NAME is part of the name of a case, of a family or of a project. Prints how each loop ended.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import loopwright
from tests.proof_cases.case import Case
from tests.proof_cases.catalogue import ALL
from tests.proof_cases.verify_cases import Place, missing_tools
from tests.support.hook import client_stdin

SOURCE = Path(loopwright.__file__).parent
SESSION = "718ac93d-0000-4000-8000-000000000001"
RUN_LOOP = (
    f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r}); "
    "from loopwright.cli.main import main; sys.exit(main(sys.argv[1:]))"
)
PROVEN_GRADES = ("proven", "proven-in-place")


class Played:
    """How the loop of one case ended."""

    def __init__(self, case: Case, end: dict[str, object], answer: str) -> None:
        self.case = case
        verdict = end.get("verdict") or {}
        assert isinstance(verdict, dict)
        self.grade = str(verdict.get("grade", "")) if end.get("status") == "finished" else ""
        self.proven = bool(verdict.get("proven")) and bool(self.grade)
        self.status = str(end.get("status", ""))
        self.why = str(verdict.get("why", ""))
        self.answer = answer

    @property
    def refuted(self) -> bool:
        return "claim refuted" in self.answer

    @property
    def is_right(self) -> bool:
        if "our own error" in f"{self.status} {self.answer}".lower():
            return False
        if self.case.expect == "impossible":
            return True
        if not self.case.honest:
            return not self.proven
        if self.case.expect == "proven":
            return self.proven
        return not self.refuted

    def __str__(self) -> str:
        word = self.grade if self.proven else f"{self.status} {self.grade}: {self.why}"
        mark = "ok " if self.is_right else "BAD"
        told = "" if self.is_right and not self.case.honest else self.answer[:300]
        return f"{mark} {self.case.family:14} {self.case.expect:10} {self.case.name}: {word} {told}"


def play(case: Case) -> Played:
    with tempfile.TemporaryDirectory(prefix="proof-", ignore_cleanup_errors=True) as root:
        place = Place(Path(root), case.start.path)
        try:
            return _play_in(place, case)
        finally:
            for line in case.after:
                place.run(line)


def _play_in(place: Place, case: Case) -> Played:
    place.environment["XDG_STATE_HOME"] = str(place.home / "state")
    place.begin(case.project, case.start)
    check = case.start.check or case.project.check
    spec = case.start.spec or case.project.spec
    words = ("--check", f"tests pass={check}", "--session", SESSION, "--yes", "--shape", "tool")
    words += ("--strength", "off")
    started = _loop(place, "start", spec, *words, *case.start.arguments)
    if started.returncode:
        end = {"status": f"not started: {started.stdout[-400:]} {started.stderr[-400:]}"}
        return Played(case, end, "")
    place.write(case.edits)
    for line in case.commands:
        place.run(line)
    _give_orders(place, case)
    answer = ""
    for _ in range(max(case.tries, 1)):
        answer = _stop(place, case.claim)
        if "decision" not in answer:
            break
        _give_orders(place, case)  # what a refuted claim has found can be accepted now
    facts = _loop(place, "status", "--json")
    end = json.loads(facts.stdout) if facts.stdout.startswith("{") else {"status": facts.stderr}
    return Played(case, end, answer)


def _loop(place: Place, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", RUN_LOOP, *words],
        cwd=place.folder,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def _give_orders(place: Place, case: Case) -> None:
    """Run the agent's own lines, with `loop` on its PATH and the marks of an agent."""
    if not case.orders:
        return
    program = place.home / "loop"
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c \'{RUN_LOOP}\' "$@"\n'.replace(
            "'" + str(SOURCE.parent) + "'", f'"{SOURCE.parent}"'
        )
    )
    program.chmod(0o755)
    facts = json.loads(_loop(place, "status", "--json").stdout or "{}")
    findings = facts.get("findings") or [{}]
    place.environment |= {
        "PATH": f"{place.home}{os.pathsep}{place.environment['PATH']}",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": SESSION,
        "CLAUDE_PID": str(os.getpid()),
        "AI_AGENT": "claude-code_agent",
    }
    for line in case.orders:
        place.run(
            line.replace("{session}", SESSION)
            .replace("{key}", str(findings[0].get("key", "00000000")))
            .replace("{loop}", str(facts.get("id", "")))
            .replace("{project}", str(place.folder))
        )
    for name in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID", "AI_AGENT"):
        place.environment.pop(name, None)


def _stop(place: Place, claim: str) -> str:
    event = {
        "hook_event_name": "Stop",
        "session_id": SESSION,
        "cwd": str(place.folder),
        "transcript_path": "",
        "last_assistant_message": claim,
    }
    # The client sends its events through a socket of its own process.
    with client_stdin(json.dumps(event).encode()) as stdin:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(SOURCE / "hook" / "__main__.py"), "claude"],
            stdin=stdin,
            cwd=place.folder,
            env={**place.environment, "CLAUDE_PID": str(os.getpid())},
            capture_output=True,
            text=True,
            check=False,
        )
    return done.stdout + done.stderr


def chosen(words: list[str]) -> list[Case]:
    def fits(case: Case) -> bool:
        texts = (case.name, case.family, case.project.name)
        return not words or any(word in text for word in words for text in texts)

    return [case for case in ALL if fits(case)]


def main(words: list[str]) -> int:
    bad = 0
    for case in chosen(words):
        if missing := missing_tools(f"{case.project.needs} {case.needs}"):
            print(f"--- {case.family:14} {case.name}: no {', '.join(missing)} here", flush=True)
            continue
        played = play(case)
        bad += not played.is_right
        print(played, flush=True)
    print(f"{bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
