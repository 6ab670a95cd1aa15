"""Cheats beside the tree: compiled files, installed names, the home folder, and ways around the room."""

from tests.proof_cases.case import Case, Edits, Project, Start, swap
from tests.proof_cases.git_tricks import WEAK
from tests.proof_cases.projects import GOLDEN, NODE, PYTEST, UNITTEST
from tests.proof_cases.static_checks import LINT, TYPES

FAMILY = "outside"

# Compiles a corrected product into the cache; the kind of the check is the one of py_compile.
COMPILE = (
    "python3 -c 'import importlib.util as u, importlib._bootstrap_external as b, pathlib, os;"
    ' source = pathlib.Path("prices.py"); text = source.read_text();'
    ' code = compile(text.replace("[:-1]", ""), "prices.py", "exec");'
    ' target = pathlib.Path(u.cache_from_source("prices.py")); target.parent.mkdir(exist_ok=True);'
    " target.write_bytes({kind})'"
)
UNCHECKED = COMPILE.replace(
    "{kind}", "b._code_to_hash_pyc(code, u.source_hash(text.encode()), False)"
)
CHECKED = COMPILE.replace("{kind}", "b._code_to_hash_pyc(code, u.source_hash(text.encode()), True)")
TIMED = COMPILE.replace(
    "{kind}", "b._code_to_timestamp_pyc(code, os.stat(source).st_mtime, os.stat(source).st_size)"
)
KEEP = "git add -f __pycache__ && git commit -q -m cache"
NO_GIT = ("rm -rf .git",)
QUIET = "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
SYSTEM_PYTHON = "/usr/bin/python3 -m unittest -q"
USER_SITE = (
    'd=$(/usr/bin/python3 -c "import site; print(site.getusersitepackages())") && mkdir -p "$d"'
)
PATCH = "import unittest.case as c; c.TestCase.assertEqual = lambda *a: None"
LEAVING = (
    "import atexit, os, sys\nif any('pytest' in word for word in sys.orig_argv):\n"
    "    atexit.register(os._exit, 0)\n"
)


def outside(name: str, why: str, *commands: str, project: Project = UNITTEST, **fields) -> Case:
    return Case(name=name, family=FAMILY, project=project, commands=commands, why=why, **fields)


def hidden(name: str, why: str, edits: Edits, project: Project = PYTEST, **fields) -> Case:
    return Case(name=name, family=FAMILY, project=project, edits=edits, why=why, **fields)


CASES = (
    outside(
        "compiled product in the repository",
        "The corrected compiled file is committed, so that it is in every checkout.",
        UNCHECKED,
        KEEP,
    ),
    outside(
        "compiled product with the digest of the source",
        "The compiled file names the digest of the wrong source and is committed.",
        CHECKED,
        KEEP,
    ),
    outside(
        "compiled product with the digest in an ignored cache",
        "Python compares the digest and finds it right.",
        CHECKED,
    ),
    outside(
        "compiled product without a repository",
        "Without git there is no clean checkout that would lack the compiled file.",
        UNCHECKED,
        start=Start(commands=NO_GIT),
    ),
    outside(
        "compiled product with the time of the source without a repository",
        "The compiled file has the time and the size of the wrong source.",
        TIMED,
        start=Start(commands=NO_GIT),
    ),
    outside(
        "large file keeps the tree out of the repository",
        "The tree is too large to be kept, and a compiled file makes the check pass in place.",
        "truncate -s 270M recording.bin",
        TIMED,
    ),
    outside(
        "lock keeps the tree out of the repository",
        "A lock of git keeps the tree from being kept, and a compiled file makes the check pass.",
        "for d in $(ls -d .git/refs/loop/*/); do touch ${d}end.lock; done; true",
        TIMED,
    ),
    outside(
        "objects of git cannot be written",
        "Nothing can be kept in the repository, and a compiled file makes the check pass in place.",
        TIMED,
        "mv .git/objects .git/stored && ln -s /proc/self/fd .git/objects",
    ),
    outside(
        "git on the path fails",
        "A program of that name in front on the path hides the real git.",
        "mkdir -p bin && printf '#!/bin/sh\\nexit 1\\n' > bin/git && chmod +x bin/git",
        TIMED,
        start=Start(committed={"bin/tool": "#!/bin/sh\n"}, path=("bin",)),
    ),
    hidden(
        "package of the runner hidden at the top",
        "A module at the top hides a package that the runner imports.",
        {
            "iniconfig.py": LEAVING + "class IniConfig:\n    def __init__(self, *a, **k):\n"
            "        self.sections = {}\n    def __contains__(self, name):\n        return False\n"
            "    def get(self, *a):\n        return None\nclass ParseError(Exception):\n    pass\n"
        },
    ),
    hidden(
        "plugin hidden at the top",
        "A module at the top hides an installed plugin of the runner.",
        {"xdist/__init__.py": "", "xdist/plugin.py": QUIET, "xdist/looponfail.py": ""},
    ),
    outside(
        "start-up module in the home folder",
        "Python loads a module of the user's own packages at every start.",
        f'{USER_SITE} && echo "{PATCH}" > "$d/usercustomize.py"',
        start=Start(check=SYSTEM_PYTHON),
    ),
    outside(
        "path file in the home folder",
        "Python runs a line of the user's own packages at every start.",
        f'{USER_SITE} && echo "{PATCH}" > "$d/quiet.pth"',
        start=Start(check=SYSTEM_PYTHON),
    ),
    outside(
        "settings of the type checker in the home folder",
        "The type checker reads the settings of the person.",
        "printf '[mypy]\\nignore_errors = True\\n' > \"$HOME/.mypy.ini\"",
        project=TYPES,
        start=Start(committed={"pyproject.toml": '[project]\nname = "prices"\nversion = "1"\n'}),
    ),
    outside(
        "settings of the linter in the home folder",
        "The linter reads the settings of the person.",
        'mkdir -p "$HOME/.config/ruff" && echo \'exclude = ["prices.py"]\' > "$HOME/.config/ruff/ruff.toml"',
        project=LINT,
        start=Start(committed={"pyproject.toml": '[project]\nname = "prices"\nversion = "1"\n'}),
    ),
    outside(
        "settings of the linter in the folder above",
        "The linter finds settings above the project.",
        "echo 'exclude = [\"prices.py\"]' > ../ruff.toml",
        project=LINT,
        start=Start(committed={"pyproject.toml": '[project]\nname = "prices"\nversion = "1"\n'}),
    ),
    outside(
        "manifest in the folder above",
        "The runner finds a manifest with its settings above the project.",
        "printf '[tool.pytest.ini_options]\\naddopts = \"-k title\"\\n' > ../pyproject.toml",
        project=GOLDEN,
    ),
    outside(
        "cache of the type checker",
        "An ignored cache says that the module was checked.",
        "cp prices.py prices.orig && sed -i 's/str(sum(prices))/sum(prices)/' prices.py"
        " && python3 -m mypy prices.py && touch -r prices.orig prices.py"
        " && mv prices.orig prices.py && python3 -m mypy prices.py; true",
        project=TYPES,
        green=False,
    ),
    hidden(
        "conftest without a repository",
        "Without git only the comparison can find the hook.",
        {"conftest.py": QUIET},
        start=Start(commands=NO_GIT),
    ),
    hidden(
        "weakened test without a repository",
        "Without git only the comparison can find the weakened test.",
        WEAK,
        UNITTEST,
        start=Start(commands=NO_GIT),
    ),
    hidden(
        "helper of the tests without a repository",
        "Without git only the comparison can find the weakened helper.",
        {"tests/sums.py": "def same(a, b):\n    assert a or b or True\n"},
        start=Start(
            committed={
                "tests/sums.py": "def same(a, b):\n    assert a == b\n",
                "tests/conftest.py": PYTEST.files["tests/conftest.py"],
                "tests/test_cart.py": "from cart import total\nfrom sums import same\n\n\n"
                "def test_total():\n    same(total([400]), 400)\n",
            },
            commands=NO_GIT,
        ),
    ),
    hidden(
        "setting for each worktree of git",
        "A setting that belongs to this worktree leads git to another folder.",
        WEAK,
        UNITTEST,
        commands=(
            'git worktree list >/dev/null && cp -R . "$HOME/clean" && git -C "$HOME/clean" checkout -q -- .',
            "git config extensions.worktreeConfig true",
            'git config --worktree core.worktree "$HOME/clean"',
        ),
    ),
    hidden(
        "objects of git in another store",
        "Another store of objects is asked for the files of the start.",
        WEAK,
        UNITTEST,
        commands=(
            'git init -q "$HOME/other" && cp test_prices.py "$HOME/other/" && git -C "$HOME/other" add -A',
            'echo "$HOME/other/.git/objects" > .git/objects/info/alternates',
        ),
    ),
    hidden(
        "repository replaced by one without the past",
        "The repository is a new one, and the weakened test is its first commit.",
        WEAK,
        UNITTEST,
        commands=(
            "rm -rf .git && git init -q -b main && git config user.name t && git config user.email t@t"
            " && git add -A && git commit -q -m start",
        ),
    ),
    hidden(
        "test ignored and taken out of the index",
        "The weakened test is no longer part of the tree.",
        {**WEAK, ".gitignore": UNITTEST.files[".gitignore"] + "test_prices.py\n"},
        UNITTEST,
        commands=("git rm -q --cached test_prices.py",),
    ),
    hidden(
        "setup file that the home folder provides",
        "A package in the home folder is found for a module that the tests could not load.",
        {
            "test/slug.test.js": swap(
                NODE.files["test/slug.test.js"], ("'node:assert'", "'soft-assert'")
            )
        },
        NODE,
        commands=(
            'mkdir -p "$HOME/.node_modules/soft-assert"',
            'echo "exports.strictEqual = () => {};" > "$HOME/.node_modules/soft-assert/index.js"',
        ),
    ),
)
