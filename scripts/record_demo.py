"""Record a real run of `loop demo` as docs/demo.svg, the picture in the README.

python scripts/record_demo.py            runs the demo and writes the picture
python scripts/record_demo.py --check    writes nothing; exits 1 if the picture differs

What changes from run to run (paths, seconds) is replaced, so that two runs give the same picture.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from loopwright.cli.here import AGENT_VARIABLES

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "demo.svg"
COLUMNS = 88
# The demo prints about 70 lines. These parts are left out of the picture.
LEFT_OUT = (
    re.compile(r"\x1b\[2[23];0t|\x1b\][^\x07]*\x07"),  # the title of the window
    re.compile(r"Spec scoring:\n(?:.+\n)*\n"),
    re.compile(r"Steps to .*\n(?:.+\n)*\n"),
    re.compile(r"(?:Limits|Writing state|The agent is scripted).*\n+"),
    re.compile(r"\[LOOP\] (?:at most|script takes).*\n"),
    re.compile(r" +\d+:\d\d, \$.*\n"),
    re.compile(r"Report: loop report\n(?:.*\n)*"),
)
# What differs between two machines or two runs.
NORMALISED = (
    (re.compile(re.escape(sys.executable)), "python3"),
    (re.compile(r", in \S*/shop\b"), ""),
    (re.compile(r"\b\d+\.\d s\b"), "0.1 s"),
)
CHARACTER_WIDTH = 12.2  # of rich's picture
SPACE = "&#160;"
INDENTED = re.compile(rf'x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)"([^>]*)>((?:{SPACE})+)')
# Rich's own format loads a font from the network; this one uses the fonts of the reader.
SVG_FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" \
xmlns="http://www.w3.org/2000/svg">
<title>A run of loop demo</title>
<style>
.{unique_id}-matrix {{
    font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
    font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width;
}}
.{unique_id}-title {{ font-size: 18px; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main(check: bool) -> int:
    picture = draw(shorten(run_demo()))
    if PICTURE.exists() and PICTURE.read_text("utf-8") == picture:
        return 0
    print(f"docs/{PICTURE.name} {'is stale: run `make docs`' if check else 'written'}")
    if not check:
        PICTURE.write_text(picture, "utf-8")
    return 1 if check else 0


def run_demo() -> str:
    """What the demo prints on a terminal, colours included."""
    with tempfile.TemporaryDirectory() as folder:
        project = os.path.join(folder, "shop")
        argv = [sys.executable, "-m", "loopwright", "demo", "--folder", project]
        env = os.environ | {"TERM": "xterm-256color", "COLUMNS": "200"}
        env |= {"XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}  # ignores the user's settings
        for name in ("NO_COLOR", *AGENT_VARIABLES):  # the demo refuses to run under an agent
            env.pop(name, None)
        reader, writer = os.openpty()  # a pipe would get no colours
        with subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=writer, env=env, cwd=folder
        ) as process:
            os.close(writer)
            output = read_terminal(reader)
        if process.returncode:
            raise SystemExit(f"loop demo ended with {process.returncode}:\n{output}")
    return output


def read_terminal(reader: int) -> str:
    parts = []
    with open(reader, "rb", buffering=0) as terminal:
        try:
            while part := terminal.read(65536):
                parts.append(part)
        except OSError:  # Linux: the other end is closed
            pass
    return b"".join(parts).decode("utf-8").replace("\r\n", "\n")


def shorten(output: str) -> str:
    """The part of the output that the picture shows, the same in every run."""
    for pattern in LEFT_OUT:
        output = pattern.sub("", output)
    for pattern, replacement in NORMALISED:
        output = pattern.sub(replacement, output)
    return f"\x1b[1m$ loop demo\x1b[0m\n{output.strip()}\n"


def draw(output: str) -> str:
    console = Console(
        record=True,
        width=COLUMNS,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
    )
    console.print(Text.from_ansi(output))
    picture = console.export_svg(
        title="loop demo", theme=MONOKAI, code_format=SVG_FORMAT, unique_id="demo"
    )
    return INDENTED.sub(move_right, picture)


def move_right(text: re.Match[str]) -> str:
    """Move an indented text to the right, because some viewers drop its leading spaces."""
    x, y, length, rest, spaces = text.groups()
    indent = spaces.count(SPACE) * CHARACTER_WIDTH
    return f'x="{float(x) + indent:g}" y="{y}" textLength="{float(length) - indent:g}"{rest}>'


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
