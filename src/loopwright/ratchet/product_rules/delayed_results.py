"""Finds product that answers where unchanged tests do not look: later, or not at all.

A promise is true, whatever it will say, and `assert.throws` does not see how it is rejected. A
timer that no longer keeps the process lets a script end before its assertions, and one that is out
of the list of open things still runs. Without a limit nothing warns of a leak.
"""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.sources import DECLARATION_ENDINGS, SourceFile, code_text, line_number
from ..project_files import new_lines
from ..readers.languages import SCRIPT_SUFFIXES
from ..references import search_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..project_files import Sides

RULE = "product-tells-less-apart"
ARROW = r"(?:function\b|\([^()\n]*\)(?: *:[^=\n]+)? *=>|\w+ *=>)"
SCRIPT_FUNCTION = re.compile(
    r"(?m)^([ \t]*)(?:export )?(?:default )?(?:static )?(?:"
    r"(?P<a>async )?function *(?P<function>\w+) *\("
    rf"|(?:const|let|var) (?P<name>\w+)(?: *:[^=\n]+)? *= *(?P<b>async\b ?)?{ARROW}"
    rf"|(?:module\.)?exports\.(?P<export>\w+) *= *(?P<c>async\b ?)?{ARROW}"
    r"|(?P<d>async )?(?P<method>(?!(?:if|for|while|switch|catch|return|constructor)\b)\w+)"
    r"\([^()\n]*\)(?: *:[^{\n]+)? *\{"
    rf"|(?P<key>\w+) *: *(?P<e>async\b ?)?{ARROW})"
)
PROMISE = r"(?:new Promise\b|Promise\.\w+\()"
CHAINED = r"[^;\n]*\)\s*\.(?:then|catch|finally)\("
PYTHON_FUNCTION = re.compile(r"(?m)^([ \t]*)(?P<a>async )?def (?P<name>\w+)\(")
YIELDS = re.compile(r"(?m)^\s*(?:\w+ = )?yield\b")
# A statement of a test that judges, and one that waits for an answer or takes all of it.
JUDGES = re.compile(r"\bassert\w*\b|\bexpect\(|\bshould\b|\.to(?:Not)?Throw|\bif\b *\(?")
WAITS = re.compile(
    r"\bawait\b|\.then\(|\bresolves\b|\brejects\b|\bPromise\b|\breturn\b|\beventually\b"
)
WAITS_IN_PYTHON = re.compile(
    r"\bawait\b|\basync\w*[.(]|\brun\w*\(|\bfor\b|\bin\b|\bisinstance\("
    r"|\b(?:list|sorted|tuple|set|next|sum|any|all|dict|len|min|max|join)\("
)
READ = re.compile(r"\basync\b|\bPromise\b|\.(?:then|catch)\(|\byield\b|\.unref\b|MaxListeners")
MAX_BODY = 6000  # characters
OWNER = re.compile(r"(?m)^([ \t]*)(?:export )?(?:default )?(?:abstract )?class (\w+)")
STATEMENT_END = (";", "{", "}", ":")
MAX_STATEMENT = 6  # lines
UNREF = re.compile(r"\.unref(?:\?\.)?\(")
CONDITION = re.compile(r"(?:\bif\b|&&|\?(?!\.))(?!.*\bunref\b(?!\())")
AWAITED = re.compile(r"\bPromise\b|\bresolve\b|\bawait\b|\bonce\(")
OPEN_THINGS = ("getActiveResourcesInfo", "_getActiveHandles", "_getActiveRequests")
HAS_RUNNER = re.compile(r"\b(?:test|it|describe|suite)(?:\.\w+)?\(|\bnode:test\b")
NO_LIMIT = re.compile(
    r"\b(?:setMaxListeners\(|defaultMaxListeners\s*=(?!=))\s*(?:0\b|Infinity|Number\.|\d{4,})"
)
HEARS_WARNINGS = re.compile(r"['\"`]warning['\"`]|\bMaxListeners|\bemitWarning\b")


class Function(NamedTuple):
    """A function of the product, or all functions of one name."""

    path: str
    line: int
    owner: str  # its class; "" if it is no method
    is_later: bool


class DelayedResults:
    """What changed in the files of the product, by the names that tests may use."""

    def __init__(self, product: Sides) -> None:
        self.released: list[tuple[str, int, str, bool]] = []  # path, line, text; is it awaited?
        self.limits: list[tuple[str, int, str]] = []
        old: dict[str, list[Function]] = {}
        new: dict[str, list[Function]] = {}
        is_read = any(READ.search(after or "") for _, after in product.values())
        for path, (before, after) in product.items():
            if not is_read or not _is_read(path):
                continue
            codes = [code_text(SourceFile(path, text or "")) for text in (before, after)]
            for code, found in zip(codes, (old, new), strict=True):
                read = _python_functions if path.endswith(".py") else _script_functions
                for name, function in read(path, code):
                    found.setdefault(name, []).append(function)
            if not path.endswith(".py"):
                self._read_lines(path, *codes)
        self.functions = {
            name: found[0]
            for name, found in new.items()
            if all(function.is_later for function in found)
            if name in old and not any(function.is_later for function in old[name])
        }

    def _read_lines(self, path: str, old: str, new: str) -> None:
        lines = new.splitlines()
        for number, line in new_lines(old, new):
            around = "\n".join(lines[max(0, number - 4) : number])
            if UNREF.search(line) and not _is_conditional(lines, number):
                self.released.append((path, number, line, bool(AWAITED.search(around))))
            if NO_LIMIT.search(line):
                self.limits.append((path, number, line))

    @property
    def words(self) -> set[str]:
        """By which the tests are searched."""
        found = {*self.functions}
        found |= {search_word(path) for path, *_ in self.released} if self.released else set()
        found |= {*OPEN_THINGS} if self.released else set()
        return found | ({"warning", "MaxListenersExceededWarning"} if self.limits else set())

    def findings(self, tests: Mapping[str, str]) -> Iterator[Finding]:
        """One for each part of the product whose answer an unchanged test does not see."""
        for name, function in self.functions.items():
            for path, text in tests.items():
                if path.endswith(".py") != function.path.endswith(".py"):
                    continue
                if asked := _asks_at_once(name, function, path, text):
                    quoted = asked[:200]
                    yield Finding(
                        MEDIUM, RULE, function.path, function.line, quoted, f"{name} answers later"
                    )
                    break
        scripts = {file: text for file, text in tests.items() if file.endswith(SCRIPT_SUFFIXES)}
        for path, line, text, is_awaited in self.released:
            if any(_sees_release(path, is_awaited, test) for test in scripts.values()):
                yield Finding(MEDIUM, RULE, path, line, after=text[:200])
        for path, line, text in self.limits:
            if any(map(HEARS_WARNINGS.search, scripts.values())):
                yield Finding(MEDIUM, "warning-silenced", path, line, after=text[:200])


def _is_read(path: str) -> bool:
    return path.endswith((".py", *SCRIPT_SUFFIXES)) and not path.endswith(DECLARATION_ENDINGS)


def _script_functions(path: str, code: str) -> Iterator[tuple[str, Function]]:
    heads = list(SCRIPT_FUNCTION.finditer(code))
    later = {_name(match) for match in heads if _is_async(match)}
    made = rf"(?:{PROMISE}|(?:{'|'.join(sorted(later))})\()" if later else PROMISE
    owners = list(OWNER.finditer(code))
    for match in heads:
        is_later = _is_async(match) or _returns_promise(code, match, made)
        line, owner = 0, ""
        if is_later:
            line = line_number(code, match.end())
            above = [o for o in owners if o.start() < match.start() and len(o[1]) < len(match[1])]
            owner = above[-1][2] if match["method"] and above else ""
        yield _name(match), Function(path, line, owner, is_later)


def _name(match: re.Match[str]) -> str:
    groups = ("function", "name", "export", "method", "key")
    return next(match[group] for group in groups if match[group])


def _is_async(match: re.Match[str]) -> bool:
    return any(match[group] for group in "abcde")


def _body(code: str, head: re.Match[str]) -> str:
    """The lines below a head that are indented more than it; its first group is the indentation."""
    lines = code[head.end() : head.end() + MAX_BODY].splitlines()[1:]
    inside = takewhile(lambda line: not line.strip() or line[len(head[1]) :][:1].isspace(), lines)
    return "\n".join(inside)


def _returns_promise(code: str, head: re.Match[str], made: str) -> bool:
    """Does a function hand out a promise with one of its own lines?"""
    rest = code[head.end() : head.end() + MAX_BODY].partition("\n")[0]
    if re.match(rf"\s*{made}", rest) or re.search(rf"\breturn {made}", rest):
        return True
    lines = [line for line in _body(code, head).splitlines() if line.strip()]
    depth = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    own = "\n".join(line.strip() for line in lines if not line[depth : depth + 1].isspace())
    if re.search(rf"(?m)^return (?:{made}|{CHAINED})", own):
        return True
    kept = re.findall(rf"(?m)^(?:const|let|var) (\w+) = (?:{made}|{CHAINED})", own)
    return any(re.search(rf"(?m)^return {name};?$", own) for name in kept)


def _python_functions(path: str, code: str) -> Iterator[tuple[str, Function]]:
    """The functions of a Python file: a coroutine or a generator answers later."""
    for match in PYTHON_FUNCTION.finditer(code):
        above = code[: match.start()].rstrip("\n").rpartition("\n")[2]
        is_decorated = above.strip().startswith("@")  # a decorator may wait
        is_later = bool(match["a"] or YIELDS.search(_body(code, match)))
        line = line_number(code, match.end()) if is_later else 0
        yield match["name"], Function(path, line, "", is_later and not is_decorated)


def _asks_at_once(name: str, function: Function, path: str, test: str) -> str:
    """A statement of a test that judges a call and does not wait for it; "" if there is none."""
    if name not in test or re.search(rf"\b(?:function|def|const) {name}\b", test):
        return ""
    if function.owner and not re.search(rf"\b{function.owner}\b", test):
        return ""
    waits = WAITS_IN_PYTHON if path.endswith(".py") else WAITS
    call = re.compile(rf"(?<!\w){name}\(")
    lines = code_text(SourceFile(path, test), strings=False).splitlines()
    for index, line in enumerate(lines):
        if call.search(line):
            statement = _statement(lines, index)
            if JUDGES.search(statement) and not waits.search(statement):
                return " ".join(statement.split())
    return ""


def _statement(lines: list[str], index: int) -> str:
    """The statement that this line ends, with the assertion whose function it is in."""
    first = index
    while first and index - first < MAX_STATEMENT:
        above = lines[first - 1].strip()
        is_around = above.endswith("{") and JUDGES.search(above)
        if not above or (above.endswith(STATEMENT_END) and not is_around):
            break
        first -= 1
        if is_around:
            break
    return "\n".join(lines[first : index + 1])


def _is_conditional(lines: list[str], number: int) -> bool:
    """Is the timer released only if somebody asked for it?"""
    if CONDITION.search(lines[number - 1].partition("unref")[0]):
        return not re.search(r"\bif\b.*\bunref\b.*\.unref", lines[number - 1])
    above = lines[number - 2].strip() if number > 1 else ""
    return above.startswith(("if ", "if(")) and "unref" not in above


def _sees_release(path: str, is_awaited: bool, test: str) -> bool:
    """Does a test count what is open, or is it a script that ends when nothing is?"""
    if any(word in test for word in OPEN_THINGS):
        return True
    return is_awaited and search_word(path) in test and not HAS_RUNNER.search(test)
