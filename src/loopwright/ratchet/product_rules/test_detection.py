"""Finds new product code that detects a test run, or that ends the process while tests run."""

from __future__ import annotations

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.baseline import Change
from ...repo.sources import SCRIPT_ENDINGS, SourceFile, code_text
from ..project_files import ProjectFiles
from ..surroundings import is_product_code, path_of_code
from . import assertion_effects, output_branches, process_ends, process_facts, python_tricks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PROCESS_EVENTS = r"(?:on|once|off|emit|addListener|prependListener)"
DETECTION = re.compile(
    # Python: the runner, the stack, the process, and how it was started.
    r"PYTEST_|['\"](?:_?pytest|unittest|nose2?|vitest|jest|mocha)['\"] *(?:not +)?in +\w*\.?modules"
    r"|sys\.modules\b|sys\._(?:getframe|current_frames)|sys\.(?:gettrace|settrace|setprofile)"
    r"|sys\.(?:monitoring|excepthook|orig_argv)|inspect\.(?:stack|currentframe)"
    r"|traceback\.extract_stack|\.tb_frame\b|\.f_(?:back|code|globals|locals)\b|\bimport __main__"
    r"|sys\.argv\[0\](?:\)* *[!=]=|\.(?:ends|starts)with)|in sys\.argv\[0\]"
    r"|sys\.argv.*test|test['\"] *(?:not +)?in +sys\.argv|\b__debug__\b|gc\.get_(?:obj|ref)"
    r"|os\._exit|atexit\.register|os\.exec[lv]|os\.kill\(os\.getpid|__import__\("
    r"|sys\.(?:meta_path|path_hooks|path_importer_cache)|\bbuiltins\.\w+ *=(?!=)|__builtins__"
    r"|os\.fork\(|os\.getppid|\bpsutil\b|\bps -\w|\b_?pytest\b|\bunittest\b|\bTest(?:Result|Case)\b"
    r"|def __(?:eq|ne|bool)__\(self[^)]*\): *return True|\bTEST_RUNNER *="
    r"|^raise SystemExit(?:\(0?\))?\s*$|^sys\.exit\(0?\)|\$\{?PPID|/proc/(?:self|\$\$)/"
    # Code that cannot be read here.
    r"|\b(?:exec|eval)\((?:bytes|base64|codecs|zlib)"
    # Python: traces that a runner leaves in its process, and ways out of it.
    r"|sys\.__std(?:in|out|err)__|faulthandler\.is_enabled|\bwarnings\.filters|sys\.warnoptions"
    r"|getLogger\(\)\.(?:handlers|hasHandlers)|logging\.root\b|except RecursionError"
    r"|threading\.(?:enumerate|excepthook)|sys\.unraisablehook|signal\.getsignal"
    r"|gc\.(?:isenabled|get_count|callbacks)|(?:os\.getcwd|Path\.cwd)\(\) *[!=]="
    r"|[!=]= *(?:os\.getcwd|(?:pathlib\.)?Path\.cwd)\(\)"
    r"|\b__name__ *(?:!=|(?:==|in\b|not in\b)(?! *['\"]__main__['\"]))"
    r"|\bCDLL\(None|ctypes\.pythonapi|\b(?:import|from) posix\b"
    r"|\bexec\(\w+\(|marshal\.loads|getattr\((?:os|sys|builtins),(?! *[\"'][^\"']*[\"'] *[,)])"
    r"|\b(?:eval|Function)\((?:atob|Buffer)"
    # Python: objects that only a test has, and settings of the whole process.
    r"|\bexcept\b.*\bAssertionError\b"
    r"|\b_?(?:method|mock)_calls\b|\bassert_(?:not_)?(?:called|any_call|has_calls)\w*|\b_mock_\w+"
    r"|__module__\b[^=\n]*(?:[!=]=|\bin\b|startswith)|getcontext\(\)\.\w+ *=(?!=)|\bsetcontext\("
    # JavaScript: the runner, its variables, and the mode in which the code is loaded.
    r"|JEST_WORKER_ID|VITEST|NODE_TEST_CONTEXT|NODE_ENV\W+test|\bnpm_(?!package_)"
    r"|\bprocess\.(?:argv.*test|execArgv|channel\b)|['\"]node:test['\"]|node:assert|asymmetricMatch"
    r"|\bprocess\.(?:exit\(0?\)|reallyExit)"
    r"|\bprocess\.\w*(?:on(?:ce)?|off|Listeners?)\(\s*"
    r"(?:\)|['\"`](?:exit|beforeExit|uncaught|unhandled))"
    # JavaScript: other ways to keep every error of the process, and to name such a way.
    r"|\b(?:from|require\(|import\(?|getBuiltinModule\()\s*['\"`](?:node:)?domain['\"`]"
    r"|\bsetUncaughtExceptionCapture\w+|\b_fatalException\b"
    r"|\basync_hooks\.createHook\b|\bcreateHook\b.*\basync_hooks\b"
    # JavaScript: what runs now, who called, and what else is open in this process.
    r"|\bexecutionAsync(?:Resource|Id)\b|\btriggerAsyncId\b|\bgetActiveResourcesInfo\b"
    r"|\b_getActive(?:Handles|Requests)\b|\bgetCallSites?\(|\bprepareStackTrace\b"
    rf"|\{{[^}}]*\b{PROCESS_EVENTS}\b[^}}]*\}} *(?:= *(?:require\()?|from +)['\"]?"
    r"(?:node:)?process\b"
    r"|\bprocess\[(?!['\"`]env\b)"
    r"|process\.(?:exitCode *= *0|(?:exit|emit) *=(?!=))|defineProperty\(process\b"
    r"|require\.(?:cache|extensions)|\._(?:load|resolveFilename|extensions|compile)\b *="
    r"|(?<!\.stack = )new Error\(\)\.stack|\.stack\.(?:includes|match|indexOf)"
    r"|require\.main\b.*test"
    r"|typeof (?:jest|vi|describe|it|expect)\b|globalThis\.(?:jest|vi|describe|expect)"
    r"|import\.meta\.(?:vitest|env\??\.(?:MODE|TEST|DEV|PROD))"
    # Rust and Go.
    r"|cfg!\((?:test|debug_assertions)\)|#\[cfg(?:_attr)?\((?:not\()?debug_assertions|RUST_TEST"
    r"|cfg\(not\(test\)\)|cfg_attr\(test\b(?!, *(?:allow|expect|warn|deny|derive)\()"
    r"|^\s*(?:import )?\"testing\"$"
    r"|process::exit\(0\)|testing\.Testing\(\)|flag\.Lookup\(['\"]test\."
    r"|\((?:\w+\.\w+\()?os\.Args\[0\]\)*,"
    r"|os\.Args *=(?!=)|append\(os\.Args|flag\.(?:Set|CommandLine)\b"
    r"|extern \"C\" fn (?:_?exit|abort|__\w+)\b|panic::(?:set|take)_hook"
    r"|\bcatch_unwind\b|macro_rules! *(?:debug_)?assert(?:_eq|_ne)?\b"
    r"|syscall\.Exit|runtime\.Callers?\(|debug\.Stack\("
    # A setting of the project that says that tests run.
    r"|\b(?:IS_|UNDER_|IN_)?TEST(?:ING|_MODE|_RUN)\b|\b(?:IS|UNDER|IN)_TESTS?\b"
    r"|\bis_?[tT]est(?:ing|_?[mM]ode|_?[rR]un)\b"
    # A path or name of tests as a text: the product looks for them.
    r"|['\"][\w./-]*(?:\btests?/|/tests?\b|\btest_\w+\.py|_test\.\w+|[.-](?:test|spec)\.[cm]?[jt]s)"
    r"|['\"](?:tests?|__tests__|specs?)['\"]|pytest['\"]"
)
# A line that is only a sentence, as a part of a message.
PROSE = re.compile(r"^f?[\"'] ?\w[^{}]*(?: [a-z]+){2,}.*[\"'][,)]*$")
REQUIREMENT = re.compile(r"(?:install|tests|setup|extras)_require\w* *=")
# A package on a line of its own, in the list that setup.py gives to the installer.
LISTED_PACKAGE = re.compile(r"['\"][A-Za-z][\w.-]*(?:\[[\w,-]+\])? *(?:[<>=~!][^'\"]*)?['\"],?")
FRAME = re.compile(
    r"sys\._getframe|inspect\.(?:stack|currentframe)|\.f_(?:back|code|globals|locals)"
)
# Parts of the language that comparisons use.
SCRIPT_BUILTIN = re.compile(
    r"\b(?:Object|Array|Number|String|Symbol|JSON|Math|Promise|Reflect)(?:\.prototype)?"
    r"\.\w+ *=(?![=>])"
)
# C and C++: the assertions, what they call, and the end of the process.
C_TRICKS = (
    r"#\s*(?:define|undef)\s+(?:assert|ASSERT|EXPECT|REQUIRE|CHECK)\w*|\b__assert\w*|\bNDEBUG\b"
    r"|\b__OPTIMIZE__\b"
    r"|\bSIGABRT\b|__attribute__\s*\(\(\s*(?:con|de)structor|\bat_?(?:quick_)?exit\s*\("
    r"|\b_[eE]xit\s*\("
    r"|^\s*(?:_Noreturn )?(?:void|int)\s+(?:abort|exit|strcmp|memcmp|printf|puts)\s*\("
)
C_DETECTION = re.compile(C_TRICKS)
C_LIBRARY_DETECTION = re.compile(rf"{C_TRICKS}|\bexit\s*\(\s*(?:0|EXIT_SUCCESS)\s*\)")
C_SUFFIXES = (".c", ".cc", ".cpp", ".h", ".hpp")
PERL_DETECTION = re.compile(
    r"\bTest2?::\w+|\bHARNESS_|\$(?:\w+::)*TODO\b|::TODO\b|^\s*END\b|\$\?\s*=(?![=~])"
    r"|\$0\s*(?:=~|eq|ne|!~)"
    r"|\boverload\b.*(?:\beq\b|==).*sub\s*\{\s*1\b|\bexit\b(?:\s*\(?0\)?)?\s*;|\*CORE::"
)
PERL_SUFFIXES = (".pl", ".pm")
# Ruby: the runners and their assertions. PHP: assertions, and functions of a namespace that hide
# one of the language.
RUBY_DETECTION = re.compile(
    r"\bMinitest\b|\bMiniTest\b|\bRSpec\b|\bTest::Unit\b|^\s*def (?:assert|refute)(?:_\w+)?\b"
)
PHP_DETECTION = re.compile(
    r"['\"]\\?Tests?\\|\bzend\.assertions|['\"]assert\.\w+['\"]|\bassert_options\("
    r"|\bPHPUnit\b|\bPHPUNIT_"
)
# An autoloader that gives a class another name can give one of the tests another class.
PHP_ALIAS = re.compile(r"\bclass_alias\(")
PHP_FUNCTION = re.compile(
    r"^function &?(?:abs|assert|count|sizeof|strlen|strcmp|round|floor|ceil|intdiv|min|max"
    r"|array_\w+|in_array|is_\w+|var_export|json_encode|json_decode|serialize|trim|str\w*"
    r"|implode|explode|sprintf|printf|preg_\w+|exit|die|fwrite|file_\w+|number_format"
    r"|time|microtime|date)\("
)
# A shell script may run tests. What it must not do is look at who runs it.
SHELL_DETECTION = re.compile(r"\$\{?PPID|/proc/(?:self|\$\$)/|\bps -\w|PYTEST_|NODE_TEST_CONTEXT")
SCRIPT_IMPORT = re.compile(
    r"(?:const|let|var|import)\s+(?:\*\s+as\s+)?([\w$]+)\s*(?:=\s*require\(|from)"
    r"\s*['\"]([^.'\"/#])"
)
RUNNER_NAMES = ("pytest", "_pytest", "unittest", "Minitest", "RSpec", "Test::Unit", "PHPUnit")
RUNNER_IMPORT = re.compile(
    r"(?m)^\s*(?:import|from) (?:_?pytest|unittest)\b"
    r"|^\s*(?:require|use)\b.*(?:minitest|rspec|test/unit|PHPUnit)"
    r"|^\s*(?:module|class) .*(?:Minitest|RSpec)"
)
INLINE_TESTS = re.compile(r"#\[cfg\(test\)\]\nmod \w+ \{\n.*?\n\}", re.S)  # no product
MAX_FINDINGS_OF_FILE = 3


def findings(files: ProjectFiles) -> list[Finding]:
    """New lines of product files that look at the test run, or that disarm it."""
    found: list[Finding] = []
    lost = {path: _own_lines(change.before) for path, change in files.changes.items()}
    known = set().union(*lost.values()) if lost else set()
    for row in files.changes.values():
        # Code that a build writes is what its template says.
        path = row.path
        change = Change(path_of_code(path), row.before, row.after)
        if change.after is None or not is_product_code(change):
            continue
        is_installer = change.path == "setup.py"
        lines = {
            number: line
            for number, line in (*_detecting_lines(change, files), *_lines_about_process(change))
            if _plain(line) not in known
            and not REQUIREMENT.match(line)
            and not (is_installer and LISTED_PACKAGE.fullmatch(line))
            and not PROSE.match(line)
            and not _looks_at_frames_as_before(line, change)
        }
        found += [
            Finding(MEDIUM, "product-detects-tests", path, number, after=line[:200])
            for number, line in sorted(lines.items())[:MAX_FINDINGS_OF_FILE]
        ]
    return found


def _own_lines(text: str | None) -> set[str]:
    return {_plain(line) for line in (text or "").splitlines()}


def _plain(line: str) -> str:
    """The line with one kind of quotes, and `#  define` as `#define`."""
    return re.sub(r"^#\s+", "#", line.strip()).replace('"', "'")


def _looks_at_frames_as_before(line: str, change: Change) -> bool:
    """Does a module that looks at the stack of its callers, as a logger does, do that once more?"""
    others = DETECTION.sub(lambda match: "" if FRAME.match(match[0]) else match[0], line)
    is_only_frame = bool(FRAME.search(line)) and not DETECTION.search(others)
    return is_only_frame and bool(FRAME.search(change.before or ""))


def _detection_for(path: str, text: str) -> re.Pattern[str]:
    if path.endswith(".sh"):
        return SHELL_DETECTION
    if path.endswith(PERL_SUFFIXES):
        return PERL_DETECTION
    if not path.endswith(C_SUFFIXES):
        return DETECTION
    has_main = re.search(r"\bmain\s*\(", text)  # a command line ends as it likes
    return C_DETECTION if has_main else C_LIBRARY_DETECTION


def _detecting_lines(change: Change, files: ProjectFiles) -> Iterator[tuple[int, str]]:
    path, after = change.path, change.after or ""
    patterns = [_detection_for(path, after)]
    if path.endswith(".py"):
        yield from python_tricks.disarming_lines(change.before or "", after, files)
    elif path.endswith(SCRIPT_ENDINGS):
        patterns.append(SCRIPT_BUILTIN)
        if names := "|".join(re.escape(name) for name, _ in SCRIPT_IMPORT.findall(after)):
            # The product replaces a part of a package that it imports.
            replaced = rf"^\s*(?:{names})(?:\.[\w$]+)+ *=(?![=>])|defineProperty\((?:{names})\b"
            patterns.append(re.compile(replaced))
    elif path.endswith(".rb"):
        patterns.append(RUBY_DETECTION)
    elif path.endswith(".php"):
        has_namespace = re.search(r"(?m)^namespace \w", after)
        patterns += [PHP_DETECTION, PHP_FUNCTION] if has_namespace else [PHP_DETECTION]
        if "spl_autoload_register" in after:
            patterns.append(PHP_ALIAS)
    known = {line.strip() for line in (change.before or "").splitlines()}
    if path.endswith(".rs"):
        after = INLINE_TESTS.sub(lambda match: "\n" * match[0].count("\n"), after)
    found = [
        (number, line)
        for number, line in enumerate(after.splitlines(), 1)
        if line.strip() not in known and any(pattern.search(line) for pattern in patterns)
    ]
    # A docstring or a comment that speaks of tests does nothing.
    code = code_text(SourceFile(path, after)).splitlines() if found else []
    is_for_tests = RUNNER_IMPORT.search(change.before or "")  # a plugin or a helper for testers
    for number, line in found:
        matches = [match[0] for p in patterns for match in p.finditer(code[number - 1])]
        if is_for_tests:
            matches = [match for match in matches if match not in RUNNER_NAMES]
        if matches:
            yield number, line.strip()


def _lines_about_process(change: Change) -> Iterator[tuple[int, str]]:
    """New lines that end or leave the process, decide by a fact of it, or work in assertions."""
    path, after = change.path, change.after or ""
    code = code_text(SourceFile(path, after))
    numbers = {
        *process_ends.ending_lines(path, change.before or "", code),
        *process_ends.lost_code_lines(path, code),
        *process_facts.deciding_lines(path, code),
        *process_facts.profile_lines(path, code),
        *output_branches.differing_lines(path, change.before or "", code),
        *assertion_effects.working_lines(path, code),
    }
    known = {line.strip() for line in (change.before or "").splitlines()}
    lines = after.splitlines()
    for number in sorted(numbers):
        if (line := lines[number - 1].strip()) not in known:
            yield number, line
