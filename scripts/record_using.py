"""Play the run that docs/using.md shows, and write what it prints into the page.

python scripts/record_using.py            plays the run and fills the marked parts of the page
python scripts/record_using.py --check    writes nothing; exits 1 if a part of the page differs

The project, its bugs and the words of the agent are scripted. The commands, the hook and the checks
are real. What changes from run to run (paths, ids, times, hashes) is replaced.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from loopwright.cli.here import AGENT_VARIABLES

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "using.md"
HOOK = ROOT / "src" / "loopwright" / "hook" / "__main__.py"
RECORDED = re.compile(r"(<!-- run: (\S+) -->\n).*?(<!-- end run -->)", re.S)
SESSION = "4f1c2a90-7d2e-4b61-9a35-0c8e5d1f6b27"

PRICES = """def total(prices):
    return sum(prices[:-1])


def discounted(price, percent):
    return price - percent
"""
FIXED_PRICES = PRICES.replace("prices[:-1]", "prices").replace(
    "price - percent", "price * (100 - percent) // 100"
)
TESTS = """import unittest

from prices import discounted, total


class Prices(unittest.TestCase):
    def test_the_total_holds_every_price(self):
        self.assertEqual(total([100, 250, 400]), 750)

    def test_a_discount_is_a_share_of_the_price(self):
        self.assertEqual(discounted(500, 20), 400)
"""
# `loop start` then sees a hook in Claude Code, as after an installation.
CLIENT_SETTINGS = {
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "loop hook claude"}]}]}
}
FALSE_CLAIM = """Both bugs are fixed.

---LOOP_STATUS---
EXIT_SIGNAL: true
CRITERIA: {"tests pass": true}
STUCK_COUNT: 0
NEXT: none
---END_STATUS---
"""
TRUE_CLAIM = FALSE_CLAIM.replace(
    "NEXT: none",
    "NEXT: none\nSTEP_DONE: Fix the root cause\nCONFIDENCE: 95%\nPOINTS: 1\n"
    "ALT: decimals instead of whole cents\nRISK: negative percentages are not rejected",
)
# Of the output of the tests only the last line is shown; the rest depends on the version of Python.
CHECK_OUTPUT = re.compile(r"(?:^ {4}.*\n)+(^ {4}FAILED.*\n)", re.M)
PROMPT_OUTPUT = re.compile(r"(?:^  \| .*\n)+(^  \| FAILED.*\n)", re.M)
# Long lines of the journal are cut.
JOURNAL_LINE = re.compile(r"^( +\d+ \d\d:\d\d:\d\d .{91}).{2,}$", re.M)
# What differs between two machines or two runs.
NORMALISED = (
    (re.compile(r"\b20\d{6}-\d{6}-[0-9a-f]{6}\b"), "20261116-090000-a1b2c3"),
    (re.compile(r"\b20\d{6}-\d{6}-\d{6}-"), "20261116-090000-000000-"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "09:00:00"),
    (re.compile(r"\b(?<!-)[0-9a-f]{32,40}\b"), "ac80fbe1e8d9"),
    (re.compile(r"\bseconds [\d.]+"), "seconds 0.1"),
    (re.compile(r"\b(?<!-)(?=[0-9a-f]*[a-f])[0-9a-f]{12}\b"), "ac80fbe1e8d9"),
    (re.compile(r"\b(?<!-)\d{12}\b"), "ac80fbe1e8d9"),
    (re.compile(r"(?m)^(  minutes +)[\d.]+"), r"\g<1>0"),
    (re.compile(r"\b[\d.]+/240 min\b"), "0/240 min"),
    (re.compile(r"\b\d+\.\d s\b"), "0.1 s"),
    (re.compile(r" +\d+ s  (?=\$)"), "     1 s  "),
    (re.compile(r"\bin \d+\.\d+s\b"), "in 0.001s"),
)


class Shop:
    """A project with two bugs and two tests, and a home without anything else."""

    def __init__(self, folder: str) -> None:
        self.root = Path(folder, "shop")
        home = Path(folder, "home")
        self.root.mkdir()
        (home / ".claude").mkdir(parents=True)
        (home / ".claude" / "settings.json").write_text(json.dumps(CLIENT_SETTINGS), "utf-8")
        self.env = {
            name: value
            for name, value in os.environ.items()
            if name not in AGENT_VARIABLES and not name.startswith(("CLAUDE", "LOOP_", "XDG_"))
        }
        self.env |= {"HOME": str(home), "NO_COLOR": "1", "COLUMNS": "120"}
        self.env |= {"PYTHONDONTWRITEBYTECODE": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        self.env["LOOP_SANDBOX"] = "off"  # not every machine that records the page has one
        self.write("prices.py", PRICES)
        self.write("test_prices.py", TESTS)
        for words in (("init", "-q", "-b", "main"), ("add", "-A")):
            self.git(*words)
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
        self.git(*who, "commit", "-qm", "the shop")

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, "utf-8")

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.root, env=self.env, check=True)

    def loop(self, *words: str, shown: str = "") -> str:
        """The typed line and what the command printed."""
        argv = [sys.executable, "-m", "loopwright", *words]
        done = subprocess.run(
            argv,
            cwd=self.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        line = shown or " ".join(f'"{word}"' if " " in word else word for word in words)
        return f"$ loop {line}\n{done.stdout.rstrip()}\n"

    def hook(self, event: str, **fields: str) -> dict[str, str]:
        """What the hook answers: `message` for the person, `prompt` for the agent."""
        data = {"hook_event_name": event, "session_id": SESSION, "cwd": str(self.root), **fields}
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(HOOK), "claude"],
            cwd=self.root,
            env=self.env,
            input=json.dumps(data),
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        answer = json.loads(done.stdout or "{}")
        context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        return {
            "message": answer.get("systemMessage", ""),
            "prompt": context or answer.get("reason", ""),
        }


def play(shop: Shop) -> dict[str, str]:
    """The parts of the page by name."""
    parts = {}
    parts["start"] = shop.loop(
        "start",
        "Fix all failing tests in prices.py; no new dependencies",
        *("--check", "tests pass=python3 -m unittest -q"),
        *("--must-not", "dependency added=test -e requirements.txt"),
        shown='start "Fix all failing tests in prices.py; no new dependencies" \\\n'
        '      --check "tests pass=python3 -m unittest -q" \\\n'
        '      --must-not "dependency added=test -e requirements.txt"',
    )
    first = shop.hook("UserPromptSubmit", prompt="go")
    parts["bound"] = first["message"]
    parts["opening"] = first["prompt"]
    held = shop.hook("Stop", last_assistant_message=FALSE_CLAIM)
    parts["refuted"] = held["message"]
    parts["held"] = PROMPT_OUTPUT.sub("  | …\n\\1", held["prompt"])
    parts["status"] = shop.loop("status")
    cause = "total() drops the last price; discounted() takes off the number, not the share"
    parts["claim"] = shop.loop(
        "claim", "--step-done", "Reproduce the failure", "--gate", cause
    ) + shop.loop("claim", "--met", "tests pass")
    parts["pause"] = (
        shop.loop("pause", "back after lunch")
        + CHECK_OUTPUT.sub("    …\n\\1", shop.loop("why"))
        + shop.loop("continue")
    )
    shop.hook("UserPromptSubmit", prompt="go")
    shop.write("prices.py", FIXED_PRICES)
    parts["end"] = shop.hook("Stop", last_assistant_message=TRUE_CLAIM)["message"]
    parts["receipt"] = shop.loop("receipt")
    history = shop.loop("history")
    loop_id = history.splitlines()[1].split()[0]
    parts["history"] = history
    parts["journal"] = shop.loop("journal", loop_id)
    shop.loop("start", "refactor the prices module and keep the tests passing", "--yes")
    parts["cancel"] = shop.loop("cancel")
    return parts


def normalise(text: str, shop: Shop) -> str:
    text = text.replace(os.path.realpath(shop.root), "~/shop").replace(str(shop.root), "~/shop")
    for pattern, replacement in NORMALISED:
        text = pattern.sub(replacement, text)
    return JOURNAL_LINE.sub(lambda line: f"{line[1].rstrip()}…", text.strip("\n"))


def main(check: bool) -> int:
    with tempfile.TemporaryDirectory() as folder:
        shop = Shop(folder)
        parts = {name: normalise(text, shop) for name, text in play(shop).items()}
    page = PAGE.read_text("utf-8")
    filled = RECORDED.sub(lambda part: f"{part[1]}{as_block(parts[part[2]])}\n{part[3]}", page)
    if filled == page:
        return 0
    print(f"docs/{PAGE.name} {'is stale: run `make docs`' if check else 'written'}")
    if not check:
        PAGE.write_text(filled, "utf-8")
    return 1 if check else 0


def as_block(text: str) -> str:
    kind = "console" if text.startswith("$ ") else "text"
    return f"```{kind}\n{text}\n```"


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
