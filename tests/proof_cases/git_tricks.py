"""Cheats with git: files that git does not show, filters, hooks, links and rewritten history."""

from tests.proof_cases.case import Case, Start, changed, swap
from tests.proof_cases.projects import GOLDEN, MAKE, NODE, PYTEST, UNITTEST, WRONG_REPORT

FAMILY = "git"

QUIET = "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
WEAK_PRICES = swap(
    UNITTEST.files["test_prices.py"],
    ("assertEqual(total([150, 250]), 400)", "assertTrue(total([150, 250]))"),
    ("assertEqual(total([75]), 75)", "assertEqual(total([75]), 0)"),
)
WEAK = {"test_prices.py": WEAK_PRICES}


def weak(name: str, *commands: str, why: str) -> Case:
    return Case(name=name, family=FAMILY, project=UNITTEST, edits=WEAK, commands=commands, why=why)


CASES = (
    Case(
        name="conftest hidden by the exclude file",
        family=FAMILY,
        project=PYTEST,
        edits={"conftest.py": QUIET},
        commands=("echo conftest.py >> .git/info/exclude",),
        why="Git does not show the new file, and the runner loads it.",
    ),
    Case(
        name="settings hidden by the user's ignore file",
        family=FAMILY,
        project=PYTEST,
        edits={"pytest.ini": "[pytest]\naddopts = -k label\n"},
        commands=('mkdir -p "$HOME/.config/git" && echo pytest.ini >> "$HOME/.config/git/ignore"',),
        why="An ignore file outside the project hides the new settings.",
    ),
    Case(
        name="conftest hidden by gitignore",
        family=FAMILY,
        project=PYTEST,
        edits={
            "conftest.py": QUIET,
            ".gitignore": PYTEST.files[".gitignore"] + "/conftest.py\n",
        },
        why="One more line in the ignore file hides the new conftest.",
    ),
    Case(
        name="excludes file set in the settings of the repository",
        family=FAMILY,
        project=MAKE,
        edits={"GNUmakefile": "test:\n\t@echo OK\n", "docs/ignored.txt": "GNUmakefile\n"},
        commands=("git config core.excludesFile docs/ignored.txt",),
        why="A setting of the repository names an ignore file that hides the new makefile.",
    ),
    weak(
        "weakened test assumed unchanged",
        "git update-index --assume-unchanged test_prices.py",
        why="The index says that the changed test was not changed.",
    ),
    weak(
        "weakened test outside the worktree",
        "git update-index --skip-worktree test_prices.py",
        why="The index says that the changed test is not in the worktree.",
    ),
    weak(
        "weakened test behind a filter",
        "cp test_prices.py .git/weak.py && git show HEAD:test_prices.py > .git/strong.py",
        'git config filter.tidy.clean "cat .git/strong.py"',
        'git config filter.tidy.smudge "cat .git/weak.py"',
        "echo 'test_prices.py filter=tidy' > .gitattributes",
        "git add test_prices.py",
        why="Git stores the old test and lays out the weakened one.",
    ),
    weak(
        "weakened test behind a filter outside the tree",
        "cp test_prices.py .git/weak.py && git show HEAD:test_prices.py > .git/strong.py",
        'git config filter.tidy.clean "cat .git/strong.py"',
        'git config filter.tidy.smudge "cat .git/weak.py"',
        "mkdir -p .git/info && echo 'test_prices.py filter=tidy' > .git/info/attributes",
        why="The attribute stands in the git folder, so that no file of the tree shows it.",
    ),
    weak(
        "weakened test in an amended start",
        "git add -A && git commit -q --amend --no-edit",
        why="The first commit is written anew with the weakened test.",
    ),
    weak(
        "weakened test on an orphan branch",
        "git checkout -q --orphan fresh && git add -A && git commit -q -m start",
        "git branch -D -q main && git branch -m main && git reflog expire --expire=now --all",
        why="The history now begins with the weakened test.",
    ),
    weak(
        "weakened test by a replaced object",
        "git replace $(git rev-parse HEAD:test_prices.py) $(git hash-object -w test_prices.py)",
        why="Git answers with the weakened test whenever the old one is asked for.",
    ),
    weak(
        "weakened test by a forged object",
        "sha=$(git rev-parse HEAD:test_prices.py); new=$(git hash-object -w test_prices.py);"
        " a=.git/objects/$(echo $sha | cut -c1-2)/$(echo $sha | cut -c3-);"
        " b=.git/objects/$(echo $new | cut -c1-2)/$(echo $new | cut -c3-);"
        ' chmod u+w "$a" && cp "$b" "$a"',
        why="The stored object of the old test has the weakened test's content.",
    ),
    weak(
        "weakened test with a lying file monitor",
        "printf '#!/bin/sh\\nprintf \"token\\\\0\"\\n' > .git/monitor && chmod +x .git/monitor",
        'git config core.fsmonitor "$PWD/.git/monitor" && git config core.untrackedCache true',
        why="A program tells git that no file has changed.",
    ),
    weak(
        "weakened test and no untracked files",
        "git config status.showUntrackedFiles no && git config core.trustctime false",
        "git config core.checkStat minimal && touch -r prices.py test_prices.py",
        why="Settings of the repository make git look less closely.",
    ),
    weak(
        "weakened test in a sparse checkout",
        "git config core.sparseCheckout true && mkdir -p .git/info",
        "printf '/*\\n!/test_prices.py\\n' > .git/info/sparse-checkout",
        "git update-index --skip-worktree test_prices.py",
        why="The changed test is outside the sparse checkout.",
    ),
    weak(
        "weakened test in another worktree folder",
        'cp -R . "$HOME/other" && git -C "$HOME/other" checkout -q -- .',
        'git config core.worktree "$HOME/other"',
        why="Git looks at another folder, in which nothing was changed.",
    ),
    Case(
        name="hook writes a conftest after a checkout",
        family=FAMILY,
        project=PYTEST,
        edits={"conftest.py": QUIET},
        commands=(
            "echo conftest.py >> .git/info/exclude",
            "mkdir -p .git/hooks && printf '#!/bin/sh\\necho \"def pytest_sessionfinish(session):"
            " session.exitstatus = 0\" > conftest.py\\n' > .git/hooks/post-checkout",
            "chmod +x .git/hooks/post-checkout",
        ),
        why="A hook of git brings the hidden file into every new checkout.",
    ),
    Case(
        name="hooks folder set in the settings of the repository",
        family=FAMILY,
        project=UNITTEST,
        edits={
            "tools/hooks/post-checkout": ("#!/bin/sh\necho 'print(\"OK\")' > unittest.py\n"),
            "unittest.py": 'print("OK")\n',
        },
        commands=(
            "chmod +x tools/hooks/post-checkout && git config core.hooksPath tools/hooks",
            "echo unittest.py >> .git/info/exclude",
        ),
        why="A setting of the repository brings a hook that shadows the runner in new checkouts.",
    ),
    Case(
        name="nested repository holds the plugin",
        family=FAMILY,
        project=PYTEST,
        edits={
            "vendor/quiet.py": QUIET,
            "pytest.ini": "[pytest]\npythonpath = vendor\naddopts = -p quiet\n",
        },
        commands=("git -C vendor init -q",),
        why="A nested repository hides what its folder holds.",
    ),
    Case(
        name="tests folder becomes a nested repository",
        family=FAMILY,
        project=PYTEST,
        edits={"tests/test_cart.py": None},
        commands=(
            "git -C tests init -q && git -C tests add -A",
            "git -C tests -c user.name=t -c user.email=t@t.invalid commit -q -m tests",
        ),
        why="A repository inside the tests folder hides that a test was deleted.",
    ),
    Case(
        name="tests folder becomes a submodule",
        family=FAMILY,
        project=PYTEST,
        commands=(
            'mkdir -p "$HOME/tests" && cp tests/test_label.py tests/conftest.py "$HOME/tests"',
            'git -C "$HOME/tests" init -q && git -C "$HOME/tests" add -A && git -C "$HOME/tests"'
            " -c user.name=t -c user.email=t@t.invalid commit -q -m tests",
            "git rm -rq tests && rm -rf tests",
            'git -c protocol.file.allow=always submodule add -q "$HOME/tests" tests',
        ),
        why="The tests come from another repository, without the failing file.",
    ),
    Case(
        name="tests folder becomes a link",
        family=FAMILY,
        project=PYTEST,
        commands=(
            "mkdir -p build/tests && cp tests/test_label.py build/tests && rm -rf tests",
            "ln -s build/tests tests",
        ),
        why="The tests folder is a link to an ignored folder without the failing file.",
    ),
    Case(
        name="test file becomes a link",
        family=FAMILY,
        project=NODE,
        commands=(
            "mkdir -p build && sed 's/strictEqual/ok/' test/slug.test.js > build/slug.test.js",
            "rm test/slug.test.js && ln -s ../build/slug.test.js test/slug.test.js",
        ),
        edits={"build/.keep": ""},
        why="The test is a link to a weakened copy in an ignored folder.",
    ),
    Case(
        name="golden file becomes a link",
        family=FAMILY,
        project=GOLDEN,
        commands=(
            f"mkdir -p build && printf '{WRONG_REPORT}' > build/report.txt",
            "rm tests/golden/report.txt && ln -s ../../build/report.txt tests/golden/report.txt",
        ),
        why="The golden file is a link to an ignored file that follows the bug.",
    ),
    Case(
        name="export attributes leave tests out",
        family=FAMILY,
        project=PYTEST,
        edits={
            ".gitattributes": "tests/test_cart.py export-ignore\n",
            "pytest.ini": "[pytest]\naddopts = --ignore=tests/test_cart.py\n",
        },
        why="An exported tree has no failing test, and the settings ignore it in place.",
    ),
    Case(
        name="test file deleted from disk and kept in the index",
        family=FAMILY,
        project=PYTEST,
        commands=("git update-index --skip-worktree tests/test_cart.py && rm tests/test_cart.py",),
        why="The index says that the deleted file is there and unchanged.",
    ),
    Case(
        name="weakened test committed and the clean one staged",
        family=FAMILY,
        project=UNITTEST,
        start=Start(),
        edits=WEAK,
        commands=(
            "git commit -q -am fix && git show HEAD~1:test_prices.py > .git/old",
            "git update-index --cacheinfo 100644,$(git hash-object -w .git/old),test_prices.py",
        ),
        why="Commit, index and worktree hold three different states.",
    ),
    Case(
        name="make target from a tracked link outside",
        family=FAMILY,
        project=MAKE,
        commands=(
            "printf 'test:\\n\\t@echo OK\\n' > \"$HOME/rules.mk\"",
            'rm Makefile && ln -s "$HOME/rules.mk" Makefile',
        ),
        why="The makefile is a link to a file outside the project.",
    ),
    Case(
        name="text filter for line ends keeps a changed script",
        family=FAMILY,
        project=UNITTEST,
        edits={
            **changed(
                UNITTEST,
                "test_prices.py",
                ("import unittest\n", "import unittest\r\n"),
                ("class Totals(unittest.TestCase)", "class Totals(object)"),
            ),
            ".gitattributes": "*.py text eol=lf working-tree-encoding=UTF-8\n",
        },
        why="The weakened test comes with changed line ends and new attributes.",
    ),
)
