"""Finds product code that no longer takes part in a build, and so in no check of it.

A build constraint of Go, a condition of the preprocessor or a `cfg` of Rust leaves code out. A
compiler or a linter then has nothing to report in it. Conditions that hold on this system, and
those of another system for which a second file is there, are everyday work. A file may also move to
a folder of which a program of the checks says that it looks away.
"""

from __future__ import annotations

import posixpath
import sys

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ..surroundings import CODE_SUFFIXES, VENDORED_FOLDER, is_product_code
from .suppressions import STATIC_TOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...repo.baseline import Change
    from ..check_reach import Reach
    from ..project_files import ProjectFiles

SYSTEMS = frozenset(
    [
        *("aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js", "linux"),
        *("netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "macos"),
    ]
)
PROCESSORS = frozenset(
    ("386", "amd64", "arm", "arm64", "loong64", "mips", "ppc64", "ppc64le", "riscv64", "s390x")
)
# What holds wherever these checks run, as far as it can be told.
USUAL_TAGS = frozenset(("cgo", "gc", "unix", *PROCESSORS))
GO_CONSTRAINT = re.compile(r"//go:build (.+)|// \+build (.+)")
GO_PART = re.compile(r"[\w.]+|\|\||&&|[()!]")
GO_VERSION = re.compile(r"go1\.\d+")
PREPROCESSED = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".cs", ".swift", ".m")
NEVER_TRUE = re.compile(r"#\s*(?:if|elif)\s+(?:0|false|FALSE|defined\(0\))\s*(?:$|//|/\*|&&)")
ASKS_FOR_NAME = re.compile(r"#\s*(?:ifdef\s+(\w+)|if\s+(?:defined\s*\(?\s*)?([A-Za-z_]\w*)\)?\s*$)")
# Names that compilers, systems and build settings define.
DEFINED_ELSEWHERE = re.compile(
    r"__\w+|_\w+_?|[A-Z0-9]*(?:WIN(?:32|64)|DEBUG|RELEASE|LINUX|APPLE|UNIX|POSIX)\w*|HAVE_\w+"
    r"|CONFIG_\w+|USE_\w+|ENABLE_\w+|WITH_\w+|NET\d?\w*|UNITY_\w+|canImport|os|targetEnvironment"
)
# A definition of C that gives way to another one of the same name.
WEAK = re.compile(
    r"__attribute__\s*\(\(\s*(?:__)?weak(?:__)?\s*\)\)|\[\[gnu::weak\]\]|^\s*#\s*pragma\s+weak\b"
)
C_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*(?=\(|$)", re.M)
RUST_CONDITION = re.compile(r"#!?\[cfg(?:_attr)?\((.*)\)\]")
# Conditions of Rust that hold, or that are about real systems and ways to build.
RUST_WORD = re.compile(
    r"\b(?:test|unix|windows|debug_assertions|doc|doctest|miri|target_\w+|panic|proc_macro)\b"
)
RUST_FEATURE = re.compile(r'feature\s*=\s*"([\w-]+)"')
# A line of a tool or of its settings that names what the tool does not look at.
LOOKS_AWAY = re.compile(r"(?i)skip|exclud|ignor|omit|\bprune\b|\bcontinue\b|-not\b|--glob '!")
TOOL_SETTINGS = ("pyproject.toml", "setup.cfg", "tox.ini", "ruff.toml", ".flake8", "mypy.ini")
SAME_CODE = 0.6  # of the lines of a file that are in another one now
MIN_LINES = 3


def findings(files: ProjectFiles, reach: Reach) -> Iterator[Finding]:
    """The first such condition of each file of the product that was there before."""
    yield from _moved_out_of_sight(files, reach)
    for change in files.changes.values():
        number, reason = 0, ""
        if change.after is None:
            reason = _renamed_out_of_build(change, files)
        elif change.before is not None and is_product_code(change):
            number, reason = _leaving_line(change, files)
            if not reason and change.path.endswith(PREPROCESSED):
                number, reason = _weak_line(change, files)
        if reason:
            yield Finding(MEDIUM, "code-left-out", change.path, number, after=reason[:200])


def _moved_out_of_sight(files: ProjectFiles, reach: Reach) -> Iterator[Finding]:
    """Code that was elsewhere, in a folder at which the checks do not look."""
    new = [c for c in files.changes.values() if c.before is None and c.path.endswith(CODE_SUFFIXES)]
    for change in new:
        lines = _code_lines(change.after)
        if len(lines) < MIN_LINES:
            continue
        for other in files.changes.values():
            left = _code_lines(other.before) - _code_lines(other.after)
            is_moved = len(left & lines) >= max(MIN_LINES, SAME_CODE * len(lines))
            if is_moved and _is_out_of_sight(change.path, other.path, files, reach):
                rule = "code-left-out"
                yield Finding(MEDIUM, rule, change.path, before=other.path, after=change.path)
                break


def _code_lines(text: str | None) -> set[str]:
    lines = (line.strip() for line in (text or "").splitlines())
    return {line for line in lines if len(line) > MIN_LINES and not line.startswith(("#", "//"))}


def _is_out_of_sight(path: str, former: str, files: ProjectFiles, reach: Reach) -> bool:
    """Is it in a folder for the code of others, or in one that a tool of the checks leaves out?"""
    folders = {*posixpath.dirname(path).split("/")} - {*posixpath.dirname(former).split("/"), ""}
    has_tool = any(STATIC_TOOL.search(program) for program in reach.programs)
    if not folders or (has_tool and any(VENDORED_FOLDER.search(f"{word}/") for word in folders)):
        return bool(folders)
    named = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, folders))})(?![\w-])")
    texts = (files.before(name) or "" for name in (*reach.files, *(TOOL_SETTINGS * has_tool)))
    lines = (line for text in texts for line in text.splitlines())
    return any(LOOKS_AWAY.search(line) and named.search(line) for line in lines)


def _leaving_line(change: Change, files: ProjectFiles) -> tuple[int, str]:
    """Number and text of the first new line that leaves existing code out; 0 and "" if none."""
    known = {line.strip() for line in (change.before or "").splitlines()}
    lines = [line.strip() for line in (change.after or "").splitlines()]
    for number, line in enumerate(lines, 1):
        if line in known or line[:1] not in ("#", "/"):
            continue
        following = next((text for text in lines[number:] if text), "")
        if change.path.endswith(".go"):
            is_left_out = _is_go_left_out(line, change.path, files)
        elif following not in known:
            continue  # new code under a condition takes nothing away
        elif change.path.endswith(".rs"):
            is_left_out = _is_rust_left_out(line, files)
        else:
            is_left_out = change.path.endswith(PREPROCESSED) and _is_never(line, files)
        if is_left_out:
            return number, line
    return 0, ""


def _weak_line(change: Change, files: ProjectFiles) -> tuple[int, str]:
    """The first function that became weak while another file got one of the same name.

    A build that takes in both files has the other one; which builds do is not told here.
    """
    lines = (change.after or "").splitlines()
    known = {line.strip() for line in (change.before or "").splitlines()}
    for number, line in enumerate(lines, 1):
        if line.strip() in known or not WEAK.search(line):
            continue
        head = "\n".join(lines[number - 1 : number + 1])
        for name in C_NAME.findall(WEAK.sub("", head)):
            definition = re.compile(rf"(?m)^[\w \t*]*\b{name}\s*\([^;{{]*\{{")
            if not definition.search(change.before or ""):
                continue
            others = (c for c in files.changes.values() if c.path != change.path and c.after)
            for other in others:
                if definition.search(other.after or "") and is_product_code(other):
                    return number, line.strip()
    return 0, ""


def _is_go_left_out(line: str, path: str, files: ProjectFiles) -> bool:
    match = GO_CONSTRAINT.fullmatch(line)
    if not match:
        return False
    constraint = match[1] or _modern_form(match[2])
    if _Constraint(constraint).holds:
        return False
    tags = [part for part in GO_PART.findall(constraint) if part in SYSTEMS]
    return not _has_counterpart(tags, path, files)


def _modern_form(words: str) -> str:
    """`linux,cgo darwin` as `(linux && cgo) || (darwin)`."""
    return " || ".join(f"({word.replace(',', ' && ')})" for word in words.split())


class _Constraint:
    """A build constraint of go, and whether it holds on this system."""

    def __init__(self, text: str) -> None:
        self.parts = GO_PART.findall(text)
        self.holds = self._read_alternative()

    def _next_is(self, sign: str) -> bool:
        if self.parts[:1] != [sign]:
            return False
        self.parts.pop(0)
        return True

    def _read_alternative(self) -> bool:
        value = self._read_conjunction()
        while self._next_is("||"):
            value = self._read_conjunction() or value
        return value

    def _read_conjunction(self) -> bool:
        value = self._read_term()
        while self._next_is("&&"):
            value = self._read_term() and value
        return value

    def _read_term(self) -> bool:
        if self._next_is("!"):
            return not self._read_term()
        if self._next_is("("):
            value = self._read_alternative()
            self._next_is(")")
            return value
        tag = self.parts.pop(0) if self.parts else ""
        if tag in SYSTEMS:
            return sys.platform.startswith(tag)
        return tag in USUAL_TAGS or bool(GO_VERSION.fullmatch(tag))


def _has_counterpart(tags: list[str], path: str, files: ProjectFiles) -> bool:
    """Is there a new file beside it for the systems that this one leaves out?"""
    folder = posixpath.dirname(path)
    new = [c for c in files.changes.values() if c.before is None and c.after is not None]
    beside = [c for c in new if posixpath.dirname(c.path) == folder and c.path.endswith(".go")]
    return any(f"!{tag}" in (c.after or "") for c in beside for tag in tags)


def _renamed_out_of_build(change: Change, files: ProjectFiles) -> str:
    """The new name of a file of go, if go leaves files with such a name out."""
    if not change.path.endswith(".go") or change.path.endswith("_test.go"):
        return ""
    for other in files.changes.values():
        if other.before is None and other.after == change.before and other.path.endswith(".go"):
            name = posixpath.basename(other.path)
            parts = name.removesuffix(".go").split("_")[1:]
            is_elsewhere = any(part in SYSTEMS and part not in sys.platform for part in parts[-2:])
            if name[0] in "_." or is_elsewhere or "testdata/" in other.path:
                return other.path
    return ""


def _is_never(line: str, files: ProjectFiles) -> bool:
    """Does a condition of the preprocessor ask for something that nothing defines?"""
    if NEVER_TRUE.match(line):
        return True
    match = ASKS_FOR_NAME.match(line)
    name = (match[1] or match[2]) if match else ""
    if not name or DEFINED_ELSEWHERE.fullmatch(name):
        return False
    sets_name = re.compile(rf"#\s*define\s+{name}\b|[-/][Dd]\s*{name}\b|\b{name}\b\s*[;=\"<]")
    names = (*files.changes, *_build_files(files))
    return not any(sets_name.search(files.now(path) or "") for path in names)


def _build_files(files: ProjectFiles) -> list[str]:
    """Makefiles, projects and headers, which may define a name."""
    suffixes = (".mk", ".cmake", ".csproj", ".props", ".h", ".hh", ".hpp", "meson.build", ".in")
    names = ("Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "Package.swift")
    found = [p for p in files.paths if p.endswith(suffixes) or posixpath.basename(p) in names]
    return sorted(found)[:400]


def _is_rust_left_out(line: str, files: ProjectFiles) -> bool:
    match = RUST_CONDITION.match(line)
    if not match:
        return False
    if features := RUST_FEATURE.findall(match[1]):
        manifests = [path for path in files.paths if path.endswith("Cargo.toml")]
        text = "\n".join(files.now(path) or "" for path in manifests[:40])
        return not any(re.search(rf'default\s*=\s*\[[^\]]*"{f}"', text) for f in features)
    return not RUST_WORD.search(match[1])
