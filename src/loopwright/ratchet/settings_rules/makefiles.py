"""Finds changes of makefiles that change how every recipe runs, or whether it runs at all."""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...checks.commands import MAKEFILE
from ...checks.reach import MAKEFILES, Reach
from ...core.findings import MEDIUM, Finding
from ..project import Project, new_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Variables of runners, interpreters and compilers that can turn tests off or lead them elsewhere.
RUNNER_VARIABLE = (
    r"(?:PYTEST_\w+|PYTHON(?:PATH|OPTIMIZE|STARTUP|HOME|INSPECT|WARNINGS)|NODE_(?:OPTIONS|PATH)"
    r"|RUSTFLAGS|RUSTC(?:_\w+)?|CARGO_(?:BUILD|TARGET)_\w+|GOFLAGS|LD_PRELOAD|LD_LIBRARY_PATH"
    r"|DYLD_\w+|BASH_ENV|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|VITEST\w*|JEST_\w+|TOX_\w+|NOX\w+|PATH)"
)
ASSIGNS_RUNNER_VARIABLE = re.compile(rf"(?:^|[\s;&\"'])(?:export\s+)?{RUNNER_VARIABLE}\s*[:?+]*=")
SHELL_VARIABLE = re.compile(r"(?:export\s+|override\s+|[\w.%-]+:\s*)?SHELL\s*[:?+]*=\s*(.*)")
KNOWN_SHELL = re.compile(r"(?:/usr)?(?:/local)?(?:/bin/)?(?:env )?(?:ba|z|da|k)?sh")
SHELL_FLAGS = re.compile(r"\.SHELLFLAGS\s*[:?+]*=\s*(.*)")
KNOWN_SHELL_FLAGS = re.compile(
    r"(?:-[eucxo]+|pipefail|errexit|nounset)(?:\s+(?:-[eucxo]+|pipefail|errexit|nounset))*"
)
MAKE_FLAGS = re.compile(r"(?:export\s+|override\s+)?(?:GNU)?MAKEFLAGS\s*[:?+]*=\s*(.*)")
RISKY_MAKE_FLAG = re.compile(
    r"(?:^|\s)-?[a-z]*[intqko][a-z]*(?=\s|$)|--(?:ignore|keep|just|dry|touch|question|eval|file)"
)
HARMLESS_MAKE_FLAG = re.compile(
    r"--(?:no-print-directory|warn\S*|silent|quiet|output-sync\S*|jobs\S*)"
    r"|--no-builtin\S*|-j\S*|-s|-r|-R"
)
IGNORES_ERRORS = re.compile(r"\.IGNORE\s*:")
# In one shell for a whole recipe only the last line counts, unless the shell ends at an error.
ONE_SHELL = re.compile(r"\.ONESHELL\s*:")
ENDS_AT_ERROR = re.compile(r"(?m)^[ \t]*\.SHELLFLAGS\s*[:?+]*=.*(?:-\w*e|\berrexit\b)")
PHONY = re.compile(r"^\.PHONY\s*:(.*)$", re.M)


def find(project: Project) -> Iterator[Finding]:
    """New variables and targets, a makefile that is read first, and goals that are files now."""
    for change in project.changes.values():
        name = posixpath.basename(change.path)
        if change.after is None:
            continue
        is_included = change.path in project.reach.files and bool(project.reach.entries)
        if MAKEFILE.fullmatch(name) or (is_included and name.endswith((".local", ".mk"))):
            if change.before is None and name in MAKEFILES:
                yield from _precedence_findings(project, change.path)
            yield from _variable_findings(change.path, change.before, change.after)
    yield from _goal_findings(project, project.reach, project.red_reach)


def _precedence_findings(files: Project, path: str) -> Iterator[Finding]:
    folder = posixpath.dirname(path)
    own_rank = MAKEFILES.index(posixpath.basename(path))
    for name in MAKEFILES[own_rank + 1 :]:
        hidden = posixpath.join(folder, name)
        if files.before(hidden) is not None:
            yield Finding(MEDIUM, "settings-take-precedence", path, before=hidden, after=path)
            return


def _variable_findings(path: str, before: str | None, after: str) -> Iterator[Finding]:
    is_strict = bool(ENDS_AT_ERROR.search(after))
    for number, line in new_lines(before, after):
        is_one_shell = bool(ONE_SHELL.match(line)) and not is_strict
        if is_one_shell or _changes_how_recipes_run(line):
            yield Finding(MEDIUM, "make-variable-changed", path, number, after=line[:200])


def _changes_how_recipes_run(line: str) -> bool:
    if match := SHELL_VARIABLE.match(line):
        return not KNOWN_SHELL.fullmatch(match[1].strip())
    if match := SHELL_FLAGS.match(line):
        return not KNOWN_SHELL_FLAGS.fullmatch(match[1].strip())
    if match := MAKE_FLAGS.match(line):
        return bool(RISKY_MAKE_FLAG.search(HARMLESS_MAKE_FLAG.sub("", match[1])))
    return bool(IGNORES_ERRORS.match(line) or ASSIGNS_RUNNER_VARIABLE.search(line))


def _goal_findings(files: Project, reach: Reach, red: Reach | None) -> Iterator[Finding]:
    """A goal of the check that make no longer runs: a file or a folder has its name."""
    for path, goal in reach.entries:
        text = files.now(path)
        if text is None or not MAKEFILE.fullmatch(posixpath.basename(path)):
            continue
        if goal in phony_goals(text):
            continue
        was_phony = goal in phony_goals(files.before(path) or "")
        own_path = posixpath.join(posixpath.dirname(path), goal)
        # A goal that failed at the start and needs nothing had no file of its name then.
        was_run = red and (path, goal) in red.entries and not _needs_of_goal(text, goal)
        is_there = was_run and any(_is_inside(name, own_path) for name in files.paths)
        if was_phony or is_there or _is_new(own_path, files):
            yield Finding(MEDIUM, "make-goal-is-a-file", own_path, before=f"make {goal}")


def _is_inside(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _is_new(place: str, files: Project) -> bool:
    """Is there a new file or a new folder of this name?"""
    changes = files.changes.values()
    new = [c.path for c in changes if c.before is None and c.after is not None]
    if not any(_is_inside(path, place) for path in new):
        return False
    return not any(_is_inside(path, place) for path in files.paths_before)


def _needs_of_goal(text: str, goal: str) -> bool:
    """Does the goal name others that may be newer than it? With `::` it is run anyway."""
    needs = re.search(rf"(?m)^{re.escape(goal)}[ \t]*(::?)(?!=)([^\n#]*)", text)
    return needs is None or needs[1] == "::" or bool(needs[2].partition(";")[0].strip())


def phony_goals(text: str) -> set[str]:
    return {goal for listed in PHONY.findall(text.replace("\\\n", " ")) for goal in listed.split()}
