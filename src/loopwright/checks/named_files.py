"""Which changed files are the work that the person asked for, and which decide the result.

A file is the work if the spec names it, or if a check hands it to something else that judges it.
Tests stay tests. What a check runs for its exit code, and what a runner loads to decide how to
measure, decides the result: to change it is a question for the person, never a refusal.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from functools import cached_property
from itertools import pairwise

from .. import lazy_re as re
from ..core.findings import HIGH, LOW, MEDIUM
from .code_files import CODE_SUFFIXES
from .commands import CHECK_NAME
from .settings_files import CI_FILE, ELSEWHERE_FILE, is_settings_file
from .surroundings import (
    HOOK,
    SCRIPT,
    SETTINGS,
    SHADOW,
    VENDORED_FOLDER,
    surrounding_kind,
)
from .test_files import kind_in_tests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from ..core.findings import Finding

WORK, DECIDES = "work", "decides"
# A clause that only says what must stay as it is names nothing to be changed.
KEPT_CLAUSE = re.compile(
    r"(?i)\b(?:do not|don't|never|must not|should not|shouldn't|without|not to) "
    r"(?:chang|touch|edit|modif|alter)[^.,;\n]*(?:\.\w[^.,;\n]*)*"
    r"|\b(?:leave|keep) [^.,;\n]*(?:\.\w[^.,;\n]*)*?(?: as (?:it is|they are|is)| alone"
    r"| unchanged| untouched)\b"
    r"|[^\s,;]*[^\s,;.] (?:itself )?(?:should|must|shall|does) not change\b"
)
PATH_WORD = re.compile(r"[\w@+./-]*\w")
# A file of data that the spec calls by its stem: "put the page in the nav" is about `nav.txt`.
ADDED_TO = re.compile(
    r"(?i)\b(?:add|append|enter|include|insert|list|put|register)\b[^.;:\n]*?"
    r"\b(?:in|into|to) the ([\w-]+)(?![\w-]*\.\w)"
)
REMOVAL_REQUEST = re.compile(r"(?i)\b(?:renam|remov|delet|replac|drop|relocat|mov(?:e[sd]?|ing)\b)")
REMOVAL_WITH_TESTS = re.compile(r"(?i)\b(?:remov|delet|replac|drop)")
TEST_REMOVAL = re.compile(r"(?i)\b(?:remov|delet|drop)\w*\s+(?:\w[\w.]*(?<!\.)\s+){0,4}tests?\b")
MORE_TESTS = re.compile(
    r"(?i)\b(?:add|writ|creat|extend|improv|rais|increas|cover|complet)\w*\s+(?:\S+\s+){0,6}?"
    r"\S*(?:tests?|coverage)\b|\bno tests\b"
)
OTHER_TESTS = re.compile(
    r"(?i)\b(?:convert|port|mov|rewrit|speed|migrat)\w*\s+(?:\S+\s+){0,6}?\S*tests?\b"
    r"|\btests?\b[^\n]*\b(?:slow\w*|fast\w*|seconds?)\b"
)
PRONOUN = re.compile(r"(?i)\b(?:it|its|they|them|their|both|this|these)\b")
FILE_REMOVAL = re.compile(r"(?i)\b(?:remov|delet|drop)")
SENTENCE_END = re.compile(r"[.!?](?=\s)")
QUOTED_TEXT = re.compile(r"([`\"'])([^`\"'\n]{6,}?)\1")
SHORT_QUOTED = re.compile(r"(?P<mark>[`\"'])(?P<text>[^`\"'\n]{1,60})(?P=mark)")
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b|<\w+>|\{\w+\}")
LONG_WORD = re.compile(r"\w{5,}")
NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
TOKEN = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|[\w.]+|[^\w\s,]")  # commas are a matter of layout
# Of such words and signs: strings, numbers, brackets, constants, and a name with a colon behind it.
LITERAL_MEMBERS = re.compile(
    r"\"[^\"\n]*\"|'[^'\n]*'|-?\d[\d.]*|[{}\[\]:]|\w+(?= :)"
    r"|\b(?:True|False|None|true|false|null|undefined|nil)\b"
)
LITERAL = re.compile(r"'[^'\n]+'|\"[^\"\n]+\"|(?<![\w.])\d+(?:\.\d+)?(?!\w)")
MAX_COMPARED = 3_000  # lines or words; difflib is slow beyond
SHORT_TEXT = 5  # characters that say nothing of what a spec asks for
FILE_SUFFIX = re.compile(r"\.[a-zA-Z]\w*$")
MAKEFILE = re.compile(r"(?i)(?:gnu)?makefile$|\.mk$|\.?justfile$")


class NamedFiles:
    """The files that a spec and the commands of its checks name.

    `programs` are the files that the checks run; `list_files` gives those of the start.
    """

    def __init__(
        self,
        spec: str,
        commands: Iterable[str | tuple[str, ...]],
        programs: frozenset[str],
        list_files: Callable[[], Collection[str]],
    ) -> None:
        texts = [line if isinstance(line, str) else " ".join(line) for line in commands]
        asked = KEPT_CLAUSE.sub(" ", spec)
        self.in_spec = path_words(asked)
        self.added_to = {stem.lower() for stem in ADDED_TO.findall(asked)}
        self.in_commands = path_words("\n".join(texts))
        self.programs = programs
        self.list_files = list_files

    def role(self, path: str, kind: str) -> str:
        """WORK, DECIDES or "" (as any other file) of a changed file of this surrounding kind."""
        is_test = kind != SETTINGS and kind_in_tests(path)  # a workflow may be called tests.yml
        if kind in (HOOK, SHADOW) or is_test or VENDORED_FOLDER.search(path):
            return ""
        in_spec = self._is_in_spec(path)
        if path in self.programs:  # what is product and the exit code of the check
            return DECIDES if in_spec or not CHECK_NAME.search(path) else ""
        if not in_spec and path not in self.in_commands:
            return ""
        if kind == SETTINGS:
            runs_elsewhere = CI_FILE.search(path) or ELSEWHERE_FILE.search(path)
            return WORK if runs_elsewhere else DECIDES
        if kind == SCRIPT:
            # A new one may be the product itself: `check-env.sh` for those who deploy.
            decides = MAKEFILE.search(path) or (CHECK_NAME.search(path) and path in self._files)
            return DECIDES if decides else WORK
        return WORK if kind or not path.endswith(CODE_SUFFIXES) else ""

    def files_with_role(self, role: str) -> tuple[str, ...]:
        """The files of this role that the spec and the checks name; for WORK also product code.

        A word of the spec that is no file of the start is taken for one if it has a folder.
        """
        words = {word for word in self.in_spec | self.in_commands if "/" in word.strip("/")}
        # A path from the top is a line of a stack trace: `/usr/lib/python3/json/decoder.py`.
        new = {word for word in words if FILE_SUFFIX.search(word) and not word.startswith("/")}
        known = self._files
        named = {path for path in known if path in self.in_commands or self._is_in_spec(path)} | new
        programs = {name for name in self.programs if name in known or name in new}  # no folders
        return tuple(sorted(name for name in named | programs if self._role_at_start(name) == role))

    def _role_at_start(self, path: str) -> str:
        if path in self.programs:
            return DECIDES
        kind = surrounding_kind(path, "", "", self.programs)
        return self.role(path, kind) or (WORK if not kind else "")

    def _is_in_spec(self, path: str) -> bool:
        if path in self.in_spec:
            return True
        name = posixpath.basename(path)
        stem = name.partition(".")[0]
        is_written = name in self.in_spec or (stem.isupper() and stem in self.in_spec)
        if is_written:
            return self._base_names[name] <= 1
        is_data = not (path.endswith(CODE_SUFFIXES) or is_settings_file(path))
        return is_data and stem.lower() in self.added_to and self._stems[stem] <= 1

    @cached_property
    def _base_names(self) -> Counter[str]:
        return Counter(map(posixpath.basename, self._files))

    @cached_property
    def _stems(self) -> Counter[str]:
        return Counter(posixpath.basename(path).partition(".")[0] for path in self._files)

    @cached_property
    def _files(self) -> Collection[str]:
        return self.list_files()


def path_words(text: str) -> frozenset[str]:
    """The words of a text that may name a file."""
    return frozenset(word.removeprefix("./") for word in PATH_WORD.findall(text))


def is_value_of_spec(before: str, after: str, spec: str) -> bool:
    """Are all values that are new in a line written in the spec, or replaced as it says?"""
    if any(before.replace(*row) == after for row in _replacements_in(spec)):
        return True
    if _grows_by_text_of(spec, before, after):
        return True
    values = {*LITERAL.findall(after)} - {*LITERAL.findall(before)}
    bare = {value.strip("'\"") for value in values}
    return bool(bare) and all(
        re.search(rf"(?<![\w.]){re.escape(value)}(?![\w]|\.\d)", spec) for value in bare
    )


def _difference(before: str, after: str) -> tuple[str, str, str]:
    """The part in which two texts differ, as it was and as it is, behind the text before it."""
    head = posixpath.commonprefix((before, after))
    rest = before[len(head) :], after[len(head) :]
    end = len(posixpath.commonprefix(tuple(text[::-1] for text in rest)))
    lost, new = (text[: len(text) - end] for text in rest)
    return head, lost, new


def _grows_by_text_of(spec: str, before: str, after: str) -> bool:
    """Is all that is new a text of the spec, within a string?"""
    head, lost, new = _difference(before, after)
    added = new.strip(" ,;:|/")
    is_in_string = any(head.count(mark) % 2 for mark in "\"'`")
    return is_in_string and not lost and len(added) > SHORT_TEXT and added in spec


def _replacements_in(spec: str) -> Iterator[tuple[str, str]]:
    """The parts in which two texts differ that the spec quotes one after the other."""
    texts = [match["text"] for match in SHORT_QUOTED.finditer(spec)]
    for old, new in pairwise(texts):
        _, before, after = _difference(old, new)
        if before:
            yield before, after


def only_adds_what_spec_names(before: str, after: str, spec: str) -> bool:
    """Does a file still say all that it said, and beside it something that the spec names?

    In what is expected, a literal member of that name may be new: `{"id": 1, "stock": 0}`.
    """
    named = {*LONG_WORD.findall(spec)}
    old, new = (
        [line.strip().removesuffix(",") for line in text.split("\n")] for text in (before, after)
    )
    added = []
    for lost, lines in _changed_parts(old, new):
        former, now = "\n".join(lost), "\n".join(lines)
        if lost and not (_adds_members(former, now, named) or _grows_by_text_of(spec, former, now)):
            return False
        added.append(now)
    return not named.isdisjoint(LONG_WORD.findall("\n".join(added)))


def _adds_members(before: str, after: str, named: set[str]) -> bool:
    """Is nothing between the words and signs of the one but literals with these names?"""
    for lost, tokens in _changed_parts(TOKEN.findall(before), TOKEN.findall(after)):
        added = " ".join(tokens)
        is_literal = not lost and not LITERAL_MEMBERS.sub("", added).strip()
        if not is_literal or named.isdisjoint(LONG_WORD.findall(added)):
            return False
    return True


def _changed_parts(old: list[str], new: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """The parts in which two lists differ; of long ones the whole."""
    from difflib import SequenceMatcher

    if max(len(old), len(new)) > MAX_COMPARED:
        yield old, new
        return
    for tag, start, end, first, last in SequenceMatcher(None, old, new, False).get_opcodes():
        if tag != "equal":
            yield old[start:end], new[first:last]


def has_text_of_spec(line: str, spec: str) -> bool:
    """Does a line hold a text that the spec gives with a placeholder: `file not found: PATH`?"""
    parts = [PLACEHOLDER.split(match[2]) for match in QUOTED_TEXT.finditer(spec)]
    forms = [re.compile(".+".join(map(re.escape, each))) for each in parts if len(each) > 1]
    texts = [match[2] for match in QUOTED_TEXT.finditer(line)]
    return any(form.fullmatch(text) for form in forms for text in texts)


def asks_to_remove(name: str, spec: str, with_tests: bool = False) -> bool:
    """Does a sentence of the spec ask to remove or rename what this name, or a part of it, says?

    `with_tests`: so that its tests go too. What only gets another name keeps its tests.
    """
    text = _removal_text(spec, REMOVAL_WITH_TESTS if with_tests else REMOVAL_REQUEST)
    words = {word.lower() for word in re.findall(r"\w+", text)}
    parts = {part.lower() for part in NAME_PART.findall(name) if len(part) > 2}
    return name.lower() in words or not words.isdisjoint(parts)


def asks_to_remove_file(path: str, spec: str) -> bool:
    """Does the spec ask to remove this file of the product? Then its tests go too."""
    words = path_words(_removal_text(spec, FILE_REMOVAL))
    return path in words or posixpath.basename(path) in words


def _removal_text(spec: str, pattern: re.Pattern[str]) -> str:
    """The sentences that ask to remove something, each with the one that says what "it" is."""
    sentences, found = SENTENCE_END.split(spec), []
    for before, text in zip(("", *sentences), sentences, strict=False):
        if pattern.search(text):
            found += [before, text] if PRONOUN.search(text) else [text]
    return "\n".join(found)


def asks_to_remove_tests(spec: str) -> bool:
    """Does the spec ask to remove tests? Which ones, a person sees."""
    return bool(TEST_REMOVAL.search(spec))


def asks_for_tests(spec: str) -> bool:
    """Are tests or coverage what the spec asks for? It says nothing of what else it asks for."""
    return bool(MORE_TESTS.search(spec) or OTHER_TESTS.search(spec))


def asks_for_as_many_tests(spec: str) -> bool:
    """Are the tests to get another form or to be quicker, and to ask for as much as before?"""
    return bool(OTHER_TESTS.search(spec)) and not MORE_TESTS.search(spec)


TAKES_IN = re.compile(r"(?:(?:\.|source)\s+)?[\"']?(?:\$\w+/|\./)?(?P<path>[\w./-]+\.\w+)[\"']?\s*")


def _takes_in_named_file(finding: Finding, spec: str) -> bool:
    match = TAKES_IN.fullmatch(finding.after)
    return match is not None and {finding.file, match["path"]} <= path_words(spec)


# What these say is never what somebody asked for by the name of the file alone.
KEPT_RULES = ("warning-silenced", "ci-narrowed")
EXAMPLE = ">>> "  # what it prints is what the check compares, in a document too


def lower_finding(finding: Finding, role: str, spec: str = "") -> Finding:
    """What is found in a file that the person named weighs less, with a few exceptions.

    A new step that only takes in a file of which the spec speaks is what was asked for.
    """
    if finding.rule == "check-step-added" and _takes_in_named_file(finding, spec):
        return finding.but(severity=LOW)
    if finding.rule in KEPT_RULES or finding.before.startswith(EXAMPLE):
        return finding
    if role and finding.severity == HIGH:
        return finding.but(severity=MEDIUM)
    if role == WORK and finding.severity == MEDIUM:
        return finding.but(severity=LOW)
    return finding
