"""What a person reads who runs `claude -p`: the end goes to the stderr of the client."""

import subprocess
import sys

import pytest

SHOW = """
import os
os.environ["CLAUDE_PID"] = str(os.getpid())
from loopwright.hook.one_shot import show_in_one_shot_run
show_in_one_shot_run("SHIP\\x1b[2J")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it needs /proc")
@pytest.mark.parametrize(("entrypoint", "shown"), [("sdk-cli", "SHIP\n"), ("cli", "")])
def test_the_end_goes_to_stderr_only_without_a_screen(entrypoint, shown):
    env = {"CLAUDE_CODE_ENTRYPOINT": entrypoint, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", SHOW], env=env, capture_output=True, text=True, check=True
    )

    assert (done.stdout, done.stderr) == ("", shown)
