"""A discovery loop in a project: started, its page as a person sees and edits it, and what an agent says after a cycle."""

from __future__ import annotations

from tests.support.hook import SESSION
from tests.support.project import Project

PAGE = ".claude/loop-state.local.md"
AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}


def start_discovery(here: Project, *words: str, at: str = "") -> Project:
    """The loop runs, and the session drives it."""
    said = here.run(
        "start", "--preset", "ui", "polish the settings page", "--session", SESSION, *words, at=at
    )
    assert said.code == 0, said.err
    return here


def cycle(done: str = "", found: str = "") -> str:
    """An answer that ends a cycle, as the agent is taught to end it."""
    rows = [f"done: {done}"] * bool(done) + [f"found: {found}"] * bool(found)
    return "\n".join(["I have a report.", "", "<cycle_complete>", *rows, "</cycle_complete>"])


def page(here: Project) -> str:
    return (here.root / PAGE).read_text(encoding="utf-8")


def section(here: Project, title: str) -> str:
    """What the page says under this heading."""
    return page(here).partition(f"## {title}\n")[2].partition("\n## ")[0].strip()


def edit(here: Project, old: str, new: str) -> None:
    """A person or an agent edits the page by hand."""
    assert page(here).count(old) == 1, page(here)
    here.write({PAGE: page(here).replace(old, new)})


def archives(here: Project) -> list[str]:
    """The pages of loops that have ended or paused."""
    place = here.root / ".claude/loop-history"
    return (
        [path.read_text(encoding="utf-8") for path in sorted(place.iterdir())]
        if place.exists()
        else []
    )
