"""Measure `loop serve` with many loops and a long journal, in a real browser.

python bench/dashboard.py [--loops N] [--lines N] [--times N]

First paint is the browser's own figure (first contentful paint). "Line to screen" is the time from
the moment when a line is in the journal until its entry is in the page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "src")]

from tests.browser.machine import PlayedLoop, a_spec  # noqa: E402

from loopwright.core import events as ev  # noqa: E402
from loopwright.core.criteria import Evidence  # noqa: E402
from loopwright.core.loop import Clock, Loop  # noqa: E402
from loopwright.core.record import Record, digest  # noqa: E402
from loopwright.core.signals import Ordered  # noqa: E402
from loopwright.store import journal  # noqa: E402
from loopwright.store.archive import write_seal  # noqa: E402
from loopwright.store.create import note_ownership, prepare_folder  # noqa: E402
from loopwright.store.folder import LoopFolder  # noqa: E402
from loopwright.store.loop_reader import LoopReader  # noqa: E402

LOOPS_PER_PROJECT = 50


def write_journal(path: Path, loop: Loop, moves: Iterator[tuple[Record, ...]]) -> journal.Tail:
    """A journal with these moves, written at once."""
    tail, rows = None, []
    first: tuple[Record, ...] = (ev.LoopStarted(loop),)
    for events in (first, *moves):
        for event in events:
            loop = loop if isinstance(event, ev.LoopStarted) else event.apply(loop)
        data = journal.encode_move(tail, loop, events, "m", loop.clock.started_at, "s")
        rows.append(data)
        seq = tail.seq + 1 if tail else 1
        tail = journal.Tail(loop, seq, digest(data[:-1]), "", "", 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(rows))
    assert tail is not None
    return tail


def make_ended_loops(folder: Path, count: int) -> None:
    for number in range(count):
        root = folder / f"project-{number // LOOPS_PER_PROJECT}"
        loop_id = f"20261101-{number:06d}-aaaaaa"
        clock = Clock(started_at=time.time() - 1e6 + number)
        loop = a_spec(loop_id, f"Task {number}: tidy up", ("tests pass", "pytest -q"), clock=clock)
        place = LoopFolder(str(root))
        path = root / ".loop/history" / loop_id / "journal.jsonl"
        tail = write_journal(path, loop, iter([(ev.LoopCancelled(loop.clock.started_at + 9),)]))
        write_seal(place.real_root, loop_id, tail)
        if number % LOOPS_PER_PROJECT == 0:
            note_ownership(place, loop_id, tail.head)


def long_moves(count: int) -> Iterator[tuple[Record, ...]]:
    for number in range(count // 2):
        yield (ev.TurnEnded(float(number), f"tree-{number}", dollars=0.001),)
        failures = 100 - number * 100 // (count // 2)
        evidence = Evidence(
            "tests pass", False, tree=f"tree-{number}", failures=failures, code=1, detail="x" * 300
        )
        yield (ev.CheckRan(evidence),)


def make_long_loop(root: Path, lines: int) -> PlayedLoop:
    loop = a_spec("20261116-000000-abcdef", "The long one", ("tests pass", "pytest -q"))
    played = PlayedLoop(root, loop)
    path = Path(played.folder.journal_path)
    path.unlink()
    prepare_folder(played.folder)
    tail = write_journal(path, loop, long_moves(lines))
    note_ownership(played.folder, loop.id, tail.head)
    return played


@contextmanager
def serving() -> Iterator[tuple[str, int]]:
    """The address of the real command, and its process."""
    argv = [sys.executable, "-u", "-m", "loopwright.cli.main", "serve"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        assert found is not None
        try:
            yield found[0], process.pid
        finally:
            process.terminate()


def wait_until_read(page: Any) -> None:
    page.wait_for_function("async () => !(await (await fetch('/api/loops')).json()).unread")


PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
ROWS = "() => document.querySelectorAll('.row').length || document.querySelector('.empty p')"


def first_paints(browser: Any, times: int) -> list[float]:
    """First contentful paint of the board, each time in a new context."""
    paints = []
    with serving() as (url, _):
        for number in range(times + 1):
            page = browser.new_context().new_page()
            page.goto(url)
            page.wait_for_url("**/")
            page.wait_for_function(ROWS)
            if number == 0:
                wait_until_read(page)  # a server that has just begun is measured by nobody
            else:
                page.reload()
                page.wait_for_function(ROWS)
                paints.append(page.evaluate(PAINT))
            page.context.close()
    return paints


def until_seen(page: Any, words: str, act: Callable[[], object]) -> float:
    """Milliseconds from the end of `act` until the words are in the timeline."""
    page.evaluate(
        """(words) => { window.seen = new Promise((done) => {
            const list = document.querySelector(".timeline");
            const look = () => list.textContent.includes(words) && done(Date.now());
            new MutationObserver(look).observe(list, {childList: true, subtree: true});
        }); }""",
        words,
    )
    act()
    written = time.time() * 1000
    return float(page.evaluate("() => window.seen")) - written


def line_to_screen(browser: Any, played: PlayedLoop, times: int) -> dict[str, Any]:
    with serving() as (url, pid):
        page = browser.new_context().new_page()
        page.goto(url)
        page.wait_for_url("**/")
        page.locator("a.row-link", has_text="The long one").first.wait_for()
        began = time.perf_counter()
        page.goto(f"{url.partition('?')[0]}loop/20261116-000000-abcdef")
        page.locator(".timeline li").first.wait_for()
        opened = (time.perf_counter() - began) * 1000
        page.wait_for_function("() => !document.body.textContent.includes('still being read')")
        complete = (time.perf_counter() - began) * 1000
        delays = []
        for number in range(times):
            order = Ordered(0.0, "steer", reason=f"word {number}")
            words = f"The person says: word {number}"
            delays.append(until_seen(page, words, lambda told=order: played.tell(told)))
        megabytes = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6
        page.context.close()
    return {"opened": opened, "complete": complete, "delays": delays, "megabytes": megabytes}


def idle_share(seconds: float = 5.0) -> float:
    """The share of a core that the server uses while nothing happens."""
    with serving() as (_, pid):
        time.sleep(3)

        def used() -> float:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        before = used()
        time.sleep(seconds)
        return (used() - before) / seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--loops", type=int, default=1_000)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=7)
    args = parser.parse_args()
    program = shutil.which("chromium")
    if program is None:
        print("no Chromium here: apt-get install chromium fonts-noto-color-emoji")
        return 0
    from playwright.sync_api import sync_playwright

    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as place, sync_playwright() as playwright:
        os.environ |= {"HOME": f"{place}/home", "XDG_STATE_HOME": f"{place}/empty"}
        Path(place, "home").mkdir()
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        empty = first_paints(browser, args.times)
        os.environ["XDG_STATE_HOME"] = f"{place}/full"
        make_ended_loops(Path(place), args.loops)
        full = first_paints(browser, args.times)
        idle = idle_share()
        played = make_long_loop(Path(place, "long"), args.lines)
        long = line_to_screen(browser, played, args.times * 3)
        began, reader = time.perf_counter(), LoopReader()
        while reader.read_more(played.folder.journal_path):
            pass
        read = time.perf_counter() - began
        browser.close()
    print(json.dumps({"empty": empty, "full": full, "delays": long["delays"]}), file=sys.stderr)
    delays = sorted(long["delays"])
    rows = [
        ("first paint, empty board", f"{median(empty):.0f} ms"),
        (f"first paint, {args.loops} loops", f"{median(full):.0f} ms"),
        ("the same, as a multiple", f"{median(full) / median(empty):.2f}x"),
        (f"a loop of {args.lines} lines: its page", f"{long['opened']:.0f} ms"),
        ("its whole history is drawn", f"{long['complete']:.0f} ms"),
        ("its whole history read, without a browser", f"{read * 1000:.0f} ms"),
        ("a line of it on screen, median", f"{median(delays):.0f} ms"),
        ("a line of it on screen, slowest", f"{delays[-1]:.0f} ms"),
        ("memory of the server", f"{long['megabytes']:.0f} MB"),
        (f"an idle server with {args.loops} loops", f"{idle * 100:.1f} % of a core"),
    ]
    print("| what | measured |\n|---|--:|")
    for name, value in rows:
        print(f"| {name} | {value} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
