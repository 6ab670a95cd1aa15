"""A loop, the real door and command line of it, and all that they said."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from loopwright.hook import answers, dispatch
from loopwright.hook.entry import find_roots, session_in_input
from tests.support.hook import SESSION, Transcript, says, stop_event
from tests.support.plan_projects import a_plan, a_task
from tests.support.project import Project

FAILS = "works=cat out.txt; exit 1"
SPEC = (
    "start",
    "mend the parser in parse.py",
    "--score",
    "9",
    "--yes",
    "--iterations",
    "50",
    "--criterion",
    "docs read well",
)
Make = Callable[..., Project]
KINDS: dict[str, tuple[str, ...]] = {
    "spec": (*SPEC, "--check", FAILS, "--must-not", "vendor changed"),
    "discovery": ("start", "--preset", "ui", "polish the page", "--check", FAILS),
    "plan": ("start", "--plan", "PLAN.md", "--yes"),
}
VIEWS = [
    "status",
    "status --json",
    "why",
    "why --json",
    "report",
    "receipt",
    "logs",
    "history",
    "history --json",
    "audit",
]
VIEWS += [
    "journal",
    "journal --json",
    "task get",
    "criteria",
    "check",
    "doctor",
    "doctor --json",
    "backlog",
    "backlog --json",
]
VIEWS += [
    "plan show",
    "plan lint",
    "plan lint --json",
    "plan show PLAN.md",
    "presets",
    "presets own",
    "presets --json",
]
VIEWS += [
    "statusline",
    "diff",
    "allow",
    "config",
    "claim --met nothing",
    "criteria --json",
    "answer x",
]


class AsciiTranscript(Transcript):
    """In ASCII: there are letters that no file can hold as they are."""

    def line(self, entry: Any, end: str = "\n") -> Transcript:
        return super().line(json.dumps(entry), end)


class World:
    """A loop of one kind, bound to a session, whose check fails whatever anybody says."""

    def __init__(self, here: Project, kind: str = "spec") -> None:
        self.here, self.kind, self.outputs, self.answers = (
            here,
            kind,
            list[str](),
            list[dict[str, Any]](),
        )
        here.write(
            {
                "out.txt": "1 failed\n",
                "PLAN.md": a_plan(a_task("01"), a_task("02"), musts=("it holds",)),
            }
        )
        said = here.run(*KINDS[kind], "--session", SESSION)
        assert said.code == 0, said.err
        self.transcript = AsciiTranscript(here.root.parent / "transcript.jsonl")

    # --- the door and the command line ---

    def hook(self, what: dict[str, Any]) -> dict[str, Any]:
        """The door with this event on stdin. It says one JSON object or nothing."""
        said = json.dumps(what, ensure_ascii=False).encode("utf-8", "surrogatepass")
        session, just_now = session_in_input(said), answers._seconds_since_boot
        with (
            patch.object(sys, "stdout", io.TextIOWrapper(io.BytesIO())) as out,
            patch.object(answers, "_process_started_at", just_now),  # as a process of its own
        ):
            dispatch.answer_event(said, ["claude"], lambda folder: find_roots(folder, session))
            text = out.buffer.getvalue().decode()
        self.outputs.append(text)
        self.answers.append(json.loads(text) if text else {})
        return self.answers[-1]

    def stops(self, text: str, **fields: Any) -> dict[str, Any]:
        self.transcript.assistant(says(text))
        return self.hook(
            stop_event(self.here, text, **{"transcript_path": str(self.transcript.path), **fields})
        )

    def run(self, *words: str, **env: str) -> str:
        said = self.here.run(*words, **env)
        self.outputs.append(said.out + said.err)
        return said.out

    def goes_on(self) -> None:
        """A person looks, and lets it go on."""
        loop = self.here.folder.read_loop()
        if loop and loop.status == "asking":
            self.run("answer", "yes")
        elif loop and loop.status == "paused":
            self.run("continue", "--budget=9", "--iterations=9", "--minutes=9", "--yes")

    def views(self) -> dict[str, str]:
        return {view: self.run(*view.split()) for view in VIEWS}

    def files(self) -> Iterator[Path]:
        """What we wrote of the loop. Not what somebody else wrote and we set aside, or keep a copy of."""
        theirs = {"aside", "backup", "page.md", "notes.md", "index", "objects", "start", "shape"}
        for path in (self.here.root / ".loop").rglob("*"):
            if path.is_file() and theirs.isdisjoint(path.parts):
                yield path


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))


def flat(text: str) -> str:
    """On one line, where the next line would be another thing that the agent itself says."""
    return text.replace("\r", " ").replace("\n", " ")


def argument(text: str) -> str:
    """As much as one may have."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()[:40_000]
