"""scripts/code_figures.py: what it counts, which imports close a cycle, and what it prints."""

from pathlib import Path

import pytest
from scripts.code_figures import (
    MOST_PLACES,
    branch_points,
    import_cycles,
    is_one_word,
    is_participle,
    main,
    measure,
    named_functions,
    parse_source,
)


@pytest.mark.parametrize(
    ("name", "one_word", "participle"),
    [
        pytest.param("kept", True, True, id="an irregular participle"),
        pytest.param("_resumed", True, True, id="a private name ending in -ed"),
        pytest.param("standing", True, True, id="standing is used like a participle"),
        pytest.param("read", True, False, id="read is a verb"),
        pytest.param("succeed", True, False, id="a verb that happens to end in -ed"),
        pytest.param("render", True, False, id="one word, but a verb"),
        pytest.param("lane_merged", False, False, id="two words that end in a participle"),
        pytest.param("_is_told", False, False, id="a question with a participle"),
    ],
)
def test_a_name_is_one_word_or_a_participle(name: str, one_word: bool, participle: bool) -> None:
    assert (is_one_word(name), is_participle(name)) == (one_word, participle)


def test_methods_and_nested_functions_count_and_dunder_methods_do_not() -> None:
    text = """
class Door:
    def __enter__(self): ...
    def knock(self):
        def answer(): ...
async def close_door(): ...
"""
    names = [node.name for node in named_functions(parse_source("a.py", text).nodes)]

    assert names == ["knock", "answer", "close_door"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("x = f(1)", 0, id="a plain call"),
        pytest.param("if a: pass\nelif b: pass\nelse: pass", 2, id="if and elif, but not else"),
        pytest.param("x = a and b and c", 2, id="each further operand"),
        pytest.param("x = a and b or c", 2, id="and inside or"),
        pytest.param("x = a if b else c", 1, id="a conditional expression"),
        pytest.param("x = [y for z in a if z for y in z]", 2, id="each for of a comprehension"),
        pytest.param("for a in b:\n    while c: pass", 2, id="loops"),
        pytest.param("try: pass\nexcept A: pass\nexcept B: pass\nfinally: pass", 2, id="handlers"),
        pytest.param("match a:\n    case 1: pass\n    case _: pass", 2, id="cases"),
        pytest.param("assert a", 1, id="an assertion"),
    ],
)
def test_branch_points(text: str, count: int) -> None:
    assert branch_points(parse_source("a.py", text).nodes) == count


TYPE_CHECKING_IMPORT = "if TYPE_CHECKING:\n    from loopwright.a import x"
IMPORTS = {
    "two absolute imports": (
        {"a.py": "import loopwright.b", "b.py": "import loopwright.a"},
        ["a b"],
    ),
    "one direction": ({"a.py": "from loopwright import b", "b.py": "import os"}, []),
    "inside a function": (
        {"a.py": "def f():\n    from . import b", "b.py": "from .a import x"},
        ["a b"],
    ),
    "for types only": ({"a.py": "import loopwright.b", "b.py": TYPE_CHECKING_IMPORT}, ["a b"]),
    "around three modules": (
        {"a.py": "from . import b", "b.py": "from . import c", "c.py": "from . import a"},
        ["a b c"],
    ),
    "up and down again": (
        {
            "__init__.py": "",
            "p/__init__.py": "",
            "p/q.py": "from ..r import x",
            "r.py": "from .p.q import y",
        },
        ["p.q r"],
    ),
    "a package whose init imports its module": (
        {"p/__init__.py": "from .q import x", "p/q.py": "from . import name"},
        ["p p.q"],
    ),
    "a package with an empty init": ({"p/__init__.py": "", "p/q.py": "from . import name"}, []),
    "a module of a package instead of the package": (
        {"p/__init__.py": "from . import q", "p/q.py": "from . import s", "p/s.py": ""},
        [],
    ),
    "the largest first": (
        {
            "a.py": "from . import b",
            "b.py": "from . import a",
            "x.py": "from . import y",
            "y.py": "from . import z",
            "z.py": "from . import x",
        },
        ["x y z", "a b"],
    ),
}


@pytest.mark.parametrize(("files", "cycles"), IMPORTS.values(), ids=IMPORTS)
def test_import_cycles(files: dict[str, str], cycles: list[str]) -> None:
    found = import_cycles([parse_source(path, text) for path, text in files.items()])

    assert [" ".join(cycle).replace("loopwright.", "") for cycle in found] == cycles


def test_blank_lines_do_not_thin_the_figures() -> None:
    text = "def f(a):\n\n    \n    if a:\n        return 1\n    return 2\n"
    values = {row.name: row.value for row in measure([parse_source("a.py", text)], [])}

    assert values["branch points per line"] == "0.250"


def test_width_is_counted_in_characters() -> None:
    fits, wide = "#" + "é" * 99, "#" + "é" * 100
    rows = {row.name: row for row in measure([parse_source("a.py", f"{fits}\n{wide}\n")], [])}

    assert rows["wide lines"].value == "1 (50.0%)"
    assert list(rows["wide lines"].places) == ["a.py:2  101 columns"]


Capture = pytest.CaptureFixture[str]


def write_package(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = folder / "shop" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder / "shop"


def test_wide_lines_of_pages_are_named(tmp_path: Path, capsys: Capture) -> None:
    page = f"{'a' * 100}\n{'b' * 101}\n"
    package = write_package(tmp_path, {"a.py": "", "web/page.js": page, "web/icon.svg": page})

    assert main([], package) == 1
    assert "web/page.js:2  101 columns" in (out := capsys.readouterr().out)
    assert "page.js:1 " not in out
    assert "icon.svg" not in out


def test_a_package_that_meets_its_targets_exits_0(tmp_path: Path, capsys: Capture) -> None:
    package = write_package(tmp_path, {"a.py": "def add_item(a):\n    return a\n"})

    assert main([], package) == 0
    assert capsys.readouterr().out == (
        "figure                  value     target\n"
        "functions               1         -\n"
        "one-word names          0.0%      -\n"
        "participles             0.0%      < 2%\n"
        "branch points per line  0.000     < 0.26\n"
        "wide lines              0 (0.0%)  0\n"
        "cycles                  0         0\n"
        "wide lines of pages     0         0\n"
        "lines of src            2         <= 82,000\n"
        "lines of ratchet        0         <= 9,000\n"
        "lines of tests          0         <= 105,000\n"
        "files in drive/         0         <= 20\n"
        "files in core/          0         <= 20\n"
        "longest file            2         <= 350\n"
    )


def test_a_missed_target_exits_1_and_names_the_places(tmp_path: Path, capsys: Capture) -> None:
    names = "".join(f"def kept():  # {number}\n    pass\n" for number in range(MOST_PLACES + 3))
    package = write_package(tmp_path, {"a.py": f"import shop.b\n{names}", "b.py": "import shop.a"})

    assert main([], package) == 1
    printed = capsys.readouterr().out
    assert "\nparticiples:\n  a.py:2  kept\n  a.py:4  kept\n" in printed
    assert "  a.py:40  kept\n  … and 3 more\n" in printed
    assert printed.endswith("\ncycles:\n  shop.a shop.b\n")

    assert main(["--report"], package) == 0
    assert capsys.readouterr().out == printed


def test_the_row_of_a_folder_includes_its_subfolders(tmp_path: Path, capsys: Capture) -> None:
    files = {"a.py": "def f(): ...", "p/b.py": "def g(): ...", "p/q/c.py": "def told(): ..."}

    assert main(["--by-folder"], write_package(tmp_path, files)) == 0
    rows = [line.split()[:4] for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [
        ["all", "3", "100.0%", "33.3%"],
        ["p", "2", "100.0%", "50.0%"],
        ["p/q", "1", "100.0%", "100.0%"],
    ]
