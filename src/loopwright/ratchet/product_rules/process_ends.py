"""Finds code of a product that ends its process, leaves it, or runs when it ends.

A test run lives in the process of the product. If that process ends well, or goes on in the
background, nobody sees what the tests found.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RUBY_ENDS = (
    r"\bexit!|^\s*exit(?:\s*\(\s*\)|[ (](?:0|true)\b\)?)?\s*(?:(?:if|unless)\b.*)?$"
    r"|[{;]\s*exit(?:[ (](?:0|true)\)?)?\s*[};]"
    r"|\b(?:Kernel|Process)\.exit(?:$|[^(\w]|\((?:0|true)?\))"
    r"|\bProcess\.(?:daemon|setsid|exec|kill\b.*(?:\$\$|\bpid\b))|\bKernel\.exec\b"
    # With a block, only the child does what it says.
    r"|(?<![\w:@$])(?<![a-z]\.)fork\b(?!\s*(?:do\b|[{=\"'(:.,\]|]|[a-z_]+\b(?<!and)(?<!or)(?<!if)))"
    r"|\bat_exit\b|(?<![.\w])trap[ (][\"':]?(?:EXIT|0)\b|\b(?:rescue|raise) SystemExit\b"
    r"|\bpopen\([\"']-[\"']|^\s*exec[ (][\"']"
)
PHP_LEAVES = (
    r"\bpcntl_(?:fork|exec)\(|\bposix_(?:setsid|_exit|kill)\(|\bregister_shutdown_function\("
)
PHP_ENDS = r"(?<![\w$>:'\"-])(?:exit|die)\s*(?:\(\s*0?\s*\))?\s*;"
JVM_ENDS = (
    r"\bSystem\.exit\(\s*0\s*\)|\bgetRuntime\(\)\.(?:halt|exit|addShutdownHook)\("
    r"|\bexitProcess\(\s*0\s*\)|\bEnvironment\.Exit\(\s*0\s*\)|\bAppDomain\b.*\.ProcessExit\b"
)
ENDS = {
    ".rb": RUBY_ENDS,
    ".php": rf"{PHP_LEAVES}|{PHP_ENDS}",
    ".go": (
        r"\bos\.Exit\(\s*0\s*\)|\b(?:syscall|unix)\.(?:Exit|Exec|ForkExec|Setsid)\("
        r"|\bSYS_(?:EXIT|FORK|EXECVE)"
    ),
    ".rs": (
        r"\blibc::(?:v?fork|_?exit|daemon|setsid|exec\w+|atexit)\b|\bDaemonize::new"
        r"|\bunistd::(?:\{[^}]*)?(?:fork|daemon|setsid|exec\w+|_exit)\b"
        r"|^\s*(?:pub )?fn (?:v?fork|_?exit|daemon|setsid|exec[lv]\w*|atexit)\([^)]*\)[^{]*;"
    ),
    ".pm": r"\bPOSIX::(?:_exit|setsid)\b|\b_exit\b|\bsetsid\b|\bProc::Daemon\b|\bfork\b\s*[;()/|]",
    ".pl": r"\bPOSIX::(?:_exit|setsid)\b|\bProc::Daemon\b",
    ".py": r"\bos\.(?:setsid|forkpty)\(|\bDaemonContext\(",
    **dict.fromkeys((".java", ".kt", ".cs"), JVM_ENDS),
    ".swift": r"\bexit\(\s*(?:0|EXIT_SUCCESS)\s*\)|\bdaemon\(|\batexit\b",
    **dict.fromkeys(
        (".c", ".cc", ".cpp", ".h", ".hpp"), r"\b(?:daemon|setsid|quick_exit)\s*\(|\bfork\s*\(\s*\)"
    ),
}
PATTERNS = {suffix: re.compile(text) for suffix, text in ENDS.items()}
# Programs that a person starts may end as they like.
COMMAND_FILE = re.compile(
    r"(?:^|/)(?:bin|exe|cmd|cli|commands?|scripts?|sbin)/|(?:^|/)(?:\w+[_-])?(?:cli|main|commands?"
    r"|daemon|server|worker|launcher|supervisor|console|Rakefile)\.\w+$"
)
COMMAND_FUNCTION = re.compile(
    r"(?i)_?(?:main|cli|run|command|handle|exit|quit|stop|shutdown|daemon|fork|serve|start|spawn"
    r"|background|detach|launch|restart|exec|terminate|redirect|abort)\w*"
    r"|\w*(?:command|main|daemon|daemonize|server|worker|process)"
)
# Files with which a program starts; in Go every file of it says so.
HAS_MAIN = {
    ".go": re.compile(r"(?m)^package main\b"),
    ".rs": re.compile(r"\bfn main\("),
    ".rb": re.compile(r"\bOptionParser\b|\bARGV\b|\bThor\b"),
    ".pm": re.compile(r"\bwaitpid\b|\bexec\b"),
    ".php": re.compile(
        r"\b(?:header|http_response_code|getopt|readfile|php_sapi_name)\(|\$argv\b|\bPHP_SAPI\b"
    ),
    ".java": re.compile(r"\bvoid main\("),
    ".kt": re.compile(r"\bfun main\("),
    ".cs": re.compile(r"\bMain\("),
    ".swift": re.compile(r"@main\b"),
    # Code that starts other programs forks for it.
    **dict.fromkeys(
        (".c", ".cc", ".cpp"), re.compile(r"\bmain\s*\(|\bexec[lv]\w*\s*\(|\bwait(?:pid)?\s*\(")
    ),
}
RUBY_MAIN = re.compile(r"__FILE__ *== *\$(?:0|PROGRAM_NAME)|\$(?:0|PROGRAM_NAME) *== *__FILE__")
FUNCTION = re.compile(
    r"\b(?:def|func|function|fn|sub|fun)\s+(?:\([^)]*\)\s*)?(?:self\.|\w+\.)?(\w+)"
    r"|^\s*(?:[\w<>\[\],*&]+\s+)+[*&]?(?!(?:if|for|while|switch|catch)\b)(\w+)\s*\([^;]*\)"
    r"\s*(?:throws [\w., ]+)?\{?\s*$"
)
# A function of Go that runs work which answers with an exit code, as `m.Run` of the tests does.
RUNS_WORK = re.compile(
    r"(?ms)^func [^\n]*?\b(?P<work>\w+) func\(\) int\b[^\n]*?\)"
    r"(?: int| \((?P<code>\w+) int\))? \{\n(?P<body>.*?)^\}"
)
STARTS_AT_LOAD = ("init",)  # Go calls it before a program or a test begins


def ending_lines(path: str, before: str, after: str) -> Iterator[int]:
    """The numbers of the lines that end or leave the process, outside of command lines."""
    suffix = posixpath.splitext(path)[1]
    pattern = PATTERNS.get(suffix)
    if not pattern or COMMAND_FILE.search(path) or (before or after).startswith("#!"):
        return
    main = HAS_MAIN.get(suffix)
    has_main = bool(main and main.search(before or after))
    lines = [line.rstrip() for line in after.splitlines()]
    for number, line in enumerate(lines, 1):
        if RUBY_MAIN.search(line):
            return  # what follows runs only in a program
        if not pattern.search(line):
            continue
        name = enclosing_function(lines, number)
        if has_main and name not in STARTS_AT_LOAD:
            continue
        if not name or not COMMAND_FUNCTION.fullmatch(name):
            yield number


def lost_code_lines(path: str, code: str) -> Iterator[int]:
    """The lines of Go that drop or replace the exit code of the work that a function runs."""
    for match in RUNS_WORK.finditer(code) if path.endswith(".go") else ():
        work, result = match["work"], match["code"]
        lost = rf"^\s*(?:_ = )?{work}\(\)\s*$"
        lost += rf"|^\s*{result} = (?!{work}\(\))" if result else ""
        first = code.count("\n", 0, match.start("body")) + 1
        for number, line in enumerate(match["body"].splitlines(), first):
            if re.search(lost, line):
                yield number


def enclosing_function(lines: list[str], number: int) -> str:
    """The name of the function around a line, by its indentation; "" outside of functions."""
    line = lines[number - 1]
    depth = indentation(line)
    is_declaration = line.rstrip().endswith(";")
    if not is_declaration and (match := FUNCTION.match(line.strip())):
        return match[1] or match[2]
    for above in reversed(lines[: number - 1]):
        if above.strip() in ("", "{") or indentation(above) >= depth:
            continue
        depth = indentation(above)
        if match := FUNCTION.search(above):
            return match[1] or match[2]
    return ""


def indentation(line: str) -> int:
    """The columns before the first letter of a line."""
    text = line.expandtabs(4)
    return len(text) - len(text.lstrip())
