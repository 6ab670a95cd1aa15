"""What the benchmarks run in: projects with a loop, and transcripts of every size."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from unittest.mock import patch

from loopwright.core.loop import Clock, LoopSettings
from loopwright.core.proof.state import Baseline

# The loop starts here. The body of the transcript is before it, the last turn after it.
BEGAN = 1_750_000_000
CRITERION, OTHER_CRITERION = "the report reads well", "the totals are right"
PLAIN_WORDS = (
    "I moved the totals into a table of their own and looked at the page again. "
    "The headings still need work."
)
MIRRORS = (".loop/state.json", ".loop/page.md", ".claude/loop-state.local.md")
STATUS_BLOCK = (
    f"\n\n---LOOP_STATUS---\nEXIT_SIGNAL: false\nCRITERIA: "
    f'{{"{CRITERION}": false, "{OTHER_CRITERION}": false}}\n'
    "STUCK_COUNT: 0\nNEXT: rewrite the headings\n---END_STATUS---"
)


@dataclass
class Project:
    """A folder with a loop that never ends; `restore` resets it before every run."""

    root: Path
    transcript: Path
    text: str = PLAIN_WORDS
    edited: str = ""  # a file to change before every run
    # The mirrors, and our note of the journal's head outside the project.
    _mirrors: dict[Path, bytes] = field(default_factory=dict)
    _size: int = 0

    def keep(self) -> None:
        from loopwright.store.folder import LoopFolder

        paths = [
            *(self.root / name for name in MIRRORS),
            Path(LoopFolder(str(self.root)).note_path),
        ]
        self._mirrors = {path: path.read_bytes() for path in paths if path.exists()}
        journal = self.root / ".loop/journal.jsonl"
        self._size = journal.stat().st_size if journal.exists() else 0

    def restore(self) -> None:
        """Cut off the line of the last run, and sync: the next run pays only for its own line."""
        if self.edited:
            (self.root / self.edited).write_text(f"{time.time_ns()}\n")
        for path, data in self._mirrors.items():
            _write_synced(path, data)
        if self._size:
            for path in (self.root / ".loop/journal.jsonl", self._copy_of_journal()):
                _truncate_synced(path, self._size)

    def _copy_of_journal(self) -> Path:
        from loopwright.store.second_copy import copy_path

        return Path(copy_path(loop_id_of(str(self.root))))

    def stop_event(self) -> bytes:
        event = {
            "session_id": session_of(str(self.root)),
            "transcript_path": str(self.transcript),
            "cwd": str(self.root),
            "permission_mode": "acceptEdits",
            "hook_event_name": "Stop",
            "stop_hook_active": True,
            "last_assistant_message": self.text,
            "background_tasks": [],
            "session_crons": [],
        }
        return json.dumps(event, separators=(",", ":")).encode()


class World:
    """A copy of the sources, so that edits do not disturb a run; a HOME; and projects."""

    def __init__(self, source: Path) -> None:
        self.base = Path(os.path.realpath(tempfile.mkdtemp(prefix="loopwright-bench-")))
        self.src = self.base / "src"
        self.cache = Path(tempfile.gettempdir()) / "loopwright-bench-transcripts"
        shutil.copytree(
            source / "loopwright",
            self.src / "loopwright",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        for folder in (self.base / "home", self.base / "state", self.cache):
            folder.mkdir(exist_ok=True)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.base / "home"),
            "XDG_STATE_HOME": str(self.base / "state"),
        }
        os.environ.update(self.env)  # the store keeps the owner of a loop in the state folder
        sys.path.insert(0, str(self.src))

    def remove(self) -> None:
        shutil.rmtree(self.base)

    def folder(self, name: str, files: int = 10, git: bool = False) -> Path:
        root = self.base / "projects" / name
        for number in range(files):
            path = root / f"part{number // 100}" / f"file{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"def answer_{number}():\n    return {number}\n" * 5)
            # Else the files are as new as git's index, and git reads them all every time.
            os.utime(path, (BEGAN, BEGAN))
        if git:
            who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
            for line in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "all")):
                subprocess.run(["git", "-C", str(root), *line], check=True, env=self.env)
        return root

    def project(
        self,
        root: Path,
        transcript: Path,
        text: str = PLAIN_WORDS,
        moves: int = 9,
        edited: str = "",
        improving: bool = False,
    ) -> Project:
        """A project whose journal has one line for the start and one for each move."""
        with patch("os.fsync"):
            _create_loop(
                str(root),
                str(transcript),
                transcript.stat().st_size - len(_last_turn(text)),
                moves,
                improving,
                bool(edited),
            )
        project = Project(root, transcript, text, edited)
        project.keep()
        return project

    def transcript(self, size: int, text: str = PLAIN_WORDS) -> Path:
        """A transcript of about this size that ends with a whole turn; it is kept between runs."""
        path = self.cache / f"{size}{'-block' if text != PLAIN_WORDS else ''}.jsonl"
        if not path.exists():
            draft = path.with_suffix(".tmp")
            with open(draft, "wb") as file:
                _write_body(file, size - len(_last_turn(text)))
                file.write(_last_turn(text))
            draft.rename(path)
        return path


def session_of(root: str) -> str:
    """The session that holds the loop of this project: each session holds one loop."""
    return f"bench-{os.path.basename(root)}"


def loop_id_of(root: str) -> str:
    """Loops have different ids: the second copy of a journal is a file with the id as its name."""
    return f"20250615-120000-{os.path.basename(root)}"


def _create_loop(
    root: str, transcript: str, size: int, moves: int, improving: bool, kept: bool
) -> None:
    """Create a loop with some moves; without moves it has not read the transcript yet."""
    from loopwright.core.criteria import Criterion
    from loopwright.core.engine import advance
    from loopwright.core.limits import Cursor, Limits
    from loopwright.core.loop import Lease, Loop, Step
    from loopwright.core.prices import PRICES
    from loopwright.core.signals import ToolOutcome, TurnOver
    from loopwright.store.create import create_loop
    from loopwright.store.folder import LoopFolder

    never = 10**9
    loop = Loop(
        loop_id_of(root),
        "Write the monthly report page, so that the report reads well and the totals are right",
        criteria=(Criterion(CRITERION), Criterion(OTHER_CRITERION)),
        steps=tuple(Step(name) for name in ("collect", "write", "polish")),
        limits=Limits(*(never for _ in Limits.FIELDS)),
        lease=Lease(session_of(root)),
        settings=LoopSettings(prices=PRICES),
        clock=Clock(started_at=float(BEGAN), running_since=float(BEGAN)),
        # With a baseline, every new tree is kept.
        baseline=Baseline(tree_id="the tree of the start" if kept else ""),
    )
    if improving:
        from loopwright.core.discovery.backlog import EXPLOITATION, Backlog

        items = tuple(f"number {n} of the report's rough edges" for n in range(20))
        backlog = Backlog(
            "docs", ("read one page aloud", "run one example"), items=items, mode=EXPLOITATION
        )
        loop = loop.but(policy="discovery", backlog=backlog, criteria=(), steps=())
    folder = LoopFolder(root)
    create_loop(folder, loop)
    with folder.locked() as book:
        for number in range(moves):
            at, offset = BEGAN + number / 1000, size * (number + 1) // moves
            cursor = Cursor(transcript, offset, f"msg_{number}", 0.01)
            turn = TurnOver(
                at,
                session_of(root),
                text=PLAIN_WORDS,
                tree=f"{number:032x}",
                transcript=transcript,
                dollars=0.01,
                cursors=(cursor,),
                tool_outcomes=(ToolOutcome("Edit report.py"), ToolOutcome("Bash make page")),
                tool_calls=2,
            )
            book.commit(advance(book.loop, turn), turn)


def _write_body(file: BinaryIO, size: int) -> None:
    """Write lines of about a kilobyte; the newest is a minute older than the loop."""
    talk = (
        "The page lists every account with its opening and closing balance, and the totals below. "
        * 6
    )
    line = _entry("assistant", "@stamp@", "msg_@number@", [{"type": "text", "text": talk}])
    count = max(0, size) // (len(line) + 14)
    stamped, stamp = -1, b""
    for number in range(count):
        second = BEGAN - 60 - (count - number) // 8
        if second != stamped:
            stamped, stamp = second, _stamp(second)
        file.write(line.replace(b"@stamp@", stamp).replace(b"@number@", b"%08d" % number))


def _last_turn(text: str) -> bytes:
    """The lines of a turn: an edit, a command, their results, the answer."""
    change = {
        "file_path": "/w/report.py",
        "old_string": "x = 0\n" * 40,
        "new_string": "x = 1\n" * 40,
    }
    edit = {"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": change}
    make = {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": {"command": "make page"}}
    results = [
        {
            "type": "tool_result",
            "tool_use_id": f"toolu_{n}",
            "content": "done, nothing to report. " * 40,
        }
        for n in (1, 2)
    ]
    rows = [
        ("assistant", "msg_a", edit),
        ("user", "", results[0]),
        ("assistant", "msg_b", make),
        ("user", "", results[1]),
    ]
    answer = ({"type": "thinking", "thinking": "hm " * 100}, {"type": "text", "text": text})
    rows += [("assistant", "msg_c", block) for block in answer]
    return b"".join(
        _entry(who, _stamp(BEGAN + 60 + n).decode(), name, [block])
        for n, (who, name, block) in enumerate(rows)
    )


def _entry(who: str, stamp: str, name: str, content: list[dict]) -> bytes:
    made = {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 900}
    usage = {
        "input_tokens": 12,
        "cache_creation_input_tokens": 900,
        "cache_read_input_tokens": 52000,
        "output_tokens": 310,
    }
    message = {"role": who, "content": content}
    if who == "assistant":
        message |= {
            "id": name,
            "model": "claude-opus-5-5",
            "usage": {**usage, "cache_creation": made},
        }
    line = {
        "type": who,
        "message": message,
        "isSidechain": False,
        "version": "2.1.240",
        "timestamp": stamp,
    }
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _stamp(second: float) -> bytes:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(second)).encode()


def _truncate_synced(path: Path, size: int) -> None:
    if path.exists() and path.stat().st_size > size:
        with open(path, "r+b") as file:
            file.truncate(size)
            os.fsync(file.fileno())


def _write_synced(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
