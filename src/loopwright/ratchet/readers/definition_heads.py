"""Where definitions are in a text, for languages without a parser here.

A pattern finds the head. The definition ends where its brackets close, or, in languages without
brackets and in a text whose brackets do not match, where the indentation ends.
"""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from typing import NamedTuple

from ... import lazy_re as re
from ...repo.sources import SourceFile, code_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

FUNCTION, CLASS, CONSTANT = "function", "class", "constant"
WORDS = r"^[ \t]*(?:[\w@]+(?:\([^()\n]*\))?[ \t]+)*?"  # before a head: `export`, `pub(crate)`
TYPES = r"^[ \t]*(?P<types>(?:[\w<>\[\],.?&*:~]+[ \t]+)*)[*&]*"
# A function whose parameters are in brackets is one only if a body follows.
NO_FUNCTION = r"(?!(?:if|for|foreach|while|switch|catch|return|using|lock|function|with|fixed)\b)"
NO_TYPE = re.compile(r"\b(?:return|new|else|throw|await|yield|case|goto|delete|typedef)\b")
BODY_FOLLOWS = re.compile(
    r"[^;{}()=\n]{0,300}+\n?[ \t]*(?:\{|=>)|\s*(?::|throws\b|where\b|const\b)[^;{}]{0,300}\{"
)
ARROW = r"(?:async\b *)?(?:function\b|[\w$]+ *=>|\([^()\n]*(?:\)(?: *:[^=\n]+)? *=>|$))"
SCRIPT_WORDS = r"(?:(?:static|async|get|set|public|private|protected|override|readonly)[ \t]+|\*)*"
VARIABLE = r"^[ \t]*(?:export +)?(?:const|let|var) +(?P<name>[\w$]+)"
SCRIPT = (
    (CLASS, WORDS + r"(?:class|interface|enum) +(?P<name>[\w$]+)(?=[^;()=]{0,300}\{)"),
    (CLASS, r"^[ \t]*(?:export +)?type +(?P<name>\w+)[^=\n]{0,80}="),
    (FUNCTION, WORDS + r"function\b *\*? *(?P<name>[\w$]+)"),
    (FUNCTION, VARIABLE + r"(?: *:[^=\n]+)? *= *" + ARROW),
    (
        FUNCTION,
        r"^[ \t]*(?:(?:module\.)?exports|module|this|(?P<owner>[\w$]+)(?:\.prototype)?)"
        r"\.(?P<name>[\w$]+) *= *" + ARROW,
    ),
    (FUNCTION, rf"^[ \t]+{SCRIPT_WORDS}(?P<name>#?[\w$]+) *[:=] *{ARROW}"),
    (
        FUNCTION,
        rf"^[ \t]+{SCRIPT_WORDS}(?P<name>{NO_FUNCTION}#?[\w$]+|\[[\w.]+\])(?:<[^>\n]*>)?[ \t]*\(",
    ),
    (CONSTANT, VARIABLE + r"[^=\n]{0,80}=(?!=)"),
    (CONSTANT, rf"^[ \t]+{SCRIPT_WORDS}(?P<name>#?[\w$]+)(?: *[?!]?:[^=\n;(]+)? *=(?![=>])"),
)
TYPE_WORDS = r"(?:class|interface|enum|record|struct|trait|union)[ \t]+(?:class[ \t]+)?"
TYPED_VALUE = r"^[ \t]*(?:[\w<>\[\],.?*&:]+[ \t]+)+[*&]*(?P<name>\w+)(?:\[[^\]\n]*\])* *=(?!=)"
TYPED = (
    (CLASS, WORDS + TYPE_WORDS + r"(?P<name>\w+)(?=[^;(){}=]{0,300}+\{)"),
    (CLASS, WORDS + r"record[ \t]+(?:class[ \t]+|struct[ \t]+)?(?P<name>\w+)(?=[ \t]*[<(])"),
    (FUNCTION, TYPES + r"(?:(?P<owner>\w+)::)?operator *(?P<name>\(\)|[^\s(\w]+)[ \t]*\("),
    (FUNCTION, TYPES + rf"(?:(?P<owner>\w+)::)?(?P<name>{NO_FUNCTION}~?\w+)[ \t]*\("),
    (FUNCTION, r"^[ \t]+(?:[\w<>\[\],.?]+[ \t]+)+(?P<name>\w+)\s*(?:\{\s*(?:get|set|init)\b|=>)"),
    (CONSTANT, TYPED_VALUE),
)
MACROS = (
    (FUNCTION, r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)\("),
    (CONSTANT, r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)[ \t]"),
)
GO = (
    (FUNCTION, r"^func (?:\((?:\w+ )?\*?(?P<owner>\w+)[^()\n]*\) )?(?P<name>\w+)"),
    (CLASS, r"^type (?P<name>\w+)"),
    (CLASS, r"^\t(?P<name>\w+)(?:\[[^\]\n]*\])? (?:struct|interface)\b"),
    (CONSTANT, r"^(?:const|var) (?P<name>\w+)[^=\n]{0,80}="),
    (CONSTANT, r"^\t(?P<name>\w+)(?: [\w.]+)? += "),
)
RUST = (
    (FUNCTION, WORDS + r"fn +(?P<name>\w+)"),
    (CLASS, WORDS + r"(?:struct|enum|trait|union) +(?P<name>\w+)"),
    (
        CLASS,
        r"^[ \t]*(?:unsafe +)?impl\b(?:<[^{;\n]*?>)? +(?:[^{;\n]* for +)?"
        r"&?(?:\w+::)*(?P<name>\w+)(?=[^;]{0,300}?\{)",
    ),
    (CONSTANT, WORDS + r"(?:const|static) +(?:mut +)?(?P<name>\w+) *:"),
)
KOTLIN = (
    (FUNCTION, WORDS + r"fun +(?:<[^>\n]*> +)?(?:[\w<>?]+\.)?(?P<name>\w+|`[^`\n]+`)"),
    (CLASS, WORDS + r"(?:class|interface|object) +(?P<name>\w+)"),
    (CONSTANT, WORDS + r"(?:val|var) +(?P<name>\w+)\b(?=.*=)"),
)
PHP = (
    (FUNCTION, WORDS + r"function +&?(?P<name>\w+)"),
    (CLASS, WORDS + r"(?:class|interface|trait|enum) +(?P<name>\w+)"),
    (CONSTANT, WORDS + r"const +(?:\w+ +)?(?P<name>\w+) *="),
    (CONSTANT, r"^[ \t]+(?:[\w?|]+ +)+\$(?P<name>\w+) *="),
)
RUBY = (
    (FUNCTION, WORDS + r"def +(?:\w+\.)?(?P<name>[\w]+[?!=]?(?![\w.])|[-=<>!~+*/%\[\]&|^]+)"),
    (CLASS, r"^[ \t]*(?:class|module) +(?:\w+::)*(?P<name>\w+)"),
    (CONSTANT, r"^[ \t]*(?P<name>[A-Z]\w*) *=(?![=~>])"),
)
PYTHON = (
    (FUNCTION, r"^[ \t]*(?:async +)?def +(?P<name>\w+)"),
    (CLASS, r"^[ \t]*class +(?P<name>\w+)"),
    (CONSTANT, r"^[ \t]*(?P<name>[A-Za-z_]\w*) *(?::[^=\n]+)?=(?!=)"),
)
SHELL = (
    (FUNCTION, r"^[ \t]*(?:function[ \t]+)?(?P<name>[\w:.-]+)[ \t]*\(\)"),
    (FUNCTION, r"^[ \t]*function[ \t]+(?P<name>[\w:.-]+)"),
    (CONSTANT, r"^[ \t]*(?:(?:export|readonly|declare|local|-\w+)[ \t]+)*(?P<name>[A-Za-z_]\w*)="),
)
PERL = (
    (FUNCTION, r"^[ \t]*sub[ \t]+(?P<name>\w+)"),
    (CLASS, r"^[ \t]*package[ \t]+(?:\w+::)*(?P<name>\w+)"),
    (CONSTANT, r"^[ \t]*(?:our|my|use constant)[ \t]+[$@%]?(?P<name>\w+)[^=\n]{0,80}=(?![=~])"),
)


class Place(NamedTuple):
    """A definition by its position in a text."""

    kind: str
    name: str
    start: int
    end: int
    owner: str = ""  # where its own head names it


class Language(NamedTuple):
    heads: tuple[tuple[str, str], ...]
    has_brackets: bool = True
    ends_with_line: bool = False  # a statement needs no semicolon
    class_is_statement: bool = False  # what follows belongs to it: `package Total;`


LANGUAGES = (
    (Language(SCRIPT, ends_with_line=True), ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte"),
    (Language(GO, ends_with_line=True), ".go"),
    (Language(RUST), ".rs"),
    (Language(TYPED), ".java .cs"),
    (Language(MACROS + TYPED), ".c .h .cc .cpp .cxx .hpp"),
    (Language(KOTLIN, ends_with_line=True), ".kt .kts"),
    (Language(PHP), ".php"),
    (Language(RUBY, has_brackets=False), ".rb .rake"),
    (Language(PYTHON, has_brackets=False), ".py .pyw"),
    (Language(SHELL, has_brackets=False), ".sh .bash .zsh .bats"),
    (Language(PERL, has_brackets=False, class_is_statement=True), ".pl .pm .t"),
)
LANGUAGE_OF = {suffix: row for row, suffixes in LANGUAGES for suffix in suffixes.split()}
PATTERNS = {
    row: [(kind, re.compile(head, re.M)) for kind, head in row.heads] for row, _ in LANGUAGES
}
LIFETIME = re.compile(r"'(?=[a-z_]\w*(?!'))")  # of Rust; not the quote of a letter
BRACKET = re.compile(r"[()\[\]{}]")
CLOSERS = {")": "(", "]": "[", "}": "{"}
OPENS_BODY = re.compile(r"[ \t]*\{")
STOP = re.compile(r"[(\[{;\n]")
MACRO = re.compile(r"(?:\\\n|[^\n])*")
GOES_ON = re.compile(r"[ \t]*(?:[{.?:|&+=]|->|throws\b|where\b|extends\b|implements\b|get\()")
CLOSING_LINE = re.compile(r"[})\]]|end\b")
MAX_STOPS = 30  # line ends and brackets between a head and its body
UNFINISHED = ("=", ">", ",", "+", "-", "*", "/", "|", "&", "?", ":", ".")


def places_in_text(path: str, text: str) -> list[Place]:
    """The definitions of a text; those that have their own lines, as formatters lay them out."""
    suffix = posixpath.splitext(path)[1].lower()
    language = LANGUAGE_OF.get(suffix)
    if language is None:
        return []
    is_bracketed = language.has_brackets
    quoted = LIFETIME.sub(" ", text) if suffix == ".rs" else text
    code = code_text(SourceFile(path, quoted), strings=False) if is_bracketed else text
    ends = BracketEnds(code, language.ends_with_line) if is_bracketed else None
    lines = IndentedLines(code)
    found: dict[int, Place] = {}
    for kind, pattern in PATTERNS[language]:
        for match in pattern.finditer(code):
            start = match.start("name")
            if start in found or NO_TYPE.search(match.groupdict().get("types") or ""):
                continue
            end = ends.end_of(match) if ends else None
            if end == 0:
                continue
            if end is None:
                end = lines.end_of(start)
            owner = match.groupdict().get("owner") or ""
            found[start] = Place(kind, text[start : match.end("name")], start, end, owner)
    places = [*found.values()]
    return _with_rest(places, text) if language.class_is_statement else places


def _with_rest(places: list[Place], text: str) -> list[Place]:
    """Each class up to the line of the next one."""
    starts = sorted(place.start for place in places if place.kind == CLASS)
    line_ends = [text.rfind("\n", 0, start) for start in starts[1:]]
    ends = dict(zip(starts, [*line_ends, len(text)], strict=False))
    return [place._replace(end=ends.get(place.start, place.end)) for place in places]


class BracketEnds:
    """Where definitions end by their brackets. Those that match nothing are passed over."""

    def __init__(self, code: str, ends_with_line: bool) -> None:
        self.code = code
        self.ends_with_line = ends_with_line
        self.closing: dict[int, int] = {}
        waiting: list[int] = []
        open_count = dict.fromkeys("([{", 0)
        for match in BRACKET.finditer(code):
            opener = CLOSERS.get(match[0])
            if opener is None:
                waiting.append(match.start())
                open_count[match[0]] += 1
                continue
            while open_count[opener]:
                start = waiting.pop()
                open_count[code[start]] -= 1
                if code[start] == opener:
                    self.closing[start] = match.start()
                    break

    def end_of(self, head: re.Match[str]) -> int | None:
        """0: it is only a call, or only declared. None: the brackets do not tell."""
        position = head.end()
        if head[0].lstrip().startswith("#"):
            macro = MACRO.match(self.code, position)
            return macro.end() if macro else position
        if head[0].endswith("("):
            closing = self.closing.get(position - 1)
            if closing is None or not BODY_FOLLOWS.match(self.code, closing + 1):
                return 0
            position = closing + 1
        return self._end_after(position)

    def _end_after(self, position: int) -> int | None:
        for _ in range(MAX_STOPS):
            stop = STOP.search(self.code, position)
            if stop is None:
                return len(self.code)
            if stop[0] in "([{":
                closing = self.closing.get(stop.start())
                if closing is None:
                    return None
                is_type = bool(OPENS_BODY.match(self.code, closing + 1))  # `): { a: number } {`
                if stop[0] == "{" and not is_type:
                    return closing + 1
                position = closing + 1
            elif stop[0] == ";":
                return stop.end()
            elif self.ends_with_line and not self._goes_on(stop.start()):
                return stop.start()
            else:
                position = stop.end()
        return None

    def _goes_on(self, line_end: int) -> bool:
        before = self.code[max(0, line_end - 80) : line_end]
        is_open = before.rstrip().endswith(UNFINISHED) and before[-1:] != " "  # of a string
        return is_open or bool(GOES_ON.match(self.code, line_end + 1))


class IndentedLines:
    """Where definitions end by the indentation of the lines below."""

    def __init__(self, code: str) -> None:
        self.lines = code.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def end_of(self, position: int) -> int:
        head = bisect_right(self.starts, position) - 1
        indent = _indent(self.lines[head])
        last = head
        for number in range(head + 1, len(self.lines)):
            line = self.lines[number].strip()
            depth = _indent(self.lines[number])
            if not line:
                continue
            is_closing = depth == indent and bool(CLOSING_LINE.match(line))
            opens_block = depth == indent and (line == "{" or line.endswith(("{", ":", "do")))
            if depth > indent or (is_closing and opens_block) or line == "{":
                last = number
                continue
            if is_closing:
                last = number
            break
        return self.starts[last] + len(self.lines[last])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
