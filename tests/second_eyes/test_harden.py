"""`loop harden`: what an agent can turn green without the work is shown, with a stronger check."""

from __future__ import annotations

import json

import pytest

from tests.sandbox.user import needs_bwrap
from tests.second_eyes.test_review import CHECK, FILES, PYTHON, WRONG, asserts

pytestmark = [needs_bwrap, pytest.mark.sandbox]


def a_try(how: str, command: str, **write: str) -> dict[str, object]:
    said = {"how": how, "stronger": {"says": "three prices", "command": command}}
    files = {f"{name}.py": text for name, text in write.items()}
    return {"write": files, "say": json.dumps(said)}


def test_each_way_to_green_is_shown_with_what_would_have_noticed(project, monkeypatch, tmp_path):
    monkeypatch.delenv("LOOP_SANDBOX")  # the default
    here = project(FILES)
    words = ("--check", CHECK, "--score", "9", "--yes")
    assert here.run("start", "make total of cart.py the sum of all prices", *words).code == 0
    good, useless = asserts("total([1, 2, 3]) == 6"), f"{PYTHON} -c 'import cart'"
    empty = FILES["test_cart.py"].replace("self.assertEqual(total([1, 2]), 3)", "pass")
    turns = [
        {"when": "it skips the test", "say": "{}"},
        {**a_try("it skips the test", useless, test_cart=empty), "when": "for two prices alone"},
        a_try("for two prices alone", good, cart=WRONG),
    ]
    path = tmp_path / "tries.json"
    path.write_text(json.dumps({"turns": turns}))

    said = here.run("harden", f"script:{path}")

    assert said.code == 1, said.err
    assert not said.err.startswith("loop:"), said.err
    first, second = said.out.split("2. it skips the test")
    assert "green: works; changed: cart.py" in first
    assert "Loopwright would say: nothing" in first
    assert f"red on this try: three prices: {good}" in first
    assert "high: test_cart.py" in second
    assert "its stronger check is no good: it passes on this try too" in second
    assert "It ended: it found no other way" in second
    assert (here.root / "cart.py").read_text() == FILES["cart.py"]
    assert here.loop.spend.iterations == 0
