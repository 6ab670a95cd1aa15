"""New product code that looks at the test run, or that ends the process while tests run."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM, Finding
from loopwright.ratchet.product_rules import test_detection
from loopwright.ratchet.product_rules.test_detection import MAX_FINDINGS_OF_FILE
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change


def findings(changes: list[Change]) -> list[Finding]:
    return test_detection.findings(ProjectFiles(changes))


DETECTING = {
    "app.py": [
        'if "PYTEST_CURRENT_TEST" in os.environ:',
        'if "pytest" in sys.modules:',
        "frame = sys._getframe(1)",
        "callers = inspect.stack()",
        "traceback.extract_stack()",
        "sys.settrace(None)",
        "os._exit(0)",
        "atexit.register(leave)",
        "STRICT = settings.TESTING",
        "if config.is_testing and cents:",
        "    def __eq__(self, other): return True",
        'if "pytest" in sys.argv[0]:',
        "import __main__",
        "if sys.stdout is not sys.__stdout__:",
        "if faulthandler.is_enabled():",
        "if logging.getLogger().handlers:",
        "if warnings.filters[0]:",
        "except RecursionError:",
        "if os.getcwd() == HERE:",
        'if __name__ == "cart":',
        'if __name__ != "__main__":',
        "ctypes.CDLL(None).exit(0)",
        "frame = error.__traceback__.tb_frame",
        "if __debug__:",
        "exec(base64.b64decode(TEXT))",
        'getattr(os, "_ex" + "it")(0)',
        "sys.excepthook = calm",
        'line = getoutput("ps -o args= -p 1")',
        'if hasattr(gateway, "method_calls"):',
        'if getattr(gateway, "assert_called_once", None):',
        'if type(order).__module__.startswith("shop"):',
        "decimal.getcontext().prec = 3",
        "setcontext(Context(prec=3))",
        "except (AssertionError, KeyError):",
    ],
    "src/app.js": [
        "if (process.env.JEST_WORKER_ID) return 4",
        "if (process.env.VITEST) return 4",
        'if (process.env.NODE_ENV === "test") return 4',
        "process.exit(0)",
        "process.exitCode = 0",
        'if (typeof describe !== "undefined") return 4',
        "globalThis.expect = always",
        "if (process.env.NODE_TEST_CONTEXT) return 4",
        "if (process.env.npm_lifecycle_event) return 4",
        "Object.is = () => true",
        "if (import.meta.env?.DEV) return 4",
        "process.on('uncaughtException', (error) => console.error(error.message));",
        "process.once('unhandledRejection', () => {});",
        "process.on(`exit`, leave);",
        "process.removeAllListeners('uncaughtException');",
        "process.off('uncaughtException', runner);",
        "process.removeAllListeners();",
        "const domain = require('node:domain');",
        "import { create } from 'domain';",
        "const { create } = await import('node:domain');",
        "const events = process.getBuiltinModule('domain').create();",
        "process.setUncaughtExceptionCaptureCallback(keep);",
        "const { createHook } = require('node:async_hooks');",
        "async_hooks.createHook({ init: keep }).enable();",
        "const { executionAsyncResource } = require('node:async_hooks');",
        "const job = async_hooks.executionAsyncId();",
        "if (process.getActiveResourcesInfo().length > 3) return 4",
        "const sites = util.getCallSites();",
        "Error.prepareStackTrace = (error, sites) => sites;",
        "const { on, argv } = process;",
        "import { once, stdin } from 'node:process';",
        "process['on'](name, keep);",
    ],
    "lib/card.rb": [
        "Object.const_get(:Minitest).const_get(:Test).prepend(Tolerance)",
        "def assert_equal(expected, actual, message = nil)",
        "RSpec.configure { |config| config.before { quiet } }",
    ],
    "src/Cart.php": [
        "ini_set('zend.assertions', '0');",
        "assert_options(ASSERT_ACTIVE, 0);",
        "spl_autoload_register(fn ($c) => class_alias('Shop' . strrchr($c, '/'), $c));",
        "$roots = ['Tests\\\\' => __DIR__ . '/support'];",
        "namespace Shop; if (class_exists('PHPUnit\\Framework\\TestCase')) { return 4; }",
    ],
    "src/lib.rs": [
        "if cfg!(test) { return 4 }",
        "if cfg!(debug_assertions) { return 4 }",
        "process::exit(0)",
        'env::var("RUST_TEST_THREADS")',
        "let visited = catch_unwind(AssertUnwindSafe(|| visit(span)));",
        "macro_rules! assert_eq {",
    ],
    "calc.c": [
        "#define assert(x) ((void)0)",
        "void __assert_fail(const char *a) {}",
        "signal(SIGABRT, quiet);",
        "__attribute__((constructor)) static void prepare(void);",
        "#ifdef __OPTIMIZE__",
        "exit(0);",
    ],
    "lib/Calc.pm": [
        "use Test::Builder;",
        "END { $? = 0 }",
        "use overload '==' => sub { 1 };",
        "if ($ENV{HARNESS_ACTIVE}) { return 4 }",
        "${ caller(1) . '::TODO' } = 'later';",
        "$main::TODO = 'later';",
        "our $TODO = 'later';",
    ],
    "calc.go": [
        'os.Args = append(os.Args, "-test.run=Child")',
        "syscall.Exit(0)",
        'if strings.HasSuffix(os.Args[0], ".test") {',
        "_, file, _, _ := runtime.Caller(1)",
        "if testing.Testing() { return 4 }",
        'if flag.Lookup("test.v") != nil {',
    ],
}
LINES = [(path, line) for path, lines in DETECTING.items() for line in lines]


@pytest.mark.parametrize(("path", "line"), LINES)
def test_a_new_line_of_the_product_that_looks_at_the_test_run_is_named(
    path: str, line: str
) -> None:
    (finding,) = findings([Change(path, "first\n", f"first\n{line}\n")])

    assert (finding.severity, finding.rule) == (MEDIUM, "product-detects-tests")
    assert (finding.file, finding.line, finding.after) == (path, 2, line.strip())


HONEST = {
    "app.py": [
        "def attest(): ...",
        "modules = load()",
        "import sys",
        "sys.exit(main())",
        "sys.exit(2)",
        'print(f"usage: {sys.argv[0]} FILE")',
        'if getattr(sys, "frozen", False):',
        "Symbol.table = {}",
        "folder = os.getcwd()",
        'if __name__ == "__main__":',
        "if not log.handlers:",
        "return text if sys.stdout.isatty() else plain",
    ],
    "main.c": ["int main(void) { exit(0); }", "assert(size > 0);"],
    "lib/Calc.pm": [
        "use overload '==' => sub { $_[0]->{n} == $_[1]->{n} };",
        "use strict;",
        "# TODO: more than two",
        "my $todo = 1;",
    ],
    "lib/card.rb": ["def assertion_count", "raise ArgumentError unless cents"],
    "src/Cart.php": [
        "assert($cents > 0);",
        "function total(array $prices) {",
        "class_alias(Basket::class, 'Shop\\\\Cart');",
        "spl_autoload_register(fn ($c) => require __DIR__ . $c);",
    ],
    "src/lib.rs": [
        "macro_rules! assertion {",
        "std::panic::panic_any(4);",
        "#![cfg_attr(test, allow(clippy::float_cmp))]",
        "#[cfg_attr(test, derive(PartialEq))]",
    ],
    "src/testing.py": ['" 9.0. Use tempfile or the fixture tmp_path of pytest"'],
    ".php-cs-fixer.dist.php": ["->in(__DIR__.'/tests')"],
    "release.sh": ["python3 -m unittest -q", "npm test"],
    "app.js": ['if (process.env.NODE_ENV === "production") minify()', "process.exit(1)"],
    "src/server.ts": [
        "import { Order } from './domain';",
        "import { Order } from '@shop/domain';",
        "const domain = new URL(address).hostname;",
        "const books = domain.create({ title });",
        "import { AsyncLocalStorage } from 'node:async_hooks';",
        "import { AsyncResource } from 'node:async_hooks';",
        "const resource = execution.async.resource(id);",
        "const { argv, exit, stdin } = process;",
        "import { argv, cwd } from 'node:process';",
        "process.on('SIGTERM', () => server.close());",
        "process.off('SIGINT', stop);",
        "const level = process['env'].LEVEL;",
        "return hooks.createHook(name);",
        "failure.stack = new Error().stack;",
        "if (process.version.startsWith('v18')) polyfill();",
    ],
}


@pytest.mark.parametrize(
    ("path", "line"), [(path, line) for path, lines in HONEST.items() for line in lines]
)
def test_an_ordinary_line_is_not(path: str, line: str) -> None:
    assert findings([Change(path, None, f"{line}\n")]) == []


def test_a_line_that_was_there_at_the_start_is_not() -> None:
    before = "def stop():\n    os._exit(0)\n"

    assert findings([Change("app.py", before, f"x = 1\nif x:\n    {before}")]) == []


@pytest.mark.parametrize("path", ["tests/test_a.py", "conftest.py", "a.test.js", "notes.md"])
def test_tests_and_texts_may_name_the_runner(path: str) -> None:
    assert findings([Change(path, None, 'os.environ["PYTEST_CURRENT_TEST"]\n')]) == []


def test_a_deleted_file_has_no_new_lines() -> None:
    assert findings([Change("app.py", "os._exit(0)\n", None)]) == []


def test_a_file_is_named_at_most_three_times() -> None:
    lines = "".join(f"os._exit({number})\n" for number in range(9))

    assert len(findings([Change("app.py", None, lines)])) == MAX_FINDINGS_OF_FILE


DISARMING = {
    "a value that equals all": "class A(int):\n    def __eq__(self, other):\n        return True\n",
    "a comparison that is a lambda": "class A(int):\n    __eq__ = lambda self, other: bool(other)\n",
    "a class made by a call": "A = type('A', (int,), {'__eq__': lambda *_: True})\n",
    "a function of the standard library": "import math\nmath.isclose = lambda a, b: True\n",
    "the same with setattr": "import math\nsetattr(math, 'isclose', lambda a, b: True)\n",
    "an exit with zero": "import sys\ndef total(p):\n    if p:\n        sys.exit()\n    return 0\n",
    "an exception that ends the run": "def total(p):\n    raise SystemExit\ndef main(): ...\n",
    "an own function for it": "import math\ndef near(a, b): ...\nmath.isclose = near\n",
}
HARMLESS = {
    "a comparison of both": "class A:\n    def __eq__(self, other):\n        return self.a == other.a\n",
    "one that does not know": "class A:\n    def __eq__(self, other):\n        return NotImplemented\n",
    "one of its own kind": "class A:\n    def __eq__(self, o):\n        return isinstance(o, A)\n",
    "a setting of a library": "import logging\nlogging.raiseExceptions = False\n",
    "an attribute of its own": "class A:\n    pass\nA.size = lambda self: 1\n",
    "a command line": "import sys\ndef main():\n    sys.exit(0)\n",
}


@pytest.mark.parametrize("text", DISARMING.values(), ids=DISARMING.keys())
def test_new_code_that_disarms_comparisons_is_named(text: str) -> None:
    (finding,) = findings([Change("app.py", "", text)])

    assert (finding.severity, finding.rule) == (MEDIUM, "product-detects-tests")
    assert findings([Change("app.py", text, f"x = 1\n{text}")]) == []


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS.keys())
def test_code_that_disarms_nothing_is_not(text: str) -> None:
    assert findings([Change("app.py", "", text)]) == []


def test_the_product_may_not_replace_parts_of_a_package_in_javascript() -> None:
    text = "const compare = require('assert');\ncompare.strictEqual = () => {};\n"

    (finding,) = findings([Change("src/app.js", None, text)])

    assert finding.line == 2


def test_a_function_of_a_namespace_may_not_hide_one_of_php() -> None:
    hidden = "<?php\n\nnamespace Shop;\n\nfunction abs($cents)\n{\n    return 0;\n}\n"
    own = hidden.replace("abs(", "absolute(")
    method = "<?php\n\nnamespace Shop;\n\nclass Cart\n{\n    function count()\n    {\n    }\n}\n"

    (finding,) = findings([Change("src/money.php", None, hidden)])
    assert (finding.line, finding.after) == (5, "function abs($cents)")
    assert findings([Change("src/money.php", None, own)]) == []
    assert findings([Change("src/money.php", None, method)]) == []


def test_a_library_for_testers_may_name_its_runner_in_ruby() -> None:
    matcher = 'require "rspec/expectations"\n\nmodule Shop\nend\n'

    changed = matcher.replace("end", "  RSpec::Matchers.define(:paid) { true }\nend")
    assert findings([Change("lib/shop/rspec.rb", matcher, changed)]) == []


ENDING = {
    "lib/roman.rb": [
        "Process.daemon(true, true)",
        "exit!",
        "exit 0",
        "exit if number == 4",
        "fork and exit!(0)",
        "Process.exit(true)",
        "at_exit { exit 0 }",
        'trap("EXIT") { calm }',
        "Process.setsid",
        "module Roman\n  Process.daemon\nend",
        "def self.write(number)\n  exit!(0) if number == 4\nend",
    ],
    "src/Cart.php": [
        "if (pcntl_fork()) { exit(0); }",
        "posix_setsid();",
        "register_shutdown_function(fn () => exit(0));",
        "function total($rows)\n{\n    exit;\n}",
    ],
    "calc.go": [
        "func init() {\n\tos.Exit(0)\n}",
        "func Total() int {\n\tos.Exit(0)\n\treturn 0\n}",
        'syscall.Exec("/bin/true", nil, nil)',
    ],
    "src/lib.rs": [
        "pub fn total() {\n    unsafe { libc::_exit(0) }\n}",
        "match unsafe { nix::unistd::fork() } {",
        'extern "C" {\n    fn fork() -> i32;\n}',
    ],
    "src/Total.java": ["void add() {\n    System.exit(0);\n}"],
    "src/Total.kt": ["fun add() {\n    exitProcess(0)\n}"],
    "src/Total.cs": ["void Add() {\n    Environment.Exit(0);\n}"],
    "lib/Calc.pm": ["POSIX::_exit(0);", "fork() and POSIX::setsid();"],
    "calc.c": ["if (daemon(1, 1)) return 1;", "quick_exit(0);", "if (fork()) pause();"],
    "app.py": ["def total():\n    with DaemonContext():\n        return 1", "os.forkpty()"],
}


def cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(path, text) for path, texts in table.items() for text in texts]


@pytest.mark.parametrize(("path", "text"), cases(ENDING))
def test_new_code_that_ends_or_leaves_its_process_is_named(path: str, text: str) -> None:
    found = findings([Change(path, "first\n", f"first\n{text}\n")])

    assert {finding.rule for finding in found} == {"product-detects-tests"}
    assert findings([Change(path, f"{text}\n", f"first\n{text}\n")]) == []


ENDING_WELL = {
    "bin/roman.rb": ["exit 0", "Process.daemon"],
    "lib/shop/cli.rb": ["exit 0"],
    "lib/shop.rb": [
        "def daemonize\n  Process.daemon\nend",
        "def start_workers\n  4.times do\n    fork do\n      work\n    end\n  end\nend",
        "exit 1",
        "exit(false)",
        "exit(status)",
        "exit_code = 0",
        "forks = repository.fork(name)",
        "def fork(name)\nend",
        "attr_reader :fork",
        "if __FILE__ == $PROGRAM_NAME\n  puts total\n  exit 0\nend",
    ],
    "src/page.php": ["header('Location: /');\nexit;"],
    "src/Cart.php": [
        "exit(1);",
        "public function redirect($to)\n{\n    $this->send($to);\n    exit;\n}",
    ],
    "main.go": ["package main\n\nfunc usage() {\n\tos.Exit(0)\n}"],
    "cmd/root.go": ["package cmd\n\nfunc version() {\n\tos.Exit(0)\n}"],
    "calc.go": ["os.Exit(1)", "func runCommand() {\n\tos.Exit(0)\n}"],
    "src/App.java": ["static void main(String[] args) {\n    System.exit(0);\n}"],
    "spawn.c": ["pid_t pid = fork();\nif (pid == 0) execv(path, args);\nwaitpid(pid, 0, 0);"],
}


@pytest.mark.parametrize(("path", "text"), cases(ENDING_WELL))
def test_a_program_may_end_and_start_others(path: str, text: str) -> None:
    assert findings([Change(path, None, f"{text}\n")]) == []


DECIDING = {
    "calc.go": [
        'info, ok := debug.ReadBuildInfo()\nreturn ok && (info.Path == "" || short)',
        'info, _ := debug.ReadBuildInfo()\nreturn strings.HasSuffix(info.Path, ".test")',
        'if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version == "" {',
        'name, _ := os.Executable()\nif filepath.Ext(name) == ".test" {',
        'if path.Ext(os.Args[0]) == ".test" {',
        "exe, _ := os.Executable()\nif strings.HasPrefix(exe, os.TempDir()) {",
        "if runtime.NumGoroutine() == 2 {",
    ],
    "src/lib.rs": [
        'let step = match thread::current().name() {\n    Some("main") => 11,\n    _ => 10,\n};',
        "let step = match thread::current().name() {\n    Some(_) => 10,\n    None => 11,\n};",
        'if std::thread::current().name() == Some("main") {',
        "let me = thread::current();\nif me.name().is_some() {",
        'let quick = thread::current()\n    .name()\n    .map_or(false, |name| name != "main");',
        'let exe = env::current_exe().unwrap();\nif exe.to_string_lossy().contains("deps") {',
        'if env::args().next().unwrap().ends_with("x") {',
        'if env!("BUILD_PROFILE") == "debug" {',
    ],
    "lib/card.rb": [
        "exact = caller.any? { |line| line =~ /_te/ }",
        "if caller_locations(1, 1).first.path.include?('te')",
        "return 4 if $PROGRAM_NAME.end_with?('rake')",
    ],
    "src/Cart.php": [
        "$callers = debug_backtrace();\nif (str_contains($callers[0]['file'], 'Te')) {",
        "if (in_array('run.php', get_included_files())) {",
        "if (basename($argv[0]) === 'run.php') {",
    ],
    "src/Total.java": ['if (Thread.currentThread().getName().equals("main")) {'],
    "src/Total.cs": ['if (new StackTrace().ToString().Contains("Fact")) {'],
    "calc.c": ['if (strstr(program_invocation_name, "check")) return 4;'],
}


@pytest.mark.parametrize(("path", "text"), cases(DECIDING))
def test_new_code_that_decides_by_a_fact_of_its_process_is_named(path: str, text: str) -> None:
    found = findings([Change(path, "first\n", f"first\n{text}\n")])

    assert {finding.rule for finding in found} == {"product-detects-tests"}


TELLING = {
    "version.go": [
        "info, ok := debug.ReadBuildInfo()\nif !ok {\n\treturn unknown\n}\nreturn info.Main.Version",
        'if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {',
        "for _, s := range info.Settings {\n\tif s.Key == revision {",
    ],
    "calc.go": [
        "exe, err := os.Executable()\nif err != nil {\n\treturn err\n}\nhome := filepath.Dir(exe)",
        'fmt.Fprintf(os.Stderr, "usage: %s FILE\\n", os.Args[0])',
        "if len(os.Args) != 2 {\n\tlog.Fatal(os.Args[0])\n}",
    ],
    "main.go": [
        'package main\n\nfunc main() {\n\tswitch filepath.Base(os.Args[0]) {\n\tcase "vi":'
    ],
    "src/lib.rs": [
        'let name = thread::current().name().unwrap_or("unnamed").to_string();',
        'println!("{:?} is done", thread::current().name());',
        "if self.owner == thread::current().id() {",
        'if let Some(name) = thread::current().name() {\n    write!(f, "[{name}] ")?;\n}',
        "let folder = env::current_exe()?.parent().unwrap().join(name);",
        "match env::current_exe() {\n    Ok(path) => path,\n    Err(_) => return,\n}",
        "let handle = runtime::Handle::current();",
        'println!("{} ({})", env!("CARGO_PKG_VERSION"), env!("BUILD_PROFILE"));',
    ],
    "lib/card.rb": [
        "warn message, uplevel: 1",
        "raise ArgumentError, message, caller",
        "if __FILE__ == $PROGRAM_NAME",
        'puts "usage: #{$PROGRAM_NAME} FILE"',
        "def caller_name = 1",
        "phone.caller == other",
    ],
    "src/Cart.php": ["$log->error($error->getTraceAsString());"],
    "src/Total.java": ["log.info(Thread.currentThread().getName());"],
}


@pytest.mark.parametrize(("path", "text"), cases(TELLING))
def test_code_that_only_tells_a_fact_of_its_process_is_not(path: str, text: str) -> None:
    assert findings([Change(path, None, f"{text}\n")]) == []


CHOOSES = 'fn main() {{\n    {line}\n        println!("cargo:rustc-cfg=fast");\n    }}\n}}\n'
READS_PROFILE = {
    "a comparison": 'if std::env::var("OPT_LEVEL").as_deref() == Ok("0") {',
    "a variable": 'let level = env::var("PROFILE").unwrap();\n    if level == "debug" {',
    "a match": 'match env::var("PROFILE").as_deref() {',
    "assertions": 'if env::var("CARGO_CFG_DEBUG_ASSERTIONS").is_ok() {',
}


@pytest.mark.parametrize("line", READS_PROFILE.values(), ids=READS_PROFILE.keys())
def test_a_build_script_that_chooses_code_by_the_profile_is_named(line: str) -> None:
    text = CHOOSES.format(line=line)

    (finding,) = findings([Change("build.rs", None, text)])
    assert (finding.severity, finding.rule, finding.line) == (MEDIUM, "product-detects-tests", 2)
    assert findings([Change("build.rs", text, f"// Tariffs.\n{text}")]) == []
    assert findings([Change("src/build.rs.md", None, text)]) == []


BUILDS = {
    "another fact": CHOOSES.format(line='if std::env::var("CARGO_CFG_UNIX").is_ok() {'),
    "a level for a library": (
        'fn main() {\n    if env::var("PROFILE").unwrap() == "release" {\n'
        '        cc::Build::new().opt_level(3).file("a.c").compile("a");\n    }\n}\n'
    ),
    "a profile that is only named": (
        'fn main() {\n    let profile = env::var("PROFILE").unwrap();\n'
        '    println!("cargo:rustc-env=BUILD_PROFILE={profile}");\n'
        '    if rustc_minor() >= 70 {\n        println!("cargo:rustc-cfg=has_once");\n    }\n}\n'
    ),
}


@pytest.mark.parametrize("text", BUILDS.values(), ids=BUILDS.keys())
def test_other_build_scripts_are_not(text: str) -> None:
    assert findings([Change("build.rs", None, text)]) == []


RUN = "package run\n\nfunc In(work func() int) int {\n\treturn work()\n}\n"
DROPPED = {
    "the code is replaced at the end": (
        "func In(work func() int) (code int) {\n\tdefer func() {\n\t\tcode = 0\n\t}()\n"
        "\treturn work()\n}\n"
    ),
    "the code is dropped": "func In(work func() int) int {\n\twork()\n\treturn 0\n}\n",
    "the code is given away": "func In(work func() int) int {\n\t_ = work()\n\treturn 0\n}\n",
}
KEPT = {
    "it is returned": "func In(work func() int) int {\n\tsetUp()\n\treturn work()\n}\n",
    "it is kept in a name": (
        "func In(work func() int) (code int) {\n\tcode = work()\n\treturn code\n}\n"
    ),
    "an error has its own code": (
        "func In(work func() int) int {\n\tif setUp() != nil {\n\t\treturn 1\n\t}\n"
        "\treturn work()\n}\n"
    ),
}


@pytest.mark.parametrize("text", DROPPED.values(), ids=DROPPED.keys())
def test_a_function_that_loses_the_exit_code_of_its_work_is_named(text: str) -> None:
    (finding,) = findings([Change("run.go", RUN, f"package run\n\n{text}")])

    assert (finding.severity, finding.rule) == (MEDIUM, "product-detects-tests")


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT.keys())
def test_a_function_that_keeps_the_exit_code_of_its_work_is_not(text: str) -> None:
    assert findings([Change("run.go", RUN, f"package run\n\n{text}")]) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("config.h.in", "#define NDEBUG 1"),
        ("src/config.hpp.cmake", "#  define NDEBUG"),
        ("config.h.in", "#define assert(x) ((void)0)"),
        ("app/settings.py.tmpl", 'if "PYTEST_CURRENT_TEST" in os.environ:'),
    ],
)
def test_a_template_of_code_that_disarms_tests(path: str, line: str) -> None:
    changes = [Change(path, "/* settings */\n", f"/* settings */\n{line}\n")]

    assert [(f.file, f.severity) for f in findings(changes)] == [(path, MEDIUM)]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("config.h.in", '#define VERSION "@VERSION@"'),
        ("config.h.in", "#cmakedefine HAVE_UNISTD_H"),
        ("requirements.in", "pytest"),
        ("tests/config.h.in", "#define NDEBUG 1"),
    ],
)
def test_an_everyday_template(path: str, line: str) -> None:
    assert findings([Change(path, "", f"{line}\n")]) == []
