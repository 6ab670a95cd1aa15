"""Machines for tests: network namespaces with a name of their own, each with one way to this host."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

NAMED = 'hostname "$0"; exec "$@"'


class Machine:
    """A host of its own, as far as the network and its name go."""

    def __init__(self, number: int) -> None:
        self.name = f"machine{number}"
        self._space = f"fleet-{os.getpid()}-{number}"
        self._cable = f"fl{os.getpid() % 100_000}x{number}"
        subnet = f"10.{77 + number}.{os.getpid() % 250}"
        self.outside, self._inside = f"{subnet}.1", f"{subnet}.2"

    def create(self) -> None:
        """`outside` is the address under which the machine reaches this host."""
        space, cable = self._space, self._cable
        inside = f"ip netns exec {space} ip"
        for line in (
            f"ip netns add {space}",
            f"ip link add {cable} type veth peer eth0 netns {space}",
            f"ip addr add {self.outside}/24 dev {cable}",
            f"ip link set {cable} up",
            f"{inside} addr add {self._inside}/24 dev eth0",
            f"{inside} link set eth0 up",
            f"{inside} link set lo up",
        ):
            subprocess.run(line.split(), check=True)

    def command(self, words: list[str]) -> list[str]:
        """The command line that runs these words there."""
        inside = ["ip", "netns", "exec", self._space, "unshare", "--uts", "sh", "-c", NAMED]
        return [*inside, self.name, *words]

    def unplug(self) -> None:
        subprocess.run(["ip", "link", "set", self._cable, "down"], check=True)

    def plug_in(self) -> None:
        subprocess.run(["ip", "link", "set", self._cable, "up"], check=True)

    def destroy(self) -> None:
        """The cable goes first: without it, it would go some time after the namespace."""
        subprocess.run(["ip", "link", "del", self._cable], check=False)
        subprocess.run(["ip", "netns", "del", self._space], check=False)


@contextmanager
def machines(count: int) -> Iterator[list[Machine]]:
    made: list[Machine] = []
    try:
        for number in range(count):
            made.append(Machine(number))
            made[-1].create()
        yield made
    finally:
        for machine in made:
            machine.destroy()
