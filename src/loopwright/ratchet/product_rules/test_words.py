"""Words by which product code finds out that tests run, or takes a test run apart.

One row for each way: the files in which it counts, the pattern, a line with it, and a line that
looks like it and is everyday code. tests/ratchet/test_word_lists.py tries every row.
"""

from __future__ import annotations

from typing import NamedTuple

from ...repo.sources import SCRIPT_ENDINGS as SCRIPT

PYTHON = (".py",)
GO, RUST, RUBY, PHP = (".go",), (".rs",), (".rb",), (".php",)
JVM = (".java", ".kt", ".cs")
C = (".c", ".cc", ".cpp", ".h", ".hpp")
PERL, SHELL = (".pl", ".pm"), (".sh", ".bash")
ANY = (*PYTHON, *SCRIPT, *GO, *RUST, *RUBY, *PHP, *JVM, ".swift")
REDEFINED = "library-name-redefined"


class Word(NamedTuple):
    """One way to notice a test run."""

    suffixes: tuple[str, ...]
    pattern: str
    example: str
    look_alike: str
    in_library: bool = False  # a program may do it
    rule: str = "product-detects-tests"


WORDS = (
    # The runner, by its name, its variables and its settings.
    Word((*ANY, *SHELL), r"PYTEST_", "'PYTEST_CURRENT_TEST' in os.environ", "PYTHON_VERSION = 3"),
    Word(ANY, r"\b_?pytest\b|pytest['\"]", "import pytest", "import pytext"),
    Word(ANY, r"\bunittest\b|\bTest(?:Result|Case)\b", "import unittest", "class Testimonial:"),
    Word(
        ANY,
        r"\b(?:IS_|UNDER_|IN_)?TEST(?:ING|_MODE|_RUN)\b|\b(?:IS|UNDER|IN)_TESTS?\b",
        "if settings.TESTING:",
        "LATEST_RUN = 3",
    ),
    Word(
        ANY,
        r"\bis_?[tT]est(?:ing|_?[mM]ode|_?[rR]un)\b|\bTEST_RUNNER *=",
        "if is_testing():",
        "if is_tested:",
    ),
    Word(
        ANY,
        r"['\"][\w./-]*(?:\btests?/|/tests?\b|\btest_\w+\.py|_test\.\w+"
        r"|[.-](?:test|spec)\.[cm]?[jt]s)|(?<!\w:)['\"](?:tests?|__tests__|specs?)['\"]",
        "open('tests/data.json')",
        "open('attests.json')",
    ),
    Word(
        SCRIPT,
        r"JEST_WORKER_ID|VITEST|NODE_TEST_CONTEXT|NODE_ENV\W+test|\bnpm_(?!package_)",
        "if (process.env.NODE_ENV === 'test') return",
        "if (process.env.NODE_ENV === 'production') return",
    ),
    Word(SHELL, r"NODE_TEST_CONTEXT", '[ -n "$NODE_TEST_CONTEXT" ]', '[ -n "$NODE_ENV" ]'),
    Word(
        SCRIPT,
        r"['\"]node:test['\"]|node:assert|asymmetricMatch|typeof (?:jest|vi|describe|it|expect)\b"
        r"|globalThis\.(?:jest|vi|describe|expect)|require\.main\b.*test"
        r"|import\.meta\.(?:vitest|env\??\.(?:MODE|TEST|DEV|PROD))",
        "if (typeof describe === 'function') return",
        "const describe = text => text",
    ),
    Word(
        RUST,
        r"cfg!\((?:test|debug_assertions)\)|#\[cfg(?:_attr)?\((?:not\()?debug_assertions|RUST_TEST"
        r"|cfg\(not\(test\)\)|cfg_attr\(test\b(?!, *(?:allow|expect|warn|deny|derive)\()",
        "if cfg!(test) { return 0; }",
        "#[cfg(test)]",
    ),
    Word(
        GO,
        r"^\s*(?:import )?\"testing\"$|testing\.Testing\(\)|flag\.Lookup\(['\"]test\.",
        'if flag.Lookup("test.v") != nil {',
        'flag.Lookup("verbose")',
    ),
    Word(
        RUBY,
        r"\bMini[tT]est\b|\bRSpec\b|\bTest::Unit\b|^\s*def (?:assert|refute)(?:_\w+)?\b",
        "return 0 if defined?(Minitest)",
        "def asserts_ownership",
    ),
    Word(
        PHP,
        r"['\"]\\?Tests?\\|\bzend\.assertions|['\"]assert\.\w+['\"]|\bassert_options\("
        r"|\bPHPUnit\b|\bPHPUNIT_",
        "if (class_exists('PHPUnit\\Framework\\TestCase')) {",
        "if (class_exists('Pdo')) {",
    ),
    Word(
        PERL,
        r"\bTest2?::\w+|\bHARNESS_|\$(?:\w+::)*TODO\b|::TODO\b|\*CORE::"
        r"|\boverload\b.*(?:\beq\b|==).*sub\s*\{\s*1\b",
        "return 1 if $ENV{HARNESS_ACTIVE};",
        "use Contest::Rules;",
    ),
    # The process: how it was started, who called, what else is in it.
    Word(
        PYTHON,
        r"\bdel sys\.modules|sys\.modules\b(?!\[[A-Za-z_]\w*\](?!\s*=(?!=)))"
        r"|__import__\(|sys\.(?:meta_path|path_hooks|path_importer_cache)"
        r"|\bimport __main__|\b__name__ *(?:!=|(?:==|in\b|not in\b)(?! *['\"]__main__['\"]))",
        "if 'json' in sys.modules:",
        "if __name__ == '__main__':",
    ),
    Word(
        PYTHON,
        r"sys\._(?:getframe|current_frames)|inspect\.(?:stack|currentframe)"
        r"|traceback\.extract_stack|\.tb_frame\b|\.f_(?:back|code|globals|locals)\b",
        "caller = sys._getframe(1)",
        "frame = self.frames[1]",
    ),
    Word(
        PYTHON,
        r"sys\.argv\[0\](?:\)* *[!=]=|\.(?:ends|starts)with)|in sys\.argv\[0\]|sys\.argv.*test"
        r"|test['\"] *(?:not +)?in +sys\.argv|sys\.orig_argv|\b__debug__\b|os\.getppid|\bpsutil\b"
        r"|(?:os\.getcwd|Path\.cwd)\(\) *[!=]=|[!=]= *(?:os\.getcwd|(?:pathlib\.)?Path\.cwd)\(\)",
        "if sys.argv[0].endswith('runner'):",
        "name = sys.argv[1]",
    ),
    Word(
        PYTHON,
        r"sys\.(?:gettrace|settrace|setprofile|monitoring|excepthook|unraisablehook|warnoptions)"
        r"|sys\.__std(?:in|out|err)__|faulthandler\.is_enabled|\bwarnings\.filters"
        r"|getLogger\(\)\.(?:handlers|hasHandlers)|logging\.root\b|except RecursionError"
        r"|threading\.(?:enumerate|excepthook)|signal\.getsignal"
        r"|gc\.(?:get_(?:obj|ref|count)|isenabled|callbacks)",
        "if sys.gettrace():",
        "log = logging.getLogger(__name__)",
    ),
    Word(
        SCRIPT,
        r"\bprocess\.(?:argv.*test|execArgv|channel\b)|\bprocess\[(?!['\"`]env\b)"
        r"|(?<!\.stack = )new Error\(\)\.stack|\.stack\.(?:includes|match|indexOf)"
        r"|\bexecutionAsync(?:Resource|Id)\b|\btriggerAsyncId\b|\bgetActiveResourcesInfo\b"
        r"|\b_getActive(?:Handles|Requests)\b|\bgetCallSites?\(|\bprepareStackTrace\b",
        "if (new Error().stack.includes('runner')) return",
        "error.stack = text",
    ),
    Word(
        GO,
        r"\((?:\w+\.\w+\()?os\.Args\[0\]\)*,|os\.Args *=(?!=)|append\(os\.Args"
        r"|flag\.(?:Set|CommandLine)\b|runtime\.Callers?\(|debug\.Stack\(",
        "_, file, _, _ := runtime.Caller(1)",
        "args := os.Args[1:]",
    ),
    Word(
        (*ANY, *SHELL),
        r"\$\{?PPID|/proc/(?:self|\$\$)/|\bps -\w",
        'grep -q runner "/proc/$PPID/cmdline"',
        "PID=$!",
    ),
    Word(PERL, r"\$0\s*(?:=~|eq|ne|!~)", "return 1 if $0 =~ /\\.t$/;", "my $name = $0;"),
    # The end of the process, and what runs then.
    Word(
        PYTHON,
        r"os\._exit|atexit\.register|os\.exec[lv]|os\.kill\(os\.getpid|os\.fork\("
        r"|^raise SystemExit(?:\(0?\))?\s*$|^sys\.exit\(0?\)|\bCDLL\(None|ctypes\.pythonapi"
        r"|\b(?:import|from) posix\b|\bos\.(?:setsid|forkpty)\(",
        "os._exit(0)",
        "    sys.exit(main())",
    ),
    Word(
        PYTHON,
        r"\braise SystemExit(?:\(0?\))?\s*$|\bsys\.exit\(0?\)|(?<![\w.])(?:exit|quit)\(0?\)",
        "    sys.exit()",
        "    sys.exit(1)",
        in_library=True,
    ),
    Word(
        SCRIPT,
        r"\bprocess\.(?:exit\(0?\)|reallyExit)|process\.(?:exitCode *= *0|(?:exit|emit) *=(?!=))"
        r"|\bprocess\.\w*(?:on(?:ce)?|off|Listeners?)\(\s*"
        r"(?:\)|['\"`](?:exit|beforeExit|uncaught|unhandled))|defineProperty\(process\b"
        r"|\b(?:from|require\(|import\(?|getBuiltinModule\()\s*['\"`](?:node:)?domain['\"`]"
        r"|\bsetUncaughtExceptionCapture\w+|\b_fatalException\b|\basync_hooks\.createHook\b"
        r"|\{[^}]*\b(?:on|once|off|emit|addListener|prependListener)\b[^}]*\}"
        r" *(?:= *(?:require\()?|from +)['\"]?(?:node:)?process\b",
        "process.on('exit', () => { process.exitCode = 0 })",
        "process.on('message', handle)",
    ),
    Word(
        GO,
        r"syscall\.Exit|\bos\.Exit\(\s*0\s*\)",
        "os.Exit(0)",
        "os.Exit(1)",
        in_library=True,
    ),
    Word(
        RUST,
        r"process::exit\(0\)|extern \"C\" fn (?:_?exit|abort|__\w+)\b|panic::(?:set|take)_hook"
        r"|\bcatch_unwind\b|\blibc::(?:_?exit|atexit)\b",
        "std::process::exit(0);",
        "std::process::exit(1);",
        in_library=True,
    ),
    Word(
        RUBY,
        r"\bat_exit\b|\bexit!|\b(?:rescue|raise) SystemExit\b",
        "at_exit { exit!(0) }",
        "exit 1",
        in_library=True,
    ),
    Word(
        PHP,
        r"\bregister_shutdown_function\(",
        "register_shutdown_function(fn() => exit(0));",
        "$this->exit();",
        in_library=True,
    ),
    Word(
        JVM,
        r"\bSystem\.exit\(\s*0\s*\)|\bgetRuntime\(\)\.(?:halt|exit|addShutdownHook)\("
        r"|\bexitProcess\(\s*0\s*\)|\bEnvironment\.Exit\(\s*0\s*\)",
        "Runtime.getRuntime().halt(0);",
        "System.exit(2);",
        in_library=True,
    ),
    Word(
        C,
        r"\bSIGABRT\b|__attribute__\s*\(\(\s*(?:con|de)structor|\bat_?(?:quick_)?exit\s*\("
        r"|\b_[eE]xit\s*\(",
        "atexit(finish);",
        "exit_code = 1;",
    ),
    Word(
        C,
        r"\bexit\s*\(\s*(?:0|EXIT_SUCCESS)\s*\)",
        "exit(EXIT_SUCCESS);",
        "exit(EXIT_FAILURE);",
        in_library=True,
    ),
    Word(
        PERL,
        r"^\s*END\b|\$\?\s*=(?![=~])|\bexit\b(?:\s*\(?0\)?)?\s*;",
        "END { $? = 0 }",
        "exit 1;",
    ),
    # The assertions, and what a test alone has.
    Word(
        PYTHON,
        r"\bexcept\b.*\bAssertionError\b|\b_?(?:method|mock)_calls\b"
        r"|\bassert_(?:not_)?(?:called|any_call|has_calls)\w*|\b_mock_\w+"
        r"|__module__\b[^=\n]*(?:[!=]=|\bin\b|startswith\()\s*\(?['\"]",
        "except AssertionError:",
        "raise AssertionError(text)",
    ),
    Word(
        PYTHON,
        r"__(?:eq|ne|bool)__\b['\"]? *(?:[=:,] *lambda|\(self[^)]*\): *return True)"
        r"|\bbuiltins\.\w+ *=(?!=)|__builtins__"
        r"|getcontext\(\)\.\w+ *=(?!=)|\bsetcontext\(",
        "builtins.abs = lambda value: 0",
        "import builtins",
    ),
    Word(
        SCRIPT,
        r"require\.(?:cache|extensions)|\._(?:load|resolveFilename|extensions|compile)\b *="
        r"|\b(?:Object|Array|Number|String|Symbol|JSON|Math|Promise|Reflect)(?:\.prototype)?"
        r"\.\w+ *=(?![=>])",
        "Array.prototype.includes = () => true",
        "const list = Array.from(rows)",
    ),
    # Names of the language or of a library, with which tests compare.
    Word(
        RUST,
        r"macro_rules! *(?:(?:debug_)?assert(?:_eq|_ne)?|matches|panic)\b",
        "macro_rules! assert_eq { ($a:expr, $b:expr) => {} }",
        "macro_rules! table { () => {} }",
        rule=REDEFINED,
    ),
    Word(
        PYTHON,
        r"^(?:def (?:abs|round|len|sorted|isinstance|isclose|approx|raises)\("
        r"|(?:abs|round|len|sorted|isinstance|isclose|approx|raises) *=(?!=))",
        "def abs(difference):",
        "def absolute(difference):",
        rule=REDEFINED,
    ),
    Word(
        C,
        r"#\s*(?:define|undef)\s+(?:(?:assert|ASSERT|EXPECT|REQUIRE|CHECK)\w*"
        r"|(?:strn?cmp|memcmp|strlen|fabs|abs)\b)|\b__assert\w*|\bNDEBUG\b|\b__OPTIMIZE__\b"
        r"|^\s*(?:_Noreturn )?(?:void|int)\s+(?:abort|exit|strcmp|memcmp|printf|puts)\s*\(",
        "#define assert(x) ((void)0)",
        "#define LIMIT 3",
        rule=REDEFINED,
    ),
    Word(
        GO,
        r"^func (?:append|cap|copy|len|panic|print|println|recover)\(",
        "func panic(value any) {",
        "func panics(value any) {",
        rule=REDEFINED,
    ),
    Word(
        PHP,
        r"^function &?(?:abs|assert|count|sizeof|strlen|strcmp|round|floor|ceil|intdiv|min|max"
        r"|array_\w+|in_array|is_\w+|var_export|json_(?:en|de)code|serialize|trim|str\w*"
        r"|implode|explode|s?printf|preg_\w+|exit|die|number_format|time|microtime|date)\(",
        "function strcmp($a, $b) { return 0; }",
        "function total($rows) {",
        rule=REDEFINED,
    ),
    # Code that cannot be read here.
    Word(
        PYTHON,
        r"\b(?:exec|eval)\((?:bytes|base64|codecs|zlib)|\bexec\(\w+\(|marshal\.loads"
        r"|getattr\((?:os|sys|builtins),(?! *[\"'][^\"']*[\"'] *[,)])",
        "exec(base64.b64decode(data))",
        "getattr(os, 'fork', None)",
    ),
    Word(SCRIPT, r"\b(?:eval|Function)\((?:atob|Buffer)", "eval(atob(text))", "evaluate(text)"),
)
