"""Equal parts of the list of tests begin with the slow ones, and no test is lost."""

from __future__ import annotations

from tests.suite_order import spread_slow


def test_each_part_begins_with_its_share_of_the_slow_tests() -> None:
    clients, slow = [f"client {n}" for n in range(5)], [f"slow {n}" for n in range(7)]
    quick = [f"quick {n}" for n in range(30)]

    ordered = spread_slow(clients, slow, quick, workers=5)

    assert sorted(ordered) == sorted([*clients, *slow, *quick])
    parts = [ordered[:8], ordered[8:16], ordered[16:24], ordered[24:33], ordered[33:]]
    assert [part[0].partition(" ")[0] for part in parts] == ["client"] * 2 + ["slow"] * 3
    assert [sum(not name.startswith("quick") for name in part) for part in parts] == [4, 3, 1, 2, 2]
    assert [name for name in ordered if name.startswith("quick")] == quick


def test_a_list_of_slow_tests_alone_stays_complete() -> None:
    slow = [f"slow {n}" for n in range(9)]

    assert sorted(spread_slow([], slow, [], workers=3)) == slow
    assert spread_slow([], [], ["a", "b"], workers=4) == ["a", "b"]
