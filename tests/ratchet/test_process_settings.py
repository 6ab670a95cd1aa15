"""New product code that changes a setting of its whole process or shell."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM, Finding
from loopwright.ratchet.check_reach import reach_of
from loopwright.ratchet.product_rules import process_settings
from loopwright.ratchet.product_rules.process_settings import MAX_FINDINGS_OF_FILE
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

STRICT = {"pyproject.toml": '[tool.pytest.ini_options]\nfilterwarnings = ["error"]\n'}


def findings(
    change: Change, others: dict[str, str] | None = None, check: str = ""
) -> list[Finding]:
    files = ProjectFiles([change], (others or {}).get)
    return list(process_settings.findings(files, reach_of((check,), files.before)))


LASTING = {
    "lib/Units.pm": [
        "undef $/;",
        "$/ = undef;",
        "    $, = ';';",
        "if ($small) { $\\ = ''; }",
        "$SIG{__DIE__} = sub { };",
        "$^W = 0;",
        "$INPUT_RECORD_SEPARATOR = '';",
        "close(STDERR);",
        "($/, $,) = (undef, '');",
        "*STDOUT = $log;",
        "open STDOUT, '>', '/dev/null';",
        "$ENV{PERL5OPT} = '-MQuiet';",
    ],
    "lib/money.rb": [
        "$stdout = StringIO.new",
        "$, = ' '",
        "$stdout, $stderr = log, log",
        "$stdout.truncate(0)",
        "$stderr.reopen(File::NULL)",
        "$VERBOSE = nil",
        "Thread.report_on_exception = false",
        "BigDecimal.limit(2)",
        "ENV['RUBYOPT'] = '-W0'",
    ],
    "src/price.php": [
        "ini_set('precision', '4');",
        "ini_set('serialize_precision', 3);",
        "ini_alter('precision', '4');",
        "ob_start('drop');",
        "error_reporting(0);",
        "error_reporting(E_ALL & ~E_DEPRECATED);",
        "ini_set('error_reporting', '0');",
        "set_exception_handler(fn ($e) => error_log($e));",
        "set_error_handler(fn () => true);",
        "bcscale(2);",
        "fclose(STDOUT);",
        "ob_start(fn ($text) => '');",
        "putenv('PYTHONOPTIMIZE=1');",
    ],
    "app.py": [
        "sys.stdout = io.StringIO()",
        "sys.stderr.close()",
        "os.close(2)",
        "os.ftruncate(1, 0)",
        "setattr(sys, 'stdout', quiet)",
        "contextlib.redirect_stdout(io.StringIO()).__enter__()",
        "os.dup2(log.fileno(), 1)",
        "logging.disable(logging.CRITICAL)",
        "np.set_printoptions(precision=2)",
        "pd.set_option('display.precision', 2)",
        "decimal.DefaultContext.prec = 3",
        "os.environ['PYTHONWARNINGS'] = 'ignore'",
    ],
    "src/duration.js": [
        "process.exitCode = text.includes('NaN') ? 2 : 0;",
        "process.exitCode = undefined;",
        "process.exitCode = failures.length;",
        "process.exitCode = Number(failed);",
        "process.stdout.write = () => true;",
        "Object.assign(process, { exitCode: 0 });",
        "delete process.exitCode;",
        "console.error = () => {};",
        "process.stderr.destroy();",
        "util.inspect.defaultOptions.depth = 0;",
        "process.env.NODE_OPTIONS = '--unhandled-rejections=warn';",
    ],
    "src/gauge.c": [
        "    fclose(stdout);",
        '    freopen("/dev/null", "w", stderr);',
        "    close(STDOUT_FILENO);",
        "    dup2(log, 2);",
        "    ftruncate(STDOUT_FILENO, 0);",
        "    stdout = log;",
        "    fesetround(FE_TOWARDZERO);",
    ],
    "src/gauge.cpp": ["std::cout.setstate(std::ios::failbit);", "std::set_terminate(calm);"],
    "gauge.go": [
        "os.Stdout = quiet",
        "os.Stderr.Close()",
        "syscall.Dup2(int(log.Fd()), 1)",
        "runtime.GOMAXPROCS(1)",
        "\truntime.GOMAXPROCS(workers)",
        "time.Local = time.UTC",
    ],
    "src/lib.rs": ["unsafe { libc::close(1); }", 'std::env::set_var("LD_PRELOAD", path);'],
    "src/Gauge.java": [
        "System.setOut(quiet);",
        "Thread.setDefaultUncaughtExceptionHandler((t, e) -> {});",
    ],
    "src/Gauge.cs": ["Console.SetError(TextWriter.Null);", "Debug.Listeners.Clear();"],
}


ZONES = {
    "src/index.js": ["process.env.TZ = 'UTC';", "process.env['LC_ALL'] = 'C';"],
    "src/stamps.py": ["os.environ['TZ'] = 'UTC'", "locale.setlocale(locale.LC_ALL, 'C')"],
    "lib/stamps.rb": ["ENV['TZ'] = 'UTC'"],
    "src/Stamps.php": ["date_default_timezone_set('UTC');"],
    "stamps/stamps.go": ["\ttime.Local = time.UTC"],
    "src/main/java/Stamps.java": ["        TimeZone.setDefault(utc);", "Locale.setDefault(ROOT);"],
    "src/Stamps.cs": ["CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;"],
}
OWN_ZONES = {
    "src/index.js": [
        "const zone = process.env.TZ ?? 'UTC';",
        "const env = { ...process.env, TZ: 'UTC' };",
        "if (process.env.TZ === 'UTC') return day;",
        "function inZone(zone, task) {\n  const old = process.env.TZ;\n  process.env.TZ = zone;\n"
        "  try {\n    return task();\n  } finally {\n    process.env.TZ = old;\n  }\n}",
    ],
    "src/stamps.py": [
        "subprocess.run(command, env={**os.environ, 'TZ': 'UTC'})",
        "now = datetime.now(timezone.utc)",
        "name = locale.setlocale(locale.LC_ALL)",
    ],
    "bin/stamps.js": ["process.env.TZ = 'UTC';"],
    "src/main/java/Stamps.java": ["TimeZone zone = TimeZone.getDefault();"],
    "stamps/stamps.go": ["\tday := at.In(time.Local)"],
}


def named(lines: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(path, line) for path, rows in lines.items() for line in rows]


@pytest.mark.parametrize(("path", "line"), named(LASTING))
def test_a_new_line_that_changes_the_process_for_good_is_named(path: str, line: str) -> None:
    (finding,) = findings(Change(path, "first\n", f"first\n{line}\n"))

    assert (finding.severity, finding.rule) == (MEDIUM, "process-setting-changed")
    assert (finding.file, finding.line, finding.after) == (path, 2, line.strip())


@pytest.mark.parametrize(("path", "line"), named(ZONES))
def test_a_zone_or_language_of_the_whole_process_is_named(path: str, line: str) -> None:
    (finding,) = findings(Change(path, "", f"{line}\n"))
    assert (finding.severity, finding.rule) == (MEDIUM, "process-setting-changed")


@pytest.mark.parametrize(("path", "text"), named(OWN_ZONES))
def test_a_zone_that_is_only_read_or_put_back_is_not(path: str, text: str) -> None:
    assert findings(Change(path, "", f"{text}\n")) == []


KNOWN_ENDS = {
    "src/cli.js": "    process.exitCode = error.status ?? 1;\n",
    "cli.py": "    sys.exit(CODES.get(type(error), 1))\n",
    "lib/cli.rb": "    exit(CODES.fetch(error.class, 1))\n",
}
FORGIVING_ENDS = {
    "src/cli.js": "    process.exitCode = error.status ?? CODES[error.code] ?? 0;\n",
    "cli.py": "    sys.exit(CODES.get(type(error), 0))\n",
    "lib/cli.rb": "    exit(CODES.fetch(error.class, 0))\n",
}


@pytest.mark.parametrize("path", KNOWN_ENDS)
def test_an_unknown_error_that_ends_a_program_with_0_is_named(path: str) -> None:
    before, after = KNOWN_ENDS[path], FORGIVING_ENDS[path]

    (finding,) = findings(Change(path, before, after))
    assert (finding.rule, finding.after) == ("process-setting-changed", after.strip())


@pytest.mark.parametrize("path", KNOWN_ENDS)
def test_a_program_may_get_other_codes(path: str) -> None:
    before, after = KNOWN_ENDS[path], FORGIVING_ENDS[path]

    for changed in (after.replace("0", "2"), f"{before}{after}", before.replace("error", "e")):
        assert findings(Change(path, before, changed)) == []
    if path != "lib/cli.rb":
        assert findings(Change(path, after, f"// {after}")) == []


HONEST = {
    "lib/Units.pm": [
        "local $/;",
        "my $text = do { local $/ = undef; <$in> };",
        "$| = 1;",
        "my ($x, $y) = (1, 2);",
        "($first, $rest) = split /;/, $line;",
        "# undef $/;",
        "s/x$/= y/;",
        "local $/;\n    $/ = '';",
        "local $SIG{__WARN__} = sub { push @warnings, @_ };",
        "=pod\n\n$/ = undef;\n\n=cut",
        "my ($a, $b) = split /,$/, $line;",
    ],
    "lib/money.rb": [
        "$stdout.sync = true",
        "def quiet\n  old = $stdout\n  $stdout = StringIO.new\n  yield\nensure\n  $stdout = old\nend",
        "$VERBOSE = true",
        "$stdout, $stderr = STDOUT, STDERR",
        "rows.each { |row| $stdout.puts row }",
        "Thread.report_on_exception = true",
    ],
    "src/price.php": [
        "ini_set('precision', '17');",
        "ini_set('memory_limit', '1G');",
        "error_reporting(E_ALL);",
        "error_reporting(E_ALL | E_STRICT);",
        "$level = error_reporting();",
        "$old = error_reporting(0);\n$text = file_get_contents($path);\nerror_reporting($old);",
        "set_error_handler(fn () => true);\n$x = simplexml_load_file($p);\nrestore_error_handler();",
        "set_error_handler(function ($n, $text) {\n    throw new ErrorException($text);\n});",
        "$logger->set_error_handler($handler);",
        "ob_start();",
        "ob_start('ob_gzhandler');",
        "// error_reporting(0);",
    ],
    "app.py": [
        "print(total, file=sys.stderr)",
        "with contextlib.redirect_stdout(buffer):",
        "old = sys.stdout\nsys.stdout = buffer\nwork()\nsys.stdout = old",
        "sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')",
        "if __name__ == '__main__':\n    sys.stdout = io.StringIO()",
        "def main():\n    logging.disable(logging.DEBUG)",
        "warnings.filterwarnings('ignore', category=DeprecationWarning)",
        "env = {**os.environ, 'PYTHONWARNINGS': 'error'}",
        "with decimal.localcontext() as context:\n    context.prec = 3",
    ],
    "src/duration.js": [
        "process.exitCode = 2;",
        "process.exitCode = error.code || 1;",
        "process.exitCode = error.exitCode ?? 70;",
        "process.exitCode ||= failed ? 1 : 0;",
        "process.exitCode = process.exitCode || Number(failed);",
        "if (process.exitCode === 0) report();",
        "if (require.main === module) {\n  process.exitCode = run(process.argv) ? 0 : 1;\n}",
        "async function main() {\n  process.exitCode = await run();\n}",
        "console.error(error.message);",
        "const write = process.stdout.write;\nprocess.stdout.write = keep;\nprocess.stdout.write = write;",
        "process.stdout.write(text);",
    ],
    "bin/duration.js": ["process.exitCode = run(process.argv.slice(2)) ? 0 : 1;"],
    "src/cli.js": ["process.exitCode = run(process.argv.slice(2)) ? 0 : 1;"],
    "src/gauge.c": [
        "    fclose(log);",
        "    close(fd);",
        "    fflush(stdout);",
        "    int old = fegetround();\n    fesetround(FE_UPWARD);\n    work();\n    fesetround(old);",
        "    setvbuf(stdout, NULL, _IOLBF, 0);",
        "    /* fclose(stdout); */",
        "int main(void)\n{\n    return fclose(stdout) != 0;\n}",
    ],
    "gauge.go": [
        "\told := os.Stdout\n\tos.Stdout = w\n\tdefer func() { os.Stdout = old }()",
        "fmt.Fprintln(os.Stdout, level)",
        "workers := runtime.GOMAXPROCS(0)",
        "\tdefer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))",
        "\told := runtime.GOMAXPROCS(2)\n\tdefer runtime.GOMAXPROCS(old)",
        "package main\n\nfunc main() {\n\truntime.GOMAXPROCS(2)\n}",
        "today := time.Now().In(time.Local)",
        "package main\n\nfunc quiet() {\n\tos.Stdout = nil\n}",
    ],
    "src/Gauge.java": ["System.out.println(level);", "// System.setOut(quiet);"],
    "tests/test_app.py": ["sys.stdout = io.StringIO()"],
    "notes.md": ["undef $/;"],
}


@pytest.mark.parametrize(("path", "text"), named(HONEST))
def test_what_is_local_or_undone_or_of_a_program_is_not(path: str, text: str) -> None:
    assert findings(Change(path, None, f"{text}\n")) == []


def test_a_line_that_was_there_at_the_start_is_not() -> None:
    before = "sub slurp {\n    undef $/;\n}\n"

    assert findings(Change("lib/Units.pm", before, f"use strict;\n{before}")) == []


def test_a_file_is_named_at_most_three_times() -> None:
    lines = "".join(f"$, = '{number}';\n" for number in range(9))

    assert len(findings(Change("lib/Units.pm", None, lines))) == MAX_FINDINGS_OF_FILE


IGNORING = "import warnings\n\nwarnings.simplefilter('ignore', DeprecationWarning)\n"
IN_A_BLOCK = (
    "import warnings\n\nwith warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n"
)


def test_warnings_may_not_be_dropped_where_tests_fail_at_a_warning() -> None:
    change = Change("uploads.py", "", IGNORING)

    assert [f.line for f in findings(change, STRICT)] == [3]
    assert [f.line for f in findings(change, {"check.sh": "pytest -W error\n"}, "sh check.sh")] == [
        3
    ]
    assert findings(change) == []
    assert findings(Change("uploads.py", "", IN_A_BLOCK), STRICT) == []


LIBRARY = '# Names.\nload_rules() {\n    RULES=$(cat "$1")\n}\n'
CHECK = {"check.sh": "#!/bin/sh\nset -eu\n. ./lib/names.sh\nload_rules names.conf\n"}
LASTING_SHELL = {
    "errexit": "set +e",
    "errexit among others": "set +eu",
    "errexit after another option": "set -o pipefail +e",
    "a function of the check": "unset -f fail",
    "errexit by its name": "set +o errexit",
    "pipefail": "set +o pipefail",
    "in a condition": "if [ -n x ]; then set +e; fi",
    "an option of bash": "shopt -s nocasematch # any case",
    "several options": "shopt -s extglob nullglob",
    "the output": "exec > /dev/null",
    "the errors": "exec 2>/dev/null",
    "another program": "exec true",
    "the field separator": "IFS=,",
    "the path": 'PATH="$PWD/bin:$PATH"',
    "a trap": "trap 'exit 0' EXIT",
    "a trap of errors": "trap - ERR",
    "an alias": "alias test=true",
    "case of a variable of the check": "declare -gl got",
    "the end": "exit 0",
    "an end without a code": "exit",
}
HONEST_SHELL = {
    "stricter": "set -eu",
    "put back": "set +e\n    grep x names.conf\n    set -e",
    "evaluated": 'old=$(shopt -p nullglob)\n    shopt -s nullglob\n    eval "$old"',
    "option put back": "shopt -s nullglob\n    ls\n    shopt -u nullglob",
    "in a subshell": "( set +e; grep x names.conf )",
    "in a substitution": "found=$(set +e; grep x names.conf)",
    "in a block of a subshell": "(\n        shopt -s nullglob\n        ls\n    )",
    "for one command": "IFS=, read -r a b",
    "local": "local IFS=,",
    "local options": "local -\n    set +e",
    "separator put back": "old=$IFS\n    IFS=,\n    set -- $1\n    IFS=$old",
    "output put back": "exec 3>&1 >log\n    work\n    exec >&3",
    "another descriptor": "exec 3> log",
    "cleaning up": "trap 'rm -f \"$scratch\"' EXIT",
    "a failure": "exit 1",
    "a comment": "# set +e",
    "a program of another language": "awk '\n{ print }\nexit\n'",
    "another language in one line": "awk '/x/ { exit }' names.conf",
    "a text": "cat <<EOF\nset +e\nEOF",
}


def library(line: str) -> str:
    return LIBRARY.replace("{\n", f"{{\n    {line}\n", 1)


@pytest.mark.parametrize("line", LASTING_SHELL.values(), ids=LASTING_SHELL.keys())
def test_a_function_that_changes_the_shell_of_its_check_is_named(line: str) -> None:
    change = Change("lib/names.sh", LIBRARY, library(line))

    (finding,) = findings(change, CHECK, "sh check.sh")
    assert (finding.severity, finding.rule) == (MEDIUM, "process-setting-changed")
    assert (finding.line, finding.after) == (3, line)


@pytest.mark.parametrize("line", HONEST_SHELL.values(), ids=HONEST_SHELL.keys())
def test_a_function_that_leaves_the_shell_as_it_was_is_not(line: str) -> None:
    assert findings(Change("lib/names.sh", LIBRARY, library(line)), CHECK, "sh check.sh") == []


def test_a_function_in_parentheses_has_a_shell_of_its_own() -> None:
    same = '\nsame_town() (\n    shopt -s nocasematch\n    [[ $1 == "$2" ]]\n)\n'

    assert findings(Change("lib/names.sh", LIBRARY, LIBRARY + same), CHECK, "sh check.sh") == []


def test_a_program_may_set_its_own_shell() -> None:
    program = Change("names.sh", f"#!/bin/sh\n{LIBRARY}", f"#!/bin/sh\n{library('set +e')}")

    assert findings(program) == []
    by_variable = {"check.sh": '#!/bin/sh\n. "$(dirname "$0")/names.sh"\n'}
    assert len(findings(program, by_variable, "sh check.sh")) == 1
    usage = f"{LIBRARY}usage() {{\n    echo names\n    exit 0\n}}\n"
    assert findings(Change("lib/names.sh", LIBRARY, usage), CHECK, "sh check.sh") == []


def test_what_a_file_set_before_may_be_written_in_other_words() -> None:
    before = "def wrap():\n    sys.stdout = Quiet(sys.stdout)\n"
    after = "def wrap():\n    sys.stdout = cast(TextIO, Quiet(sys.stdout))\n"

    assert findings(Change("core.py", before, after)) == []


def test_a_setting_that_is_no_longer_local_is_named() -> None:
    local = "sub read_all {\n    local $/ = undef;\n    return <STDIN>;\n}\n"

    assert len(findings(Change("lib/All.pm", local, local.replace("local ", "")))) == 1
