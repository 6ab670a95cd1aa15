"""Finds code of a product that decides by a fact of its process, by which a test run differs.

Such facts are the name of the program or of the thread, how it was built, and who calls. To print
one, or to find a file beside the program, is no decision.
"""

from __future__ import annotations

import posixpath
from functools import lru_cache

from ... import lazy_re as re
from .process_ends import HAS_MAIN, enclosing_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

JVM_FACTS = (
    r"Thread\.currentThread\(\)\.(?:getName\(\)|name\b)|\bgetStackTrace\(\)|\bstackTrace\b"
    r"|\bStackWalker\.getInstance\([^)]*\)|\bgetInputArguments\(\)|\"sun\.java\.command\""
)
FACTS = {
    ".go": (
        r"(?:\w+\.)?ReadBuildInfo\(\)|\bos\.Executable\(\)|\bos\.Args\[0\]|\bos\.Getppid\(\)"
        r"|\bruntime\.NumGoroutine\(\)"
    ),
    ".rs": (
        r"(?:std::)?(?:thread::)?(?<!\.)\bcurrent\(\)\.name\(\)|(?:std::)?(?:env::)?current_exe\(\)"
        r"|(?:std::)?(?:env::)?args(?:_os)?\(\)\.(?:next\(\)|nth\(0\))|\bparent_id\(\)"
        r"|\bBacktrace::(?:force_)?capture\(\)"
        r"|\b(?:option_)?env!\(\"\w*(?:PROFILE|OPT_LEVEL|DEBUG)\w*\"\)"
    ),
    ".rb": (
        r"(?<![.\w:@])caller(?:_locations)?\b(?:\([\d, ]*\))?"
        r"|\$(?:0|PROGRAM_NAME|LOADED_FEATURES)\b|(?<![\w\"'])\$\"(?=[.\[])"
        r"|\bThread\.current\.name\b|\bThread\.list\b|\bProcess\.ppid\b"
    ),
    ".php": (
        r"\bdebug_backtrace\([^)]*\)|\bget_(?:included|required)_files\(\)"
        r"|\bget_declared_classes\(\)|\$_SERVER\[['\"]argv['\"]\]\[0\]|\$argv\[0\]"
        r"|\$_SERVER\[['\"]SCRIPT_FILENAME['\"]\]|->getTrace(?:AsString)?\(\)|\bposix_getppid\(\)"
    ),
    **dict.fromkeys(
        (".c", ".cc", ".cpp"),
        r"\b__progname\b|\bprogram_invocation_(?:short_)?name\b|\bgetprogname\(\)|\bgetppid\(\)",
    ),
    **dict.fromkeys((".java", ".kt"), JVM_FACTS),
    ".cs": (
        r"\bnew StackTrace\([^)]*\)|\bEnvironment\.StackTrace\b|Assembly\.GetEntryAssembly\(\)"
        r"|\bAppDomain\.CurrentDomain\.FriendlyName|\bThread\.CurrentThread\.Name\b"
    ),
}
PATTERNS = {suffix: re.compile(text) for suffix, text in FACTS.items()}
FACT, PROGRAM = "FACT__", "PROGRAM__"  # stand for a fact of the process, and for its name
PROGRAM_NAME = re.compile(r"os\.Args|args(?:_os)?\(\)|progname|program_invocation")
# A name that gets a fact: `info, ok :=`, `let exe =`, `if let Some(name) =`, `$file =`.
ASSIGNED = re.compile(
    r"(?:^|[\s(;*])\$?(?:(?:Some|Ok)\()?(\w+)\)?(?:\s*:\s*[^=;]+)?(?:,\s*\w+)*\s*:?=(?![=~])"
    rf"[^=;\n]*\b(?:{FACT}|{PROGRAM})"
)
THREAD = re.compile(r"\blet (\w+) = (?:std::)?(?:thread::)?current\(\);")
PREDICATES = (
    r"(?:HasSuffix|HasPrefix|Contains\w*|EqualFold|MatchString|contains|starts_with|ends_with"
    r"|start_with\?|end_with\?|include\?|any\?|all\?|none\?|match\?|grep|is_some\w*|is_none\w*"
    r"|map_or\w*|is_empty|file_stem|strn?(?:case)?cmp|strstr|str_contains|str_(?:starts|ends)_with"
    r"|strpos|in_array|preg_match|array_filter|array_search|endsWith|startsWith|equals|anyMatch"
    r"|noneMatch|matches|any|none|Any|StartsWith|EndsWith|Equals|IsMatch)"
)
NOTHING = r"(?!\s*(?:nil|null|NULL|nullptr|None|false)\b)"
NEXT_LINE = re.compile(r"\n[ \t]*(?=\??\.\w|->|&&|\|\|)")
RUST_PATTERN = re.compile(r"\b(?:Some\((?:_|\"|b\")|None\s*=>\s*(?:[\w.]+|true|false)\s*,)")
MAIN_GUARD = re.compile(r"\b__FILE__\b")
# A function that names the version looks whether the build has one.
VERSION = re.compile(r"(?i)version|build|revision|release|commit")
VERSION_FIELD = re.compile(r"\.Main\.Version\b[^;\n]*[!=]= *\"(?:\(devel\)|v?\d[\d.]*)?\"")
# What a test program is called, and where it is built.
TEST_PROGRAM = re.compile(
    r"\"\.test(?:\.exe)?\"|\"-?test\.|\bgo-build\b|[\"/\\]deps[\"/\\]"
    r"|\bos\.TempDir\(\)|\btemp_dir\(\)"
)
# A build script that looks at the profile, and then chooses what is compiled.
BUILD_SCRIPT = re.compile(r"(?:^|/)build\.rs$|(?:^|/)build/main\.rs$")
BUILD_PROFILE = re.compile(r"\"(?:PROFILE|OPT_LEVEL|DEBUG|CARGO_CFG_DEBUG_ASSERTIONS)\"")
CHOSEN_CODE = re.compile(r"\brustc-cfg\b|\brustc-check-cfg\b|\bcargo_rustc_cfg\b|\"OUT_DIR\"")
DECIDES = re.compile(
    r"[!=]=|\bmatch\b|matches!|\bif let\b|\.(?:is_ok|is_some|contains|map_or)\w*\("
)
PROGRAM_FACT = re.compile(r"Executable\(\)|os\.Args|current_exe|args(?:_os)?\(\)|progname|program_")


def deciding_lines(path: str, text: str) -> Iterator[int]:
    """The numbers of the lines that decide by a fact of the process."""
    suffix = posixpath.splitext(path)[1]
    facts = PATTERNS.get(suffix)
    if not facts:
        return
    text = _named_threads(text)
    lines = [facts.sub(_mark_fact, line.rstrip()) for line in _joined_lines(text)]
    has_program = bool(PROGRAM_FACT.search(text))
    names = {FACT: "", PROGRAM: ""}  # each name that holds a fact, with its function
    main = HAS_MAIN.get(suffix)
    if main and main.search(text) and not any(FACT in line for line in lines):
        names = {}  # one program with several names does what its name says
    for number, line in enumerate(lines, 1):
        if has_program and TEST_PROGRAM.search(line):
            yield number
            continue
        if not any(name in line for name in names):
            continue
        function = enclosing_function(lines, number)
        names |= {match[1]: function for match in ASSIGNED.finditer(line) if match[1] != "_"}
        held = tuple(name for name, place in names.items() if place in ("", function))
        is_decision = bool(_decision(held).search(line)) and not MAIN_GUARD.search(line)
        if is_decision and not _is_honest(lines, number, path, function):
            yield number


def profile_lines(path: str, code: str) -> Iterator[int]:
    """The lines of a build script of Rust that read the profile to choose what is compiled.

    Tests are built without optimisation, and what users get is built with it.
    """
    if not BUILD_SCRIPT.search(path) or not CHOSEN_CODE.search(code):
        return
    lines = code.splitlines()
    for number, line in enumerate(lines, 1):
        if not BUILD_PROFILE.search(line):
            continue
        name = re.search(r"\blet (\w+)", line)
        uses = [text for text in lines if name and re.search(rf"\b{name[1]}\b", text)]
        if any(DECIDES.search(text) for text in (line, *uses)):
            yield number


def _mark_fact(match: re.Match[str]) -> str:
    return PROGRAM if PROGRAM_NAME.search(match[0]) else FACT


def _named_threads(text: str) -> str:
    """The text of Rust with the thread itself in the place of a variable that holds it."""
    for name in THREAD.findall(text):
        text = re.sub(rf"\b{name}\.name\(\)", "thread::current().name()", text)
    return text


def _joined_lines(text: str) -> list[str]:
    """The lines, each with the calls that continue it; their own lines are empty."""
    pieces = NEXT_LINE.sub("\0", text).split("\n")
    lines: list[str] = []
    for piece in pieces:
        lines += [piece.replace("\0", ""), *[""] * piece.count("\0")]
    return lines


@lru_cache(maxsize=64)
def _decision(names: tuple[str, ...]) -> re.Pattern[str]:
    """Lines that compare what one of the names holds, or that ask for a part of it."""
    held = rf"\$?\b(?:{'|'.join(names)})\b"
    calls = r"[&*(]*(?:[\w.:]+!?\([&*]*)*"
    return re.compile(
        rf"{held}[^;\n]*(?:[!=]==?|=~|!~){NOTHING}|(?:[!=]==?|=~)\s*{calls}{held}"
        rf"|\b{PREDICATES}\(\s*(?:[^;\n]*,\s*)?{calls}{held}|{held}[^;\n]*\.{PREDICATES}"
        rf"|\b(?:switch|match|case)\s+\(?{calls}{held}|matches!\({calls}{held}"
    )


def _is_honest(lines: list[str], number: int, path: str, function: str) -> bool:
    """May this line decide, because it only unpacks, or names the version?"""
    line = lines[number - 1]
    if path.endswith(".go") and VERSION_FIELD.search(line):
        return bool(VERSION.search(function) or VERSION.search(posixpath.basename(path)))
    if path.endswith(".rs") and re.search(r"\bmatch\b", line):
        arms = "\n".join(lines[number : number + 8])
        return not RUST_PATTERN.search(arms) and '" =>' not in arms
    return False
